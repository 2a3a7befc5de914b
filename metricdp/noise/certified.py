"""-ln U, cosine and sine in float64, with proved bounds on their errors.

Only IEEE 754 addition, subtraction, multiplication, division and square root are relied on, which
round correctly (relative error u = 2**-53): no claim about a mathematical library is needed.

-ln U.  U lies in [v, v + w] / 2**64, w <= 2, v >= 2**49.  With x = float(v), c the middle of the
cell of x (128 cells per power of two) and r = (x - c) / c, |r| <= 2**-8,
    -ln U = (64 ln 2 - ln c) - (r - r**2/2 + ... - r**6/6) + error.
x - c is exact; r is off by 2u |r|; the series leaves out less than 2**-58, and is evaluated to
2**-59; the tabled logarithm is rounded once, and so is the difference.  With E = -ln U and
w / v for the bits that are not drawn, the error is below u (2 E + 2) + w / v.
`LOG_ERROR` (E + 1) + w / v doubles the first term.

cos and sin of (pi/2) x, |x| <= 1/2, by Taylor's series in z = x**2 (17 terms in all).  Horner's
rule with coefficients c_k and |c_k z| <= 0.31 |c_(k-1)| loses at most 2.4 u (cosine), 3.5 u (sine),
the rounding of x and z and the terms left out 1.2 u more: below 2**-50.3.  `TRIG_ERROR` is 2**-50.
Tests compare all three with exact enclosures.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import factorial, frexp
from typing import Any

from metricdp.noise.circle import pi_fixed
from metricdp.noise.enclose import contexts, digits_for

LOG_ERROR = 2.0**-51
TRIG_ERROR = 2.0**-50
#: Words below this are left to the exact path.
LEAST_WORD = 1 << 49
#: Cells per power of two, as bits; a word has 64 bits.
_CELL_BITS, _WORD = 7, 64
_FIRST = LEAST_WORD.bit_length() - 1
_DIGITS = digits_for(120)


def log_scalar(word: int) -> float:
    """-ln(word / 2**64), LEAST_WORD <= word < 2**64; see the module for its error."""
    x = float(word)
    fraction, exponent = frexp(x)
    cell = ((exponent - 1 - _FIRST) << _CELL_BITS) + int(fraction * 256.0) - 128
    centre, inverse, value = _cell(cell)
    r = (x - centre) * inverse
    series: float = _series(r)
    return value - r * series


def _series(r: Any) -> Any:
    """ln(1 + r) / r to degree 5; NumPy arrays are worked on in place."""
    q = r * (-1.0 / 6.0)
    q += 1.0 / 5.0
    for coefficient in (-1.0 / 4.0, 1.0 / 3.0, -1.0 / 2.0, 1.0):
        q *= r
        q += coefficient
    return q


def log_array(words: Any) -> Any:
    """`log_scalar` of a uint64 array; entries below LEAST_WORD are meaningless, but finite."""
    import numpy

    x = words.astype(numpy.float64)
    bits = x.view(numpy.int64)
    cell = bits >> (52 - _CELL_BITS)
    cell -= (_FIRST + 1023) << _CELL_BITS
    inverses, values = _tables()
    # The middle of the cell: its leading bits, and half a cell more.
    centre = (bits & -(1 << (52 - _CELL_BITS)) | (1 << (51 - _CELL_BITS))).view(numpy.float64)
    x -= centre
    x *= inverses.take(cell, mode="clip")
    result = values.take(cell, mode="clip")
    x *= _series(x)
    result -= x
    return result


@lru_cache(maxsize=4096)
def _cell(index: int) -> tuple[float, float, float]:
    """Middle c of a cell, 1 / c, and 64 ln 2 - ln c, each rounded once."""
    power, part = divmod(index, 1 << _CELL_BITS)
    # c = odd * 2**shift
    odd, shift = 2 * (part + (1 << _CELL_BITS)) + 1, power + _FIRST - _CELL_BITS - 1
    down, _ = contexts(_DIGITS)
    log = down.fma(_WORD - shift, _ln(2), _ln(odd).copy_negate())
    return float(odd << shift), float(Fraction(1, odd << shift)), float(log)


@lru_cache(maxsize=512)
def _ln(n: int) -> Decimal:
    return contexts(_DIGITS)[0].ln(Decimal(n))


@lru_cache(maxsize=1)
def _tables() -> tuple[Any, Any]:
    """1 / c and 64 ln 2 - ln c of all cells; the last begins at 2**64, to which floats round."""
    import numpy

    cells = [_cell(i) for i in range(((_WORD - _FIRST) << _CELL_BITS) + 1)]
    return numpy.array([c[1] for c in cells]), numpy.array([c[2] for c in cells])


@lru_cache(maxsize=1)
def _coefficients() -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Of cos((pi/2) x) in z = x**2, and of sin((pi/2) x) / x; highest first."""
    half = Fraction(pi_fixed(200), 1 << 201)
    terms = [float((-1) ** (i // 2) * half**i / factorial(i)) for i in range(18)]
    return tuple(terms[16::-2]), tuple(terms[17::-2])


def cos_sin(x: Any) -> tuple[Any, Any]:
    """cos and sin of (pi/2) x for |x| <= 1/2, a float or an array (which is not changed)."""
    cosines, sines = _coefficients()
    z = x * x
    cosine, sine = z * cosines[0], z * sines[0]
    for c, s in zip(cosines[1:-1], sines[1:-1], strict=True):
        cosine += c
        cosine *= z
        sine += s
        sine *= z
    cosine += cosines[-1]
    sine += sines[-1]
    sine *= x
    return cosine, sine


def nearest(x: Fraction) -> float:
    """The double nearest to a rational >= 0; infinite beyond the largest."""
    try:
        return float(x)
    except OverflowError:
        return float("inf")


__all__ = [
    "LEAST_WORD",
    "LOG_ERROR",
    "TRIG_ERROR",
    "cos_sin",
    "log_array",
    "log_scalar",
    "nearest",
]
