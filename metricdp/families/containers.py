"""Private values as lists of numbers, and released numbers in the shape of what entered."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from metricdp.values.exact import Exact, exact
from metricdp.values.numbers import Numbers


def flatten(value: Any) -> Iterable[Fraction]:
    """The numbers in a private value, in order."""
    if is_container(value):
        for part in value:
            if isinstance(part, Exact):
                yield part
            else:
                yield from flatten(part)
    else:
        yield exact(value)


def mapped(value: Any, entry: Callable[[Any], Any]) -> Any:
    """The answer of every number: a tuple of a tuple, an array of a vector or matrix."""
    if isinstance(value, tuple):
        return tuple(mapped(part, entry) for part in value)
    if not is_container(value):
        return entry(value)
    import numpy as np

    rows = [[entry(x) for x in row] if is_container(row) else entry(row) for row in value]
    if not rows:
        return np.zeros((0,), np.float64)
    if isinstance(_first(rows), float):
        return np.array(rows, np.float64)
    try:
        return np.array(rows, np.int64)
    except OverflowError:
        return np.array(rows, object)


def arrays_of(value: Any) -> list[Numbers] | None:
    """The numbers of an array, or of a tuple in which there is one; None of anything else."""
    from metricdp.values.forms import numbers_of

    if isinstance(value, Numbers):
        return [value] if len(value) else None
    if isinstance(value, list) and set(map(type, value)) == {bool}:
        import numpy as np

        return [Numbers(np.fromiter(value, np.int64, len(value)))]
    if type(value) is not tuple or not any(isinstance(part, Numbers) for part in value):
        return None
    parts = [numbers_of(part if is_container(part) else [part]) for part in value]
    return None if any(part is None for part in parts) else parts  # type: ignore[return-value]


def apart(released: Any, value: Any, parts: list[Numbers]) -> Any:
    """What was released, in the form of what entered (see `arrays_of`)."""
    if not isinstance(value, tuple):
        return released
    found, start = [], 0
    for given, part in zip(value, parts, strict=True):
        piece = released[start : start + len(part)]
        start += len(part)
        if not is_container(given):
            found += piece.tolist()
        elif len(piece) and piece.dtype != object:
            found.append(piece.copy())
        else:
            found.append(mapped(piece.tolist(), lambda x: x))
    return tuple(found)


def each(value: Any, law: Callable[[Any], Any]) -> Any:
    """The joint law of independent answers to every number."""
    from metricdp.laws import ProductLaw

    if is_container(value):
        return ProductLaw(tuple(each(entry, law) for entry in value))
    return law(value)


def sizes(value: Any) -> Any:
    """The shape of a value, part by part."""
    if isinstance(value, Numbers):
        return (len(value), "number") if len(value) else (0, ())
    if isinstance(value, list | tuple):
        inner = [sizes(each) for each in value]
        same = all(each == inner[0] for each in inner)
        return (len(value), inner[0]) if inner and same else (len(value), tuple(inner))
    return "number"


def is_container(value: Any) -> bool:
    """Whether a value has entries."""
    return hasattr(value, "__len__") and not isinstance(value, str)


def _first(rows: list[Any]) -> Any:
    return _first(rows[0]) if isinstance(rows[0], list) and rows[0] else rows[0]
