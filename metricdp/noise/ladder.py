"""Exact inversion of a geometric ladder: the core of the discrete Laplace sampler.

For a scale s, a = exp(-1/s) and U uniform on (0, 1), K = floor(s * (ln F - ln U)) satisfies
P(K >= k) = min(1, F * a**k).  F = 1 is the geometric law.  F = 2 / (1 + a) >= 1 is the law of |X|
for discrete Laplace X, because P(|X| >= k) = 2 * a**k / (1 + a) for k >= 1 (Inusah and Kozubowski
2006); a fair sign then gives X, in one uniform and without rejection.

`invert` decides the floor with decimal enclosures, refining U until both ends agree.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from metricdp.noise.enclose import DecimalBounds, contexts, digits_for, exp_decimal, to_decimal
from metricdp.noise.lazy import STEP, LazyUniform


def start_bits(scale: Fraction) -> int:
    """Bits of U that almost always settle the floor: 24 more than the scale has."""
    size = scale.numerator.bit_length() - scale.denominator.bit_length()
    return max(64, (size + 24 + 63) // 64 * 64)


@lru_cache(maxsize=256)
def log_factor(scale: Fraction, two_sided: bool, digits: int) -> DecimalBounds:
    """Decimals around ln F: 0, or ln(2 / (1 + exp(-1/scale)))."""
    if not two_sided:
        return Decimal(0), Decimal(0)
    down, up = contexts(digits)
    low, high = exp_decimal(-1 / scale, digits + 2)
    low, high = down.add(1, low), up.add(1, high)
    two = Decimal(2)
    return (
        max(Decimal(0), down.next_minus(down.ln(down.divide(two, high)))),
        up.next_plus(up.ln(up.divide(two, low))),
    )


@lru_cache(maxsize=256)
def _constants(
    scale: Fraction, two_sided: bool, bits: int, digits: int
) -> tuple[DecimalBounds, DecimalBounds]:
    """Decimals around the scale and around ln F + bits * ln 2."""
    down, up = contexts(digits)
    low, high = log_factor(scale, two_sided, digits)
    ln2 = down.ln(Decimal(2))
    low = down.fma(bits, down.next_minus(ln2), low)
    high = up.fma(bits, up.next_plus(ln2), high)
    return to_decimal(scale, digits), (low, high)


def invert(uniform: LazyUniform, scale: Fraction, two_sided: bool) -> int:
    """floor(scale * (ln F - ln U)), exactly; draws more bits of U while the floor is open."""
    if uniform.bits < 32:
        uniform.extend(start_bits(scale) - uniform.bits)
    while True:
        if uniform.value:
            low, high = _enclose(uniform, scale, two_sided)
            if low == high:
                return low
        uniform.extend(STEP)


def _enclose(uniform: LazyUniform, scale: Fraction, two_sided: bool) -> tuple[int, int]:
    """Floors at the two ends of the interval that U lies in (value >= 1)."""
    value, bits = uniform.value, uniform.bits
    digits = digits_for(bits + 8)
    down, up = contexts(digits)
    (scale_low, scale_high), (low, high) = _constants(scale, two_sided, bits, digits)
    log = down.ln(Decimal(value))
    # ln(value + 1) <= ln(value) + 1 / value spares a second logarithm.
    ceiling = up.add(up.next_plus(log), up.divide(1, Decimal(value)))
    low = down.subtract(low, ceiling)
    high = up.subtract(high, down.next_minus(log))
    zero = Decimal(0)
    # ln F - ln U is never negative, so truncation is the floor.
    return (
        int(down.multiply(scale_low, max(zero, low))),
        int(up.multiply(scale_high, max(zero, high))),
    )
