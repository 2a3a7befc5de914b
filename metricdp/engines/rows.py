"""Rows on an engine: what a table asks is one query each, and what comes back is exact integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any, Final

from metricdp.columns.floats import finite
from metricdp.columns.graphs import in_order
from metricdp.columns.grids import Bound, GridRange, Squares
from metricdp.columns.groups import Groups, TablePart, same
from metricdp.columns.keys import KeyPlaces, first_places, told
from metricdp.columns.language import (
    LARGEST,
    Node,
    Untraceable,
    both,
    constant,
    eq,
    single,
    size_of,
    stored,
)
from metricdp.columns.nullable import Nullable
from metricdp.columns.order import Between
from metricdp.columns.owners import parts
from metricdp.columns.products import RowSums
from metricdp.columns.table import Table, moved
from metricdp.columns.totals import finished
from metricdp.engines import elementary, partial_sums, ranks
from metricdp.engines.dialect import Dialect, NoForm
from metricdp.engines.expressions import Expressions
from metricdp.engines.joined import THERE, Side, place_of
from metricdp.engines.joined import joined as side_by_side
from metricdp.engines.persons import kept
from metricdp.engines.sources import Source, answered
from metricdp.errors import EngineError, InternalError

#: Keys that are looked for in every row; of more, those are left out that the groups do not have.
_FEW: Final = 64
#: Bits of products that add up within 128.
_BITS: Final = 86


class EngineColumn:
    """A column of a source, cleaned as `Stored` cleans it.

    Args:
        sql: how its engine writes.
        base: "double", "integer", "boolean" or "text".
        text: its expression in SQL, of doubles or integers of 64 bits, Booleans or texts.
        bottom, top: bounds of doubles and integers that are read; None where there are none.
        gaps: whether some value may be missing, which no condition lets through.
        clean: whether its values are clean, as the engine holds them.
        most: a bound on the size of integers, where they may have more than 64 bits.
    """

    def __init__(
        self,
        sql: Dialect,
        base: str,
        text: str,
        bottom: float | int | None = None,
        top: float | int | None = None,
        gaps: bool = False,
        clean: bool = False,
        most: float = 2.0**63,
    ) -> None:
        self._most = most
        self._sql, self.base, self.text, self.bottom, self.top, self.gaps = (
            sql,
            base,
            text,
            bottom,
            top,
            gaps,
        )
        self._is_clean = clean
        self.clean = self._clean()

    def node(self, position: int) -> Node:
        """The column in the columnar language."""
        most = self._most if self.base == "integer" else float("inf")
        if self.bottom is None or self.top is None:
            return stored(position, self.base, None, most)
        most = min(most, max(size_of(self.bottom), size_of(self.top)))
        node = stored(position, self.base, None, most)
        node.range = self.bottom, self.top
        return node

    def clamped(self, low: Any, high: Any) -> str | None:
        """The expression of its doubles moved between two numbers, in one step."""
        if self.base != "double" or None in (low, high) or self.bottom is not None:
            return None
        return self._moved(low, high)

    def _moved(self, low: float, high: float) -> str:
        """Doubles in an interval; what is no number, or missing, as 0 is moved into it.

        Of an engine NaN is larger than all numbers, and no condition holds of what is missing.
        """
        double = self._sql.double
        x, nothing = self.text, double(min(max(0.0, low), high))
        top = f"CASE WHEN isnan({x}) THEN {nothing} ELSE {double(high)} END"
        rest = f"CASE WHEN {x} IS NULL THEN {nothing} ELSE {double(low)} END"
        rest = nothing if low == min(max(0.0, low), high) else rest
        return (
            f"CASE WHEN {x} >= {double(high)} THEN {top} WHEN {x} > {double(low)} THEN {x} "
            f"ELSE {rest} END"
        )

    def _clean(self) -> str:
        if self._is_clean:
            return self.text
        if self.base == "double":
            low = -LARGEST if self.bottom is None else self.bottom
            return self._moved(low, LARGEST if self.top is None else self.top)
        if self.base == "integer":
            text = f"coalesce({self.text}, 0)" if self.gaps else self.text
            if self.top is not None:
                text = f"least({text}, {self._sql.whole(int(self.top))})"
            if self.bottom is not None:
                text = f"greatest({text}, {self._sql.whole(int(self.bottom))})"
            return text
        text = self._sql.collated(self.text) if self.base == "text" else self.text
        nothing = {"boolean": "false", "text": "''"}[self.base]
        return f"coalesce({text}, {nothing})" if self.gaps else text


class EngineColumns(tuple[EngineColumn, ...]):
    """The columns of a table whose rows lie on an engine; they know whom to ask."""

    engine: EngineRows

    @classmethod
    def of(cls, source: Source, columns: Sequence[EngineColumn]) -> EngineColumns:
        """The columns of a source."""
        made = cls(columns)
        made.engine = EngineRows(source, tuple(columns))  # a tuple that does not know it: no cycle
        return made


class EngineRows:
    """The rows of one source; see `columns.elsewhere.Engine`.

    Attributes:
        source: who is asked.
        columns: of the table.
    """

    def __init__(self, source: Source, columns: Sequence[EngineColumn]) -> None:
        self.source, self.columns = source, columns

    @property
    def schema(self) -> tuple[Any, ...]:
        """What its plans depend on."""
        return self.source.engine, *self.source.schema.items()

    @property
    def place(self) -> str:
        """Where its rows lie: in files, which every connection reads, or in one connection."""
        return place_of(self.source)

    def refused(self, what: str) -> EngineError:
        """The error about what has no form on the engine."""
        return EngineError(
            f"{what}: no form on {self.source.engine}, where the rows of this table lie",
            place=self.source.name,
            remedy="pass dp.table(source, collect=True), which reads its columns into memory",
        )

    def sums(
        self,
        table: Table,
        asked: Sequence[tuple[Node, GridRange]],
        summed: Sequence[int],
        pairs: Sequence[tuple[int, int]],
    ) -> RowSums:
        """Exact sums over the rows of numbers, each moved into its bound, and of their products."""

        sql = self.source.dialect

        def what(made: Expressions) -> list[str]:
            steps = [step for node, bound in asked for step in made.steps(node, bound)]
            bits = [_bits(bound) for _, bound in asked]
            if any(bits[i] + bits[j] > _BITS for i, j in pairs):
                raise NoForm("products of numbers of so many bits")
            return [
                "count(*)",
                *(sql.total(steps[i], _size(asked[i][1])) for i in summed),
                *(
                    sql.total(f"CAST({steps[i]} AS {sql.huge}) * ({steps[j]})", 1 << _BITS)
                    for i, j in pairs
                ),
            ]

        ((count, *found),) = self._query(table, [node for node, _ in asked], what)
        found = [int(x or 0) for x in found]
        sums = RowSums([bound for _, bound in asked], summed, pairs)
        sums.known(
            dict(zip(summed, found, strict=False)),
            dict(zip(pairs, found[len(summed) :], strict=True)),
        )
        table._counted[:] = [int(count)]
        return sums

    def ticks(self, table: Table, asked: Sequence[tuple[Node, Bound]]) -> list[Any]:
        """Sums of numbers and of vectors, in steps of the grid of each bound."""

        def what(made: Expressions) -> list[str]:
            return ["count(*)", *_sums(self.source.dialect, made, asked)]

        ((count, *found),) = self._query(table, [node for node, _ in asked], what)
        table._counted[:] = [int(count)]
        return _by_question(found, asked) if count else [None] * len(asked)

    def tallies(self, table: Table, keys: Sequence[Any]) -> Any:
        """How many rows have each of some public keys, the first of equal ones, and none."""
        row = table.row
        places = row.public if isinstance(row, Node) and row.operator == "position" else None
        every = keys == range(len(keys))
        # Positions among keys that are counted are these keys, counted.
        if every and isinstance(places, KeyPlaces) and places.count == len(keys):
            table, first = table.with_row(row.arguments[0]), places.first
        else:
            first = _first(row, keys)
        found = self.counts_of_keys(table, first, len(keys))
        found[-1] = table.size() - found.sum()
        return found

    def counts_of_keys(self, table: Table, first: dict[Any, int], count: int) -> Any:
        """How many rows have each of so many keys, and 0 behind the last.

        Args:
            first: key, as `keys.told` has it -> its place.
        """
        import numpy as np

        found = np.zeros(count + 1, np.int64)
        for place, (rows,) in self._grouped(table, first, []).items():
            found[place] = rows
        return found

    def occurrences(self, table: Table) -> tuple[list[Any], Any]:
        """The different rows, as Python's own values, and how often each occurs."""
        import numpy as np

        nodes = table.row if isinstance(table.row, tuple) else (table.row,)
        if any(not isinstance(node, Node) or node.width is not None for node in nodes):
            raise self.refused("different rows that are no values")
        found = self._query(
            table, nodes, lambda made: [*map(made.of, nodes), "count(*)"], by=len(nodes)
        )
        counts = np.array([line[-1] for line in found], np.int64)
        values = [tuple(map(_plain, line[:-1])) for line in found]
        return (values if isinstance(table.row, tuple) else [v for (v,) in values]), counts

    def sides(self, table: Table, node: Node, numbers: Sequence[Any]) -> list[tuple[int, int]]:
        """How many rows lie below, and how many above, each of several numbers."""
        return ranks.sides(self, table, node, numbers)

    def between(self, table: Table, node: Node, low: Fraction, high: Fraction) -> Between:
        """The rows between two numbers, which are read where they are asked for."""
        try:
            return ranks.between(self, table, node, low, high)
        except NoForm as error:
            refused = self.refused(error.what)
        raise refused

    def counts(self, table: Table, node: Node) -> dict[int, int]:
        """How often a whole number occurs, that a node is."""
        found = self._query(table, [node], lambda made: [made.of(node), "count(*)"], 1)
        return {int(x): int(n) for x, n in found}

    def ranked(self, table: Table, node: Node, start: int, stop: int) -> list[float]:
        """The doubles of some ranks, from the smallest on."""
        found = self._query(table, [node], lambda made: [made.of(node)], ranks=(start, stop))
        return [x + 0.0 for (x,) in found]

    def by_value(self, table: Table, node: Node, most: int) -> EngineGroups | None:
        """The rows by what a column of texts, integers or Booleans holds; None of others, and
        where it holds more values."""
        if node.base == "double":
            return None
        found = self._query(
            table, [node], lambda made: [made.of(node), "count(*)"], 1, most=most + 1
        )
        if len(found) > most:
            return None
        return EngineGroups(self, table, node, [x for x, _ in found], [n for _, n in found])

    def different(self, table: Table, nodes: Sequence[Node]) -> int:
        """How many different values, or combinations of them, the rows hold."""
        if not nodes:
            return min(1, table.size())

        def what(made: Expressions) -> list[str]:
            return [self.source.dialect.different([*map(made.of, nodes)])]

        ((found,),) = self._query(table, nodes, what)
        return int(found)

    def limited(self, table: Table, owner: Any, fields: Sequence[Any], most: int) -> Table:
        """`columns.owners.limited`."""
        return self._kept(table, [owner], fields, None, most)

    def limited_groups(
        self,
        table: Table,
        owner: Any,
        by: Sequence[Any],
        fields: Sequence[Any],
        groups: int,
        most: int,
    ) -> Table:
        """`columns.owners.limited_groups`."""
        return self._kept(table, [owner, *by], fields, groups, most)

    def _kept(
        self,
        table: Table,
        owners: Sequence[Any],
        fields: Sequence[Any],
        groups: int | None,
        most: int,
    ) -> Table:
        """The table of the rows that `persons.kept` leaves."""
        test = condition(table)
        try:
            source = kept(self.columns, self.source, test, owners, fields, groups, most)
        except NoForm as error:
            refused = self.refused(error.what)
        else:
            held = [
                EngineColumn(source.dialect, each.base, f"c{at}", each.bottom, each.top, clean=True)
                for at, each in enumerate(self.columns)
            ]
            return Table(EngineColumns.of(source, held), table.row, value=table.value)
        raise refused

    def joined(
        self, a: Table, b: Table, id_a: Any, id_b: Any, rest: Sequence[Any], build: Any, how: str
    ) -> Table:
        """`columns.joins.met` and `columns.joins.beside`."""
        engines = [getattr(each.columns, "engine", None) for each in (a, b)]
        sides = []
        for each, table, owner in zip(engines, (a, b), (id_a, id_b), strict=True):
            if not isinstance(each, EngineRows) or each.source.engine != self.source.engine:
                raise self.refused("rows of two tables, side by side, one of which lies elsewhere")
            sides.append(Side(each.columns, each.source, condition(table), single(owner)))
        try:
            source = side_by_side(sides[0], sides[1], how)
        except NoForm as error:
            refused = self.refused(error.what)
        else:
            beside = how in ("inner", "left")
            columns = (*sides[0].columns, *(sides[1].columns if beside else ()))
            held = [
                EngineColumn(source.dialect, each.base, f"c{at}", each.bottom, each.top, clean=True)
                for at, each in enumerate(columns)
            ]
            if not beside:
                return Table(EngineColumns.of(source, held), a.row, value=a.value)
            its = [moved(field, len(sides[0].columns)) for field in rest]
            if how == "left":
                held.append(EngineColumn(source.dialect, "boolean", THERE, clean=True))
                marks = held[-1].node(len(held) - 1)
                its = [_perhaps(field, marks) for field in its]
            mine = a.row.values() if isinstance(a.row, dict) else a.row
            return Table(EngineColumns.of(source, held), build([*mine, *its]), value=a.value)
        raise refused

    def summed(
        self, table: Table, owners: Sequence[Any], number: Node, groups: int | None
    ) -> Table:
        """`columns.owners.summed` and `summed_by_group`."""
        test = condition(table)
        try:
            found = partial_sums.summed(self.columns, self.source, test, owners, number, groups)
        except NoForm as error:
            refused = self.refused(error.what)
        else:
            source, names, most = found
            of_groups = [
                (part, name)
                for field, named in zip(owners[1:], names[1:], strict=True)
                for part, name in _stored_as(field, named)
            ]
            held = []
            for node, name in of_groups:
                low, high = node.range or (None, None)
                held.append(
                    EngineColumn(
                        source.dialect, node.base, name, low, high, clean=True, most=node.most
                    )
                )
            base = "double" if number.base == "double" else "integer"
            held.append(EngineColumn(source.dialect, base, "number", clean=True, most=most))
            known = {id(node): held[at].node(at) for at, (node, _) in enumerate(of_groups)}
            fields, last = moved(tuple(owners[1:]), 0, known), held[-1].node(len(of_groups))
            row = last if groups is None else (*fields, last)
            return Table(EngineColumns.of(source, held), row, value=table.value)
        raise refused

    def groups(self, table: Table, row: Any, keys: Sequence[Any]) -> EngineGroups:
        """The rows of each public key."""
        return EngineGroups(self, table, row, keys)

    def sums_at(
        self, table: Table, position: Node, count: int, asked: Sequence[tuple[Node, Bound]]
    ) -> list[list[Any]]:
        """For everything that is asked, its exact sums over the rows of each position."""
        groups = self.groups(table, position, range(count))
        found = groups.sums(None, asked)
        return [
            [finished(bound, ticks, node.width) for ticks in column[:count]]
            for column, (node, bound) in zip(found, asked, strict=True)
        ]

    def grouped_sums(
        self,
        table: Table,
        first: dict[Any, int],
        count: int,
        asked: Sequence[tuple[Node, Bound]],
    ) -> list[list[Any]]:
        """For everything that is asked, the sums of each key, and 0 behind the last."""
        found = self._grouped(table, first, asked)
        nothing = [0] * (1 + sum(_numbers(node, bound) for node, bound in asked))
        lines = [_by_question(found.get(at, nothing)[1:], asked) for at in range(count + 1)]
        return [list(column) for column in zip(*lines, strict=True)]

    def _grouped(
        self, table: Table, first: dict[Any, int], asked: Sequence[tuple[Node, Bound]]
    ) -> dict[int, list[int]]:
        """Place of a key -> the number of its rows and their sums; no entry where there is none."""
        row, sql = table.row, self.source.dialect
        parts: tuple[Node, ...] = row if isinstance(row, tuple) else (row,)
        keys = [key if isinstance(row, tuple) else (key,) for key in first]
        listed = [[text for text in map(sql.key, key, parts) if text is not None] for key in keys]
        wanted = [each for each in listed if len(each) == len(parts)]
        if not wanted:
            return {}

        def what(made: Expressions) -> list[str]:
            return [*map(made.of, parts), "count(*)", *_sums(sql, made, asked)]

        def among(made: Expressions) -> str:
            return sql.among([(made.of(part), part) for part in parts], wanted)

        nodes = [*parts, *(node for node, _ in asked)]
        found: dict[int, list[int]] = {}
        for line in self._query(table, nodes, what, len(parts), among, having=len(keys) > _FEW):
            key = tuple(told(_plain(x)) for x in line[: len(parts)])
            place = first.get(key if isinstance(row, tuple) else key[0])
            if place is not None:
                found[place] = [int(x or 0) for x in line[len(parts) :]]
        return found

    def _query(
        self,
        table: Table,
        nodes: Sequence[Node],
        what: Callable[[Expressions], list[str]],
        by: int = 0,
        among: Callable[[Expressions], str] | None = None,
        having: bool = False,
        most: int | None = None,
        ranks: tuple[int, int] | None = None,
    ) -> list[tuple[Any, ...]]:
        """The lines of what is asked of the rows that count.

        Args:
            nodes: of which `what` and `among` are given the expressions.
            what: the expressions that are selected, of which the first are grouped by.
            by: how many are grouped by.
            among: a condition on what is grouped by.
            having: whether it is better asked of groups than of rows.
            most: how many lines are enough.
            ranks: of the lines that are asked for, in the order of what is selected first.
        """
        where = condition(table)
        asked = [*nodes] if where is None else [*nodes, where]
        try:
            _decided_quickly([*nodes[:by], *asked[len(nodes) :]])
            made = Expressions(self.columns, self.source, asked)
            selected = what(made)
            conditions = [] if where is None else [made.of(where)]
            chosen = None if among is None else among(made)
        except NoForm as error:
            refused = self.refused(error.what)
        else:
            if chosen is not None and not having:
                conditions.append(chosen)
            text = f"SELECT {', '.join(selected)} FROM {made.source()}"
            if conditions:
                text += f" WHERE {' AND '.join(conditions)}"
            if by:
                # A key that is a number would be a place.
                text += f" GROUP BY {', '.join(str(at + 1) for at in range(by))}"
            if chosen is not None and having:
                text += f" HAVING {chosen}"
            if most is not None:
                text += f" LIMIT {most}"
            if ranks is not None:
                text += f" ORDER BY 1 LIMIT {ranks[1] - ranks[0]} OFFSET {ranks[0]}"
            return answered(self.source, text, [] if by or ranks else [(0,) * len(selected)])
        raise refused


