"""Schema facts of data that enter: raw containers as lists or arrays of one clean type.

Containers are read once, into a list of our own or a view of an array that nobody else holds, and
cells are laid bare (`plain`): data may be objects whose methods run code.  Facts are types, dtypes
and shapes only and raise `SchemaError`; no message shows a value, and no exception carries one as
its cause.  Tables become columns, texts rows by name, and what is missing None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from metricdp.errors import SchemaError
from metricdp.plain import scalar
from metricdp.spaces import Maybe, Row
from metricdp.spaces.texts import Cells, Named
from metricdp.values import Column, Numbers
from metricdp.values.missing import MaybeColumn

_NUMBERS = "pass numbers: a list, a tuple, or an array with a numeric dtype"
_NONE = "replace or drop missing values before the call"


def schema_error(name: str, fact: str, remedy: str) -> SchemaError:
    """A fresh error about a parameter."""
    return SchemaError(fact, place=name, remedy=remedy)


def kind_of(element: str, kind: str) -> str:
    """ "float", "int", "bool", "str", or "" for any scalar."""
    return kind or {"Real": "float", "Int": "int", "Bool": "bool"}.get(element, "")


def as_sequence(name: str, value: Any) -> Any:
    """A list or a NumPy array of any dimension, from anything that is accepted as a container."""
    kind = type(value)
    if issubclass(kind, list):
        return list.copy(value)
    if issubclass(kind, tuple):
        return list(tuple.__getitem__(value, slice(None)))
    if hasattr(value, "to_numpy") and hasattr(value, "iloc"):
        value = value.to_numpy()
    if hasattr(value, "dtype") and hasattr(value, "ndim"):
        if hasattr(value, "filled") and hasattr(value, "mask"):
            raise schema_error(name, "a masked array", "fill or drop the masked entries")
        return _view(value)
    if isinstance(value, Numbers) or (hasattr(value, "vector") and hasattr(value, "ticks")):
        return list(value)
    raise schema_error(
        name,
        f"{_article(value)} where a sequence is needed",
        "pass a list, a tuple, a NumPy array or a pandas object",
    )


def _view(value: Any) -> Any:
    """An array of NumPy's own class, whose shape and dtype nobody else can change."""
    import numpy as np

    return np.ndarray.view(np.asarray(value), np.ndarray)


def check_array(name: str, array: Any, kind: str, ndim: int) -> None:
    """Dimension and dtype of an array against the declared kind."""
    if array.ndim != ndim:
        raise schema_error(
            name,
            f"an array with {array.ndim} dimensions where {ndim} are needed",
            "reshape it" if array.ndim else "pass a sequence",
        )
    dtype = array.dtype
    fine = {"float": "biuf", "int": "biu", "bool": "b", "str": "U", "": "biufU"}[kind]
    if dtype.kind not in fine and not (dtype.kind == "O" and kind in ("str", "")):
        needed = kind or "scalar"
        remedy = f"pass x.astype({kind})" if kind and dtype.kind in "biuf" else _NUMBERS
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
            f"{_article(x)} where {kind or 'a scalar'} is needed",
            "convert the data first" if found else _NUMBERS,
        )


def check_cells(name: str, cells: list[Any], kind: str) -> set[type]:
    """`check_cell` on a list, one look per type; cells are laid bare in place.

    Returns:
        The types of the cells.
    """
    kinds = set(map(type, cells))
    if not kinds <= _BUILTIN:
        cells[:] = map(bare_cell, cells)
        kinds = set(map(type, cells))
    for sample in cells[:1] if len(kinds) == 1 else {type(x): x for x in cells}.values():
        check_cell(name, sample, kind)
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


def _article(x: Any) -> str:
    name = type(x).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


#: Rows without missing ones -> `Column` or list of clean values.
Clean = Callable[[Any], Any]


def maybe_rows(name: str, row: Maybe, raw: Any, drop: bool, clean: Clean) -> Any:
    """Clean rows, None where they are missing.

    Args:
        raw: list, or NumPy array of one dimension.
        drop: leave missing rows out.
        clean: checks and cleans the rows that are there.

    Raises:
        SchemaError: a type or dtype other than the declared one.
    """
    import numpy as np

    if not isinstance(raw, list):
        if raw.dtype.kind == "f" and row.inner.kind == "float":
            check_array(name, raw, "float", 1)
            there = ~np.isnan(raw)
            return _placed(clean(raw[there]), there, drop)
        if raw.dtype.kind != "O":
            return _placed(clean(raw), np.ones(len(raw), np.bool_), drop)
        raw = raw.tolist()
    there = np.array([not is_missing(x) for x in raw], np.bool_)
    return _placed(clean([x for x in raw if not is_missing(x)]), there, drop)


def is_missing(x: Any) -> bool:
    """Whether a cell is None, NaN, or a missing value of pandas."""
    if x is None or type(x).__name__ in ("NAType", "NaTType"):
        return True
    return (isinstance(x, float) or hasattr(x, "dtype")) and bool(x != x)


def _placed(found: Any, there: Any, drop: bool) -> Any:
    import numpy as np

    if drop:
        return found
    if not isinstance(found, Column):
        rest = iter(found)
        return [next(rest) if kept else None for kept in there.tolist()]
    array = found.floats if found.ticks is None else found.ticks
    assert array is not None
    full: Any = np.zeros(len(there), array.dtype)
    full[there] = array
    column = Column(full) if found.ticks is None else Column(None, full, found.exponent)
    return MaybeColumn(column, there)


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
