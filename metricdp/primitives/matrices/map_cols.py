"""map_cols: applies one function to every column of a matrix.

Stability.  A function that is s-stable from L_p columns to L1: the columns' L_p distances t_j sum
up to at most c^(1 - 1/p) d under row-summed L_p with c columns, so s c^(1 - 1/p) into every
row-summed norm.  A function to numbers gives a vector; s c^max(0, 1/q - 1/p) into L_q over the
reals, because single rows are the extreme points of row-sum norms.  Any other map g: the sum of
g(t_j), and at most c g(d).  A captured variable reaches every column.
Tight: one row moves, in one entry (L1) or in all entries alike (L2, LInf).
Source: rules of matrices with row-sum metrics; Hoelder.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import D, num, power
from metricdp.primitives._maps import over_columns, through_columns
from metricdp.primitives._witnesses import move_one_row
from metricdp.record import ONE_METRIC, Arg, Body, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Matrix, Scalar, Vector
from metricdp.spaces.norms import L1, NORM_NAMES, conversion, norm_of

example = "m: dp.Matrix[dp.Real, dp.L1] = [[1, 2], [3, 4]]; dp.map_cols(lambda c: dp.sum(c), m)"

spelling = Spelling(seed=("map_cols",))


_COLUMNS = through_columns("map_cols")
formals = _COLUMNS.formals("m")


def rule(f: Arg, m: Arg) -> Conclusion:
    """A function from columns to vectors of public size, or to numbers."""
    return _COLUMNS.applied(f, m=m)


def run(f: Any, m: Any) -> Any:
    """f of every column, as the columns of the result."""
    return over_columns(f, m)


def instances() -> Iterable[Instance]:
    def _sum(column: Any) -> Any:
        return sum(column, Fraction(0))

    def _double(column: Any) -> Any:
        return [2 * v for v in column]

    def _count(column: Any) -> Any:
        return sum(1 for v in column if v > 0)

    for norm in NORM_NAMES:
        to_sum = conversion(norm, L1.name, num(4))
        total = Body(Scalar("Real"), ({(norm, ONE_METRIC): to_sum * D},))
        tight = "attained" if norm == "L1" else "unknown"
        rows = Matrix("Real", norm, num(4), num(4))
        yield Instance({"m": rows}, {"f": _sum}, {"f": total}, tight)
        to_l1 = 2 * conversion(norm, L1.name, num(3))
        double = Body(Vector("Real", "L1", num(3)), ({(norm, "L1"): to_l1 * D},))
        few = Matrix("Real", norm, num(3), num(4))
        yield Instance({"m": few}, {"f": _double}, {"f": double}, tight)
        inverse = norm_of(norm).inverse
        counted = power(D, num(1 / inverse)) if inverse else num(3)
        count = Body(Scalar("Int"), ({(norm, ONE_METRIC): counted},))
        yield Instance(
            {"m": Matrix("Data", norm, num(3), num(4))}, {"f": _count}, {"f": count}, "unknown"
        )


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """One row moves."""
    if instance.tight == "unknown":
        return None
    return move_one_row(instance.private["m"], d)