def _perhaps(field: Any, marks: Node) -> Nullable:
    """A field that is missing where a row has no partner."""
    if isinstance(field, Nullable):
        return Nullable(field.value, both(field.there, marks))
    return Nullable(field, marks)


def _decided_quickly(nodes: Sequence[Node]) -> None:
    """Raises:
    NoForm: an elementary function decides which rows count, or in which group: the engine's plans
        of such queries may take longer than anyone waits.
    """
    if any(node.operator in elementary.NAMES for node in in_order(nodes)[0]):
        raise NoForm("elementary functions in a condition or a key")


class EngineGroups(Groups):
    """The rows of each public key: the sums of all of them in one query.

    Args:
        row: a node, or a tuple of nodes that is compared with keys that are tuples.
        keys: public ones, or all that there are.
        counts: rows of each, where they are known.
    """

    __slots__ = ("_engine", "_first", "_row", "_table", "keys")

    def __init__(
        self,
        engine: EngineRows,
        table: Table,
        row: Any,
        keys: Sequence[Any],
        counts: Sequence[int] | None = None,
    ) -> None:
        super().__init__(None, None, len(keys), table.pieces)
        self._engine, self._row, self.keys = engine, row, keys
        if counts is not None:
            import numpy as np

            self._counts = np.array([*counts, 0], np.int64)
        self._first = _first(row, keys)
        self._table = table.with_row(row)

    @property
    def counts(self) -> Any:
        """Rows per key; 0 behind the last."""
        if self._counts is None:
            self._counts = self._engine.counts_of_keys(self._table, self._first, self.count)
        return self._counts

    def positions(self, part: int) -> Any:
        """Raises:
        EngineError: always; no row has a position.
        """
        raise self._engine.refused("rows by their positions")

    def sums(self, where: Node | None, asked: Sequence[tuple[Node, Bound]]) -> Any:
        """For everything that is asked, a list with the sums of every part."""
        table = self._table if where is None else self._table.filtered(where)
        key = same(where, *(node for node, _ in asked))
        bounds = tuple(bound for _, bound in asked)
        made = self._shared.get(("sums", key, bounds)) if key is not None else None
        if made is None:
            made = self._engine.grouped_sums(table, self._first, self.count, asked)
            if key is not None:
                self._shared["sums", key, bounds] = made
        return made

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


