"""Draws in float64 with proved bounds on their errors: -ln U, cosine, sine, and scale * Z.

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

Margins: how far scale * Z can be from its real value.  The sum y = part + scale * Z is computed in
floats, part in [1/2, 3/2] the place of the statistic between two grid points.  The floor of y is
taken for granted only when y is farther from every integer than the margin.

Laplace, Z = +-E.  U is known to w / v <= 2 / 2**49.  |error| <= scale (2**-51 (E + 1) + 2**-48)
+ 2 u scale E (rounding of the scale and the product) + u (scale E + 2) (the sum) + 2 u (part).
The margin 2**-49 scale E + 2**-47 scale + 2**-49 is larger by a factor of 1.9 or more.

Gaussian, Z = R C, R = sqrt(2 E), C = cos or sin.  An error e of E moves R by at most 2 e / R, so
by 2**-51 R + 2**-50 / R + (2 w / v) / R with w = 1; the last is below 2**-48 for U <= 1/2, where
R > 1.1, and below 2**-62 / R beyond.  With the errors of C, of four roundings and of the sum:
|error| <= scale (2**-49.2 R + 2**-49.9 / R + 2**-48) + 2**-51.  The margin
scale (2**-48 R + 2**-48 / R + 2**-47) + 2**-49 is larger by a factor of 2 or more.  E is raised
to 2**-80 where it is less; the margin then exceeds scale 2**-8, and the error scale 2**-30.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import factorial, floor, frexp
from typing import Any

from metricdp.expr.normal import pi_fixed
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
    # `_series`, operation by operation.
    q = (((r * (-1.0 / 6.0) + 1.0 / 5.0) * r - 1.0 / 4.0) * r + 1.0 / 3.0) * r - 1.0 / 2.0
    return value - r * (q * r + 1.0)


def _series(r: Any) -> Any:
    """ln(1 + r) / r to degree 5, for arrays, which are worked on in place."""
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
def _coefficients() -> tuple[tuple[float, float], ...]:
    """Of cos((pi/2) x) in z = x**2, and of sin((pi/2) x) / x; highest first."""
    half = Fraction(pi_fixed(200), 1 << 201)
    terms = [float((-1) ** (i // 2) * half**i / factorial(i)) for i in range(18)]
    return tuple(zip(terms[16::-2], terms[17::-2], strict=True))


def cos_sin(x: Any) -> tuple[Any, Any]:
    """cos and sin of (pi/2) x for |x| <= 1/2, a float or an array (which is not changed)."""
    (c, s), *inner, (last, last_sine) = _coefficients()
    z = x * x
    if type(z) is float:
        return _cos_sin_scalar(x, z)
    cosine, sine = z * c, z * s
    for c, s in inner:
        cosine += c
        cosine *= z
        sine += s
        sine *= z
    cosine += last
    sine += last_sine
    sine *= x
    return cosine, sine


def _cos_sin_scalar(x: float, z: float) -> tuple[float, float]:
    """`cos_sin` of a float, operation by operation."""
    (a, b), (c, d), (e, f), (g, h), (i, j), (k, m), (n, o), (p, q), (r, s) = _coefficients()
    cosine = ((((((((z * a + c) * z + e) * z + g) * z + i) * z + k) * z + n) * z + p) * z) + r
    sine = ((((((((z * b + d) * z + f) * z + h) * z + j) * z + m) * z + o) * z + q) * z) + s
    return cosine, sine * x


#: The margins are multiplied by this; tests make it infinite, and every draw is decided exactly.
FACTOR = 1.0
#: Scales from here on (in grid steps) are decided exactly: the floor must fit 64 bits.
WIDEST = 1 << 50
LEAST_E = 2.0**-80


def laplace_margin(reach: Any, scale: float) -> Any:
    """For scale * E = `reach` (a float or an array)."""
    return (reach * 2.0**-49 + (scale * 2.0**-47 + 2.0**-49)) * FACTOR


def gaussian_margin(radius: Any, scale: float) -> Any:
    """For R = `radius` > 0 (a float or an array)."""
    relative = radius * 2.0**-48 + 2.0**-48 / radius + 2.0**-47
    return (relative * scale + 2.0**-49) * FACTOR


def proved_floor(y: float, margin: float) -> int | None:
    """floor(y) when every number within the margin of y has the same floor."""
    found = floor(y)
    return found if margin < y - found < 1.0 - margin else None
