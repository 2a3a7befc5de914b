"""CASE, IF and COALESCE: the first value whose condition is true."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlglot import exp

from metricdp.sql.terms import (
    Reader,
    SqlValue,
    as_float,
    every,
    plain,
    some,
)


def coalesce(reader: Reader, node: Any) -> SqlValue:
    reader.query.only(node, "this", "expressions", "is_nvl")
    inner = reader.value(node.this)
    if len(node.expressions) != 1:
        reader.query.fail(node, "COALESCE takes two values here", "COALESCE(x, 0)")
    other = reader.value(node.expressions[0])
    if other.present:
        reader.query.fail(node.expressions[0], "the value that takes the place of NULL may be NULL",
                          "COALESCE(x, 0)")  # fmt: skip
    return _either(reader, node, [(every(inner.present), replace(inner, present=()))], other)


def case(reader: Reader, node: Any) -> SqlValue:
    reader.query.only(node, "this", "ifs", "default")
    subject = node.args.get("this")
    branches: list[tuple[str, SqlValue]] = []
    for each in node.args["ifs"]:
        reader.query.only(each, "this", "true")
        asked = (
            each.this
            if subject is None
            else exp.EQ(this=subject.copy(), expression=each.this.copy())
        )
        branches.append((reader.condition(asked).true, reader.value(each.args["true"])))
    return _branches(reader, node, branches, node.args.get("default"))


def choice(reader: Reader, node: Any) -> SqlValue:
    """IF(condition, a, b)."""
    reader.query.only(node, "this", "true", "false")
    branches = [(reader.condition(node.this).true, reader.value(node.args["true"]))]
    return _branches(reader, node, branches, node.args.get("false"))


def _branches(
    reader: Reader, node: Any, branches: list[tuple[str, SqlValue]], last: Any
) -> SqlValue:
    possible = [each for each in branches if each[0] != "False"]
    branches = possible or branches[:1]
    if last is not None and not isinstance(last, exp.Null):
        return _either(reader, node, branches, reader.value(last))
    if len(branches) == 1:  # NULL where the one condition is not true
        test, only = branches[0]
        return replace(plain(only), present=(test, *only.present))
    tests = some(test for test, _ in branches)
    found = _either(reader, node, branches[:-1], branches[-1][1])
    return replace(found, present=(tests, *found.present))


def _either(
    reader: Reader, node: Any, branches: list[tuple[str, SqlValue]], last: SqlValue
) -> SqlValue:
    """The first value whose test is true, or the last; none of them may be NULL."""
    every_value = [*(each for _, each in branches), last]
    for each in every_value:
        if each.present:
            reader.query.fail(node, "a branch that may be NULL", "COALESCE(x, 0) in this branch")
    kinds = {each.kind for each in every_value}
    if kinds == {"int", "float"}:
        kinds = {"float"}
    if len(kinds) > 1:
        reader.query.fail(node, f"branches of several kinds ({', '.join(sorted(kinds))})",
                          "values of one kind")  # fmt: skip
    kind = kinds.pop()
    if kind == "float":
        every_value = [as_float(each) for each in every_value]
    code = every_value[-1].code
    for (test, _), each in reversed(list(zip(branches, every_value[:-1], strict=True))):
        code = each.code if test == "True" else f"({each.code} if {test} else {code})"
    lows, highs = [each.low for each in every_value], [each.high for each in every_value]
    choices: tuple[Any, ...] | None = ()
    for each in every_value:
        known = choices is not None and each.choices is not None
        choices = tuple(dict.fromkeys((*(choices or ()), *(each.choices or ())))) if known else None
    return SqlValue(
        code, kind, (),
        None if None in lows else min(each for each in lows if each is not None),
        None if None in highs else max(each for each in highs if each is not None),
        choices=choices,
    )  # fmt: skip
