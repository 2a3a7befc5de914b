"""is_null: whether each row is missing.

Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.
Tight: missing rows are added, or take the place of others.
Source: rules of tables, row-wise maps; OpenDP make_is_null.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.primitives.records._columns import column_of_any, replaced, row_by_row, tables, two
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Maybe, Moment, Scalar

example = "visits: dp.Records[float | None] = [3.0, None]; dp.is_null(visits)"

spelling = Spelling(opendp=("make_is_null",))


def rule(x: Arg) -> Conclusion:
    """A table with one column."""
    space, _, _ = column_of_any(x, "is_null")
    return row_by_row(space, Scalar("Data", kind="bool"))


def run(x: Any) -> list[bool]:
    """True where a row is missing."""
    return [value is None for value in x]


def columnar(x: Any) -> Any:
    """Whether a value of a row is missing."""
    from metricdp.columns.nullable import missing

    return missing(x)


def instances() -> Iterable[Instance]:
    for kind in ("float", "str"):
        for _, space in tables(Maybe(Scalar("Data", kind=kind))):
            yield Instance({"x": space})
    for _, space in tables(Maybe(Moment("date"))):
        yield Instance({"x": space})
    # Rows that are never missing: all the answers are equal, so the bound is not met by changes.
    for _, space in tables(Scalar("Data", kind="int")):
        yield Instance({"x": space}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Missing rows, and rows that are there."""
    return replaced(instance.private["x"], two(instance)[0], None, d)
