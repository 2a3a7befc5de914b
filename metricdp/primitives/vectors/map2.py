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

from metricdp.expr import D, num
from metricdp.primitives._common import discrete
from metricdp.primitives._maps import body_of, through_entries
from metricdp.primitives._witnesses import step_all
from metricdp.record import Arg, Body, Conclusion, Instance, Spelling, Witness, refuse, scalar_moves
from metricdp.spaces import Scalar, Vector
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.vectors import Entries

example = (
    "v: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(2)] = [1, 2]; "
    "w: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(2)] = [3, 4]; "
    "dp.map2(lambda a, b: a + b, v, w)"
)

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


_ENTRIES = through_entries(_vector, lambda f, _: body_of(f, "map"))
formals = _ENTRIES.formals("xs", "ys")


def rule(f: Arg, xs: Arg, ys: Arg) -> Conclusion:
    """Two private vectors of one size, and a function from numbers to numbers."""
    found = _ENTRIES.applied(f, xs=xs, ys=ys)
    left, right = _vector(xs), _vector(ys)
    if discrete(found.space) and left.norm != right.norm:
        raise refuse(
            "wrong-norm",
            f"{xs.text} and {ys.text} have different norms, and the results are discrete",
            need="one norm",
            help=f"dp.norm_convert({ys.text}, dp.{left.norm})",
        )
    return found


def run(f: Any, xs: Any, ys: Any) -> Any:
    """f of every pair of entries, in order."""
    return [f(x, y) for x, y in zip(xs, ys, strict=False)]


def columnar(f: Any, xs: Any, ys: Any) -> Any:
    """f of every pair of entries of vectors of a row."""
    from metricdp.columns.tracing import each_entry

    return each_entry(f, xs, ys)


def instances() -> Iterable[Instance]:
    mixed = Body(Scalar("Real"), (scalar_moves(2 * D), scalar_moves(3 * D)))
    same = Body(Scalar("Int", num(0), num(1)), (scalar_moves(num(1)), scalar_moves(num(1))))
    for norm in NORM_NAMES:
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
