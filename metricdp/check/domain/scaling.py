"""Vectors that are scaled into a ball by hand: `g / max(1, |g| / c)`, `g * min(1, c / |g|)`.

Proof.  Let s >= k |g| with k > 0 and s >= 0.  Where s > 0, |g / s| = |g| / s <= 1 / k; where
s = 0, g is 0, and the total quotient is 0.  Let 0 <= f <= c / s: then |f g| <= c |g| / s <= c / k,
and where s = 0 both are 0.  A maximum is at least each of its arguments, a minimum at most each;
|g| + a with a >= 0 is at least |g|; the root of the sum of the squares of the entries, or of g . g,
is the L2 norm.  Two values are the same g where their forms are equal.  Any other way of writing it
is left alone: nothing is known of the result.  Source: norms are homogeneous, |f g| = |f| |g|.

A run computes the quotient in doubles, and moves what a row adds into the ball that is proved here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from metricdp.check.values.forms import Form, capped
from metricdp.check.values.objects import Obj, Value
from metricdp.expr import INF, ONE, ZERO, Expr, maximum, minimum
from metricdp.primitives._common import nonnegative, positive
from metricdp.record import Record, Requirement
from metricdp.spaces import Scalar
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.vectors import Entries

if TYPE_CHECKING:
    from metricdp.check.domain.privacy import PrivacyDomain

#: Records whose arguments are remembered.
REMEMBERED = frozenset("abs norm sqrt max min maximum minimum div power mul sum dot matmul".split())
_LARGER, _SMALLER = frozenset({"max", "maximum"}), frozenset({"min", "minimum"})


#: Public numbers that have to be positive.
Needs = tuple[Expr, ...]


class LengthBelow(NamedTuple):
    """A private number is at least `factor` times the norm of the vector with a form, where every
    name in `needs` is positive."""

    form: Form
    norm: str
    factor: Expr
    needs: Needs = ()


def in_order(record: Record, given: Mapping[str, Obj]) -> tuple[Obj, ...]:
    """Arguments in the order of the rule, however they were named in the call."""
    code = record.rule.__code__
    names = code.co_varnames[: code.co_argcount]
    return tuple(given[name] for name in names or given if name in given)


def in_ball(
    domain: PrivacyDomain, operator: str, result: Value, left: Obj, right: Obj, module: Any,
    node: ast.AST,
) -> Value:  # fmt: skip
    """A quotient or product, in the ball that it was scaled into; else as it is."""
    if not isinstance(result.space, Entries) or result.space.element != "Real":
        return result
    if operator == "/":
        pairs = ((left, right, _quotients),)
    else:
        pairs = ((left, right, _factors), (right, left, _factors))  # type: ignore[assignment]
    for vector, number, bounds in pairs:
        if not (isinstance(vector, Value) and isinstance(number, Value)) or vector.form is None:
            continue
        if not isinstance(vector.space, Entries) or not isinstance(number.space, Scalar):
            continue
        for length, radius in bounds(domain, number):
            found = _ratio(vector.form, length.form)
            if found is not None and not radius.is_infinite:
                ratio, more = found
                asked = dict.fromkeys((*length.needs, *more))
                domain.require(tuple(map(_positive, asked)), module, node)
                return _within(domain, result, length.norm, ratio * radius)
    return result


def _positive(number: Expr) -> Requirement:
    return Requirement(number, ">", ZERO, remedy=f"choose {number} > 0")


def _within(domain: PrivacyDomain, result: Value, norm: str, radius: Expr) -> Value:
    """The same value, in a ball around 0."""
    space, known = result.space, dict(getattr(result.space, "radius", ()))
    assert isinstance(space, Entries) and result.form is not None
    known[norm] = minimum(known[norm], radius) if norm in known else radius
    space = msgspec.structs.replace(
        space, lo=maximum(space.lo, -radius), hi=minimum(space.hi, radius),
        radius=tuple(known.items()),
    )  # fmt: skip
    moves = {
        source: {p: capped(space, bound, p, bounding=True) for p, bound in movement.items()}
        for source, movement in domain.state.movement(result.form).items()
    }
    atom = domain.state.atom(space, moves, domain.state.regions(result.form))
    return domain.private(space, atom, result.step)


def _quotients(domain: PrivacyDomain, number: Value) -> Iterator[tuple[LengthBelow, Expr]]:
    """Norms by which a number divides: the radius of what is left."""
    for length in _at_least(domain, number):
        yield length, ONE / length.factor


def _factors(domain: PrivacyDomain, number: Value) -> Iterator[tuple[LengthBelow, Expr]]:
    """Norms that a factor scales down: the radius of what is left."""
    name, given = _made(domain, number)
    if name in _SMALLER:
        signs = [_not_negative(domain, each) for each in given]
        if None in signs:
            return
        needs = tuple(need for sign in signs for need in sign or ())
        for each in given:
            if isinstance(each, Value) and isinstance(each.space, Scalar) and each.private:
                for length, radius in _factors(domain, each):
                    yield length._replace(needs=(*length.needs, *needs)), radius
    elif name == "div" and len(given) == 2:
        top, bottom = given
        sign = _public_sign(top)
        if sign is not None and isinstance(bottom, Value) and bottom.private:
            for length in _at_least(domain, bottom):
                radius = top.expr / length.factor  # type: ignore[union-attr, operator]
                yield length._replace(needs=(*length.needs, *sign)), radius


def _not_negative(domain: PrivacyDomain, value: Obj) -> Needs | None:
    """What has to be positive for a number not to be negative; None if nothing says that."""
    if not isinstance(value, Value):
        return None
    if not value.private:
        known = value.expr is not None and nonnegative(value.expr)
        return () if known and value.source != "irrational" else None
    if not isinstance(value.space, Scalar):
        return None
    if nonnegative(value.space.lo):
        return ()
    name, given = _made(domain, value)
    if name != "div" or len(given) != 2:
        return None
    top, bottom = given
    least = getattr(getattr(bottom, "space", None), "lo", -INF)
    return _public_sign(top) if nonnegative(least) else None


def _public_sign(value: Obj) -> Needs | None:
    """The same of a public number that has to be positive."""
    if not isinstance(value, Value) or value.private or value.source == "irrational":
        return None
    return None if value.expr is None else _sign(value.expr)


def _sign(expr: Expr) -> Needs | None:
    """What has to be positive for an expression to be positive: nothing, or the one public name
    that it is, or that it is divided by."""
    if positive(expr):
        return ()
    return next((need for each in (expr, _inverse(expr)) if (need := _name(each))), None)


def _inverse(expr: Expr) -> Expr | None:
    return None if expr.is_zero else ONE / expr


def _name(expr: Expr | None) -> Needs | None:
    if expr is None or len(expr.symbols) != 1:
        return None
    (name,) = expr.symbols
    return (expr,) if str(expr) == name and not name.startswith("_") and name != "d_in" else None


def _at_least(domain: PrivacyDomain, value: Value) -> Iterator[LengthBelow]:
    """Norms of vectors that a private number is not below, but for a factor."""
    form = value.form
    if form is None or len(form.terms) != 1 or not nonnegative(form.constant):
        return
    ((atom, factor),) = form.terms
    sign = _sign(factor)
    if sign is None:
        return
    for length in _of_atom(domain, Form(((atom, ONE),))):
        needs = (*length.needs, *sign)
        yield LengthBelow(length.form, length.norm, length.factor * factor, needs)


def _of_atom(domain: PrivacyDomain, form: Form) -> Iterator[LengthBelow]:
    name, given = domain.state.made.get(form, ("", ()))
    if name in _LARGER:
        for each in given:
            if isinstance(each, Value) and each.private and isinstance(each.space, Scalar):
                yield from _at_least(domain, each)
    elif name == "norm" and given and (vector := _vector(given[0])) is not None:
        norm = _norm_of(given[1:])
        if norm:
            yield LengthBelow(vector, norm, ONE)
    elif name == "sqrt" and given and isinstance(given[0], Value):
        squared = _squared(domain, given[0])
        if squared is not None:
            yield LengthBelow(squared, "L2", ONE)


def _norm_of(given: tuple[Obj, ...]) -> str:
    """The norm that is asked for; "" where nothing says which."""
    if not given:
        return "L2"
    (asked,) = given
    literal: Any = getattr(asked, "literal", None)
    if type(literal) in (int, float):
        return {1: "L1", 2: "L2", float("inf"): "LInf"}.get(literal, "")
    named = getattr(asked, "dotted", "").rpartition(".")[2] or literal
    return str(named) if named in NORM_NAMES else ""


def _squared(domain: PrivacyDomain, value: Value) -> Form | None:
    """The vector whose entries' squares a number is the sum of."""
    name, given = _made(domain, value)
    if name in ("dot", "matmul") and len(given) == 2:
        return _same(*given)
    if name != "sum" or len(given) != 1 or not isinstance(given[0], Value):
        return None
    inside, given = _made(domain, given[0])
    if inside == "mul" and len(given) == 2:
        return _same(*given)
    if inside == "power" and len(given) == 2 and getattr(given[1], "literal", None) == 2:
        return _vector(given[0])
    return None


def _same(a: Obj, b: Obj) -> Form | None:
    first = _vector(a)
    return first if first is not None and first == _vector(b) else None


def _vector(value: Obj) -> Form | None:
    private = isinstance(value, Value) and value.private and isinstance(value.space, Entries)
    return value.form if private else None  # type: ignore[union-attr]


def _made(domain: PrivacyDomain, value: Value) -> tuple[str, tuple[Obj, ...]]:
    return domain.state.made.get(value.form, ("", ())) if value.form is not None else ("", ())


def _ratio(form: Form, other: Form) -> tuple[Expr, Needs] | None:
    """The public factor that makes one form of the other, and what has to be positive for it."""
    if form == other:
        return ONE, ()
    if len(form.terms) != 1 or len(other.terms) != 1:
        return None
    ((a, x),), ((b, y),) = form.terms, other.terms
    if a != b or not (form.constant.is_zero and other.constant.is_zero and positive(y)):
        return None
    sign = _sign(x)
    return None if sign is None else (x / y, sign)
