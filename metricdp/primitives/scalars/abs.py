"""abs: |x|, for a number or for every entry of a vector or matrix.

Stability.  ||x| - |x'|| <= |x - x'|: 1-stable in every norm.  Tight: move on one side of 0.  Where
the sign is known it is x or -x, and the conclusion is linear.  On discrete entries 1.
Source: reverse triangle inequality.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import ONE, ZERO, absolute, num
from metricdp.primitives import _exact
from metricdp.primitives._common import (
    Range,
    discrete,
    kind_of,
    largest,
    nonnegative,
    numbers_only,
    range_of,
    whole,
)
from metricdp.primitives._linear import entrywise_moves, reshaped
from metricdp.primitives._witnesses import step_all
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Matrix, Scalar, Vector
from metricdp.spaces.vectors import Entries

spelling = Spelling(("abs",), ("numpy.abs", "numpy.absolute"), ("abs",))


def rule(x: Arg) -> Conclusion:
    """A number or a container of numbers."""
    if not x.private:
        return Conclusion(value=absolute(x.value) if x.value is not None else None)
    numbers_only("abs", x)
    assert isinstance(x.space, (Scalar, Entries, Matrix))
    lo, hi = range_of(x)
    element, kind = "Int" if whole(x) else "Real", ""
    if discrete(x.space):
        element, kind = "Data", "int" if kind_of(x) == "bool" else kind_of(x)
    space = reshaped(x.space, element, _range((lo, hi)), kind)
    if isinstance(space, (Entries, Matrix)) and isinstance(x.space, (Entries, Matrix)):
        space = msgspec.structs.replace(space, radius=x.space.radius)
    if not discrete(x.space) and (nonnegative(lo) or nonnegative(-hi)):
        return Conclusion(space, linear={"x": ONE if nonnegative(lo) else -ONE})
    return Conclusion(space, {"x": entrywise_moves(x.space, space, ONE)})


def _range(a: Range) -> Range:
    if nonnegative(a[0]):
        return a
    return (-a[1], -a[0]) if nonnegative(-a[1]) else (ZERO, largest(a))


def run(x: Any) -> Any:
    """Exact absolute value."""
    return _exact.entrywise(lambda v: abs(_exact.rational(v)), x)


def instances() -> Iterable[Instance]:
    yield Instance({"x": Scalar("Real")})
    yield Instance({"x": Scalar("Int", num(-9), num(0))})
    yield Instance({"x": Scalar("Data", num(-9), num(4), "int")})
    for norm in ("L1", "L2", "LInf"):
        yield Instance({"x": Vector("Real", norm, num(3))})
        yield Instance({"x": Vector("Data", norm, num(4), num(0), num(9))})
    yield Instance({"x": Matrix("Real", "L2", num(2), num(2))})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """The argument moves by d on one side of 0."""
    return step_all(instance.private, d)
