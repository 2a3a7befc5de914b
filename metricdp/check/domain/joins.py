"""Joins: what a name means after two branches.

The shared affine part is kept; only the residuals, with their ranges, go through the rule of
`branch`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import msgspec

from metricdp.check.domain import row_shares
from metricdp.check.domain.continuous import without_jump
from metricdp.check.domain.entries import as_gradient
from metricdp.check.domain.present import is_there, present
from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.domain.ranges import ball_of_form, narrowed_atoms, range_of_form
from metricdp.check.values import public
from metricdp.check.values.arrays import made, shape_of
from metricdp.check.values.dictionaries import is_mapping, unknown_keys
from metricdp.check.values.findings import Stop, stop
from metricdp.check.values.forms import Form, best_hi, best_lo, combine, describe_bounds
from metricdp.check.values.objects import (
    UNKNOWN,
    Closure,
    Obj,
    Poison,
    TupleValue,
    Unset,
    Value,
    same,
    shape,
)
from metricdp.check.values.terms import either, with_term
from metricdp.expr import INF, ONE, ZERO, Expr, Relation, maximum, minimum
from metricdp.record import REGISTRY
from metricdp.spaces import NEG_INF, Matrix, Scalar
from metricdp.spaces.vectors import Entries


def join(
    domain: PrivacyDomain, test: Value, a: Obj, b: Obj, module: Any, node: ast.AST, name: str
) -> Obj:
    """The value of `name` after a branch on `test` that made it `a` or `b`."""
    if isinstance(a, Unset) or isinstance(b, Unset):
        return b if isinstance(a, Unset) else a  # it is read only where something was stored
    if not same(a, b):
        a = _there(domain, test, a, True, module, node, name)
        b = _there(domain, test, b, False, module, node, name)
    found = _joined(domain, test, a, b, module, node, name)
    if isinstance(found, Value):
        found = with_term(found, either(test, a, b, domain.operand))
    domain.drawn.either(test, a, b, found)
    return found


def _there(
    domain: PrivacyDomain, test: Value, side: Obj, holds: bool, module: Any, node: ast.AST,
    name: str,
) -> Obj:  # fmt: skip
    """What a side gives: where the condition says so, a value that is there."""
    facts = test.facts.when(holds) if test.facts is not None else ()
    if isinstance(side, Value) and is_there(side, facts):
        return present(domain, side, module, node, name)
    return side


def _joined(
    domain: PrivacyDomain, test: Value, a: Obj, b: Obj, module: Any, node: ast.AST, name: str
) -> Obj:
    if same(a, b):
        return a
    if isinstance(a, TupleValue) and isinstance(b, TupleValue) and _alike(a, b):
        items = zip(a.items, b.items, strict=True)
        return msgspec.structs.replace(
            a, items=tuple(join(domain, test, x, y, module, node, name) for x, y in items)
        )
    if not (isinstance(a, Value) and isinstance(b, Value)):
        if isinstance(a, Poison) or isinstance(b, Poison):
            # Of what is known nothing is missing if it is private; else it may become so.
            known = b if isinstance(a, Poison) else a
            return known if isinstance(known, Value) and known.private else Poison(name, "")
        if not test.private and _seen_by_all(a) and _seen_by_all(b):
            return Value(public.origin(test, *_parts(a), *_parts(b)), source="computed")
        raise _shapes_differ(module, node, name)
    if test.private or a.private or b.private:
        return _private(
            domain,
            test,
            domain.lifted(a, module, node),
            domain.lifted(b, module, node),
            module,
            node,
            name,
        )
    origin = "released" if "released" in (test.origin, a.origin, b.origin) else "public"
    if (axes := shape_of(a)) is not None and shape_of(b) == axes:
        return made(origin, axes)
    expr = a.expr if a.expr is not None and a.expr == b.expr else None
    same_space = a.space is not None and a.space == b.space
    space = a.space if same_space else public.number_space(a, b)
    literal = a.literal if same(a, b) else UNKNOWN
    source = "irrational" if "irrational" in (a.source, b.source) else "computed"
    held = a.holds if a.holds == b.holds else ""
    return Value(origin, space, expr=expr, literal=literal, source=source, holds=held)


def _seen_by_all(value: Obj) -> bool:
    """Whether a value is public or released through and through, and nothing can change it."""
    if isinstance(value, TupleValue):
        return all(map(_seen_by_all, value.items))
    return isinstance(value, Value) and not value.private


def _parts(value: Obj) -> tuple[Obj, ...]:
    inside = value.items if isinstance(value, TupleValue) else ()
    return (value, *(part for item in inside for part in _parts(item)))


def _alike(a: TupleValue, b: TupleValue) -> bool:
    """Same length, same keys: nothing about the shape tells which branch was taken."""
    return shape(a) == shape(b)


def _private(
    domain: PrivacyDomain, test: Value, a: Value, b: Value, module: Any, node: ast.AST, name: str
) -> Value:
    assert a.form is not None and b.form is not None
    a, b = _same_shape(domain, a, b, module, node, name)
    assert a.form is not None and b.form is not None
    if a.form == b.form and isinstance(a.space, Scalar) and isinstance(b.space, Scalar):
        return domain.private(_union(a.space, b.space), a.form, a.step, a.why or b.why)
    shared, then, orelse = _apart(domain, test, a, b)
    bounds = without_jump(domain, test, then, orelse)
    if bounds is not None:
        assert isinstance(then.space, Scalar) and isinstance(orelse.space, Scalar)
        union = _union(then.space, orelse.space)
        form = domain.state.atom(union, bounds)
        assert test.facts is not None and then.form is not None and orelse.form is not None
        domain.state.pieces[form.terms[0][0]] = (test.facts.true[0], then.form, orelse.form)
        text = describe_bounds(bounds, union)
        step = domain.state.step(
            "branch", tuple(v.step for v in (a, b) if v.step),
            f"{union.describe()}; both sides agree where the condition turns; moves by {text}",
            module.span(node), bound=text, space=str(union),
        )  # fmt: skip
        if shared != Form(()):
            form = combine([(shared, ONE), (form, ONE)])
            lo, hi = domain.range(form) or (NEG_INF, INF)
            union = msgspec.structs.replace(union, lo=lo, hi=hi)
        return domain.private(union, form, step, a.why or b.why)
    shared, left, right = _split(a.form, b.form)
    given = {
        "condition": test,
        "then": _residual(domain, a, left, test, True),
        "orelse": _residual(domain, b, right, test, False),
    }
    texts = {"condition": "the condition", "then": name, "orelse": name}
    if isinstance(a.space, Matrix):
        raise stop(
            module, node, "unsupported-call", f"`{name}` is a matrix chosen by a branch",
            "a number or a vector", "choose inside the row function instead",
        )  # fmt: skip
    chosen = domain.apply(REGISTRY["branch"], given, module, node, texts)
    assert chosen.form is not None and chosen.space is not None
    known = known_when(test, True), known_when(test, False)
    if all(known) and len(chosen.form.terms) == 1 and chosen.form.terms[0][1] == ONE:
        sides = zip(known, (given["then"].form, given["orelse"].form), strict=True)
        domain.state.sides[chosen.form.terms[0][0]] = tuple(
            (r, f) for r, f in sides if f is not None
        )
    if domain.of_rows:
        term = domain.term(test)
        row_shares.chosen(domain.state, chosen.form, term, given["then"], given["orelse"])
    form = combine([(shared, ONE), (chosen.form, ONE)])
    space = chosen.space
    if isinstance(space, Scalar):
        lo, hi = domain.range(form) or (space.lo, space.hi)
        space = msgspec.structs.replace(space, lo=lo, hi=hi)
        elements = {getattr(a.space, "element", ""), getattr(b.space, "element", "")}
        if "Real" in elements and "Data" not in elements:
            space = msgspec.structs.replace(space, element="Real")
    return domain.private(space, form, chosen.step, chosen.why or a.why or b.why)


def known_when(test: Value, holds: bool) -> tuple[Relation, ...]:
    """What the outcome of a public test says about public numbers."""
    if test.origin != "public" or test.facts is None:
        return ()
    facts = (fact for fact in test.facts.when(holds) if fact.public)
    return tuple(Relation(fact.form.constant, fact.op, ZERO) for fact in facts)


def _apart(domain: PrivacyDomain, test: Value, a: Value, b: Value) -> tuple[Form, Value, Value]:
    """What both sides have in common, and what each has besides: `total += f(row)` in a loop.

    The whole is one side, and nothing is shared, where the same source moves both parts: then the
    movement of a side is not that of its parts.  Either side has the range that it has where it is
    taken: after `if x < 0: x = 0` the side that stays is not below 0.
    """
    assert a.form is not None and b.form is not None
    shared, left, right = _split(a.form, b.form)
    moved = [domain.state.movement(form).keys() for form in (shared, left, right)]
    numbers = isinstance(a.space, Scalar) and isinstance(b.space, Scalar)
    if not numbers:
        return Form(()), a, b
    if not shared.terms or moved[0] & (moved[1] | moved[2]):
        shared, left, right = Form(()), a.form, b.form
    sides = _residual(domain, a, left, test, True), _residual(domain, b, right, test, False)
    return shared, *sides


def _same_shape(
    domain: PrivacyDomain, a: Value, b: Value, module: Any, node: ast.AST, name: str
) -> tuple[Value, Value]:
    """A public 0 next to a vector stands for the zero vector, a public array next to a gradient for
    the gradient of its entries."""
    a, b = as_gradient(domain, a, b.space) or a, as_gradient(domain, b, a.space) or b
    for x, y, swap in ((a, b, False), (b, a, True)):
        if isinstance(x.space, Entries) and isinstance(y.space, Scalar) and y.form == Form(()):
            zero = domain.private(
                msgspec.structs.replace(x.space, lo=ZERO, hi=ZERO, radius=()), Form(())
            )
            return (zero, x) if swap else (x, zero)
    if type(a.space) is not type(b.space) or any(
        getattr(a.space, field, 0) != getattr(b.space, field, 0) for field in ("size", "shape")
    ):
        raise _shapes_differ(module, node, name)
    return a, b


def _split(a: Form, b: Form) -> tuple[Form, Form, Form]:
    theirs = frozenset(b.terms)
    shared = tuple(term for term in a.terms if term in theirs)
    both = frozenset(shared)
    constant = a.constant if a.constant == b.constant else ZERO
    rest = [
        Form(tuple(t for t in form.terms if t not in both), form.constant - constant)
        for form in (a, b)
    ]
    return Form(shared, constant), rest[0], rest[1]


#: Most numbers that only a run knows in an end of a range that two sides of a branch have.
_MOST_HIDDEN = 2


def _union(a: Scalar, b: Scalar) -> Scalar:
    """The least space with the values of two that have the same kind of movement; a larger one
    where its ends would be long formulas of numbers that only a run knows."""
    element = a.element if a.element == b.element else "Real"
    kind = a.kind if a.kind == b.kind else ""
    kind = "float" if element == "Int" and (a.in_float or b.in_float) else kind
    lo = NEG_INF if _late(a.lo, b.lo) else minimum(a.lo, b.lo)
    hi = INF if _late(a.hi, b.hi) else maximum(a.hi, b.hi)
    return Scalar(element, lo, hi, kind)


def _late(x: Expr, y: Expr) -> bool:
    hidden = [name for name in x.symbols | y.symbols if name.startswith("_")]
    return x != y and len(hidden) > _MOST_HIDDEN


def _residual(domain: PrivacyDomain, value: Value, rest: Form, test: Value, holds: bool) -> Value:
    """What only one branch adds, with the range that it has where that branch is taken."""
    space = value.space
    assert space is not None
    if isinstance(space, Scalar) and space.element not in ("Data",):
        state = domain.state
        known = narrowed_atoms(state, test.facts.when(holds)) if test.facts is not None else {}
        lo, hi = range_of_form(state, rest, known)
        if rest == value.form:
            lo, hi = best_lo(space.lo, lo), best_hi(space.hi, hi)
        space = msgspec.structs.replace(space, lo=lo, hi=hi)
    elif isinstance(space, Entries):
        if not rest.terms:
            space = msgspec.structs.replace(space, lo=rest.constant, hi=rest.constant, radius=())
        elif rest != value.form:
            atoms = domain.state.atoms
            if len(rest.terms) == 1 and rest.terms[0][1] == ONE and rest.constant.is_zero:
                space = atoms[rest.terms[0][0]].space
            else:
                space = ball_of_form(domain.state, space, rest)
    return domain.private(space, rest, value.step, value.why)


def _shapes_differ(module: Any, node: ast.AST, name: str) -> Stop:
    name = "the result" if name.startswith(".result") else name
    return stop(
        module, node, "unsupported-syntax",
        f"`{name}` has one kind of value in one branch and another kind in the other",
        "the same kind of value in both branches", f"give `{name}` a value of one kind",
    )  # fmt: skip


def join_frames(
    domain: PrivacyDomain,
    test: Value,
    then: Mapping[str, Obj],
    orelse: Mapping[str, Obj],
    module: Any,
    node: ast.AST,
) -> dict[str, Obj]:
    """Every name that both branches bind, joined; a name bound in one branch only is dropped."""
    return {
        name: join(domain, test, value, orelse[name], module, node, name)
        for name, value in then.items()
        if name in orelse and (not isinstance(value, Closure) or value is orelse[name])
    }


def join_lists(
    domain: PrivacyDomain,
    test: Value,
    then: Mapping[int, Obj],
    orelse: Mapping[int, Obj],
    module: Any,
    node: ast.AST,
) -> dict[int, Obj]:
    """Contents of every list after two branches; one that only one branch made stays as it is."""
    joined = {**then, **orelse}
    for number in then.keys() & orelse.keys():
        a, b = then[number], orelse[number]
        if same(a, b):
            continue
        if isinstance(a, TupleValue) and isinstance(b, TupleValue) and _alike(a, b):
            joined[number] = join(domain, test, a, b, module, node, "a list")
            continue
        parts = [
            p for each in (a, b) for p in (each.items if isinstance(each, TupleValue) else (each,))
        ]
        if test.private or any(not isinstance(p, Value) or p.private for p in parts):
            raise stop(
                module, node, "private-length",
                "a private condition decides how long a list becomes"
                if test.private else "a branch decides how long a list of private values "
                                     "becomes",
                "one length in both branches", "append a value in both branches",
            )  # fmt: skip
        origin = public.origin(test, *parts)
        mapping = is_mapping(a) or is_mapping(b)
        joined[number] = unknown_keys(origin) if mapping else Value(origin, source="list")
    return joined
