"""Powers and cube roots from correctly rounded operations.

x**y = e**(y log|x|), the logarithm in two parts with an error of about 2**-64 of it. With r the
distance of 1 from z * (1 / c), where 1 / c has 12 bits and z is cut into heads and rest, r is
exact in two parts (as in the power of ARM's optimized routines, 2018, where nothing is fused).
The tables are made of exact integers.
"""

from __future__ import annotations

from typing import Any

from metricdp.columns.constants import (
    BITS,
    LN2,
    SMALLEST_NORMAL,
    Lookup,
    atanh_of_reciprocal,
    nearest,
    pattern,
)
from metricdp.columns.exponential import exp_closely
from metricdp.columns.floats import double
from metricdp.columns.pieces import signed

#: Cells of the table: 1024 to a binade, from this pattern on, so that 1.0 is the middle of one.
_FIRST = pattern(0.703125) - (1 << 41)
_BITS = 160
_GRID = 42
_LN2_HIGH = nearest(LN2 >> BITS - _GRID, _GRID)
_LN2_LOW = nearest(LN2 - (LN2 >> BITS - _GRID << BITS - _GRID), BITS)
#: log(1 + r) - r = r**2 (-1/2 + r/3 - ...) with an error of r**8 / 9 for |r| < 2**-10.
_SERIES = (-1 / 2, 1 / 3, -1 / 4, 1 / 5, -1 / 6, 1 / 7)


def _cells() -> tuple[Lookup, Lookup, Lookup]:
    """For each cell 1 / c with 11 places after the point, and log c in two parts."""
    logs = {2048: 11 * (LN2 >> BITS - _BITS)}
    for n in range(2048, 2920):
        logs[n + 1] = logs[n] + 2 * atanh_of_reciprocal(2 * n + 1, _BITS)
    for n in range(2048, 1440, -1):
        logs[n - 1] = logs[n] - 2 * atanh_of_reciprocal(2 * n - 1, _BITS)
    inverses, highs, lows = [], [], []
    for j in range(1024):
        middle = double(_FIRST + (1 << 41) + (j << 42))
        n = round(2048 / middle)
        log = logs[2048] - logs[n]
        high = log >> _BITS - _GRID
        inverses.append(n / 2048)
        highs.append(high / 2**_GRID)
        lows.append(nearest(log - (high << _BITS - _GRID), _BITS))
    return Lookup(inverses), Lookup(highs), Lookup(lows)


_INVERSES, _HIGHS, _LOWS = _cells()


def _logarithm(ops: Any, x: Any, less: Any) -> tuple[Any, Any]:
    """log(x * 2**-less) of a normal x in two parts."""
    word = ops.bits(x)
    cell = word - _FIRST
    k = cell >> 52
    z_word = word - (k << 52)
    z = ops.double(z_word)
    cell >>= 42
    cell &= 1023
    inverse = ops.look(_INVERSES, cell)
    head = ops.double(z_word & -(1 << 21))
    low = z - head
    low *= inverse
    r = head * inverse
    r -= 1.0
    # Just below 1 the two cancel: added first, with what the sum lost.
    both = r + low
    r -= both
    low += r
    q = both * _SERIES[-1]
    for coefficient in _SERIES[-2::-1]:
        q += coefficient
        q *= both
    q *= both
    k = ops.whole(k)
    k -= less
    high = k * _LN2_HIGH
    high += ops.look(_HIGHS, cell)
    k *= _LN2_LOW
    q += k
    q += ops.look(_LOWS, cell)
    q += low
    total = high + both
    high -= total
    high += both
    q += high
    found = total + q
    total -= found
    total += q
    return found, total


def power(ops: Any, x: Any, y: Any) -> Any:
    """x**y; 0.0 where it has no value: 0**y for y < 0, x**y for x < 0 and a fractional y."""

    def positive(x: Any, y: Any, less: Any = 0.0) -> Any:
        high, low = _logarithm(ops, x, less)
        # Heads of 26 bits: their product is exact.
        y_head = ops.double(ops.bits(y) & -(1 << 27))
        head = ops.double(ops.bits(high) & -(1 << 27))
        rest = y_head * (high - head)
        rest += (y - y_head) * high
        rest += y * low
        head = y_head * head
        total = head + rest
        head -= total
        head += rest
        return exp_closely(ops, total, head)

    def anywhere(x: Any, y: Any) -> Any:
        size = abs(x)
        subnormal = size < SMALLEST_NORMAL
        # Beyond this exponent every power but those of 1 and -1 is 0 or the largest double.
        capped = ops.where(abs(y) <= 2.0**100, y, ops.where(y > 0.0, 2.0**100, -(2.0**100)))
        base = ops.where(subnormal, ops.where(size > 0.0, size, 1.0) * 2.0**54, size)
        found = positive(base, capped, ops.where(subnormal, 54.0, 0.0))
        whole = ops.floor(y) == y
        half = y * 0.5
        odd = whole & (ops.floor(half) != half)
        found = ops.where(x < 0.0, ops.where(whole, ops.where(odd, -found, found), 0.0), found)
        return ops.where(size > 0.0, found, ops.where(y == 0.0, 1.0, 0.0))

    ordinary = (x >= SMALLEST_NORMAL) & (abs(y) <= 2.0**100)
    return ops.apart(ordinary, positive, anywhere, x, y)


#: A third of the exponent's bias, in the place of the exponent, and 2**32 / 3.
_THIRD_OF_BIAS = 0x2A9F_7893 << 32


def cbrt(ops: Any, x: Any) -> Any:
    """The cube root."""

    def middle(x: Any) -> Any:
        a = abs(x)
        # The pattern divided by 3 is the root to five bits; Halley's rule triples them.
        word = ops.bits(a) >> 32
        word *= 1431655766
        word >>= 32
        word <<= 32
        word += _THIRD_OF_BIAS
        t = ops.double(word)
        for _ in range(2):
            u = t * t
            u *= t
            w = u + a
            w += a
            u += u
            u += a
            w /= u
            t *= w
        # A head of 25 bits: its square is exact, and one step of Newton is rounded only in the end.
        t = ops.double(ops.bits(t) & -(1 << 28))
        r = a / (t * t)
        w = t + t
        w += r
        r -= t
        r /= w
        r *= t
        t += r
        return signed(ops, t, x)

    def far(x: Any) -> Any:
        up = abs(x) > 1.0
        scaled = x * ops.where(up, 2.0**-300, 2.0**300)
        found = middle(ops.where(x == 0.0, 1.0, scaled)) * ops.where(up, 2.0**100, 2.0**-100)
        return ops.where(x == 0.0, 0.0, found)

    a = abs(x)
    return ops.apart((a >= 2.0**-900) & (a <= 2.0**900), middle, far, x)
