"""Noise on numbers that stand in lists, tuples and dictionaries inside of each other.

They are one vector, in which every number has one place: what stands around them is public, and is
put around what is released.  So the cost is that of the vector (`language.applying`).
"""

from __future__ import annotations

from metricdp.check.language.interpreter import Interpreter
from metricdp.check.values.dictionaries import KIND, dictionary, entries_of, is_dictionary
from metricdp.check.values.objects import Obj, TupleValue
from metricdp.run.nesting import DICTIONARY, LIST, TUPLE, VALUE
from metricdp.spaces import Vector


def is_nested(values: TupleValue) -> bool:
    """Whether a display holds others, is a dictionary, or is a list that holds vectors."""
    holds = any(isinstance(item, TupleValue) for item in values.items)
    vectors = (isinstance(getattr(item, "space", None), Vector) for item in values.items)
    return _is_named(values) or holds or (values.is_list and any(vectors))


def how_it_stands(value: Obj) -> str | None:
    """Which containers stand around the values, as `run.nesting` writes it; None where one is an
    instance of a class or a row."""
    if not isinstance(value, TupleValue):
        return VALUE
    if (value.names or value.kind) and not _is_named(value):
        return None
    inside = [how_it_stands(item) for item in value.items]
    begin, end = DICTIONARY if _is_named(value) else LIST if value.is_list else TUPLE
    found = [each for each in inside if each is not None]
    return begin + "".join(found) + end if len(found) == len(inside) else None


def values_of(value: Obj) -> list[Obj]:
    """The values inside of all containers, in order."""
    if not isinstance(value, TupleValue):
        return [value]
    return [found for item in value.items for found in values_of(item)]


def put_around(interpreter: Interpreter, like: Obj, values: list[Obj]) -> Obj:
    """New containers like the given ones, around other values, which are taken from the list."""
    if not isinstance(like, TupleValue):
        return values.pop(0)
    items = [put_around(interpreter, item, values) for item in like.items]
    if _is_named(like):
        made = dictionary(dict(zip(entries_of(like), items, strict=True)))
        return interpreter.heap.hold(made)
    return interpreter.heap.new(items) if like.is_list else TupleValue(tuple(items))


def _is_named(value: TupleValue) -> bool:
    """Whether a display is a dictionary that the program made, and no row that is read as one."""
    return is_dictionary(value) and bool(value.kind) and value.kind.partition(" ")[0] == KIND
