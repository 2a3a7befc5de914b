"""Dictionaries whose keys are known: lists of values, each under the name of its key.

The name of a text is the text; any other key is written as Python writes it, behind a mark.  A key
is looked up as Python does: 1, 1.0 and True are one key.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from metricdp.check.values.objects import UNKNOWN, Obj, TupleValue, Value
from metricdp.check.values.public import is_number, literal
from metricdp.spaces import Vector

#: `TupleValue.kind` of a dictionary; what `defaultdict` makes of a missing key stands behind it.
KIND = "dict"
_MARK = "\0"
#: `Value.source` of a dictionary of keys that are not known.
_UNKNOWN = "dict"


def dictionary(entries: Mapping[Any, Obj], missing: str = "") -> TupleValue:
    """The dictionary of these keys and values.

    Args:
        missing: the name of the type that `defaultdict` calls for a missing key.
    """
    names = tuple(key if isinstance(key, str) else _MARK + repr(key) for key in entries)
    kind = f"{KIND} of {missing}" if missing else KIND
    return TupleValue(tuple(entries.values()), True, names, kind)


def is_dictionary(value: object) -> bool:
    """Whether a value is a dictionary whose keys are known, or a row that is read as one."""
    if not isinstance(value, TupleValue) or not value.is_list:
        return False
    return bool(value.names) or value.kind.partition(" ")[0] == KIND


def is_mapping(contents: object) -> bool:
    """Whether contents are a dictionary, of keys that are known or not."""
    unknown = isinstance(contents, Value) and contents.source == _UNKNOWN
    return unknown or is_dictionary(contents)


def entries_of(value: TupleValue) -> dict[Any, Obj]:
    """Keys and values, in their order."""
    return dict(zip(keys_of(value), value.items, strict=True))


def keys_of(value: TupleValue) -> list[Any]:
    """The keys, as Python's own values."""
    return [_known(n) if n.startswith(_MARK) else n for n in value.names]


@lru_cache(maxsize=4096)
def _known(name: str) -> Any:
    """The key whose name this is; keys are values that nobody can change."""
    return ast.literal_eval(name[1:])


def missing_of(value: TupleValue) -> str:
    """The name of the type that makes the value of a missing key, or ""."""
    return value.kind.partition(" of ")[2]


def key_of(value: Obj) -> Any:
    """A key that is known while checking, as Python's own value; UNKNOWN for any other object."""
    if isinstance(value, TupleValue) and not value.is_list and not value.names:
        parts = tuple(key_of(item) for item in value.items)
        return UNKNOWN if any(part is UNKNOWN for part in parts) else parts
    if not isinstance(value, Value) or value.private:
        return UNKNOWN
    found = value.literal
    plain = found is None or isinstance(found, str | bool | int)
    return found if plain or (isinstance(found, float) and abs(found) < float("inf")) else UNKNOWN


def as_object(key: Any) -> Obj:
    """A key as the program sees it."""
    return TupleValue(tuple(map(as_object, key))) if isinstance(key, tuple) else literal(key)


def unknown_keys(origin: str, numbers: bool = False) -> Value:
    """A dictionary under keys that are not known, of public or released values.

    Args:
        numbers: whether every value is a number.
    """
    return Value(origin, _NUMBERS if numbers else None, source=_UNKNOWN)


def of_numbers(held: Obj) -> bool:
    """Whether every value of a dictionary is a public or released number."""
    if isinstance(held, TupleValue):
        return all(map(is_number, held.items))
    return isinstance(held, Value) and held.space == _NUMBERS


#: The space of a dictionary of numbers under keys that are not known.
_NUMBERS = Vector("Real", "LInf", None)
