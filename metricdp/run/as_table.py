"""A release as the columns of a table: a row for each key, a column for each number, its ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from metricdp.errors import ParameterError
from metricdp.run.parts import fields_of, inside, keys_of

if TYPE_CHECKING:
    from metricdp.run.release import Release

#: The column of numbers that have no name of their own.
_NUMBER = "value"


def columns_of(release: Release[Any]) -> dict[str, list[Any]]:
    """Name -> values; two more, `NAME_low` and `NAME_high`, for each with intervals.

    A dictionary has a row for each key, in the column `key` (`key_1`, `key_2`, ... of tuples), and
    a list one for each position; what stands under a key is a number, or numbers by name.

    Raises:
        ParameterError: a release of another form.
    """
    value = release.value
    near = release.interval()
    if hasattr(value, "tolist"):
        value = value.tolist()
        near = None if near is None else list(zip(*(end.tolist() for end in near), strict=True))
    rows = type(value) in (dict, list, tuple) and fields_of(value) is None
    items = (inside(value) or ()) if rows else (value,)
    keys = keys_of(value) if rows else [()]
    ends = [near] if not rows else _ends(near, keys, len(items))
    names = [tuple(_named(item)) for item in items]
    if not names or any(name != names[0] for name in names):
        raise _no_table(release)
    columns = _of_keys(keys)
    for at, name in enumerate(names[0]):
        cells = [_cell(item, at) for item in items]
        if any(inside(cell) is not None or hasattr(cell, "tolist") for cell in cells):
            raise _no_table(release)
        found = [_end(each, name, at, item) for each, item in zip(ends, items, strict=True)]
        _add(columns, name, cells)
        if any(each is not None for each in found):
            for side, word in enumerate(("low", "high")):
                _add(columns, f"{name}_{word}", [None if e is None else e[side] for e in found])
    return columns


def _named(item: Any) -> Iterator[str]:
    """The names of the numbers in a row."""
    if type(item) is dict or fields_of(item) is not None:
        yield from map(str, keys_of(item))
    else:
        yield _NUMBER


def _cell(item: Any, at: int) -> Any:
    return (inside(item) or ())[at] if type(item) is dict or fields_of(item) else item


def _end(near: Any, name: str, at: int, item: Any) -> Any:
    """The interval of one number of a row."""
    if near is None or not (type(item) is dict or fields_of(item)):
        return near
    return (inside(near) or ())[at]


def _ends(near: Any, keys: list[Any], count: int) -> list[Any]:
    if near is None:
        return [None] * count
    return [near[key] for key in keys]


def _of_keys(keys: list[Any]) -> dict[str, list[Any]]:
    if keys == [()]:
        return {}
    width = len(keys[0]) if isinstance(keys[0], tuple) else 0
    if not width or any(not isinstance(key, tuple) or len(key) != width for key in keys):
        return {"key": keys}
    return {f"key_{at + 1}": [key[at] for key in keys] for at in range(width)}


def _add(columns: dict[str, list[Any]], name: str, values: list[Any]) -> None:
    """
    Raises:
        ParameterError: another column has the name.
    """
    if name in columns:
        raise ParameterError(
            f"two columns would be called {name}", place="release", remedy="name the output anew"
        )
    columns[name] = values


def _no_table(release: Release[Any]) -> ParameterError:
    return ParameterError(
        "these outputs are no rows with the same columns", place=release.function,
        remedy="return a dictionary by key, of numbers or of dictionaries by name",
    )  # fmt: skip
