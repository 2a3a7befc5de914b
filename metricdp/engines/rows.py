"""Rows on an engine: what a table asks is one query each, and what comes back is exact integers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any, Final

from metricdp.columns.floats import finite
from metricdp.columns.graphs import in_order
from metricdp.columns.grids import Bound, GridRange
from metricdp.columns.groups import same
from metricdp.columns.joins import row_fields
from metricdp.columns.keys import KeyPlaces, first_places, told
from metricdp.columns.language import (
    LARGEST,
    Node,
    both,
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
from metricdp.engines.answers import aggregates, answer, by_question, by_questions
from metricdp.engines.dialect import Dialect, NoForm
from metricdp.engines.expressions import Expressions
from metricdp.engines.foreseen import RowQuestion, running
from metricdp.engines.joined import THERE, TableSide, place_of, public_rows
from metricdp.engines.joined import joined as side_by_side
from metricdp.engines.keyed import EngineGroups, ValueGroups, condition
from metricdp.engines.persons import KeptRows, kept
from metricdp.engines.sources import EngineSource, answered
from metricdp.errors import EngineError

#: Keys that are looked for in every row; of more, those are left out that the groups do not have.
_FEW: Final = 64


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

    def held(self, at: int) -> EngineColumn:
        """The column in a table of the engine's own that holds clean values, by its place there."""
        return EngineColumn(
            self._sql, self.base, f"c{at}", self.bottom, self.top, clean=True, most=self._most
        )

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
    def of(
        cls, source: EngineSource, columns: Sequence[EngineColumn], made_as: Hashable = None
    ) -> EngineColumns:
        """The columns of a source; see `EngineRows`."""
        made = cls(columns)
        # A tuple that does not know it: no cycle.
        made.engine = EngineRows(source, tuple(columns), made_as)
        return made


