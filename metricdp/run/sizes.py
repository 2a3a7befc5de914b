"""Public facts that arguments bring: their sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from metricdp.errors import SchemaError
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
