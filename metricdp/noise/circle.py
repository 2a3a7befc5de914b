"""Enclosures of pi, cosine and sine in fixed point, to any precision.

Source of the bounds: Machin's formula and Taylor's series in integers; each shift or division
loses less than one unit of the last place, and the losses are added up.
"""

from __future__ import annotations

from functools import lru_cache

#: Bits computed beyond those asked for.
_GUARD = 32


@lru_cache(maxsize=64)
def pi_fixed(bits: int) -> int:
    """An integer within 1 of pi * 2**bits: pi = 16 atan(1/5) - 4 atan(1/239) (Machin 1706)."""
    wide = bits + _GUARD
    return (16 * _arctangent(5, wide) - 4 * _arctangent(239, wide)) >> _GUARD


def _arctangent(n: int, bits: int) -> int:
    """atan(1/n) * 2**bits, off by fewer units than there are terms, below bits."""
    power, total, k = (1 << bits) // n, 0, 0
    while power:
        term = power // (2 * k + 1)
        total += -term if k % 2 else term
        power //= n * n
        k += 1
    return total


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
