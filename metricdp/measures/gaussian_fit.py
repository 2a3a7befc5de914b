"""mu of Gaussian differential privacy: the least Gaussian whose profile dominates, and its regret.

mu-GDP says that telling the two data sets apart is at most as easy as telling N(0, 1) from N(mu, 1)
(Dong, Roth, Su 2022, Definition 2.6), that is delta(eps) <= G_mu(eps) for all eps in both
directions.  Every eps asks for a mu; the largest is the answer.  From below it is the mu of any one
point.  From above: delta and G are convex in e^eps, so between two points delta is below its chord
and G is above the extensions of its own chords; where these do not settle it the interval is cut.

Losses with tails heavier than a Gaussian have no mu at all (a Poisson sampled Gaussian needs that
of the unsampled one, far out).  With delta > 0 the statement is about the eps at which the profile
is above delta: mu-GDP wherever the guarantee is worse than (eps, delta).

The regret is the largest G_mu(eps) - delta(eps): how much more than the true profile mu promises to
an attacker.  Where both directions have one profile it bounds the vertical distance of the
trade-off curves as well, as HS_x(P, Q) = 1 - x + x HS_(1/x)(Q, P) holds for the Gaussian, too.
"""

from __future__ import annotations

from fractions import Fraction
from math import erfc, exp, log, sqrt

import msgspec

from metricdp.accounting.engines import NoAnswerError, delta_of, epsilon_of
from metricdp.accounting.gaussian import profile_bounds
from metricdp.accounting.losses.loss import Parts
from metricdp.accounting.rounded import (
    double_up,
    exp_up,
    ln_down,
    ln_up,
    root_up,
    short_down,
    short_up,
)
from metricdp.expr.decimals import decimal_up
from metricdp.measures.accounted import UNIT, AccountedEvent, Relation
from metricdp.measures.answer import Answer
from metricdp.measures.reading import Reading, Side, read
from metricdp.measures.tradeoff import Point, corners

#: Points of the first grid, and the most that refining may ask for.
_FIRST, _MOST = 24, 400
#: Relative excess of the proved mu over the needed one.
_EXCESS = Fraction(1, 10**4)
_ZERO, _ONE = Fraction(0), Fraction(1)
#: No mu is looked for outside of these.
_SMALLEST, _LARGEST = 1e-270, 1 << 12
#: A rounding of eps that is a smaller share of delta than the inverse is added to it.
_TINY = 1 << 30
#: Laws that dominate, and laws that are attained.
_Ends = tuple["Parts", "Parts"]


class GaussianFit(msgspec.Struct, frozen=True):
    """mu, between two certified ends, and what it gives away.

    `float(fit)` is the upper end, which may be promised.

    Attributes:
        lower: no smaller mu dominates.
        upper: this mu dominates, proved.
        regret: at least the largest G_mu(eps) - delta(eps) over eps >= 0, for mu the upper end.
        delta: the statement is about the eps at which the profile is above it.
        relation: the neighbouring relation.
    """

    lower: Fraction
    upper: Fraction
    regret: Fraction
    delta: Fraction
    relation: Relation

    def __float__(self) -> float:
        return double_up(self.upper)

    def __str__(self) -> str:
        found = Answer("mu", self.lower, self.upper, "", self.relation)
        where = f"wherever delta > {decimal_up(self.delta, 6)}, " if self.delta else ""
        regret = f"regret <= {decimal_up(self.regret, 3)}"
        return f"mu {found.interval}  ({where}{UNIT[self.relation]}; {regret})"


def fit(event: AccountedEvent, which: Relation, delta: Fraction) -> GaussianFit:
    """The least mu that dominates wherever the profile is above delta.

    Raises:
        NoAnswerError: delta is 0 and the losses are unbounded, or an event is known by a curve only
            or differs from its law (no profile to dominate).
    """
    reading = read(event, which)
    if delta and all(_least(side, delta) for side in reading.sides):
        return GaussianFit(_ZERO, _ZERO, _ZERO, delta, which)
    exact = _only_gaussian(reading)
    if exact is not None:
        squared = exact
        top = short_up(root_up(squared))
        low = short_down(top * (1 - Fraction(1, 1 << 100)))
        return GaussianFit(low, top, _ZERO, delta, which)
    curves = _curves(reading)
    if not curves:
        return GaussianFit(_ZERO, _ZERO, _ZERO, delta, which)
    farthest = max(_farthest(upper, delta) for (upper, _), _ in curves)
    grids = [_Grid(here, back, farthest) for here, back in curves]
    asked = {(side.upper, side.lower) for side in reading.sides}
    own = [grid for grid in grids if grid.here in asked]
    excess = _EXCESS
    while True:
        needed = max(_SMALLEST, *(grid.needed() for grid in grids))
        mu = short_up(Fraction(needed) * (1 + excess), 60)
        if mu > _LARGEST:
            raise _leaks()
        if all(grid.dominated(mu) for grid in grids):
            lower = max(grid.least(delta) for grid in grids)
            return GaussianFit(min(lower, mu), mu, _regret(own, mu), delta, which)
        excess *= 2


