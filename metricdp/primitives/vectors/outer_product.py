"""outer_product: x y^T of two vectors, an array with a row for each entry of x.

Stability.  |x y^T|_q = |x|_q |y|_q over the entries, for L1, L2 and LInf.  So
|x y^T - x' y'^T|_q <= |x - x'|_q |y|_q + |x'|_q |y - y'|_q: each argument pays the bound on the
norm of the other one; infinite without one.  A public vector that is not known has none.
Bound; tight where one vector moves alone and the other one has the norm of its bound.
Source: the norm of a rank-one array is the product of the norms; triangle inequality.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import D, Expr, num
from metricdp.primitives import _exact
from metricdp.primitives._common import discrete, multiply_ranges, no_bound, range_of, times
from metricdp.record import Arg, Conclusion, Instance, Moves, Spelling, Witness, refuse
from metricdp.spaces import Gradient, Vector, implied_radius
from metricdp.spaces.norms import NORM_NAMES

example = (
    "v: Annotated[dp.Vector[dp.Real, dp.L2], dp.Size(2)] = [3, 4]; "
    "w: Annotated[dp.Vector[dp.Real, dp.L2], dp.Size(2)] = [0, 2]; "
    "dp.outer_product(dp.clip(v, dp.L2), dp.clip(w, dp.L2))"
)

spelling = Spelling(numpy=("numpy.outer",))


def rule(x: Arg, y: Arg) -> Conclusion:
    """Two vectors of numbers, at least one of them private."""
    left, right = _vector(x), _vector(y)
    assert left.size is not None and right.size is not None
    maps: dict[str, Moves] = {}
    for name, arg, other in (("x", x, y), ("y", y, x)):
        if arg.private:
            maps[name] = {(p, p): times(_radius(other, p), D) for p in NORM_NAMES}
    lo, hi = multiply_ranges(_range(x), _range(y))
    radius = tuple(
        (p, both) for p in NORM_NAMES
        if not (both := times(_radius(x, p), _radius(y, p))).is_infinite
    )  # fmt: skip
    endless = any(g.is_infinite for moves in maps.values() for g in moves.values())
    why = no_bound(
        "unbounded-product",
        f"{x.text} and {y.text} are multiplied, and one of them may be as large as one likes",
        "a bound on the norm of both",
        "dp.clip both vectors before they are multiplied",
    )
    shape = (left.size, right.size)
    space = Gradient("Real", "L2", left.size * right.size, lo, hi, radius, shape)
    return Conclusion(space, maps, why_infinite=why if endless else None)


def _vector(x: Arg) -> Vector:
    space = x.space
    if not isinstance(space, Vector) or space.size is None or discrete(space):
        raise refuse(
            "unsupported-call",
            f"`outer` multiplies the entries of two vectors of real numbers, and {x.text} is none",
            need="vectors over the reals of known lengths",
            help=f"dp.undisc(dp.clip({x.text}, dp.L2)) reads discrete entries as numbers",
        )
    return space


def _range(x: Arg) -> tuple[Expr, Expr]:
    return range_of(x)


def _radius(x: Arg, norm: str) -> Expr:
    if not x.private:
        return range_of(x)[1]
    assert x.space is not None
    return implied_radius(x.space, norm)


def run(x: Any, y: Any) -> list[Fraction]:
    """Every product of two entries, exact, row by row in one list."""
    right = [_exact.rational(v) for v in y]
    return [_exact.rational(a) * b for a in x for b in right]


def columnar(x: Any, y: Any) -> Any:
    """The products for vectors of a row, in one vector."""
    from metricdp.columns.language import mul, stack, vector

    left, right = list(vector(x)), list(vector(y))
    return stack([mul(a, b) for a in left for b in right])


def instances() -> Iterable[Instance]:
    ball = Vector("Real", "L2", num(2), radius=(("L2", num(2)),))
    yield Instance({"x": ball, "y": Vector("Real", "L1", num(3), num(-1), num(1))}, tight="unknown")
    yield Instance({"x": Vector("Int", "LInf", num(2), num(0), num(3)), "y": ball}, tight="unknown")
    yield Instance({"x": Vector("Real", "L2", num(2)), "y": ball}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Not known where both move."""
    return None
