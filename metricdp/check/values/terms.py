"""What a number of one row is, as a term: the field it was read from, and what was applied to it.

Two values with equal terms are equal in every row, whatever the row holds: a term names the table,
the field, and the rules in the order in which the program applies them, so that no two ways of
rounding are taken for one.  A value without a term may be anything.  Public numbers are terms where
they are the same in every run that is charged: literals, parameters, numbers of rounds, and exact
arithmetic on these.  Any other public or released number has the name of one fixed value
(`PrivacyDomain.term`): it may depend on what was released before, but within one round of the loops
whose rounds the name holds it is one number, however often it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from metricdp.check.values.choices import chosen
from metricdp.check.values.objects import UNKNOWN, Obj, TupleValue, Value
from metricdp.check.values.public import literal
from metricdp.check.values.regions import (
    AMONG,
    ANY,
    APART,
    COMPARED,
    CONSTANTS,
    MISSING,
    NAMED,
    Term,
    any_of,
)
from metricdp.check.values.rounding import IsWhole, rounds
from metricdp.expr import num
from metricdp.record import Record
from metricdp.spaces import Moment, Scalar
from metricdp.spaces.texts import Cells

#: The name of a table whose rows terms speak of: an atom of the check, and the rounds in which it
#: is one table. A table that a round makes is another one in the next round.
Table = tuple[Any, ...]

#: What says which term a value has.
Named = Callable[[Obj], "Term | None"]

#: The end of a slice that is left out: equal to itself, and to no text that a program writes.
_LEFT_OUT: Term = ("text", "\0...")

#: Terms that grow beyond this are forgotten.
_LARGEST = 400


def of_public(value: Value) -> Term | None:
    """The term of a public number or text; None where nothing says which one it is."""
    if value.term is not None:
        return value.term
    if value.origin != "public" or value.source == "irrational":
        return None
    if value.expr is not None:
        hidden = any(name.startswith("_") for name in value.expr.symbols)
        return None if hidden else ("number", value.expr)
    if isinstance(value.space, Moment):
        return value.term
    known = value.literal
    if type(known) is str and "\0" not in known:
        return ("text", known)
    if type(known) is bool:
        return ("number", num(int(known)))
    return _LEFT_OUT if known is ... else None


def of(value: Obj) -> Term | None:
    """The term of a value."""
    if not isinstance(value, Value):
        return None
    return value.term if value.private else of_public(value)


def of_given(value: Value) -> Term | None:
    """The term of a sequence, set or dictionary that a parameter is; None of any other value, also
    of what was made of one.

    Nothing in the checked language changes it (`values.keys`), so that it is one thing in all of a
    run: two questions that differ in nothing but it are one, and one of "in" and "not in" fails.
    """
    keys = value.keys
    if keys is None or value.source != "parameter" or keys.how not in ((), ("set",), ("dict",)):
        return None
    return ("given", keys.of, keys.how[0] if keys.how else "list")


def applied(
    record: Record, given: Mapping[str, Obj], result: Value, named: Named, operand: Named
) -> Term | None:  # fmt: skip
    """The term of what a record makes of these arguments: a function of scalars, without noise.

    Args:
        named: the term of what is compared.
        operand: the term of any other argument, which may depend on the kind of a number.
    """
    if record.name == "contains" and (among := _written(given["y"])) is not None:
        return among_tuples((given["x"],), [(item,) for item in among])
    for value in given.values():  # most have none
        if not isinstance(value, Value) or (value.term is None and value.private):
            return None
    if record.kind != "transformation" or record.formals:
        return None
    if not isinstance(result.space, Scalar | Cells | Moment):
        return None
    of_argument = named if record.name in COMPARED else operand
    arguments = tuple((name, of_argument(value)) for name, value in sorted(given.items()))
    if any(term is None for _, term in arguments):
        return None
    return kept(("rule", record.name, *arguments))


def _written(among: Obj) -> Sequence[Obj] | None:
    """The items of a tuple, a list or a written set, in which a value is looked for."""
    if isinstance(among, TupleValue):
        return among.items
    held = among.literal if isinstance(among, Value) and not among.private else None
    return [literal(each) for each in sorted(held, key=repr)] if type(held) is frozenset else None


def among_tuples(values: Sequence[Obj], among: Sequence[Sequence[Obj]]) -> Term | None:
    """Whether values are, item by item, those of one of some public tuples of as many."""
    parts = [(f"x{at}", of(value)) for at, value in enumerate(values)]
    if not among or any(term is None for _, term in parts):
        return None
    if len(parts) == 1 and (many := _many([item for (item,) in among])) is not None:
        return kept(("rule", AMONG, *parts, (ANY, many)))
    for place, items in enumerate(among):
        for at, item in enumerate(items):
            missing = getattr(item, "literal", UNKNOWN) is None
            one = MISSING if missing else of(item)
            if one is None or not (missing or one[0] in CONSTANTS):
                return None
            parts.append((f"{place}.{at}", one))
    return kept(("rule", AMONG, *parts))


def _many(items: Sequence[Obj]) -> Term | None:
    """Many public values as one term; None where one of them has no term of its own."""
    held = [of(item) for item in items]
    constants = [each for each in held if each is not None and each[0] in CONSTANTS]
    return any_of(constants) if len(constants) == len(items) else None


def of_row(term: Term | None, reading: int, by_row: IsWhole | None = None) -> Term | None:
    """The term as a function of one row of its table, whichever reading of a loop or of a function
    the row was given to; None where it speaks of a row of another reading, or of a state.

    Args:
        reading: number of the loop, or of the call, whose row it is.
        by_row: which fields are whole, where a run may compute this reading row by row: what rounds
            is then a function of a row that no other reading has.  None: it computes in columns.
    """
    if term is None or term[0] in CONSTANTS or term[0] in NAMED or term == MISSING:
        return term
    if term[0] == ANY:
        return term
    if term[0] == "row":
        return term[:3] if term[3:] == (reading,) else None
    if term[0] == "either":
        inside = tuple(of_row(part, reading, by_row) for part in term[1:])
        return None if None in inside else (term[0], *inside)
    if term[0] == APART:
        same = of_row(term[2], reading, by_row)
        return None if same is None else (*term[:2], same)
    if term[0] == "rule":
        arguments = tuple((name, of_row(part, reading, by_row)) for name, part in term[2:])
        if any(part is None for _, part in arguments):
            return None
        made = (*term[:2], *arguments)
        return made if by_row is None or not rounds(term, by_row) else (APART, reading, made)
    return None


def _opaque(value: Obj) -> Term | None:
    """A term of which nothing is known, where a state may stay as it is on the other side: of this
    value alone, so that it is no other one."""
    form = value.form if isinstance(value, Value) else None
    return None if form is None else ("opaque", form)


def either(test: Obj, a: Obj, b: Obj, named: Named) -> Term | None:
    """The term of what a branch chooses."""
    then, orelse = named(a), named(b)
    if then is None and orelse is not None and orelse[0] == "state":
        then = _opaque(a)
    elif orelse is None and then is not None and then[0] == "state":
        orelse = _opaque(b)
    if then is None or orelse is None:
        return None
    if then == orelse:
        return then
    condition = named(test)
    if condition is None:
        return None
    return kept(chosen(condition, then, orelse))


def kept(term: Term) -> Term | None:
    """The term, unless it is too large to be followed."""
    return term if _size(term, _LARGEST) >= 0 else None


def _size(term: Any, left: int) -> int:
    """What is left of a number of nodes; negative once there are more of them."""
    left -= 1
    for part in term:
        if left < 0:
            return left
        if isinstance(part, tuple):
            left = _size(part, left)
    return left


def with_term(value: Obj, term: Term | None) -> Obj:
    """A private value under a term, which is the only one that it has."""
    if not isinstance(value, Value) or not value.private or value.term == term:
        return value
    return msgspec.structs.replace(value, term=term)


def forgotten(value: Obj) -> Obj:
    """A value, with nothing said of what it is: another round may make another one of it."""
    if isinstance(value, Value) and not value.private and (value.term or value.keys):
        return msgspec.structs.replace(value, term=None, keys=None)
    if isinstance(value, TupleValue):
        items = tuple(map(forgotten, value.items))
        alike = all(a is b for a, b in zip(items, value.items, strict=True))
        return value if alike else msgspec.structs.replace(value, items=items)
    return with_term(value, None)
