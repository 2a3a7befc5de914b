"""What a caller passes for a column, a vector or a table, told by what it offers, and read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metricdp.columns.chunked import Chunked
from metricdp.columns.texts import Texts
from metricdp.errors import SchemaError
from metricdp.run.entering import arrow, pandas, polars
from metricdp.run.entering.gaps import Gaps, as_list
from metricdp.run.entering.instants import Instants
from metricdp.run.entering.kinds import moments_refused
from metricdp.values import Numbers

#: What holds one column, and what holds several by name.
_COLUMNS = (pandas, polars, arrow)


def column(name: str, value: Any) -> Any:
    """One column: a list of our own, an array of any dimension, an array in parts, texts, gaps.

    Raises:
        SchemaError: no sequence, or a kind of column that no row holds.
    """
    kind = type(value)
    if issubclass(kind, list):
        return list.copy(value)
    if issubclass(kind, tuple):
        return list(tuple.__getitem__(value, slice(None)))
    for library in _COLUMNS:
        if library.is_column(value):
            return library.column(name, value)
    if is_frame(value):
        return table(name, value)
    if hasattr(value, "dtype") and hasattr(value, "ndim"):
        if hasattr(value, "filled") and hasattr(value, "mask"):
            raise SchemaError(
                "a masked array", place=name, remedy="fill or drop the masked entries"
            )
        found = _view(value)
        return found.tolist() if found.dtype.kind == "T" else found
    if isinstance(value, Numbers) or (hasattr(value, "vector") and hasattr(value, "ticks")):
        return list(value)
    remedy = "pass a list, a tuple, a NumPy array, a data frame or an Arrow table"
    if hasattr(value, "collect_schema"):  # Polars
        remedy = "pass frame.collect(), or the path of its file"
    elif isinstance(value, str):
        remedy = "pass rows, or the path of a file that ends in .parquet, .csv, .csv.gz or .tsv"
    raise SchemaError(f"{article(value)} where a sequence is needed", place=name, remedy=remedy)


def sequence(name: str, value: Any) -> Any:
    """A list of our own, or an array of any dimension.

    Raises:
        SchemaError: no sequence, or a kind of column that no row holds.
    """
    found = column(name, value)
    if isinstance(found, Instants):
        raise moments_refused(name, found.told, "a number")
    if isinstance(found, Gaps | Texts):
        return as_list(found)
    return found.__array__() if isinstance(found, Chunked) else found


def is_column(value: Any) -> bool:
    """Whether this is a column of another library."""
    return any(library.is_column(value) for library in _COLUMNS)


def is_frame(value: Any) -> bool:
    """Whether this is a table with named columns of another library."""
    return any(library.is_frame(value) for library in _COLUMNS)


def labels(value: Any) -> list[Any] | None:
    """Names of the columns of a data frame, a dictionary of columns or a structured array."""
    if pandas.is_own_frame(value):
        return list(value.columns)
    if arrow.is_frame(value):
        return list(value.column_names)
    if is_frame(value):
        return list(value.columns)
    if isinstance(value, Mapping):
        return list(value)
    fields = getattr(getattr(value, "dtype", None), "names", None)
    return list(fields) if fields else None


def labelled(name: str, value: Any, label: Any, named: Sequence[Any]) -> Any:
    """The column of that name.

    Args:
        named: what `labels` gives.

    Raises:
        SchemaError: no sequence, a kind of column that no row holds, or two columns of the name.
    """
    own = pandas.is_own_frame(value)
    if own or is_frame(value):
        if named.count(label) > 1:
            raise SchemaError("two columns of one name", place=name, remedy="name each differently")
        found = pandas.lying(value, named.index(label)) if own else None
        if found is not None:
            return found
        return column(name, value.column(label) if arrow.is_frame(value) else value[label])
    return column(name, value[label])


def table(name: str, value: Any) -> Any:
    """A data frame as an array of two dimensions.

    Raises:
        SchemaError: a kind of column that no row holds, or two columns of one name.
    """
    import numpy as np

    if pandas.is_frame(value) and all(isinstance(d, np.dtype) for d in value.dtypes):
        return np.asarray(value)
    named = labels(value) or []
    columns = [labelled(name, value, label, named) for label in named]
    if moments := next((each for each in columns if isinstance(each, Instants)), None):
        raise moments_refused(name, moments.told, "a number")
    if columns and not any(isinstance(each, list | Gaps | Texts) for each in columns):
        return np.column_stack([np.asarray(each) for each in columns])
    found = np.empty((len(value), len(columns)), object if columns else np.float64)
    for at, each in enumerate(columns):
        found[:, at] = as_list(each)
    return found


def article(x: Any) -> str:
    """The name of a type in a sentence."""
    name = type(x).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _view(value: Any) -> Any:
    """An array of NumPy's own class, whose shape and dtype nobody else can change."""
    import numpy as np

    return np.ndarray.view(np.asarray(value), np.ndarray)
