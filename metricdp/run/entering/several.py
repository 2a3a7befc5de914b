"""Rows with fields that hold several values each: a column for every value, and rows of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from metricdp.run.entering.rows import fields_of
from metricdp.spaces import Row
from metricdp.spaces.rows import Single


def values_of(name: str, row: Row, columns: list[Any]) -> Iterator[tuple[str, Single, Any]]:
    """Place, space and column of every value of a row."""
    for field, space, raw in zip(row.names, row.fields, columns, strict=True):
        place = f"{name}.{field}"
        if isinstance(space, Row):
            yield from values_of(place, space, fields_of(place, space, raw))
        else:
            yield place, space, raw


def built(row: Row, values: Iterator[Any]) -> Any:
    """A row of these values, in the order of `values_of`."""
    return row.build([built(f, values) if isinstance(f, Row) else next(values) for f in row.fields])
