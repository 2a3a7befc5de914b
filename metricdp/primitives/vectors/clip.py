"""clip: scales a vector into a ball, v * min(1, c/|v|).

Stability over the reals, n entries (independent of the radius c; suprema unless "1"):
    |              | in L1           | in L2   | in LInf         |
    | clip to L1   | min(2, n)       | sqrt n  | max(1, n - 1)   |
    | clip to L2   | (1 + sqrt n)/2  | 1       | (1 + sqrt n)/2  |
    | clip to LInf | max(1, n - 1)   | sqrt n  | min(2, n)       |
Proof: operator norms of the derivative on the sphere, I - x x^T for L2 (the projection on a
Euclidean ball is 1-Lipschitz), I - x s^T with signs s for L1, I - x e_k^T for LInf; any radial
clip is at most 2 in its own norm.  From L2 the clip to L2 also moves by sqrt n in L1 and by 1 in
LInf: it is 1 in L2, and |v|_1 <= sqrt n |v|_2, max |v| <= |v|_2.
Approached by small steps from points of the sphere.
Over discrete entries clip is any function: all n entries may change, n^(1/q) in L_q.  Tight:
raising one entry rescales all others.
The reference rounds inward: the result never leaves the ball.  So undisc after clip costs 2 c.
A matrix is clipped row by row: distances add up over rows, so the constants are those of one row,
with n the number of columns; every discrete row that changes is at distance 1 or more from what it
was, and costs the constant of one row.
Source: rules of clipping; projection on a convex set.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.errors import SpaceError
from metricdp.expr import INF, ONE, ZERO, D, Expr, maximum, minimum, num, root
from metricdp.expr.roots import BITS
from metricdp.primitives import _exact
from metricdp.primitives._common import positive, spread
from metricdp.primitives.vectors._norm_first import norm_argument, norm_first
from metricdp.record import Arg, Conclusion, Instance, Requirement, Spelling, Witness, refuse
from metricdp.spaces import NEG_INF, Matrix, Vector, norm_name
from metricdp.spaces.norms import L1, L2, NORM_NAMES, LInf, conversion
from metricdp.spaces.vectors import Entries

example = "v: dp.Vector[dp.Real, dp.L2] = [3, 4]; dp.clip(v, dp.L2, radius=1)"

spelling = Spelling(seed=("clip",))
reorder = norm_first

TRUST = "clip to L2 over the reals takes square roots as real numbers (computed to 2**-120)"
#: Inward rounding of every entry, relative to the radius.
ROUNDING = num(Fraction(1, 2**118))
UNIT = Arg(value=ONE, literal=1, text="1")


def rule(x: Arg, norm: Arg, radius: Arg = UNIT) -> Conclusion:
    """A vector, a gradient or the rows of a matrix, a norm and a public radius > 0; also with the
    norm first."""
    p = norm_argument(norm, "clip")
    space = x.space
    if x.private and isinstance(space, Matrix):
        return _rows(space, rule(msgspec.structs.replace(x, space=space.row), norm, radius))
    if not x.private or not isinstance(space, Entries):
        raise refuse(
            "unsupported-call",
            f"`clip` bounds the norm of private vectors, and {x.text} is none",
            need="a vector, a gradient or a matrix",
            help=f"dp.clamp({x.text}, lower, upper) bounds numbers and columns",
        )
    if radius.private or radius.value is None:
        raise refuse(
            "private-argument",
            f"the radius {radius.text} is no public number",
            need="a public radius",
            help=f"dp.clip({x.text}, dp.{p}, radius=1.0)",
        )
    c = radius.value
    requires = (
        () if positive(c) else (Requirement(c, ">", ZERO, remedy=f"choose {radius.chosen} > 0"),)
    )
    result = _ball(space, p, c)
    assert space.size is not None
    if space.element == "Data":
        q = space.norm
        return Conclusion(result, {"x": {(q, q): spread(space, q)}}, requires=requires)
    moves: dict[tuple[str, str], Expr] = {
        (q, q): _constant(p, q, space.size) * D for q in NORM_NAMES
    }
    if p == "L2":
        # By way of L2, where the clip moves by 1, before the norm is converted.
        moves |= {("L2", "L1"): root(space.size) * D, ("L2", "LInf"): D}
    trust = (TRUST,) if p == "L2" else ()
    rounding = c * space.size * ROUNDING if p == "L2" else ZERO
    return Conclusion(result, {"x": moves}, requires=requires, rests_on=trust, rounding=rounding)


def _rows(space: Matrix, row: Conclusion) -> Conclusion:
    """The conclusion about all rows, from the one about a row."""
    ball, rows = row.space, space.rows
    assert isinstance(ball, Vector) and rows is not None
    result = msgspec.structs.replace(
        space, element=ball.element, lo=ball.lo, hi=ball.hi, radius=ball.radius
    )
    moves = row.maps["x"]
    if space.element == "Data":
        moves = {norms: width * D for norms, width in moves.items()}
    return msgspec.structs.replace(
        row, space=result, maps={"x": moves}, rounding=rows * row.rounding
    )


def _constant(p: str, q: str, n: Expr) -> Expr:
    """The Lipschitz constant of the clip to the L_p ball, measured in L_q, for n entries."""
    if p == q:
        return ONE if p == L2.name else minimum(num(2), n)
    if {p, q} == {L1.name, LInf.name}:
        return maximum(ONE, n - 1)
    if L2.name in (p, q) and {p, q} & {L1.name, LInf.name}:
        return (1 + root(n)) / 2 if p == L2.name else root(n)
    # By way of L_p, where every radial projection moves by at most 2.
    return conversion(q, p, n) * minimum(num(2), n) * conversion(p, q, n)


def _ball(space: Entries, p: str, c: Expr) -> Entries:
    """The space of the result: smaller entries of the same sign, norms that did not grow."""
    known = dict(space.radius)
    known[p] = minimum(known[p], c) if p in known else c
    lo = NEG_INF if space.lo == NEG_INF else maximum(-c, minimum(space.lo, ZERO))
    hi = INF if space.hi == INF else minimum(c, maximum(space.hi, ZERO))
    element = "Data" if space.element == "Data" else "Real"
    return msgspec.structs.replace(
        space,
        element=element,
        lo=-c if lo == NEG_INF else lo,
        hi=c if hi == INF else hi,
        radius=tuple(known.items()),
    )


def run(x: Any, norm: Any, radius: Any = 1) -> Any:
    """x, or every row of x, scaled by min(1, c/|x|), rounded inward to 2**-120 of the radius."""
    if any(isinstance(row, list | tuple) for row in x):
        rows = [run(row, norm, radius) for row in x]
        return rows if type(x) is list else type(x)(rows)
    values = [Fraction(_exact.rational(v)) for v in x]
    c, p = Fraction(radius), norm_name(norm)
    size = _length(values, p)
    if size is None:  # L2 inside the ball, decided exactly
        inside = sum((v * v for v in values), Fraction(0)) <= c * c
        bits = BITS + max(0, c.denominator.bit_length() - c.numerator.bit_length())
        size = Fraction(0) if inside else _exact.root_above(sum(v * v for v in values), bits)
    if size <= c:
        return x
    scale = c / size
    return _exact.entrywise(lambda v: _exact.rational(v) * scale, x)


def _length(values: list[Fraction], p: str) -> Fraction | None:
    sizes = [abs(v) for v in values]
    if p == L1.name:
        return sum(sizes, Fraction(0))
    if p == LInf.name:
        return max(sizes, default=Fraction(0))
    if p != L2.name:
        raise SpaceError(f"nothing is clipped to {p} at run time")
    return None


def columnar(x: Any, norm: Any, radius: Any = 1) -> Any:
    """The vector of a row, scaled into the ball as doubles go."""
    from metricdp.columns.language import scaled_into

    return scaled_into(x, norm_name(norm), radius)


def instances() -> Iterable[Instance]:
    for q in NORM_NAMES:
        for norm in NORM_NAMES:
            for n in (1, 4):
                public = {"norm": norm, "radius": Fraction(1000)}
                yield Instance({"x": Vector("Real", q, num(n))}, public, tight="approached")
            yield Instance({"x": Vector("Data", q, num(4))}, {"norm": norm, "radius": 2})
    yield Instance(
        {"x": Vector("Real", "L2", num(2), num(0), num(3))}, {"norm": "L2"}, tight="unknown"
    )
    for q in NORM_NAMES:
        for element in ("Real", "Data"):
            rows = Matrix(element, q, num(2), num(2))
            yield Instance({"x": rows}, {"norm": q, "radius": 2}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Points of the sphere where the derivative is largest, moved by a small step."""
    if instance.tight == "unknown":
        return None
    space = instance.private["x"]
    assert isinstance(space, Vector) and space.size is not None
    p, q, c = str(instance.public["norm"]), space.norm, Fraction(instance.public["radius"])
    if space.element == "Data":
        if d > 1 and q != "L1":
            return None
        low = c / 4
        changed = d if q == "L1" else 1
        return {"x": [low] * 4}, {"x": [8 * c] * changed + [low] * (4 - changed)}
    if space.size == ONE:
        return {"x": [Fraction(0)]}, {"x": [Fraction(d)]}
    point, step = _worst(p, q)
    start = [c * v for v in point]
    return {"x": start}, {"x": [v + d * h for v, h in zip(start, step, strict=True)]}


def _worst(p: str, q: str) -> tuple[list[Fraction], list[Fraction]]:
    """A point of the unit L_p sphere in 4 entries, a step of L_q length 1 (just below for L2)."""
    one, zero, half, e = Fraction(1), Fraction(0), Fraction(1, 2), Fraction(1, 1000)
    third, twelfth = Fraction(57735, 100000), Fraction(28867, 100000)  # 1/sqrt(3), 1/sqrt(12)
    if p == "L2":
        if q == "L2":
            return [one, zero, zero, zero], [zero, one, zero, zero]
        return [half] * 4, [one, zero, zero, zero] if q == "L1" else [-one, one, one, one]
    if p == "L1":
        if q == "L1":
            return [one, zero, zero, zero], [zero, one, zero, zero]
        return [1 - 3 * e, e, e, e], [zero, third, third, third] if q == "L2" else [
            -one,
            one,
            one,
            one,
        ]
    near = 1 - e
    if q == "L1":
        return [one, near, near, near], [one, zero, zero, zero]
    if q == "L2":
        return [one, near, near, near], [3 * twelfth, -twelfth, -twelfth, -twelfth]
    return [one, -near, -near, -near], [one, one, one, one]


version = 2
