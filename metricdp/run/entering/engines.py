"""Tables that lie on an engine: what every field is there, checked by the engine's own types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from metricdp.columns.nullable import Nullable
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.columns.unread_texts import UnreadTexts
from metricdp.engines import zones
from metricdp.engines.dialect import Dialect
from metricdp.engines.duckdb_sql import MOMENT, moment_of_cell, of_cell
from metricdp.engines.opened import OpenTable
from metricdp.engines.openers import lies_elsewhere, opened
from metricdp.engines.rows import EngineColumn, EngineColumns
from metricdp.engines.sources import EngineSource, Widened
from metricdp.errors import EngineError, SchemaError
from metricdp.run.cells import kind_of, schema_error
from metricdp.run.entering.kinds import CLOCK, instead
from metricdp.run.entering.moments import row_of_moments
from metricdp.run.entering.stored import limits_of
from metricdp.run.facts import LEAST, MOST, Notice, doubles_within, whole
from metricdp.spaces import Maybe, Moment, Records, Row, Scalar
from metricdp.spaces.moments import ends_of
from metricdp.values import Exact

#: Kind of a field -> what a cell of a text file has to look like.
_LOOKS: Final = {
    "int": r"\s*[+-]?[0-9]+\s*",
    "float": r"\s*([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
             r"|[+-]?[iI]nf(inity)?|[nN]a[nN])\s*",
    "bool": r"\s*([tT]rue|TRUE|[fF]alse|FALSE|0|1)\s*",
    "date": r"\s*[0-9]{4}-[0-9]{2}-[0-9]{2}\s*",
    "datetime": r"\s*[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?\s*",
    "instant": r"\s*[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?"
               r"(Z|[+-]([01][0-9]|2[0-3])(:[0-5][0-9])?)\s*",
}  # fmt: skip


def source_of(value: Any) -> OpenTable | None:
    """The table that a caller opened, or named by its path; None of anything else."""
    if isinstance(value, OpenTable):
        return value
    if lies_elsewhere(value):
        found = opened(value)
        return None if found is None else OpenTable(found)
    return None


def table_of(name: str, space: Records, opened: OpenTable, notice: Notice) -> Table:
    """The rows of a source as a table: where they lie, or brought here column by column.

    Raises:
        SchemaError: columns or types that are not those of the row; a value that is missing where
            the field may not be.
        EngineError: the engine failed.
    """
    if notice.strict:
        raise EngineError(
            "strict=True looks at every value, which no engine does",
            place=name,
            remedy="leave strict out, or pass dp.table(source, collect=True)",
        )
    row = space.row
    named = _labels(name, row, opened.source)
    source = opened.source.settled(named)
    fields: Sequence[Any] = row.fields if isinstance(row, Row) else [row]
    reading = _Reading(name, source, space.drop_nan)
    parts = [reading.field(f, label) for f, label in zip(fields, named, strict=True)]
    reading.check()
    source = reading.shown()
    columns = EngineColumns.of(source, reading.columns, name)
    made = [_node(part, columns) for part in parts]
    value = row.build(made) if isinstance(row, Row) else made[0]
    held = _collected(source, columns) if opened.collect else columns
    table = Table(held, value, value=Exact)
    for place in reading.kept:
        table = table.filtered(columns[place].node(place))
    return table


def _collected(source: EngineSource, columns: EngineColumns) -> tuple[Stored, ...]:
    """The clean columns, in arrays of our own."""
    texts = (f"{column.clean} AS c{at}" for at, column in enumerate(columns))
    arrays = source.arrays(f"SELECT {', '.join(texts)} FROM {source.rows}", len(columns))
    return tuple(
        Stored(
            column.base,
            UnreadTexts(array.tolist()) if column.base == "text" else array,
            column.bottom,
            column.top,
        )
        for column, array in zip(columns, arrays, strict=True)
    )


def _labels(name: str, row: Any, source: EngineSource) -> list[str]:
    """The column of every field."""
    there = list(source.schema)
    if not isinstance(row, Row) or row.kind == "tuple":
        wanted = len(row.fields) if isinstance(row, Row) else 1
        if len(there) != wanted:
            raise SchemaError(
                f"{len(there)} columns where {wanted} {'is' if wanted == 1 else 'are'} declared",
                place=name,
                remedy="declare a row with the names of the columns: dp.schema_of prints it",
            )
        return there
    for field in row.names:
        if field not in there:
            raise SchemaError(
                f"no column {field}", place=name, remedy=f"name the columns {', '.join(row.names)}"
            )
    return list(row.names)


class _Reading:
    """The fields of a row one by one: their columns, and what is asked before they are read.

    Attributes:
        columns: the columns of the engine.
        kept: places of columns of Booleans that all have to be true.
    """

    def __init__(self, name: str, source: EngineSource, drop: bool) -> None:
        self._name, self._source, self._drop = name, source, drop
        self.columns: list[EngineColumn] = []
        self.kept: list[int] = []
        self._clocks: dict[str, str] = {}
        self._full: dict[str, tuple[str, ...]] = {}
        self._known: set[str] | None = None

    def field(self, space: Any, label: str) -> tuple[Any, int, int]:
        """The space of a field, and the places of its value and of its mark (-1 for none)."""
        place, sql = f"{self._name}.{label}", self._source.dialect
        if isinstance(space, Row):
            raise schema_error(
                place, "a field of several values, which no engine reads",
                "a field for each value; or pass the rows themselves, as a list or a data frame",
            )  # fmt: skip
        inner = space.inner if isinstance(space, Maybe) else space
        kind = inner.kind if isinstance(inner, Moment) else kind_of(inner.element, inner.kind)
        if not kind:
            raise schema_error(
                place, "a field of no declared kind", "declare it as int, float, bool or str"
            )
        zone = inner.zone if isinstance(inner, Moment) else ""
        kind = "instant" if zone else kind
        raw, told = sql.name(label), self._source.schema[label]
        moment, texts = raw, getattr(self._source, "texts", False)
        if texts and zone:
            moment = f"CASE WHEN {_looks(kind, raw)} THEN {moment_of_cell(raw)} END"
            text = sql.read(kind, MOMENT, moment)
        else:
            text = of_cell(kind, raw) if texts else sql.read(kind, told, raw)
        if text is None:
            raise schema_error(
                place,
                f"a column of {told} where {'a moment with a zone' if zone else kind} is needed",
                _in_one_zone(sql, told, raw, zone)
                or instead(told, f"declare the field as what it is, or cast it before: {raw}::..."),
            )  # fmt: skip
        wrong = ""
        if texts:
            if kind == "str" and not isinstance(space, Maybe):
                text = f"coalesce({raw}, '')"
            elif kind != "str":
                text = text if zone else f"CASE WHEN {_looks(kind, raw)} THEN {text} END"
                wrong = f"coalesce(bool_or({raw} IS NOT NULL AND ({text}) IS NULL), false)"
        optional = isinstance(space, Maybe) or self._drop
        # Libraries write what is no number as NULL; a field of numbers takes both as it takes NaN.
        full = optional or kind == "float"
        missing = "false" if full else f"coalesce(bool_or(({text}) IS NULL), false)"
        # What fails where it is read has to fail now, not when something was released.
        self._full[label] = missing, wrong or "false", sql.looked_at(text)
        shown = self._clock(zones.clock(sql, zone, moment, text)) if zone else text
        self.columns.append(_column(sql, place, inner, kind, shown, optional))
        at = len(self.columns) - 1
        if not optional:
            return inner, at, -1
        there = f"({text}) IS NOT NULL"
        if kind == "float":  # NaN is missing where a value may be, as in memory
            there = f"(({text}) IS NOT NULL AND NOT isnan({text}))"
        self.columns.append(EngineColumn(sql, "boolean", there))
        if self._drop:
            self.kept.append(at + 1)
            return inner, at, -1
        return inner, at, at + 1

    def _clock(self, text: str) -> str:
        """The name of a column that holds what a clock shows: what is said of it is long."""
        there = {column.lower() for column in self._source.schema}
        name = f"clock_{len(self._clocks)}"
        while name in there:
            name += "_"
        self._clocks[name] = text
        return name

    def shown(self) -> EngineSource:
        """The rows, with what clocks show as columns more."""
        return Widened(self._source, self._clocks) if self._clocks else self._source

    def check(self) -> None:
        """Raises:
        SchemaError: a value is missing, or a cell of a text file is not of the declared kind.
        EngineError: the rows cannot be read.
        """
        sure = self._source.known_full(list(self._full))
        asked = {label: told for label, told in self._full.items() if label not in sure}
        if not asked:
            return
        texts = ["count(*)", *(text for told in asked.values() for text in told)]
        query = f"SELECT {', '.join(texts)} FROM {self._source.rows}"
        if query in self._source.passed:  # a session's table, or an open one that is asked again
            self._source.plan("SELECT 1")  # which tells of a file that changed
            return
        ((_, *line),) = self._source.ask(query)
        for at, label in enumerate(asked):
            place = f"{self._name}.{label}"
            if line[3 * at + 1]:
                raise schema_error(place, "a cell that is none of the declared kind",
                                   "declare the field as str, or mend the file")  # fmt: skip
            if line[3 * at]:
                raise schema_error(
                    place, "a missing value (NULL)",
                    "declare the field as Optional, or pass a table without missing values",
                )  # fmt: skip
        self._source.passed.add(query)


def _looks(kind: str, raw: str) -> str:
    """Whether a cell of a text file looks like one of a kind."""
    looks = _LOOKS[kind].replace("'", "''")
    return f"regexp_full_match({raw}, '{looks}')"


def _in_one_zone(sql: Dialect, told: str, raw: str, zone: str) -> str:
    """What to write for a column of moments, of which clocks show another time in every zone, or of
    clocks where moments are needed; "" for any other column."""
    if sql.read("instant", told, raw) is not None:
        return f"say whose clock is meant: declare the field as {CLOCK}"
    if zone and sql.read("datetime", told, raw) is not None:
        return "declare the field as datetime: the column holds what a clock shows, and no zone"
    return ""


def _column(sql: Dialect, place: str, space: Any, kind: str, text: str, gaps: bool) -> EngineColumn:
    if isinstance(space, Moment):
        return EngineColumn(sql, "integer", text, *ends_of(space.kind), gaps=gaps)
    assert isinstance(space, Scalar)
    limits = limits_of(space)
    if kind == "float":
        return EngineColumn(sql, "double", text, *doubles_within(limits, place), gaps=gaps)
    if kind == "int":
        low, high = whole(limits)
        bottom, top = (None if x is None else max(min(int(x), MOST), LEAST) for x in (low, high))
        if bottom is not None and top is not None and bottom > top:
            bottom = top
        return EngineColumn(sql, "integer", text, bottom, top, gaps)
    if kind == "bool" and limits not in ((None, None), (0, 1)):
        raise schema_error(place, "bounds on truth values", "leave the bounds out")
    return EngineColumn(sql, {"bool": "boolean", "str": "text"}[kind], text, gaps=gaps)


def _node(part: tuple[Any, int, int], columns: EngineColumns) -> Any:
    space, at, mark = part
    value: Any = row_of_moments(space, columns[at].node(at))
    return value if mark < 0 else Nullable(value, columns[mark].node(mark))
