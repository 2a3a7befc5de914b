"""variance: the sum of squared deviations of the rows over n - ddof.

Stability.  Rows in [L, U], R = U - L, known size n (change-one, Hamming): k replaced rows move it
by at most R^2 j(n - j)/(n (n - ddof)), j = min(k, floor(n/2)); proof in `_deviations`.  Where the
number of rows is private there is no bound that falls with n: the rule refuses.
Tight: all rows at L, k of them replaced by U.
Source: leave-one-out form of the variance; rules of tables: R^2 (n - 1)/n^2 for ddof = 0, R^2/n for
ddof = 1.  OpenDP's map is k times the value for one row.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ZERO, num
from metricdp.primitives.records import sum_of_squared_deviations as squared
from metricdp.primitives.records._deviations import bounded, degrees, sized, squares_moved
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, scalar_moves
from metricdp.spaces import Records, Scalar

example = (
    "visits: Annotated[dp.Records[float, dp.ChangeOne], dp.Size(3)] = [3.0, 4.0, 120.0]; "
    "dp.variance(dp.clamp(visits, 0, 20))"
)

spelling = Spelling(
    numpy=("statistics.variance",), opendp=("make_variance", "make_sized_bounded_variance")
)

NONE = Arg(literal=None)


def rule(x: Arg, ddof: Arg = NONE) -> Conclusion:
    """One column of bounded numbers, their number public; `ddof` is public, 1 by default."""
    space, n = sized(x, "variance")
    lo, hi = bounded(x, space, "variance")
    freedom, enough = degrees(n, ddof, "variance")
    square = (hi - lo) ** 2 / freedom
    result = Scalar("Real", ZERO, square * n / 4)
    return Conclusion(result, {"x": scalar_moves(square * squares_moved(n))}, requires=(enough,))


def run(x: Any, ddof: Any = None) -> Any:
    """Exact variance."""
    return squared.run(x) / Fraction(len(x) - (1 if ddof is None else ddof))


def tabular(x: Any, ddof: Any = None) -> Any:
    """The same of a table; exact as `sum_of_squared_deviations` is."""
    return squared.tabular(x) / Fraction(len(x) - (1 if ddof is None else ddof))


def instances() -> Iterable[Instance]:
    row = Scalar("Data", num(-3), num(5), "float")
    for metric, size in (("ChangeOne", 6), ("Hamming", 5)):
        yield Instance({"x": Records(row, metric, num(size))})
        yield Instance({"x": Records(row, metric, num(size))}, {"ddof": 0})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows at one end, of which some go to the other."""
    return squared.tight(instance, d, tol)
