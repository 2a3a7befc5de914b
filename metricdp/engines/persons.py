"""The first rows of everybody, on an engine: the same that `columns.owners` keeps.

Rows of a group are put in order by the hash of `columns.row_hash`, and then by what they hold.
Whoever has no more rows than are kept is left alone.  Of the others only those rows are put in
order whose hash is small, as the number of their group's rows says: about as many as are kept, and
some more.  Where these turn out to be too few, as they may where rows are alike, all rows of the
group are put in order.  What is found on the way becomes tables of the engine's own, and what is
kept as well, which every later question reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from typing import Any

from metricdp.columns.language import Node, single
from metricdp.columns.owners import parts
from metricdp.columns.row_hash import PRIME
from metricdp.engines.expressions import Column, Expressions
from metricdp.engines.hashes import Field, with_hash
from metricdp.engines.sources import Made, Source, answered


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
        EngineError: the engine failed.
    """
    single(owners[0])  # an owner that may be missing is nobody
    nodes = [part for field in (*owners, *fields) for part in parts(field) if part is not None]
    made = Expressions(columns, source, nodes if test is None else [*nodes, test])
    keys = [Field(source.dialect, made, each) for each in owners]
    order = [Field(source.dialect, made, each) for each in fields]
    where = "" if test is None else f" WHERE {made.of(test)}"
    stored = {made.of(node): node.public for node in nodes if node.operator == "stored"}
    clean = [column.clean for column in columns]
    rows = _Rows(source, clean, stored, keys, order, f"{made.source()}{where}")
    return rows.first(most) if groups is None else rows.of_first_groups(groups, most)


