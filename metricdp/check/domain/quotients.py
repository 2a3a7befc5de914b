"""Quotients whose parts have something in common: a / (a + b) with a, b >= 0 lies in [0, 1].

Let x = a_0 + sum of a_i t_i and y = b_0 + sum of b_i t_i with t_i >= 0, b_0 >= 0 and b_i > 0.
Where m <= a_i / b_i <= M for every i (and for i = 0; with b_0 = 0 only where a_0 = 0), term by term
m b_i t_i <= a_i t_i <= M b_i t_i, so m y <= x <= M y.  So x / y lies in [m, M] where y > 0; where
y = 0 a quotient of private numbers is 0, and the range is widened to hold 0.

A number t >= lo stands for the number t - lo >= 0, and t <= hi for hi - t >= 0, with the constants
changed accordingly: t with the sign that b_i wants.  A divisor below 0 is turned around together
with what is divided.  x is at most |x| in size, so where the divisor holds a multiple of |x| the
range is that of |x| / y to both sides: x / (1 + |x|) lies in [-1, 1].

The quotient that a run computes is moved into this range wherever a proof needs it, as any number
of a row is.

A number times itself is not negative.
Source: the mediant inequality.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from metricdp.check.domain.state import CheckState
from metricdp.check.values.facts import nonzero_multiple
from metricdp.check.values.forms import Form, best_hi, best_lo, combine, single
from metricdp.check.values.objects import Obj, Value
from metricdp.expr import ONE, ZERO, Expr, absolute, compare, maximum, minimum
from metricdp.primitives._common import Range
from metricdp.spaces import Scalar, Space, Vector

#: The rules of products and quotients.
RULES = frozenset({"mul", "div"})
#: Elements of spaces whose values are numbers.
_NUMBERS = ("Real", "Int", "Bool")


def bounds(state: CheckState, given: Mapping[str, Obj]) -> Range | None:
    """The range of x / y that follows from what both are made of; None where none does."""
    forms = [_form(given.get(name)) for name in ("x", "y")]
    if None in forms:
        return None
    x, y = forms
    assert x is not None and y is not None
    for sign in (ONE, -ONE):
        top, bottom = combine([(x, sign)]), combine([(y, sign)])
        found = _of_forms(state, top, bottom) or _of_size(state, top, bottom)
        if found is not None:
            return found
    return None


def narrowed(state: CheckState, rule: str, given: Mapping[str, Obj], space: Space) -> Space:
    """The space of a product or a quotient, with the range that follows from what it is made of."""
    if rule == "mul":
        return _square(given, space)
    found = bounds(state, given) if isinstance(space, Scalar) and space.element != "Data" else None
    if found is None or not isinstance(space, Scalar):
        return space
    lo, hi = best_lo(space.lo, found[0]), best_hi(space.hi, found[1])
    return msgspec.structs.replace(space, lo=lo, hi=hi)


def _square(given: Mapping[str, Obj], space: Space) -> Space:
    x, y = given["x"], given["y"]
    if not (isinstance(x, Value) and isinstance(y, Value)) or x.form is None or x.form != y.form:
        return space
    if not isinstance(space, Scalar | Vector) or space.lo.sign() in ("0", "+", ">=0"):
        return space
    return msgspec.structs.replace(space, lo=ZERO)


def _form(value: Obj | None) -> Form | None:
    """What a number is made of; None of what is no number, or not known as an expression."""
    if not isinstance(value, Value):
        return None
    if value.private:
        return value.form if isinstance(value.space, Scalar) else None
    known = value.expr if value.source != "irrational" and value.origin == "public" else None
    return None if known is None else Form((), known)


def _of_forms(state: CheckState, x: Form, y: Form) -> Range | None:
    above, below = dict(x.terms), dict(y.terms)
    constants = [x.constant, y.constant]
    ratios: list[Expr] = []
    for atom in above.keys() | below.keys():
        a, b = above.get(atom, ZERO), below.get(atom, ZERO)
        space = state.atoms[atom].space
        if not isinstance(space, Scalar) or space.element not in _NUMBERS:
            return None
        up = compare(b, ">", ZERO) is True
        end = space.lo if up else space.hi
        if end.is_infinite or not (up or compare(b, "<", ZERO) is True):
            return None
        constants = [constants[0] + a * end, constants[1] + b * end]
        ratios.append(a / b)
    if not ratios:
        return None
    rest, least = constants
    if compare(least, ">", ZERO) is True:
        ratios.append(rest / least)
    elif least.is_zero and rest.is_zero:
        ratios.append(ZERO)  # what a quotient is whose divisor is 0
    else:
        return None
    return minimum(*ratios), maximum(*ratios)


def _of_size(state: CheckState, x: Form, y: Form) -> Range | None:
    """The range of x / y, where y holds the size of x."""
    for atom, _ in y.terms:
        name, arguments = state.made.get(single(atom), ("", ()))
        inside = _form(arguments[0]) if name == "abs" else None
        found = None if inside is None else nonzero_multiple(x, inside)
        if found is None or not found[1].is_zero:
            continue
        size = _of_forms(state, combine([(single(atom), absolute(found[0]))]), y)
        if size is not None:
            return -size[1], size[1]
    return None
