"""norm: the L1, L2 or LInf norm of a vector; the Frobenius norm of a matrix.

Stability.  Any norm is 1-stable in itself (reverse triangle inequality), so from L_p the L_q norm
moves by n^max(0, 1/q - 1/p).  A matrix: the Frobenius norm is at most the sum of the rows' L2
norms, so c^max(0, 1/2 - 1/p) from row-summed L_p with c columns.
Tight: from 0 along the worst direction.  The L2 norm is rational within 2^-120 below.
Source: reverse triangle inequality; Hoelder.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.errors import SpaceError
from metricdp.expr import INF, ONE, ZERO, D, Expr, maximum, minimum, num, root
from metricdp.primitives import _exact
from metricdp.primitives._common import away_from_zero, discrete, positive
from metricdp.primitives._witnesses import move_one_row
from metricdp.record import ONE_METRIC, Arg, Conclusion, Instance, Spelling, Witness, refuse
from metricdp.spaces import Matrix, Scalar, Vector, conversion, implied_radius, norm_name
from metricdp.spaces.norms import L1, L2, NORM_NAMES, LInf, norm_of
from metricdp.spaces.vectors import Entries

example = "v: dp.Vector[dp.Real, dp.L2] = [3, 4]; dp.norm(v, dp.L2)"

spelling = Spelling(numpy=("numpy.linalg.norm",))

TRUST = "the L2 norm of a private vector is a real number (computed to 2**-120)"
ROUNDING = num(Fraction(1, 2**118))
EUCLID = Arg(literal="L2", text="L2")


def rule(x: Arg, norm: Arg = EUCLID) -> Conclusion:
    """A private vector and a norm: L1, L2, LInf, 1, 2 or infinity; a matrix with L2 or "fro" only.

    The orders 1, 2 and infinity of a matrix are operator norms in NumPy, and have no rule.
    """
    space = x.space
    matrix = isinstance(space, Matrix)
    operator = matrix and isinstance(norm.literal, (int, float))
    q = None if operator else _named(norm.literal)
    if not x.private or not isinstance(space, (Entries, Matrix)) or discrete(space):
        raise refuse(
            "unsupported-call",
            f"`norm` measures a private vector of numbers, and {x.text} is none",
            need="a vector or matrix over the reals",
            help=f"dp.norm(dp.undisc(dp.clip({x.text}, dp.L2)), dp.L2)",
        )
    if q is None or (matrix and q != "L2"):
        raise refuse(
            "wrong-arguments",
            f"`norm` of {x.text} has no rule for {norm.text}",
            need="the Frobenius norm" if matrix else "L1, L2 or LInf",
            help=f"dp.norm({x.text}, dp.L2)",
        )
    if not matrix and norm.literal == "fro":
        raise refuse(
            "wrong-arguments",
            f"the Frobenius norm is of matrices, and {x.text} is a vector",
            need="L1, L2 or LInf",
            help=f"dp.norm({x.text}, dp.L2)",
        )
    n = space.cols if isinstance(space, Matrix) else space.size
    assert n is not None
    widest = implied_radius(space, q)
    if isinstance(space, Matrix) and not widest.is_infinite:
        assert space.rows is not None
        widest = root(space.rows) * widest
    whole = space.element in ("Int", "Bool") and q != "L2"
    result = Scalar("Int" if whole else "Real", _least(space, q), minimum(INF, widest))
    moves = {(p, ONE_METRIC): conversion(p, q, n) * D for p in NORM_NAMES}
    trust = (TRUST,) if q == "L2" else ()
    return Conclusion(
        result, {"x": moves}, rests_on=trust, rounding=ROUNDING if q == "L2" else ZERO
    )


def _least(space: Entries | Matrix, q: str) -> Expr:
    """A lower bound on the norm of a vector whose entries keep away from 0."""
    if isinstance(space, Matrix) or space.size is None:
        return ZERO
    b = away_from_zero((space.lo, space.hi))
    if b is None or not positive(space.size):
        return ZERO
    low = b * norm_of(q).of_ones(space.size)
    return maximum(ZERO, low - ROUNDING) if q == "L2" else low


def _named(value: Any) -> str | None:
    """The norm that an argument of `norm` or of `numpy.linalg.norm` names."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return {1: "L1", 2: "L2", float("inf"): "LInf"}.get(value)
    if value == "fro":
        return "L2"
    try:
        return str(norm_name(value))
    except SpaceError:
        return None


def run(x: Any, norm: Any = "L2") -> Any:
    """Exact for L1 and LInf; the root of the sum of squares from below for L2."""
    entries = [v for row in x for v in (row if isinstance(row, list) else [row])]
    sizes = [abs(_exact.rational(v)) for v in entries]
    q = _named(norm)
    if q == L1.name:
        return _exact.exact_sum(sizes)
    if q == LInf.name:
        return max(sizes, default=0)
    if q != L2.name:
        raise SpaceError(f"no norm {q} is computed at run time")
    return _exact.root_below(_exact.exact_sum(v * v for v in sizes))


def columnar(x: Any, norm: Any = "L2") -> Any:
    """The norm of the vector of a row."""
    from metricdp.columns.language import length_in

    return length_in(x, _named(norm))


def instances() -> Iterable[Instance]:
    for p in NORM_NAMES:
        for q in NORM_NAMES:
            yield Instance({"x": Vector("Real", p, num(4))}, {"norm": q})
        yield Instance({"x": Matrix("Real", p, num(3), num(4))})
        ball = ((p, num(2)),)
        yield Instance({"x": Vector("Real", p, num(2), radius=ball)}, {"norm": 2}, tight="unknown")
        rows = Matrix("Real", p, num(2), num(2), num(-1), num(3))
        yield Instance({"x": rows}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """From 0 along one entry, or along all entries alike where that is worse."""
    if instance.tight == "unknown":
        return None
    space = instance.private["x"]
    if isinstance(space, Matrix):
        a, b = move_one_row(space, d)
        return {"x": a["m"]}, {"x": b["m"]}
    assert isinstance(space, Vector)
    alone = conversion(space.norm, str(instance.public["norm"]), num(4)) == ONE
    moved = [Fraction(d), *[Fraction(0)] * 3] if alone else space.geometry.widest(Fraction(d), 4)
    return {"x": [Fraction(0)] * 4}, {"x": moved}
