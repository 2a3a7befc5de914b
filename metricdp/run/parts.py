"""The parts of a released value: tuples, lists, dictionaries and instances of classes with fields,
item by item.

What is known of a value has its structure: one thing, or one per item; None where nothing is known
of all that is inside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


class Fields(dict[str, Any]):
    """What is known of an instance of a class: field -> what is known of it, in order."""


def fields_of(value: Any) -> tuple[str, ...] | None:
    """The names of the fields of an instance, as a run makes it; None of anything else."""
    names = getattr(type(value), "_fields", None) if isinstance(value, tuple) else None
    return names if isinstance(names, tuple) and len(names) == len(value) else None


def inside(value: Any) -> tuple[Any, ...] | None:
    """The items of a tuple or list, the values of a dictionary, the fields of an instance; None for
    anything else."""
    if type(value) is dict:
        return tuple(value.values())
    listed = type(value) in (tuple, list) or fields_of(value) is not None
    return tuple(value) if listed else None


def keys_of(value: Any) -> list[Any]:
    """The key, field or position of each of these."""
    return list(value) if type(value) is dict else list(fields_of(value) or range(len(value)))


def matched(value: Any, known: Any, one: Callable[[Any, Any], Any]) -> Any:
    """What `one` says of each part of a value and of what is known of it, as nested tuples; None
    where it says nothing, or where a value has another structure than the one that is known.

    Args:
        known: as `check.domain.parts` makes it.
        one: of a part, and what is known of it.
    """
    if isinstance(known, Fields):
        if fields_of(value) != tuple(known):
            return None
        each = zip(value, known.values(), strict=True)
        return _unless_empty(matched(v, about, one) for v, about in each)
    if isinstance(known, Mapping):
        if type(value) is not dict or list(value) != list(known):
            return None
        return _unless_empty(matched(value[k], each, one) for k, each in known.items())
    if isinstance(known, tuple):
        if type(value) not in (tuple, list) or len(value) != len(known):
            return None
        return _unless_empty(matched(v, each, one) for v, each in zip(value, known, strict=True))
    return one(value, known)


def of_items(known: Any, count: int) -> tuple[Any, ...]:
    """What is known of each of so many items."""
    return known if isinstance(known, tuple) else (None,) * count


def _unless_empty(found: Any) -> tuple[Any, ...] | None:
    each = tuple(found)
    return None if all(item is None for item in each) else each
