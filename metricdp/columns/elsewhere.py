"""What answers for the rows of a table that lie on an engine, and are not read here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from metricdp.columns.grids import Bound, GridRange
from metricdp.columns.language import Node
from metricdp.errors import MetricdpError

if TYPE_CHECKING:
    from metricdp.columns.groups import GroupCodes
    from metricdp.columns.order import Between
    from metricdp.columns.products import RowSums
    from metricdp.columns.table import Table


class ColumnsElsewhere(Protocol):
    """The columns of a table on an engine."""

    @property
    def engine(self) -> Engine:
        """Whom to ask."""

    def __len__(self) -> int: ...
    def __getitem__(self, position: Any) -> Any: ...


class Engine(Protocol):
    """Whoever holds the rows: it returns exact integers over all rows that count, and no row.

    Every method raises `EngineError` where something has no form on the engine, before anything is
    read.
    """

    @property
    def schema(self) -> tuple[Any, ...]:
        """What its plans depend on: names and types of columns."""

    @property
    def place(self) -> str:
        """Where its rows lie, told apart from any other place from which joins would differ."""

    def refused(self, what: str) -> MetricdpError:
        """The error about what has no form on the engine."""

    def sums(
        self,
        table: Table,
        asked: Sequence[tuple[Node, GridRange]],
        summed: Sequence[int],
        pairs: Sequence[tuple[int, int]],
    ) -> RowSums:
        """`Table.sums`; the number of rows goes into the table."""

    def ticks(self, table: Table, asked: Sequence[tuple[Node, Bound]]) -> list[Any]:
        """`Table.ticks` of vectors."""

    def tallies(self, table: Table, keys: Sequence[Any]) -> Any:
        """`Table.tallies`."""

    def occurrences(self, table: Table) -> tuple[list[Any], Any]:
        """`Table.occurrences`."""

    def by_value(self, table: Table, position: int, most: int, several: bool) -> Any:
        """What gives the rows of each value of a column, as parts of all rows; None where each
        constant is better asked for by itself.

        Args:
            most: different values beyond which that is so.
            several: whether more than one constant was looked for.
        """

    def groups(self, table: Table, row: Any, keys: Sequence[Any]) -> GroupCodes:
        """The rows of each public key; see `Table.parts`."""

    def sides(self, table: Table, node: Node, numbers: Sequence[Any]) -> list[tuple[int, int]]:
        """`Table.sides` of a number of every row."""

    def between(self, table: Table, node: Node, low: Fraction, high: Fraction) -> Between:
        """`Table.between` of a number of every row."""

    def different(self, table: Table, nodes: Sequence[Node]) -> int:
        """How many different values, or combinations of them, the rows hold."""

    def limited(self, table: Table, owner: Any, fields: Sequence[Any], most: int) -> Table:
        """`owners.limited`."""

    def with_so_many(self, table: Table, owner: Any, least: int, most: int | None) -> Table:
        """`owners.with_so_many`."""

    def with_so_much(self, table: Table, owner: Any, number: Node, least: Any, most: Any) -> Table:
        """`owners.with_so_much`, of a number of every row and ends of its kind."""

    def limited_groups(
        self,
        table: Table,
        owner: Any,
        by: Sequence[Any],
        fields: Sequence[Any],
        groups: int,
        most: int,
    ) -> Table:
        """`owners.limited_groups`."""

    def summed(
        self, table: Table, owners: Sequence[Any], number: Node, groups: int | None
    ) -> Table:
        """What a number of every row adds up to: one row for each group, of the fields by which
        rows are grouped and the sum, or of the sum alone.

        Args:
            owners: whose row it is, and then by what the rows of an owner are grouped.
            groups: how many groups of an owner are kept; None where an owner is a group.
        """

    def joined(
        self,
        a: Table,
        b: Table,
        id_a: Any,
        id_b: Any,
        rest: Sequence[Any],
        build: Callable[[Sequence[Any]], Any],
        how: str,
        most: tuple[int, int] | tuple[None, None] = (None, None),
    ) -> Table:
        """`joins.met` ("semi", "anti") and `joins.beside` ("inner", "left"); `joins.joined`.

        Args:
            most: how many rows of an id are joined, the first ones in the order of `joins.joined`,
                of each table; None for all.
        """

    def public(self, columns: Sequence[Sequence[Any]], value: Callable[[Any], Any]) -> Table:
        """`joins.public_table` beside its rows."""

    def sums_at(
        self, table: Table, position: Node, count: int, asked: Sequence[tuple[Node, Bound]]
    ) -> list[list[Any]]:
        """`placed.sums_at`."""
