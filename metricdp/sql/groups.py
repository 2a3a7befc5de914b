"""GROUP BY: by what rows are grouped, and which groups are asked for.

Keys are public or they are not.  Public ones are given, or stand in the query (`plan IN ('a',
'b')`, CASE, a truth value, MONTH); a row whose key is none of them is left out, one whose key is
NULL too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlglot import exp

from metricdp.sql.parsed import Query
from metricdp.sql.parts import KEY_CLASSES, MOST_GROUPS, GroupKey
from metricdp.sql.rows import RowReader
from metricdp.sql.terms import SqlValue


def groups_of(
    query: Query, reader: RowReader, given: Mapping[str, Iterable[Any]]
) -> tuple[GroupKey, ...]:
    """What rows are grouped by.

    Args:
        given: name of a column or of an output -> public keys.

    Raises:
        SqlError: a form that is not understood, or keys of another kind.
    """
    clause = query.tree.args.get("group")
    if clause is None:
        if given:
            query.fail(query.tree, "keys are given, and nothing is grouped", "GROUP BY plan")
        return ()
    if not clause.expressions:
        query.fail_at_word("GROUP", "GROUP BY without a list", "GROUP BY plan")
    query.only(clause, "expressions")
    unused = {name.lower() for name in given}
    found: list[GroupKey] = []
    for each in clause.expressions:
        node, name = _selected(query, reader, each)
        value = reader.value(node)
        if value.kind not in KEY_CLASSES:
            query.fail(each, "doubles are no keys: they are never quite equal", "FLOOR(x / 10)")
        name = name or value.column or f"group {len(found) + 1}"
        names = {name.lower(), value.column.lower()} & unused
        unused -= names
        keys = [given[n] for n in given if n.lower() in names]
        listed = _checked(query, each, value, keys[0]) if keys else _said(query, reader, value)
        found.append(GroupKey(name, value, listed, each))
    if unused:
        query.fail_at_word(
            "GROUP", f"keys are given for {min(unused)}, by which nothing is grouped",
            f"keys for {found[0].name}",
        )  # fmt: skip
    codes = [each.value.code for each in found]
    if len(set(codes)) < len(codes):
        query.fail(clause, "one expression twice in GROUP BY", "each once")
    number = 1
    for group in found:
        number *= 1 if group.keys is None else len(group.keys)
    if number > MOST_GROUPS:
        query.fail(clause, f"more than {MOST_GROUPS} groups", "fewer keys")
    return tuple(found)


def _selected(query: Query, reader: RowReader, node: Any) -> tuple[Any, str]:
    """The expression that a position or an alias stands for, and its name in the list."""
    items = query.tree.expressions
    if isinstance(node, exp.Literal):
        place = int(node.this) if not node.is_string and node.this.isdecimal() else 0
        if not 1 <= place <= len(items):
            query.fail(node, "no such position in the list of SELECT", "GROUP BY 1")
        return _inner(items[place - 1])
    own = isinstance(node, exp.Column) and reader.table.named(node.name) is not None
    for each in items:
        inner, name = _inner(each)
        if isinstance(node, exp.Column) and not own and name.lower() == node.name.lower():
            return inner, name
    if node.find(exp.AggFunc) is None:
        code = reader.value(node).code
        for each in items:
            inner, name = _inner(each)
            if inner.find(exp.AggFunc) is None and reader.value(inner).code == code:
                return inner, name
    return node, ""


def _inner(item: Any) -> tuple[Any, str]:
    if isinstance(item, exp.Alias):
        return item.this, str(item.alias)
    return item, str(item.name) if isinstance(item, exp.Column) else ""


def _checked(query: Query, node: Any, value: SqlValue, given: Iterable[Any]) -> tuple[Any, ...]:
    if isinstance(given, str):
        query.fail(node, "keys are a list, and this is one text", 'keys={"plan": ["a", "b"]}')
    keys = tuple(given)
    wanted = KEY_CLASSES[value.kind]
    if not keys or any(type(each) is not wanted for each in keys):
        query.fail(
            node, f"keys of this group are of the kind {value.kind}, and another is given",
            'keys={"plan": ["a", "b"]}; COALESCE(plan, \'none\') for a group of NULL',
        )  # fmt: skip
    if len(set(keys)) < len(keys):
        query.fail(node, "a key of this group is given twice", "each key once")
    return keys


def _said(query: Query, reader: RowReader, value: SqlValue) -> tuple[Any, ...] | None:
    """Keys that the query itself lists."""
    where = query.tree.args.get("where")
    parts = [] if where is None else conjuncts(where.this)
    for part in parts:
        if isinstance(part, exp.In) and part.expressions:
            if reader.value(part.this).code == value.code:
                found = [reader.value(each).constant for each in part.expressions]
                return _of_kind(value, found)
        elif isinstance(part, exp.EQ):
            left, right = reader.value(part.this), reader.value(part.expression)
            if left.code == value.code and right.constant is not None:
                return _of_kind(value, [right.constant])
    return value.choices


def _of_kind(value: SqlValue, constants: list[Any]) -> tuple[Any, ...] | None:
    """Constants that a value can equal, as its kind has them; None for none."""
    if value.kind == "int":
        constants = [int(each) for each in constants if each == int(each)]
    return tuple(dict.fromkeys(constants)) or None


def conjuncts(node: Any) -> list[Any]:
    """What is joined by AND."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.And):
        return [part for each in node.flatten() for part in conjuncts(each)]
    return [node]
