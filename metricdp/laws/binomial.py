"""Confidence bounds of a probability from counts: Clopper and Pearson's, certified.

The lower bound of a proportion after k hits in n independent trials is the p at which
P(Bin(n, p) >= k) = alpha (Clopper and Pearson, Biometrika 1934): whatever the true proportion is,
it lies below the bound with probability at most alpha.  The tail grows with p, so every p whose
tail is certainly at most alpha is a valid bound; here the tail is bounded from above in rationals
and the p that is returned was itself certified.  The upper bound is that of the misses.

The tail is P(X = k) times a sum of products of falling ratios, cut off by a geometric series.
P(X = k) comes from Robbins' bounds of the factorial (Amer. Math. Monthly 62, 1955):
ln n! - (n + 1/2) ln n + n - ln(2 pi) / 2 lies between 1 / (12 n + 1) and 1 / (12 n).
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import factorial
from math import log as _log

from metricdp.errors import ParameterError
from metricdp.laws.interval import PI, ZERO, add, log, over, point, times
from metricdp.noise.enclose import Bounds
from metricdp.noise.kept import exp_bounds, ln_bounds

#: Factorials up to here are written out.
_SMALL = 256
_BITS = 64
#: Relative width of the bracket in which a bound is returned, and most steps to reach it.
_NEAR, _STEPS = Fraction(1, 10**9), 60


def proportion_at_least(hits: int, trials: int, alpha: Fraction) -> Fraction:
    """Lower confidence bound of a proportion, one-sided: wrong with probability at most `alpha`.

    Args:
        hits, trials: 0 <= hits <= trials, trials >= 1.
        alpha: in (0, 1); the bound is within a relative 1e-9 of Clopper and Pearson's, below it.

    Raises:
        ParameterError: counts that are none, or alpha outside (0, 1).

    >>> float(proportion_at_least(10, 10, Fraction(1, 20))), 0.05 ** (1 / 10)
    (0.74113444..., 0.74113444...)
    """
    _check(hits, trials, alpha)
    return _at_least(hits, trials, Fraction(alpha))


@lru_cache(maxsize=4096)
def _at_least(hits: int, trials: int, alpha: Fraction) -> Fraction:
    if not hits:
        return Fraction(0)
    low = high = Fraction(hits, trials)
    above = _excess(hits, trials, high, alpha)
    # The tail at the observed proportion is about one half.
    while (below := _excess(hits, trials, low / 2, alpha)) > 0:
        low, high, above = low / 2, low / 2, below
    low = low / 2
    for _ in range(_STEPS):
        if high - low <= low * _NEAR:
            break
        # The logarithm of the tail is nearly straight: aim at its root, then at either side of it.
        share = below / (below - above) if above > below else 0.5
        width = high - low
        aim = low + width * Fraction(min(max(share, 1e-3), 0.999))
        for point_ in (aim * (1 - _NEAR / 3), aim * (1 + _NEAR / 3)):
            # Short denominators: the bound need not be the proportion's dyadic part.
            middle = Fraction(float(point_))
            if not low < middle < high:
                continue
            found = _excess(hits, trials, middle, alpha)
            if found <= 0:
                low, below = middle, found
            else:
                high, above = middle, found
        if high - low > width / 2:
            middle = Fraction(float((low + high) / 2))
            found = _excess(hits, trials, middle, alpha)
            if found <= 0:
                low, below = middle, found
            else:
                high, above = middle, found
    return low


def _excess(hits: int, trials: int, p: Fraction, alpha: Fraction) -> float:
    """ln(tail / alpha) as a double whose sign is certain: not above 0 where the tail is at most
    alpha."""
    tail = tail_at_most(hits, trials, p)
    about = _log(max(float(tail / alpha), 1e-300))
    return min(about, 0.0) if tail <= alpha else max(about, 1e-300)


def proportion_at_most(hits: int, trials: int, alpha: Fraction) -> Fraction:
    """Upper confidence bound of a proportion, one-sided; see `proportion_at_least`."""
    _check(hits, trials, alpha)
    return 1 - _at_least(trials - hits, trials, Fraction(alpha)) if hits < trials else Fraction(1)


def tail_at_most(hits: int, trials: int, p: Fraction) -> Fraction:
    """An upper bound of P(Bin(trials, p) >= hits), close to it for p <= hits / trials."""
    if not hits or p >= 1:
        return Fraction(1)
    if not p:
        return Fraction(0)
    # term(i + 1) / term(i) = (trials - i) p / ((i + 1) (1 - p)): falls as i grows.
    top, bottom = p.numerator, p.denominator - p.numerator
    unit = 1 << _BITS
    term, total, i = unit, unit, hits
    while i < trials:
        up, down = (trials - i) * top, (i + 1) * bottom
        if up < down and term * up < (down - up) << 24:
            # What is left is at most a geometric series of this ratio.
            total += -(-term * up // (down - up))
            break
        term = -(-term * up // down)
        total += term
        i += 1
    return min(Fraction(1), _pmf(hits, trials, p)[1] * Fraction(total, unit))


def _pmf(k: int, n: int, p: Fraction) -> Bounds:
    """P(Bin(n, p) = k), 0 < p < 1."""
    hits, misses = log(point(p)), log(point(1 - p))
    low, high = _log_factorial(n)
    for part in (k, n - k):
        a, b = _log_factorial(part)
        low, high = low - b, high - a
    low += k * hits[0] + (n - k) * misses[0]
    high += k * hits[1] + (n - k) * misses[1]
    return exp_bounds(low)[0], min(Fraction(1), exp_bounds(high)[1])


@lru_cache(maxsize=4096)
def _log_factorial(n: int) -> Bounds:
    """ln n!."""
    if n <= _SMALL:
        return ln_bounds(Fraction(factorial(n))) if n > 1 else ZERO
    number = point(n)
    half = point(Fraction(1, 2))
    main = times(add(number, half), log(number))
    constant = times(half, log(times(point(2), PI)))
    low, high = add(main, constant)
    return low - n + Fraction(1, 12 * n + 1), high - n + Fraction(1, 12 * n)


def log_ratio_at_least(p: Fraction, q: Fraction) -> Fraction:
    """A lower bound of ln(p / q), p and q > 0, not below 0: the epsilon that they show."""
    return max(Fraction(0), log(over(point(p), point(q)))[0]) if p > q else Fraction(0)


def _check(hits: int, trials: int, alpha: Fraction) -> None:
    if trials < 1 or not 0 <= hits <= trials:
        raise ParameterError(
            f"{hits} hits in {trials} trials",
            place="hits",
            remedy="0 <= hits <= trials, trials > 0",
        )
    if not 0 < alpha < 1:
        raise ParameterError(f"{alpha} is no probability of error", place="alpha", remedy="1e-6")
