"""Exact law of the best of a geometric or thinned number of rounds with finitely many outcomes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from typing import Any

from metricdp.laws.enclosed import EnclosedLaw
from metricdp.laws.interval import add, outward
from metricdp.noise.enclose import Bounds


def rounds_law(stop: Fraction, shape: Fraction, most: int) -> tuple[list[Bounds], Fraction]:
    """Bounds of P(K = 1), ..., P(K = most), and an upper bound of P(K > most).

    The weights beyond `most` are at most (1 - stop)^(k-1), whose sum is (1 - stop)^most / stop.
    """
    weights, weight = [], (Fraction(1), Fraction(1))
    rest = Fraction(1)
    for k in range(1, most + 1):
        weights.append(weight)
        factor = (1 - stop) * (k + shape) / (k + 1)
        weight = outward((weight[0] * factor, weight[1] * factor))
        rest = outward((rest, rest * (1 - stop)))[1]
    low, high = add(*weights)
    rest /= stop
    return [outward((w[0] / (high + rest), w[1] / low)) for w in weights], rest / (low + rest)


def best_of_rounds(
    base: Mapping[Hashable, Fraction], score: Callable[[Any], Any], stop: Fraction,
    shape: Fraction = Fraction(1), most: int = 200,
) -> EnclosedLaw:  # fmt: skip
    """Law of the first outcome of the best score.

    Args:
        base: rational probabilities of one round's outcomes, of sum 1.
        score: of an outcome; equal scores are allowed.
        most: rounds that are summed one by one; the rest widens the enclosure upwards.
    """
    rounds, rest = rounds_law(stop, shape, most)
    found: dict[Hashable, Bounds] = {}
    for y, p in base.items():
        below = sum((q for x, q in base.items() if score(x) < score(y)), Fraction(0))
        same = sum((q for x, q in base.items() if score(x) == score(y)), Fraction(0))
        low = high = Fraction(0)
        # P(best of k is y) / P(y) = sum_j below^(j-1) (below + same)^(k-j).
        inner = power = (Fraction(1), Fraction(1))
        for chance in rounds:
            low, high = low + chance[0] * inner[0], high + chance[1] * inner[1]
            power = outward((power[0] * below, power[1] * below))
            least, largest = (x * (below + same) for x in inner)
            inner = outward((least + power[0], largest + power[1]))
        found[y] = p * low, min(Fraction(1), p * high + rest)
    return EnclosedLaw(found)
