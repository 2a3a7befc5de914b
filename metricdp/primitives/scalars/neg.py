"""neg: -x, for a number or for every entry of a vector or matrix.

Stability.  |-x + x'| = |x - x'|: 1-stable in every norm, over the reals and over discrete entries.
 Tight: every step.
The conclusion is linear: x + (-x) is 0-stable.
Source: a norm is even.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from metricdp.expr import ONE, num
from metricdp.primitives import _exact
from metricdp.primitives._common import kind_of, range_of, whole
from metricdp.primitives._entrywise import EntryRule, entrywise
from metricdp.primitives._witnesses import step_all
from metricdp.record import Arg, Instance, Spelling, Witness
from metricdp.spaces import Scalar, Vector
from metricdp.spaces.norms import NORM_NAMES

example = "x: dp.Real = 3; dp.neg(x)"

columnar = "neg"
spelling = Spelling(("-u",), ("numpy.negative",))


def _entry(x: Arg) -> EntryRule:
    """A number or a container of numbers."""
    lo, hi = range_of(x)
    kind = "int" if kind_of(x) == "bool" else kind_of(x)
    return EntryRule((-hi, -lo), {"x": -ONE}, whole(x), kind, linear=True)


rule, run = entrywise("-", _entry, lambda v: -_exact.rational(v), value=lambda x: -x)


def instances() -> Iterable[Instance]:
    yield Instance({"x": Scalar("Real")})
    yield Instance({"x": Scalar("Int", num(0), num(9))})
    yield Instance({"x": Scalar("Bool")})
    for norm in NORM_NAMES:
        yield Instance({"x": Vector("Real", norm, num(3))})
        yield Instance({"x": Vector("Data", norm, num(4))})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """The argument moves by d."""
    return step_all(instance.private, d)
