"""abs: |x|, for a number or for every entry of a vector or matrix.

Stability.  ||x| - |x'|| <= |x - x'|: 1-stable in every norm.  Tight: move on one side of 0.  Where
the sign is known it is x or -x, and the conclusion is linear.  On discrete entries 1.
Source: reverse triangle inequality.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from metricdp.expr import ONE, ZERO, absolute, num
from metricdp.primitives import _exact
from metricdp.primitives._common import Range, kind_of, largest, nonnegative, range_of, whole
from metricdp.primitives._entrywise import EntryRule, entrywise
from metricdp.primitives._witnesses import step_all
from metricdp.record import Arg, Instance, Spelling, Witness
from metricdp.spaces import Matrix, Scalar, Vector
from metricdp.spaces.norms import NORM_NAMES

example = "x: dp.Real = -3; dp.abs(x)"

columnar = "absolute"
spelling = Spelling(("abs",), ("numpy.abs", "numpy.absolute"), ("abs",))


def _entry(x: Arg) -> EntryRule:
    """A number or a container of numbers."""
    lo, hi = range_of(x)
    rising, falling = nonnegative(lo), nonnegative(-hi)
    return EntryRule(
        _range((lo, hi)),
        {"x": -ONE if falling and not rising else ONE},
        whole=whole(x),
        kind="int" if kind_of(x) == "bool" else kind_of(x),
        linear=rising or falling,
        keeps_balls=True,
    )


def _range(a: Range) -> Range:
    if nonnegative(a[0]):
        return a
    return (-a[1], -a[0]) if nonnegative(-a[1]) else (ZERO, largest(a))


rule, run = entrywise("abs", _entry, lambda v: abs(_exact.rational(v)), value=absolute)


def instances() -> Iterable[Instance]:
    yield Instance({"x": Scalar("Real")})
    yield Instance({"x": Scalar("Int", num(-9), num(0))})
    yield Instance({"x": Scalar("Data", num(-9), num(4), "int")})
    for norm in NORM_NAMES:
        yield Instance({"x": Vector("Real", norm, num(3))})
        yield Instance({"x": Vector("Data", norm, num(4), num(0), num(9))})
    yield Instance({"x": Matrix("Real", "L2", num(2), num(2))})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """The argument moves by d on one side of 0."""
    return step_all(instance.private, d)
