"""Exact laws of selections: exponential weights, noisy maximum, first query above a threshold.

Where noise decides, the sums over its infinitely many values are closed forms (`comparisons`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

from metricdp.laws.comparisons import decided
from metricdp.laws.enclosed import EnclosedLaw
from metricdp.laws.interval import add, over
from metricdp.laws.numbers import positive, whole
from metricdp.noise.enclose import Bounds, exp_bounds


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
