"""time_ratio: `(end - start) / timedelta(hours=1)`, how often a public time goes into one.

Stability.  Times that differ are at distance 1, and so are numbers under the discrete metric: 1.
Total: by a public time that is 0 it is 0, where Python would raise.
Tight: two times that differ by more than the public one.
Source: any function from a discrete space into one is 1-stable.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from fractions import Fraction
from typing import Any

from metricdp.primitives.times._times import MOVES, kind_of, not_both
from metricdp.record import Arg, Conclusion, Instance, Witness
from metricdp.spaces import Moment, Scalar

example = (
    "days: dp.Records[date] = [date(2024, 5, 9), date(2024, 6, 1)]; "
    "[(day - date(2024, 5, 1)) / timedelta(days=4) for day in days]"
)


def rule(x: Arg, size: Arg) -> Conclusion:
    """A private time between two, and a public one."""
    if (kind_of(x), kind_of(size)) != ("timedelta", "timedelta") or size.private or not x.private:
        raise not_both("a quotient", x, "/", size, "timedelta")
    return Conclusion(Scalar("Data", kind="float"), {"x": MOVES})


def run(x: Any, size: Any) -> Any:
    """x / size, the nearest double; 0 where that is no time at all."""
    return x / size if size else 0.0


def columnar(x: Any, size: Any) -> Any:
    """The same of the times of a column."""
    from metricdp.columns.moments import ratio

    return ratio(x, size)


def instances() -> Iterable[Instance]:
    for size in (timedelta(hours=1), timedelta(seconds=-7), timedelta(microseconds=3)):
        yield Instance({"x": Moment("timedelta")}, {"size": size})
    yield Instance({"x": Moment("timedelta")}, {"size": timedelta(0)}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """No time, and a day."""
    if instance.tight == "unknown" or d > 1:
        return None
    return {"x": timedelta(0)}, {"x": timedelta(days=1)}
