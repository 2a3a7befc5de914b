"""concat: several vectors one after the other.

Stability.  Every argument keeps its entries: 1 per argument in each norm.  When several move at
once, by d_1, ..., d_k in one norm, the entries stand side by side, so the result moves by that norm
of (d_1, ..., d_k): the sum in L1, sqrt(d_1^2 + ... + d_k^2) in L2, the largest in LInf.  Discrete
vectors must share one norm, and their movements add up.
Tight: move one argument, or all of them.
Source: definition of the norms.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import INF, ZERO, D, Expr, maximum, minimum, num
from metricdp.primitives._common import discrete
from metricdp.primitives._witnesses import step_all
from metricdp.record import Arg, Conclusion, Instance, Moves, Spelling, Witness, refuse
from metricdp.spaces import NEG_INF, Vector
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.vectors import Entries

example = (
    "v: dp.Vector[dp.Real, dp.L1] = [1, 2]; w: dp.Vector[dp.Real, dp.L1] = [3]; dp.concat(v, w)"
)

columnar = "joined"
spelling = Spelling(numpy=("numpy.concatenate", "numpy.hstack"))


def rule(*xs: Arg) -> Conclusion:
    """Private vectors, all discrete in one norm or all over numbers."""
    spaces = [_space(x) for x in xs]
    if not spaces:
        raise _refusal("nothing")
    first = spaces[0]
    if any(discrete(s) != discrete(first) for s in spaces):
        raise refuse(
            "wrong-norm",
            "`concat` joins discrete entries with numbers, which have different distances",
            need="vectors of one kind",
            help="dp.undisc(dp.clamp(x, lower, upper)) reads discrete entries as numbers",
        )
    if discrete(first) and any(s.norm != first.norm for s in spaces):
        raise refuse(
            "wrong-norm",
            "`concat` joins discrete vectors under different norms",
            need="one norm",
            help=f"dp.norm_convert(x, dp.{first.norm})",
        )
    size: Expr = ZERO
    for space in spaces:
        assert space.size is not None
        size = size + space.size
    elements = {s.element for s in spaces}
    element = elements.pop() if len(elements) == 1 else "Real" if "Real" in elements else "Int"
    result = Vector(element, first.norm, size, *_range(spaces), _radius(spaces))
    norms = (first.norm,) if discrete(first) else NORM_NAMES
    moves: Moves = {(p, p): D for p in norms}
    joined = "sum" if discrete(first) else "concat"
    return Conclusion(result, {str(i): moves for i in range(len(xs))}, combine=joined)


def _space(x: Arg) -> Entries:
    if not x.private or not isinstance(x.space, Entries):
        raise _refusal(x.text)
    return x.space


def _refusal(text: str) -> Exception:
    return refuse(
        "unsupported-call",
        f"`concat` joins private vectors, and {text} is none",
        need="private vectors, one argument each",
        help="dp.concat(x, y)",
    )


def _range(spaces: list[Entries]) -> tuple[Expr, Expr]:
    lows, highs = [s.lo for s in spaces], [s.hi for s in spaces]
    return (
        NEG_INF if NEG_INF in lows else minimum(*lows),
        INF if INF in highs else maximum(*highs),
    )


def _radius(spaces: list[Entries]) -> tuple[tuple[str, Expr], ...]:
    """A norm that is bounded for every part: the sum of the bounds."""
    known = [dict(s.radius) for s in spaces]
    shared = [p for p in NORM_NAMES if all(p in k for k in known)]
    return tuple((p, sum((k[p] for k in known), ZERO)) for p in shared)


def run(*xs: Any) -> Any:
    """All entries in order; one tuple of vectors, as NumPy writes it, is several arguments."""
    if len(xs) == 1 and all(hasattr(x, "__iter__") for x in xs[0]):
        xs = tuple(xs[0])
    return [v for x in xs for v in x]


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        real = Vector("Real", norm, num(2))
        yield Instance({"0": real})
        yield Instance({"0": real, "1": Vector("Int", norm, num(3))})
        ball = Vector("Real", norm, num(2), num(-3), num(1), ((norm, num(2)),))
        yield Instance({"0": ball, "1": ball}, tight="unknown")
        yield Instance({"0": Vector("Data", norm, num(4))})
        yield Instance(
            {"0": Vector("Data", norm, num(3)), "1": Vector("Data", norm, num(2))}, tight="unknown"
        )


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Every argument moves by d in one entry."""
    if instance.tight == "unknown" or (d > 1 and discrete(instance.private["0"])):
        return None
    return step_all(instance.private, d)
