"""time_later: `day + timedelta(days=7)`, in either order: another date, or date with a time.

Stability.  Any function of discrete values into a discrete space is 1-stable in each of them.
Total: beyond the first or the last date that there is, the result is that date, where Python would
raise.  Tight: another day.
Source: any function from a discrete space into one is 1-stable.
"""

from __future__ import annotations

from typing import Any

from metricdp.primitives.times._shifted import moved, shift, shifts, two_days_apart
from metricdp.primitives.times._times import kind_of
from metricdp.record import Arg, Conclusion

example = (
    "days: dp.Records[date] = [date(2024, 5, 9), date(2024, 6, 1)]; "
    "[day + timedelta(days=7) for day in days]"
)

instances, tight = shifts, two_days_apart


def rule(x: Arg, by: Arg) -> Conclusion:
    """A date, or one with a time, and what is added to it, in either order."""
    if kind_of(x) == "timedelta":
        found = moved(by, x, "+")
        return Conclusion(found.space, {name: moves for name, moves in (
            ("x", found.maps.get("by")), ("by", found.maps.get("x"))) if moves})  # fmt: skip
    return moved(x, by, "+")


def run(x: Any, by: Any) -> Any:
    """x + by, within the calendar."""
    return shift(by, x, 1) if type(x).__name__ == "timedelta" else shift(x, by, 1)


def columnar(x: Any, by: Any) -> Any:
    """The same of the dates of a column."""
    from metricdp.columns.moments import instant, shifted

    return shifted(by, x, False) if instant(x).kind == "timedelta" else shifted(x, by, False)
