"""Arithmetic of one row: what a number is made of, and when it is NULL."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import isfinite
from typing import Any

from sqlglot import exp

from metricdp.sql.terms import (
    MOST,
    Reader,
    SqlValue,
    numeric,
    of_constant,
    plain,
    union,
)

_OPERATORS = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*"}


_PLAIN: dict[type, Callable[[Any, Any], Any]] = {
    exp.Add: operator.add, exp.Sub: operator.sub, exp.Mul: operator.mul,
}  # fmt: skip


def arithmetic(reader: Reader, node: Any) -> SqlValue:
    reader.query.only(node, "this", "expression")
    left, right = numeric(reader, node.this), numeric(reader, node.expression)
    kind = "int" if left.kind == right.kind == "int" else "float"
    if left.constant is not None and right.constant is not None:
        folded = _folded(_PLAIN[type(node)](left.constant, right.constant))
        if folded is not None:
            return folded
    low, high = _range(type(node), left, right)
    sign = _OPERATORS[type(node)]
    return SqlValue(f"({left.code} {sign} {right.code})", kind, union(left, right), low, high)


def _folded(number: int | float) -> SqlValue | None:
    """A constant, where it is one of a column."""
    fits = isfinite(number) if isinstance(number, float) else abs(number) <= MOST
    return of_constant(number) if fits else None


def _range(form: Any, left: SqlValue, right: SqlValue) -> tuple[Fraction | None, Fraction | None]:
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


def negative(reader: Reader, node: Any) -> SqlValue:
    reader.query.only(node, "this")
    inner = numeric(reader, node.this)
    if inner.constant is not None:
        return of_constant(-inner.constant + 0)
    low = None if inner.high is None else -inner.high
    high = None if inner.low is None else -inner.low
    return replace(plain(inner), code=f"(-{inner.code})", low=low, high=high)


def division(reader: Reader, node: Any) -> SqlValue:
    reader.query.only(node, "this", "expression", "typed", "safe")
    left, right = numeric(reader, node.this), numeric(reader, node.expression)
    if not right.nonzero:
        reader.query.fail(node.expression, "this divisor may be 0", "x / NULLIF(y, 0)")
    return SqlValue(f"({left.code} / {right.code})", "float", union(left, right))


def nullif(reader: Reader, node: Any) -> SqlValue:
    reader.query.only(node, "this", "expression")
    inner, other = numeric(reader, node.this), reader.value(node.expression)
    if other.constant is None or not other.numeric:
        reader.query.fail(node.expression, "NULLIF compares with a number here", "NULLIF(x, 0)")
    if inner.constant is not None:
        different = str(inner.constant != other.constant)
        return replace(plain(inner), present=(different,), nonzero=other.constant == 0)
    there = (*inner.present, f"{inner.code} != {other.code}")
    return replace(plain(inner), present=there, nonzero=other.constant == 0)


def absolute(reader: Reader, node: Any) -> SqlValue:
    reader.query.only(node, "this")
    inner = numeric(reader, node.this)
    if inner.constant is not None:
        return of_constant(abs(inner.constant))
    high = None
    if inner.low is not None and inner.high is not None:
        high = max(abs(inner.low), abs(inner.high))
    return replace(
        plain(inner),
        code=f"abs({inner.code})",
        low=Fraction(0) if high is not None else None,
        high=high,
    )


def whole(reader: Reader, node: Any) -> SqlValue:
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
    return SqlValue(f"math.{name}({inner.code})", "int", inner.present, low, high)