def _least(side: Side, delta: Fraction) -> bool:
    """Whether the profile of a direction is nowhere above delta."""
    return side.upper is not None and delta_of(side.upper, _ZERO, False).upper <= delta


def _only_gaussian(reading: Reading) -> Fraction | None:
    """The sum of squared ratios, where all laws are Gaussian."""
    from metricdp.accounting.losses.gaussian import GaussianLoss

    total = _ZERO
    for side in reading.sides:
        if not side.exact or reading.gap:
            return None
        here = _ZERO
        for loss, count in side.lower:
            if not isinstance(loss, GaussianLoss):
                return None
            here += count * loss.ratio**2
        total = max(total, here)
    return total or None


def _curves(reading: Reading) -> list[tuple[_Ends, _Ends]]:
    """(dominating laws, attained laws) of both directions, each with those of its reverse."""
    if not reading.known or reading.gap:
        raise _unknown()
    found: list[tuple[_Ends, _Ends]] = []
    for side in reading.sides:
        (upper, lower), (other, under) = (side.upper, side.lower), side.back
        if upper is None or other is None:
            raise _unknown()
        if upper or other:
            for pair in (
                ((upper, lower), (other, under)),
                ((other, under), (upper, lower)),
            ):
                if pair not in found:
                    found.append(pair)
    return found


def _unknown() -> NoAnswerError:
    return NoAnswerError(
        "mu needs a loss law of every event, and samples that are not cut",
        place="gdp", remedy="ask for epsilon(delta)",
    )  # fmt: skip


def _farthest(parts: Parts, delta: Fraction) -> Fraction:
    """An epsilon beyond which the profile is at most delta."""
    if delta:
        return epsilon_of(parts, delta).upper
    from metricdp.accounting.losses.loss import composed

    whole = composed(parts)
    if whole.leak[1]:
        # Beyond its finite losses the profile stays at the leak, and a Gaussian's goes to 0.
        raise NoAnswerError(
            "no mu is proved at delta = 0: the events may leak openly with probability up to"
            f" {decimal_up(whole.leak[1], 6)}, and no Gaussian does",
            place="gdp", remedy="choose delta above what they leak, gdp(1e-6)",
        )  # fmt: skip
    largest = whole.largest
    if largest is None:
        raise NoAnswerError(
            "no mu is proved at delta = 0: losses without a bound may have heavier tails than any"
            " Gaussian",
            place="gdp", remedy="choose delta > 0, gdp(1e-6): mu wherever the profile is above it",
        )  # fmt: skip
    return max(_ZERO, largest[1])


