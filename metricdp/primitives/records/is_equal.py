"""is_equal: whether each row equals a public value.

Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  A
missing row equals no value.
Tight: rows with the value are added, or take the place of others.
Source: rules of tables, row-wise maps; OpenDP make_is_equal.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.primitives.records._columns import column, replaced, row_by_row, tables, two
from metricdp.primitives.records.resize import with_constant
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Maybe, Scalar

example = "towns: dp.Records[str] = ['Rome', 'Oslo']; dp.is_equal(towns, 'Rome')"

spelling = Spelling(opendp=("make_is_equal",))


def rule(x: Arg, value: Arg) -> Conclusion:
    """A table with one column; a public value of the column's type."""
    space, inner, _ = column(x, "is_equal")
    with_constant(inner, value, "dp.is_equal(x, 0)")
    return row_by_row(space, Scalar("Data", kind="bool"))


def run(x: Any, value: Any) -> list[bool]:
    """True where a row has the value."""
    return [each is not None and bool(each == value) for each in x]


def columnar(x: Any, value: Any) -> Any:
    """Whether the value of a row is there and equals the public one."""
    from metricdp.columns.language import eq
    from metricdp.columns.nullable import holds

    return holds(x, lambda each: eq(each, value))


def instances() -> Iterable[Instance]:
    for kind, value in (("float", 1), ("int", 1), ("str", "1"), ("bool", True)):
        for _, space in tables(Scalar("Data", kind=kind)):
            yield Instance({"x": space}, {"value": value})
    for _, space in tables(Maybe(Scalar("Data", kind="str"))):
        yield Instance({"x": space}, {"value": "1"})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows with the value, and rows without."""
    return replaced(instance.private["x"], *two(instance), d)
