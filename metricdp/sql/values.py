"""Values of one row: columns and literals, and which form each expression has.

Each form says its kind, its bounds, and when it is NULL, as DuckDB and BigQuery do.  Where they
differ from each other, or from what Python computes, the form is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from metricdp.sql.arithmetic import absolute, arithmetic, division, negative, nullif, whole
from metricdp.sql.choices import case, choice, coalesce
from metricdp.sql.functions import cast, clamp, extract, extreme, text
from metricdp.sql.tables import SqlColumn
from metricdp.sql.terms import (
    Reader,
    SqlValue,
    number,
    of_constant,
    written,
)


def literal(reader: Reader, node: Any) -> SqlValue:
    if node.is_string:
        return of_constant(str(node.this))
    found = number(str(node.this))
    if found is None:
        reader.query.fail(node, "a number beyond 64 bits", "a smaller number")
    return of_constant(found)


def boolean(reader: Reader, node: Any) -> SqlValue:
    return of_constant(bool(node.this))


def null(reader: Reader, node: Any) -> SqlValue:
    reader.query.fail(node, "NULL stands where a value is needed", "x IS NULL, COALESCE(x, 0)")


def paren(reader: Reader, node: Any) -> SqlValue:
    reader.query.only(node, "this")
    return reader.value(node.this)


def column(reader: Reader, node: Any) -> SqlValue:
    found = reader.column(node)
    return found.value or field_of(found, reader.table.items)


def field_of(found: SqlColumn, items: bool) -> SqlValue:
    """A field of a row.

    Args:
        items: whether rows are dictionaries.
    """
    row = f"row[{written(found.name)}]" if items else f"row.{found.name}"
    there = (f"{row} is not None",) if found.missing else ()
    choices = (False, True) if found.kind == "bool" else None
    return SqlValue(row, found.kind, there, choices=choices, column=found.name)


FORMS: dict[type, Callable[[Reader, Any], SqlValue]] = {
    exp.Literal: literal, exp.Boolean: boolean, exp.Null: null, exp.Paren: paren,
    exp.Column: column, exp.Add: arithmetic, exp.Sub: arithmetic, exp.Mul: arithmetic,
    exp.Neg: negative, exp.Div: division, exp.Nullif: nullif, exp.Abs: absolute,
    exp.Floor: whole, exp.Ceil: whole, exp.Coalesce: coalesce, exp.Case: case, exp.If: choice,
    exp.Anonymous: clamp, exp.Least: extreme, exp.Greatest: extreme, exp.Cast: cast,
    exp.Extract: extract, exp.Year: extract, exp.Month: extract, exp.Day: extract,
    exp.Lower: text, exp.Upper: text, exp.Length: text,
}  # fmt: skip
