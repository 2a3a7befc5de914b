"""Values of one row: columns, literals, arithmetic, CASE, functions.

Each form says its kind, its bounds, and when it is NULL, as DuckDB and BigQuery do.  Where they
differ from each other, or from what Python computes, the form is refused.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from math import isfinite
from typing import Any

from sqlglot import exp

from metricdp.sql.terms import (
    MOST,
    Condition,
    Reader,
    Value,
    every,
    number,
    of_constant,
    some,
    union,
    written,
)

_OPERATORS = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*"}
_PLAIN: dict[type, Callable[[Any, Any], Any]] = {
    exp.Add: operator.add, exp.Sub: operator.sub, exp.Mul: operator.mul,
}  # fmt: skip
_FIELDS = {
    "YEAR": ("year", 1, 9999), "MONTH": ("month", 1, 12), "DAY": ("day", 1, 31),
    "HOUR": ("hour", 0, 23), "MINUTE": ("minute", 0, 59), "ISODOW": ("isoweekday()", 1, 7),
}  # fmt: skip
_OF_TIMES = ("HOUR", "MINUTE")
#: As many different values are listed as keys.
_FEW = 366


def literal(reader: Reader, node: Any) -> Value:
    if node.is_string:
        return of_constant(str(node.this))
    found = number(str(node.this))
    if found is None:
        reader.query.fail(node, "a number beyond 64 bits", "a smaller number")
    return of_constant(found)


def boolean(reader: Reader, node: Any) -> Value:
    return of_constant(bool(node.this))


def null(reader: Reader, node: Any) -> Value:
    reader.query.fail(node, "NULL stands where a value is needed", "x IS NULL, COALESCE(x, 0)")


def paren(reader: Reader, node: Any) -> Value:
    reader.query.only(node, "this")
    return reader.value(node.this)


def column(reader: Reader, node: Any) -> Value:
    found = reader.column(node)
    row = f"row[{written(found.name)}]" if reader.table.items else f"row.{found.name}"
    there = (f"{row} is not None",) if found.missing else ()
    choices = (False, True) if found.kind == "bool" else None
    return Value(row, found.kind, there, choices=choices, column=found.name)


def numeric(reader: Reader, node: Any) -> Value:
    """The value of a node that has to be a number."""
    found = reader.value(node)
    if not found.numeric:
        reader.query.fail(
            node, f"a {found.kind} where a number is needed", "CASE WHEN x THEN 1 ELSE 0 END"
        )
    return found


def arithmetic(reader: Reader, node: Any) -> Value:
    reader.query.only(node, "this", "expression")
    left, right = numeric(reader, node.this), numeric(reader, node.expression)
    kind = "int" if left.kind == right.kind == "int" else "float"
    if left.constant is not None and right.constant is not None:
        folded = _folded(_PLAIN[type(node)](left.constant, right.constant))
        if folded is not None:
            return folded
    low, high = _range(type(node), left, right)
    sign = _OPERATORS[type(node)]
    return Value(f"({left.code} {sign} {right.code})", kind, union(left, right), low, high)


def _folded(number: int | float) -> Value | None:
    """A constant, where it is one of a column."""
    fits = isfinite(number) if isinstance(number, float) else abs(number) <= MOST
    return of_constant(number) if fits else None


def _range(form: Any, left: Value, right: Value) -> tuple[Fraction | None, Fraction | None]:
    ends = left.low, left.high, right.low, right.high
    if any(each is None for each in ends):
        return None, None
    a, b, c, d = (Fraction(each) for each in ends if each is not None)
    if form is exp.Add:
        return a + c, b + d
    if form is exp.Sub:
        return a - d, b - c
    corners = (a * c, a * d, b * c, b * d)
    return min(corners), max(corners)


def negative(reader: Reader, node: Any) -> Value:
    reader.query.only(node, "this")
    inner = numeric(reader, node.this)
    if inner.constant is not None:
        return of_constant(-inner.constant + 0)
    low = None if inner.high is None else -inner.high
    high = None if inner.low is None else -inner.low
    return replace(_plain(inner), code=f"(-{inner.code})", low=low, high=high)


def division(reader: Reader, node: Any) -> Value:
    reader.query.only(node, "this", "expression", "typed", "safe")
    left, right = numeric(reader, node.this), numeric(reader, node.expression)
    if not right.nonzero:
        reader.query.fail(node.expression, "this divisor may be 0", "x / NULLIF(y, 0)")
    return Value(f"({left.code} / {right.code})", "float", union(left, right))


def nullif(reader: Reader, node: Any) -> Value:
    reader.query.only(node, "this", "expression")
    inner, other = numeric(reader, node.this), reader.value(node.expression)
    if other.constant is None or not other.numeric:
        reader.query.fail(node.expression, "NULLIF compares with a number here", "NULLIF(x, 0)")
    if inner.constant is not None:
        different = str(inner.constant != other.constant)
        return replace(_plain(inner), present=(different,), nonzero=other.constant == 0)
    there = (*inner.present, f"{inner.code} != {other.code}")
    return replace(_plain(inner), present=there, nonzero=other.constant == 0)


def absolute(reader: Reader, node: Any) -> Value:
    reader.query.only(node, "this")
    inner = numeric(reader, node.this)
    if inner.constant is not None:
        return of_constant(abs(inner.constant))
    high = None
    if inner.low is not None and inner.high is not None:
        high = max(abs(inner.low), abs(inner.high))
    return replace(
        _plain(inner),
        code=f"abs({inner.code})",
        low=Fraction(0) if high is not None else None,
        high=high,
    )


def whole(reader: Reader, node: Any) -> Value:
    reader.query.only(node, "this")
    inner = numeric(reader, node.this)
    if inner.kind == "int":
        return inner
    name = "floor" if isinstance(node, exp.Floor) else "ceil"
    if inner.constant is not None:
        return of_constant(getattr(math, name)(inner.constant))
    low, high = (
        None if each is None else Fraction(getattr(math, name)(each))
        for each in (inner.low, inner.high)
    )
    return Value(f"math.{name}({inner.code})", "int", inner.present, low, high)


def coalesce(reader: Reader, node: Any) -> Value:
    reader.query.only(node, "this", "expressions", "is_nvl")
    inner = reader.value(node.this)
    if len(node.expressions) != 1:
        reader.query.fail(node, "COALESCE takes two values here", "COALESCE(x, 0)")
    other = reader.value(node.expressions[0])
    if other.present:
        reader.query.fail(node.expressions[0], "the value that takes the place of NULL may be NULL",
                          "COALESCE(x, 0)")  # fmt: skip
    return _either(reader, node, [(every(inner.present), replace(inner, present=()))], other)


def case(reader: Reader, node: Any) -> Value:
    reader.query.only(node, "this", "ifs", "default")
    subject = node.args.get("this")
    branches: list[tuple[str, Value]] = []
    for each in node.args["ifs"]:
        reader.query.only(each, "this", "true")
        asked = (
            each.this
            if subject is None
            else exp.EQ(this=subject.copy(), expression=each.this.copy())
        )
        branches.append((reader.condition(asked).true, reader.value(each.args["true"])))
    return _branches(reader, node, branches, node.args.get("default"))


def choice(reader: Reader, node: Any) -> Value:
    """IF(condition, a, b)."""
    reader.query.only(node, "this", "true", "false")
    branches = [(reader.condition(node.this).true, reader.value(node.args["true"]))]
    return _branches(reader, node, branches, node.args.get("false"))


def _branches(reader: Reader, node: Any, branches: list[tuple[str, Value]], last: Any) -> Value:
    possible = [each for each in branches if each[0] != "False"]
    branches = possible or branches[:1]
    if last is not None and not isinstance(last, exp.Null):
        return _either(reader, node, branches, reader.value(last))
    if len(branches) == 1:  # NULL where the one condition is not true
        test, only = branches[0]
        return replace(_plain(only), present=(test, *only.present))
    tests = some(test for test, _ in branches)
    found = _either(reader, node, branches[:-1], branches[-1][1])
    return replace(found, present=(tests, *found.present))


def _either(reader: Reader, node: Any, branches: list[tuple[str, Value]], last: Value) -> Value:
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
        every_value = [_as_float(each) for each in every_value]
    code = every_value[-1].code
    for (test, _), each in reversed(list(zip(branches, every_value[:-1], strict=True))):
        code = each.code if test == "True" else f"({each.code} if {test} else {code})"
    lows, highs = [each.low for each in every_value], [each.high for each in every_value]
    choices: tuple[Any, ...] | None = ()
    for each in every_value:
        known = choices is not None and each.choices is not None
        choices = tuple(dict.fromkeys((*(choices or ()), *(each.choices or ())))) if known else None
    return Value(
        code, kind, (),
        None if None in lows else min(each for each in lows if each is not None),
        None if None in highs else max(each for each in highs if each is not None),
        choices=choices,
    )  # fmt: skip


def _as_float(value: Value) -> Value:
    if value.kind == "float":
        return value
    if value.constant is not None:
        return of_constant(float(value.constant))
    return replace(value, code=f"float({value.code})", kind="float", choices=None)


def clamp(reader: Reader, node: Any) -> Value:
    """CLAMP(x, low, high), and functions that have no name here."""
    name = str(node.this).upper()
    if name != "CLAMP":
        reader.query.fail(node, f"there is no function {name} here",
                          "the functions that there are: docs/sql.md")  # fmt: skip
    if len(node.expressions) != 3:
        reader.query.fail(node, "CLAMP takes a value and two numbers", "CLAMP(x, 0, 20)")
    inner = numeric(reader, node.expressions[0])
    low, high = (reader.value(each) for each in node.expressions[1:])
    return clamped(reader, node, inner, low.constant, high.constant)


def clamped(reader: Reader, node: Any, inner: Value, low: Any, high: Any) -> Value:
    """A number, moved into public bounds; NULL stays NULL."""
    numbers = (int, float)
    if type(low) not in numbers or type(high) not in numbers or not low < high:
        reader.query.fail(node, "bounds are two numbers, the smaller one first", "CLAMP(x, 0, 20)")
    kind = "int" if inner.kind == "int" and type(low) is type(high) is int else "float"
    code = f"dp.clamp({inner.code}, {low!r}, {high!r})"
    return Value(code, kind, inner.present, Fraction(low), Fraction(high))


def extreme(reader: Reader, node: Any) -> Value:
    """LEAST and GREATEST; together the clamp that they usually mean."""
    reader.query.only(node, "this", "expressions", "ignore_nulls")
    name, python = ("LEAST", "min") if isinstance(node, exp.Least) else ("GREATEST", "max")
    found = [numeric(reader, each) for each in (node.this, *node.expressions)]
    if any(each.present for each in found) and reader.query.dialect != "bigquery":
        reader.query.fail(
            node, f"{name} leaves NULL out, so a missing value becomes the bound",
            "CLAMP(x, 0, 20), where NULL stays NULL; or COALESCE(x, 0) inside",
        )  # fmt: skip
    if len(found) < 2:
        reader.query.fail(node, f"{name} of one value", f"{name}(x, 20)")
    lows = [each.low for each in found]
    highs = [each.high for each in found]
    known_low, known_high = ([e for e in ends if e is not None] for ends in (lows, highs))
    if python == "min":
        low = None if None in lows else min(known_low)
        high = min(known_high, default=None)
    else:
        low = max(known_low, default=None)
        high = None if None in highs else max(known_high)
    kind = "int" if {each.kind for each in found} == {"int"} else "float"
    inside = ", ".join(each.code for each in found)
    return Value(f"{python}({inside})", kind, union(*found), low, high)


def cast(reader: Reader, node: Any) -> Value:
    """CAST of a literal to a date, of a number to DOUBLE, of a truth value to a whole number."""
    reader.query.only(node, "this", "to")
    kind = node.to.this.name
    if isinstance(node.this, exp.Literal) and node.this.is_string:
        made = _moment(str(node.this.this), kind)
        if made is None:
            reader.query.fail(
                node,
                "no date or time without a zone",
                "DATE '2024-01-31', DATETIME '2024-01-31 12:00:00'",
            )
        return of_constant(made)
    inner = reader.value(node.this)
    if kind == "DOUBLE" and inner.numeric:
        return _as_float(inner)
    if kind in ("BIGINT", "INT") and inner.kind == "bool":
        return replace(_plain(inner), code=f"(1 if {inner.code} else 0)", kind="int",
                       low=Fraction(0), high=Fraction(1), choices=(0, 1))  # fmt: skip
    if kind in ("BIGINT", "INT") and inner.kind == "int":
        return inner
    reader.query.fail(
        node,
        f"engines disagree about a {inner.kind} as {kind}",
        "FLOOR(x) or CEIL(x) for whole numbers, CAST(x AS DOUBLE) for doubles",
    )


def _moment(text: str, kind: str) -> date | datetime | None:
    try:
        if kind == "DATE" and len(text) == 10:
            return date.fromisoformat(text)
        if kind in ("TIMESTAMP", "TIMESTAMPNTZ") and len(text) >= 19 and text[10] in " T":
            found = datetime.fromisoformat(text)
            return found if found.tzinfo is None else None
    except ValueError:
        return None
    return None


def extract(reader: Reader, node: Any) -> Value:
    """EXTRACT(MONTH FROM day), and MONTH(day)."""
    reader.query.only(node, "this", "expression")
    inside = node.expression if isinstance(node, exp.Extract) else node.this
    name = (node.name if isinstance(node, exp.Extract) else node.key).upper()
    inner = reader.value(inside)
    if name not in _FIELDS:
        reader.query.fail(node, f"{name} of a date is not the same on all engines",
                          f"one of {', '.join(_FIELDS)}")  # fmt: skip
    wanted = ("datetime",) if name in _OF_TIMES else ("date", "datetime")
    if inner.kind not in wanted:
        reader.query.fail(node, f"{name} of a {inner.kind}", f"a column of {' or '.join(wanted)}")
    part, low, high = _FIELDS[name]
    choices = tuple(range(low, high + 1)) if high - low < _FEW else None
    return Value(
        f"{inner.code}.{part}", "int", inner.present, Fraction(low), Fraction(high), choices=choices
    )


def text(reader: Reader, node: Any) -> Value:
    """LOWER, UPPER and LENGTH."""
    reader.query.only(node, "this")
    inner = reader.value(node.this)
    if inner.kind != "str":
        reader.query.fail(node, f"a {inner.kind} where a text is needed", "a column of texts")
    if isinstance(node, exp.Length):
        return replace(_plain(inner), code=f"len({inner.code})", kind="int")
    method = "lower" if isinstance(node, exp.Lower) else "upper"
    return replace(_plain(inner), code=f"{inner.code}.{method}()")


def _plain(value: Value) -> Value:
    """Nothing but kind and presence is kept."""
    return Value(value.code, value.kind, value.present)


def of_condition(found: Condition) -> Value:
    """A condition as a truth value, NULL where it is UNKNOWN."""
    there = () if found.total else (some((found.true, found.false)),)
    return Value(f"({found.true})", "bool", there, choices=(False, True))


FORMS: dict[type, Callable[[Reader, Any], Value]] = {
    exp.Literal: literal, exp.Boolean: boolean, exp.Null: null, exp.Paren: paren,
    exp.Column: column, exp.Add: arithmetic, exp.Sub: arithmetic, exp.Mul: arithmetic,
    exp.Neg: negative, exp.Div: division, exp.Nullif: nullif, exp.Abs: absolute,
    exp.Floor: whole, exp.Ceil: whole, exp.Coalesce: coalesce, exp.Case: case, exp.If: choice,
    exp.Anonymous: clamp, exp.Least: extreme, exp.Greatest: extreme, exp.Cast: cast,
    exp.Extract: extract, exp.Year: extract, exp.Month: extract, exp.Day: extract,
    exp.Lower: text, exp.Upper: text, exp.Length: text,
}  # fmt: skip
