"""The exponential of a rational in fixed point: a few microseconds where `decimal` takes tens.

x = k ln 2 + j / 64 + s with whole k and j and 0 <= s < 1/64; exp(j / 64) stands in a table and
exp(s) is summed by Taylor's series, about one term for six bits.
"""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache

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
