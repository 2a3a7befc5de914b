"""Public parameters with many items: sequences, sets and dictionaries, and one of their items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import msgspec

from metricdp.check.values import arrays, public
from metricdp.check.values.keys import Keys, different
from metricdp.check.values.moments import several
from metricdp.check.values.objects import Obj, Value, Zip
from metricdp.expr import ONE, ZERO, Expr, maximum, num
from metricdp.spaces import Moment, Scalar, Vector
from metricdp.spaces.moments import CLASSES

#: Element of a public sequence by the type of its items.
_ELEMENTS = {"float": "Real", "int": "Int", "str": "Data"}


def part(base: Obj, ends: Sequence[Any], origin: str) -> Value | None:
    """`base[start:stop:step]` of something public with a number of items, the ends literals or
    None; None where nothing is known of it."""
    count = public.public_length(base)
    if count is None or not isinstance(base, Value) or public.kind(base) == "text":
        return None
    if base.keys is not None and {"set", "dict"} & {*base.keys.how}:
        return None
    if not all(each is None or type(each) is int for each in ends) or ends[2] == 0:
        return None
    start, stop, step = ends[0] or 0, ends[1], ends[2] or 1
    number = count.as_fraction()
    if number is not None:
        left = num(len(range(int(number))[slice(*ends)]))
    elif (start, stop, step) in ((0, -1, 1), (1, None, 1)):
        left = maximum(ZERO, count - ONE)
    else:
        return None
    if (axes := arrays.shape_of(base)) is not None:
        return arrays.made(origin, (left, *axes[1:]))
    space = base.space if isinstance(base.space, Vector) else None
    if space is not None:
        space = msgspec.structs.replace(space, size=left)
    return Value(origin, space, source="computed", size=left, holds=base.holds, each=base.each)


def declared(each: str, keys: Keys | None, size: Expr) -> Value:
    """A parameter that is a sequence of items of a type, or of what nothing is known."""
    space = Vector(_ELEMENTS[each], "LInf", size) if each in _ELEMENTS else None
    return Value("public", space, source="parameter", size=size, holds=several(each), keys=keys)


def is_parameter(value: Obj) -> TypeGuard[Value]:
    """Whether a value is a parameter that is a list of items of a type, as it was given."""
    if not isinstance(value, Value) or value.origin != "public" or value.keys is None:
        return False
    return value.size is not None and value.source == "parameter"


def one(base: Value, position: Expr) -> Value | None:
    """An item of a public parameter, or of what was made of it; None of anything else.

    Args:
        position: whole, and not negative.
    """
    keys = base.keys
    if keys is None or base.origin != "public" or base.size is None:
        return None
    term = ("key", keys.of, keys.how, position)
    if keys.element in CLASSES:
        return Value("public", Moment(keys.element), source="computed", term=term)
    space = Scalar(_ELEMENTS[keys.element], kind="str" if keys.element == "str" else "")
    held = "int" if keys.element == "int" else ""
    return Value("public", space, source="computed", holds=held, term=term)


def of_a_set(items: frozenset[Any], name: str) -> Value | None:
    """What a loop over a set that is known goes through; None where not every way of comparing rows
    tells its items apart.

    Args:
        name: of no parameter, and of no other set.
    """
    kinds = {type(item) for item in items}
    if kinds == {str} and not any("\0" in item for item in items):
        each = "str"
    elif kinds and kinds <= {int, float} and all(abs(item) <= 2**53 for item in items):
        each = "int" if kinds == {int} else "float"
    else:
        return None
    return _made(Keys(name, each, num(len(items)), ("set",)), "keys", num(len(items)))


def as_set(value: Obj) -> Value | None:
    """`set(x)` of a parameter or of what was made of it; None of anything else."""
    keys = _keys(value)
    if keys is None:
        return None
    return _without_places(keys, "set", keys.size if keys.different else different(keys.of))


def in_order(value: Obj, how: str) -> Value | None:
    """`sorted(x)`, `list(x)`, ... of a parameter, a set or a dictionary; None of anything else."""
    keys = _keys(value)
    if keys is not None:
        return _made(keys, how, keys.size)
    pairs = value.keys if isinstance(value, Value) and value.origin == "public" else None
    if not how.startswith("sorted") or pairs is None or "items" not in pairs.how:
        return None  # of pairs with different keys only the keys are compared
    return _without_places(pairs, how, pairs.size)


def without_repeats(value: Obj) -> Value | None:
    """The keys of `dict.fromkeys(x)`, in the order of x; None of anything else."""
    keys = _keys(value)
    if keys is None:
        return None
    return _without_places(keys, "dict", keys.size if keys.different else different(keys.of))


def opened(value: Obj) -> Obj:
    """What a loop over a set goes through, and over a dictionary: keys, or pairs of a key and a
    value.  Neither of them is a sequence: it has no item at a position."""
    keys = value.keys if isinstance(value, Value) and not value.private else None
    if keys is None or value.size is not None:  # type: ignore[union-attr]
        return value
    if keys.how[-1] == "values":
        return _values(keys)
    if "items" not in keys.how:
        return _made(keys, "keys", keys.size)
    return Zip((_made(keys, "keys", keys.size), _values(keys)))


def view(value: Obj, what: str) -> Value | None:
    """`d.keys()`, `d.values()` or `d.items()` of a parameter; None of anything else."""
    keys = value.keys if isinstance(value, Value) and not value.private else None
    if keys is None or keys.how != ("dict",):
        return None
    return _without_places(keys, what, keys.size)


def _keys(value: Obj) -> Keys | None:
    """The keys of what is given, where its items are keys."""
    keys = value.keys if isinstance(value, Value) and value.origin == "public" else None
    return None if keys is None or {"items", "values"} & set(keys.how) else keys


def _without_places(keys: Keys, how: str, size: Expr) -> Value:
    made = msgspec.structs.replace(keys, how=(*keys.how, how), size=size)
    return Value("public", source="computed", keys=made)


def _made(keys: Keys, how: str, size: Expr) -> Value:
    made = msgspec.structs.replace(keys, how=(*keys.how, how), size=size)
    return msgspec.structs.replace(declared(keys.element, made, size), source="computed")


def _values(keys: Keys) -> Value:
    return msgspec.structs.replace(declared(keys.held, None, keys.size), source="computed")
