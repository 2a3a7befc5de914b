"""What the body of a branch knows: its condition holds, or it does not.

Inside, atoms and names have the ranges that the condition allows; afterwards they are what they
were, and only what a branch assigned is joined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.domain.ranges import intersection, narrowed_atoms, range_of_form
from metricdp.check.values.facts import (
    MISSING,
    THERE,
    Facts,
    conjunction,
    disjunction,
    negation,
    of_comparison,
    of_missing,
)
from metricdp.check.values.forms import Form
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Obj, Value
from metricdp.check.values.regions import accepted, both, rejected
from metricdp.check.values.terms import of
from metricdp.expr import ZERO
from metricdp.spaces import Scalar

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def compared(result: Value, operator: str, left: Obj, right: Obj) -> Value:
    """The result of a comparison, with what it says about its two sides."""
    a, b = _form(left), _form(right)
    if operator not in COMPARISONS or a is None or b is None:
        return result
    return msgspec.structs.replace(result, facts=of_comparison(a, operator, b))


def missing(result: Value, value: Obj) -> Value:
    """The result of `value is None`, with what it says about the value."""
    form = value.form if isinstance(value, Value) else None
    if form is None:
        return result
    return msgspec.structs.replace(result, facts=of_missing(form))


@contextmanager
def supposing(domain: PrivacyDomain, parts: tuple[Obj, ...], holds: bool) -> Iterator[None]:
    """What Python evaluates only where all these truth values have this outcome knows which values
    are there.  Ranges stay as they are: they hold wherever the operand is evaluated."""
    supposed, where = domain.supposed, domain.where
    facts = [fact for part in parts for fact in _facts(part).when(holds)]
    domain.supposed = supposed.union(fact for fact in facts if fact.op in (THERE, MISSING))
    for part in parts:
        domain.where = both(domain.where, accepted(of(part)) if holds else rejected(of(part)))
    try:
        yield
    finally:
        domain.supposed, domain.where = supposed, where


def truthful(result: Value, value: Value) -> Value:
    """A truth value made of a number, which says whether the number is 0."""
    form = _form(value)
    if form is None or value.facts is not None:
        return result
    return msgspec.structs.replace(result, facts=of_comparison(form, "!=", Form((), ZERO)))


def connected(result: Value, operator: str, parts: tuple[Obj, ...]) -> Value:
    """`not`, `and`, `or` of truth values."""
    facts = tuple(_facts(part) for part in parts)
    combined = {
        "not": lambda: negation(facts[0]),
        "and": lambda: conjunction(facts),
        "or": lambda: disjunction(facts),
    }[operator]()
    return msgspec.structs.replace(result, facts=combined)


def _facts(value: Obj) -> Facts:
    if not isinstance(value, Value):
        return Facts()
    if value.facts is None:
        return truthful(value, value).facts or Facts()
    return value.facts


def _form(value: Obj) -> Form | None:
    """The form of one number: private, or a public one that no float has rounded."""
    if not isinstance(value, Value):
        return None
    if value.private:
        return value.form if isinstance(value.space, Scalar) else None
    known = value.expr is not None and value.source != "irrational"
    return Form((), value.expr) if known and value.expr is not None else None


def assuming(
    domain: PrivacyDomain, frame: Frame, test: Value, holds: bool, branch: Callable[[], Any]
) -> Any:
    """The result of a branch that runs only if `test` has this outcome."""
    around = domain.where
    domain.where = both(around, accepted(of(test)) if holds else rejected(of(test)))
    try:
        return _assuming(domain, frame, test, holds, branch)
    finally:
        domain.where = around


def _assuming(
    domain: PrivacyDomain, frame: Frame, test: Value, holds: bool, branch: Callable[[], Any]
) -> Any:
    facts = test.facts.when(holds) if test.facts is not None else ()
    if not facts:
        return branch()
    state, known, supposed = domain.state, domain.assumed, domain.supposed
    atoms = narrowed_atoms(state, facts)
    before = {atom: state.atoms[atom] for atom in atoms}
    first = len(state.atoms)
    for atom, space in atoms.items():
        state.atoms[atom] = msgspec.structs.replace(before[atom], space=space)
    held = _narrow_names(domain, frame, set(atoms))
    domain.assumed = (*known, *(fact for fact in facts if fact.public))
    domain.supposed = supposed.union(facts)
    try:
        return branch()
    finally:
        domain.assumed, domain.supposed = known, supposed
        for atom, original in before.items():
            state.atoms[atom] = original
        if any(not fact.public for fact in facts):
            state.conditional.update(range(first, len(state.atoms)))
        for name, (inside, outside) in held.items():
            if frame.names.get(name) is inside:
                frame.names[name] = outside


def _narrow_names(
    domain: PrivacyDomain, frame: Frame, atoms: set[int]
) -> dict[str, tuple[Value, Value]]:
    """Numbers of the frame get the ranges of their atoms: name -> (inside, outside)."""
    held = {}
    for name, value in frame.names.items():
        if not isinstance(value, Value) or value.form is None:
            continue
        if not isinstance(value.space, Scalar) or value.space.kind == "str":
            continue
        if atoms.isdisjoint(atom for atom, _ in value.form.terms):
            continue
        space = intersection(value.space, range_of_form(domain.state, value.form, {}))
        if space != value.space:
            held[name] = (msgspec.structs.replace(value, space=space), value)
    for name, (inside, _) in held.items():
        frame.names[name] = inside
    return held
