"""A step of the accountant: some rounds of one mechanism, at the distance in question."""

from __future__ import annotations

from fractions import Fraction

import msgspec

from metricdp.measures.renyi import Curve
from metricdp.measures.sampling import Adjacency, Scheme


class Step(msgspec.Struct, frozen=True):
    """`count` rounds of one mechanism.

    Attributes:
        curve: Renyi curve; see `renyi`.
        count: rounds, >= 0.
        leak: delta of each round beside the curve: the probability of an open failure.
        scheme: how rows are sampled afresh in each round; the curve is then that of the mechanism
            on the sample, for one row of it.
        pair: an (epsilon, delta) that one round is known to have beside its curve (a calibrated
            Gaussian); used by basic composition.
        adjacency: of the sampled rows; "": the one that the accountant is told.
        units: by how many rows the sampled data differ; >= 1.
        far: (curve, leak) of one round when the samples differ in as many rows as coupled samples
            of the data may; it holds without any amplification.
        beside: steps of the same round on the unsampled data, read by the very events that read
            the sample; the two are then no separate steps.
        options: one of these happens, chosen by public or released values, in place of the curve.
    """

    curve: Curve
    count: int = 1
    leak: Fraction = Fraction(0)
    scheme: Scheme | None = None
    pair: tuple[Fraction, Fraction] | None = None
    adjacency: Adjacency | None = None
    units: int = 1
    far: tuple[Curve, Fraction] | None = None
    beside: tuple[Step, ...] = ()
    options: tuple[tuple[Step, ...], ...] = ()

    @property
    def whole(self) -> bool:
        """Whether the curve and the leak say everything: no sampling is left to be paid."""
        return self.scheme is None and not self.options
