"""What is known of everything that a program returns, in the structure of what it returns.

Tuples, lists and dictionaries whose length and keys are known are opened, each item on its own,
and so are instances of classes, field by field; anything else is one part, of which one thing is
known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from metricdp.check.values.dictionaries import KIND, entries_of
from metricdp.check.values.objects import Obj, TupleValue
from metricdp.expr import Expr
from metricdp.run.parts import Fields


class Part(msgspec.Struct, frozen=True):
    """What is known of one part.

    Attributes:
        draw: it is a draw that nothing released has chosen.
        formula: arithmetic with public and released numbers that it is; None where none is known.
        each: it is a dictionary under keys that are not known, and every value is such a draw.
    """

    draw: bool = False
    formula: Expr | None = None
    each: bool = False


#: A `Part`; of a tuple or a list, one per item; of a dictionary, key -> what it holds, in order; of
#: an instance `Fields`.
Parts = Any


def by_part(value: Obj, known: Callable[[Obj], Part]) -> Parts:
    """What `known` says of every part of a value."""
    if not isinstance(value, TupleValue):
        return known(value)
    if value.kind.partition(" ")[0] == KIND:
        return {key: by_part(each, known) for key, each in entries_of(value).items()}
    if value.names and len(set(value.names)) == len(value.items):  # an instance of a class
        each = zip(value.names, value.items, strict=True)
        return Fields({name: by_part(item, known) for name, item in each})
    if value.names or value.kind:
        return known(value)
    return tuple(by_part(each, known) for each in value.items)
