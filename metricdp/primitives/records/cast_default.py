"""cast_default: every row as a value of another type, 0, False or "" where there is none.

Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
total: what has no value in the type, and what is missing, becomes the type's default.
Tight: add a row, or replace it by one with another value.
Source: rules of tables, row-wise maps; OpenDP make_cast_default.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import ZERO, maximum, minimum, num
from metricdp.primitives.records._casting import converted, default_of, kept_bounds, target
from metricdp.primitives.records._columns import column, replaced, row_by_row, tables, two
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Maybe, Scalar

example = "texts: dp.Records[str] = ['3', 'many']; dp.cast_default(texts, 'int')"

spelling = Spelling(opendp=("make_cast_default",))


def rule(x: Arg, to: Arg) -> Conclusion:
    """A table with one column; `to` as for `cast`."""
    space, inner, _ = column(x, "cast_default")
    _, row = target(to, "cast_default")
    known = kept_bounds(inner, row)
    if row.kind in ("int", "float"):
        lo, hi = minimum(known.lo, ZERO), maximum(known.hi, ZERO)
        known = msgspec.structs.replace(known, lo=lo, hi=hi)
    return row_by_row(space, known)


def run(x: Any, to: Any) -> list[Any]:
    """Each row in the type, or its default."""
    default = default_of(to)
    found = (converted(value, to) for value in x)
    return [default if value is None else value for value in found]


def columnar(x: Any, to: Any) -> Any:
    """The value of a row in the type, or its default."""
    from metricdp.columns.nullable import filled
    from metricdp.primitives.records._cast_columns import cast_value

    return filled(cast_value(x, to), default_of(to))


def instances() -> Iterable[Instance]:
    for kind, to in (("str", "int"), ("float", "i32"), ("int", "str")):
        for _, space in tables(Scalar("Data", kind=kind)):
            yield Instance({"x": space}, {"to": to})
    for _, space in tables(Maybe(Scalar("Data", kind="bool"))):
        yield Instance({"x": space}, {"to": "float"})
    for _, space in tables(Scalar("Data", num(1), num(300), "int")):
        yield Instance({"x": space}, {"to": "i8"})
    for _, space in tables(Maybe(Scalar("Data", kind="float"))):
        yield Instance({"x": space}, {"to": "str"})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows whose values differ in the new type."""
    return replaced(instance.private["x"], *two(instance), d)
