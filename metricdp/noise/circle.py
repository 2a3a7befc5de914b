"""Enclosures of cosine and sine in fixed point, to any precision, beside that of pi.

Source of the bounds: Taylor's series in integers; each shift or division loses less than one unit
of the last place, and the losses are added up.
"""

from __future__ import annotations

from metricdp.expr.normal import pi_fixed

__all__ = ["cos_sin_fixed", "pi_fixed"]


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
