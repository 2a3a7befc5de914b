"""map2: applies a function of two numbers to the entries of two vectors.

Stability.  Entry i of the result depends on entries i only.  Moving one vector while the other
stays is `map`; both together add up (triangle inequality): s_1 and s_2 in every norm for stable
functions, w per changed discrete entry.  A captured private variable reaches all n entries.
Tight when the function's own bounds are tight: change one entry of both.
Source: as map; triangle inequality over arguments.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import INF, D, num
from metricdp.primitives._common import NORMS, discrete
from metricdp.primitives._witnesses import step_all
from metricdp.primitives.matrices._columns import body_of
from metricdp.primitives.vectors.map import _moves as entry_moves
from metricdp.record import (
    ONE_METRIC,
    Arg,
    Body,
    Conclusion,
    Instance,
    Requirement,
    Spelling,
    Witness,
    refuse,
    scalar_moves,
)
from metricdp.spaces import Scalar, Space, Vector
from metricdp.spaces.vectors import Entries

spelling = Spelling(seed=("map",))


def _vector(x: Arg) -> Entries:
    if not x.private or not isinstance(x.space, Entries):
        raise refuse(
            "unsupported-call",
            f"`map` of two arguments goes through private vectors, and {x.text} is none",
            need="a Vector argument",
            help="dp.map(f, xs, ys)",
        )
    return x.space


def _formals(args: dict[str, Arg]) -> tuple[Space, ...]:
    """What the function receives: one entry of each vector."""
    return tuple(_vector(args[name]).entry for name in ("xs", "ys"))


formals = {"f": _formals}


def rule(f: Arg, xs: Arg, ys: Arg) -> Conclusion:
    """Two private vectors of one size, and a function from numbers to numbers."""
    left, right, body = _vector(xs), _vector(ys), body_of(f, "map")
    assert left.size is not None and right.size is not None
    entry = body.space
    if not isinstance(entry, Scalar):
        raise refuse(
            "unsupported-call",
            f"the function given to `map` returns {entry}, and entries are numbers",
            need="a function from numbers to numbers",
            help="dp.map_rows for functions of rows",
        )
    result = Vector(entry.element, left.norm, left.size, entry.lo, entry.hi)
    if discrete(result) and left.norm != right.norm:
        raise refuse(
            "wrong-norm",
            f"{xs.text} and {ys.text} have different norms, and the results are discrete",
            need="one norm",
            help=f"dp.norm_convert({ys.text}, dp.{left.norm})",
        )
    maps = {
        name: entry_moves(moves.get((ONE_METRIC, ONE_METRIC), INF), space, result)
        for name, space, moves in zip(("xs", "ys"), (left, right), body.maps, strict=True)
    }
    same = Requirement(
        left.size, "==", right.size, "size-mismatch", f"give {xs.text} and {ys.text} one size"
    )
    requires = () if left.size == right.size else (same,)
    return Conclusion(result, maps, captured=left.size, requires=requires)


def run(f: Any, xs: Any, ys: Any) -> Any:
    """f of every pair of entries, in order."""
    return [f(x, y) for x, y in zip(xs, ys, strict=False)]


def instances() -> Iterable[Instance]:
    mixed = Body(Scalar("Real"), (scalar_moves(2 * D), scalar_moves(3 * D)))
    same = Body(Scalar("Int", num(0), num(1)), (scalar_moves(num(1)), scalar_moves(num(1))))
    for norm in NORMS:
        real, data = Vector("Real", norm, num(3)), Vector("Data", norm, num(3))
        yield Instance({"xs": real, "ys": real}, {"f": _mixed}, {"f": mixed})
        yield Instance({"xs": data, "ys": data}, {"f": _same}, {"f": same}, "unknown")


def _mixed(x: Any, y: Any) -> Any:
    return 2 * x + 3 * y


def _same(x: Any, y: Any) -> int:
    return int(x == y)


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """The first entry of both vectors moves."""
    return None if instance.tight == "unknown" else step_all(instance.private, d)
