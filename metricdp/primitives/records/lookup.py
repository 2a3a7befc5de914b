"""lookup: the public value at the position that each row holds; `null` beyond the list.

Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
total: a position outside the list, or a missing one, gives the public `null`.
Tight: rows at one position are added, or take the place of rows at another.
Source: rules of tables, row-wise maps; OpenDP make_index.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.primitives.records._columns import (
    column,
    public_literal,
    replaced,
    row_by_row,
    tables,
    two,
)
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, refuse
from metricdp.spaces import Maybe, Scalar

example = "codes: dp.Records[int] = [0, 1, 7]; dp.lookup(codes, ('Oslo', 'Rome'), null='elsewhere')"

spelling = Spelling(opendp=("make_index",))

_EXAMPLE = 'dp.lookup(x, ["a", "b"], "other")'


def rule(x: Arg, categories: Arg, null: Arg) -> Conclusion:
    """A table with one column of integers; public values of one type."""
    space, inner, _ = column(x, "lookup")
    if inner.kind != "int":
        raise refuse(
            "unsupported-call",
            f"`lookup` takes positions, and the rows of {x.text} are no integers",
            need="a column of integers",
            help='dp.lookup(dp.cast(x, "int"), categories, null)',
        )
    given = public_literal(categories, "lookup", _EXAMPLE)
    values = [*given] if isinstance(given, list | tuple) else []
    values.append(public_literal(null, "lookup", _EXAMPLE))
    kinds = {_kind(value) for value in values}
    kinds = {"float"} if kinds == {"int", "float"} else kinds
    if len(kinds) != 1 or "" in kinds or not isinstance(given, list | tuple):
        raise refuse(
            "wrong-arguments",
            "the values to look up, and `null`, are public and of one type",
            need="a list of values of one type",
            help=_EXAMPLE,
        )
    return row_by_row(space, Scalar("Data", kind=kinds.pop()))


def _kind(value: Any) -> str:
    for kind, types in (("bool", bool), ("str", str), ("int", int), ("float", (float, Fraction))):
        if isinstance(value, types):
            whole = kind == "float" and isinstance(value, Fraction) and value.denominator == 1
            return "int" if whole else kind
    return ""


def run(x: Any, categories: Any, null: Any) -> list[Any]:
    """The value at each position, or `null`."""
    known = dict(enumerate(categories))
    return [null if value is None else known.get(value, null) for value in x]


def columnar(x: Any, categories: Any, null: Any) -> Any:
    """The value at the position that a row holds, or `null`."""
    from metricdp.columns.keys import position
    from metricdp.columns.language import item
    from metricdp.columns.nullable import filled, mapped

    values = [*categories, null]
    places = range(len(categories))
    return filled(mapped(x, lambda each: item(position(each, places), values)), null)


def instances() -> Iterable[Instance]:
    row = Scalar("Data", kind="int")
    for _, space in tables(row):
        yield Instance({"x": space}, {"categories": ["a", "b", "c"], "null": ""})
    for _, space in tables(Maybe(row)):
        yield Instance({"x": space}, {"categories": [5, 6, Fraction(1, 2)], "null": 0})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows at two positions."""
    return replaced(instance.private["x"], *two(instance), d)
