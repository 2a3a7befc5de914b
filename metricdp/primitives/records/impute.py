"""impute: puts a public constant in the place of missing rows.

Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  The
constant is public; one computed from the data (their mean) would move every missing row.
Tight: add a row, or replace it by one with another value.
Source: rules of tables, row-wise maps; OpenDP make_impute_constant.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import num
from metricdp.primitives.records._columns import column_of_any, replaced, row_by_row, tables, two
from metricdp.primitives.records.resize import with_constant
from metricdp.primitives.times._times import kind_of
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, refuse
from metricdp.spaces import Maybe, Moment, Scalar
from metricdp.spaces.moments import value_of

example = "visits: dp.Records[float | None] = [3.0, None]; dp.impute(visits, 0.0)"

spelling = Spelling(opendp=("make_impute_constant",))


def rule(x: Arg, constant: Arg) -> Conclusion:
    """A table with one column; a public value of its type.  Rows that cannot be missing stay."""
    space, inner, missing = column_of_any(x, "impute")
    filled = (
        of_kind(inner, constant)
        if isinstance(inner, Moment)
        else with_constant(inner, constant, f"dp.impute({x.text}, 0)")
    )
    return row_by_row(space, filled if missing else inner)


def of_kind(row: Moment, constant: Arg) -> Moment:
    """Raises:
    Refusal: the constant is no public date or time of the kind of the rows.
    """
    if constant.private or constant.released or kind_of(constant) != row.kind:
        raise refuse(
            "unsupported-call",
            f"the constant {constant.text} is no public {row.kind}",
            need=f"a {row.kind}",
            help=f"dp.impute(rows, {row.kind}(2024, 1, 1))",
        )
    return row


def run(x: Any, constant: Any) -> list[Any]:
    """Each row, the constant where it is missing."""
    return [constant if value is None else value for value in x]


def columnar(x: Any, constant: Any) -> Any:
    """The value of a row, the constant where it is missing."""
    from metricdp.columns.nullable import filled

    return filled(x, constant)


__all__ = ["of_kind"]


def instances() -> Iterable[Instance]:
    for kind, constant in (("float", Fraction(1, 2)), ("int", 0), ("str", "?"), ("bool", False)):
        for _, space in tables(Maybe(Scalar("Data", kind=kind))):
            yield Instance({"x": space}, {"constant": constant})
    for _, space in tables(Maybe(Moment("datetime"))):
        yield Instance({"x": space}, {"constant": value_of("datetime", -1)})
    for row in (Maybe(bounded := Scalar("Data", num(0), num(3), "float")), bounded):
        for _, space in tables(row):
            yield Instance({"x": space}, {"constant": 7})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows that are there, of two values."""
    return replaced(instance.private["x"], *two(instance), d)
