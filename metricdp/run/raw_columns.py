"""Columns of a table of records, from whatever holds it: frames, arrays, dictionaries, objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metricdp.errors import SchemaError
from metricdp.run.cells import as_sequence, schema_error
from metricdp.spaces import Row


def raw_columns(name: str, row: Row, value: Any) -> list[Any]:
    """One sequence per declared field, in the declared order.

    Raises:
        SchemaError: columns or fields that are not those of the row.
    """
    labels = _labels(value)
    if labels is not None:
        if row.kind != "tuple":
            missing = [field for field in row.names if field not in labels]
            if missing:
                names = ", ".join(row.names)
                raise schema_error(name, f"no column {missing[0]}", f"name the columns {names}")
            return [as_sequence(f"{name}.{field}", value[field]) for field in row.names]
        return _columns_by_position(name, row, value, labels)
    raw = as_sequence(name, value)
    if not isinstance(raw, list) and raw.ndim == 2:
        if raw.shape[1] != len(row.names):
            raise _wrong_width(name, row, raw.shape[1])
        return [raw[:, i] for i in range(raw.shape[1])]
    items = raw if isinstance(raw, list) else raw.tolist()
    return [list(c) for c in zip(*(_record(name, row, item) for item in items), strict=True)] or [
        [] for _ in row.names
    ]


def _labels(value: Any) -> list[str] | None:
    """Names of the columns of a DataFrame, of a dictionary of columns or of a structured array."""
    if hasattr(value, "columns") and hasattr(value, "iloc"):
        return list(value.columns)
    if isinstance(value, Mapping):
        return list(value)
    fields = getattr(getattr(value, "dtype", None), "names", None)
    return list(fields) if fields else None


def _columns_by_position(name: str, row: Row, value: Any, labels: list[str]) -> list[Any]:
    if len(labels) != len(row.names):
        raise _wrong_width(name, row, len(labels))
    return [as_sequence(name, value[label]) for label in labels]


def _record(name: str, row: Row, item: Any) -> tuple[Any, ...]:
    if isinstance(item, Mapping):
        if any(field not in item for field in row.names):
            raise schema_error(name, "a record without a declared field", _fields(row))
        return tuple(item[field] for field in row.names)
    if isinstance(item, (tuple, list)) or getattr(item, "ndim", 0) == 1:
        if len(item) != len(row.names):
            raise _wrong_width(name, row, len(item))
        return tuple(item)
    if row.kind == "tuple" or any(not hasattr(item, field) for field in row.names):
        raise schema_error(name, f"a {type(item).__name__} where a record is needed", _fields(row))
    return tuple(getattr(item, field) for field in row.names)


def _wrong_width(name: str, row: Row, width: int) -> SchemaError:
    return schema_error(name, f"{width} columns where {len(row.names)} are declared", _fields(row))


def _fields(row: Row) -> str:
    return f"give every record the fields {', '.join(row.names)}"
