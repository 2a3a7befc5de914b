"""One draw of real noise, rounded to the public grid: floor(c + s Z) for Laplace or normal Z.

Floats with proved errors decide most draws (`certified`), integers the rest, on the same uniforms.
Z is a function of lazily drawn uniforms (see `lazy`): Laplace Z = +-(-ln U); a pair of normal Z by
Box and Muller (1958), R cos(phi) and R sin(phi) with R = sqrt(-2 ln U) and phi uniform.  The floor
is asked of the whole interval in which c + s Z is known to lie; while its ends disagree, more bits
are drawn.  So the result has the law of the floor of the real number: nothing was rounded.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from functools import lru_cache
from math import isfinite, isqrt, sqrt
from sys import float_info
from typing import TYPE_CHECKING

from metricdp.expr.normal import pi_fixed
from metricdp.noise import certified
from metricdp.noise.enclose import DecimalBounds, contexts, cos_sin_fixed, digits_for
from metricdp.noise.lazy import STEP, LazyUniform
from metricdp.noise.parameters import Number

if TYPE_CHECKING:
    from metricdp.noise.source import BitSource


#: The scale spans 2**30 to 2**31 steps: finer than any use, and coarse enough for float64.
FINE = 30
_HALF = Fraction(1, 2)


def step_exponent(scale: Fraction) -> int:
    """Exponent j of the public step 2**j for noise of a scale > 0: scale / 2**31 < 2**j <=
    scale / 2**30."""
    e = scale.numerator.bit_length() - scale.denominator.bit_length()
    below = (
        scale.numerator < scale.denominator << e
        if e >= 0
        else scale.numerator << -e < scale.denominator
    )
    return e - below - FINE


def statistic(x: Number) -> Fraction:
    """The rational that a private number stands for: total on floats."""
    if isinstance(x, float) and not isfinite(x):
        return Fraction(0) if x != x else Fraction(float_info.max) * (1 if x > 0 else -1)
    return Fraction(x)


def to_double(x: int | Fraction, exponent: int) -> float:
    """x * 2**exponent as the nearest double, the largest one beyond it."""
    top = x.numerator << max(exponent, 0)
    try:
        return top / (x.denominator << max(-exponent, 0))
    except OverflowError:
        return float_info.max if top > 0 else -float_info.max


def one_laplace(rest: int, bottom: int, scale: Fraction, source: BitSource) -> int:
    """floor(rest / bottom + 1/2 + scale L), 0 <= rest < bottom, L standard Laplace."""
    word = source.randbits(64)
    if word >= certified.LEAST_WORD and scale < certified.WIDEST:
        width = float(scale)
        # The last bit of the word is the sign: E is read off the others.
        reach = width * certified.log_scalar(word & -2)
        part = rest / bottom + 0.5
        y = part - reach if word & 1 else part + reach
        found = certified.proved_floor(y, certified.laplace_margin(reach, width))
        if found is not None:
            return found
    centre = Fraction(rest, bottom) + _HALF
    return laplace_floor(centre, scale, bool(word & 1), LazyUniform(source, word >> 1, 63))


def one_gaussian(rest: int, bottom: int, sigma: Fraction, source: BitSource) -> int:
    """floor(rest / bottom + 1/2 + sigma N), 0 <= rest < bottom, N standard normal."""
    word, angle = source.randbits(64), source.randbits(64)
    if word >= certified.LEAST_WORD and sigma < certified.WIDEST:
        width = float(sigma)
        radius = sqrt(2.0 * max(certified.log_scalar(word), certified.LEAST_E))
        quarter = angle >> 62
        turn = ((angle & ((1 << 62) - 1)) - (1 << 61)) * 2.0**-62
        cosine, sine = certified.cos_sin(turn)
        z = (cosine, -sine, -cosine, sine)[quarter] * radius
        y = rest / bottom + 0.5 + width * z
        found = certified.proved_floor(y, certified.gaussian_margin(radius, width))
        if found is not None:
            return found
    centre = Fraction(rest, bottom) + _HALF
    uniforms = LazyUniform(source, word, 64), LazyUniform(source, angle, 64)
    return gaussian_floor(centre, sigma, False, *uniforms)


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