class _Grid:
    """The profile of one direction at points that are added where they are needed.

    The first and the last point lie outside of the range that is asked about, so that every
    interval of the range has a neighbour on either side.
    """

    def __init__(self, here: _Ends, back: _Ends, farthest: Fraction) -> None:
        self.here, self.back = here, back
        self.points: dict[Fraction, Point] = {}
        self._needed: dict[Fraction, float] = {}
        step = max(farthest, Fraction(1, 1 << 40)) / _FIRST
        self.first, self.last = _ONE, short_up(exp_up(step * _FIRST), 60)
        for k in range(-1, _FIRST + 2):
            self.add(self.first if not k else short_up(exp_up(step * k), 60))
        self.add(self.last)

    def add(self, x: Fraction) -> None:
        """The profile at e^eps = x; it falls, with a slope in eps between -1 and 0.

        HS_x(P, Q) = 1 - x + x HS_(1/x)(Q, P): below 1 the reverse answers.
        """
        near, far = (_ZERO, _ZERO) if x == 1 else (ln_down(x), ln_up(x))
        if x < 1:
            near, far = -far, -near
        upper, lower = self.here if x >= 1 else self.back
        high = delta_of(upper, far, False)
        low = high if upper == lower else delta_of(lower, far, False)
        top = high.upper + far - near
        if far - near > top / _TINY:
            top = delta_of(upper, near, False).upper
        found = Point(x, low.lower, min(_ONE, top))
        if x < 1:
            found = Point(x, 1 - x + x * found.low, 1 - x + x * found.high)
        self.points[x] = found

    def range(self) -> list[Fraction]:
        """The points, in order, the two outside included."""
        return sorted(self.points)

    def needed(self) -> float:
        """About the largest mu that a point of the grid needs."""
        for x, point in self.points.items():
            if x not in self._needed and self.first <= x <= self.last:
                # Far out the quotient itself is beyond the range of doubles.
                epsilon = log(x.numerator) - log(x.denominator)
                self._needed[x] = _mu(epsilon, float(point.low))
        return max(self._needed.values())

    def least(self, delta: Fraction) -> Fraction:
        """A mu such that no smaller one dominates wherever the profile is above delta."""
        above = [x for x in self._needed if self.points[x].low > delta]
        found = _ZERO
        if above:
            x = max(above, key=lambda x: self._needed[x])
            found = _too_small(ln_down(x) if x > 1 else _ZERO, self.points[x].low, self._needed[x])
        edge = epsilon_of(self.here[1], delta, False).lower if delta else _ZERO
        if edge:
            # The profile is above delta before the edge, and G is continuous.
            found = max(found, _too_small(edge, delta, _mu(float(edge), float(delta))))
        return found

    def dominated(self, mu: Fraction) -> bool:
        """Whether the profile is proved to be at most G_mu on all of the grid's range."""
        known: dict[Fraction, Point] = {}
        while True:
            xs = self.range()
            gaussian = [_gaussian(known, x, mu) for x in xs]
            if any(self.points[p.x].high > p.low for p in gaussian[1:-1]):
                return False
            cut = [at for at in range(1, len(xs) - 2) if not self._below(gaussian, at)]
            if not cut:
                return True
            if len(xs) + len(cut) > _MOST:
                return False
            for at in cut:
                self.add(short_up(root_up(xs[at] * xs[at + 1]), 60))

    def _below(self, gaussian: list[Point], at: int) -> bool:
        """Whether the chord of the profile is below what is known of G on the interval."""
        left, right = self.points[gaussian[at].x], self.points[gaussian[at + 1].x]
        slope = (right.high - left.high) / (right.x - left.x)
        return all(left.high + slope * (x - left.x) <= y for x, y in corners(gaussian, at))

    def regret(self, mu: Fraction) -> Fraction:
        """At least sup G_mu - delta over eps >= 0.

        G is below its chord and delta above the extensions of its own; beyond the range G is at
        most its last value there.
        """
        known: dict[Fraction, Point] = {}
        xs = self.range()
        gaussian = [_gaussian(known, x, mu) for x in xs]
        profile = [self.points[x] for x in xs]
        worst = gaussian[-2].high
        for at in range(1, len(xs) - 2):
            left, right = gaussian[at], gaussian[at + 1]
            slope = (right.high - left.high) / (right.x - left.x)
            for x, y in corners(profile, at):
                worst = max(worst, left.high + slope * (x - left.x) - max(_ZERO, y))
        return worst


def _too_small(epsilon: Fraction, value: Fraction, mu: float) -> Fraction:
    """A number near mu whose G is certified to be at most a value at epsilon; or 0."""
    for share in (2**-36, 2**-24, 2**-12):
        low = Fraction(mu * (1 - share))
        if profile_bounds(epsilon, low)[1] <= value:
            return low
    return _ZERO


def _regret(grids: list[_Grid], mu: Fraction) -> Fraction:
    """At least sup G_mu - delta, where delta is the largest of the relation's directions."""
    return short_up(min(grid.regret(mu) for grid in grids))


def _gaussian(known: dict[Fraction, Point], x: Fraction, mu: Fraction) -> Point:
    """G_mu at e^eps = x."""
    if x not in known:
        near, far = (_ZERO, _ZERO) if x == 1 else (ln_down(x), ln_up(x))
        low, high = profile_bounds(far, mu)
        high += far - near
        if far - near > high / _TINY:
            high = profile_bounds(near, mu)[1]
        known[x] = Point(x, low, high)
    return known[x]


def _mu(epsilon: float, delta: float) -> float:
    """The mu with G_mu(epsilon) = delta, in doubles; 0 where delta is not resolved."""
    if delta < 1e-280:
        return 0.0
    low, high = 0.0, 1.0 / 16
    while _profile(epsilon, high) < delta:
        low, high = high, 2 * high
        if high > _LARGEST:
            raise _leaks()
    for _ in range(60):
        middle = (low + high) / 2
        if _profile(epsilon, middle) >= delta:
            high = middle
        else:
            low = middle
    return high


def _leaks() -> NoAnswerError:
    return NoAnswerError(
        "the profile is (nearly) 1 where a Gaussian's is not", place="gdp",
        remedy="the events leak: choose a delta above what they leak",
    )  # fmt: skip


def _profile(epsilon: float, mu: float) -> float:
    """G_mu(epsilon) in doubles."""
    a, b = mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu
    far = erfc(-b / sqrt(2))
    return (erfc(-a / sqrt(2)) - (exp(epsilon + log(far)) if far else 0.0)) / 2
