"""Schema facts of data that enter: raw containers as lists or arrays of one clean type.

Containers are read once, into a list of our own or a view of an array that nobody else holds, and
cells are laid bare (`plain`): data may be objects whose methods run code.  Facts are types, dtypes
and shapes only and raise `SchemaError`; no message shows a value, and no exception carries one as
its cause.  Tables become columns, texts rows by name, and what is missing None.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from metricdp.errors import SchemaError
from metricdp.plain import scalar
from metricdp.run.entering.gaps import as_list
from metricdp.run.entering.kinds import converted, instead
from metricdp.run.entering.sequences import article, is_frame, labelled, labels, sequence
from metricdp.spaces.texts import Cells, Named

_NUMBERS = "pass numbers: a list, a tuple, or an array with a numeric dtype"
_TEXTS = "pass texts: bytes as x.decode(), numbers as str(x)"
_FEWER = 'pass one column: x["name"] of a data frame, x[:, 0] of an array'
_NONE = "replace or drop missing values before the call"


def schema_error(name: str, fact: str, remedy: str) -> SchemaError:
    """A fresh error about a parameter."""
    return SchemaError(fact, place=name, remedy=remedy)


def kind_of(element: str, kind: str) -> str:
    """ "float", "int", "bool", "str", or "" for any scalar."""
    return kind or {"Real": "float", "Int": "int", "Bool": "bool"}.get(element, "")


def check_array(name: str, array: Any, kind: str, ndim: int) -> None:
    """Dimension and dtype of an array against the declared kind."""
    if array.ndim != ndim:
        raise schema_error(
            name,
            f"an array with {array.ndim} dimensions where {ndim} are needed",
            _FEWER if array.ndim > ndim else "reshape it" if array.ndim else "pass a sequence",
        )
    dtype = array.dtype
    fine = {"float": "biuf", "int": "biu", "bool": "b", "str": "U", "": "biufU"}[kind]
    if dtype.kind not in fine and not (dtype.kind == "O" and kind in ("str", "")):
        needed = kind or "scalar"
        remedy = instead(str(dtype), _NUMBERS)
        if kind and dtype.kind in "biufOU":
            remedy = converted(name, dtype.kind, kind)
        raise schema_error(name, f"dtype {dtype} where {needed} is needed", remedy)


def check_cell(name: str, x: Any, kind: str) -> None:
    """The type of one scalar against the declared kind."""
    if x is None or type(x).__name__ in ("NAType", "NaTType"):
        raise schema_error(name, "a missing value (None)", _NONE)
    found = _cell_kind(x)
    accepted = {
        "float": ("float", "int", "bool"),
        "int": ("int", "bool"),
        "bool": ("bool",),
        "str": ("str",),
        "": ("float", "int", "bool", "str"),
    }[kind]
    if found not in accepted:
        raise schema_error(
            name,
            f"{article(x)} where {kind or 'a scalar'} is needed",
            "convert the data first"
            if found
            else instead(type(x).__name__, _TEXTS if kind == "str" else _NUMBERS),
        )


def check_cells(name: str, cells: list[Any], kind: str) -> set[type]:
    """`check_cell` on a list, one look per type; cells are laid bare in place.

    Returns:
        The types of the cells.
    """
    types = list(map(type, cells))
    kinds = set(types)
    if not kinds <= _BUILTIN:
        cells[:] = map(bare_cell, cells)
        types = list(map(type, cells))
        kinds = set(types)
    for first in sorted(map(types.index, kinds)):
        check_cell(name, cells[first], kind)
    return kinds


_BUILTIN = frozenset({bool, str, float, int})


def bare_cell(x: Any) -> Any:
    """A cell whose methods are Python's own: a row that runs code could tell of itself."""
    if type(x) in _BUILTIN:
        return x
    found = scalar(x)
    if found is not x or getattr(x, "ndim", 1) != 0:
        return found
    import numpy as np

    array = np.asarray(x)
    return scalar(array.item()) if array.ndim == 0 and array.dtype.kind in "biufU" else x


def _cell_kind(x: Any) -> str:
    found = _KINDS.get(type(x))
    if found is None and getattr(getattr(x, "dtype", None), "kind", "") == "f":
        import numpy as np

        return "float" if type(x) is np.longdouble else ""
    return found or ""


_KINDS: dict[type, str] = {
    bool: "bool", int: "int", float: "float", Fraction: "float", str: "str"
}  # fmt: skip


def is_missing(x: Any) -> bool:
    """Whether a cell is None, NaN, or a missing value of pandas."""
    if x is None or type(x).__name__ in ("NAType", "NaTType"):
        return True
    return (isinstance(x, float) or hasattr(x, "dtype")) and bool(x != x)


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
    lines = sequence(name, value)
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
    if is_frame(value):
        names = labels(value) or []
        return {str(label): as_list(labelled(name, value, label, names)) for label in names}
    rows = sequence(name, value)
    found = []
    for row in rows if isinstance(rows, list) else rows.tolist():
        if not isinstance(row, Mapping):
            raise _wrong(name, row, "a dictionary")
        found.append({_label(name, label): _cell(name, cell) for label, cell in row.items()})
    return found


def _from_columns(name: str, columns: Mapping[Any, Any]) -> list[dict[str, Any]]:
    labels = [_label(name, label) for label in columns]
    cells = [[*sequence(name, column)] for column in columns.values()]
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
