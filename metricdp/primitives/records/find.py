"""find: the position of each row in a public list of categories; missing where it is none of them.

Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.
Tight: rows of one category are added, or take the place of rows of another.
Source: rules of tables, row-wise maps; OpenDP make_find.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import num
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

example = "towns: dp.Records[str] = ['Rome', 'Lima']; dp.find(towns, ('Oslo', 'Rome'))"

spelling = Spelling(opendp=("make_find",))

_EXAMPLE = 'dp.find(x, ["a", "b"])'


def rule(x: Arg, categories: Arg) -> Conclusion:
    """A table with one column; different public categories of the column's type."""
    space, inner, _ = column(x, "find")
    known = _keys(public_literal(categories, "find", _EXAMPLE), inner, _EXAMPLE)
    return row_by_row(space, Maybe(Scalar("Data", num(0), num(max(len(known) - 1, 0)), "int")))


def _keys(categories: Any, inner: Scalar, example: str) -> dict[Any, int]:
    """Category -> its position.

    Raises:
        Refusal: no list, categories of another type than the column, or twice the same.
    """
    kind: Any = {"str": str, "bool": bool, "int": int, "float": (int, float, Fraction)}
    wanted = kind.get(inner.kind, object)
    listed = categories if isinstance(categories, list | tuple) else None
    right = listed is not None and all(
        isinstance(c, wanted) and (isinstance(c, bool) == (inner.kind == "bool")) for c in listed
    )
    found: dict[Any, int] = {c: i for i, c in enumerate(listed or ())} if right else {}
    if listed is None or len(found) != len(listed):
        raise refuse(
            "wrong-arguments",
            "categories are a list of different values of the column's type",
            need=f"different values of type {inner.kind or inner.element}",
            help=example,
        )
    return found


def run(x: Any, categories: Any) -> list[Any]:
    """Position of each row, or None."""
    known = {c: i for i, c in enumerate(categories)}
    return [None if value is None else known.get(value) for value in x]


def columnar(x: Any, categories: Any) -> Any:
    """Position of the value of a row, missing where it has none."""
    from metricdp.columns.keys import position
    from metricdp.columns.language import clamp, lt
    from metricdp.columns.nullable import Nullable, holds, parts

    count = len(categories)
    place = position(parts(x)[0], categories)
    return Nullable(clamp(place, 0, max(count - 1, 0)), holds(x, lambda each: lt(place, count)))


def instances() -> Iterable[Instance]:
    for kind, given in (("str", ["1", "2", "ab"]), ("int", [2, 1]), ("bool", [True, False])):
        for _, space in tables(Scalar("Data", kind=kind)):
            yield Instance({"x": space}, {"categories": given})
    for _, space in tables(Maybe(Scalar("Data", kind="float"))):
        yield Instance({"x": space}, {"categories": [1, Fraction(1, 2)]})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows of two categories."""
    return replaced(instance.private["x"], *two(instance), d)
