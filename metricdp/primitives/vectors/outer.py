"""outer: x x^T of one vector, flattened row by row into n^2 entries.

Stability.  On |x|_2 <= c, with the Frobenius norm (L2 of the flattening): x x^T - y y^T is
x (x - y)^T + (x - y) y^T, so 2 c |x - y|_2; and its square is |x|^4 + |y|^4 - 2 (x.y)^2 <= 2 c^4,
so never more than sqrt(2) c^2 (x x^T and y y^T have no angle above a right one).  Without a bound
on the norm of x there is none.
Attained by orthogonal vectors of length c; the slope 2c is approached by a step towards 0.
Source: X^T X under one replaced row; Dwork, Talwar, Thakurta and Zhang (2014), "Analyze Gauss".
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import D, minimum, num, root
from metricdp.primitives import _exact
from metricdp.primitives._common import no_bound
from metricdp.record import Arg, Conclusion, Instance, Witness, infinite, refuse
from metricdp.spaces import Vector, implied_radius

example = (
    "v: Annotated[dp.Vector[dp.Real, dp.L2], dp.Size(2)] = [3, 4]; "
    "dp.outer(dp.clip(v, dp.L2, radius=1))"
)

columnar = "outer"


def rule(x: Arg) -> Conclusion:
    """A private vector of numbers in a ball."""
    space = x.space
    if not x.private or not isinstance(space, Vector) or space.element == "Data":
        raise refuse(
            "unsupported-call",
            f"`outer` multiplies the entries of a vector of real numbers, and {x.text} is none",
            need="a vector over the reals",
            help=f"dp.outer(dp.undisc(dp.clip({x.text}, dp.L2)))",
        )
    assert space.size is not None
    size, c = space.size * space.size, implied_radius(space, "L2")
    if c.is_infinite:
        why = no_bound(
            "unbounded-product",
            f"a small step of {x.text} is multiplied by its entries, which may be of any size",
            f"a bound on the norm of {x.text}",
            f"dp.outer(dp.clip({x.text}, dp.L2))",
        )
        return infinite(why, Vector("Real", "L2", size), "x")
    square = c * c
    result = Vector("Real", "L2", size, -square, square, (("L2", square),))
    moves = {("L2", "L2"): minimum(2 * c * D, root(num(2)) * square)}
    return Conclusion(result, {"x": moves}, square_of="x")


def run(x: Any) -> list[Fraction]:
    """Every product of two entries, exact."""
    entries = [Fraction(_exact.rational(v)) for v in x]
    return [a * b for a in entries for b in entries]


def instances() -> Iterable[Instance]:
    for norm in ("L2", "L1"):
        ball = Vector("Real", norm, num(3), radius=(("L2", num(Fraction(1, 2))),))
        yield Instance({"x": ball}, tight="attained" if norm == "L2" else "unknown")
    wide = Vector("Real", "L2", num(2), radius=(("L2", num(1_000_000)),))
    yield Instance({"x": wide}, tight="approached")
    yield Instance({"x": Vector("Real", "L2", num(2))}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Orthogonal vectors on the sphere; in a large ball a step towards 0."""
    if instance.tight == "unknown":
        return None
    zero = Fraction(0)
    if instance.tight == "approached":
        c = Fraction(1_000_000)
        return {"x": [c, zero]}, {"x": [c - d, zero]}
    half = Fraction(1, 2)
    return {"x": [half, zero, zero]}, {"x": [zero, half, zero]}
