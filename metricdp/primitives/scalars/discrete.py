"""discrete: the same value under the discrete metric, where any change is a change of 1.

Stability.  Different integers are at distance at least 1: 1, entry by entry (L_p to L_q as between
discrete norms).  On reals infinite: an arbitrarily small step is a whole change.  Tight: one step.
Source: a function from a space with least distance m to diameter w is w/m-stable.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import ONE, num
from metricdp.primitives._common import discrete, kind_of, no_bound
from metricdp.primitives._entrywise import entrywise_moves
from metricdp.primitives._witnesses import zero_and_step
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, infinite, refuse
from metricdp.spaces import Matrix, Scalar, Vector
from metricdp.spaces.norms import NORM_NAMES, norm_of
from metricdp.spaces.vectors import Entries

example = "x: dp.Int = 7; dp.discrete(x)"

columnar = "same"
spelling = Spelling(seed=("discrete",))


def rule(x: Arg) -> Conclusion:
    """A number or container over Real, Int or Bool; discrete values stay as they are."""
    if not x.private:
        return Conclusion(value=x.value)
    if not isinstance(x.space, (Scalar, Entries, Matrix)):
        raise refuse(
            "unsupported-call",
            f"`discrete` reads numbers as data, and {x.text} lies in {x.space}",
            need="a number, a vector or a matrix",
            help=f"use {x.text} as it is",
        )
    space = msgspec.structs.replace(x.space, element="Data")
    if isinstance(space, Scalar):
        space = msgspec.structs.replace(space, kind=kind_of(x))
    if x.space.element == "Real":
        why = no_bound(
            "real-discretised",
            f"an arbitrarily small step of {x.text} is a whole change under the discrete metric",
            "integer or discrete entries",
            f"declare {x.text} as Data, or dp.floor({x.text}) first",
        )
        return infinite(why, space, "x")
    if discrete(x.space):
        return Conclusion(x.space, linear={"x": ONE})
    return Conclusion(space, {"x": entrywise_moves(x.space, space, ONE)})


def run(x: Any) -> Any:
    """The value itself."""
    return x


def instances() -> Iterable[Instance]:
    yield Instance({"x": Scalar("Int")})
    yield Instance({"x": Scalar("Bool")})
    yield Instance({"x": Scalar("Real")}, tight="unknown")
    yield Instance({"x": Scalar("Data", kind="str")}, tight="unknown")
    for norm in NORM_NAMES:
        yield Instance({"x": Vector("Int", norm, num(4))})
        yield Instance({"x": Vector("Real", norm, num(2))}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """One step, or as many entries as the norm allows."""
    if instance.tight == "unknown":
        return None
    space = instance.private["x"]
    if isinstance(space, Vector):
        changed = norm_of(space.norm).changes(d, 4)
        if changed > 4:
            return None
        size = d if space.norm == "LInf" else 1
        return {"x": [0] * 4}, {"x": [size] * changed + [0] * (4 - changed)}
    if d > 1 and isinstance(space, Scalar) and space.element == "Bool":
        return None
    return tuple({"x": v} for v in zero_and_step(space, d))  # type: ignore[return-value]
