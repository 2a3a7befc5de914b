"""undisc: discrete values, which only differ or not, as real numbers; they need bounds.

Stability.  Two values of a bounded domain are at most its diameter apart.  A number in [lo, hi]
moves by hi - lo.  A vector of radius c in L_p moves by 2 c n^max(0, 1/q - 1/p) in L_q (sqrt(2) c
and so on for nonnegative values), whatever changed; with entries in [lo, hi] by w = hi - lo per
changed entry: w k in L1, w sqrt(k) in L2, w in LInf for k changes.  Rows of a matrix: the diameter
per changed row, summed.  Factor 2 is tight: (c, 0, ..) and (-c, 0, ..).  Without bounds infinite,
so clip or clamp comes before undisc.
Source: any function into diameter w from a space with least distance 1; rules of discrete
containers.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import INF, ONE, D, Expr, best, num
from metricdp.primitives._common import discrete_conversion, kind_of, no_bound
from metricdp.record import ONE_METRIC, Arg, Conclusion, Instance, Moves, Spelling, Witness, refuse
from metricdp.spaces import Matrix, Scalar, Vector, diameter
from metricdp.spaces.norms import NORM_NAMES, norm_of
from metricdp.spaces.vectors import Entries

example = "x: dp.Data = 7; dp.undisc(dp.clamp(x, 0, 5))"

columnar = "same"
spelling = Spelling(seed=("undisc", "undisc_container"))

_ELEMENT = {"int": "Int", "bool": "Bool"}


def rule(x: Arg) -> Conclusion:
    """A discrete number, vector or matrix with bounds; real ones stay as they are."""
    if not x.private:
        return Conclusion(value=x.value)
    space = x.space
    if not isinstance(space, (Scalar, Entries, Matrix)) or kind_of(x) == "str":
        raise refuse(
            "unsupported-call",
            f"`undisc` reads data as numbers, and {x.text} lies in {space}",
            need="a number, a vector or a matrix of numbers",
            help=f"dp.sum(dp.clamp({x.text}, lower, upper)) reads the rows of a table as numbers",
        )
    if space.element != "Data":
        return Conclusion(space, linear={"x": ONE})
    if isinstance(space, Scalar):
        result: Scalar | Entries | Matrix = Scalar(
            _ELEMENT.get(kind_of(x), "Real"), space.lo, space.hi
        )
        moves: Moves = {(ONE_METRIC, ONE_METRIC): diameter(space)}
    else:
        result = msgspec.structs.replace(space, element="Real")
        p = space.norm
        moves = {(p, q): _bound(space, p, q) for q in NORM_NAMES}
    why = None
    if any(g.is_infinite for g in moves.values()):
        clip = (
            f"dp.clamp({x.text}, lower, upper)"
            if isinstance(space, Scalar)
            else f"dp.clip({x.text}, dp.L2)"
        )
        why = no_bound(
            "unbounded-undisc",
            f"{x.text} has no bounds, so one change moves it by any amount",
            "finite public bounds, or a radius",
            f"dp.undisc({clip})",
        )
    return Conclusion(result, {"x": moves}, why_infinite=why)


def _bound(space: Entries | Matrix, p: str, q: str) -> Expr:
    """The least of the diameter and of the width per changed entry, in L_q."""
    row = space.row if isinstance(space, Matrix) else space
    width, widest = diameter(row.entry), diameter(row, q)
    # Of k changed entries each moves by at most the width: the same count in every L_q.
    entries = INF if width.is_infinite else width * discrete_conversion(p, q, space)
    if not row.radius:
        return entries
    per_row = widest * D if isinstance(space, Matrix) and not widest.is_infinite else widest
    return best([entries, per_row])


def run(x: Any) -> Any:
    """The value itself."""
    return x


def instances() -> Iterable[Instance]:
    yield Instance({"x": Scalar("Data", num(-3), num(5), "float")})
    yield Instance({"x": Scalar("Data", num(0), num(5), "int")})
    yield Instance({"x": Scalar("Data", kind="float")}, tight="unknown")
    for norm in NORM_NAMES:
        ball = ((norm, num(2)),)
        yield Instance({"x": Vector("Data", norm, num(3), radius=ball)})
        yield Instance({"x": Vector("Data", norm, num(4), num(-1), num(3))})
        yield Instance({"x": Vector("Data", norm, num(3), num(0), radius=ball)}, tight="unknown")
        yield Instance({"x": Matrix("Data", norm, num(2), num(2), radius=ball)}, tight="unknown")
        yield Instance({"x": Matrix("Data", norm, num(2), num(2), num(0), num(1))}, tight="unknown")
    yield Instance(
        {"x": Matrix("Data", "LInf", num(4), num(2), radius=(("L2", num(2)),))}, tight="unknown"
    )


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Opposite ends: of the range, or of the ball."""
    if instance.tight == "unknown":
        return None
    space = instance.private["x"]
    if isinstance(space, Scalar):
        lo, hi = space.lo.as_fraction(), space.hi.as_fraction()
        return ({"x": lo}, {"x": hi}) if d == 1 else None
    assert isinstance(space, Vector)
    if space.radius:
        rest = [Fraction(0)] * 2
        if space.norm == "LInf":
            return ({"x": [Fraction(2)] * 3}, {"x": [Fraction(-2)] * 3}) if d == 1 else None
        return ({"x": [Fraction(2), *rest]}, {"x": [Fraction(-2), *rest]}) if d == 1 else None
    changed = norm_of(space.norm).changes(d, 4)
    if changed > 4 or (space.norm == "LInf" and d > 1):
        return None
    low, high = Fraction(-1), Fraction(3)
    return {"x": [low] * 4}, {"x": [high] * changed + [low] * (4 - changed)}
