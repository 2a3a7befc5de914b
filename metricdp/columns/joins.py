"""The pairs of rows of two tables that have one key: all, or at most so many of each table per key.

Of the rows of a key those are kept that come first in a public order of hashes, so that it depends
on the rows alone and not on their order which they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from metricdp.columns.distinct import NumberSpan, seen, span_of
from metricdp.columns.evaluators import by_reference
from metricdp.columns.keys import position
from metricdp.columns.language import Node, Untraceable, eq, select, single
from metricdp.columns.moments import Instant
from metricdp.columns.nullable import Nullable
from metricdp.columns.occurrences import of_texts
from metricdp.columns.parted import Parted, marked, number_of_parts, stored_rows
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.columns.texts import Texts
from metricdp.columns.tracing import row_of, traced

if TYPE_CHECKING:
    from metricdp.columns.elsewhere import Engine

Key = Callable[[Any], Any]
Build = Callable[[Any, Any, Sequence[Any]], Any]
Order = Callable[[Sequence[tuple[str, Any, list[Any]]]], tuple[Any, ...]]


def joined(
    a: Any, b: Any, key_a: Key, key_b: Key, most: tuple[int, int], build: Build, order: Order
) -> Table:
    """A table: the fields of a row of the first table, then those of one of the second.

    Args:
        most: rows of the first table, and of the second, that a key keeps.
        build: a row of both tables and its fields -> the row of the result.
        order: base, codes and values of every field of some rows -> arrays that put them in a
            public order, as `numpy.lexsort` takes them.

    Raises:
        Untraceable: rows that are no columns of single values, or a key that has no form.
        EngineError: no engine holds both tables, or their keys are of two kinds on one.
    """
    if (engine := _elsewhere(a, b)) is not None:
        rows = a.row, b.row
        id_a, id_b, rest = _key(a, key_a), _key(b, key_b), _fields(b.row)
        return engine.joined(a, b, id_a, id_b, rest, partial(build, *rows), "inner", most)
    sides = [_Side(table, key, order) for table, key in ((a, key_a), (b, key_b))]
    first, second = sides
    # Keys are numbered in the order in which they come in the first table.
    places = {value: place for place, value in enumerate(first.keys)}
    shared = [places.get(value, -1) for value in second.keys]
    left, right = first.codes, np.array([*shared, -1], np.int64)[second.codes]
    met = np.zeros(len(places) + 1, np.bool_)
    met[right] = True
    kept_a, keys_a = first.kept(np.where(met[left], left, -1), most[0])
    kept_b, keys_b = second.kept(right, most[1])
    order = _by_first(keys_a, first.codes)
    kept_a, keys_a = kept_a[order], keys_a[order]
    starts = np.searchsorted(keys_b, keys_a, side="left")
    counts = np.searchsorted(keys_b, keys_a, side="right") - starts
    rows_a = np.repeat(kept_a, counts)
    ends = np.cumsum(counts)
    within = np.arange(len(rows_a)) - np.repeat(ends - counts, counts)
    rows_b = kept_b[np.repeat(starts, counts) + within]
    columns = (*first.taken(rows_a), *second.taken(rows_b))
    nodes = [each.node(at) for at, each in enumerate(columns)]
    row = build(first.table.row, second.table.row, nodes)
    return Table(columns, row, value=first.table.value)


def met(a: Table, b: Table, id_a: Any, id_b: Any, kept: bool) -> Table:
    """The rows of the first table whose id is in the second one, or is not.

    Args:
        id_a, id_b: the ids in the rows of each table.

    Raises:
        Untraceable: ids that are no single values.
        EngineError: no engine holds both tables.
    """
    if (engine := _elsewhere(a, b)) is not None:
        return engine.joined(a, b, id_a, id_b, (), tuple, "semi" if kept else "anti")
    mine, theirs = single(id_a), single(id_b)
    if by_reference() or mine.base != theirs.base or mine.base == "boolean":
        codes, others, _ = _shared(a, b, mine, theirs)
        return a.taken(np.flatnonzero(np.isin(codes, others) == kept))
    marks = a.room()(stored_rows(a), np.bool_)
    marks[:] = False
    if mine.base == "text":
        texts = of_texts(values for _, (values,) in b.pieces(theirs))[0]
        _mark(a, mine, marks, _TextsAmong(texts), kept)
    elif span := span_of(b, theirs, stored_rows(b)):
        _mark(a, mine, marks, partial(_numbers_among, *seen(b, theirs, span), span), kept)
    else:
        _mark_in_parts(a, b, mine, theirs, marks, kept)
    return marked(a, marks)


def _mark(a: Table, mine: Node, marks: Any, among: Callable[[Any], Any], kept: bool) -> None:
    """Mark the rows that count whose id is among others, or is not."""
    every = Table(a.columns, (), None, a.positions, a.value)
    start, asked = 0, [mine] if a.where is None else [mine, a.where]
    for rows, (ids, *counting) in every.pieces(*asked):
        found = among(ids) == kept
        marks[start : start + rows] = found & counting[0] if counting else found
        start += rows


class _TextsAmong:
    """Which texts are among others."""

    def __init__(self, others: Sequence[str]) -> None:
        self._others = frozenset(others)
        self._known: tuple[Any, Any] = (None, None)

    def __call__(self, texts: Texts) -> Any:
        values, table = self._known
        if texts.values is not values:  # the pieces of a column share one list
            held = (text in self._others for text in texts.values)
            table = np.fromiter(held, np.bool_, len(texts.values))
            self._known = texts.values, table
        return table[texts.codes]


def _numbers_among(seen: Any, others: Set[int], span: NumberSpan, ids: Any) -> Any:
    if others:
        known = others | {span.low + code for code in np.flatnonzero(seen).tolist()}
        return np.array([value in known for value in ids.tolist()], np.bool_)
    if ids.dtype == object:
        ids = np.clip(ids, span.low - 1, span.low + span.size)
    inside = (ids >= span.low) & (ids < span.low + span.size)
    return inside & seen[np.where(inside, ids, span.low).astype(np.int64) - span.low]


def _mark_in_parts(
    a: Table, b: Table, mine: Node, theirs: Node, marks: Any, kept: bool
) -> None:  # fmt: skip
    count = number_of_parts(max(stored_rows(a), stored_rows(b)))
    first, second = Parted(a, [mine], count), Parted(b, [theirs], count)
    for part in range(count):
        there = [second.read(part, rows)[1][0] for rows in second.slices(part)]
        for rows in first.slices(part):
            rows, (ids,) = first.read(part, rows)
            marks[rows] = _among(ids, there) == kept


def _among(ids: Any, others: Sequence[Any]) -> Any:
    """Which of some ids are among others."""
    if all(each.dtype == ids.dtype != object for each in others):
        return np.isin(ids, np.concatenate([ids[:0], *others]))
    known = {value for each in others for value in each.tolist()}
    return np.array([value in known for value in ids.tolist()], np.bool_)


def beside(
    a: Table, b: Table, id_a: Any, id_b: Any, rest: Sequence[Any],
    build: Callable[[Sequence[Any]], Any], left: bool,
) -> Table:  # fmt: skip
    """Every row of the first table beside those of the second one with its id.

    Args:
        rest: the fields of the second table that come along.
        build: the fields of the first table and these -> the row of the result.
        left: whether a row without a partner stands alone, and these fields are missing there.

    Raises:
        Untraceable: fields that are no single values.
        EngineError: no engine holds both tables.
    """
    if (engine := _elsewhere(a, b)) is not None:
        return engine.joined(a, b, id_a, id_b, rest, build, "left" if left else "inner")
    rows_a, rows_b, there = _pairs(*_shared(a, b, id_a, id_b), left)
    columns: list[Stored] = []
    of_a, of_b = a.taken(rows_a), b.taken(rows_b)
    del rows_a, rows_b
    fields = [_moved(of_a, field, columns) for field in row_fields(a.row)]
    if left:
        marks = _added(Stored("boolean", there), columns)
        fields += [_perhaps(of_b, field, columns, there, marks) for field in rest]
    else:
        fields += [_moved(of_b, field, columns) for field in rest]
    return Table(tuple(columns), build(fields), value=a.value)


def _pairs(mine: Any, theirs: Any, size: int, left: bool) -> tuple[Any, Any, Any]:
    """The rows of the first table, once for each pair; those of the second one; and where there is
    one.

    Args:
        mine, theirs: ids of the rows of each table, below `size`.
    """
    order = np.argsort(theirs, kind="stable")
    counts = np.bincount(theirs, minlength=size)
    starts = np.cumsum(counts) - counts
    met = counts[mine]
    times = np.maximum(met, 1) if left else met
    rows_a = np.repeat(np.arange(len(mine)), times)
    places = np.arange(len(rows_a))
    places += np.repeat(starts[mine] - (np.cumsum(times) - times), times)
    if not left:
        return rows_a, order[places], None
    there = np.repeat(met > 0, times)
    return rows_a, order[places[there]], there


def beside_public(
    a: Table, key: Any, columns: Sequence[Sequence[Any]],
    build: Callable[[Sequence[Any]], Any], left: bool,
) -> Table:  # fmt: skip
    """`beside` of a public table whose keys are different: no row of the first table is moved.

    Args:
        columns: of the public table, the first one with the keys.
    """
    keys, *rest = columns
    size = len(a.columns[0])
    tables = [_public_column(values) for values in rest]
    made = [a.room()(size, table.dtype) for table in tables]
    marks, start = a.room()(size, np.bool_), 0
    # Also of rows that do not count: columns are as long as all others.
    for rows, (places,) in Table(a.columns, (), None, None, a.value).pieces(
        position(single(key), keys)
    ):
        marks[start : start + rows] = places < len(keys)
        for column, table in zip(made, tables, strict=True):
            column[start : start + rows] = table[places]
        start += rows
    held = [
        Stored("text", Texts(codes, [*dict.fromkeys(values)])) if isinstance(values[0], str)
        else Stored("boolean" if codes.dtype == np.bool_ else "integer", codes)
        for codes, values in zip(made, rest, strict=True)
    ]  # fmt: skip
    nodes: list[Any] = [each.node(len(a.columns) + at) for at, each in enumerate(held)]
    if left:
        held.append(Stored("boolean", marks))
        mark = held[-1].node(len(a.columns) + len(rest))
        nodes = [Nullable(node, mark) for node in nodes]
    row = build([*row_fields(a.row), *nodes])
    joined = Table((*a.columns, *held), row, a.where, a.positions, a.value)
    if left:
        return joined
    marks = marks if a.positions is None else marks[a.positions]
    if a.where is not None:
        marks &= Table(a.columns, (), None, a.positions, a.value).array(a.where)
    return marked(joined, marks)


def _public_column(values: Sequence[Any]) -> Any:
    """A column of a public table in the shortest type that a table may hold, and once more its
    first value, of rows that have none; of texts the places of the different ones."""
    if isinstance(values[0], str):
        places = {text: at for at, text in enumerate(dict.fromkeys(values))}
        return np.array([places[text] for text in [*values, values[0]]], np.int32)
    if isinstance(values[0], bool):
        return np.array([*values, values[0]], np.bool_)
    kinds = (np.int8, np.int16, np.int32, np.int64)
    low, high = min(values), max(values)
    kind = next(k for k in kinds if np.iinfo(k).min <= low and high <= np.iinfo(k).max)
    return np.array([*values, values[0]], kind)


def public_table(columns: Sequence[Sequence[Any]], value: Callable[[Any], Any]) -> Table:
    """A public table as one that is held here.

    Args:
        columns: each of whole numbers of 64 bits, of texts or of truth values.
        value: see `Table`.
    """
    held = []
    for each in columns:
        if isinstance(each[0], str):
            held.append(Stored("text", Texts.of([*each])))
        else:
            base = "boolean" if isinstance(each[0], bool) else "integer"
            held.append(Stored(base, np.array(each, np.bool_ if base == "boolean" else np.int64)))
    return Table(tuple(held), tuple(x.node(at) for at, x in enumerate(held)), value=value)


def _elsewhere(a: Any, b: Any) -> Engine | None:
    """Who holds the rows of one of two tables; None where both are here.

    Raises:
        Untraceable: rows that are no columns.
    """
    if not (isinstance(a, Table) and isinstance(b, Table)):
        raise Untraceable("rows that are no columns")
    return a.engine if a.engine is not None else b.engine


def _shared(a: Table, b: Table, id_a: Any, id_b: Any) -> tuple[Any, Any, int]:
    """For every row of each table the number of its id, the same in both; and a bound on these."""
    mine, first = a.coded(single(id_a))
    theirs, second = b.coded(single(id_b))
    places = {value: place for place, value in enumerate(first)}
    for value in second:
        places.setdefault(value, len(places))
    numbers = np.array([places[value] for value in second], np.int64)
    return mine.astype(np.int64), numbers[theirs] if len(second) else theirs, len(places)


def _moved(table: Table, field: Any, columns: list[Stored], there: Any = None) -> Any:
    """A field of some rows, in columns of its own, which are added to these.

    Args:
        there: of more rows, which are these; in the others stands some value of its kind. None: no
            others.
    """
    if isinstance(field, Nullable):
        value = _moved(table, field.value, columns, there)
        return Nullable(value, _moved(table, field.there, columns, there))
    if isinstance(field, Instant):
        return Instant(field.kind, _moved(table, field.number, columns, there))
    node = single(field)
    if node.base == "text":
        codes, values = table.coded(node)
        spread = _spread(codes.astype(np.int64), 0, there)
        return _added(Stored("text", Texts(spread, values or [""])), columns)
    low, high = node.range or (None, None)
    nothing = 0 if low is None or high is None else min(max(0, low), high)
    held = _spread(table.array(node), nothing, there)
    return _added(Stored(node.base, held, *(node.range or ())), columns)


def _perhaps(table: Table, field: Any, columns: list[Stored], there: Any, marks: Node) -> Nullable:
    """A field of some rows, missing in others.

    Args:
        there, marks: which of all rows are these, and the column that says so.
    """
    found = _moved(table, field, columns, there)
    # Of a field that may be missing itself, `_moved` says False where there is no row.
    return found if isinstance(found, Nullable) else Nullable(found, marks)


def _spread(values: Any, nothing: Any, there: Any) -> Any:
    """Values at their places among all rows, and a public one elsewhere."""
    if there is None:
        return values
    held = np.full(len(there), nothing, values.dtype)
    held[there] = values
    return held


def _added(column: Stored, columns: list[Stored]) -> Node:
    columns.append(column)
    return column.node(len(columns) - 1)


def row_fields(row: Any) -> Sequence[Any]:
    """The fields of a row; of a single value that one."""
    parts = tuple(row.values()) if isinstance(row, dict) else row
    return parts if isinstance(parts, tuple) else (parts,)


def _by_first(keys: Any, codes: Any) -> Any:
    """The order of rows by where their key comes first among all rows, stable."""
    found, at = np.unique(codes, return_index=True)
    come = np.zeros(int(found.max(initial=-1)) + 1, np.int64)
    come[found] = at
    return np.argsort(come[keys], kind="stable")


class _Side:
    """One of the tables.

    Attributes:
        codes: for every row the position of its key in `keys`.
        keys: different keys.
    """

    def __init__(self, table: Any, key: Key, order: Order) -> None:
        if not isinstance(table, Table):
            raise Untraceable("rows that are no columns")
        self.table, self._fields, self._order = table, _fields(table.row), order
        self.codes, self.keys = table.coded(single(row_of(traced(key, table.row))))

    def kept(self, keys: Any, most: int) -> tuple[Any, Any]:
        """Rows that are kept, by key and then in the public order, and the key of each.

        Args:
            keys: the key of every row; -1 of a row that is not kept.
        """
        rows = np.flatnonzero(keys >= 0)
        coded = ((field.base, *self.table.coded(field)) for field in self._fields)
        found = self._order([(base, codes[rows], values) for base, codes, values in coded])
        rows = rows[np.lexsort((*found, keys[rows]))]
        ordered = keys[rows]
        place = np.arange(len(rows)) - np.searchsorted(ordered, ordered, side="left")
        inside = place < most
        return rows[inside], ordered[inside]

    def taken(self, rows: Any) -> list[Stored]:
        """The fields of some rows as columns."""
        found = []
        for field in self._fields:
            if field.base == "text":
                codes, values = self.table.coded(field)
                found.append(Stored("text", Texts(codes.astype(np.int64)[rows], values)))
            else:
                held = self.table.array(field)[rows]
                found.append(Stored(field.base, held, *(field.range or ())))
        return found


def _key(table: Table, key: Key) -> Node:
    """The key of a row; engines tell the two zeros of doubles apart, which are one key."""
    found = single(row_of(traced(key, table.row)))
    return found if found.base != "double" else single(select(eq(found, 0.0), 0.0, found))


def _fields(row: Any) -> Sequence[Node]:
    return [single(part) for part in row_fields(row)]
