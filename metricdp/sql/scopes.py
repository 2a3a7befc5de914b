"""What stands behind FROM: tables, queries over their rows, and joins by the id of persons.

A query inside of a query is read as rows: those that its WHERE lets through, under the names of its
list.  Each step is one line of the program, and what it makes is a table again, so that everything
else reads one table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from sqlglot import exp

from metricdp.sql.each_person import is_by_person, is_grouped, numbers_of, one_each
from metricdp.sql.groups import conjuncts
from metricdp.sql.having import how_much, written_end
from metricdp.sql.joins import JoinSide, beside, by_ids, of_one_side, on_of, partners_of
from metricdp.sql.parsed import Query
from metricdp.sql.program import Names, bare
from metricdp.sql.rows import RowReader
from metricdp.sql.tables import SqlColumn, table_of
from metricdp.sql.terms import every

#: What a query over rows may have.
_OF_ROWS = ("expressions", "from_", "joins", "where")
#: Clauses that messages point at.
_POINTED = (exp.Group, exp.Having, exp.Limit, exp.Offset, exp.Order)


@dataclass(frozen=True)
class _Named:
    """A query that WITH gives a name, and the names that it may use itself."""

    select: Any
    before: dict[str, _Named]


class Scopes:
    """Reads FROM, and the conditions of WHERE that ask other tables.

    Args:
        spaces: table of the session -> its space.

    Attributes:
        names: of the program, with a line for every step.
    """

    def __init__(self, query: Query, spaces: Mapping[str, Any]) -> None:
        self.query, self.spaces, self.names = query, spaces, Names()
        self._named: dict[str, _Named] = {}
        self._used: set[int] = set()

    def outermost(self) -> tuple[JoinSide, str]:
        """The rows of the whole query, and the condition of WHERE that is asked of each."""
        clause = self.query.tree.args.get("with_")
        if clause is not None:
            self._read_names(clause)
        side, test = self._from_and_where(self.query.tree)
        for name, known in self._named.items():
            if id(known) not in self._used:
                self.query.fail(known.select, f"{name} is not used", "leave it out")
        self.names.table = side.variable
        return side, test

    def _read_names(self, clause: Any) -> None:
        """WITH name AS (SELECT ...), each of which may use those before."""
        if clause.args.get("recursive"):
            self.query.fail_at_word("WITH", "WITH RECURSIVE is not understood", "WITH")
        self.query.only(clause, "expressions")
        for each in clause.expressions:
            self.query.only(each, "this", "alias")
            alias = each.args["alias"]
            self.query.only(alias, "this")
            name = str(alias.name).lower()
            if name in self._named:
                self.query.fail(alias, f"{alias.name} is given twice", "another name")
            self._named[name] = _Named(each.this, dict(self._named))

    def _from_and_where(self, tree: Any) -> tuple[JoinSide, str]:
        clause = tree.args.get("from_")
        if clause is None:
            if tree is self.query.tree:
                self.query.fail_at_word("SELECT", "a query without FROM", "SELECT COUNT(*) FROM v")
            self.query.fail(tree, "a query without FROM", "SELECT person, plan FROM v")
        side = self._relation(clause.this)
        for each in tree.args.get("joins") or ():
            side = self._joined(side, each)
        return self._where(side, tree.args.get("where"))

    # -- tables and queries ------------------------------------------------------------------

    def _relation(self, node: Any) -> JoinSide:
        if isinstance(node, exp.Subquery):
            self.query.only(node, "this", "alias")
            side = self._rows(node.this)
        elif isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            self.query.only(node, "this", "alias")
            known = self._named.get(node.name.lower())
            side = self._table(node) if known is None else self._of_name(known)
        else:
            self.query.only(node, "this", "alias")
            self.query.fail(node, "this is no table", f"one of {', '.join(self.spaces)}")
        alias = node.args.get("alias")
        if alias is not None:
            self.query.only(alias, "this")
        called = str(node.alias or (node.name if isinstance(node, exp.Table) else "")).lower()
        owners = (called,) if called else ()
        columns = [replace(c, owners=owners, alone=True) for c in side.table.columns]
        return replace(side, table=replace(side.table, columns=tuple(columns)), known=owners)

    def _table(self, node: Any) -> JoinSide:
        found = [name for name in self.spaces if name == node.name]
        found = found or [name for name in self.spaces if name.lower() == node.name.lower()]
        if len(found) != 1:
            self.query.fail(
                node, f"no table is called {node.name}", f"tables: {', '.join(self.spaces)}"
            )
        variable, table = self.names.parameter(table_of(found[0], self.spaces[found[0]]))
        return JoinSide(table, variable, tuple(c.name for c in table.columns), ())

    def _of_name(self, known: _Named) -> JoinSide:
        self._used.add(id(known))
        outside, self._named = self._named, known.before
        found = self._rows(known.select)
        self._named = outside
        return found

    def _rows(self, select: Any, having: Any = None) -> JoinSide:
        """A query over rows: some of them, under other names; or one for each person.

        Args:
            having: a condition on the persons whose rows they are.
        """
        if not isinstance(select, exp.Select):
            self.query.fail(select, "one SELECT is a query here", "SELECT person, plan FROM v")
        if having is None and is_grouped(select):
            return self._each_person(select)
        for name, part in select.args.items():
            if name not in _OF_ROWS and part not in (None, False, []):
                if name == "group" and select.args.get("having") is not None:
                    name, part = "having", select.args["having"]
                self._not_inside(select, name, part)
        side, test = self._from_and_where(select)
        side = self._of_so_much(self._filtered(side, test), having, {})
        reader = self._reader(side)
        columns: list[SqlColumn] = []
        for item in select.expressions:
            if isinstance(item, exp.Star):
                self.query.only(item)
                columns += [each for each in side.table.columns if each.alone]
                continue
            node, said = (item.this, item.alias) if isinstance(item, exp.Alias) else (item, "")
            if not said and not isinstance(node, exp.Column):
                self.query.fail(node, "an expression without a name", "x + 1 AS y")
            value = reader.value(node)
            held = reader.column(node) if isinstance(node, exp.Column) else None
            said = str(said or node.name)
            columns.append(
                replace(held, said=said)
                if held is not None
                else SqlColumn("", value.kind, bool(value.present), said, value=value)
            )
        low = [each.called.lower() for each in columns]
        if len(set(low)) < len(low):
            twice = next(name for name in low if low.count(name) > 1)
            self.query.fail(select, f"two columns are called {twice}", "AS another_name")
        return replace(side, table=replace(side.table, columns=tuple(columns)))

    def _not_inside(self, select: Any, name: str, part: Any) -> NoReturn:
        """
        Raises:
            SqlError: always: a query that is no table may not have this clause.
        """
        what = name.rstrip("_").replace("_", " ").upper()
        self.query.fail(
            part if isinstance(part, _POINTED) else select,
            f"{what} in a query inside of another one is not understood",
            "SELECT columns FROM a table WHERE conditions; GROUP BY the ids alone; what other "
            "groups are asked is released first",
        )  # fmt: skip

    def _filtered(self, side: JoinSide, test: str) -> JoinSide:
        if test == "True":
            return side
        code = f"[row for row in {side.variable} if {bare([test])}]"
        return replace(side, variable=self.names.line("some", code))

    def _reader(self, side: JoinSide) -> RowReader:
        return RowReader(self.query, side.table, side.known)

    # -- joins -------------------------------------------------------------------------------

    def _joined(self, first: JoinSide, node: Any) -> JoinSide:
        query = self.query
        how = by_ids(query, node)
        second = self._relation(node.this)
        both = set(first.known) & set(second.known)
        if both:
            query.fail(node, f"two tables are called {min(both)}", f"{min(both)} AS other")
        using, more = on_of(query, node, first, second)
        if how != "inner":
            for part in more:
                of_one_side(query, part, first, second, how)
            reader = self._reader(second)
            test = every(reader.condition(part).true for part in more)
            second = self._filtered(second, self._some(node, test))
        made = beside(query, node, first, second, how, using)
        made = replace(made, variable=self.names.line("both", made.variable))
        if how != "inner" or not more:
            return made
        reader = self._reader(made)
        test = every(reader.condition(part).true for part in more)
        return self._filtered(made, self._some(node, test))

    def _where(self, side: JoinSide, clause: Any) -> tuple[JoinSide, str]:
        """The rows of those persons who are in other tables, and the rest of WHERE."""
        if clause is None:
            return side, "True"
        rest = []
        for part in conjuncts(clause.this):
            asked, among = part, True
            while isinstance(asked, exp.Not | exp.Paren):
                among, asked = among != isinstance(asked, exp.Not), asked.this
            if isinstance(asked, exp.In) and asked.args.get("query") is not None:
                side = self._of_persons(side, asked, asked.args["query"].this, among)
            elif isinstance(asked, exp.Exists):
                side = self._of_persons(side, asked, asked.this, among)
            else:
                rest.append(part)
        reader = self._reader(side)
        return side, self._some(clause, every(reader.condition(part).true for part in rest))

    def _of_persons(self, side: JoinSide, node: Any, select: Any, among: bool) -> JoinSide:
        """The rows of persons who are among those of another query, or are not."""
        if isinstance(select, exp.Subquery):
            select = select.this
        if isinstance(node, exp.In):
            self.query.only(node, "this", "query")
            having = select.args.get("having") if isinstance(select, exp.Select) else None
            other = self._rows(_each_once(select), having)
        else:
            self.query.only(node, "this")
            other = self._partners(side, select)
        partners_of(self.query, node, side, other)
        on = f'"{side.table.unit}"'
        if side.table.unit != other.table.unit:
            on = f'("{side.table.unit}", "{other.table.unit}")'
        how = "semi" if among else "anti"
        code = f'dp.join_by_id({side.variable}, {other.variable}, {on}, how="{how}")'
        return replace(side, variable=self.names.line("those", code))

    def _of_so_much(self, side: JoinSide, having: Any, named: dict[str, Any]) -> JoinSide:
        """The rows of those persons who have so many, or so much: GROUP BY person HAVING ..."""
        if having is None or not side.table.unit:
            return side
        for of, (least, most) in how_much(self.query, self._reader(side), having, named).items():
            ends = [written_end(of, least)]
            ends += [] if most is None else [written_end(of, most)]
            ends += [f"value=lambda row: {of.code}"] if of.code else []
            code = f'dp.keep_ids({side.variable}, "{side.table.unit}", {", ".join(ends)})'
            side = replace(side, variable=self.names.line("often", code))
        return side

    def _each_person(self, select: Any) -> JoinSide:
        """SELECT person, SUM(x) AS s FROM v GROUP BY person: one number for each person."""
        for name, part in select.args.items():
            if name not in (*_OF_ROWS, "distinct", "group", "having") and part:
                self._not_inside(select, name, part)
        side, test = self._from_and_where(select)
        side = self._filtered(side, test)
        query, reader = self.query, self._reader(side)
        asked = numbers_of(query, reader, side, select)
        if not is_by_person(query, side, select):
            name = next(each for each in ("group", "having", "distinct") if select.args.get(each))
            self._not_inside(select, name, select.args[name])
        named = {said.lower(): node for said, node, _ in asked}
        side = self._of_so_much(side, select.args.get("having"), named)
        table, code = one_each(query, side, select, asked)
        return JoinSide(table, self.names.line("each_person", code), (), ())

    def _partners(self, outer: JoinSide, select: Any) -> JoinSide:
        """The rows of EXISTS (SELECT 1 FROM w WHERE w.person = v.person AND ...)."""
        if not isinstance(select, exp.Select) or select.find(exp.AggFunc) is not None:
            self.query.fail(select, "EXISTS asks for rows", "EXISTS (SELECT 1 FROM w WHERE ...)")
        where = select.args.get("where")
        found = None
        if where is not None:
            parts = conjuncts(where.this)
            inner = self._relation(select.args["from_"].this) if "from_" in select.args else None
            if inner is not None:
                found = _equal_ids(parts, inner, outer)
        if found is None:
            self.query.fail(
                select, "EXISTS has to say whose rows they are",
                f"WHERE w.{outer.table.unit} = {outer.known[0] if outer.known else 'v'}."
                f"{outer.table.unit}",
            )  # fmt: skip
        asked = select.copy()
        asked.set("expressions", [exp.Star()])
        rest = [part for part in parts if part is not found]
        asked.set("where", exp.Where(this=exp.and_(*rest, copy=True)) if rest else None)
        return self._rows(asked)

    def _some(self, node: Any, test: str) -> str:
        if test == "False":
            self.query.fail(node, "no row meets this", "a condition that some row may meet")
        return test


def _each_once(select: Any) -> Any:
    """A query whose values are looked for, without what would only leave out repeated ones, and
    without the condition on persons, which is read by itself."""
    if not isinstance(select, exp.Select) or len(select.expressions) != 1:
        return select
    (given,) = select.expressions
    left: dict[str, None] = {}
    distinct, group = select.args.get("distinct"), select.args.get("group")
    if distinct is not None and distinct.args.get("on") is None:
        left["distinct"] = None
    if group is not None:
        by = [each for name, each in group.args.items() if each]
        if by == [[given.unalias()]] and isinstance(given.unalias(), exp.Column):
            left["group"] = left["having"] = None
    if not left:
        return select
    made = type(select)(**{**select.args, **left})
    made.parent = select.parent
    return made


def _equal_ids(parts: list[Any], inner: JoinSide, outer: JoinSide) -> Any:
    """The condition that the ids of two queries are equal."""
    for part in parts:
        if isinstance(part, exp.EQ):
            for a, b in ((part.this, part.expression), (part.expression, part.this)):
                if inner.is_ids(a) and outer.is_ids(b) and not inner.has(b):
                    return part
    return None
