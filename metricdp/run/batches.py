"""Calls of black boxes for all rows of a table: one by one, or many rows at once in batches.

A box that takes many rows gets batches of one size.  That it treats every row by itself is trust,
and stands under "rests on".  Two things are done so that less of it is needed.  Every batch has the
same number of rows, the last one filled up with copies of a row, so that a library that chooses its
loops by the size of an array chooses the same for every row.  And a batch that fails is cut in
halves until the rows are found that fail by themselves: those alone get the default.  Rows are not
shuffled: that would hide a box that mixes them, and prove nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from metricdp.columns.arrays import BATCH
from metricdp.columns.language import nearest
from metricdp.run.boxes import Copies, argument, plain_array, quietly
from metricdp.run.facts import Notice, clean_floats
from metricdp.spaces import Space, Vector
from metricdp.spaces.base import bound_value, size_value
from metricdp.values import Numbers

#: Rows of every call.
ROWS: Final = BATCH


class Batched:
    """A box with all its arguments but the rows.

    Args:
        copies: what makes a fresh copy of the box for each call.
        space: of the result, with numbers for its sizes and bounds; a discrete vector or number.
        default: of every entry where the box fails.
        given, named: its other arguments; each call gets copies.
    """

    def __init__(
        self,
        copies: Copies,
        space: Space,
        default: Fraction | float,
        given: Sequence[Any],
        named: dict[str, Any],
    ) -> None:
        self._copies, self._given, self._named = copies, given, named
        self.width = size_value(space.size) if isinstance(space, Vector) else None
        limits: Any = space
        self._limits = bound_value(limits.lo, False), bound_value(limits.hi, True)
        self._default = self._clean(np.full(self._shape(1), float(default)))

    def _shape(self, rows: int) -> tuple[int, ...]:
        return (rows,) if self.width is None else (rows, self.width)

    def rows(self, x: Any) -> Any:
        """The results of many rows, of shape (rows,) or (width, rows), as such an array."""
        data = np.ascontiguousarray(np.asarray(x, np.float64).T)
        parts = [self._filled(data[at : at + ROWS]) for at in range(0, len(data), ROWS)]
        if len(parts) == 1:
            return parts[0].T
        return np.concatenate(parts or [np.empty(self._shape(0))]).T

    def row(self, x: Any) -> Any:
        """The result of one row, of any content: a number, or a list of them."""
        try:
            data = np.array([x], np.float64)
        except (ValueError, TypeError, OverflowError):  # a text, or what no double holds
            return self._default.T[..., 0].tolist()
        return self.rows(data.T)[..., 0].tolist()

    def _filled(self, part: Any) -> Any:
        full = part
        if len(part) < ROWS:
            full = np.concatenate([part, np.repeat(part[-1:], ROWS - len(part), axis=0)])
        found = self._called(full)
        if found is not None:
            return found[: len(part)]
        if len(part) == 1:
            return self._default
        half = len(part) // 2
        return np.concatenate([self._filled(part[:half]), self._filled(part[half:])])

    def _called(self, full: Any) -> Any:
        """One call: an array of results, or None."""

        def work() -> Any:
            others = [argument(each) for each in self._given]
            named = {name: argument(each) for name, each in self._named.items()}
            return self._read(self._copies.fresh()(argument(full), *others, **named))

        return quietly(work)

    def _read(self, value: Any) -> Any:
        found = plain_array(value)
        if type(found) is not np.ndarray or found.dtype.kind not in "biuf":
            return None
        return self._clean(found) if found.shape == self._shape(ROWS) else None

    def _clean(self, array: Any) -> Any:
        return clean_floats(array, self._limits, Notice("result", False))


class OneByOne:
    """A box that takes one row at a time, called for each; its results in one array.

    Args:
        call: a number or a list of numbers -> the result, a vector.
        width: of the result.
    """

    def __init__(self, call: Callable[[Any], Any], width: int) -> None:
        self._call, self.width = call, width

    def rows(self, x: Any) -> Any:
        """The results of many rows, of shape (rows,) or (width, rows), as such an array."""
        found = np.empty((x.shape[-1], self.width))
        for line, each in zip(found, x.T.tolist(), strict=True):
            line[:] = _doubles(self._call(each))
        return found.T

    def row(self, x: Any) -> Any:
        """The result of one row."""
        return list(_doubles(self._call(x)))


def _doubles(found: Any) -> Any:
    """The doubles nearest to a result."""
    doubles = found.doubles if isinstance(found, Numbers) else None
    return list(map(nearest, found)) if doubles is None else doubles
