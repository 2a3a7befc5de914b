"""Numbers of a matrix that stay where they lie: loops read their rows a piece at a time."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.columns.stored import Stored
from metricdp.values import Numbers


class UnreadNumbers(Numbers):
    """The entries of somebody's matrix, row by row; copied when they are asked for as one array.

    Args:
        raw: array of floats, of shape (rows, columns).
        bottom, top: bounds of the entries; None where there are none.
    """

    __slots__ = ("_held", "_read")

    def __init__(self, raw: Any, bottom: float | None, top: float | None) -> None:
        self.unit, self.discrete, self._most, self._listed = Fraction(1), False, None, None
        self._held = Stored("double", raw, bottom, top)
        self._read: Any = None

    @property
    def array(self) -> Any:
        """The clean entries, in an array of our own."""
        if self._read is None:
            held = self._held
            # A column of vectors gives one line per entry of a vector.
            self._read = held.piece(slice(None)).T.ravel()
            rows = self._read.reshape(held.data.shape)
            self._held = Stored("double", rows)
        return self._read

    def rows(self) -> Stored:
        """The rows as a column of vectors, read when they are asked for."""
        return self._held

    def __len__(self) -> int:
        return int(self._held.data.size)
