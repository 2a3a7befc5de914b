"""cast: every row as a value of another type; rows without such a value are missing.

Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
total: what has no value in the type (text that is no number, a number beyond the type's range)
becomes missing, and no exception speaks of the data.
Tight: add a row, or replace it by one with another value.
Source: rules of tables, row-wise maps; OpenDP make_cast and make_cast_inherent.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import num
from metricdp.primitives.records._casting import converted, kept_bounds, target
from metricdp.primitives.records._columns import column, replaced, row_by_row, tables, two
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Maybe, Scalar

example = "texts: dp.Records[str] = ['3', 'many']; dp.cast(texts, 'int')"

spelling = Spelling(opendp=("make_cast", "make_cast_inherent"))


def rule(x: Arg, to: Arg) -> Conclusion:
    """A table with one column; `to` is "float", "int", "bool", "str" or a type such as "u8"."""
    space, inner, _ = column(x, "cast")
    _, row = target(to, "cast")
    return row_by_row(space, Maybe(kept_bounds(inner, row)))


def run(x: Any, to: Any) -> list[Any]:
    """Each row in the type, or None."""
    return [converted(value, to) for value in x]


def columnar(x: Any, to: Any) -> Any:
    """The value of a row in the type, missing where there is none."""
    from metricdp.primitives.records._cast_columns import cast_value

    return cast_value(x, to)


def instances() -> Iterable[Instance]:
    for kind, to in (("float", "int"), ("str", "float"), ("int", "str"), ("bool", "float")):
        for _, space in tables(Scalar("Data", kind=kind)):
            yield Instance({"x": space}, {"to": to})
    for _, space in tables(Maybe(Scalar("Data", kind="str"))):
        yield Instance({"x": space}, {"to": "u8"})
    for _, space in tables(Scalar("Data", num(-3), num(300), "int")):
        yield Instance({"x": space}, {"to": "u8"})
    for _, space in tables(Scalar("Data", kind="float")):
        yield Instance({"x": space}, {"to": "bool"}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows whose values differ in the new type."""
    return replaced(instance.private["x"], *two(instance), d)
