"""Branches that agree where their condition turns: `x if x > 0 else 0`, `if x < 0: x = -x`.

Let the condition be `l op 0` for an affine l, and let the branches be affine with a - b = k l for a
public k.  Between two worlds of which one takes a and the other b, l changes sign, so it is 0 at
some point t of the way, and there a = b.  The result moves by at most t M_a + (1 - t) M_b, where M
is the sum of |coefficient| * movement, hence by at most the larger of the two: no jump.
"""

from __future__ import annotations

from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.domain.ranges import Narrowed, narrowed_atoms, range_of_form
from metricdp.check.domain.state import CheckState
from metricdp.check.values.facts import Fact, nonzero_multiple
from metricdp.check.values.forms import Bounds, Form, combine, single
from metricdp.check.values.objects import Value
from metricdp.expr import ONE, ZERO, Expr, compare, maximum
from metricdp.spaces import Scalar, Space

_NUMBERS = ("Real", "Int", "Bool")


def without_jump(domain: PrivacyDomain, test: Value, a: Value, b: Value) -> Bounds | None:
    """Movement of `a if test else b`, per source; None where the branches may be apart."""
    if test.facts is None or not test.facts.exact or not test.private:
        return None
    (fact,) = test.facts.true
    assert a.form is not None and b.form is not None
    if fact.op not in ("<", "<=", ">", ">="):
        return None
    if not (_number(a.space) and _number(b.space) and _real(domain, a.form, b.form)):
        return None
    if not _meet(domain, fact, a.form, b.form):
        return None
    bounds = [domain.state.movement(form) for form in (a.form, b.form)]
    sources = {source for each in bounds for source in each}
    return {
        source: {"": maximum(*(each[source][""] for each in bounds if source in each))}
        for source in sources
    }


def _meet(domain: PrivacyDomain, fact: Fact, a: Form, b: Form) -> bool:
    """Whether both sides are equal where the condition turns."""
    here = narrowed_atoms(domain.state, (Fact(fact.form, "=="),), between=True)
    known: dict[int, Form] = {}
    left, right = _pieces_at(domain, a, here, known), _pieces_at(domain, b, here, known)
    difference = combine([(left, ONE), (right, -ONE)])
    if difference == Form(()):
        return True
    found = nonzero_multiple(difference, fact.form)
    if found is None:
        return False
    k, shift = found
    return shift.is_zero or ((left, right) == (a, b) and _turns_at(domain, fact, shift / k))


def _pieces_at(domain: PrivacyDomain, form: Form, here: Narrowed, known: dict[int, Form]) -> Form:
    """A form with the pieces of earlier branches that are taken where the atoms are `here`.

    `known` is what was found of atoms: pieces may share theirs many times over.
    """
    parts = [(Form((), form.constant), ONE)]
    for atom, coefficient in form.terms:
        if atom not in known:
            known[atom] = _piece_at(domain, atom, here, known)
        parts.append((known[atom], coefficient))
    return combine(parts)


def _piece_at(domain: PrivacyDomain, atom: int, here: Narrowed, known: dict[int, Form]) -> Form:
    piece = domain.state.pieces.get(atom)
    if piece is None:
        return single(atom)
    fact, then, orelse = piece
    turning = _pieces_at(domain, fact.form, here, known)
    ends = range_of_form(domain.state, turning, here)
    verdicts = {compare(end, fact.op, ZERO) for end in ends}
    # The range of a joined atom is known in the domain, and not between its points.
    plain = not any(inner in domain.state.pieces for inner, _ in turning.terms)
    if plain and verdicts in ({True}, {False}):
        return _pieces_at(domain, then if True in verdicts else orelse, here, known)
    return single(atom)


def _number(space: Space | None) -> bool:
    return isinstance(space, Scalar) and space.element in _NUMBERS


def _real(domain: PrivacyDomain, *forms: Form) -> bool:
    """Whether these are forms of numbers that move as numbers, whatever the condition is."""
    state = domain.state
    pending, seen = [atom for form in forms for atom, _ in form.terms], set[int]()
    while pending:
        atom = pending.pop()
        if atom in seen:
            continue
        seen.add(atom)
        piece = state.pieces.get(atom)
        if piece is not None:
            parts = (piece[0].form, piece[1], piece[2])
            pending += [inner for form in parts for inner, _ in form.terms]
        elif atom in state.conditional or not _number(state.atoms[atom].space):
            return False
    return True


def _turns_at(domain: PrivacyDomain, fact: Fact, shift: Expr) -> bool:
    """Whether l + shift is >= 0 on one side of the condition and <= 0 on the other."""
    if not _whole(domain.state, fact.form):
        return False
    # Whole numbers: between l <= -1 and l >= 0, or between l <= 0 and l >= 1, there is a gap.
    gap = shift if fact.op in (">=", "<") else -shift
    return compare(gap, ">=", ZERO) is True and compare(gap, "<=", ONE) is True


def _whole(state: CheckState, form: Form) -> bool:
    """Whether a form takes whole values only."""
    if not form.constant.is_integer():
        return False
    for atom, coefficient in form.terms:
        space = state.atoms[atom].space
        integral = isinstance(space, Scalar) and space.element in ("Int", "Bool")
        if not (integral and coefficient.is_integer()):
            return False
    return True
