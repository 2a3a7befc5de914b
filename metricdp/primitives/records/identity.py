"""identity: the value itself.

Stability.  Outputs are the inputs: 1 in every metric.
Tight: any two values.
Source: definition of a stability map; OpenDP make_identity.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import D, num
from metricdp.primitives.records._columns import replaced, tables
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, refuse
from metricdp.spaces import Maybe, Records, Scalar, Vector
from metricdp.spaces.norms import NORM_NAMES

example = "visits: dp.Records[float] = [3.0, 4.0]; dp.identity(visits)"

spelling = Spelling(opendp=("make_identity",))


def rule(x: Arg) -> Conclusion:
    """Any private value."""
    if x.space is None or not x.private:
        raise refuse(
            "unsupported-call",
            f"`identity` takes a private value, and {x.text} is none",
            need="a private value",
            help=x.text,
        )
    norm = getattr(x.space, "norm", "")
    return Conclusion(x.space, {"x": {(norm, norm): D}})


def run(x: Any) -> Any:
    """The argument."""
    return x


tabular = run


def instances() -> Iterable[Instance]:
    for _, space in tables(Maybe(Scalar("Data", kind="int"))):
        yield Instance({"x": space})
    yield Instance({"x": Scalar("Real")})
    for norm in NORM_NAMES:
        yield Instance({"x": Vector("Real", norm, num(3))})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Two values at distance d."""
    space = instance.private["x"]
    if isinstance(space, Records):
        return replaced(space, 1, 2, d)
    if isinstance(space, Scalar):
        return {"x": Fraction(0)}, {"x": Fraction(d)}
    return {"x": [Fraction(0)] * 3}, {"x": [Fraction(d), Fraction(0), Fraction(0)]}
