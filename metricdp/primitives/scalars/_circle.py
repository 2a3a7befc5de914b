"""Sine and cosine as rationals, whatever the size of the argument."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

_BITS = 140


def sine(x: Any) -> Fraction:
    """A rational within 2**-98 of sin(x), in [-1, 1]."""
    return _series(Fraction(x), 1)


def cosine(x: Any) -> Fraction:
    """A rational within 2**-98 of cos(x), in [-1, 1]."""
    return _series(Fraction(x), 0)


def _series(x: Fraction, first: int) -> Fraction:
    """x^first/first! - x^(first+2)/(first+2)! + ... in fixed point, after removing whole turns."""
    size = max(0, x.numerator.bit_length() - x.denominator.bit_length()) + 2
    turn = 2 * _pi(_BITS + 2 * size)
    # The turns are at most 2**size, so their error stays below 2**-_BITS.
    rest = x - turn * round(x / turn)
    fixed = round(rest * 2**_BITS)
    term = fixed if first else 1 << _BITS
    total, k = term, first
    while term:
        k += 2
        # Toward zero: a shift would leave a negative term at -1 for ever.
        square = (fixed * fixed) >> _BITS
        term = -_toward_zero(term * square, (k * (k - 1)) << _BITS)
        total += term
    value = Fraction(total, 1 << _BITS)
    return max(Fraction(-1), min(Fraction(1), value))


def _toward_zero(n: int, m: int) -> int:
    return n // m if n >= 0 else -(-n // m)


@lru_cache(maxsize=64)
def _pi(bits: int) -> Fraction:
    """pi within 2**-bits: 16 arctan(1/5) - 4 arctan(1/239) (Machin)."""
    one = 1 << (bits + 16)
    return Fraction(16 * _arctan(5, one) - 4 * _arctan(239, one), one)


def _arctan(n: int, one: int) -> int:
    term = one // n
    total, k = term, 1
    while term:
        term = _toward_zero(-term, n * n)
        k += 2
        total += _toward_zero(term, k)
    return total
