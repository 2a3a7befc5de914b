"""Exact sums over the rows of a table, at the speed of arrays: of numbers, and of their products.

Numbers are integers on the grid of their bound (`grids`).  1.5 * 2**(52 + k) plus a number of the
range counts steps of 2**k in its last place, so that its bit pattern is the number of steps plus a
constant: the patterns are added as integers, wrapping, and less the constants the sum of a piece
lies below 2**63.  Products of integers of 40 bits are added in halves of 20 bits, as doubles that
are whole numbers up to 2**53: no sum of those rounds, whatever its order.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import ldexp
from typing import Any, Final

import numpy as np

import metricdp.columns.memory  # noqa: F401
from metricdp.columns.arrays import range_ticks
from metricdp.columns.grids import GridRange, scaled

#: Bits of a piece's number of rows, at most.
PIECE_BITS: Final = 16
#: Bits of half an integer, of which so many products add up to 2**53 at most.
_HALF: Final = 20
_SEGMENT: Final = 1 << (53 - 2 * _HALF)
_WORD: Final = 1 << 64
_ONES: Final = np.ones(_SEGMENT)


@lru_cache(maxsize=256)
def shift_of(exponent: int) -> tuple[float, int]:
    """The double that shows steps of 2**exponent in its last places, and its bits."""
    shift = ldexp(1.5, 52 + exponent)
    return shift, int(np.float64(shift).view(np.int64))


def ends(bound: GridRange) -> tuple[Fraction, Fraction]:
    """The least and the greatest number of a range."""
    return scaled(bound.first, bound.exponent), scaled(bound.last, bound.exponent)


class Mask:
    """The rows of a piece that count.

    Attributes:
        kept: one truth value per row.
        rows: how many count.
    """

    __slots__ = ("_words", "kept", "rows")

    def __init__(self, kept: Any) -> None:
        self.kept, self.rows = kept, int(np.count_nonzero(kept))
        self._words: Any = None

    @property
    def words(self) -> Any:
        """All bits set where a row counts, else none."""
        if self._words is None:
            made = np.empty(len(self.kept), np.int64)
            np.copyto(made, self.kept.view(np.int8))
            self._words = np.negative(made, out=made)
        return self._words


def total(
    x: Any, bound: GridRange, mask: Mask | None = None, inside: bool = False, free: bool = False
) -> int:
    """The sum of the ticks of some numbers, each moved into a range, over the rows that count.

    Args:
        inside: doubles that were moved into the range already.
        free: x may be written on.
    """
    size, count = max(-bound.first, bound.last), len(x) if mask is None else mask.rows
    fine = x.dtype.kind == "f" and size << PIECE_BITS < 1 << 62 and len(x) <= 1 << PIECE_BITS
    if fine and -1022 <= bound.exponent <= 900:
        moved = x if inside else _moved(x, bound)
        shift, pattern = shift_of(bound.exponent)
        shown = np.add(moved, shift, out=moved if free or not inside else None).view(np.int64)
        if mask is not None:
            np.bitwise_and(shown, mask.words, out=shown)
        # The sum of the patterns wraps; less their common part, it is below 2**62 in size.
        wrapped = int(np.add.reduce(shown)) - count * pattern + (_WORD >> 1)
        return wrapped % _WORD - (_WORD >> 1)
    if x.dtype == bool and (bound.exponent, bound.first, bound.last) == (0, 0, 1):
        return int(np.count_nonzero(x if mask is None else x & mask.kept))
    found = range_ticks(x, bound)
    if mask is not None:
        found = found[mask.kept]
    if found.dtype == object:
        return sum(found.tolist())
    if size * len(found) < 1 << 62:
        return int(found.sum())
    return (int((found >> 32).sum()) << 32) + int((found & 0xFFFFFFFF).sum())


def _moved(x: Any, bound: GridRange) -> Any:
    """Doubles moved into a range whose ends are doubles, NaN as 0: a new array."""
    low, high = map(float, ends(bound))
    moved = np.clip(x, low, high)
    largest = moved.max(initial=low)
    if largest != largest:
        moved[moved != moved] = min(max(0.0, low), high)
    return moved


class Factor:
    """The numbers of a piece as factors of products: ticks, in halves where they are small."""

    __slots__ = ("_bound", "_halves", "_ticks", "_x")

    def __init__(
        self, x: Any, bound: GridRange, mask: Mask | None, inside: bool, free: bool
    ) -> None:
        self._bound, self._halves = bound, _halves(x, bound, mask, inside, free)
        self._ticks: Any = None
        if self._halves is None:
            found = range_ticks(x, bound)
            self._ticks = found if mask is None else np.where(mask.kept, found, 0)

    def ticks(self) -> Any:
        """Ticks as integers, 0 in rows that do not count."""
        if self._halves is not None and self._ticks is None:
            high, low = self._halves
            unit = -self._bound.exponent
            self._ticks = np.ldexp(high + low, unit).astype(np.int64)
        return self._ticks

    def total(self) -> int | None:
        """The sum of the ticks; None where they are in no halves."""
        if self._halves is None:
            return None
        (high, low), unit = self._halves, -self._bound.exponent
        return (_dot(high, None, unit - _HALF) << _HALF) + _dot(low, None, unit)

    def times(self, other: Factor) -> int:
        """The sum of the products, in ticks of either."""
        if self._halves is None or other._halves is None:
            return _of_integers(self.ticks(), other.ticks())
        unit = -(self._bound.exponent + other._bound.exponent)
        (a, b), (c, d) = self._halves, other._halves
        cross = 2 * _dot(a, d, unit - _HALF) if other is self else (
            _dot(a, d, unit - _HALF) + _dot(b, c, unit - _HALF)
        )  # fmt: skip
        return (_dot(a, c, unit - 2 * _HALF) << 2 * _HALF) + (cross << _HALF) + _dot(b, d, unit)


def _halves(
    x: Any, bound: GridRange, mask: Mask | None, inside: bool, free: bool
) -> tuple[Any, Any] | None:
    """Doubles high + low, of at most 20 bits each; None for ticks of more than 40 bits."""
    if max(-bound.first, bound.last) > 1 << 2 * _HALF or abs(bound.exponent) > 400:
        return None
    if x.dtype.kind == "f":
        shift, _ = shift_of(bound.exponent)
        number = x if inside else _moved(x, bound)
        number = np.add(number, shift, out=number if free or not inside else None)
        np.subtract(number, shift, out=number)
    elif x.dtype == object or bound.exponent:
        return None
    else:
        number = range_ticks(x, bound).astype(np.float64)
    if mask is not None:
        bits = number.view(np.int64)
        np.bitwise_and(bits, mask.words, out=bits)
    coarse, _ = shift_of(bound.exponent + _HALF)
    high = np.add(number, coarse)
    np.subtract(high, coarse, out=high)
    np.subtract(number, high, out=number)
    return high, number


def _dot(x: Any, y: Any, unit: int) -> int:
    """The sum of products of whole numbers of 20 bits, times 2**unit: exact in any order.

    Args:
        y: None for ones.
    """
    # Segments of which each adds up below 2**53, and what is left of them.
    whole = len(x) - len(x) % _SEGMENT
    first = x[:whole].reshape(-1, 1, _SEGMENT)
    second = _ONES[:, None] if y is None else y[:whole].reshape(-1, _SEGMENT, 1)
    rest = _ONES[: len(x) - whole] if y is None else y[whole:]
    found = np.append(np.matmul(first, second), np.dot(x[whole:], rest))
    return int(np.ldexp(found, unit).astype(np.int64).sum())


_LIMB: Final = 21


def _of_integers(x: Any, y: Any) -> int:
    """The sum of products of integers, in limbs of 21 bits where they have 63."""
    if x.dtype == object or y.dtype == object:
        return sum(a * b for a, b in zip(x.tolist(), y.tolist(), strict=True))
    first, second = _limbs(x), _limbs(y)
    return sum(
        int(np.dot(a, b)) << _LIMB * (i + j)
        for i, a in enumerate(first)
        for j, b in enumerate(second)
    )


def _limbs(x: Any) -> tuple[Any, Any, Any]:
    """x = c 2**42 + b 2**21 + a with a, b in [0, 2**21): (a, b, c)."""
    mask = (1 << _LIMB) - 1
    return x & mask, (x >> _LIMB) & mask, x >> 2 * _LIMB


class RowSums:
    """Sums of what rows add, and of products of these, piece by piece.

    Args:
        bounds: of what is added.
        pairs: positions of factors in `bounds`.
        summed: positions of what is added by itself.
    """

    def __init__(
        self, bounds: Sequence[GridRange], summed: Sequence[int], pairs: Sequence[tuple[int, int]]
    ) -> None:
        self._bounds, self._summed, self._pairs = bounds, summed, pairs
        self._totals = dict.fromkeys(summed, 0)
        self._products = dict.fromkeys(pairs, 0)

    def add(
        self, values: Sequence[Any], mask: Mask | None, inside: Sequence[bool],
        free: Sequence[bool],
    ) -> None:  # fmt: skip
        """One piece more; see `total`."""
        factors: dict[int, Factor] = {}
        for pair in self._pairs:
            for i in pair:
                if i not in factors:
                    factors[i] = Factor(values[i], self._bounds[i], mask, inside[i], free[i])
            first, second = pair
            self._products[pair] += factors[first].times(factors[second])
        for i in self._summed:
            known = factors[i].total() if i in factors else None
            if known is None:
                known = total(values[i], self._bounds[i], mask, inside[i], free[i])
            self._totals[i] += known

    def add_plainly(self, rows: Sequence[Sequence[Any]]) -> None:
        """Rows one at a time, in plain Python."""
        for row in rows:
            ticks = [bound.ticks(x) for bound, x in zip(self._bounds, row, strict=True)]
            for i in self._summed:
                self._totals[i] += ticks[i]
            for i, j in self._pairs:
                self._products[i, j] += ticks[i] * ticks[j]

    def ticks(self) -> list[int]:
        """The sums in ticks, in the order of `summed`."""
        return [self._totals[i] for i in self._summed]

    def totals(self) -> list[Fraction]:
        """The sums, in the order of `summed`."""
        return [scaled(self._totals[i], self._bounds[i].exponent) for i in self._summed]

    def products(self) -> list[Fraction]:
        """The sums of products, in the order of `pairs`."""
        return [
            scaled(self._products[i, j], self._bounds[i].exponent + self._bounds[j].exponent)
            for i, j in self._pairs
        ]
