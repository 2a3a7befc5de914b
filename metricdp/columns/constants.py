"""Constants and tables of the elementary functions, from exact integers.

A fixed-point integer n with b bits stands for n / 2**b. Nothing here asks the system's libm, so the
tables are the same on every machine. Sources: Machin's formula for pi; ln 2 = 2 atanh(1/3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import isqrt
from struct import pack, unpack


class Lookup:
    """A column of numbers that is looked up by position; `array` is kept for the NumPy form.

    Args:
        values: the numbers, or a function that makes them when they are first asked for.
    """

    def __init__(
        self, values: Sequence[float] | Sequence[int] | Callable[[], Sequence[float]]
    ) -> None:
        self._given = values
        self.array: object = None

    @cached_property
    def values(self) -> tuple[float, ...]:
        """The numbers."""
        return tuple(self._given() if callable(self._given) else self._given)


def atanh_of_reciprocal(n: int, bits: int) -> int:
    """atanh(1 / n) in fixed point; the error is below the number of terms, in last places."""
    total, power, k = 0, (1 << bits) // n, 1
    while power:
        total += power // k
        power //= n * n
        k += 2
    return total


def _atan_of_reciprocal(n: int, bits: int) -> int:
    total, power, k = 0, (1 << bits) // n, 1
    while power:
        total += power // k if k % 4 == 1 else -(power // k)
        power //= n * n
        k += 2
    return total


def nearest(n: int, bits: int) -> float:
    """The double nearest to a fixed-point number: a quotient of integers is rounded once."""
    return n / (1 << bits)


def parts(n: int, bits: int, *widths: int) -> tuple[float, ...]:
    """Doubles that add up to a positive number: heads of so many bits, then the rest."""
    found = []
    for width in widths:
        shift = n.bit_length() - width
        head = n >> shift << shift
        found.append(nearest(head, bits))
        n -= head
    return (*found, nearest(n, bits))


def pattern(x: float) -> int:
    """The 64 bits of a double, as a signed integer."""
    return int(unpack("<q", pack("<d", x))[0])


BITS = 1300
LN2 = 2 * atanh_of_reciprocal(3, BITS)
PI = 16 * _atan_of_reciprocal(5, BITS) - 4 * _atan_of_reciprocal(239, BITS)
ONE = 1 << BITS
LOG2_E = ONE * ONE // LN2
LN10 = 3 * LN2 + 2 * atanh_of_reciprocal(9, BITS)
LOG10_E = ONE * ONE // LN10
LOG10_2 = LN2 * ONE // LN10
TWO_OVER_PI = 2 * ONE * ONE // PI

LARGEST = float.fromhex("0x1.fffffffffffffp+1023")
SMALLEST_NORMAL = 2.0**-1022


def roots_of_two(count: int, bits: int) -> list[int]:
    """2**(j / count) in fixed point for j < count, where count is a power of two."""
    root = 2 << bits
    for _ in range(count.bit_length() - 1):
        root = isqrt(root << bits)
    found = [1 << bits]
    for _ in range(count - 1):
        found.append(found[-1] * root >> bits)
    return found
