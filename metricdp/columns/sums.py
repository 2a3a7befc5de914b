"""Exact sums over the rows of a table, at the speed of arrays: of numbers, and of their products.

Numbers are moved onto the grid of their bound (`grids`), where they are whole multiples of a power
of two: of 40 bits, as nearly all are, so that sums of 2**13 of them are exact in doubles, in any
order.  So are sums of products of halves of 20 bits.  NaN passes through all of it and shows in the
sum; then the piece is added again, without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import isnan, ldexp
from types import MappingProxyType
from typing import Any, Final

import numpy as np

import metricdp.columns.memory  # noqa: F401
from metricdp.columns.arrays import all_numbers, range_ticks
from metricdp.columns.grids import GridRange, scaled
from metricdp.columns.language import Node
from metricdp.errors import InternalError

#: Bits of half a number, of which so many products add up to 2**53 at most.
_HALF: Final = 20
_SEGMENT: Final = 1 << (53 - 2 * _HALF)
_ONES: Final = np.ones((_SEGMENT, 1))
#: Rows whose numbers of 40 bits add up within 64.
_ROWS: Final = 1 << 22


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


@lru_cache(maxsize=256)
def _doubles(bound: GridRange) -> tuple[float, float]:
    """The ends of a range of small ticks."""
    low, high = ends(bound)
    return float(low), float(high)


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
    found = _total(x, bound, mask, False, False)
    if found is None:
        found = _total(without_nan(x), bound, mask, False, True)
    assert found is not None
    return found


def _total(x: Any, bound: GridRange, mask: Mask | None, inside: bool, free: bool) -> int | None:
    """`total`; None where some entry is NaN.

    Args:
        inside: doubles that were moved into the range already.
        free: x may be written on.
    """
    if small(x, bound):
        if mask is None and len(x) <= _ROWS:
            return _places(x, bound, inside, free)
        weights = None if mask is None else mask.weights
        return _dot(on_grid(x, bound, inside, free), weights, -bound.exponent)
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


def small(x: Any, bound: GridRange) -> bool:
    """Whether these are doubles, of 40 bits on the grid, whose products are no subnormals."""
    size = max(-bound.first, bound.last)
    return bool(x.dtype.kind == "f" and size <= 1 << 2 * _HALF and abs(bound.exponent) <= 400)


def on_grid(x: Any, bound: GridRange, inside: bool, free: bool) -> Any:
    """Doubles moved into a range, onto its grid, halves to the even tick; NaN stays."""
    x, free = _moved(x, bound, inside, free)
    shift = _shift(bound)
    x = np.add(x, shift, out=x if free else None)
    return np.subtract(x, shift, out=x)


def _moved(x: Any, bound: GridRange, inside: bool, free: bool) -> tuple[Any, bool]:
    """Doubles moved into a range, and whether they may be written on."""
    if inside:
        return x, free
    return x.clip(*_doubles(bound), out=x if free else None), True


def _shift(bound: GridRange) -> float:
    """Steps of the grid are the last place of its sum with any number of a small range."""
    return ldexp(1.5, 52 + bound.exponent)


def _places(x: Any, bound: GridRange, inside: bool, free: bool) -> int | None:
    """The sum of the ticks of at most `_ROWS` numbers; None where one is NaN.

    Doubles of one magnitude are as far apart as the integers that their bits are.  The sum of these
    wraps, and so does what the shift makes of it; the difference does not, since 2**22 ticks of 40
    bits fit 64.
    """
    x, free = _moved(x, bound, inside, free)
    largest = np.maximum.reduce(x, initial=0.0)
    if largest != largest:
        return None
    shift = _shift(bound)
    bits = np.add(x, shift, out=x if free else None).view(np.int64)
    found = int(np.add.reduce(bits)) - len(bits) * int(np.float64(shift).view(np.int64))
    return (found + (1 << 63)) % (1 << 64) - (1 << 63)


class Factor:
    """The numbers of a piece as factors of products: of small ones, halves.

    Attributes:
        total: the sum of the ticks; None where some entry is NaN.
    """

    __slots__ = ("_bound", "_halves", "_number", "_ticks", "total")

    def __init__(
        self, x: Any, bound: GridRange, mask: Mask | None, inside: bool, free: bool
    ) -> None:
        self._bound = bound
        self._number: Any = None
        self._ticks: Any = None
        self._halves: Any = None
        if x.dtype.kind != "f" and not bound.exponent and x.dtype != object:
            # Whole doubles, if they are small.
            size = max(-bound.first, bound.last)
            x = range_ticks(x, bound).astype(np.float64) if size <= 1 << 2 * _HALF else x
        if not small(x, bound):
            self.total = _total(x, bound, mask, inside, free)
            found = range_ticks(x, bound)
            self._ticks = found if mask is None else np.where(mask.kept, found, 0)
            return
        number = on_grid(x, bound, inside, free)
        if mask is not None:
            np.multiply(number, mask.weights, out=number)
        self._number = number
        self.total = _dot(number, None, -bound.exponent)

    def halves(self) -> Any:
        """Two arrays that add up to the numbers, of 20 bits each; None for large numbers."""
        if self._halves is None and self._number is not None:
            coarse = ldexp(1.5, 52 + self._bound.exponent + _HALF)
            high = np.add(self._number, coarse)
            np.subtract(high, coarse, out=high)
            self._halves = high, np.subtract(self._number, high, out=self._number)
        return self._halves

    def ticks(self) -> Any:
        """Ticks as integers, 0 in rows that do not count."""
        halves = self.halves()
        if halves is not None and self._ticks is None:
            self._ticks = np.ldexp(sum(halves), -self._bound.exponent).astype(np.int64)
        return self._ticks

    def times(self, other: Factor) -> int:
        """The sum of the products, in ticks of either; there is no NaN in them."""
        mine, its = self.halves(), other.halves()
        if mine is None or its is None:
            return _of_integers(self.ticks(), other.ticks())
        unit = -(self._bound.exponent + other._bound.exponent)
        (a, b), (c, d) = mine, its
        cross = _dot(a, d, unit - _HALF) or 0
        cross += cross if other is self else _dot(b, c, unit - _HALF) or 0
        high, low = _dot(a, c, unit - 2 * _HALF) or 0, _dot(b, d, unit) or 0
        return (high << 2 * _HALF) + (cross << _HALF) + low


def _dot(x: Any, y: Any, unit: int) -> int | None:
    """The sum of products of whole numbers, times 2**unit: exact in any order.

    Args:
        x, y: times 2**unit, 2**13 products of them add up to 2**53 at most.  None for ones.

    Returns:
        None where some entry is NaN.
    """
    # Segments of which each adds up below 2**53, and what is left of them.
    whole = len(x) - len(x) % _SEGMENT
    first = x[:whole].reshape(-1, 1, _SEGMENT)
    second = _ONES if y is None else y[:whole].reshape(-1, _SEGMENT, 1)
    scale = 2.0**unit
    found: list[float] = (np.matmul(first, second) * scale).ravel().tolist()
    if whole < len(x):
        rest = _ONES[: len(x) - whole, 0] if y is None else y[whole:]
        found.append(float(np.dot(x[whole:], rest)) * scale)
    return None if isnan(sum(found)) else sum(map(int, found))


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
        same: position of a number that is the same in all rows, and is no factor -> that number.
    """

    def __init__(
        self,
        bounds: Sequence[GridRange],
        summed: Sequence[int],
        pairs: Sequence[tuple[int, int]],
        same: Mapping[int, Any] = MappingProxyType({}),
    ) -> None:
        self._bounds, self._summed, self._pairs = bounds, summed, pairs
        self._totals = dict.fromkeys(summed, 0)
        self._products = dict.fromkeys(pairs, 0)
        self._same = {i: bounds[i].ticks(x) for i, x in same.items()}
        self._read = [i for i in summed if i not in same]

    def add(
        self, values: Sequence[Any], mask: Mask | None, inside: Sequence[bool],
        free: Sequence[bool],
    ) -> None:  # fmt: skip
        """One piece more; what is no number counts as 0.

        Args:
            inside: of each, whether these are doubles that were moved into the range already.
            free: of each, whether it may be written on.
        """
        if not self.add_numbers(values, mask, inside, free):
            values = [x if i in self._same else without_nan(x) for i, x in enumerate(values)]
            if not self.add_numbers(values, mask, [False] * len(values), [False] * len(values)):
                raise InternalError("a sum that is no number")

    def add_numbers(
        self, values: Sequence[Any], mask: Mask | None, inside: Sequence[bool],
        free: Sequence[bool],
    ) -> bool:  # fmt: skip
        """`add`, or nothing: False, where some entry is NaN."""
        factors: dict[int, Factor] = {}
        totals: dict[int, int] = {}
        for i in {i for pair in self._pairs for i in pair}:
            factors[i] = Factor(values[i], self._bounds[i], mask, inside[i], free[i])
            if factors[i].total is None:
                return False
        for i in self._read:
            found = (
                factors[i].total if i in factors
                else _total(values[i], self._bounds[i], mask, inside[i], free[i])
            )  # fmt: skip
            if found is None:
                return False
            totals[i] = found
        for i, found in totals.items():
            self._totals[i] += found
        for first, second in self._pairs:
            self._products[first, second] += factors[first].times(factors[second])
        return True

    def count(self, rows: int) -> None:
        """So many rows were added: what is the same in all of them."""
        for i, ticks in self._same.items():
            self._totals[i] += ticks * rows

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
