"""Exact sums of numbers, whatever their order."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from metricdp.values.exact import Exact, exact

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Doubles that are added at a time: their halves of 27 bits add up exactly in doubles.
_PIECE: Final = 1 << 14
#: Integers whose halves of 32 bits add up in 64.
_MOST: Final = 1 << 30


def exact_sum(numbers: Iterable[Any]) -> Exact:
    """The exact sum of numbers of Python."""
    total = Fraction(0)
    for x in numbers:
        total += exact(x)
    return Exact(total)


def sum_of_array(x: NDArray[Any]) -> Fraction:
    """The exact sum of finite doubles, of integers of 64 bits, or of Python's integers."""
    if x.dtype.kind == "f":
        return _of_doubles(x)
    return Fraction(sum(x.tolist()) if x.dtype == object else _of_integers(x))


def _of_integers(x: NDArray[Any]) -> int:
    total = 0
    for start in range(0, len(x), _MOST):
        part = x[start : start + _MOST]
        total += (int((part >> 32).sum()) << 32) + int((part & 0xFFFFFFFF).sum())
    return total


def _of_doubles(x: NDArray[Any]) -> Fraction:
    """Mantissas are added by their exponent."""
    import numpy as np

    total: dict[int, int] = {}
    for start in range(0, len(x), _PIECE):
        fraction, exponent = np.frexp(x[start : start + _PIECE])
        mantissa = np.ldexp(fraction, 53).astype(np.int64)
        offset = int(exponent.min())
        bucket = exponent - offset
        high = np.bincount(bucket, weights=(mantissa >> 27).astype(np.float64))
        low = np.bincount(bucket, weights=(mantissa & 0x7FFFFFF).astype(np.float64))
        for i in np.flatnonzero((high != 0) | (low != 0)).tolist():
            part = (int(high[i]) << 27) + int(low[i])
            total[i + offset] = total.get(i + offset, 0) + part
    if not total:
        return Fraction(0)
    least = min(total)
    found = sum(part << (e - least) for e, part in total.items())
    return Fraction(found) * Fraction(2) ** (least - 53)
