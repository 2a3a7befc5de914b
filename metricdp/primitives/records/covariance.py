"""covariance: the sum of (x - mean of x)(y - mean of y) over the rows (x, y), over n - ddof.

Stability.  Rows in a box of widths R_x and R_y, known size n (change-one, Hamming): k replaced rows
move it by at most R_x R_y (j(n - j) + floor(k^2/4))/(n (n - ddof)), j = min(k, floor(n/2)), k at
most n; proof in `_deviations`.  For one row that is R_x R_y (n - 1)/(n (n - ddof)).  Where the
number of rows is private the rule refuses.
Tight: all rows at one corner; k of them at the opposite corner, against k of them divided between
the two others.
Source: the range of (x - a)(y - b) over a box; rules of tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.columns.language import Untraceable
from metricdp.columns.table import bound_of
from metricdp.expr import ONE, Expr, num
from metricdp.primitives.records._deviations import degrees, ends, products_moved, sized
from metricdp.record import (
    Arg,
    Conclusion,
    Instance,
    Refusal,
    Spelling,
    Witness,
    refuse,
    scalar_moves,
)
from metricdp.spaces import Maybe, Moment, Records, Row, Scalar

example = (
    "pairs: Annotated[dp.Records[tuple[Annotated[float, dp.Bounds(0, 10)], Annotated[float, "
    "dp.Bounds(0, 10)]], dp.ChangeOne], dp.Size(3)] = [(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]; "
    "dp.covariance(pairs)"
)

spelling = Spelling(opendp=("make_sized_bounded_covariance",))

NONE = Arg(literal=None)


def rule(x: Arg, ddof: Arg = NONE) -> Conclusion:
    """A table of pairs of bounded numbers, their number public; `ddof` is public, 1 by default."""
    space, n = sized(x, "covariance")
    row = space.row
    if not isinstance(row, Row) or row.kind != "tuple" or len(row.fields) != 2:
        raise _pairs(x)
    area = ONE
    for field in row.fields:
        assert not isinstance(field, Row)  # of a tuple
        area = area * _width(x, field)
    freedom, enough = degrees(n, ddof, "covariance")
    share = area / freedom
    result = Scalar("Real", -share * n / 4, share * n / 4)
    return Conclusion(result, {"x": scalar_moves(share * products_moved(n))}, requires=(enough,))


def _width(x: Arg, field: Scalar | Moment | Maybe) -> Expr:
    if not isinstance(field, Scalar) or field.kind in ("str", ""):
        raise _pairs(x)
    if field.lo.is_infinite or field.hi.is_infinite:
        raise refuse(
            "unbounded-sum",
            "one person can move this covariance by any amount",
            need="finite public bounds on both numbers of a row",
            help=f"{x.text}: dp.Records[tuple[Annotated[float, dp.Bounds(0, 1)], "
            "Annotated[float, dp.Bounds(0, 1)]], dp.ChangeOne]",
        )
    return field.hi - field.lo


def _pairs(x: Arg) -> Refusal:
    return refuse(
        "unsupported-call",
        f"`covariance` needs rows of two numbers, and {x.text} has other rows",
        need="records of type tuple[float, float]",
        help=f"declare {x.text} as Records[tuple[float, float], ChangeOne], with bounds",
    )


def run(x: Any, ddof: Any = None) -> Any:
    """Exact covariance."""
    n = Fraction(len(x))
    first, second, both = Fraction(0), Fraction(0), Fraction(0)
    for a, b in x:
        first, second, both = first + a, second + b, both + Fraction(a) * Fraction(b)
    return (both - first * second / n) / (n - (1 if ddof is None else ddof))


def tabular(x: Any, ddof: Any = None) -> Any:
    """The same of a table, each number moved to the grid of its bounds: the proof reads rows as
    real numbers, and the sums of grid points and of their products are exact."""
    bounds = [bound_of(node) for node in x.row] if isinstance(x.row, tuple) else []
    if len(bounds) != 2 or None in bounds:
        raise Untraceable("rows without bounds")
    (first, second), (both,) = x.sums([*zip(x.row, bounds, strict=True)], [0, 1], [(0, 1)])
    n = Fraction(len(x))
    return (both - first * second / n) / (n - (1 if ddof is None else ddof))


def instances() -> Iterable[Instance]:
    fields = (Scalar("Data", num(-1), num(3), "float"), Scalar("Data", num(0), num(5), "float"))
    row = Row(("0", "1"), fields, "tuple[float, float]")
    for metric, size in (("ChangeOne", 6), ("Hamming", 5), ("ChangeOne", 2)):
        yield Instance({"x": Records(row, metric, num(size))})
    yield Instance({"x": Records(row, "ChangeOne", num(4))}, {"ddof": 0})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Against rows at one corner: d rows opposite, or d rows divided between the other corners."""
    space = instance.private["x"]
    assert isinstance(space, Records) and isinstance(space.row, Row)
    n = int(str(space.size))
    if d > n:
        return None
    (a, p), (b, q) = (ends(field) for field in space.row.fields)
    opposite = min(d, n // 2)
    left = d // 2
    high = [(p, q)] * opposite + [(a, b)] * (n - opposite)
    low = [(p, b)] * left + [(a, q)] * (d - left) + [(a, b)] * (n - d)
    return {"x": high}, {"x": low}
