"""The first rows of everybody, on an engine: the same that `columns.owners` keeps.

Whoever has no more rows than are kept is left alone; only the others' rows are put in order, by the
hash of `columns.row_hash` and then by what they hold.  The rows that are kept become a table of the
engine's own, which every later question reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metricdp.columns.language import Node, single
from metricdp.columns.owners import parts
from metricdp.columns.row_hash import (
    FACTORS,
    HALF,
    LOW,
    MISSING,
    PRIME,
    ROUNDS,
    SHIFT,
    START,
)
from metricdp.engines.dialect import Dialect
from metricdp.engines.expressions import Column, Expressions
from metricdp.engines.sources import Made, Source

_LOWER, _LOWER_HALF = (1 << LOW) - 1, (1 << HALF) - 1


class _Field:
    """One value of every row: what it is put in order by.

    Attributes:
        order: what rows are sorted by, the first first.
        word: its word in the hash.
    """

    def __init__(self, sql: Dialect, made: Expressions, field: Any) -> None:
        value, there = parts(field)
        text = made.of(value)
        self.order, self.word = [text], word(sql, value, text)
        if there is not None:
            mark = made.of(there)
            # Values that are missing are alike, and come last.
            nothing = {"text": "''", "boolean": "false"}.get(value.base, "0")
            self.order = [f"NOT {mark}", f"CASE WHEN {mark} THEN {text} ELSE {nothing} END"]
            self.word = f"CASE WHEN {mark} THEN {self.word} ELSE {MISSING} END"


def word(sql: Dialect, node: Node, text: str) -> str:
    """`primitives.records._keys._word` of values as columns hold them."""
    if node.base == "text":
        return sql.word_of_text(text)
    if node.base == "boolean":
        return f"CASE WHEN {text} THEN 1 ELSE 0 END"
    if node.base == "integer":
        return f"CAST({text} AS BIGINT)"
    low, high = sql.double(-(2.0**63)), sql.double(2.0**63)
    whole = f"{sql.rounded('floor', text)} = {text} AND {text} >= {low} AND {text} < {high}"
    return sql.word_of_double(text, whole)


def kept(
    columns: Sequence[Column],
    source: Source,
    test: Node | None,
    owners: Sequence[Any],
    fields: Sequence[Any],
    groups: int | None,
    most: int,
) -> Source:
    """The rows that are kept, with the clean columns c0, c1, ...

    Args:
        columns, source: of the table.
        test: which rows count; None for all.
        owners: whose row it is, and then by what rows are grouped.
        fields: by which rows of a group are put in order.
        groups: how many groups of an owner are kept; None where an owner is a group.
        most: how many rows of a group are kept.

    Raises:
        NoForm: a field has no form in SQL.
        Untraceable: an owner that is no single value.
    """
    single(owners[0])  # an owner that may be missing is nobody
    nodes = [part for field in (*owners, *fields) for part in parts(field) if part is not None]
    made = Expressions(columns, source, nodes if test is None else [*nodes, test])
    keys = [_Field(source.dialect, made, each) for each in owners]
    order = [_Field(source.dialect, made, each) for each in fields]
    where = "" if test is None else f" WHERE {made.of(test)}"
    rows = _Rows(
        source.dialect,
        [column.clean for column in columns],
        keys,
        order,
        f"{made.source()}{where}",
    )
    if groups is None:
        return rows.first(source, most)
    text = rows.statement(_chosen(rows, len(keys[0].order), groups), "of_groups", most)
    return source.kept(text, rows.names)


class _Rows:
    """All rows of a table as a query, and what is asked of it.

    Args:
        sql: how the engine writes.
        clean: the expressions of its columns, which are c0, c1, ...
        keys: whose group a row is in.
        order: what rows of a group are put in order by.
        source: where they lie, and which count.

    Attributes:
        sql: how the engine writes.
        names: of the columns.
        same: of what is the same in a group.
        words: of the words of `keys`.
        every: the query.
    """

    def __init__(
        self,
        sql: Dialect,
        clean: Sequence[str],
        keys: Sequence[_Field],
        order: Sequence[_Field],
        source: str,
    ) -> None:
        self.sql = sql
        self._names = {text: f"c{at}" for at, text in reversed([*enumerate(clean)])}
        self._held = [f"{text} AS c{at}" for at, text in enumerate(clean)]
        self.names = [f"c{at}" for at in range(len(clean))]
        self.same = [self._name(text) for text in _texts(keys)]
        self._sort = [self._name(text) for text in _texts(order)]
        self.words = [self._name(field.word) for field in keys]
        self._words = [self._name(field.word) for field in order]
        self.every = f"SELECT {', '.join(self._held)} FROM {source}"

    def _name(self, text: str) -> str:
        """The name of a column with an expression; one that is there already, if there is."""
        if text not in self._names:
            self._names[text] = f"o{len(self._held)}"
            self._held.append(f"{text} AS {self._names[text]}")
        return self._names[text]

    def first(self, source: Source, most: int) -> Source:
        """The first rows of every group.

        Rows are put in order by their hashes alone.  Where the last that is kept and the next one
        have the same, all rows of the group are put in order by what they hold.
        """
        hashed, h = with_hash(self.sql, f"({self.every})", self._words)
        same = ", ".join(self.same)
        columns = [*dict.fromkeys(self.names + self.same)]
        numbered = (
            f"SELECT {', '.join(columns)}, {h} AS h, place FROM (SELECT *, row_number() OVER "
            f"(PARTITION BY {same} ORDER BY {h}) AS place FROM {hashed}) WHERE place <= {most + 1}"
        )
        kept = source.kept(numbered, [*columns, "h", "place"])
        if not isinstance(kept, Made) or not kept.held:  # another order the next time, perhaps
            return source.kept(self.statement("", "every", most), self.names)
        alike = (
            f"SELECT {same} FROM {kept.rows} WHERE place >= {most} GROUP BY {same} "
            "HAVING count(*) = 2 AND min(h) = max(h)"
        )
        names = ", ".join(self.names)
        ((several,),) = source.ask(f"SELECT count(*) FROM ({alike})")
        if not several:
            text = f"SELECT {names} FROM {kept.rows} WHERE place <= {most}"
            return Made(source, f"({text})", dict.fromkeys(self.names, "made"), kept)
        tied = f"tied AS (SELECT * FROM every SEMI JOIN ({alike}) AS alike USING ({same})), "
        return source.kept(
            f"SELECT {names} FROM {kept.rows} ANTI JOIN ({alike}) AS alike USING ({same}) "
            f"WHERE place <= {most} UNION ALL "
            f"SELECT {names} FROM ({self.statement(tied, 'tied', most)})",
            self.names,
        )

    def statement(self, first: str, every: str, most: int) -> str:
        """The query of the first rows of every group, put in order by hashes and what they hold.

        Args:
            first: common tables before, after that of all rows, which is called `every`.
            every: the common table of which rows are kept.
        """
        same, names = ", ".join(self.same), ", ".join(self.names)
        hashed, h = with_hash(self.sql, "busy_rows", self._words)
        sort = ", ".join([h, *self._sort])
        return (
            f"WITH every AS ({self.every}), {first}"
            f"busy AS (SELECT {same} FROM {every} GROUP BY {same} HAVING count(*) > {most}), "
            f"busy_rows AS (SELECT * FROM {every} SEMI JOIN busy USING ({same})) "
            f"SELECT {names} FROM {every} ANTI JOIN busy USING ({same}) UNION ALL "
            f"SELECT {names} FROM (SELECT *, row_number() OVER (PARTITION BY {same} "
            f"ORDER BY {sort}) AS place FROM {hashed}) WHERE place <= {most}"
        )


def _texts(fields: Sequence[_Field]) -> list[str]:
    return [text for field in fields for text in field.order]


def _chosen(rows: _Rows, owners: int, groups: int) -> str:
    """The common tables that leave so many groups of every owner: the last is `of_groups`.

    Args:
        owners: how many of the first columns of a group are its owner.
    """
    owner, same = ", ".join(rows.same[:owners]), ", ".join(rows.same)
    columns = ", ".join(dict.fromkeys([*rows.same, *rows.words]))
    hashed, h = with_hash(rows.sql, "busy_groups", rows.words)
    return (
        f"groups AS (SELECT DISTINCT {columns} FROM every), "
        f"many AS (SELECT {owner} FROM groups GROUP BY {owner} HAVING count(*) > {groups}), "
        f"busy_groups AS (SELECT * FROM groups SEMI JOIN many USING ({owner})), "
        f"left_out AS (SELECT {same} FROM (SELECT *, row_number() OVER (PARTITION BY {owner} "
        f"ORDER BY {h}, {same}) AS place FROM {hashed}) WHERE place > {groups}), "
        f"of_groups AS (SELECT * FROM every ANTI JOIN left_out USING ({same})), "
    )


def with_hash(sql: Dialect, source: str, words: Sequence[str]) -> tuple[str, str]:
    """A query with the hash of some words as a column more, and the name of that column."""
    high, low, first, second = FACTORS
    found, h = source, str(START)
    for at, word in enumerate(words):
        found = f"(SELECT *, {_shifted(sql, h)} AS x{at} FROM {found})"
        text = (
            f"({sql.down(f'x{at}', str(LOW))} * {high} + (x{at} & {_LOWER}) * {low} + "
            f"({sql.down(word, str(HALF))} + {1 << 31}) * {first} + "
            f"({word} & {_LOWER_HALF}) * {second})"
        )
        h = f"h{at}"
        found = f"(SELECT *, {text} % {PRIME} AS {h} FROM {found})"
    for at, (upper, lower) in enumerate(ROUNDS):
        found = f"(SELECT *, {_shifted(sql, h)} AS y{at} FROM {found})"
        h = f"g{at}"
        text = (
            f"({sql.down(f'y{at}', str(LOW))} * {upper} + (y{at} & {_LOWER}) * {lower}) % {PRIME}"
        )
        found = f"(SELECT *, {text} AS {h} FROM {found})"
    return found, h


def _shifted(sql: Dialect, h: str) -> str:
    h = f"CAST({h} AS BIGINT)"
    return sql.exclusive(h, sql.down(h, str(SHIFT)))
