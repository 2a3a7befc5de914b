"""How far noise strays: half-widths of central intervals, for error bars and planning.

Each function returns the smallest half-width w that it can certify with P(|noise| <= w) >= 1 -
alpha; floats are rounded up.  alpha is the error probability, 0 < alpha < 1 (ParameterError).
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, erfc, exp, inf, isqrt, nextafter, sqrt

from metricdp.errors import ParameterError
from metricdp.noise.canonical import tulap
from metricdp.noise.discrete_scalar import log_factor
from metricdp.noise.enclose import Bounds, ln_below
from metricdp.noise.parameters import Number, nonnegative, rational

#: Up to this sigma the tail of the discrete Gaussian is summed; beyond, the gain is below 1 / 500.
_SUMMED = 500
#: Relative slack over the rounding of `math.erfc`, `math.exp` and a sum of some thousand terms.
_SLACK = 1e-11
#: Of the place of canonical noise, far finer than a double.
_BITS = 256


def laplace_interval(scale: Number, alpha: Number) -> float:
    """Half-width for Laplace noise of this scale: scale * ln(1 / alpha), rounded up."""
    exact, error = nonnegative(scale, "scale"), _alpha(alpha)
    if not exact:
        return 0.0
    return double_up(exact * -ln_below(error))


def discrete_laplace_interval(scale: Number, alpha: Number) -> int:
    """Half-width for discrete Laplace noise: least k with 2 * a**(k+1) / (1 + a) <= alpha."""
    exact, error = nonnegative(scale, "scale"), _alpha(alpha)
    if not exact:
        return 0
    factor = Fraction(log_factor(exact, True, 60)[1])
    return max(0, ceil(exact * (factor - ln_below(error, 192))) - 1)


def gaussian_interval(sigma: Number, alpha: Number) -> float:
    """Half-width for Gaussian noise of this standard deviation, rounded up."""
    exact, error = nonnegative(sigma, "sigma"), _alpha(alpha)
    if not exact:
        return 0.0
    return double_up(exact * Fraction(_normal_quantile(float(error))))


def discrete_gaussian_interval(sigma2: Number, alpha: Number) -> int:
    """Half-width for discrete Gaussian noise of this variance parameter.

    Large sigma uses P(X >= m) <= P(N(0, sigma2) >= m - 1) (Canonne, Kamath and Steinke 2020).
    """
    exact, error = nonnegative(sigma2, "sigma2"), _alpha(alpha)
    if not exact:
        return 0
    bits = max(0, 128 - exact.numerator.bit_length() + exact.denominator.bit_length()) // 2
    root = (exact.numerator << (2 * bits)) // exact.denominator
    sigma = Fraction(_isqrt_up(root + 1), 1 << bits)
    bound = ceil(sigma * Fraction(_normal_quantile(float(error))))
    return _summed(exact, error, bound) if sigma <= _SUMMED else bound


def canonical_interval(sensitivity: Number, epsilon: Number, delta: Number, alpha: Number) -> float:
    """Half-width for canonical noise (`noise.canonical`) of one sensitivity, rounded up.

    With delta > 0 it is never more than the c sensitivities at which the noise is cut off.

    Raises:
        ParameterError: an epsilon that is not positive or too large, a delta outside [0, 1).
    """
    return double_up(_canonical(sensitivity, epsilon, delta, alpha)[1])


def rounded_canonical_interval(
    sensitivity: Number, epsilon: Number, delta: Number, alpha: Number
) -> int:
    """Half-width for canonical noise around a whole number, rounded to whole numbers.

    The least k with P(|noise| >= k + 1/2) <= alpha; errors as for `canonical_interval`.
    """
    return max(0, ceil(_canonical(sensitivity, epsilon, delta, alpha)[1] - Fraction(1, 2)))


def _canonical(s: Number, epsilon: Number, delta: Number, alpha: Number) -> Bounds:
    """Enclosure of the y with P(|noise| >= y) = alpha."""
    width, error, law = nonnegative(s, "sensitivity"), _alpha(alpha), tulap(epsilon, delta)
    low, high = law.place(error / 2, _BITS)
    return width * low, width * high


def _summed(sigma2: Fraction, alpha: Fraction, bound: int) -> int:
    """The least k whose tail, summed from far inwards, stays below alpha."""
    half = float(1 / (2 * sigma2))
    # Beyond 40 sigma weights are below e**-800 of the total: nothing next to the slack on alpha.
    reach = ceil(40 * sqrt(float(sigma2))) + 2
    weights = [exp(-half * k * k) for k in range(reach + 1)]
    limit = float(alpha) * (weights[0] + 2 * sum(weights[1:])) * (1 - _SLACK)
    tail = 0.0
    for k in range(reach, 0, -1):
        tail += 2 * weights[k]
        if tail > limit:
            return min(k, bound)
    return 0


def _isqrt_up(n: int) -> int:
    root = isqrt(n)
    return root + (root * root < n)


def _normal_quantile(alpha: float) -> float:
    """z with P(|N(0, 1)| > z) <= alpha, at most a few parts in 10**11 too large."""
    low, high = 0.0, 39.0
    target = alpha * (1 - _SLACK)
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return high
        if erfc(middle / sqrt(2)) > target:
            low = middle
        else:
            high = middle


def _alpha(alpha: Number) -> Fraction:
    exact = rational(alpha, "alpha")
    if not Fraction(1, 10**300) <= exact < 1:
        raise ParameterError(
            "must lie between 0 and 1, at least 1e-300", place="alpha", remedy="alpha=0.05"
        )
    return exact


def double_up(x: Fraction | int) -> float:
    """The least double that is at least x >= 0; infinite beyond the largest one."""
    try:
        value = float(x)
    except OverflowError:
        return inf
    return value if Fraction(value) >= x else nextafter(value, inf)
