"""Enclosures of exp, ln, cosine and sine, to any precision, with outward rounding.

Source of the bounds: `decimal` rounds exp and ln correctly (half even) at the context's precision,
so the neighbours of a result on either side enclose the true value; every other step rounds
outwards.  Cosine and sine are Taylor's series in integers: each shift or division loses less than
one unit of the last place, and the losses are added up.  No function here touches binary floating
point.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache

from metricdp.expr.reduced import of_decimal

#: Lower and upper bound of one real number.
Bounds = tuple[Fraction, Fraction]
DecimalBounds = tuple[Decimal, Decimal]

#: Beyond this exponent e**-x is below any probability that a random word can tell from 0.
_HUGE = 10**15
#: Rationals below e**-this would have needlessly long denominators.
_UNDERFLOW = 20_000


@lru_cache(maxsize=512)
def contexts(digits: int) -> tuple[Context, Context]:
    """Decimal contexts of `digits` significant digits that round down and up, without traps."""
    down = Context(digits, ROUND_FLOOR, MIN_EMIN, MAX_EMAX, traps=[])
    up = Context(digits, ROUND_CEILING, MIN_EMIN, MAX_EMAX, traps=[])
    return down, up


def digits_for(bits: int) -> int:
    """Significant decimal digits whose relative error is below 2**-bits."""
    return bits * 1234 // 4096 + 4


def to_decimal(x: Fraction, digits: int) -> DecimalBounds:
    """Decimals of `digits` digits below and above a rational."""
    down, up = contexts(digits)
    top, bottom = Decimal(x.numerator), Decimal(x.denominator)
    return down.divide(top, bottom), up.divide(top, bottom)


def exp_decimal(x: Fraction, digits: int) -> DecimalBounds:
    """Decimals around e**x; relative width a few units of the last of `digits` digits.

    Raises OverflowError for x > 10**15.
    """
    if x < -_HUGE:
        return Decimal(0), Decimal(f"1e-{_HUGE // 4}")
    if x > _HUGE:
        raise OverflowError(f"e**x for x > {_HUGE}")
    if not x:
        return Decimal(1), Decimal(1)
    # An absolute error of the exponent is a relative error of the result.
    low, high = to_decimal(x, digits + len(str(abs(x.numerator) // x.denominator)))
    down, up = contexts(digits)
    # The exponent is often a decimal itself; exp is rounded in one way, whatever the context's.
    below = down.exp(low)
    return down.next_minus(below), up.next_plus(below if low == high else up.exp(high))


def exp_bounds(x: Fraction, bits: int = 128) -> Bounds:
    """Rationals around e**x with relative width below 2**-bits; below e**-20000, (0, e**-20000)."""
    if x < -_UNDERFLOW:
        return Fraction(0), of_decimal(exp_decimal(Fraction(-_UNDERFLOW), 20)[1])
    low, high = exp_decimal(x, digits_for(bits))
    return of_decimal(low), of_decimal(high)


def ln_bounds(x: Fraction, bits: int = 128) -> Bounds:
    """Rationals around ln(x), x > 0, with absolute width below about 2**-bits * (1 + |ln x|).

    The relative width grows as x approaches 1.
    """
    if x == 1:
        return Fraction(0), Fraction(0)
    low, high = to_decimal(x, digits_for(bits))
    down, up = contexts(digits_for(bits))
    below = down.ln(low)
    above = below if low == high else up.ln(high)
    return _beside(below, down.next_minus), _beside(above, up.next_plus)


def ln_below(x: Fraction, bits: int = 128) -> Fraction:
    """The lower end of `ln_bounds`, in half of its time."""
    down, _ = contexts(digits_for(bits))
    low = down.divide(Decimal(x.numerator), Decimal(x.denominator))
    return _beside(down.ln(low), down.next_minus) if x != 1 else Fraction(0)


def ln_above(x: Fraction, bits: int = 128) -> Fraction:
    """The upper end of `ln_bounds`, in half of its time."""
    _, up = contexts(digits_for(bits))
    high = up.divide(Decimal(x.numerator), Decimal(x.denominator))
    return _beside(up.ln(high), up.next_plus) if x != 1 else Fraction(0)


def _beside(found: Decimal, neighbour: Callable[[Decimal], Decimal]) -> Fraction:
    # ln 1 = 0 is exact, and the neighbours of 0 have absurd exponents.
    return of_decimal(neighbour(found) if found else found)


def exp_fixed(x: Fraction, bits: int) -> tuple[int, int]:
    """Integers `low <= e**x * 2**bits <= high`, at most 3 apart, for x <= 0."""
    digits = digits_for(bits + 2)
    low, high = exp_decimal(x, digits)
    down, up = contexts(digits + 2)
    unit = Decimal(1 << bits)
    ceiling = up.multiply(high, unit).to_integral_value(ROUND_CEILING)
    return int(down.multiply(low, unit)), int(ceiling)


def cos_sin_fixed(t: int, bits: int) -> tuple[int, int, int]:
    """(c, s, e) with |cos x - c / 2**bits| and |sin x - s / 2**bits| <= e / 2**bits.

    Args:
        t: x * 2**bits, |x| <= 1.

    A term that is off by e units gives the next one off by at most e / 2 + 2 (the square, two
    shifts and a division by 2 or more): never above 4.  The series alternate with falling terms,
    so what is left out stays below the first term that vanished, 5 units at most.
    """
    size = abs(t)
    square = size * size >> bits
    cosine, sine, even, odd, k = 0, 0, 1 << bits, size, 0
    while even or odd:
        cosine += -even if k % 2 else even
        sine += -odd if k % 2 else odd
        even = (even * square >> bits) // ((2 * k + 1) * (2 * k + 2))
        odd = (odd * square >> bits) // ((2 * k + 2) * (2 * k + 3))
        k += 1
    return cosine, -sine if t < 0 else sine, 4 * k + 5
