"""one_hot: the vector that holds a number at one position, and 0 everywhere else.

Stability.  Let |x| <= c.  Where the position alone changes, x leaves one entry and enters another:
at most 2 c in L1, sqrt(2) c in L2, c in LInf, a constant.  Where x alone moves by d, one entry
moves by d: d in every norm; x under the discrete metric goes to any other value of [lo, hi].
Where both move, the sum (triangle inequality).  A position outside of the vector gives zeros, which
are nearer to every such vector than two of them are to each other.
Tight: the position changes with x at the end of its range; x moves.
Source: folklore; a row of an indicator matrix.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, ZERO, D, maximum, minimum, num
from metricdp.primitives._common import discrete, kind_of, largest, no_bound, range_of, whole
from metricdp.record import (
    ONE_METRIC,
    Arg,
    Conclusion,
    Instance,
    Moves,
    Requirement,
    Witness,
    refuse,
)
from metricdp.spaces import Scalar, Vector
from metricdp.spaces.norms import NORMS

example = "i: dp.Int = 2; dp.one_hot(i, 4)"

_ONE = Arg(value=ONE, literal=1)


def rule(i: Arg, size: Arg, x: Arg = _ONE) -> Conclusion:
    """A whole position, a public number of entries, and a number."""
    if size.private or size.value is None or not size.value.is_integer():
        raise refuse(
            "size-mismatch",
            f"nothing says how many entries {size.text} are",
            need="a public whole number",
            help=f"dp.one_hot({i.text}, 3)",
        )
    _position(i)
    if (
        not isinstance(x.space, Scalar | None)
        or kind_of(x) == "str"
        or (not x.private and x.value is None)
    ):
        raise refuse(
            "unsupported-call",
            f"`one_hot` holds one number, and {x.text} is none",
            need="a number",
            help=f"dp.one_hot({i.text}, {size.text})",
        )
    lo, hi = range_of(x)
    most = largest((lo, hi))
    element = "Int" if whole(x) else "Real"
    radius = () if most.is_infinite else (("L1", most),)
    result = Vector(element, "L1", size.value, minimum(lo, ZERO), maximum(hi, ZERO), radius)
    maps: dict[str, Moves] = {}
    if i.private:
        maps["i"] = {
            (ONE_METRIC, name): norm.of_ones(num(2)) * most for name, norm in NORMS.items()
        }
    if x.private:
        moved = (hi - lo) if discrete(x.space) else D
        maps["x"] = {(ONE_METRIC, name): moved for name in NORMS}
    why = None
    if any(g.is_infinite for moves in maps.values() for g in moves.values()):
        why = no_bound(
            "unbounded-sum",
            f"one person can move {x.text} from one entry to another, and it has no bound",
            "finite public bounds",
            f"dp.one_hot({i.text}, {size.text}, dp.clamp({x.text}, lower, upper))",
        )
    some = Requirement(size.value, ">=", ONE, "size-mismatch", "give it at least one entry")
    return Conclusion(result, maps, requires=(some,), why_infinite=why)


def _position(i: Arg) -> None:
    if i.private and kind_of(i) in ("int", "bool") and isinstance(i.space, Scalar):
        return
    if not i.private and i.value is not None and i.value.is_integer():
        return
    raise refuse(
        "private-index",
        f"the position {i.text} is no whole number",
        need="an integer position",
        help=f"declare {i.text} as Int",
    )


def run(i: Any, size: Any, x: Any = 1) -> list[Any]:
    """Zeros where the position lies outside; positions below 0 do."""
    return [x if at == i else 0 * x for at in range(int(size))]


def columnar(i: Any, size: Any, x: Any = 1) -> Any:
    """The vector of a row."""
    from metricdp.columns.language import eq, select, stack

    return stack([select(eq(i, at), x, 0) for at in range(int(size))])


def instances() -> Iterable[Instance]:
    for lo, hi in ((0, 3), (-2, 5)):
        yield Instance({"i": Scalar("Int")}, {"size": 3, "x": Fraction(hi)})
        boxed = Scalar("Real", num(lo), num(hi))
        yield Instance({"x": boxed}, {"i": 1, "size": 3})
        yield Instance({"i": Scalar("Int"), "x": boxed}, {"size": 3}, tight="unknown")
        data = Scalar("Data", num(lo), num(hi), "int")
        yield Instance({"x": data}, {"i": 0, "size": 2})
    yield Instance({"i": Scalar("Int")}, {"size": 2})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """The position steps; or the number does."""
    if instance.tight == "unknown" or d > 1:
        return None
    if "i" in instance.private:
        return {"i": 0}, {"i": 1}
    space = instance.private["x"]
    assert isinstance(space, Scalar)
    lo, hi = space.lo.as_fraction(), space.hi.as_fraction()
    assert lo is not None and hi is not None
    return {"x": lo}, {"x": hi if space.element == "Data" else lo + d}
