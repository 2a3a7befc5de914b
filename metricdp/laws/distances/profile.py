"""The privacy profile and the trade-off function of two finite laws, whole and exact.

Both are piecewise linear, given by their knots, in rationals.

Of all tests that tell P from Q, with false positive rate Q(S) <= alpha (randomised ones included),
beta(alpha) is the least false negative rate 1 - P(S): convex, falling, and linear between the tests
{P/Q above a ratio} (Neyman and Pearson 1933; Dong, Roth and Su 2022, Gaussian Differential Privacy,
Proposition 2.12 for the passage to and from the privacy profile).

As a function of t = e**epsilon >= 0, delta(t) = sup over events of P(S) - t Q(S) is the sum over
outcomes of max(0, P(x) - t Q(x)): convex, falling, and linear between the ratios P(x) / Q(x).  It
determines every other measure of the pair that post-processing cannot raise (Blackwell 1951).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.distances.distance import RatioDistance
from metricdp.laws.distances.finite import Masses, both
from metricdp.laws.distances.reading import read_laws
from metricdp.laws.law import no_closed_form
from metricdp.laws.numbers import share
from metricdp.noise.enclose import Bounds
from metricdp.noise.kept import exp_bounds

Knot = tuple[Fraction, Fraction]


def interpolated(knots: Sequence[Knot], x: Fraction) -> Fraction:
    """Value at x, from the first knot on; constant after the last."""
    i = bisect_right(knots, x, key=lambda knot: knot[0])
    if i == len(knots):
        return knots[-1][1]
    (a, u), (b, v) = knots[i - 1], knots[i]
    return u + (v - u) * (x - a) / (b - a)


def crossings(f: Sequence[Knot], g: Sequence[Knot]) -> list[Fraction]:
    """All knots of both functions, and the points between where one crosses the other."""
    at = sorted({x for x, _ in (*f, *g)})
    gaps = [interpolated(f, x) - interpolated(g, x) for x in at]
    found = list(at)
    for a, b, left, right in zip(at, at[1:], gaps, gaps[1:], strict=False):
        if left * right < 0:
            found.append(a + (b - a) * left / (left - right))
    return sorted(found)


def bent(knots: Iterable[Knot]) -> tuple[Knot, ...]:
    """The same function without the knots where its slope does not change."""
    kept: list[Knot] = []
    for x, y in knots:
        while len(kept) > 1:
            (a, u), (b, v) = kept[-2:]
            if (v - u) * (x - b) != (y - v) * (b - a):
                break
            kept.pop()
        kept.append((x, y))
    # The function is constant after its last knot.
    while len(kept) > 1 and kept[-1][1] == kept[-2][1]:
        kept.pop()
    return tuple(kept)


class TradeOff(msgspec.Struct, frozen=True):
    """beta as a function of alpha.

    Attributes:
        knots: (alpha, beta(alpha)) where the slope changes, from alpha = 0; the last has beta = 0.
    """

    knots: tuple[Knot, ...]

    def beta(self, alpha: Any) -> Fraction:
        """The least false negative rate at a false positive rate; ParameterError outside [0, 1]."""
        rate = share(alpha, "alpha")
        if not 0 <= rate <= 1:
            raise ParameterError("must be in [0, 1]", place="alpha")
        return interpolated(self.knots, rate)

    def inverse(self) -> TradeOff:
        """alpha as a function of beta: the trade-off of the pair (Q, P)."""
        return TradeOff(bent((b, a) for a, b in reversed(self.knots)))

    @property
    def advantage(self) -> Fraction:
        """The largest 1 - alpha - beta: the total variation."""
        return max(1 - a - b for a, b in self.knots)


def from_segments(profile: Sequence[Knot]) -> TradeOff:
    """From the knots of a profile: the test S that delta(t) = P(S) - t Q(S) names is a point."""
    found = [(Fraction(0), 1 - profile[-1][1])]
    for (t, value), (after, there) in reversed(list(pairwise(profile))):
        share = (value - there) / (after - t)
        found.append((share, 1 - value - t * share))
    return TradeOff(bent(found))


class ExactProfile(msgspec.Struct, frozen=True):
    """delta as a function of the factor t = e**epsilon.

    Attributes:
        knots: (t, delta(t)) where the slope changes, from t = 0, where delta is 1; after the last
            knot delta stays what it is there: the probability under P of what Q never says.
    """

    knots: tuple[Knot, ...]

    def at(self, factor: Any) -> Fraction:
        """delta at e**epsilon = factor, exact; ParameterError for a negative factor."""
        t = share(factor, "factor")
        if t < 0:
            raise ParameterError("must not be negative", place="factor")
        return interpolated(self.knots, t)

    def delta(self, epsilon: Any) -> Bounds:
        """Enclosure of delta at a rational epsilon: delta falls, and e**epsilon is enclosed."""
        low, high = exp_bounds(share(epsilon, "epsilon"), 192)
        return self.at(high), self.at(low)

    def epsilon(self, delta: Any) -> RatioDistance:
        """The least epsilon >= 0 with delta(epsilon) <= delta, as ln of an exact ratio.

        Infinite when no epsilon will do; ParameterError for delta outside [0, 1).
        """
        wanted = share(delta, "delta")
        if not 0 <= wanted < 1:
            raise ParameterError("must be in [0, 1)", place="delta")
        if self.at(1) <= wanted:
            return RatioDistance(Fraction(1))
        for (t, value), (after, there) in pairwise(self.knots):
            if there <= wanted:
                return RatioDistance(t + (after - t) * (value - wanted) / (value - there))
        return RatioDistance(inf)

    @property
    def total_variation(self) -> Fraction:
        """delta at epsilon 0."""
        return self.at(1)

    def reversed(self) -> ExactProfile:
        """The profile of (Q, P), which is t delta(1/t) + 1 - t: its events are the complements."""
        turned = [(1 / t, value / t + 1 - 1 / t) for t, value in reversed(self.knots) if t]
        return ExactProfile(bent([self.knots[0], *turned]))

    def worst(self, other: ExactProfile) -> ExactProfile:
        """The larger of two profiles at every epsilon; of both directions, the symmetric one."""
        at = crossings(self.knots, other.knots)
        return ExactProfile(bent((t, max(self.at(t), other.at(t))) for t in at))

    def __le__(self, other: ExactProfile) -> bool:
        """Whether delta is at most the other's at every epsilon, also below 0."""
        # Linear between the knots of both, and constant after them.
        return all(self.at(t) <= other.at(t) for t, _ in self.knots + other.knots)

    def trade_off(self) -> TradeOff:
        """The least false negative rate 1 - P(S) at every false positive rate Q(S)."""
        return from_segments(self.knots)


def privacy_profile(p: Any, q: Any) -> ExactProfile:
    """The profile of two finite laws with rational masses; ParameterError for other laws."""
    p, q = read_laws("privacy_profile", p, q)
    pair = both(p, q)
    if pair is None:
        raise no_closed_form("the exact privacy profile", p, q)
    return profile_of(*pair)


def profile_of(p: Masses, q: Masses) -> ExactProfile:
    """Knots at the ratios, from the largest down: P and Q of the outcomes above each add up."""
    nothing = Fraction(0)
    pairs = sorted(((mass / q[x], mass, q[x]) for x, mass in p.items() if q.get(x)), reverse=True)
    here = sum((mass for x, mass in p.items() if not q.get(x)), nothing)
    there = nothing
    knots = []
    for ratio, mass, other in pairs:
        knots.append((ratio, here - ratio * there))
        here, there = here + mass, there + other
    knots.append((nothing, Fraction(1)))
    return ExactProfile(bent(dict(reversed(knots)).items()))