class EngineRows:
    """The rows of one source; see `columns.elsewhere.Engine`.

    Args:
        made_as: how they were made, where a run asks what its rehearsal asked.

    Attributes:
        source: who is asked.
        columns: of the table.
        made_as: what tells the rows from others in a run.
    """

    def __init__(
        self, source: EngineSource, columns: Sequence[EngineColumn], made_as: Hashable = None
    ) -> None:
        self.source, self.columns = source, columns
        # Questions about rows of other columns would have no meaning here.
        self.made_as = made_as, tuple((c.base, c.text, c.bottom, c.top, c.gaps) for c in columns)

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

        question = RowQuestion(condition(table), tuple(asked), tuple(summed), tuple(pairs))
        count, *found = answer(self, question, self._asked)
        sums = RowSums([bound for _, bound in asked], summed, pairs)
        sums.known(
            dict(zip(summed, found, strict=False)),
            dict(zip(pairs, found[len(summed) :], strict=True)),
        )
        table._counted[:] = [count]
        return sums

    def ticks(self, table: Table, asked: Sequence[tuple[Node, Bound]]) -> list[Any]:
        """Sums of numbers and of vectors, in steps of the grid of each bound."""
        count, *found = answer(self, RowQuestion(condition(table), tuple(asked)), self._asked)
        table._counted[:] = [count]
        return by_question(found, asked) if count else [None] * len(asked)

    def _asked(self, questions: Sequence[RowQuestion]) -> list[list[int]]:
        """The answers to several questions, from one query."""
        ((*found,),) = self._lines(None, (), questions)
        return by_questions(found, questions)

    def tallies(self, table: Table, keys: Sequence[Any]) -> Any:
        """How many rows have each of some public keys, the first of equal ones, and none."""
        row = table.row
        places = row.public if isinstance(row, Node) and row.operator == "position" else None
        every = keys == range(len(keys))
        # Positions among keys that are counted are these keys, counted.
        if every and isinstance(places, KeyPlaces) and places.count == len(keys):
            table, first = table.with_row(row.arguments[0]), places.first
        else:
            first = first_places(row, keys)[1]
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
        for place, (line,) in self.grouped(table, first, [RowQuestion(None, ())]).items():
            found[place] = line[0]
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
        # They come in any order, and seeded noise would be another key's the next time.
        found.sort()
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

    def by_value(self, table: Table, position: int, most: int, several: bool) -> Any:
        """The rows by what a column of texts, integers or Booleans holds, once several constants
        are looked for in it, or will be; None of others."""
        node, run = self.columns[position].node(position), running()
        if node.base == "double":
            return None
        if run is not None and run.hearing and several:
            run.foreseen.heard_several(self.made_as, position)
        if not several and (run is None or not run.foreseen.has_several(self.made_as, position)):
            return None
        return ValueGroups(self, table, node, most)

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

    def with_so_many(self, table: Table, owner: Any, least: int, most: int | None) -> Table:
        """`columns.owners.with_so_many`."""

        def found(test: Node | None, once: bool) -> EngineSource:
            return KeptRows(self.columns, self.source, test, [owner]).of_many(least, most, once)

        return self._kept_as(table, [owner], found, "many", least, most)

    def with_so_much(self, table: Table, owner: Any, number: Node, least: Any, most: Any) -> Table:
        """`columns.owners.with_so_much`."""

        def found(test: Node | None, once: bool) -> EngineSource:
            made = self.columns, self.source, test, [owner]
            sums, _, _ = partial_sums.summed(*made, number)
            return KeptRows(*made).of_those(sums, number.base, least, most, once)

        return self._kept_as(table, [owner, number], found, "much", least, most)

    def _kept(
        self,
        table: Table,
        owners: Sequence[Any],
        fields: Sequence[Any],
        groups: int | None,
        most: int,
    ) -> Table:
        """The table of the rows that `persons.kept` leaves."""

        def found(test: Node | None, once: bool) -> EngineSource:
            return kept(self.columns, self.source, test, owners, fields, groups, most, once)

        return self._kept_as(table, (*owners, *fields), found, "kept", groups, most)

    def _kept_as(
        self,
        table: Table,
        fields: Sequence[Any],
        found: Callable[[Node | None, bool], EngineSource],
        *told: Any,
    ) -> Table:
        """A table of some rows.

        Args:
            fields: of a row, by which they are chosen.
            found: the condition on rows, and whether what it gives is asked once at most -> these.
            told: what else says which rows they are.
        """
        test, run = condition(table), running()
        nodes = [part for field in fields for part in parts(field) if part is not None]
        what, *numbers = told
        made_as = what, self.made_as, same(test, *nodes), test is None, *numbers
        if run is not None and run.hearing:
            run.foreseen.heard_other(self.made_as)
        try:
            # Of what is asked once no copy is needed.
            held = [c.held(at) for at, c in enumerate(self.columns)]
            own = EngineRows(self.source, held, made_as).made_as
            once = run is not None and not run.hearing and run.foreseen.once(own)
            source = found(test, once)
        except NoForm as error:
            refused = self.refused(error.what)
        else:
            columns = EngineColumns.of(source, held, made_as)
            return Table(columns, table.row, value=table.value)
        raise refused

    def public(self, columns: Sequence[Sequence[Any]], value: Any) -> Table:
        """`columns.joins.public_table`, where these rows lie."""
        try:
            source, held = public_rows(self.source, columns)
        except NoForm as error:
            refused = self.refused(error.what)
        else:
            made = [EngineColumn(source.dialect, base, text, clean=True) for base, text in held]
            told = "public", tuple(map(tuple, columns))
            row = tuple(each.node(at) for at, each in enumerate(made))
            return Table(EngineColumns.of(source, made, told), row, value=value)
        raise refused

    def joined(
        self,
        a: Table,
        b: Table,
        id_a: Any,
        id_b: Any,
        rest: Sequence[Any],
        build: Any,
        how: str,
        most: tuple[int, int] | tuple[None, None] = (None, None),
    ) -> Table:
        """`columns.joins.met`, `beside` and `joined`."""
        engines = [getattr(each.columns, "engine", None) for each in (a, b)]
        sides, run = [], running()
        for each, table, owner, first in zip(engines, (a, b), (id_a, id_b), most, strict=True):
            if not isinstance(each, EngineRows) or each.source.engine != self.source.engine:
                raise self.refused("rows of two tables, side by side, one of which lies elsewhere")
            where, fields = condition(table), () if first is None else row_fields(table.row)
            sides.append(TableSide(each.columns, each.source, where, single(owner), first, fields))
            if run is not None and run.hearing:
                run.foreseen.heard_other(each.made_as)
        told = [(same(s.owner, s.test, *s.fields), s.test is None, s.most) for s in sides]
        made_as = "joined", *(getattr(each, "made_as", None) for each in engines), how, *told
        try:
            source = side_by_side(sides[0], sides[1], how)
        except NoForm as error:
            refused = self.refused(error.what)
        else:
            beside = how in ("inner", "left")
            columns = (*sides[0].columns, *(sides[1].columns if beside else ()))
            held = [each.held(at) for at, each in enumerate(columns)]
            if not beside:
                return Table(EngineColumns.of(source, held, made_as), a.row, value=a.value)
            its = [moved(field, len(sides[0].columns)) for field in rest]
            if how == "left":
                held.append(EngineColumn(source.dialect, "boolean", THERE, clean=True))
                marks = held[-1].node(len(held) - 1)
                its = [_perhaps(field, marks) for field in its]
            row = build([*row_fields(a.row), *its])
            return Table(EngineColumns.of(source, held, made_as), row, value=a.value)
        raise refused

    def summed(
        self, table: Table, owners: Sequence[Any], number: Node, groups: int | None
    ) -> Table:
        """`columns.owners.summed` and `summed_by_group`."""
        test, run = condition(table), running()
        if run is not None and run.hearing:
            run.foreseen.heard_other(self.made_as)
        nodes = [part for field in owners for part in parts(field) if part is not None]
        made_as = "summed", self.made_as, same(test, number, *nodes), test is None, groups
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
            return Table(EngineColumns.of(source, held, made_as), row, value=table.value)
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

    def grouped(
        self, table: Table, first: dict[Any, int], questions: Sequence[RowQuestion]
    ) -> dict[int, list[list[int]]]:
        """Place of a key -> the answers to some questions; no entry where there is no row."""
        row, sql = table.row, self.source.dialect
        parts: tuple[Node, ...] = row if isinstance(row, tuple) else (row,)
        keys = [key if isinstance(row, tuple) else (key,) for key in first]
        listed = [[text for text in map(sql.key, key, parts) if text is not None] for key in keys]
        wanted = [each for each in listed if len(each) == len(parts)]
        if not wanted:
            return {}

        def among(made: Expressions) -> str:
            return sql.among([(made.of(part), part) for part in parts], wanted)

        found: dict[int, list[list[int]]] = {}
        where = condition(table)
        for line in self._lines(where, parts, questions, among, len(keys) > _FEW):
            key = tuple(told(_plain(x)) for x in line[: len(parts)])
            place = first.get(key if isinstance(row, tuple) else key[0])
            if place is not None:
                found[place] = by_questions(line[len(parts) :], questions)
        return found

    def of_values(
        self, table: Table, node: Node, questions: Sequence[RowQuestion], most: int
    ) -> dict[Any, list[list[int]]] | None:
        """Value of a column -> the answers to some questions; None where it holds more values."""
        found = self._lines(condition(table), (node,), questions, most=most + 1)
        if len(found) > most:
            return None
        return {line[0]: by_questions(line[1:], questions) for line in found}

    def _lines(
        self,
        where: Node | None,
        keys: Sequence[Node],
        questions: Sequence[RowQuestion],
        among: Callable[[Expressions], str] | None = None,
        having: bool = False,
        most: int | None = None,
    ) -> list[tuple[Any, ...]]:
        """For every group of the rows its keys, and the answers one after the other; see `_query`.

        A condition that all questions have chooses rows; of several, each chooses what is added.
        """
        first = questions[0].where
        alone = len({None if q.where is None else same(q.where) or id(q) for q in questions}) == 1
        if alone and first is not None:
            where = first if where is None else both(where, first)
        tests = [None if alone else question.where for question in questions]

        def what(made: Expressions) -> list[str]:
            texts = [None if test is None else made.of(test) for test in tests]
            named = dict.fromkeys(text for text in texts if text is not None)
            names = dict(zip(named, made.kept([*named]), strict=True)) if named else {}
            answers = [
                text
                for question, test in zip(questions, texts, strict=True)
                for text in aggregates(
                    self.source.dialect, made, question, None if test is None else names[test]
                )
            ]
            return [*map(made.of, keys), *answers]

        nodes = [*keys, *(node for q in questions for node, _ in q.asked)]
        chosen = [test for test in tests if test is not None]
        rows = Table((), (), where)
        return self._query(rows, nodes, what, len(keys), among, having, most, also=chosen)

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
        also: Sequence[Node] = (),
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
            also: conditions of which `what` is given the expressions.
        """
        where, run = condition(table), running()
        if run is not None and run.hearing and len(table.columns):
            run.foreseen.heard_other(self.made_as)
        asked = [*nodes, *also] if where is None else [*nodes, *also, where]
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


def _stored_as(field: Any, names: Sequence[str]) -> list[tuple[Node, str]]:
    """The nodes of a field, and how a table says what they are that holds what it is sorted by."""
    value, there = parts(field)
    if there is None:
        return [(value, names[0])]
    gap, name = names
    return [(value, name), (there, f"(NOT {gap})")]


def _plain(value: Any) -> Any:
    """A value of Python as columns have it."""
    return finite(value) + 0.0 if isinstance(value, float) else value
