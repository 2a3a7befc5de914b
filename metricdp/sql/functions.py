"""Functions of one row: bounds, casts, parts of dates, texts."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from sqlglot import exp

from metricdp.sql.terms import (
    Reader,
    SqlValue,
    as_float,
    numeric,
    of_constant,
    plain,
    union,
)

_FIELDS = {
    "YEAR": ("year", 1, 9999), "MONTH": ("month", 1, 12), "DAY": ("day", 1, 31),
    "HOUR": ("hour", 0, 23), "MINUTE": ("minute", 0, 59), "ISODOW": ("isoweekday()", 1, 7),
}  # fmt: skip


_OF_TIMES = ("HOUR", "MINUTE")


#: As many different values are listed as keys.
_FEW = 366


def clamp(reader: Reader, node: Any) -> SqlValue:
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


def clamped(reader: Reader, node: Any, inner: SqlValue, low: Any, high: Any) -> SqlValue:
    """A number, moved into public bounds; NULL stays NULL."""
    numbers = (int, float)
    if type(low) not in numbers or type(high) not in numbers or not low < high:
        reader.query.fail(node, "bounds are two numbers, the smaller one first", "CLAMP(x, 0, 20)")
    kind = "int" if inner.kind == "int" and type(low) is type(high) is int else "float"
    code = f"dp.clamp({inner.code}, {low!r}, {high!r})"
    return SqlValue(code, kind, inner.present, Fraction(low), Fraction(high))


def extreme(reader: Reader, node: Any) -> SqlValue:
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
    return SqlValue(f"{python}({inside})", kind, union(*found), low, high)


def cast(reader: Reader, node: Any) -> SqlValue:
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
        return as_float(inner)
    if kind in ("BIGINT", "INT") and inner.kind == "bool":
        return replace(plain(inner), code=f"(1 if {inner.code} else 0)", kind="int",
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


def extract(reader: Reader, node: Any) -> SqlValue:
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
    return SqlValue(
        f"{inner.code}.{part}", "int", inner.present, Fraction(low), Fraction(high), choices=choices
    )


def text(reader: Reader, node: Any) -> SqlValue:
    """LOWER, UPPER and LENGTH."""
    reader.query.only(node, "this")
    inner = reader.value(node.this)
    if inner.kind != "str":
        reader.query.fail(node, f"a {inner.kind} where a text is needed", "a column of texts")
    if isinstance(node, exp.Length):
        return replace(plain(inner), code=f"len({inner.code})", kind="int")
    method = "lower" if isinstance(node, exp.Lower) else "upper"
    return replace(plain(inner), code=f"{inner.code}.{method}()")
