"""impute_uniform: missing rows become numbers spread evenly over [lower, upper].

The j-th missing row becomes lower + (upper - lower) * v_j, as a double, with v_1, v_2, ... the van
der Corput sequence (1/2, 1/4, 3/4, 1/8, ...): public numbers that fill the interval evenly.
Nothing is drawn, so the map can be attacked, and its result is a function of the table.
Stability.  As a multiset the result depends on the rows that are there and on how many are missing:
one missing row more is one number more.  So symmetric to symmetric distance, 1, and change-one to
change-one, 1 (a replaced row takes the last number away, or adds the next).  Order is not kept: a
missing row inserted in front renumbers all that follow, so insert-delete distance goes to symmetric
and Hamming to change-one, 1.
Tight: add a row, or replace it.
Source: rules of tables; OpenDP make_impute_uniform_float draws the numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import D, maximum, minimum, num
from metricdp.primitives.records._columns import column, replaced, tables, two
from metricdp.record import (
    Arg,
    Conclusion,
    Instance,
    Spelling,
    Witness,
    in_order,
    refuse,
    scalar_moves,
)
from metricdp.spaces import Maybe, Scalar
from metricdp.values import to_float

example = "visits: dp.Records[float | None] = [3.0, 4.0]; dp.impute_uniform(visits, 0, 20)"

spelling = Spelling(opendp=("make_impute_uniform_float",))


def rule(x: Arg, lower: Arg, upper: Arg) -> Conclusion:
    """A table with one column of floats that may be missing; public finite bounds."""
    space, inner, _ = column(x, "impute_uniform")
    if inner.kind != "float":
        raise refuse(
            "unsupported-call",
            f"`impute_uniform` fills in floats, and the rows of {x.text} are none",
            need="a column of floats",
            help=f"dp.impute({x.text}, constant)",
        )
    for end in (lower, upper):
        if end.value is None or end.private or end.released or end.value.is_infinite:
            raise refuse(
                "private-argument",
                f"the bound {end.text} is no public number",
                need="public finite bounds",
                help=f"dp.impute_uniform({x.text}, 0, 1)",
            )
    assert lower.value is not None and upper.value is not None
    row = msgspec.structs.replace(
        inner, lo=minimum(inner.lo, lower.value), hi=maximum(inner.hi, upper.value)
    )
    unordered = space.row_metric.unordered
    result = msgspec.structs.replace(space, row=row, metric=unordered, drop_nan=False)
    requires = (in_order(lower.value, upper.value),)
    return Conclusion(result, {"x": scalar_moves(D)}, requires=requires)


def run(x: Any, lower: Any, upper: Any) -> list[Any]:
    """Each row, the next number of the sequence where it is missing."""
    numbers = iter(_numbers(sum(value is None for value in x), Fraction(lower), Fraction(upper)))
    return [next(numbers) if value is None else value for value in x]


def tabular(x: Any, lower: Any, upper: Any) -> Any:
    """A table of the same numbers.

    Raises:
        Untraceable: no double lies between the bounds.
    """
    from metricdp.columns.language import Untraceable, inner_doubles
    from metricdp.columns.nullable import replaced_missing

    low, high = Fraction(lower), Fraction(upper)
    ends = inner_doubles(low, high)
    if ends is None:
        raise Untraceable("numbers between bounds that hold no double")
    return replaced_missing(x, lambda count: _numbers(count, low, high), ends)


def _numbers(count: int, low: Fraction, high: Fraction) -> list[Any]:
    """The first numbers of the sequence: doubles between the bounds, where there is one.

    Which numbers they are is public, so rounding moves no bound.
    """
    from metricdp.columns.language import inner_doubles

    wide = high - low
    exact = [low + wide * _van_der_corput(j) for j in range(1, count + 1)]
    ends = inner_doubles(low, high)
    if ends is None:
        return exact
    first, last = map(Fraction, ends)
    return [min(max(Fraction(to_float(number)), first), last) for number in exact]


def _van_der_corput(j: int) -> Fraction:
    """The binary digits of j mirrored at the point: 1/2, 1/4, 3/4, 1/8, ..."""
    bits = j.bit_length()
    return Fraction(int(format(j, "b")[::-1], 2), 1 << bits)


def instances() -> Iterable[Instance]:
    for _, space in tables(Maybe(Scalar("Data", kind="float"))):
        yield Instance({"x": space}, {"lower": -1, "upper": Fraction(5, 2)})
    for _, space in tables(Maybe(Scalar("Data", num(0), num(3), "float"))):
        yield Instance({"x": space}, {"lower": 0, "upper": 5})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows that are there, of two values."""
    return replaced(instance.private["x"], *two(instance), d)
