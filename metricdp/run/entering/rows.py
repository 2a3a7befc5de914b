"""Rows of several fields as one column per field."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter, itemgetter
from typing import Any

from metricdp.errors import SchemaError
from metricdp.run.entering.gaps import as_list
from metricdp.run.entering.sequences import article, column, labelled, labels
from metricdp.spaces import Row


def fields_of(name: str, row: Row, value: Any) -> list[Any]:
    """One column per declared field, in the declared order; see `sequences.column`.

    Raises:
        SchemaError: columns or fields that are not those of the row.
    """
    named = labels(value)
    if named is not None:
        wanted: Any = row.names
        if row.kind == "tuple":
            if len(named) != len(row.names):
                raise _wrong_width(name, row, len(named))
            wanted = named
        elif missing := [field for field in row.names if field not in named]:
            raise _without_column(name, row, missing[0], value)
        pairs = zip(row.names, wanted, strict=True)
        return [labelled(f"{name}.{field}", value, label, named) for field, label in pairs]
    found = column(name, value)
    dimensions = getattr(found, "ndim", 1)
    if dimensions == 2:
        if found.shape[1] != len(row.names):
            raise _wrong_width(name, row, found.shape[1])
        return [found[:, i] for i in range(found.shape[1])]
    if dimensions != 1:
        raise SchemaError(
            f"an array with {dimensions} dimensions where records are needed",
            place=name,
            remedy="pass one row per record and one column per field",
        )
    return _of_items(name, row, as_list(found))


def _of_items(name: str, row: Row, items: list[Any]) -> list[Any]:
    kinds = set(map(type, items))
    if len(kinds) == 1:
        (kind,) = kinds
        if issubclass(kind, tuple | list):
            widths = list(map(len, items))
            if set(widths) != {len(row.names)}:
                raise _wrong_width(name, row, next(w for w in widths if w != len(row.names)))
            return [list(map(itemgetter(i), items)) for i in range(len(row.names))]
        if kind is dict:
            try:
                return [list(map(itemgetter(field), items)) for field in row.names]
            except KeyError:
                raise _without_field(name, row) from None
        if not issubclass(kind, Mapping) and row.kind != "tuple" and not hasattr(kind, "ndim"):
            try:
                return [list(map(attrgetter(field), items)) for field in row.names]
            except AttributeError:
                raise _no_record(name, row, items[0]) from None
    rows = [_record(name, row, item) for item in items]
    return [[each[i] for each in rows] for i in range(len(row.names))]


def _record(name: str, row: Row, item: Any) -> tuple[Any, ...]:
    if isinstance(item, Mapping):
        if any(field not in item for field in row.names):
            raise _without_field(name, row)
        return tuple(item[field] for field in row.names)
    if isinstance(item, tuple | list) or getattr(item, "ndim", 0) == 1:
        if len(item) != len(row.names):
            raise _wrong_width(name, row, len(item))
        return tuple(item)
    if row.kind == "tuple" or any(not hasattr(item, field) for field in row.names):
        raise _no_record(name, row, item)
    return tuple(getattr(item, field) for field in row.names)


def _no_record(name: str, row: Row, item: Any) -> SchemaError:
    return SchemaError(f"{article(item)} where a record is needed", place=name, remedy=_fields(row))


def _without_field(name: str, row: Row) -> SchemaError:
    return SchemaError("a record without a declared field", place=name, remedy=_fields(row))


def _without_column(name: str, row: Row, missing: str, value: Any) -> SchemaError:
    """No column of a name, which may be that of the index of a data frame."""
    index = getattr(getattr(value, "index", None), "names", None) or ()
    if missing in list(index):
        fact, remedy = f"{missing} is the index and no column", f"pass {name}.reset_index()"
    else:
        fact, remedy = f"no column {missing}", f"name the columns {', '.join(row.names)}"
    return SchemaError(fact, place=name, remedy=remedy)


def _wrong_width(name: str, row: Row, width: int) -> SchemaError:
    return SchemaError(
        f"{width} columns where {len(row.names)} are declared", place=name, remedy=_fields(row)
    )


def _fields(row: Row) -> str:
    return f"give every record the fields {', '.join(row.names)}"
