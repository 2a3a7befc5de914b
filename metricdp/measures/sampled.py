"""Events that read a secret, fresh random sample of the rows: a scheme, and what reads its sample.

The schemes (`sampling`) know what a sample does to loss laws and to curves.  Samples of a fixed
size are refused where a row may be added or removed: the number of rows is then private, and the
rate is not defined.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import msgspec

from metricdp.accounting.renyi import ComposedCurve, Curve, GaussianCurve
from metricdp.accounting.rounded import exp_up, ln_up, short_up
from metricdp.errors import ParameterError
from metricdp.expr import num
from metricdp.measures.accounted import (
    AccountedEvent,
    AccountedStep,
    Case,
    NoCurve,
    Pieces,
    SampledEvent,
    Scheme,
)
from metricdp.measures.combined import checked
from metricdp.measures.parameters import share, whole
from metricdp.measures.sampling import (
    PoissonSampling,
    SamplingWithoutReplacement,
    SamplingWithReplacement,
)
from metricdp.spaces.metrics import Adjacency


class Poisson(SampledEvent, frozen=True):
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

    @property
    def scheme(self) -> PoissonSampling:
        """How rows are drawn."""
        return PoissonSampling(num(self.rate))

    def pieces(self, case: Case) -> Pieces:
        if 0 < self.rate < 1 and isinstance(self.event, Poisson):
            # A sample of a sample is a sample.
            return Poisson(self.rate * self.event.rate, self.event.event).pieces(case)
        return self.scheme.pieces(self.event, case)

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        if isinstance(self.event, Poisson):
            return Poisson(self.rate * self.event.rate, self.event.event).steps(case)
        return sampled_step(self.event, self.scheme, case, "add or remove")


class TruncatedPoisson(SampledEvent, frozen=True):
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

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        return self.plain.steps(case)


class WithoutReplacement(SampledEvent, frozen=True):
    """A uniform set of `size` of the `rows` rows, afresh each time; both numbers are public.

    Args:
        size: rows of the sample, between 0 and `rows`.
        rows: rows of the data, >= 1.
        event: what reads the sample; per row of the sample.

    Raises:
        ParameterError: more rows in the sample than there are.
    """

    size: Any
    rows: Any
    event: Any

    def __post_init__(self) -> None:
        put = msgspec.structs.force_setattr
        put(self, "rows", whole(self.rows, "rows", self.place, least=1))
        put(self, "size", whole(self.size, "size", self.place))
        if self.size > self.rows:
            raise ParameterError(
                f"{self.size} of {self.rows} rows", place=self.place,
                remedy="choose size <= rows, or WithReplacement",
            )  # fmt: skip
        checked(self.event, self.place)

    @property
    def scheme(self) -> SamplingWithoutReplacement:
        """How rows are drawn."""
        return SamplingWithoutReplacement(num(self.size), num(self.rows))

    def pieces(self, case: Case) -> Pieces:
        return self.scheme.pieces(self.event, case)

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        return sampled_step(self.event, self.scheme, self.scheme.fixed(case), "replace")


class WithReplacement(SampledEvent, frozen=True):
    """`draws` independent uniform draws from the `rows` rows, afresh each time.

    Args:
        draws: >= 0.
        rows: rows of the data, >= 1; public.
        event: what reads the sample; per row of the sample.

    Raises:
        ParameterError: a number outside its range.
    """

    draws: Any
    rows: Any
    event: Any

    def __post_init__(self) -> None:
        put = msgspec.structs.force_setattr
        put(self, "draws", whole(self.draws, "draws", self.place))
        put(self, "rows", whole(self.rows, "rows", self.place, least=1))
        checked(self.event, self.place)

    @property
    def scheme(self) -> SamplingWithReplacement:
        """How rows are drawn."""
        return SamplingWithReplacement(num(self.draws), num(self.rows))

    def pieces(self, case: Case) -> Pieces:
        return self.scheme.pieces(self.event, case)

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        return sampled_step(self.event, self.scheme, self.scheme.fixed(case), "replace")


def sampled_step(
    event: AccountedEvent, scheme: Scheme, case: Case, base: Adjacency
) -> tuple[AccountedStep, ...]:
    """One step: what reads a sample composes first and is amplified once."""
    steps: tuple[AccountedStep, ...] = event.steps(Case(base))
    if not steps:
        return ()
    if not all(step.whole for step in steps):
        raise NoCurve  # the curve of a step that samples again is not that of its mechanism
    curves = [(step.curve, step.count) for step in steps]
    gaussians = [(c.rho * k) for c, k in curves if isinstance(c, GaussianCurve) and c.fine]
    curve: Curve
    if len(gaussians) == len(curves):
        curve = GaussianCurve(sum(gaussians, Fraction(0)))
    elif len(curves) == 1 and curves[0][1] == 1:
        curve = curves[0][0]
    else:
        curve = ComposedCurve(tuple(curves))
    leak = sum((step.leak * step.count for step in steps), Fraction(0))
    kind: Adjacency = "replace" if base == "replace" or case.kind == "replace" else base
    # Coupled samples differ in one row: read as if the sampling amplified nothing.
    near = case.units == 1 and (case.kind != "replace" or base == "replace")
    far = (curve, leak) if near and scheme.coupled else None
    return (AccountedStep(curve, 1, leak, scheme, adjacency=kind, units=case.units, far=far),)


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