class _Rows:
    """All rows of a table as a query, and what is asked of it.

    Args:
        source: who is asked.
        clean: the expressions of its columns, which are c0, c1, ...
        stored: other expressions of some of these -> their places.
        keys: whose group a row is in.
        order: what rows of a group are put in order by.
        every: where they lie, and which count.
    """

    def __init__(
        self,
        source: Source,
        clean: Sequence[str],
        stored: dict[str, int],
        keys: Sequence[Field],
        order: Sequence[Field],
        every: str,
    ) -> None:
        self._source = source
        self._names = {text: f"c{at}" for at, text in reversed([*enumerate(clean)])}
        self._names.update({text: f"c{at}" for text, at in stored.items()})
        self._held = [f"{text} AS c{at}" for at, text in enumerate(clean)]
        self._clean = [f"c{at}" for at in range(len(clean))]
        self._keys = [(field, self._named(field)) for field in keys]
        self._order = [(field, self._named(field)) for field in order]
        self._owner, self._same = self._keys[0][1], _columns(self._keys)
        self._sort = [name for name in _columns(self._order) if name not in self._same]
        self._groups = [name for name in self._same if name not in self._owner]
        self._every = f"(SELECT {', '.join(self._held)} FROM {every})"

    def _named(self, field: Field) -> list[str]:
        """The columns of what a field is put in order by; those that are there, if they are."""
        for text in field.order:
            if text not in self._names:
                self._names[text] = f"o{len(self._held)}"
                self._held.append(f"{text} AS {self._names[text]}")
        return [self._names[text] for text in field.order]

    def _hashed(self, fields: Sequence[tuple[Field, list[str]]], source: str) -> tuple[str, str]:
        """A query with the hash of some fields as a column more, and the name of that column."""
        words = [f"{field.word(names)} AS w{at}" for at, (field, names) in enumerate(fields)]
        source = f"(SELECT *, {', '.join(words)} FROM {source})"
        return with_hash(self._source.dialect, source, [f"w{at}" for at in range(len(words))])

    def first(self, most: int) -> Source:
        """The first rows of every group."""
        same = ", ".join(self._same)
        busy = (
            f"SELECT {same}, count(*) AS many FROM {self._every} GROUP BY {same} "
            f"HAVING count(*) > {most}"
        )
        return self._first(self._every, busy, most)

    def of_first_groups(self, groups: int, most: int) -> Source:
        """The first rows of the first groups of every owner."""
        owner, same = ", ".join(self._owner), ", ".join(self._same)
        of_groups = self._source.kept(
            f"SELECT {same}, count(*) AS many FROM {self._every} GROUP BY {same}",
            [*self._same, "many"],
        )
        with_many = self._source.kept(
            f"SELECT {owner} FROM {of_groups.rows} GROUP BY {owner} HAVING count(*) > {groups}",
            self._owner,
        )
        chosen, h = self._hashed(
            self._keys, f"(SELECT * FROM {of_groups.rows} SEMI JOIN {with_many.rows} AS owners "
            f"USING ({owner}))"
        )  # fmt: skip
        first = self._source.kept(
            f"SELECT {same}, many FROM (SELECT *, row_number() OVER (PARTITION BY {owner} "
            f"ORDER BY {', '.join([h, *self._groups])}) AS place FROM {chosen}) "
            f"WHERE place <= {groups}",
            [*self._same, "many"],
        )
        of_few = f"ANTI JOIN {with_many.rows} AS owners USING ({owner})"
        busy = (
            f"SELECT * FROM {of_groups.rows} {of_few} WHERE many > {most} "
            f"UNION ALL SELECT * FROM {first.rows} WHERE many > {most}"
        )
        rows = (
            f"(SELECT * FROM {self._every} {of_few} UNION ALL "
            f"SELECT * FROM {self._every} SEMI JOIN {first.rows} AS first_groups USING ({same}))"
        )
        return self._first(rows, busy, most)

    def _first(self, rows: str, busy: str, most: int) -> Source:
        """The first rows of every group.

        Args:
            rows: which there are.
            busy: the groups with more than `most` rows, and how many these are.
        """
        source, sql = self._source, self._source.dialect
        same = ", ".join(self._same)
        held = [*dict.fromkeys([*self._clean, *self._same, *self._sort])]
        names, listed = ", ".join(self._clean), ", ".join(held)
        # Of `most` hashes hardly ever one is larger: it would be one in 10**10 of equal laws.
        share = sql.double(float(ceil(most + 8 * sqrt(most) + 16)))
        small = f"CAST(least({share} / many, {sql.double(1.0)}) * {sql.double(float(PRIME))}"
        counted = source.kept(
            f"SELECT {same}, many, {small} AS BIGINT) AS small FROM ({busy})",
            [*self._same, "many", "small"],
        )
        beside, h = self._hashed(
            self._order, f"(SELECT * FROM {rows} LEFT JOIN {counted.rows} AS busy USING ({same}))"
        )
        near = source.kept(
            f"SELECT {listed}, {h} AS h, many FROM {beside} WHERE many IS NULL OR {h} <= small",
            [*held, "h", "many"],
        )
        enough = (
            f"(SELECT {same} FROM {near.rows} WHERE many IS NOT NULL GROUP BY {same} "
            f"HAVING count(*) >= {most})"
        )
        lacking = f"{counted.rows} ANTI JOIN {enough} AS enough USING ({same})"
        ((several,),) = answered(source, f"SELECT count(*) FROM {lacking}", [(0,)])
        candidates = f"SELECT * FROM {near.rows} WHERE many IS NOT NULL"
        if several:
            beside, h = self._hashed(
                self._order,
                f"(SELECT * FROM {rows} JOIN (SELECT * FROM {lacking}) AS busy USING ({same}))",
            )
            others = f"SELECT {listed}, {h} AS h, many FROM {beside} WHERE {h} > small"
            candidates += f" UNION ALL {others}"
        sort = ", ".join(["h", *self._sort])
        first = source.kept(
            f"SELECT {names} FROM (SELECT *, row_number() OVER (PARTITION BY {same} "
            f"ORDER BY {sort}) AS place FROM ({candidates})) WHERE place <= {most}",
            self._clean,
        )
        text = (
            f"(SELECT {names} FROM {near.rows} WHERE many IS NULL "
            f"UNION ALL SELECT {names} FROM {first.rows})"
        )
        return Made(source, text, dict.fromkeys(self._clean, "made"), (near, first))


def _columns(fields: Sequence[tuple[Field, list[str]]]) -> list[str]:
    return [*dict.fromkeys(name for _, names in fields for name in names)]
