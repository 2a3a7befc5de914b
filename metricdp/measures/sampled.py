"""Events that read a secret, fresh random sample of the rows.

With (P, Q) the dominating pair of the event on its sample, P the law of the sample with the row:
- Poisson, add or remove (and zero out): ((1-q) Q + q P, Q) and its reverse, exactly.  Advanced
  joint convexity (Balle, Barthe, Gaboardi 2018, Theorem 2): the sampled profile at
  ln(1 + q(e^eps - 1)) is q times the base's at eps; the reverse follows from the same curve.
- Poisson, replace, or several rows: `sampled_groups`, for Gaussian and Laplace noise and for events
  with a pure epsilon; others are refused.
A sample of fixed size is in `fixed_size`.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import msgspec

from metricdp.accounting.rounded import exp_up, ln_up, short_up
from metricdp.expr import num
from metricdp.measures import sampled_losses, sampling
from metricdp.measures.accounted import FREE, Case, Pieces
from metricdp.measures.combined import checked
from metricdp.measures.parameters import share, whole
from metricdp.measures.sampled_groups import group_pieces
from metricdp.measures.samplers import (
    Sampler,
    base_pieces,
    sampled_step,
    through,
)
from metricdp.measures.step import Step


class Poisson(Sampler, frozen=True):
    """Every row is in the sample with probability `rate`, independently and afresh.

    Args:
        rate: in [0, 1].
        event: what reads the sample; per row of the sample.

    Raises:
        ParameterError: a rate outside [0, 1].
    """

    rate: Any
    event: Any

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "rate", share(self.rate, "rate", self.place))
        checked(self.event, self.place)

    def pieces(self, case: Case) -> Pieces:
        if not self.rate:
            return FREE
        if self.rate == 1:
            found: Pieces = self.event.pieces(case)
            return found
        if isinstance(self.event, Poisson):
            # A sample of a sample is a sample.
            return Poisson(self.rate * self.event.rate, self.event.event).pieces(case)
        if case.kind == "replace" or case.units > 1:
            return group_pieces(self, case)
        base = base_pieces(self, case.kind)
        return through(base, lambda loss: sampled_losses.poisson(loss, self.rate, case.forward))

    def steps(self, case: Case) -> tuple[Step, ...]:
        if isinstance(self.event, Poisson):
            return Poisson(self.rate * self.event.rate, self.event.event).steps(case)
        return sampled_step(self.event, sampling.Poisson(num(self.rate)), case, "add or remove")


class TruncatedPoisson(Sampler, frozen=True):
    """A Poisson sample of which at most `most` rows are kept, by any rule.

    The law differs from that of the full sample by at most tau = P(Binomial(rows, rate) > most) in
    total variation, on each of the two data sets, so R rounds cost
    delta(eps) + R tau (1 + e^eps) with delta the profile of plain Poisson samples.

    Args:
        rate: in [0, 1].
        most: rows that are kept at most, >= 0.
        rows: rows of the data at most; >= 1.
        event: what reads the sample; per row of the sample.

    Raises:
        ParameterError: a number outside its range.
    """

    rate: Any
    most: Any
    rows: Any
    event: Any

    def __post_init__(self) -> None:
        put = msgspec.structs.force_setattr
        put(self, "rate", share(self.rate, "rate", self.place))
        put(self, "most", whole(self.most, "most", self.place))
        put(self, "rows", whole(self.rows, "rows", self.place, least=1))
        checked(self.event, self.place)

    @property
    def plain(self) -> Poisson:
        """The same sample without the cut."""
        return Poisson(self.rate, self.event)

    def pieces(self, case: Case) -> Pieces:
        gap = binomial_above(self.rows, self.rate, self.most)
        return msgspec.structs.replace(self.plain.pieces(case), gap=gap)

    def steps(self, case: Case) -> tuple[Step, ...]:
        return self.plain.steps(case)


def binomial_above(rows: int, rate: Fraction, most: int) -> Fraction:
    """P(Binomial(rows, rate) > most), rounded up.

    Terms fall by ratios that fall from one to the next, so that a geometric sum bounds what is
    left once a ratio is below 1.
    """
    if most >= rows or not rate:
        return Fraction(0)
    if rate == 1 or (most + 1) <= rows * rate:
        return Fraction(1)
    k, odds = most + 1, rate / (1 - rate)
    term = short_up(_ln_binomial_up(rows, rate, k))
    total = term
    while True:
        ratio = short_up(Fraction(rows - k, k + 1) * odds)
        if k == rows or term < total / 2**80:
            break
        k, term = k + 1, short_up(term * ratio)
        total += term
    return min(Fraction(1), short_up(total + term * ratio / (1 - ratio)))


def _ln_binomial_up(rows: int, rate: Fraction, k: int) -> Fraction:
    """P(Binomial = k), rounded up."""
    log = k * ln_up(rate) + (rows - k) * ln_up(1 - rate)
    return comb(rows, k) * exp_up(log)
