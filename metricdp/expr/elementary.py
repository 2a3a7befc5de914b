"""Roots, exp, log and tanh of rational enclosures, rounded outward; erfc: `normal`.

Roots come from integer square roots; exp from fixed point, a few microseconds where `decimal` takes
tens: x = k ln 2 + j / 64 + s with whole k and j and 0 <= s < 1/64, exp(j / 64) stands in a table
and exp(s) is summed by Taylor's series, about one term for six bits.  Long exp and log come from
`decimal`, whose results are correctly rounded, so one unit in the last place on either side holds
the true value.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import inf, isqrt

from metricdp.errors import ExpressionError
from metricdp.expr.core import Interval, Value

#: Longer results are left to `decimal`, which multiplies faster.
MOST_BITS = 192
_GUARD = 48
#: exp(j / 2**6) stands in the table.
_CUT = 6


def exponential(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """exp(x) for |x| <= 2**12, below and above; relative width below 2**-bits.

    In units of 2**-places: x is off by less than 1 and ln 2 by less than 1, so what is left of x by
    less than |k| + 1, which counts at most 2.1 times as much in exp(...) < 2.  A term of the series
    is off by less than 2 below the truth, as it is divided twice and the error before it shrinks
    sixty-fold; so is the rest of the series once a term is 0.
    """
    places = bits + _GUARD
    log2, table = _constants(places)
    fixed = (x.numerator << places) // x.denominator
    k, rest = divmod(fixed, log2)
    j = rest >> (places - _CUT)
    s = rest - (j << (places - _CUT))
    total = term = 1 << places
    n = 0
    while term:
        n += 1
        term = (term * s >> places) // n
        total += term
    low = total * table[j] >> places
    high = ((total + 3 * n) * (table[j] + 2) >> places) + 1
    off = 6 * (abs(k) + 1)
    low, high = low - off, high + off
    if k <= places:
        unit = 1 << (places - k)
        return Fraction(low, unit), Fraction(high, unit)
    return Fraction(low << (k - places)), Fraction(high << (k - places))


@lru_cache(maxsize=64)
def _constants(places: int) -> tuple[int, tuple[int, ...]]:
    """ln 2 and exp(j / 64) for j / 64 <= ln 2, in units of 2**-places, below by less than 2."""
    # `decimal` rounds ln and exp correctly, and these digits are far below one unit.
    digits = Context(prec=places // 3 + 10, rounding=ROUND_FLOOR)

    def floored(value: Decimal) -> int:
        top, bottom = value.as_integer_ratio()
        return (top << places) // bottom

    whole = range(int(2**_CUT * 0.6932) + 1)
    table = tuple(floored(digits.exp(Decimal(j) / 2**_CUT)) for j in whole)
    return floored(digits.ln(Decimal(2))), table


#: exp of anything larger is enclosed by [exp(limit), oo], its inverse by [0, exp(-limit)].
_LARGEST_EXPONENT = 3000
_EMAX = 999_999_999
# Roots of longer rationals are not tried for exactness.
_LONGEST_EXACT = 20_000


def floor(value: Value) -> Value:
    """Floor that keeps infinities."""
    return value if isinstance(value, float) else Fraction(value.__floor__())


def ceil(value: Value) -> Value:
    """Ceiling that keeps infinities."""
    return value if isinstance(value, float) else Fraction(value.__ceil__())


def shortened(value: Interval, bits: int) -> Interval:
    """The same enclosure, with long rationals rounded outward to about `bits` bits."""
    return _short(value[0], bits, up=False), _short(value[1], bits, up=True)


def _short(value: Value, bits: int, up: bool) -> Value:
    if isinstance(value, float):
        return value
    size = value.numerator.bit_length() + value.denominator.bit_length()
    if size <= 40 * bits:
        return value
    shift = bits + 8 - (value.numerator.bit_length() - value.denominator.bit_length())
    scaled = value * Fraction(2) ** shift
    return Fraction(scaled.__ceil__() if up else scaled.__floor__()) / Fraction(2) ** shift


def root(value: Interval, k: int, bits: int) -> Interval:
    """k-th root of a nonnegative enclosure; exact for exact powers."""
    return _root(value[0], k, bits, up=False), _root(value[1], k, bits, up=True)


def _root(value: Value, k: int, bits: int, up: bool) -> Value:
    if isinstance(value, float) or value == 0:
        return value
    if max(value.numerator.bit_length(), value.denominator.bit_length()) <= _LONGEST_EXACT:
        above, below = integer_root(value.numerator, k), integer_root(value.denominator, k)
        if above**k == value.numerator and below**k == value.denominator:
            return Fraction(above, below)
    size = (value.numerator.bit_length() - value.denominator.bit_length()) // k
    shift = bits + 8 - size
    scaled = value * Fraction(2) ** (shift * k)
    found = integer_root(scaled.__floor__(), k)
    return Fraction(found + 1 if up else found) / Fraction(2) ** shift


def integer_root(value: int, k: int) -> int:
    """Largest integer whose k-th power is at most value."""
    if k == 1 or value < 2:
        return value
    if k == 2:
        return isqrt(value)
    guess = 1 << -(-value.bit_length() // k)
    while True:
        better = ((k - 1) * guess + value // guess ** (k - 1)) // k
        if better >= guess:
            return guess
        guess = better


def large_power(value: Fraction, exponent: int, bits: int) -> tuple[Fraction, Value]:
    """value**exponent for a positive rational, by squaring with outward rounding."""
    precision = bits + 2 * exponent.bit_length()
    if abs(_magnitude(value)) * exponent > 4_000_000:
        if value > 1:
            return Fraction(2) ** 4_000_000, inf
        return Fraction(0), Fraction(1, 2**4_000_000)
    low = high = Fraction(1)
    power_low = power_high = value
    while exponent:
        if exponent & 1:
            low = outward(low * power_low, precision, up=False)
            high = outward(high * power_high, precision, up=True)
        exponent >>= 1
        if exponent:
            power_low = outward(power_low * power_low, precision, up=False)
            power_high = outward(power_high * power_high, precision, up=True)
    return low, high


def _magnitude(value: Fraction) -> float:
    """log2 of a positive rational, within 1 below the truth in absolute value when large."""
    size = value.numerator.bit_length() - value.denominator.bit_length()
    return max(0, abs(size) - 1)


def outward(value: Fraction, bits: int, up: bool) -> Fraction:
    """The nearest rational of about `bits` binary digits at or above, or at or below."""
    shift = bits + 8 - (value.numerator.bit_length() - value.denominator.bit_length())
    scaled = value * Fraction(2) ** shift
    return Fraction(scaled.__ceil__() if up else scaled.__floor__()) / Fraction(2) ** shift


@lru_cache(maxsize=256)
def _context(digits: int, up: bool) -> Context:
    return Context(
        prec=digits,
        rounding=ROUND_CEILING if up else ROUND_FLOOR,
        Emin=-_EMAX,
        Emax=_EMAX,
        traps=[],
    )


def _decimal(value: Fraction, digits: int, up: bool) -> Decimal:
    return _context(digits, up).divide(Decimal(value.numerator), Decimal(value.denominator))


def exp(value: Interval, bits: int) -> Interval:
    """Exponential of an enclosure."""
    low, high = value
    if low is high or low == high:
        return _exp_at(low, bits)
    return _exp_at(low, bits)[0], _exp_at(high, bits)[1]


def _exp_at(value: Value, bits: int) -> Interval:
    """Exponential of one number.

    The exponent is off by at most 3000 * 10**-(digits + 7), hence the result by at most a hundredth
    of its last place, beside the half place of correct rounding: both neighbours enclose it, also
    beside a power of ten, where the places below are a tenth as wide and so is that half.
    """
    if isinstance(value, float):
        return (value, value) if value > 0 else (Fraction(0), Fraction(0))
    if not value:
        return Fraction(1), Fraction(1)
    top, bottom = value.numerator, value.denominator
    if top > _LARGEST_EXPONENT * bottom:
        return _exp_at(Fraction(_LARGEST_EXPONENT), bits)[0], inf
    if top < -_LARGEST_EXPONENT * bottom:
        return Fraction(0), _exp_at(Fraction(-_LARGEST_EXPONENT), bits)[1]
    if bits <= MOST_BITS:
        return exponential(value, bits)
    digits = int(bits * 0.302) + 10
    down, up = _context(digits, up=False), _context(digits, up=True)
    found = down.exp(_context(digits + 8, up=False).divide(Decimal(top), Decimal(bottom)))
    return Fraction(down.next_minus(found)), Fraction(up.next_plus(found))


def log(value: Interval, bits: int) -> Interval:
    """Logarithm of an enclosure of a positive number."""
    if value[1] <= 0:
        raise ExpressionError("log of a number that is not positive has no value")
    return _log(max(value[0], Fraction(0)), bits, up=False), _log(value[1], bits, up=True)


def _log(value: Value, bits: int, up: bool) -> Value:
    if isinstance(value, float):
        return value
    if value == 0:
        return -inf
    if value == 1:
        return Fraction(0)
    # Near 1 the logarithm is about value - 1, so that many more digits are needed.
    gap = abs(value - 1)
    lost = max(0, gap.denominator.bit_length() - gap.numerator.bit_length())
    if lost > bits + 8:
        return _log_near_one(value - 1, up)
    digits = int((bits + lost) * 0.302) + 12
    context = _context(digits, up)
    result = context.ln(_decimal(value, digits, up))
    result = context.next_plus(result) if up else context.next_minus(result)
    return Fraction(result)


def _log_near_one(gap: Fraction, up: bool) -> Fraction:
    """log(1 + gap) lies in [gap - gap**2, gap] for abs(gap) <= 1/2."""
    return gap if up else gap - gap * gap


def tanh(value: Interval, bits: int) -> Interval:
    """Hyperbolic tangent of an enclosure: (exp(2*x) - 1) / (exp(2*x) + 1)."""
    low, high = value
    if low is high or low == high:
        return _tanh(low, bits)
    return _tanh(low, bits)[0], _tanh(high, bits)[1]


def _tanh(value: Value, bits: int) -> tuple[Fraction, Fraction]:
    if isinstance(value, float):
        return Fraction(int(value > 0) * 2 - 1), Fraction(int(value > 0) * 2 - 1)
    if not value:
        return Fraction(0), Fraction(0)
    lost = max(0, value.denominator.bit_length() - value.numerator.bit_length())
    if lost > bits + 8:  # x - x**3/3 and x enclose tanh(x)
        cubic = value - value**3 / 3
        return min(value, cubic), max(value, cubic)
    low, high = _exp_at(2 * value, bits + lost + 8)
    top = Fraction(1) if isinstance(high, float) else _quotient(high)
    assert isinstance(low, Fraction)
    return _quotient(low), top


def _quotient(growth: Fraction) -> Fraction:
    """(growth - 1) / (growth + 1)."""
    top, bottom = growth.numerator, growth.denominator
    return Fraction(top - bottom, top + bottom)
