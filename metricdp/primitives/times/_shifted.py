"""What rules of a date and a timedelta share: the sum stays within the calendar, on either side."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from fractions import Fraction
from typing import Any

from metricdp.primitives.times._times import clock_of, kind_of, not_both, private
from metricdp.record import Arg, Conclusion, Instance, Witness
from metricdp.spaces import Moment
from metricdp.spaces.moments import DAY, number_of, value_of


def moved(x: Arg, by: Arg, sign: str) -> Conclusion:
    """A date, or one with a time, and a timedelta; one of them is private."""
    if kind_of(x) not in ("date", "datetime") or kind_of(by) != "timedelta":
        raise not_both("a sum", x, sign, by, "timedelta")
    return Conclusion(Moment(kind_of(x), clock_of(x)), private(x=x, by=by))


def shift(x: Any, by: Any, sign: int) -> Any:
    """x + sign * by; of a date by whole days, and the first or the last one beyond the ends."""
    kind = "date" if type(x).__name__ == "date" else "datetime"
    step = by.days if kind == "date" else number_of(by)
    return value_of(kind, number_of(x) + sign * step)


def shifts() -> Iterable[Instance]:
    """Steps of days, of less than one, and beyond both ends."""
    for kind in ("date", "datetime"):
        for by in (timedelta(days=30), timedelta(microseconds=-DAY - 1), timedelta(hours=36)):
            yield Instance({"x": Moment(kind)}, {"by": by})
        for by in (timedelta.max, timedelta.min, timedelta(10**6)):
            yield Instance({"x": Moment(kind)}, {"by": by}, tight="unknown")
        yield Instance({"by": Moment("timedelta")}, {"x": value_of(kind, 0)})
        yield Instance({"x": Moment(kind), "by": Moment("timedelta")}, tight="unknown")


def two_days_apart(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Two values on the private side, two days apart."""
    if instance.tight == "unknown" or d > 1:
        return None
    (name, space), *_ = instance.private.items()
    assert isinstance(space, Moment)
    later = 2 if space.kind == "date" else 2 * DAY
    return {name: value_of(space.kind, 0)}, {name: value_of(space.kind, later)}
