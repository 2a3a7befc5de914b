"""The parts of a released value: tuples, lists and dictionaries, item by item.

What is known of a value has its structure: one thing, or one per item; None where nothing is known
of all that is inside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def inside(value: Any) -> tuple[Any, ...] | None:
    """The items of a tuple or list, the values of a dictionary; None for anything else."""
    if type(value) is dict:
        return tuple(value.values())
    return tuple(value) if type(value) in (tuple, list) else None


def matched(value: Any, known: Any, one: Callable[[Any, Any], Any]) -> Any:
    """What `one` says of each part of a value and of what is known of it, as nested tuples; None
    where it says nothing, or where a value has another structure than the one that is known.

    Args:
        known: as `check.domain.parts` makes it.
        one: of a part, and what is known of it.
    """
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
