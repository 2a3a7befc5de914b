"""Ranges that a branch knows: intervals of atoms under the facts of its condition.

A fact `sum of c * atom + constant op 0` bounds each of its atoms by the ranges of the others.
Ends never cross: where a branch cannot be reached, or nobody knows, the old range is kept.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from metricdp.check.domain.state import CheckState
from metricdp.check.values.facts import THERE, Fact
from metricdp.check.values.forms import Form
from metricdp.check.values.objects import Obj, TupleValue, Value
from metricdp.expr import INF, ONE, ZERO, Expr, absolute, ceil, compare, floor, maximum, minimum
from metricdp.primitives._common import EVERYTHING, Range, add_ranges, scale_range, times
from metricdp.spaces import NEG_INF, Maybe, Row, Scalar, Space, implied_radius
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.vectors import Entries

#: Atom -> its space inside the branch.
Narrowed = dict[int, Scalar]


def narrowed_atoms(state: CheckState, facts: Iterable[Fact], between: bool = False) -> Narrowed:
    """The atoms whose range the facts make smaller.

    Args:
        between: also at points between two values of the domain, where whole numbers are not whole.
    """
    found: Narrowed = {}
    for fact in facts:
        for position, (atom, coefficient) in enumerate(fact.form.terms):
            space = found.get(atom, state.atoms[atom].space)
            if not isinstance(space, Scalar) or space.kind == "str":
                continue
            others = fact.form.terms[:position] + fact.form.terms[position + 1 :]
            rest = range_of_form(state, Form(others, fact.form.constant), found)
            inside = msgspec.structs.replace(space, element="Real", kind="") if between else space
            smaller = _solved(inside, coefficient, fact.op, rest)
            smaller = msgspec.structs.replace(space, lo=smaller.lo, hi=smaller.hi)
            if smaller != space:
                found[atom] = smaller
    return found


def range_of_form(state: CheckState, form: Form, narrowed: Narrowed) -> Range:
    """Interval of a scalar form, from the ranges of its atoms."""
    out: Range = (form.constant, form.constant)
    for atom, coefficient in form.terms:
        space = narrowed.get(atom, state.atoms[atom].space)
        if not isinstance(space, Scalar):
            return EVERYTHING
        out = add_ranges(out, scale_range((space.lo, space.hi), coefficient))
    return out


def _solved(space: Scalar, coefficient: Expr, op: str, rest: Range) -> Scalar:
    """The space of an atom x with `coefficient * x + rest op 0`, for some value of the rest."""
    sign = coefficient.sign()
    if sign not in ("+", "-"):
        return space
    # coefficient * x >= -hi(rest), or <= -lo(rest).
    low, high = -rest[1] / coefficient, -rest[0] / coefficient
    if sign == "-":
        op = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(op, op)
        low, high = high, low
    strict = op in ("<", ">")
    if op in (">", ">=", "=="):
        space = at_least(space, low, strict)
    if op in ("<", "<=", "=="):
        space = at_most(space, high, strict)
    return without_end(space, low) if op == "!=" and low == high else space


def _integral(space: Scalar) -> bool:
    return space.element in ("Int", "Bool") or space.kind in ("int", "bool")


def at_least(space: Scalar, low: Expr, strict: bool = False) -> Scalar:
    """The values of a space that are >= low (> low if strict)."""
    if low.is_infinite:
        return space
    if _integral(space) and (low.is_number or low.is_integer()):
        low = floor(low) + ONE if strict else ceil(low)
    if compare(low, "<=", space.lo) is True:
        return space
    if compare(low, "<=", space.hi) is False:
        return space  # never reached
    if compare(low, "<=", space.hi) is None:
        low = minimum(low, space.hi)
    if compare(low, ">=", space.lo) is not True:
        low = maximum(low, space.lo)
    return msgspec.structs.replace(space, lo=low)


def at_most(space: Scalar, high: Expr, strict: bool = False) -> Scalar:
    """The values of a space that are <= high (< high if strict)."""
    if high.is_infinite:
        return space
    if _integral(space) and (high.is_number or high.is_integer()):
        high = ceil(high) - ONE if strict else floor(high)
    if compare(high, ">=", space.hi) is True:
        return space
    if compare(high, ">=", space.lo) is False:
        return space
    if compare(high, ">=", space.lo) is None:
        high = maximum(high, space.lo)
    if compare(high, "<=", space.hi) is not True:
        high = minimum(high, space.hi)
    return msgspec.structs.replace(space, hi=high)


def without_end(space: Scalar, value: Expr) -> Scalar:
    """The whole numbers of a space other than one of its ends."""
    if not _integral(space) or value.is_infinite:
        return space
    if value == space.lo:
        return at_least(space, value, True)
    return at_most(space, value, True) if value == space.hi else space


def intersection(space: Scalar, within: Range) -> Scalar:
    """The values of a space inside a range."""
    return at_most(at_least(space, within[0]), within[1])


__all__ = ["Narrowed", "intersection", "narrowed_atoms", "range_of_form"]


def let_through(state: CheckState, space: Space, row: Obj, test: Value) -> Space | None:
    """The space of the rows for which a test holds, where it limits their numbers or says that a
    value is there; else None."""
    facts = test.facts.when(True) if test.facts is not None else ()
    narrower = narrowed_atoms(state, facts) if facts else {}
    narrower = {atom: each for atom, each in narrower.items() if _is_told(state, each)}
    there = frozenset(fact.form for fact in facts if fact.op == THERE)
    found = _limited(space, row, narrower, there) if narrower or there else space
    return None if found == space else found


def _is_told(state: CheckState, space: Scalar) -> bool:
    """Whether the ends are numbers of a call: those of a round are other ones in each."""
    names = space.lo.symbols | space.hi.symbols
    return not names & state.rounds and not any(name.startswith("_") for name in names)


def _limited(space: Space, row: Obj, narrower: Narrowed, there: frozenset[Form]) -> Space:
    if isinstance(space, Row) and isinstance(row, TupleValue):
        pairs = zip(space.fields, row.items, strict=True)
        fields = tuple(_limited(field, part, narrower, there) for field, part in pairs)
        return msgspec.structs.replace(space, fields=fields)
    if isinstance(space, Maybe) and isinstance(row, Value) and row.form in there:
        return space.inner
    if not isinstance(space, Scalar) or not isinstance(row, Value) or row.form is None:
        return space
    if len(row.form.terms) != 1 or row.form.terms[0][1] != ONE or not row.form.constant.is_zero:
        return space
    inside = narrower.get(row.form.terms[0][0])
    if not isinstance(inside, Scalar) or compare(inside.lo, "<=", inside.hi) is not True:
        return space
    return msgspec.structs.replace(space, lo=inside.lo, hi=inside.hi)


def ball_of_form(state: CheckState, space: Entries, form: Form) -> Entries:
    """A vector of this shape that is a sum of atoms: |c1 v1 + c2 v2 + ...| is at most
    |c1| |v1| + |c2| |v2| + ... in every norm."""
    plain = msgspec.structs.replace(space, lo=NEG_INF, hi=INF, radius=())
    spaces = [(state.atoms[name].space, factor) for name, factor in form.terms]
    same = all(isinstance(s, Entries) and s.size == plain.size for s, _ in spaces)
    if not same or not form.constant.is_zero:
        return plain
    declared = {norm for s, _ in spaces for norm, _ in getattr(s, "radius", ())} or NORM_NAMES
    radii = {
        norm: sum((times(absolute(c), implied_radius(s, norm)) for s, c in spaces), ZERO)
        for norm in NORM_NAMES
        if norm in declared
    }
    finite = tuple((norm, c) for norm, c in radii.items() if not c.is_infinite)
    return msgspec.structs.replace(plain, radius=finite)
