"""What several rules share: ranges of rows, intervals of arithmetic, shape of arguments."""

from __future__ import annotations

from metricdp.expr import INF, ZERO, Expr, maximum, minimum
from metricdp.record import refuse
from metricdp.spaces import Records, Scalar


def row_range(space: Records, text: str, verb: str) -> tuple[Expr, Expr, str]:
    """Bounds (lo, hi) and element of single-column records; refuses rows of several fields."""
    if not isinstance(space.row, Scalar):
        raise refuse(
            "unsupported-call",
            f"`{verb}` needs one number per row, and the rows of {text} have several fields",
            need="a single numeric column",
            help=f"dp.{verb}([row.field for row in {text}])",
        )
    if space.row.element == "Data" and space.row.kind == "str":
        raise refuse(
            "unsupported-call",
            f"`{verb}` needs numbers, and the rows of {text} are text",
            need="a numeric column",
            help=f"dp.{verb}([f(row) for row in {text}])",
        )
    return space.row.lo, space.row.hi, space.row.element


def add_ranges(a: tuple[Expr, Expr], b: tuple[Expr, Expr]) -> tuple[Expr, Expr]:
    """Range of a sum; infinite ends stay infinite."""
    lo = -INF if -INF in (a[0], b[0]) else a[0] + b[0]
    hi = INF if INF in (a[1], b[1]) else a[1] + b[1]
    return lo, hi


def scale_range(a: tuple[Expr, Expr], factor: Expr) -> tuple[Expr, Expr]:
    """Range of a public multiple; (-oo, oo) when the sign of the factor is not known."""
    if factor.is_zero:
        return ZERO, ZERO
    sign = factor.sign()
    if sign in ("+", ">=0"):
        return a[0] * factor, a[1] * factor
    if sign in ("-", "<=0"):
        return a[1] * factor, a[0] * factor
    if a[0].is_infinite or a[1].is_infinite:
        return -INF, INF
    ends = (a[0] * factor, a[1] * factor)
    return minimum(*ends), maximum(*ends)
