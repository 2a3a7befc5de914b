"""log, log1p, log2, log10 and softplus from correctly rounded operations.

x = 2**k * (1 + f) with 1 + f between the roots of 1/2 and 2, and log(1 + f) = f - t, where
t = f**2 / 2 - s (f**2 / 2 + R(s**2)), s = f / (2 + f): only the small t is rounded before the end
(the form of K. C. Ng's logarithm in fdlibm, 1993). The coefficients of R are a Chebyshev fit on
that range, its error below 2**-51 of R's share, which is below 2**-5.
"""

from __future__ import annotations

from typing import Any

from metricdp.columns.constants import (
    BITS,
    LN2,
    LOG2_E,
    LOG10_2,
    LOG10_E,
    SMALLEST_NORMAL,
    nearest,
    parts,
    pattern,
)
from metricdp.columns.exponential import exp, exp_closely

_ROOT_HALF = pattern(0.7071067811865476)
# The heads have few bits, so that k times them is exact.
_LN2_HIGH, _LN2_LOW = parts(LN2, BITS, 32)
_LOG10_2_HIGH, _LOG10_2_LOW = parts(LOG10_2, BITS, 32)
_LOG2_E_HIGH, _LOG2_E_LOW = parts(LOG2_E, BITS, 26)
_LOG10_E_HIGH, _LOG10_E_LOW = parts(LOG10_E, BITS, 26)
_LOG2_E = nearest(LOG2_E, BITS)
_LOG10_E = nearest(LOG10_E, BITS)
_R = (
    0.666666666666667,
    0.3999999999989827,
    0.28571428626533335,
    0.22222211043822487,
    0.18182895746801428,
    0.1533150172120742,
    0.1461916477718642,
)


def _halved(ops: Any, x: Any) -> tuple[Any, Any]:
    """Exponent and remainder of a normal x: x = 2**k * z, z from the root of 1/2 to that of 2."""
    word = ops.bits(x)
    k = word - _ROOT_HALF
    k >>= 52
    z = ops.double(word - (k << 52))
    return ops.whole(k), z


def _bend(f: Any) -> Any:
    """f - log(1 + f)."""
    s = f / (f + 2.0)
    w = s * s
    total = w * _R[-1]
    for coefficient in _R[-2::-1]:
        total += coefficient
        total *= w
    half = f * 0.5
    half *= f
    total += half
    total *= s
    half -= total
    return half


def _normal(ops: Any, x: Any, main: Any) -> Any:
    """`main` of a normal x, and of a subnormal one times 2**54 with 54 to take off; else 0.0."""

    def rest(x: Any) -> Any:
        found = main(ops.where(x > 0.0, x, 1.0) * 2.0**54, 54)
        return ops.where(x > 0.0, found, 0.0)

    return ops.apart(x >= SMALLEST_NORMAL, main, rest, x)


def _bent(ops: Any, x: Any, less: int) -> tuple[Any, Any, Any]:
    """k, f and f - log(1 + f), of x = 2**(k + less) (1 + f)."""
    k, z = _halved(ops, x)
    if less:
        k -= less
    f = z - 1.0
    return k, f, _bend(f)


def log(ops: Any, x: Any) -> Any:
    """The natural logarithm; 0.0 where x <= 0."""

    def main(x: Any, less: int = 0) -> Any:
        k, f, t = _bent(ops, x, less)
        t -= k * _LN2_LOW
        t -= f
        k *= _LN2_HIGH
        k -= t
        return k

    return _normal(ops, x, main)


def _above_one(ops: Any, x: Any) -> Any:
    """log(1 + x) for -1 < x <= 2**1000."""
    u = x + 1.0
    k, z = _halved(ops, u)
    # What the sum 1 + x lost, whichever of the two is the larger.
    lost = ops.where(x < 1.0, x - (u - 1.0), 1.0 - (u - x)) / u
    exact = k == 0.0
    f = ops.where(exact, x, z - 1.0)
    t = _bend(f)
    t -= k * _LN2_LOW
    t -= ops.where(exact, 0.0, lost)
    t -= f
    k *= _LN2_HIGH
    k -= t
    return k


def log1p(ops: Any, x: Any) -> Any:
    """log(1 + x); 0.0 where x <= -1."""

    def far(x: Any) -> Any:
        return log(ops, x)

    return ops.apart((x > -1.0) & (x <= 2.0**1000), lambda x: _above_one(ops, x), far, x)


def softplus(ops: Any, x: Any) -> Any:
    """log(1 + e**x)."""

    def main(x: Any) -> Any:
        a = abs(x)
        found = _above_one(ops, exp_closely(ops, -a))
        a += x
        a *= 0.5
        found += a
        return found

    def far(x: Any) -> Any:
        return ops.where(x > 0.0, x, exp(ops, ops.where(x > 0.0, 0.0, x)))

    return ops.apart(ops.up_to(x, 700.0), main, far, x)


def _in_base(
    ops: Any, x: Any, unit: tuple[float, float, float], of_two: tuple[float, float]
) -> Any:
    """log(x) * unit, in two parts until the end."""
    whole, high, low = unit

    def main(x: Any, less: int = 0) -> Any:
        k, f, t = _bent(ops, x, less)
        h = f - t
        rest = f - h
        rest -= t
        # A head of 26 bits, so that its product with another is exact.
        head = ops.double(ops.bits(h) & -(1 << 27))
        h -= head
        rest += h
        rest *= whole
        rest += head * low
        head = head * high
        rest += k * of_two[1]
        k *= of_two[0]
        total = k + head
        k -= total
        k += head
        rest += k
        total += rest
        return total

    return _normal(ops, x, main)


def log2(ops: Any, x: Any) -> Any:
    """The logarithm in base 2; 0.0 where x <= 0."""
    return _in_base(ops, x, (_LOG2_E, _LOG2_E_HIGH, _LOG2_E_LOW), (1.0, 0.0))


def log10(ops: Any, x: Any) -> Any:
    """The logarithm in base 10; 0.0 where x <= 0."""
    return _in_base(ops, x, (_LOG10_E, _LOG10_E_HIGH, _LOG10_E_LOW), (_LOG10_2_HIGH, _LOG10_2_LOW))
