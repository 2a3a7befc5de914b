"""Joins of two tables about the same persons, by their ids; every other join is refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from metricdp.primitives.records._joined import chosen, shape
from metricdp.sql.groups import conjuncts
from metricdp.sql.parsed import Query
from metricdp.sql.tables import SqlColumn, SqlTable
from metricdp.sql.values import field_of

_EXAMPLE = "JOIN w USING (person), LEFT JOIN w ON w.person = v.person, SEMI JOIN, ANTI JOIN"


@dataclass(frozen=True)
class JoinSide:
    """Rows that a query asks.

    Attributes:
        table: their columns, and whose they are.
        variable: what the program calls them, or the code that makes them.
        fields: of a row of the program, all of them.
        known: names, in small letters, that may stand before a column.
    """

    table: SqlTable
    variable: str
    fields: tuple[str, ...]
    known: tuple[str, ...]

    def is_ids(self, node: Any) -> bool:
        """Whether an expression is the column of ids of these rows."""
        if not isinstance(node, exp.Column) or not isinstance(node.this, exp.Identifier):
            return False
        owner = node.args.get("table")
        if owner is not None and owner.name.lower() not in self.known:
            return False
        quoted = bool(node.this.args.get("quoted"))
        found = self.table.named(node.name, quoted, "" if owner is None else owner.name)
        return found is not None and self._of_ids(found)

    def has(self, node: Any) -> bool:
        """Whether a column may be one of these rows."""
        owner = node.args.get("table")
        if owner is not None:
            return owner.name.lower() in self.known
        return any(each.called.lower() == node.name.lower() for each in self.table.columns)

    def _of_ids(self, column: SqlColumn) -> bool:
        own = column.name == self.table.unit and column.value is None
        return own and bool(self.table.unit)

    @property
    def ids(self) -> SqlColumn | None:
        """The column of ids, where the query has it."""
        return next(filter(self._of_ids, self.table.columns), None)


def by_ids(query: Query, node: Any) -> str:
    """How two tables are joined: "inner", "left", "semi" or "anti".

    Raises:
        SqlError: another join.
    """
    side, kind = (str(node.args.get(each) or "").upper() for each in ("side", "kind"))
    known = {("", ""): "inner", ("", "INNER"): "inner", ("LEFT", ""): "left",
             ("LEFT", "OUTER"): "left", ("", "SEMI"): "semi", ("LEFT", "SEMI"): "semi",
             ("", "ANTI"): "anti", ("LEFT", "ANTI"): "anti"}  # fmt: skip
    how = known.get((side, kind))
    method = node.args.get("method")
    if how is None or method:
        words = " ".join(filter(None, (str(method or ""), side, kind))).upper()
        query.fail(node, f"{words} JOIN is not understood", _EXAMPLE)
    query.only(node, "this", "side", "kind", "on", "using")
    if node.args.get("on") is None and not node.args.get("using"):
        query.fail(node, "a JOIN without a condition", _EXAMPLE)
    return how


def on_of(query: Query, node: Any, first: JoinSide, second: JoinSide) -> tuple[bool, list[Any]]:
    """Whether USING says by what is joined, and what ON says besides.

    Raises:
        SqlError: tables that are joined by another column, or not about the same persons.
    """
    partners_of(query, node, first, second)
    if using := node.args.get("using"):
        named = [exp.Column(this=each.copy()) for each in using]
        if len(named) == 1 and first.is_ids(named[0]) and second.is_ids(named[0]):
            return True, []
        query.fail(node, f"tables are joined by {first.table.unit} alone", _EXAMPLE)
    rest = []
    found = False
    for part in conjuncts(node.args["on"]):
        ends = (part.this, part.expression) if isinstance(part, exp.EQ) else (None, None)
        if any(
            _tells(a, first, second) and _tells(b, second, first) for a, b in (ends, ends[::-1])
        ):
            found = True
        else:
            rest.append(part)
    if not found:
        query.fail(node, f"tables are joined by {first.table.unit} alone", _EXAMPLE)
    return False, rest


def _tells(node: Any, own: JoinSide, other: JoinSide) -> bool:
    """Whether a column is the ids of one side, and can be of that side alone."""
    if not own.is_ids(node):
        return False
    return not other.has(node)


def partners_of(query: Query, node: Any, first: JoinSide, second: JoinSide) -> None:
    """Raises:
    SqlError: two queries whose rows are not about the same persons, or do not say about whom.
    """
    a, b = first.table, second.table
    for side in (first, second):
        if not side.table.unit:
            query.fail(
                node, f"every row of {side.table.name} is another person, who has no id",
                'tables with dp.Ids("person"); dp.join in a program joins tables of rows',
            )  # fmt: skip
    if (a.whose, a.key) != (b.whose, b.key):
        query.fail(
            node, f"{a.name} is about one {a.whose} and {b.name} about one {b.whose}",
            f'dp.Ids("{b.unit}", unit="{a.whose}") where they are the same, with ids of one kind',
        )  # fmt: skip
    if isinstance(node, exp.In):
        if not first.is_ids(node.this):
            query.fail(node, "IN with a query in it asks who is there", f"{a.unit} IN (SELECT ...)")
        if len(b.columns) != 1 or second.ids is None:
            query.fail(node, "the query behind IN gives ids", f"SELECT {b.unit} FROM {b.name}")
    elif not isinstance(node, exp.Exists) and (first.ids is None or second.ids is None):
        query.fail(node, "a query inside has no column of ids", f"SELECT {b.unit}, ...")


def of_one_side(query: Query, part: Any, first: JoinSide, second: JoinSide, how: str) -> None:
    """Raises:
    SqlError: a condition of a join, other than an inner one, that asks the first table.
    """
    for column in part.find_all(exp.Column):
        if first.has(column) or not second.has(column):
            query.fail(
                part, f"a condition of the {how} join about more than {second.table.name}",
                "conditions on both tables stand in WHERE; or CASE in the list of SELECT",
            )  # fmt: skip


def beside(
    query: Query, node: Any, first: JoinSide, second: JoinSide, how: str, using: bool
) -> JoinSide:
    """The rows of both tables; its `variable` is the code that makes them.

    Raises:
        SqlError: two columns of one name; nothing to say that a row has no partner.
    """
    a, b = first.table, second.table
    on = f'"{a.unit}"' if a.unit == b.unit else f'("{a.unit}", "{b.unit}")'
    start = f"dp.join_by_id({first.variable}, {second.variable}, {on}"
    known = (*first.known, *second.known)
    if how in ("semi", "anti"):
        return replace(first, variable=f'{start}, how="{how}")')
    plain = [c for c in b.columns if c.value is None and c.name != b.unit]
    others = tuple(name for name in second.fields if name != b.unit)
    names = tuple(dict.fromkeys(c.name for c in plain)) or others[:1]
    if not names:
        query.fail(node, f"{b.name} has no column beside its ids", "SEMI JOIN, ANTI JOIN")
    own = ("items" if a.items else "attributes", first.fields)
    fields = shape(own, chosen(own, names)).names
    if len(set(fields)) < len(fields):
        twice = next(name for name in fields if fields.count(name) > 1)
        query.fail(node, f"two columns of this join would be called {twice} in the program",
                   "SELECT x AS y in a query inside of FROM")  # fmt: skip
    mine = dict(zip(first.fields, fields, strict=False))
    its = dict(zip(names, fields[len(first.fields) :], strict=True))
    columns = [_renamed(c, mine[c.name]) for c in a.columns if c.value is None]
    unit = mine[a.unit]
    columns += _ids_of_second(second, how, using, unit, plain, its, a)
    for each in plain:
        found = _renamed(each, its[each.name])
        columns.append(replace(found, missing=each.missing or how == "left"))
    listed = ", ".join(f'"{name}"' for name in names)
    code = f'{start}, how="{how}"' if how == "left" else start
    code += f", columns=({listed}{',' if len(names) == 1 else ''}))"
    table = replace(a, name=f"{a.name} and {b.name}", columns=tuple(columns), unit=unit)
    return JoinSide(table, code, fields, known)


def _renamed(column: SqlColumn, name: str) -> SqlColumn:
    """A column that the program calls otherwise, and the query as before."""
    return replace(column, name=name, said=column.called)


def _ids_of_second(
    second: JoinSide, how: str, using: bool, unit: str, plain: list[SqlColumn], its: dict[str, str],
    a: SqlTable,
) -> list[SqlColumn]:  # fmt: skip
    """The ids of the second table, which are those of the first one, or NULL in a left join."""
    ids = second.ids
    assert ids is not None
    found = replace(_renamed(ids, unit), alone=not using)
    if how != "left":
        return [found]
    held = field_of(SqlColumn(unit, ids.kind), a.items)
    for column in plain:
        if not column.missing:  # it is there where a row has a partner
            there = field_of(SqlColumn(its[column.name], column.kind, True), a.items).present
            return [replace(found, value=replace(held, present=there, column=""))]
    return []
