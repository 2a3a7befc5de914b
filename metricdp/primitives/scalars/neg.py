"""neg: -x, for a number or for every entry of a vector or matrix.

Stability.  |-x + x'| = |x - x'|: 1-stable in every norm, over the reals and over discrete entries.
 Tight: every step.
The conclusion is linear: x + (-x) is 0-stable.
Source: a norm is even.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, num
from metricdp.primitives import _exact
from metricdp.primitives._common import discrete, kind_of, numbers_only, range_of, whole
from metricdp.primitives._linear import entrywise_moves, reshaped
from metricdp.primitives._witnesses import step_all
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Matrix, Scalar, Vector
from metricdp.spaces.vectors import Entries

spelling = Spelling(("-u",), ("numpy.negative",))


def rule(x: Arg) -> Conclusion:
    """A number or a container of numbers."""
    if not x.private:
        return Conclusion(value=-x.value if x.value is not None else None)
    numbers_only("-", x)
    assert isinstance(x.space, (Scalar, Entries, Matrix))
    lo, hi = range_of(x)
    if discrete(x.space):
        kind = "int" if kind_of(x) == "bool" else kind_of(x)
        space = reshaped(x.space, "Data", (-hi, -lo), kind)
        return Conclusion(space, {"x": entrywise_moves(x.space, space, ONE)})
    space = reshaped(x.space, "Int" if whole(x) else "Real", (-hi, -lo))
    return Conclusion(space, linear={"x": -ONE})


def run(x: Any) -> Any:
    """Exact negative."""
    return _exact.entrywise(lambda v: -_exact.rational(v), x)


def instances() -> Iterable[Instance]:
    yield Instance({"x": Scalar("Real")})
    yield Instance({"x": Scalar("Int", num(0), num(9))})
    yield Instance({"x": Scalar("Bool")})
    for norm in ("L1", "L2", "LInf"):
        yield Instance({"x": Vector("Real", norm, num(3))})
        yield Instance({"x": Vector("Data", norm, num(4))})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """The argument moves by d."""
    return step_all(instance.private, d)
