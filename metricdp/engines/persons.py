"""The first rows of everybody, on an engine: the same that `columns.owners` keeps.

Rows of a group are put in order by the hash of `columns.row_hash`, and then by what they hold.
Whoever has no more rows than are kept is left alone.  Of the others only those rows are put in
order whose hash is small, as the number of their group's rows says: about as many as are kept, and
some more.  Where these turn out to be too few, as they may where rows are alike, all rows of the
group are put in order.  What is found on the way becomes tables of the engine's own, and what is
kept as well, which every later question reads.  Where a table costs more than an order
(`Dialect.one_order`) all rows are put in order, in one query.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from typing import Any

from metricdp.columns.language import Node, single
from metricdp.columns.owners import parts
from metricdp.columns.row_hash import PRIME
from metricdp.engines.dialect import NoForm
from metricdp.engines.expressions import Expressions, StoredColumn
from metricdp.engines.hashes import Field, with_hash
from metricdp.engines.sources import EngineSource, Made, answered

#: Whole numbers of so many digits are no decimals of an engine.
_WIDEST = 10**37


def kept(
    columns: Sequence[StoredColumn],
    source: EngineSource,
    test: Node | None,
    owners: Sequence[Any],
    fields: Sequence[Any],
    groups: int | None,
    most: int,
    once: bool,
) -> EngineSource:
    """The rows that are kept, with the clean columns c0, c1, ...

    Args:
        columns, source: of the table.
        test: which rows count; None for all.
        owners: whose row it is, and then by what rows are grouped.
        fields: by which rows of a group are put in order.
        groups: how many groups of an owner are kept; None where an owner is a group.
        most: how many rows of a group are kept.
        once: whether what is kept is asked one query, at most.

    Raises:
        NoForm: a field has no form in SQL.
        Untraceable: an owner that is no single value.
        EngineError: the engine failed.
    """
    rows = KeptRows(columns, source, test, owners, fields)
    if source.dialect.one_order:
        return rows.all_in_order(groups, most, once)
    return rows.first(most) if groups is None else rows.of_first_groups(groups, most)


class KeptRows:
    """All rows of a table as a query, and what is asked of it.

    Args:
        columns, source: of the table.
        test: which rows count; None for all.
        owners: whose row it is, and then by what rows are grouped.
        fields: by which rows of a group are put in order.
        number: what is asked of every row besides: the column `number`.

    Attributes:
        every: the query.
        keys: the names of the columns of each of `owners`.
        same: the names of all of these.

    Raises:
        NoForm: a field has no form in SQL.
        Untraceable: an owner that is no single value.
    """

    def __init__(
        self,
        columns: Sequence[StoredColumn],
        source: EngineSource,
        test: Node | None,
        owners: Sequence[Any],
        fields: Sequence[Any] = (),
        number: Node | None = None,
    ) -> None:
        single(owners[0])  # an owner that may be missing is nobody
        self._source, sql = source, source.dialect
        nodes = [part for field in (*owners, *fields) for part in parts(field) if part is not None]
        others = [node for node in (test, number) if node is not None]
        made = Expressions(columns, source, [*nodes, *others])
        clean = [column.clean for column in columns]
        self._names = {text: f"c{at}" for at, text in reversed([*enumerate(clean)])}
        self._names.update({made.of(n): f"c{n.public}" for n in nodes if n.operator == "stored"})
        self._held = [f"{text} AS c{at}" for at, text in enumerate(clean)]
        self._clean = [f"c{at}" for at in range(len(clean))]
        self._keys = [(each, self._named(each)) for each in (Field(sql, made, f) for f in owners)]
        self._order = [(each, self._named(each)) for each in (Field(sql, made, f) for f in fields)]
        self.keys, self.same = [names for _, names in self._keys], _columns(self._keys)
        self._sort = [name for name in _columns(self._order) if name not in self.same]
        asked = self._held if number is None else [*self._held, f"{made.of(number)} AS number"]
        where = "" if test is None else f" WHERE {made.of(test)}"
        self.every = f"(SELECT {', '.join(asked)} FROM {made.source()}{where})"

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

    def all_in_order(self, groups: int | None, most: int, once: bool) -> EngineSource:
        """The first rows of every group, of the first groups of every owner if so many are kept."""
        source, same, owner = self.every, ", ".join(self.same), self.keys[0]
        held = ", ".join(dict.fromkeys([*self._clean, *self.same, *self._sort]))
        if groups is not None:
            hashed, h = self._hashed(self._keys, source)
            order = ", ".join([h, *(name for name in self.same if name not in owner)])
            source = (
                f"(SELECT {held} FROM (SELECT *, dense_rank() OVER (PARTITION BY "
                f"{', '.join(owner)} ORDER BY {order}) AS place FROM {hashed}) "
                f"WHERE place <= {groups})"
            )
        hashed, h = self._hashed(self._order, source)
        return self._source.kept(
            f"SELECT {', '.join(self._clean)} FROM (SELECT *, row_number() OVER (PARTITION BY "
            f"{same} ORDER BY {', '.join([h, *self._sort])}) AS place FROM {hashed}) "
            f"WHERE place <= {most}",
            self._clean,
            once,
        )

    def of_many(self, least: int, most: int | None, once: bool) -> EngineSource:
        """All rows of groups that have so many."""
        listed, same = ", ".join(self._clean), ", ".join(self.same)
        below = "" if most is None else f" AND many <= {most}"
        text = (
            f"SELECT {listed} FROM (SELECT *, count(*) OVER (PARTITION BY {same}) AS many "
            f"FROM {self.every}) WHERE many >= {least}{below}"
        )
        return self._source.kept(text, self._clean, once)

    def of_those(
        self, sums: EngineSource, base: str, least: Any, most: Any, once: bool
    ) -> EngineSource:
        """All rows of groups whose sum is between two ends, either of which may be None."""
        sql, tests = self._source.dialect, []
        for sign, end in ((">=", least), ("<=", most)):
            if end is not None:
                if base != "double" and abs(end) >= _WIDEST:
                    raise NoForm("a sum next to a whole number of more than 37 digits")
                written = sql.double(end) if base == "double" else sql.whole(end)
                tests.append(f"number {sign} {written}")
        same = ", ".join(self.same)
        those = f"(SELECT {same} FROM {sums.rows} WHERE {' AND '.join(tests)})"
        text = (
            f"SELECT {', '.join(self._clean)} FROM {self.every} "
            f"SEMI JOIN {those} AS those USING ({same})"
        )
        return sums.kept(text, self._clean, once)

    def first(self, most: int) -> EngineSource:
        """The first rows of every group."""
        same = ", ".join(self.same)
        busy = (
            f"SELECT {same}, count(*) AS many FROM {self.every} GROUP BY {same} "
            f"HAVING count(*) > {most}"
        )
        return self._first(self.every, busy, most)

    def of_first_groups(self, groups: int, most: int) -> EngineSource:
        """The first rows of the first groups of every owner."""
        of_groups = self.grouped(self.every, [])
        with_many, first = self.first_groups(of_groups, groups)
        of_few = self.without(with_many)
        busy = (
            f"SELECT * FROM {of_groups.rows} {of_few} WHERE many > {most} "
            f"UNION ALL SELECT * FROM {first.rows} WHERE many > {most}"
        )
        rows = (
            f"(SELECT * FROM {self.every} {of_few} UNION ALL SELECT * FROM {self.every} "
            f"SEMI JOIN {first.rows} AS first_groups USING ({', '.join(self.same)}))"
        )
        return self._first(rows, busy, most)

    def grouped(self, rows: str, totals: Sequence[str]) -> EngineSource:
        """The groups: the columns `same`, how `many` rows there are, and what these add up to.

        Args:
            rows: which there are.
            totals: what is added, with its name.
        """
        same, names = ", ".join(self.same), [text.rpartition(" AS ")[2] for text in totals]
        selected = ", ".join([same, "count(*) AS many", *totals])
        text = f"SELECT {selected} FROM {rows} GROUP BY {same}"
        return self._source.kept(text, [*self.same, "many", *names])

    def without(self, with_many: EngineSource) -> str:
        """What leaves out the rows, or the groups, of some owners, behind FROM."""
        return f"ANTI JOIN {with_many.rows} AS owners USING ({', '.join(self.keys[0])})"

    def first_groups(
        self, of_groups: EngineSource, groups: int
    ) -> tuple[EngineSource, EngineSource]:
        """The owners with more groups than so many, and their first ones."""
        owner = ", ".join(self.keys[0])
        with_many = self._source.kept(
            f"SELECT {owner} FROM {of_groups.rows} GROUP BY {owner} HAVING count(*) > {groups}",
            self.keys[0],
        )
        theirs = f"SEMI JOIN {with_many.rows} AS owners USING ({owner})"
        chosen, h = self._hashed(self._keys, f"(SELECT * FROM {of_groups.rows} {theirs})")
        order = ", ".join([h, *(name for name in self.same if name not in self.keys[0])])
        names = [*of_groups.schema]
        first = self._source.kept(
            f"SELECT {', '.join(names)} FROM (SELECT *, row_number() OVER (PARTITION BY {owner} "
            f"ORDER BY {order}) AS place FROM {chosen}) WHERE place <= {groups}",
            names,
        )
        return with_many, first

    def _first(self, rows: str, busy: str, most: int) -> EngineSource:
        """The first rows of every group.

        Args:
            rows: which there are.
            busy: the groups with more than `most` rows, and how many these are.
        """
        source, sql = self._source, self._source.dialect
        same = ", ".join(self.same)
        held = [*dict.fromkeys([*self._clean, *self.same, *self._sort])]
        names, listed = ", ".join(self._clean), ", ".join(held)
        # Of `most` hashes hardly ever one is larger: it would be one in 10**10 of equal laws.
        share = sql.double(float(ceil(most + 8 * sqrt(most) + 16)))
        small = f"CAST(least({share} / many, {sql.double(1.0)}) * {sql.double(float(PRIME))}"
        counted = source.kept(
            f"SELECT {same}, many, {small} AS BIGINT) AS small FROM ({busy})",
            [*self.same, "many", "small"],
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
