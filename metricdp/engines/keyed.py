"""Rows on an engine by a key: what is asked of one group is asked of all, in one query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metricdp.columns.grids import Bound
from metricdp.columns.groups import GroupCodes, TablePart, same
from metricdp.columns.keys import first_places, told
from metricdp.columns.language import Node, Untraceable, both, constant, eq
from metricdp.columns.table import Table
from metricdp.engines.answers import answer, by_question, numbers
from metricdp.engines.foreseen import RowQuestion
from metricdp.errors import InternalError

if TYPE_CHECKING:
    from metricdp.engines.rows import EngineRows


class EngineGroups(GroupCodes):
    """The rows of each public key: what is asked of all of them is one query.

    Args:
        row: a node, or a tuple of nodes that is compared with keys that are tuples.
        keys: public ones.
    """

    __slots__ = ("_engine", "_first", "_row", "_table", "keys", "made_as")

    def __init__(self, engine: EngineRows, table: Table, row: Any, keys: Sequence[Any]) -> None:
        super().__init__(None, None, len(keys), table.pieces)
        self._engine, self._row, self.keys = engine, row, keys
        self._first = first_places(row, keys)[1]
        self._table = table.with_row(row)
        nodes = row if isinstance(row, tuple) else (row,)
        told = same(self._table.where, *nodes), self._table.where is None
        self.made_as = "grouped", engine.made_as, told

    @property
    def counts(self) -> Any:
        """Rows per key; 0 behind the last."""
        if self._counts is None:
            import numpy as np

            lines = self._lines(RowQuestion(None, ()))
            self._counts = np.array(
                [lines.get(at, (0,))[0] for at in range(self.count + 1)], np.int64
            )
        return self._counts

    def positions(self, part: int) -> Any:
        """Raises:
        EngineError: always; no row has a position.
        """
        raise self._engine.refused("rows by their positions")

    def sums(self, where: Node | None, asked: Sequence[tuple[Node, Bound]]) -> Any:
        """For everything that is asked, a list with the sums of every part."""
        found = self._lines(RowQuestion(where, tuple(asked)))
        nothing = [0] * sum(numbers(node, bound) for node, bound in asked)
        lines = [
            by_question(found[at][1:] if at in found else nothing, asked)
            for at in range(self.count + 1)
        ]
        return [list(column) for column in zip(*lines, strict=True)]

    def _lines(self, question: RowQuestion) -> Any:
        """Place of a key -> the answer to a question; no entry where there is no row."""
        return answer(self, question, self._asked)

    def _asked(self, questions: Sequence[RowQuestion]) -> list[Any]:
        found = self._engine.grouped(self._table, self._first, questions)
        return [
            {place: lines[at] for place, lines in found.items()} for at in range(len(questions))
        ]

    def test(self, place: int) -> Node:
        """The condition of the rows of one key; of the place behind the last one, of none."""
        if place == self.count or self._first.get(_known(self._row, self.keys[place])) != place:
            return constant(False)
        row, key = self._row, self.keys[place]
        found: Node = constant(True)
        pairs = zip(row, key, strict=True) if isinstance(row, tuple) else [(row, key)]
        for part, each in pairs:
            found = both(found, eq(part, each))
        return found if self._table.where is None else both(self._table.where, found)


class ValueGroups:
    """The rows by what a column holds: what is asked of one value is asked of all, in one query.

    Args:
        table: all rows.
        node: the column.
        most: different values beyond which each is asked for by itself.
    """

    def __init__(self, engine: EngineRows, table: Table, node: Node, most: int) -> None:
        self.engine, self._table, self._node, self._most = engine, table, node, most
        self.many = False
        self.made_as = "values", engine.made_as, node.public

    def part(self, constant: Any) -> ValuePart:
        """The rows of one value."""
        return ValuePart(self, constant)

    def test(self, constant: Any) -> Node:
        """The condition of the rows of one value."""
        return eq(self._node, constant)

    def number(self, constant: Any) -> int:
        """How many rows have one value."""
        line = self.line(constant, RowQuestion(None, ()))
        if line is None:
            return Table(self._table.columns, (), self.test(constant)).size()
        return line[0]

    def line(self, constant: Any, question: RowQuestion) -> list[int] | None:
        """The answer to a question about the rows of one value; None where it is asked for by
        itself."""
        if self.many:
            return None
        lines: dict[Any, list[int]] = answer(self, question, self._asked)
        if self.many:
            return None
        found = lines.get(constant)
        if found is None:
            return [0] * (1 + sum(numbers(node, bound) for node, bound in question.asked))
        return found

    def _asked(self, questions: Sequence[RowQuestion]) -> list[Any]:
        found = self.engine.of_values(self._table, self._node, questions, self._most)
        if found is None:
            self.many, found = True, {}
        return [
            {value: lines[at] for value, lines in found.items()} for at in range(len(questions))
        ]


class ValuePart(TablePart):
    """The rows of one value of a column.

    Args:
        values: the rows of all.
        place: the value.
    """

    __slots__ = ("_values",)

    def __init__(self, values: ValueGroups, place: Any) -> None:
        groups: Any = values
        super().__init__(groups, place)
        self._values = values

    def __len__(self) -> int:
        return self._values.number(self.place)

    @property
    def positions(self) -> Any:
        """Raises:
        EngineError: always; no row has a position.
        """
        raise self._values.engine.refused("rows by their positions")

    def ticks(self, where: Node | None, asked: Sequence[tuple[Node, Bound]]) -> list[Any] | None:
        """The sums of the rows for which a condition holds, as `Table.ticks` has them.

        Returns:
            None where they are asked for by themselves.
        """
        line = self._values.line(self.place, RowQuestion(where, tuple(asked)))
        return None if line is None else by_question(line[1:], asked)


def _known(row: Any, key: Any) -> Any:
    return tuple(map(told, key)) if isinstance(row, tuple) else told(key)


def condition(table: Table) -> Node | None:
    """The condition of the rows that count."""
    part = table.part
    if part is None:
        if table.chosen is not None:
            raise InternalError("positions of rows that lie elsewhere")
        return table.where
    if not isinstance(part, TablePart) or not isinstance(part.groups, EngineGroups | ValueGroups):
        raise Untraceable("the rows of all parts")
    test = part.groups.test(part.place)
    return test if table.where is None else both(table.where, test)
