"""A step of the accountant: some rounds of one mechanism, at the distance in question.

One step that covers each of several branches, chosen by public or released values.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from metricdp.accounting.renyi import ComposedCurve, Curve, GaussianCurve, LinearCurve, WorstCurve
from metricdp.measures.sampling import Scheme
from metricdp.spaces.metrics import Adjacency


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


Option = Sequence[Step]


def worst(options: Sequence[Option]) -> list[Step]:
    """Steps that cover every option; samples inside stay to be paid (`paid`)."""
    filled = [tuple(option) for option in options if option]
    if not filled or all(list(option) == list(options[0]) for option in options):
        return list(options[0])
    if not all(step.whole for option in filled for step in option):
        return [Step(LinearCurve(Fraction(0)), options=tuple(filled))]
    if all(step.curve.gaussian_rho is not None for option in filled for step in option) and not any(
        step.leak for option in filled for step in option
    ):
        rounds = max(sum(step.count for step in option) for option in filled)
        rho = max(gaussian_total(option) for option in filled)
        return [Step(GaussianCurve(rho / rounds), rounds)]
    curves: list[Curve] = [
        ComposedCurve(tuple((step.curve, step.count) for step in option)) for option in filled
    ]
    leak = max(sum((step.count * step.leak for step in option), Fraction(0)) for option in filled)
    return [Step(curves[0] if len(curves) == 1 else WorstCurve(tuple(curves)), 1, leak)]


def gaussian_total(option: Option) -> Fraction:
    """Sum of the rhos of Gaussian steps."""
    rhos = ((step.curve.gaussian_rho or Fraction(0), step.count) for step in option)
    return sum((count * rho for rho, count in rhos), Fraction(0))
