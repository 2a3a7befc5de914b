"""HAVING, ORDER BY, LIMIT and OFFSET: what is done to the table that was released."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from metricdp.sql.parsed import Query
from metricdp.sql.plan import Finish, ReleasedRow
from metricdp.sql.terms import number

_OPERATORS: dict[type, Callable[[Any, Any], bool]] = {
    exp.EQ: operator.eq, exp.NEQ: operator.ne, exp.LT: operator.lt, exp.LTE: operator.le,
    exp.GT: operator.gt, exp.GTE: operator.ge,
}  # fmt: skip


def finish_of(query: Query, items: Sequence[tuple[Any, str]], keys: Sequence[str]) -> Finish:
    """
    Args:
        items: expression and name of every output, in the order of the list.
        keys: names of outputs that are keys.

    Raises:
        SqlError: a form that is not understood.
    """
    tree = query.tree
    having = order = limit = None
    offset = 0
    known = {_text(node): name for node, name in items}
    known |= {name.lower(): name for _, name in items}

    def output(node: Any) -> str:
        while isinstance(node, exp.Paren):
            node = node.this
        place = int(node.this) if isinstance(node, exp.Literal) and node.this.isdecimal() else 0
        if 1 <= place <= len(items) and not node.is_string:
            return items[place - 1][1]
        name = known.get(_text(node))
        if name is None:
            query.fail(node, "this is no output of the query", "a name of the list of SELECT")
        return name

    clause = tree.args.get("having")
    if clause is not None:
        query.only(clause, "this")
        having = _kept(query, clause.this, output)
    clause = tree.args.get("order")
    columns: list[tuple[str, bool]] = []
    if clause is not None:
        query.only(clause, "expressions")
        for each in clause.expressions:
            query.only(each, "this", "desc", "nulls_first")
            if isinstance(each.this, exp.Var):
                query.fail(each, "ORDER BY ALL", "ORDER BY 1, 2")
            columns.append((output(each.this), bool(each.args.get("desc"))))
    order = tuple(columns)
    limit = _whole(query, tree.args.get("limit"))
    offset = _whole(query, tree.args.get("offset")) or 0
    cut = limit is not None or offset > 0
    chosen = having is not None or (cut and any(name not in keys for name, _ in order))
    return Finish(having, order, limit, offset, chosen)


def _text(node: Any) -> str:
    return str(node.sql(comments=False)).lower()


def _whole(query: Query, clause: Any) -> int | None:
    if clause is None:
        return None
    query.only(clause, "expression")
    node = clause.expression
    if not isinstance(node, exp.Literal) or node.is_string or not node.this.isdecimal():
        query.fail(clause, "a whole number is needed", "LIMIT 10")
    return int(node.this)


def _kept(query: Query, node: Any, output: Callable[[Any], str]) -> Callable[[ReleasedRow], bool]:
    """HAVING as a test of a released row; what is NULL lets no row through."""
    if isinstance(node, exp.Paren):
        return _kept(query, node.this, output)
    if isinstance(node, exp.And | exp.Or):
        parts = [_kept(query, each, output) for each in node.flatten()]
        join = all if isinstance(node, exp.And) else any
        return lambda row: join(part(row) for part in parts)
    if type(node) not in _OPERATORS:
        query.fail(node, "HAVING compares outputs with numbers, joined by AND and OR",
                   "HAVING COUNT(*) > 10")  # fmt: skip
    query.only(node, "this", "expression")
    name, wanted = output(node.this), _number(query, node.expression)
    compare = _OPERATORS[type(node)]
    return lambda row: (
        type(row[name]) is not str and row[name] is not None and compare(row[name], wanted)
    )


def _number(query: Query, node: Any) -> int | float:
    sign = 1
    if isinstance(node, exp.Neg):
        sign, node = -1, node.this
    found = number(str(node.this)) if isinstance(node, exp.Literal) and not node.is_string else None
    if found is None:
        query.fail(node, "HAVING compares with a number", "HAVING COUNT(*) > 10")
    return sign * found
