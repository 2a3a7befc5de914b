"""Exact laws of selections: exponential weights, noisy maximum, first query above a threshold.

Where noise decides comparisons, the sums over its infinitely many values are closed forms, so that
no scale is too large.  U is discrete Laplace noise around `center`, V_c is independent discrete
Laplace noise for each c.
The chance of {c + V_c <= U for all c in `silent`, c + V_c > U for all c in `loud`} is the sum over
u of P(U = u) times factors P(V <= u - c) and P(V > u - c).  With a = e**(-1 / scale) of V,
  P(V <= t) = 1 - a**(t + 1) / (1 + a) for t >= -1,   a**-t / (1 + a) for t <= -1;
both agree at t = -1, and P(V > t) is 1 less that.  Between two neighbours of the points `center`
and c - 1, every factor is one power of e, or 1 less a power that is at most 1/2.  Multiplied out,
the sum over u is one of geometric series.  n factors below 1 are at least 2**-n together and their
terms at most (3/2)**n, so fewer than 2 n bits cancel: the result is accurate relatively.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise
from typing import Any

from metricdp.laws.finite import EnclosedLaw
from metricdp.laws.interval import add, over
from metricdp.laws.numbers import positive, whole
from metricdp.noise.enclose import Bounds, contexts
from metricdp.noise.kept import exp_bounds, exp_decimal

_Pair = tuple[Decimal, Decimal]
_ONE: _Pair = (Decimal(1), Decimal(1))
_ZERO: _Pair = (Decimal(0), Decimal(0))


def decided(
    center: int,
    decisive: Fraction,
    silent: Sequence[int],
    loud: Sequence[int] = (),
    scale: Fraction = Fraction(1),
) -> Bounds:
    """P(c + V_c <= U for all c in silent, c + V_c > U for all c in loud); relative width ~1e-30.

    Args:
        center, decisive: U = center + discrete Laplace noise of scale `decisive` > 0.
        scale: of the noise V_c, > 0.
    """
    if not silent and not loud:
        return Fraction(1), Fraction(1)
    many = len(silent) + len(loud)
    # Powers of e near 1 lose the digits of the scale, twice.
    digits = 40 + many + _digits(decisive) + _digits(scale)
    sums = _Sums(digits, 1 / decisive, 1 / scale, center, silent, loud)
    ends = sorted({center, *(c - 1 for c in silent), *(c - 1 for c in loud)})
    found = sums.piece(None, ends[0])
    for start, end in (*pairwise(ends), (ends[-1], None)):
        found = sums.add(found, sums.piece(start + 1, end))
    return max(Fraction(0), Fraction(found[0])), min(Fraction(1), Fraction(found[1]))


class _Sums:
    """Sums over the pieces, rounded to both sides; rates are those of the decay per step."""

    def __init__(
        self,
        digits: int,
        decisive: Fraction,
        rate: Fraction,
        center: int,
        silent: Sequence[int],
        loud: Sequence[int],
    ) -> None:
        self.digits, self.decisive, self.rate = digits, decisive, rate
        self.center, self.silent, self.loud = center, silent, loud
        self.down, self.up = contexts(digits)
        own, other = self._power(decisive), self._power(rate)
        # (1 - e**-decisive) / (1 + e**-decisive), and 1 / (1 + a).
        self.head = self._over(self._from_one(own), self.add(_ONE, own))
        self.share = self._over(_ONE, self.add(_ONE, other))

    def piece(self, first: int | None, last: int | None) -> _Pair:
        """The sum over first <= u <= last; one of them may be missing."""
        at = first if first is not None else last
        assert at is not None
        right = first is not None and self.center < first
        # The exponent at u is `exponent` + (u - at) * `slope`.
        exponent = (at - self.center if right else self.center - at) * self.decisive
        slope = self.decisive if right else -self.decisive
        near: list[int] = []  # 1 less a power that falls upwards from `first`
        far: list[int] = []  # 1 less a power that falls downwards from `last`
        for c in self.silent:
            if first is not None and c - 1 < first:
                near.append(first - c + 1)
            else:
                exponent, slope = exponent + (c - at) * self.rate, slope - self.rate
        for c in self.loud:
            if first is not None and c - 1 < first:
                exponent, slope = exponent + (at - c + 1) * self.rate, slope + self.rate
            else:
                assert last is not None
                far.append(c - last)
        front = self.head
        for _ in range(len(self.silent) + len(self.loud) - len(near) - len(far)):
            front = self._times(front, self.share)
        gap = 0 if first is None or last is None else last - first
        count = None if first is None or last is None else gap + 1
        total = _ZERO
        for k, rising in enumerate(self._symmetric(near)):
            for m, falling in enumerate(self._symmetric(far)):
                # u falls from `last` where the piece has no first.
                start = exponent + m * gap * self.rate
                step = slope + (k - m) * self.rate
                series = self._series(start, step if first is not None else -step, count)
                term = self._times(self._times(front, rising), self._times(falling, series))
                total = self._subtract(total, term) if (k + m) % 2 else self.add(total, term)
        return total

    def _symmetric(self, exponents: Sequence[int]) -> list[_Pair]:
        """Elementary symmetric sums of a**exponent / (1 + a): coefficients of prod (1 + v y)."""
        sums = [_ONE]
        for exponent in exponents:
            value = self._times(self._power(exponent * self.rate), self.share)
            longer = [*sums, _ZERO]
            for k, term in enumerate(sums):
                longer[k + 1] = self.add(longer[k + 1], self._times(term, value))
            sums = longer
        return sums

    def _series(self, exponent: Fraction, step: Fraction, count: int | None) -> _Pair:
        """Sum over t = 0 .. count - 1 of e**-(exponent + t step); all t >= 0 without a count."""
        if count is not None and step < 0:
            # Read backwards: the terms fall from the last one on.
            exponent, step = exponent + (count - 1) * step, -step
        head = self._power(exponent)
        if not step:
            assert count is not None
            return self._times(head, (Decimal(count), Decimal(count)))
        series = self._over(_ONE, self._from_one(self._power(step)))
        if count is not None:
            series = self._times(series, self._from_one(self._power(count * step)))
        return self._times(head, series)

    def _power(self, exponent: Fraction) -> _Pair:
        """e**-exponent, exponent >= 0."""
        return exp_decimal(-exponent, self.digits)

    def _from_one(self, x: _Pair) -> _Pair:
        return self._subtract(_ONE, x)

    def add(self, x: _Pair, y: _Pair) -> _Pair:
        """Sum."""
        return self.down.add(x[0], y[0]), self.up.add(x[1], y[1])

    def _subtract(self, x: _Pair, y: _Pair) -> _Pair:
        return self.down.subtract(x[0], y[1]), self.up.subtract(x[1], y[0])

    def _times(self, x: _Pair, y: _Pair) -> _Pair:
        return self.down.multiply(x[0], y[0]), self.up.multiply(x[1], y[1])

    def _over(self, x: _Pair, y: _Pair) -> _Pair:
        return self.down.divide(x[0], y[1]), self.up.divide(x[1], y[0])


def _digits(scale: Fraction) -> int:
    """Decimal digits that two differences of powers from 1 lose."""
    size = max(0, scale.numerator.bit_length() - scale.denominator.bit_length())
    return 2 * size * 31 // 100 + 2


def exponential_law(scores: Sequence[Any], scale: Fraction) -> EnclosedLaw:
    """Index i with probability proportional to exp(scores[i] / scale); at 0 the first best."""
    best = max(scores)
    if not scale:
        return _first_best(scores)
    weights = [exp_bounds(Fraction(score - best) / scale, 256) for score in scores]
    total = add(*weights)
    return EnclosedLaw({i: over(weight, total) for i, weight in enumerate(weights)})


def permute_and_flip_law(scores: Sequence[Any], scale: Fraction) -> EnclosedLaw:
    """Index that permute-and-flip takes; at a scale of 0 the first of the best.

    Give every candidate a uniform time in [0, 1]: i is taken at time t when its coin is heads, with
    chance q_i, and no earlier one's was: q_i times the integral of prod over j of (1 - q_j t) dt,
    which is sum over k of (-1)^k e_k / (k + 1), e_k the elementary symmetric sums of the other q.
    """
    best = max(scores)
    if not scale:
        return _first_best(scores)
    coins = [exp_bounds(Fraction(score - best) / scale, 512) for score in scores]

    def taken(i: int) -> Bounds:
        sums: list[Bounds] = [(Fraction(1), Fraction(1))]
        for j, (low, high) in enumerate(coins):
            if j != i:
                shifted = [(Fraction(0), Fraction(0)), *((a * low, b * high) for a, b in sums)]
                longer = [*sums, (Fraction(0), Fraction(0))]
                sums = [add(a, b) for a, b in zip(longer, shifted, strict=True)]
        low = sum((s[k % 2] * (-1) ** k / (k + 1) for k, s in enumerate(sums)), Fraction(0))
        high = sum((s[1 - k % 2] * (-1) ** k / (k + 1) for k, s in enumerate(sums)), Fraction(0))
        return coins[i][0] * max(low, Fraction(0)), coins[i][1] * min(high, Fraction(1))

    return EnclosedLaw({i: taken(i) for i in range(len(scores))})


def _first_best(scores: Sequence[Any]) -> EnclosedLaw:
    """What the samplers choose without noise."""
    chosen = max(range(len(scores)), key=scores.__getitem__)
    sure = {True: (Fraction(1), Fraction(1)), False: (Fraction(0), Fraction(0))}
    return EnclosedLaw({i: sure[i == chosen] for i in range(len(scores))})


def noisy_max_law(scores: Sequence[int], scale: Fraction) -> EnclosedLaw:
    """Index of the largest score after discrete Laplace noise of `scale`; the first in a tie.

    i wins when every noisy score before it is below its own, and none after it is above.
    """
    width, ticks = positive(scale, "scale"), [whole(score, "scores") for score in scores]

    def wins(i: int) -> Bounds:
        rest = [score + (j < i) for j, score in enumerate(ticks) if j != i]
        return decided(ticks[i], width, rest, scale=width)

    return EnclosedLaw({i: wins(i) for i in range(len(ticks))})


def above_threshold_law(
    queries: Sequence[int], threshold_scale: Fraction, query_scale: Fraction, threshold: int
) -> EnclosedLaw:
    """First i with queries[i] + noise >= threshold + noise of the threshold; None if none."""
    found = positions_above_law(queries, threshold_scale, query_scale, threshold, 1)
    chances: dict[Hashable, Bounds] = {i: found.pmf((i,)) for i in range(len(queries))}
    return EnclosedLaw({**chances, None: found.pmf(())})


def positions_above_law(
    queries: Sequence[int],
    threshold_scale: Fraction,
    query_scale: Fraction,
    threshold: int,
    reports: int,
) -> EnclosedLaw:
    """Tuples of the first `reports` positions above one noisy threshold."""
    level, most = whole(threshold, "threshold"), whole(reports, "reports")
    first, each = positive(threshold_scale, "threshold_scale"), positive(query_scale, "query_scale")
    # Below the threshold means at most one tick less.
    ticks, size = [whole(query, "queries") + 1 for query in queries], len(queries)

    @cache
    def decide(silent: tuple[int, ...], loud: tuple[int, ...]) -> Bounds:
        return decided(level, first, silent, loud, each)

    def chance(outcome: tuple[int, ...]) -> Bounds:
        read = outcome[-1] + 1 if len(outcome) == most and outcome else size
        silent = sorted(ticks[i] for i in range(read) if i not in outcome)
        return decide(tuple(silent), tuple(sorted(ticks[i] for i in outcome)))

    outcomes = [c for k in range(most + 1) for c in combinations(range(size), k)]
    return EnclosedLaw({outcome: chance(outcome) for outcome in outcomes})
