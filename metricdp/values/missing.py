"""Long columns with missing values: a column of numbers, and a mask of the rows that are there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from metricdp.values.column import Column
from metricdp.values.exact import exact, to_float
from metricdp.values.vectors import ExactVector, plain_slice, position

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class MaybeColumn(Sequence[Any]):
    """Numbers and None; it iterates as `Exact` and None.

    Attributes:
        column: the numbers, with any number where the row is missing.
        there: bool array of shape (n,), false where the row is missing.
    """

    __slots__ = ("column", "there")
    __array_ufunc__ = None

    def __init__(self, column: Column, there: NDArray[np.bool_]) -> None:
        self.column, self.there = column, there

    def __len__(self) -> int:
        return len(self.column)

    def __iter__(self) -> Iterator[Any]:
        pairs = zip(self.column, self.there.tolist(), strict=True)
        return (x if kept else None for x, kept in pairs)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return MaybeColumn(self.column[index], self.there[plain_slice(index)])
        if not len(self):
            return None
        at = position(index, len(self))
        return self.column[at] if self.there[at] else None

    def __repr__(self) -> str:
        return "MaybeColumn(private)"

    def vector(self) -> list[Any]:
        """The same rows as a list of rationals and None."""
        return list(self)

    def present(self) -> Column:
        """The numbers that are there, in their order."""
        return self.column.chosen(self.there)

    def filled(self, constant: Any) -> Any:
        """The column with a constant where rows are missing; a list where the constant lies off
        the column's grid or is no double."""
        import numpy as np

        if self.there.all():
            return self.column
        number = exact(constant)
        column = self.column
        if column.ticks is None:
            assert column.floats is not None
            if exact(to_float(number)) != number:
                return self._listed(number)
            return Column(np.where(self.there, column.floats, to_float(number)))
        ticks = number / exact(2) ** column.exponent
        if ticks.denominator != 1 or abs(ticks) >= 1 << 62:
            return self._listed(number)
        return Column(None, np.where(self.there, column.ticks, int(ticks)), column.exponent)

    def _listed(self, number: Any) -> ExactVector:
        return ExactVector([number if x is None else x for x in self])
