"""fill_missing: one value that may be missing, and a public constant where it is.

Stability.  Different values have distance 1, and what is made of them has distance at most 1.
Where a program has asked `if x is not None`, a read of `x` is this record: there the constant is
never taken, and it is chosen inside the range of the values where that is possible.
Tight: a value that is there, and one that is missing.
Source: any function from a discrete space into one of diameter 1 is 1-stable.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, num
from metricdp.primitives.records.impute import of_kind
from metricdp.primitives.records.resize import with_constant
from metricdp.record import Arg, Conclusion, Instance, Witness, refuse, scalar_moves
from metricdp.spaces import Maybe, Moment, Scalar
from metricdp.spaces.moments import value_of

example = (
    "visits: dp.Records[float | None] = [3.0, None]; [dp.fill_missing(v, 0.0) for v in visits]"
)


def rule(x: Arg, constant: Arg) -> Conclusion:
    """A private value that may be missing; a public value of its type."""
    if not x.private or not isinstance(x.space, Maybe):
        raise refuse(
            "unsupported-call",
            f"{x.text} is no value that may be missing",
            need="a field or a row of type float | None, int | None, bool | None or str | None",
            help=f"use {x.text} as it is",
        )
    inner = x.space.inner
    if isinstance(inner, Moment):
        return Conclusion(of_kind(inner, constant), {"x": scalar_moves(ONE)})
    filled = with_constant(inner, constant, f"dp.fill_missing({x.text}, 0)")
    return Conclusion(filled, {"x": scalar_moves(ONE)})


def run(x: Any, constant: Any) -> Any:
    """The value, the constant in place of None."""
    return constant if x is None else x


def columnar(x: Any, constant: Any) -> Any:
    """The values of the rows, the constant where they are missing."""
    from metricdp.columns.nullable import filled

    return filled(x, constant)


def instances() -> Iterable[Instance]:
    for kind, constant in (("float", Fraction(1, 2)), ("int", 0), ("str", "?"), ("bool", False)):
        yield Instance({"x": Maybe(Scalar("Data", kind=kind))}, {"constant": constant})
    yield Instance({"x": Maybe(Scalar("Data", num(1), num(3), "float"))}, {"constant": 7})
    yield Instance({"x": Maybe(Moment("date"))}, {"constant": value_of("date", 3)})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """A value that is missing, and one that is not the constant."""
    space, constant = instance.private["x"], instance.public["constant"]
    assert isinstance(space, Maybe)
    for value in space.inner.extremes():
        if value != constant:
            return ({"x": None}, {"x": value}) if d == 1 else None
    return None
