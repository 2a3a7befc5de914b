"""Factors between row norms, and ranges of sums, that the rules of matrices share."""

from __future__ import annotations

from fractions import Fraction

from metricdp.expr import ONE, D, Expr, num, power
from metricdp.record import Arg, Moves, refuse
from metricdp.spaces import Matrix, conversion
from metricdp.spaces.norms import NORM_NAMES, norm_of


def total(n: Expr, p: str) -> Expr:
    """The least C with |sum v| <= C |v|_p on n entries: n^(1 - 1/p)."""
    return power_of(n, 1 - norm_of(p).inverse)


def power_of(n: Expr, exponent: Fraction) -> Expr:
    """n^exponent; negative exponents count as 0."""
    return ONE if exponent <= 0 else power(n, num(exponent))


def converting(n: Expr, factor: Expr = ONE) -> Moves:
    """Moves of a map that keeps every row norm up to `factor` and converts between norms."""
    return {(p, q): factor * conversion(p, q, n) * D for p in NORM_NAMES for q in NORM_NAMES}


def times(n: Expr, bound: Expr) -> Expr:
    """n * bound, where an infinite bound stays infinite although n may be 0."""
    return bound if bound.is_infinite else n * bound


def real_matrix(x: Arg, verb: str) -> tuple[Matrix, Expr, Expr]:
    """The matrix space of an argument with real or integer entries, its rows and columns.

    Raises:
        Refusal: no matrix, or entries under the discrete metric.
    """
    space = x.space
    if not isinstance(space, Matrix):
        raise refuse(
            "unsupported-call",
            f"`{verb}` needs a matrix, and {x.text} is none",
            need="a Matrix argument",
            help=f"dp.{verb}(rows) with rows: dp.Matrix[Real, L1]",
        )
    if space.element == "Data":
        raise refuse(
            "unclipped-rows",
            f"the entries of {x.text} are discrete, so one row can move `{verb}` without limit",
            need="rows of bounded norm, then real entries",
            help=f"dp.{verb}(dp.map_rows(lambda row: dp.undisc(dp.clip(row, dp.L2)), {x.text}))",
        )
    assert space.rows is not None and space.cols is not None
    return space, space.rows, space.cols


def number_kind(space: Matrix) -> str:
    """Element of sums of entries."""
    return "Real" if space.element == "Real" else "Int"
