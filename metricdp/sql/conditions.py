"""Conditions of one row: comparisons, IN, BETWEEN, LIKE, IS, AND, OR, NOT."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from metricdp.sql.terms import (
    Reader,
    SqlCondition,
    SqlValue,
    constant_condition,
    every,
    opposite,
    some,
    union,
    written,
)

_OPERATORS = {
    exp.EQ: ("==", "!="), exp.NEQ: ("!=", "=="), exp.LT: ("<", ">="), exp.LTE: ("<=", ">"),
    exp.GT: (">", "<="), exp.GTE: (">=", "<"),
}  # fmt: skip


_HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def comparison(reader: Reader, node: Any) -> SqlCondition:
    reader.query.only(node, "this", "expression")
    left, right = reader.value(node.this), reader.value(node.expression)
    _comparable(reader, node, left, right)
    yes, no = _OPERATORS[type(node)]
    there = union(left, right)
    if left.constant is not None and right.constant is not None:
        return constant_condition(_HOLDS[yes](left.constant, right.constant))
    if left.kind == "bool" and yes not in ("==", "!="):
        reader.query.fail(node, "truth values have no order", "x IS TRUE")
    return SqlCondition(
        every((*there, f"{left.code} {yes} {right.code}")),
        every((*there, f"{left.code} {no} {right.code}")),
        not there,
    )


def _comparable(reader: Reader, node: Any, left: SqlValue, right: SqlValue) -> None:
    if left.kind == right.kind or (left.numeric and right.numeric):
        return
    help = "values of one kind"
    if "str" in (left.kind, right.kind) and {"date", "datetime"} & {left.kind, right.kind}:
        help = "DATE '2024-01-31', or DATETIME '2024-01-31 12:00:00'"
    reader.query.fail(node, f"a {left.kind} is compared with a {right.kind}", help)


def between(reader: Reader, node: Any) -> SqlCondition:
    reader.query.only(node, "this", "low", "high")
    parts = [
        exp.GTE(this=node.this.copy(), expression=node.args["low"].copy()),
        exp.LTE(this=node.this.copy(), expression=node.args["high"].copy()),
    ]
    return _and(reader.condition(each) for each in parts)


def inside(reader: Reader, node: Any) -> SqlCondition:
    reader.query.only(node, "this", "expressions")
    if not node.expressions:
        reader.query.fail(node, "IN with a query in it", "a list: plan IN ('a', 'b')")
    left = reader.value(node.this)
    constants = []
    for each in node.expressions:
        found = reader.value(each)
        _comparable(reader, each, left, found)
        if found.constant is None:
            reader.query.fail(each, "IN takes literals here", "plan IN ('a', 'b')")
        constants.append(found.constant)
    if left.constant is not None:
        return constant_condition(left.constant in constants)
    listed = ", ".join(map(written, dict.fromkeys(constants)))
    listed += "," if len(dict.fromkeys(constants)) == 1 else ""
    return SqlCondition(
        every((*left.present, f"{left.code} in ({listed})")),
        every((*left.present, f"{left.code} not in ({listed})")),
        not left.present,
    )


def like(reader: Reader, node: Any) -> SqlCondition:
    reader.query.only(node, "this", "expression", "negate")
    left, pattern = reader.value(node.this), reader.value(node.expression)
    if left.kind != "str" or type(pattern.constant) is not str:
        reader.query.fail(node, "LIKE compares a text with a literal", "name LIKE 'A%'")
    code, text = left.code, pattern.constant
    middle = text.strip("%")
    if any(sign in middle for sign in "%_\\") or "_" in text or text.strip("%") == "" != text:
        reader.query.fail(node.expression, "only % at the ends of a pattern is understood",
                          "LIKE 'a%', LIKE '%a' or LIKE '%a%', joined by AND")  # fmt: skip
    begins, ends = not text.startswith("%"), not text.endswith("%")
    plain = written(middle)
    if begins and ends:
        yes, no = f"{code} == {plain}", f"{code} != {plain}"
    elif begins or ends:
        yes = f"{code}.{'startswith' if begins else 'endswith'}({plain})"
        no = f"not {yes}"
    else:
        yes, no = f"{plain} in {code}", f"{plain} not in {code}"
    found = SqlCondition(every((*left.present, yes)), every((*left.present, no)), not left.present)
    return _not(found) if node.args.get("negate") else found


def starts(reader: Reader, node: Any) -> SqlCondition:
    reader.query.only(node, "this", "expression")
    left, other = reader.value(node.this), reader.value(node.expression)
    if left.kind != "str" or type(other.constant) is not str:
        reader.query.fail(node, "STARTS_WITH compares a text with a literal", "LIKE 'A%'")
    yes = f"{left.code}.startswith({written(other.constant)})"
    there = left.present
    return SqlCondition(every((*there, yes)), every((*there, f"not {yes}")), not there)


def is_(reader: Reader, node: Any) -> SqlCondition:
    """IS NULL, IS TRUE, IS FALSE: never UNKNOWN."""
    reader.query.only(node, "this", "expression")
    wanted = node.expression
    if isinstance(wanted, exp.Null):
        asked_of = reader.value(node.this)
        there = every(asked_of.present)
        if there == "True":
            return SqlCondition("False", "True", True)
        missing = f"{asked_of.code} is None" if asked_of.column else opposite(there)
        return SqlCondition(missing, there, True)
    if isinstance(wanted, exp.Boolean):
        asked = reader.condition(node.this)
        test = asked.true if wanted.this else asked.false
        return SqlCondition(test, opposite(test), True)
    reader.query.fail(node, "IS compares with NULL, TRUE or FALSE", "x IS NULL")


def and_(reader: Reader, node: Any) -> SqlCondition:
    reader.query.only(node, "this", "expression")
    return _and(reader.condition(each) for each in node.flatten())


def _and(found: Any) -> SqlCondition:
    parts = list(found)
    return SqlCondition(
        every(each.true for each in parts),
        some(each.false for each in parts),
        all(each.total for each in parts),
    )


def or_(reader: Reader, node: Any) -> SqlCondition:
    reader.query.only(node, "this", "expression")
    parts = [reader.condition(each) for each in node.flatten()]
    return SqlCondition(
        some(each.true for each in parts),
        every(each.false for each in parts),
        all(each.total for each in parts),
    )


def not_(reader: Reader, node: Any) -> SqlCondition:
    reader.query.only(node, "this")
    return _not(reader.condition(node.this))


def _not(found: SqlCondition) -> SqlCondition:
    return SqlCondition(found.false, found.true, found.total)


def paren(reader: Reader, node: Any) -> SqlCondition:
    reader.query.only(node, "this")
    return reader.condition(node.this)


def of_value(reader: Reader, node: Any, found: SqlValue) -> SqlCondition:
    """A truth value as a condition."""
    if found.kind != "bool":
        reader.query.fail(node, f"a {found.kind} where a condition is needed", "x > 0")
    if found.constant is not None:
        return constant_condition(bool(found.constant))
    return SqlCondition(
        every((*found.present, found.code)),
        every((*found.present, f"not {found.code}")),
        not found.present,
    )


FORMS: dict[type, Callable[[Reader, Any], SqlCondition]] = {
    **dict.fromkeys(_OPERATORS, comparison), exp.Between: between, exp.In: inside, exp.Like: like,
    exp.StartsWith: starts, exp.Is: is_, exp.And: and_, exp.Or: or_, exp.Not: not_,
    exp.Paren: paren,
}  # fmt: skip
