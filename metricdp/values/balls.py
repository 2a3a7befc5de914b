"""Discrete doubles moved into an L2 ball, in integers.

`clip_discrete` scales a vector in integer arithmetic, rounding towards 0 at every step, so the
result never leaves the ball.  It is no map of real numbers: it is for rows of tables and results of
black boxes, where any function of a row will do.
  q_i = trunc(x_i 2^(24 - e)), 2^(e - 1) <= max |x_i| < 2^e: at most 24 bits of the largest entry;
  inside the ball: trunc(q_i 2^(e - 24 - k)) ticks of 2^k, where 2^k is 40 bits below the radius c;
  outside:         trunc(q_i F / 2^22) with F = floor((c / 2^k) 2^22 / ceil(sqrt(sum q_j^2))),
so that the L2 norm is at most F sqrt(sum q^2) / 2^22 ticks <= c.  `clip_row` says the same entry by
entry on rationals, and a law compares the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import frexp, isqrt
from typing import Any

from metricdp.errors import ParameterError
from metricdp.values.numbers import Numbers, power

#: Bits of an entry relative to the largest one, and of the scaling factor.
ENTRY_BITS, FACTOR_BITS = 24, 22
#: Grid steps per radius, as a power of two.
FINENESS = 40
#: The most entries whose squares of `ENTRY_BITS` bits add up in 64 bits.
_MOST_SQUARES = 1 << 14


def clip_discrete(x: Numbers, radius: Fraction) -> Numbers | None:
    """Doubles in the L2 ball, as ticks; None for vectors that are no doubles, or too long.

    Raises:
        ParameterError: radius <= 0.
    """
    import numpy as np

    doubles = x.doubles
    if doubles is None or len(x) > _MOST_SQUARES:
        return None
    c, k = _grid(radius)
    largest = float(np.max(np.abs(doubles), initial=0.0))
    if not largest:
        return Numbers(np.zeros(len(x), np.int64), power(k), most=c, discrete=True)
    e = frexp(largest)[1]
    q = np.trunc(np.ldexp(doubles, ENTRY_BITS - e)).astype(np.int64)
    square = int((q * q).sum())
    if _inside(square, e, radius):
        shift = e - ENTRY_BITS - k
        size = np.abs(q) << shift if shift >= 0 else np.abs(q) >> min(-shift, 63)
    else:
        size = (np.abs(q) * _factor(c, square)) >> FACTOR_BITS
    return Numbers(np.where(q < 0, -size, size), power(k), most=c, discrete=True)


def clip_row(x: Sequence[Any], radius: Fraction) -> list[Fraction]:
    """`clip_discrete` entry by entry, on rationals.

    Args:
        x: doubles.
    """
    values = [Fraction(v) for v in x]
    c, k = _grid(radius)
    largest = max((abs(v) for v in values), default=Fraction(0))
    if not largest:
        return [Fraction(0)] * len(values)
    e = frexp(float(largest))[1]
    q = [_trunc(v * Fraction(2) ** (ENTRY_BITS - e)) for v in values]
    square = sum(v * v for v in q)
    if _inside(square, e, radius):
        ticks = [_trunc(v * Fraction(2) ** (e - ENTRY_BITS - k)) for v in q]
    else:
        factor = _factor(c, square)
        ticks = [_trunc(Fraction(v * factor, 1 << FACTOR_BITS)) for v in q]
    return [t * Fraction(2) ** k for t in ticks]


def _grid(radius: Fraction) -> tuple[int, int]:
    """(whole ticks in the radius, exponent of the grid): 2**FINENESS ticks or a little more."""
    if radius <= 0:
        raise ParameterError("the radius is not positive", place="clip", remedy="radius=1.0")
    k = radius.numerator.bit_length() - radius.denominator.bit_length() - FINENESS
    return int(radius / Fraction(2) ** k), k


def _inside(square: int, e: int, radius: Fraction) -> bool:
    return Fraction(square) * Fraction(4) ** (e - ENTRY_BITS) <= radius * radius


def _factor(c: int, square: int) -> int:
    return (c << FACTOR_BITS) // (isqrt(square - 1) + 1)


def _trunc(x: Fraction) -> int:
    return abs(x.numerator) // x.denominator * (1 if x >= 0 else -1)
