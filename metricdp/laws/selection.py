"""Exact laws of selections: exponential weights, noisy maximum, first query above a threshold.

Sums over the infinitely many values of the decisive noise are cut where the rest is below
e**-`_REST` of everything kept; the rest widens the enclosure upwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import ceil
from typing import Any

from metricdp.laws.enclosed import EnclosedLaw
from metricdp.laws.interval import add, over
from metricdp.noise.enclose import Bounds, contexts, exp_bounds, exp_decimal

_DIGITS = 50
_DOWN, _UP = contexts(_DIGITS)
_REST = 90
_Pair = tuple[Decimal, Decimal]
_ONE = (Decimal(1), Decimal(1))


def exponential_law(scores: Sequence[Any], scale: Fraction) -> EnclosedLaw:
    """Index i with probability proportional to exp(scores[i] / scale), scale > 0."""
    best = max(scores)
    weights = [exp_bounds(Fraction(score - best) / scale, 256) for score in scores]
    total = add(*weights)
    return EnclosedLaw({i: over(weight, total) for i, weight in enumerate(weights)})


def permute_and_flip_law(scores: Sequence[Any], scale: Fraction) -> EnclosedLaw:
    """Index that permute-and-flip takes, scale > 0.

    Give every candidate a uniform time in [0, 1]: i is taken at time t when its coin is heads, with
    chance q_i, and no earlier one's was: q_i times the integral of prod over j of (1 - q_j t) dt,
    which is sum over k of (-1)^k e_k / (k + 1), e_k the elementary symmetric sums of the other q.
    """
    best = max(scores)
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


def noisy_max_law(scores: Sequence[int], scale: Fraction) -> EnclosedLaw:
    """Index of the largest score after discrete Laplace noise of `scale`; the first in a tie."""
    pmf, at_most = _laplace(Fraction(scale))

    def wins(i: int) -> Bounds:
        def given(r: int) -> _Pair:
            product = _ONE
            for j, score in enumerate(scores):
                if j != i:
                    product = _times(product, at_most(scores[i] + r - score - (j < i)))
            return product

        spread = max(scores) - min(scores)
        return _expected(pmf, given, 0, spread, scale)

    return EnclosedLaw({i: wins(i) for i in range(len(scores))})


def above_threshold_law(
    queries: Sequence[int], threshold_scale: Fraction, query_scale: Fraction, threshold: int
) -> EnclosedLaw:
    """First i with queries[i] + noise >= threshold + noise of the threshold; None if none."""
    pmf, _ = _laplace(Fraction(threshold_scale))
    _, at_most = _laplace(Fraction(query_scale))
    far = max((abs(q - threshold) for q in queries), default=0)

    def first(i: int | None) -> Bounds:
        def given(r: int) -> _Pair:
            product = _ONE
            for q in queries if i is None else queries[:i]:
                product = _times(product, at_most(threshold + r - 1 - q))
            if i is None:
                return product
            # P(q + Z >= t) = P(Z <= q - t): the noise is symmetric.
            return _times(product, at_most(queries[i] - threshold - r))

        return _expected(pmf, given, -far, far, max(threshold_scale, query_scale))

    return EnclosedLaw({i: first(i) for i in (*range(len(queries)), None)})


def positions_above_law(
    queries: Sequence[int],
    threshold_scale: Fraction,
    query_scale: Fraction,
    threshold: int,
    reports: int,
) -> EnclosedLaw:
    """Tuples of the first `reports` positions above one noisy threshold."""
    pmf, _ = _laplace(Fraction(threshold_scale))
    _, at_most = _laplace(Fraction(query_scale))
    far = max((abs(q - threshold) for q in queries), default=0)
    size = len(queries)
    outcomes = [c for k in range(reports + 1) for c in combinations(range(size), k)]

    def chance(outcome: tuple[int, ...]) -> Bounds:
        read = outcome[-1] + 1 if len(outcome) == reports else size

        def given(r: int) -> _Pair:
            product = _ONE
            for i, q in enumerate(queries[:read]):
                shift = q - threshold - r if i in outcome else threshold + r - 1 - q
                product = _times(product, at_most(shift))
            return product

        return _expected(pmf, given, -far, far, max(threshold_scale, query_scale))

    return EnclosedLaw({outcome: chance(outcome) for outcome in outcomes})


def _expected(
    pmf: Callable[[int], _Pair], given: Callable[[int], _Pair], low: int, high: int, scale: Fraction
) -> Bounds:
    """Sum over r of pmf(r) * given(r), where all that happens does so between low and high."""
    # Far outside of [low, high], a factor of `given` that grows outwards is between 1/2 and 1, so
    # twice the geometric sum of the last term bounds all terms beyond it.
    margin = ceil(_REST * scale) + 1
    below = above = Decimal(0)
    edge = Decimal(0)
    for r in range(low - margin, high + margin + 1):
        term = _times(pmf(r), given(r))
        below, above = _DOWN.add(below, term[0]), _UP.add(above, term[1])
        if r in (low - margin, high + margin):
            edge = _UP.add(edge, term[1])
    shrink = Decimal(1) - exp_decimal(-1 / scale, _DIGITS)[1]
    rest = _UP.divide(2 * edge, shrink)
    return Fraction(below), Fraction(_UP.add(above, rest))


def _laplace(scale: Fraction) -> tuple[Callable[[int], _Pair], Callable[[int], _Pair]]:
    """P(Z = k) and P(Z <= k) of discrete Laplace noise: pmf (1-a)/(1+a) a**|k|, a = e**(-1/b)."""

    @cache
    def power(k: int) -> _Pair:
        return exp_decimal(-Fraction(k) / scale, _DIGITS)

    a = power(1)
    plus = _DOWN.add(1, a[0]), _UP.add(1, a[1])
    head = (
        _DOWN.divide(_DOWN.subtract(1, a[1]), plus[1]),
        _UP.divide(_UP.subtract(1, a[0]), plus[0]),
    )

    def pmf(k: int) -> _Pair:
        return _times(head, power(abs(k)))

    @cache
    def at_most(k: int) -> _Pair:
        if k < 0:
            tail = power(-k)
            return _DOWN.divide(tail[0], plus[1]), _UP.divide(tail[1], plus[0])
        tail = power(k + 1)
        return (
            _DOWN.subtract(1, _UP.divide(tail[1], plus[0])),
            _UP.subtract(1, _DOWN.divide(tail[0], plus[1])),
        )

    return pmf, at_most


def _times(x: _Pair, y: _Pair) -> _Pair:
    return _DOWN.multiply(x[0], y[0]), _UP.multiply(x[1], y[1])
