"""How long a list is after the loop that fills it with public or released items.

A round sees the list at a length that is not known, as a fresh symbol.  A round that adds k items
to it, k the same in every round, makes it longer by k times the number of rounds.  A list that
grows in one branch only, or in a loop that may stop early, has no length that is known.
"""

from __future__ import annotations

from collections.abc import Sequence

from metricdp.check.domain.state import CheckState
from metricdp.check.loops.plans import LoopPlan
from metricdp.check.values.arrays import made, same_shape, shape_of
from metricdp.check.values.objects import Obj, TupleValue, Value
from metricdp.check.values.public import is_number, public_length
from metricdp.expr import Expr, num, sym
from metricdp.spaces import Vector


def filled(origin: str, parts: Sequence[Obj], size: Expr | None) -> Value:
    """A list of the items of these lists; its space is known if all of them are numbers."""
    known = size is not None and all(map(_of_numbers, parts))
    space = Vector("Real", "LInf", size) if known else None
    each = None if size is None else _item(origin, parts)
    return Value(origin, space, source="list", size=size, each=each)


def _item(origin: str, parts: Sequence[Obj]) -> Value | None:
    """What each item is, where all of them are arrays of one shape."""
    items: list[Obj] = []
    for held in parts:
        if isinstance(held, TupleValue):
            items += held.items
        elif isinstance(held, Value) and held.source == "list" and held.each is not None:
            items.append(held.each)
        else:
            return None
    if not items or not all(same_shape(item, items[0]) for item in items):
        return None
    return made(origin, shape_of(items[0]) or ())


def _of_numbers(held: Obj) -> bool:
    if isinstance(held, TupleValue):
        return all(map(is_number, held.items))
    return isinstance(held, Value) and held.source == "list" and held.space is not None


def at_round(state: CheckState, held: Value) -> Value:
    """A list at the start of a round: as long as before the loop, or longer, as no list shrinks."""
    if held.size is None:
        return held
    state.unknowns += 1
    more = sym(f"_length{state.unknowns}", nonneg=True, integer=True)
    return filled(held.origin, (held,), held.size + more)


def length(held: Obj) -> Expr | None:
    """Number of items of a list, where it is known."""
    if isinstance(held, TupleValue):
        return num(len(held.items))
    return public_length(held)


def longer(held: Obj, by: Expr | None) -> Expr | None:
    """Its number of items with `by` more."""
    before = length(held)
    return None if before is None or by is None else before + by


def after_rounds(plan: LoopPlan, begin: Value, fresh: Value, after: Value) -> Value:
    """The list after all rounds."""
    origin = "released" if "released" in (begin.origin, after.origin) else "public"
    if begin.size is None or fresh.size is None or after.size is None or plan.count is None:
        return filled(origin, (begin, after), None)
    added = after.size - fresh.size
    if plan.index in added.symbols or any(name.startswith("_") for name in added.symbols):
        return filled(origin, (begin, after), None)
    return filled(origin, (begin, after), begin.size + plan.count * added)
