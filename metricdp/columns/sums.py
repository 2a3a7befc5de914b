"""Exact sums over the rows of a table, at the speed of arrays.

Numbers are moved onto the grid of their bound (`grids`), where they are whole multiples of a power
of two: of 40 bits, as nearly all are.  So the integers that their bits are add up within 64 bits,
and they themselves, 2**13 at a time, without rounding in any order.  NaN passes what moves numbers
and is looked for; then the piece is added again, without it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import isnan, ldexp
from typing import Any, Final, NamedTuple

import numpy as np

import metricdp.columns.memory  # noqa: F401
from metricdp.columns.arrays import all_numbers, range_ticks
from metricdp.columns.grids import GridRange, scaled
from metricdp.columns.language import Node

#: Bits of a small number on the grid, of which so many add up to 2**53 at most.
_BITS: Final = 40
SEGMENT: Final = 1 << (53 - _BITS)
_ONES: Final = np.ones((SEGMENT, 1))
#: Rows whose numbers of 40 bits add up within 64.
_ROWS: Final = 1 << 22
#: What is known of doubles before they are moved into a range: nothing; that a clamp to it was left
#: out, so that many may lie outside; that they were moved as they were read, and NaN is left.
COMPUTED, UNCLAMPED, MOVED = range(3)


@lru_cache(maxsize=256)
def ends(bound: GridRange) -> tuple[Fraction, Fraction]:
    """The least and the greatest number of a range."""
    return scaled(bound.first, bound.exponent), scaled(bound.last, bound.exponent)


def unclamped(node: Node, low: Fraction, high: Fraction, read: bool = False) -> Node:
    """What is moved into an interval in place of a number that is clamped to it, or a wider one.

    Args:
        read: whether a column that is clamped as it is read is such a number, too.
    """
    while node.operator == "clamp" and node.base == "double" and node.width is None:
        (inner,) = node.arguments
        first, last = node.public
        wide = (first is None or first <= low) and (last is None or high <= last)
        if not wide or inner.base != "double" or (inner.operator == "stored" and not read):
            return node
        node = inner
    return node


class Small(NamedTuple):
    """A range whose ticks have at most 40 bits, in doubles.

    Attributes:
        low, high: its ends.
        most: the bits of `high`, read as an integer.
        shift: steps of the grid are the last place of its sum with any number of the range.
        zero: the bits of `shift`, read as an integer.
        exponent: steps of the grid are 2**exponent.
    """

    low: float
    high: float
    most: int
    shift: float
    zero: int
    exponent: int


@lru_cache(maxsize=256)
def small_range(bound: GridRange) -> Small | None:
    """A range as doubles have it, or None where products of them were subnormal, or it is wide."""
    size = max(-bound.first, bound.last)
    if size > 1 << _BITS or abs(bound.exponent) > 400:
        return None
    low, high = map(float, ends(bound))
    shift = ldexp(1.5, 52 + bound.exponent)
    return Small(low, high, _bits(high), shift, _bits(shift), bound.exponent)


def _bits(x: float) -> int:
    return int(np.float64(x).view(np.int64))


class Mask:
    """The rows of a piece that count.

    Attributes:
        kept: one truth value per row.
        rows: how many count.
    """

    __slots__ = ("_weights", "kept", "rows")

    def __init__(self, kept: Any) -> None:
        self.kept, self.rows = kept, int(np.count_nonzero(kept))
        self._weights: Any = None

    @property
    def weights(self) -> Any:
        """1.0 where a row counts, else 0.0."""
        if self._weights is None:
            self._weights = np.empty(len(self.kept))
            np.copyto(self._weights, self.kept.view(np.int8))
        return self._weights


def total(x: Any, bound: GridRange, mask: Mask | None = None) -> int:
    """The sum of the ticks of some numbers, each moved into a range, over the rows that count.

    What is no number counts as 0.
    """
    found = looked_at(x, bound, mask, COMPUTED, False)
    if found is None:
        found = looked_at(without_nan(x), bound, mask, COMPUTED, True)
    assert found is not None
    return found()


def looked_at(
    x: Any, bound: GridRange, mask: Mask | None, known: int, free: bool
) -> Callable[[], int] | None:
    """What gives `total`; None where some entry is NaN.

    Until it is called nothing is written on x but what x is moved to, which is moved there again:
    a piece with NaN in some other number is added up once more.

    Args:
        known: `COMPUTED`, `UNCLAMPED` or `MOVED`.
        free: x may be written on.
    """
    small = small_range(bound) if x.dtype == np.float64 else None
    if small is not None and mask is None and len(x) <= _ROWS:
        # What somebody else may write on is looked at when it was copied.
        if known != COMPUTED or not free or not all_inside(x, small):
            x, free = moved(x, small, known, free)
            largest = np.maximum.reduce(x, initial=0.0)
            if largest != largest:
                return None
        return lambda: places(x, small, free)[1]
    if small is not None:
        weights = None if mask is None else mask.weights
        found = _dot(on_grid(x, small, known, free), weights, -bound.exponent)
    else:
        found = _total(x, bound, mask)
    return None if found is None else lambda: found


def _total(x: Any, bound: GridRange, mask: Mask | None) -> int | None:
    """The sum of the ticks of integers, Booleans or numbers of a wide range."""
    if x.dtype == bool and (bound.exponent, bound.first, bound.last) == (0, 0, 1):
        return int(np.count_nonzero(x if mask is None else x & mask.kept))
    if x.dtype.kind == "f" and not all_numbers(x):
        return None
    found = range_ticks(x, bound)
    if mask is not None:
        found = found[mask.kept]
    if found.dtype == object:
        return int(sum(found.tolist()))
    if max(-bound.first, bound.last) * len(found) < 1 << 62:
        return int(found.sum())
    return (int((found >> 32).sum()) << 32) + int((found & 0xFFFFFFFF).sum())


def without_nan(x: Any) -> Any:
    return np.where(x != x, 0.0, x) if x.dtype.kind == "f" else x


def on_grid(x: Any, small: Small, known: int, free: bool) -> Any:
    """Doubles moved into a range, onto its grid, halves to the even tick; NaN stays."""
    x, free = moved(x, small, known, free)
    x = np.add(x, small.shift, out=x if free else None)
    return np.subtract(x, small.shift, out=x)


def moved(x: Any, small: Small, known: int, free: bool) -> tuple[Any, bool]:
    """Doubles moved into a range, and whether they may be written on; NaN stays."""
    if known == MOVED:
        return x, free
    return x.clip(small.low, small.high, out=x if free else None), True


def all_inside(x: Any, small: Small) -> bool:
    """Whether doubles all lie in a range, and none of them is NaN."""
    if not small.low:
        # As integers without a sign, -0.0 and those below 0 are larger than all others.
        return bool(np.maximum.reduce(x.view(np.uint64), initial=0) <= small.most)
    least = np.minimum.reduce(x, initial=small.high)
    return bool(least >= small.low and np.maximum.reduce(x, initial=small.low) <= small.high)


def places(x: Any, small: Small, free: bool) -> tuple[Any, int]:
    """The bits of at most `_ROWS` numbers of a range beside its shift, and the sum of their ticks.

    Doubles of one magnitude are as far apart as the integers that their bits are.  The sum of these
    wraps, and so does what the shift makes of it; the difference does not, since 2**22 ticks of 40
    bits fit 64.
    """
    bits = np.add(x, small.shift, out=x if free else None).view(np.int64)
    return bits, wrapped(int(np.add.reduce(bits)) - len(bits) * small.zero)


def wrapped(n: int) -> int:
    """The integer of 64 bits whose last 64 bits are those of another."""
    return (n + (1 << 63)) % (1 << 64) - (1 << 63)


def _dot(x: Any, y: Any, unit: int) -> int | None:
    """The sum of whole numbers of 40 bits times 2**-unit, each times 0 or 1.

    Args:
        y: None for ones.

    Returns:
        None where some entry is NaN.
    """
    found = [each * 2.0**unit for each in segments(x, y)]
    return None if isnan(sum(found)) else sum(map(int, found))


def segments(x: Any, y: Any) -> list[float]:
    """Sums of the products of two arrays of doubles, `SEGMENT` after the other.

    They are as long as the linear algebra goes in one thread, and added in any order.

    Args:
        y: None for ones.
    """
    whole = len(x) - len(x) % SEGMENT
    first = x[:whole].reshape(-1, 1, SEGMENT)
    second = _ONES if y is None else y[:whole].reshape(-1, SEGMENT, 1)
    found: list[float] = np.matmul(first, second).ravel().tolist()
    if whole < len(x):
        rest = _ONES[: len(x) - whole, 0] if y is None else y[whole:]
        found.append(float(np.dot(x[whole:], rest)))
    return found
