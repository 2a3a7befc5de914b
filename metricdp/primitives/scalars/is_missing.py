"""is_missing: `x is None`, whether a value that may be missing is.

Stability.  Different values have distance 1, and the answer moves by at most 1.
Tight: a value that is there, and one that is missing.
Source: any function from a discrete space into one of diameter 1 is 1-stable.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE
from metricdp.record import Arg, Conclusion, Instance, Witness, refuse, scalar_moves
from metricdp.spaces import Maybe, Moment, Scalar

example = "visits: dp.Records[float | None] = [3.0, None]; [v is None for v in visits]"


def rule(x: Arg) -> Conclusion:
    """A private value that may be missing."""
    if not x.private or not isinstance(x.space, Maybe):
        raise refuse(
            "unsupported-call",
            f"{x.text} is no value that may be missing",
            need="a field or a row of type float | None, int | None, bool | None or str | None",
            help="declare the field as Optional[float]",
        )
    return Conclusion(Scalar("Bool"), {"x": scalar_moves(ONE)})


def run(x: Any) -> bool:
    """Whether the value is None."""
    return x is None


def columnar(x: Any) -> Any:
    """Which values of the rows are missing."""
    from metricdp.columns.nullable import missing

    return missing(x)


def instances() -> Iterable[Instance]:
    for kind in ("float", "int", "str", "bool"):
        yield Instance({"x": Maybe(Scalar("Data", kind=kind))})
    yield Instance({"x": Maybe(Moment("date"))})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """A value that is there, and one that is missing."""
    space = instance.private["x"]
    assert isinstance(space, Maybe)
    return ({"x": None}, {"x": space.inner.nearest_zero()}) if d == 1 else None
