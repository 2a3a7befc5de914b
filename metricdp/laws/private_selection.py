"""Exact laws of private selection among rounds with finitely many outcomes.

The best of K rounds.  With G(z) = E z^K, b the chance of a lower score and t that of at most the
score of y, the best round shows y with chance P(y) (G(t) - G(b)) / (t - b): some round has that
score and none a higher one, and among the rounds of that score the first is distributed like each
(rounds are independent).  The slope of G grows in b and in t, so enclosures of both give one.  For
K of stop g and shape s (`noise.bernoulli.selection_rounds`), c = 1 - g,
    G(z) = ((1 - c z)^-s - 1) / (g^-s - 1);   s = 0: ln(1 - c z) / ln g;
    s = 1: the slope is g / ((1 - c b) (1 - c t)), rational.

The first round that is reached: P(y) = p(y) / (g + (1 - g) p), P(None) = g (1 - p) / (the same),
p the chance of any that is reached and g the chance to stop after one that is not.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from metricdp.errors import ParameterError
from metricdp.laws.finite import EnclosedLaw, FiniteLaw
from metricdp.laws.interval import ONE, ZERO, add, outward, point, subtract, times
from metricdp.noise.enclose import Bounds
from metricdp.noise.kept import exp_bounds, ln_bounds

_BITS = 320


@lru_cache(maxsize=64)
def rounds_law(stop: Fraction, shape: Fraction, most: int) -> tuple[tuple[Bounds, ...], Fraction]:
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
    found = tuple(outward((w[0] / (high + rest), w[1] / low)) for w in weights)
    return found, rest / (low + rest)


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
    rest = rounds_law(stop, shape, most)[1]
    found: dict[Hashable, Bounds] = {}
    for y, p in base.items():
        below = sum((q for x, q in base.items() if score(x) < score(y)), Fraction(0))
        same = sum((q for x, q in base.items() if score(x) == score(y)), Fraction(0))
        low, high = _shown_by_rounds(below, below + same, stop, shape, most)
        found[y] = p * low, min(Fraction(1), p * high + rest)
    return EnclosedLaw(found)


@lru_cache(maxsize=1024)
def _shown_by_rounds(
    below: Fraction, up_to: Fraction, stop: Fraction, shape: Fraction, most: int
) -> Bounds:
    """P(best is y) / P(y) in at most so many rounds, from the chances of a lower score than that of
    y, and of one that is no higher."""
    low = high = Fraction(0)
    # P(best of k is y) / P(y) = sum_j below^(j-1) up_to^(k-j).
    inner = power = (Fraction(1), Fraction(1))
    for chance in rounds_law(stop, shape, most)[0]:
        low, high = low + chance[0] * inner[0], high + chance[1] * inner[1]
        power = outward((power[0] * below, power[1] * below))
        least, largest = (x * up_to for x in inner)
        inner = outward((least + power[0], largest + power[1]))
    return low, high


def best_round_law(
    base: Any, score: Callable[[Any], Any], stop: Fraction, shape: Fraction = Fraction(1)
) -> FiniteLaw | EnclosedLaw:
    """Law of the first outcome of the best score, in closed form.

    Args:
        base: law of one round.
        score: of an outcome; equal scores are allowed.
        stop, shape: as for `noise.bernoulli.selection_rounds`.

    Raises:
        ParameterError: a round with infinitely many outcomes.
    """
    masses = _masses(base)
    scores = {y: score(y) for y in masses}
    levels = {s: add(*(m for y, m in masses.items() if scores[y] == s)) for s in scores.values()}
    slopes: dict[Any, Bounds] = {}
    below = ZERO
    for level in sorted(levels):
        up_to = _capped(add(below, levels[level]))
        slopes[level] = (
            _slope(below[0], up_to[0], stop, shape)[0],
            _slope(below[1], up_to[1], stop, shape)[1],
        )
        below = up_to
    return _law({y: times(m, slopes[scores[y]]) for y, m in masses.items()})


def first_round_law(
    base: Any, reached: Callable[[Any], bool], stop: Fraction
) -> FiniteLaw | EnclosedLaw:
    """Law of the first outcome that is reached, None where the rounds end before.

    Raises:
        ParameterError: a round with infinitely many outcomes.
    """
    masses = _masses(base)
    inside = {y: m for y, m in masses.items() if reached(y)}
    found: dict[Hashable, Bounds] = {}
    for y, (low, high) in inside.items():
        rest = _capped(add(ZERO, *(m for x, m in inside.items() if x != y)))
        # Grows in its own chance and falls in that of the others.
        found[y] = (
            low / (stop + (1 - stop) * min(Fraction(1), low + rest[1])),
            high / (stop + (1 - stop) * min(Fraction(1), high + rest[0])),
        )
    low, high = _capped(add(ZERO, *inside.values()))
    none = tuple(stop * (1 - p) / (stop + (1 - stop) * p) for p in (high, low))
    return _law({**found, None: (none[0], none[1])} if none[1] else found)


def _masses(base: Any) -> dict[Any, Bounds]:
    support = base.support()
    if support is None:
        raise ParameterError(
            f"a round's {type(base).__name__} has infinitely many outcomes",
            place="private selection",
            remedy="rounds whose pairs (score, value) have finitely many values",
        )
    return {y: base.pmf(y) for y in support}


def _capped(x: Bounds) -> Bounds:
    return min(Fraction(1), x[0]), min(Fraction(1), x[1])


def _slope(b: Fraction, t: Fraction, stop: Fraction, shape: Fraction) -> Bounds:
    """(G(t) - G(b)) / (t - b) for rationals b <= t; the derivative where they are equal."""
    c = 1 - stop
    if shape == 1 or not c:
        exact = stop / ((1 - c * b) * (1 - c * t))
        return exact, exact
    if not shape:
        down, up, least = (ln_bounds(1 - c * z, _BITS) for z in (b, t, Fraction(1)))
        gained = subtract(down, up) if b < t else point(c / (1 - c * b))
        whole = -least[1], -least[0]
    else:
        # (1 - c z)^-shape grows or falls, as the sign of the shape says.
        first, last, most = (_power(1 - c * z, -shape) for z in (b, t, Fraction(1)))
        if b < t:
            gained = subtract(last, first) if shape > 0 else subtract(first, last)
        else:
            gained = times(point(c * abs(shape)), _power(1 - c * b, -shape - 1))
        whole = subtract(most, ONE) if shape > 0 else subtract(ONE, most)
    width = t - b if b < t else Fraction(1)
    low, high = gained[0] / (whole[1] * width), gained[1] / (whole[0] * width)
    return max(Fraction(0), low), high


def _power(x: Fraction, exponent: Fraction) -> Bounds:
    ends = [exponent * end for end in ln_bounds(x, _BITS)]
    return exp_bounds(min(ends), _BITS)[0], exp_bounds(max(ends), _BITS)[1]


def _law(masses: dict[Hashable, Bounds]) -> FiniteLaw | EnclosedLaw:
    if all(low == high for low, high in masses.values()):
        return FiniteLaw({y: low for y, (low, _) in masses.items()})
    return EnclosedLaw(masses)
