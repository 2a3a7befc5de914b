"""time_between: `end - start` of two dates, or of two dates with times.

Stability.  Different times between two are at distance 1, and any function of discrete values is
1-stable in each of them.  It never fails: what lies between two dates is a timedelta.
Tight: another day on one side.
Source: any function from a discrete space into one is 1-stable.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.primitives.times._times import kind_of, not_both, one_clock, private
from metricdp.record import Arg, Conclusion, Instance, Witness
from metricdp.spaces import Moment
from metricdp.spaces.moments import value_of

example = (
    "days: dp.Records[date] = [date(2024, 5, 9), date(2024, 6, 1)]; "
    "[day - date(2024, 5, 1) for day in days]"
)


def rule(x: Arg, y: Arg) -> Conclusion:
    """Two of one kind, of which one is private."""
    if kind_of(x) != kind_of(y) or kind_of(x) not in ("date", "datetime"):
        raise not_both("a difference", x, "-", y)
    one_clock("a difference", x, y)
    return Conclusion(Moment("timedelta"), private(x=x, y=y))


def run(x: Any, y: Any) -> Any:
    """The time from y to x."""
    return x - y


def columnar(x: Any, y: Any) -> Any:
    """The same of the dates of a column."""
    from metricdp.columns.moments import between

    return between(x, y)


def instances() -> Iterable[Instance]:
    for kind in ("date", "datetime"):
        yield Instance({"x": Moment(kind)}, {"y": value_of(kind, 10**4)})
        yield Instance({"y": Moment(kind)}, {"x": value_of(kind, -1)})
        yield Instance({"x": Moment(kind), "y": Moment(kind)}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Two values on the private side."""
    if instance.tight == "unknown" or d > 1:
        return None
    (name, space), *_ = instance.private.items()
    assert isinstance(space, Moment)
    return {name: value_of(space.kind, 0)}, {name: value_of(space.kind, 1)}
