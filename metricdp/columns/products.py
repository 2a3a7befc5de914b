"""Exact sums over rows of numbers on a grid and of their products.

The numbers are x and y, in steps of their grids, and |x|, |y| <= 2**40; t and s are the integers
that they round to, so |x - t| <= 1/2 and |y - s| <= 1/2: both ends of a range are on its grid.  The
sum of t s over n <= 2**17 rows is found from two numbers:

- a sum of x y in doubles, in any order, with or without fused products.  It is off from the sum of
  x y by n u/(1 - n u) times the sum of |x y|, with u = 2**-53 (N. J. Higham, Accuracy and Stability
  of Numerical Algorithms, 2nd edition, section 3.1): by less than 1.01 n 2**-53 n 2**80 < 2**61.1.
  The sum of x y is off from that of t s by |x| |y - s| + |s| |x - t| <= 2**40 in each row, by 2**57
  in all.  What is lost below the least doubles is less than 2**-200 of a step.
- the sum modulo 2**64: integers of 64 bits wrap, and b = t + z is the integer that the bits of a
  number beside its shift are, so t s = b b' - z' t - z s - z z'.

There is one integer with these last 64 bits that is less than 2**63 away from the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isnan
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from metricdp.columns.arrays import all_numbers, range_ticks
from metricdp.columns.grids import GridRange, scaled
from metricdp.columns.sums import (
    COMPUTED,
    Mask,
    looked_at,
    moved,
    places,
    segments,
    small_range,
    without_nan,
    wrapped,
)
from metricdp.errors import InternalError

#: Rows whose products are added at once.
ROWS: Final = 1 << 17
_LIMB: Final = 21


class Factor:
    """The numbers of a piece of at most 2**17 rows as factors of products.

    First all products ask how large they are (`near`), which finds every NaN; then the numbers
    are put beside the shift of their grid, in the same memory where it may be written on
    (`placed`); then the products are exact (`times`).

    Attributes:
        total: the sum of the ticks, once they are placed.
        numbers: whether no entry is seen to be NaN; products of small numbers show the others.
    """

    __slots__ = ("_bits", "_free", "_numbers", "_small", "_ticks", "numbers", "total")

    def __init__(self, x: Any, bound: GridRange, mask: Mask | None, known: int, free: bool) -> None:
        self._bits: Any = None
        self._ticks: Any = None
        self.numbers, self.total = True, 0
        if x.dtype.kind != "f" and not bound.exponent and x.dtype != object:
            # Whole doubles, if they are small.
            x = range_ticks(x, bound)
            x = x.astype(np.float64) if small_range(bound) else x
        self._small = small_range(bound) if x.dtype == np.float64 else None
        if self._small is None:
            found = looked_at(x, bound, mask, known, False)
            self.numbers = found is not None
            self.total = 0 if found is None else found()
            ticks = range_ticks(x, bound)
            self._ticks = ticks if mask is None else np.where(mask.kept, ticks, 0)
            return
        x, free = moved(x, self._small, known, free)
        if mask is not None:
            x, free = np.multiply(x, mask.weights, out=x if free else None), True
        self._numbers, self._free = x, free

    def _close(self, other: Factor) -> bool:
        """Whether products are found from a close sum of them."""
        return self._small is not None and other._small is not None

    def near(self, other: Factor) -> float | None:
        """About the sum of the products; None where some entry is NaN."""
        if not self._close(other):
            small = (each for each in (self, other) if each._small is not None)
            return 0.0 if all(all_numbers(each._numbers) for each in small) else None
        if len(self._numbers) > ROWS:
            raise InternalError("products of too many rows")
        near = sum(segments(self._numbers, other._numbers))
        return None if isnan(near) else near

    def placed(self) -> None:
        """Put the numbers beside their shift; they are read no more."""
        if self._small is not None:
            self._bits, self.total = places(self._numbers, self._small, self._free)
            self._numbers = None

    def _as_ticks(self) -> Any:
        """Ticks as integers, 0 in rows that do not count."""
        if self._small is not None and self._ticks is None:
            self._ticks = self._bits - self._small.zero
        return self._ticks

    def times(self, other: Factor, near: float) -> int:
        """The sum of the products, in ticks of either; `near` is about that in wholes."""
        mine, its = self._small, other._small
        if mine is None or its is None:
            return _of_integers(self._as_ticks(), other._as_ticks())
        about = int(near * 2.0**-mine.exponent * 2.0**-its.exponent)
        # Without a sign, what wraps is what Python's integers are modulo 2**64; no array is made.
        first, second = self._bits.view(np.uint64), other._bits.view(np.uint64)
        last = int(np.einsum("i,i->", first, second))
        rows = len(self._bits)
        last -= its.zero * self.total + mine.zero * other.total + mine.zero * its.zero * rows
        return about + wrapped(last - about)


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
        self, values: Sequence[Any], mask: Mask | None, known: Sequence[int], free: Sequence[bool]
    ) -> None:
        """One piece more; what is no number counts as 0.

        Args:
            known: of each, `COMPUTED`, `UNCLAMPED` or `MOVED`.
            free: of each, whether it may be written on.
        """
        if not self.add_numbers(values, mask, known, free):
            values = [x if i in self._same else without_nan(x) for i, x in enumerate(values)]
            nothing = [COMPUTED] * len(values)
            if not self.add_numbers(values, mask, nothing, [False] * len(values)):
                raise InternalError("a sum that is no number")

    def add_numbers(
        self, values: Sequence[Any], mask: Mask | None, known: Sequence[int], free: Sequence[bool]
    ) -> bool:
        """`add`, or nothing: False, where some entry is NaN."""
        factors: dict[int, Factor] = {}
        for i in {i for pair in self._pairs for i in pair}:
            factors[i] = Factor(values[i], self._bounds[i], mask, known[i], free[i])
            if not factors[i].numbers:
                return False
        near: dict[tuple[int, int], float] = {}
        for i, j in self._pairs:
            about = factors[i].near(factors[j])
            if about is None:
                return False
            near[i, j] = about
        found = {
            i: looked_at(values[i], self._bounds[i], mask, known[i], free[i])
            for i in self._read if i not in factors
        }  # fmt: skip
        if None in found.values():
            return False
        # From here on there is no NaN, and what may be written on is.
        for factor in factors.values():
            factor.placed()
        for i in self._read:
            of = found.get(i)
            self._totals[i] += factors[i].total if of is None else of()
        for (i, j), about in near.items():
            self._products[i, j] += factors[i].times(factors[j], about)
        return True

    def add_ticks(self, ticks: Mapping[int, int]) -> None:
        """Sums over some rows, in ticks, of numbers by their positions."""
        for i in self._totals.keys() & ticks.keys():
            self._totals[i] += ticks[i]

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

    def known(self, totals: Mapping[int, int], products: Mapping[tuple[int, int], int]) -> None:
        """Sums that were made elsewhere, of ticks and of their products."""
        self._totals.update(totals)
        self._products.update(products)

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
