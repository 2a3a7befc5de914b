"""One draw of continuous noise, decided exactly: floor(c + s Z) for Laplace or normal Z.

Z is a function of lazily drawn uniforms (see `lazy`): Laplace Z = +-(-ln U); a pair of normal Z by
Box and Muller (1958), R cos(phi) and R sin(phi) with R = sqrt(-2 ln U) and phi uniform.  The floor
is asked of the whole interval in which c + s Z is known to lie; while its ends disagree, more bits
are drawn.  So the result has the law of the floor of the real number: nothing was rounded.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from metricdp.noise.circle import cos_sin_fixed, pi_fixed
from metricdp.noise.enclose import DecimalBounds, contexts, digits_for
from metricdp.noise.lazy import STEP, LazyUniform

#: Bits of enclosures beyond those of the uniforms.
_GUARD = 16
Interval = tuple[int, int]


def laplace_floor(centre: Fraction, scale: Fraction, minus: bool, uniform: LazyUniform) -> int:
    """floor(centre + scale E), or - scale E if `minus`, with E = -ln U."""
    while True:
        if uniform.value:
            bits = uniform.bits + _GUARD
            low, high = minus_log(uniform, bits)
            ends = (-high, -low) if minus else (low, high)
            found = _same_floor(centre, scale, ends, bits)
            if found is not None:
                return found
        uniform.extend(_more(uniform, scale))


def gaussian_floor(
    centre: Fraction, sigma: Fraction, sine: bool, radius: LazyUniform, angle: LazyUniform
) -> int:
    """floor(centre + sigma Z), Z the first (cosine) or second (sine) normal of a pair."""
    while True:
        if radius.value and angle.bits > 2:
            bits = max(radius.bits, angle.bits) + _GUARD
            product = _times(_radius(radius, bits), _coordinate(angle, sine, bits))
            found = _same_floor(centre, sigma, product, 2 * bits)
            if found is not None:
                return found
        radius.extend(_more(radius, sigma))
        angle.extend(_more(angle, sigma))


def minus_log(uniform: LazyUniform, bits: int) -> Interval:
    """Integers low <= -ln U * 2**bits <= high; the value of U is at least 1."""
    digits = digits_for(bits + uniform.bits.bit_length() + 4)
    down, up = contexts(digits)
    value, unit = Decimal(uniform.value), Decimal(1 << bits)
    log = down.ln(value)
    below = down.next_minus(log) if log else log
    # ln(value + 1) <= ln(value) + 1 / value spares a second logarithm.
    above = up.add(up.next_plus(log) if log else log, up.divide(1, value))
    ln2_low, ln2_high = _ln2(digits)
    low = down.fma(uniform.bits, ln2_low, above.copy_negate())
    high = up.fma(uniform.bits, ln2_high, below.copy_negate())
    ceiling = up.multiply(high, unit).to_integral_value(ROUND_CEILING)
    return max(0, int(down.multiply(low, unit))) if low > 0 else 0, int(ceiling)


@lru_cache(maxsize=64)
def _ln2(digits: int) -> DecimalBounds:
    down, up = contexts(digits)
    ln2 = down.ln(Decimal(2))
    return down.next_minus(ln2), up.next_plus(ln2)


def _radius(uniform: LazyUniform, bits: int) -> Interval:
    """sqrt(-2 ln U) * 2**bits."""
    low, high = minus_log(uniform, bits)
    return isqrt(low << (bits + 1)), isqrt(high << (bits + 1)) + 1


def _coordinate(angle: LazyUniform, sine: bool, bits: int) -> Interval:
    """cos(phi) * 2**bits, or sin(phi): phi = (pi/2) (q + w - 1/2), q the first two bits of the
    uniform, w the uniform that the others are."""
    rest = angle.bits - 2
    quarter, part = divmod(angle.value, 1 << rest)
    twice = 2 * part - (1 << rest)
    # theta = (pi/2) twice / 2**(rest + 1); U fills an interval of length (pi/2) / 2**rest above.
    theta = pi_fixed(bits) * twice >> (rest + 2)
    cosine, sine_, error = cos_sin_fixed(theta, bits)
    error += (2 << bits >> rest) + 4
    # phi lies `quarter` right angles further.
    x = (cosine, -sine_, -cosine, sine_)[(quarter - sine) % 4]
    return x - error, x + error


def _times(radius: Interval, x: Interval) -> Interval:
    low = radius[0] * x[0] if x[0] >= 0 else radius[1] * x[0]
    high = radius[1] * x[1] if x[1] >= 0 else radius[0] * x[1]
    return low, high


def _same_floor(centre: Fraction, scale: Fraction, ends: Interval, bits: int) -> int | None:
    """floor(centre + scale * end / 2**bits) when it is the same at both ends."""
    fixed = (centre.numerator * scale.denominator) << bits
    factor = scale.numerator * centre.denominator
    bottom = (centre.denominator * scale.denominator) << bits
    low, high = ((fixed + factor * end) // bottom for end in ends)
    return low if low == high else None


def _more(uniform: LazyUniform, scale: Fraction) -> int:
    """Bits to draw: at first enough to settle most floors."""
    if uniform.bits >= 32:
        return STEP
    size = scale.numerator.bit_length() - scale.denominator.bit_length()
    return max(64, (size + 24 + 63) // 64 * 64)
