"""Public expressions and distances: exact, symbolic, signed, with comparison in three values."""

from __future__ import annotations

from metricdp.errors import ExpressionError
from metricdp.expr.bounds import best, scaled_range
from metricdp.expr.core import INF, ONE, ZERO, D, Expr, num, sym
from metricdp.expr.decimals import decimal_down, decimal_up
from metricdp.expr.functions import (
    absolute,
    ceil,
    erfc,
    exp,
    floor,
    log,
    maximum,
    minimum,
    normal_tail,
    tanh,
)
from metricdp.expr.maps import affine, compose, linear_coefficient, total_over_rows
from metricdp.expr.operators import fill
from metricdp.expr.parsing import parse
from metricdp.expr.powers import power, root
from metricdp.expr.relations import Relation, compare
from metricdp.expr.sums import sum_over

fill()

__all__ = [
    "INF",
    "ONE",
    "ZERO",
    "D",
    "Expr",
    "ExpressionError",
    "Relation",
    "absolute",
    "affine",
    "best",
    "ceil",
    "compare",
    "compose",
    "decimal_down",
    "decimal_up",
    "erfc",
    "exp",
    "floor",
    "linear_coefficient",
    "log",
    "maximum",
    "minimum",
    "normal_tail",
    "num",
    "parse",
    "power",
    "root",
    "scaled_range",
    "sum_over",
    "sym",
    "tanh",
    "total_over_rows",
]