def _stored_as(field: Any, names: Sequence[str]) -> list[tuple[Node, str]]:
    """The nodes of a field, and how a table says what they are that holds what it is sorted by."""
    value, there = parts(field)
    if there is None:
        return [(value, names[0])]
    gap, name = names
    return [(value, name), (there, f"(NOT {gap})")]


def _known(row: Any, key: Any) -> Any:
    return tuple(map(told, key)) if isinstance(row, tuple) else told(key)


def _first(row: Any, keys: Sequence[Any]) -> dict[Any, int]:
    return first_places(row, keys)[1]


def condition(table: Table) -> Node | None:
    """The condition of the rows that count."""
    part = table.part
    if part is None:
        if table.chosen is not None:
            raise InternalError("positions of rows that lie elsewhere")
        return table.where
    if not isinstance(part, TablePart) or not isinstance(part.groups, EngineGroups):
        raise Untraceable("the rows of all parts")
    test = part.groups.test(part.place)
    return test if table.where is None else both(table.where, test)


def _sums(sql: Dialect, made: Expressions, asked: Sequence[tuple[Node, Bound]]) -> list[str]:
    return [
        sql.total(step, _size(bound)) for node, bound in asked for step in made.steps(node, bound)
    ]


def _numbers(node: Node, bound: Bound) -> int:
    """How many numbers the sum of a node is."""
    return 1 if node.width is None else node.width ** (2 if isinstance(bound, Squares) else 1)


def _by_question(found: Sequence[Any], asked: Sequence[tuple[Node, Bound]]) -> list[Any]:
    """Sums one after the other: for everything that is asked a number, or those of a vector."""
    numbers, made = map(int, found), []
    for node, bound in asked:
        entries = list(islice(numbers, _numbers(node, bound)))
        made.append(entries[0] if node.width is None else entries)
    return made


def _bits(bound: GridRange) -> int:
    return _size(bound).bit_length()


def _size(bound: Bound) -> int:
    """A bound on the size of what rows add, in steps."""
    if isinstance(bound, GridRange):
        return max(-bound.first, bound.last)
    return 1 << (_BITS if isinstance(bound, Squares) else 62)


def _plain(value: Any) -> Any:
    """A value of Python as columns have it."""
    return finite(value) + 0.0 if isinstance(value, float) else value
