"""Public facts that arguments bring: their sizes, and that no array is both private and public."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from metricdp.errors import SchemaError, SpaceError
from metricdp.expr import Expr
from metricdp.spaces import Aligned, Matrix, Records, Space, TupleSpace, Vector
from metricdp.spaces.vectors import Entries


def sizes(
    name: str, space: Space, value: Any, known: Mapping[str, int] | None = None
) -> dict[str, int]:
    """Numbers for the size names of one argument (len_x, rows_x, cols_x, names given by `Size`).

    Args:
        name: the parameter.
        space: its space; unnamed sizes get their names from the parameter.
        value: the admitted value (see `guards.admit`).
        known: sizes bound by other arguments; equal names must have equal numbers.

    Raises:
        SchemaError: one name with two numbers, or a declared number that is not met.
    """
    found = dict(known or {})
    own: dict[str, int] = {}
    for size, count in _pairs(space.named(name), value):
        fraction = size.as_fraction()
        if fraction is not None:
            if fraction != count:
                raise _mismatch(name, str(fraction), count, "declared")
            continue
        text = str(size)
        if text not in size.symbols:
            continue
        if found.setdefault(text, count) != count:
            raise _mismatch(name, str(found[text]), count, f"{text} has been")
        own[text] = count
    return own


def _pairs(space: Space, value: Any) -> Iterable[tuple[Expr, int]]:
    if isinstance(space, Matrix):
        if space.rows is not None:
            yield space.rows, len(value)
        if space.cols is not None:
            yield space.cols, value.cols
    elif isinstance(space, (Entries, Records)):
        if space.size is not None:
            yield space.size, len(value)
        row = getattr(space, "row", None)
        if isinstance(row, Vector) and row.size is not None:
            yield row.size, value.cols
    elif isinstance(space, (Aligned, TupleSpace)):
        for part, item in zip(space.parts, value, strict=True):
            yield from _pairs(part, item)


def _mismatch(name: str, expected: str, count: int, origin: str) -> SchemaError:
    return SchemaError(
        f"a size of {count} where {origin} {expected}",
        place=name,
        remedy="give arguments that share a size name the same size",
    )


def refuse_shared(private: Mapping[str, Any], public: Mapping[str, Any]) -> None:
    """Refuse data passed as private and as public argument: a public value may not be private data.

    Args:
        private, public: parameter -> raw argument.

    Raises:
        SpaceError: one object, or memory of one array, in both.
    """
    open_ = {other: _buffers(shown) for other, shown in public.items()}
    if not any(others or more for others, more in open_.values()):
        return
    for name, value in private.items():
        objects, arrays = _buffers(value)
        for other, (others, more) in open_.items():
            if objects & others or any(_shared(a, b) for a in arrays for b in more):
                raise SpaceError(
                    f"the data of {name} are also passed as the public argument {other}",
                    place=other,
                    remedy="public parameters do not come from the data: pass a public value",
                )


_SCALARS = frozenset({bool, float, int, str})


def _buffers(value: Any) -> tuple[set[int], list[Any]]:
    """Identities of the containers in an argument, and its arrays; scalars may be shared."""
    objects: set[int] = set()
    arrays: list[Any] = []
    pending = [value]
    while pending:
        item = pending.pop()
        if hasattr(item, "to_numpy") and hasattr(item, "iloc"):
            objects.add(id(item))
            columns = getattr(item, "columns", None)
            parts = [item] if columns is None else [item[c] for c in columns]
            arrays += [part.to_numpy() for part in parts]
        elif hasattr(item, "dtype") and hasattr(item, "ndim"):
            if item.ndim:
                arrays.append(item)
        elif isinstance(item, (list, tuple)) and item:
            objects.add(id(item))
            if not set(map(type, item)) <= _SCALARS:
                pending += [part for part in item if hasattr(part, "__len__")]
        elif isinstance(item, (dict, set)) and item:
            objects.add(id(item))
    return objects, arrays


def _shared(a: Any, b: Any) -> bool:
    import numpy as np

    try:
        return bool(np.shares_memory(a, b))
    except TypeError:  # an array type of another library
        return a is b
