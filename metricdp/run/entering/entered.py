"""Rows that have entered already, for a program that takes them as they are."""

from __future__ import annotations

from typing import Any

from metricdp.columns.table import Table
from metricdp.errors import SpaceError
from metricdp.spaces import Space


class Entered:
    """Rows of a space, cleaned and moved into its bounds; private.

    Args:
        space: without names of sizes.
        rows: what `admit` made of them, or a filter of that.
    """

    __slots__ = ("_rows", "space")

    def __init__(self, space: Space, rows: Any) -> None:
        self.space, self._rows = space, rows

    def of(self, space: Space, name: str) -> Any:
        """The rows, for a parameter of the same space.

        Raises:
            SpaceError: it has another space.
        """
        if space != self.space:
            raise SpaceError(
                f"the rows are {self.space.describe()}, and {name} is {space.describe()}",
                place=name, remedy="declare the parameter as the table",
            )  # fmt: skip
        rows = self._rows
        if not isinstance(rows, Table):
            return rows
        # A table remembers what it was asked: runs in several threads share nothing of that.
        return Table(rows.columns, rows.row, rows.where, rows.chosen, rows.value)

    def __repr__(self) -> str:
        return f"<rows of {self.space.describe()}>"
