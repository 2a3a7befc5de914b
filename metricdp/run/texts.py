"""Texts, lines of cells and rows by name, when they enter: types are checked, values cleaned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metricdp.errors import SchemaError
from metricdp.run.cells import as_sequence, bare_cell, check_cell, check_cells, schema_error
from metricdp.run.missing import is_missing
from metricdp.spaces.texts import Cells, Named


def text(name: str, value: Any) -> str:
    """A text.

    Raises:
        SchemaError: anything else.
    """
    value = bare_cell(value)
    check_cell(name, value, "str")
    return str(value)


def text_rows(name: str, row: Cells | Named, value: Any) -> list[Any]:
    """Lines of cells, or rows by name, from lists, dictionaries of columns or a DataFrame.

    Raises:
        SchemaError: rows or cells of another type, columns of unequal length.
    """
    if isinstance(row, Named):
        columns = _columns(name, value)
        return columns if isinstance(columns, list) else _from_columns(name, columns)
    lines = as_sequence(name, value)
    found = []
    for line in lines if isinstance(lines, list) else lines.tolist():
        if not isinstance(line, list | tuple):
            raise _wrong(name, line, "a list of texts")
        cells = list(line)
        check_cells(name, cells, "str")
        found.append(tuple(map(str, cells)))
    return found


def _columns(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return value
    if hasattr(value, "columns") and hasattr(value, "iloc"):
        return {str(label): value[label] for label in value.columns}
    rows = as_sequence(name, value)
    found = []
    for row in rows if isinstance(rows, list) else rows.tolist():
        if not isinstance(row, Mapping):
            raise _wrong(name, row, "a dictionary")
        found.append({_label(name, label): _cell(name, cell) for label, cell in row.items()})
    return found


def _from_columns(name: str, columns: Mapping[Any, Any]) -> list[dict[str, Any]]:
    labels = [_label(name, label) for label in columns]
    cells = [[*as_sequence(name, column)] for column in columns.values()]
    if len({len(column) for column in cells}) > 1:
        raise schema_error(name, "columns of unequal length", "give every column the same length")
    return [
        {label: _cell(name, cell) for label, cell in zip(labels, row, strict=True)}
        for row in zip(*cells, strict=True)
    ]


def _label(name: str, label: Any) -> str:
    if isinstance(label, str):
        return str(bare_cell(label))
    raise _wrong(name, label, "a name of a column")


def _cell(name: str, cell: Any) -> Any:
    """A clean scalar; empty text where it is missing."""
    from metricdp.values import exact

    if is_missing(cell):
        return ""
    cell = bare_cell(cell)
    check_cell(name, cell, "")
    return cell if isinstance(cell, bool | str) else exact(cell)


def _wrong(name: str, found: Any, wanted: str) -> SchemaError:
    return schema_error(name, f"a {type(found).__name__} where {wanted} is needed", "convert it")
