"""Columns of Polars: numbers where they lie, part by part; texts by the different ones.

Nothing is imported: the object brings its library with it.
"""

from __future__ import annotations

from typing import Any

from metricdp.run.entering.gaps import coded, end_to_end, with_gaps
from metricdp.run.entering.instants import Instants
from metricdp.run.entering.kinds import refused

_NUMBERS = frozenset(
    """Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Float16 Float32 Float64""".split()
)
_TEXTS = frozenset({"String", "Utf8", "Categorical", "Enum"})


def is_column(value: Any) -> bool:
    """Whether this is a Series."""
    return hasattr(value, "null_count") and hasattr(value, "get_chunks")


def is_frame(value: Any) -> bool:
    """Whether this is a DataFrame."""
    return hasattr(value, "get_column") and hasattr(value, "columns")


def column(name: str, value: Any) -> Any:
    """A Series as an array, an array in parts, texts, or these with gaps.

    Raises:
        SchemaError: a kind of column that no row holds.
    """
    dtype = value.dtype
    kind = (dtype if isinstance(dtype, type) else type(dtype)).__name__
    if kind == "Null":
        return [None] * len(value)
    if kind in _TEXTS:
        return _texts(value)
    if kind == "Date" or (kind == "Datetime" and dtype.time_zone is None):
        return value.to_numpy()  # what is missing is none of NumPy's dates
    if kind == "Datetime":
        clock = value.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return Instants(clock.to_numpy(), str(dtype))
    if kind != "Boolean" and kind not in _NUMBERS:
        raise refused(name, str(dtype))
    parts = value.get_chunks() if value.n_chunks() > 1 else [value]
    return end_to_end([_numbers(part, kind) for part in parts])


def _numbers(part: Any, kind: str) -> Any:
    if not part.null_count():
        return part.to_numpy()
    there = part.is_not_null().to_numpy()
    return with_gaps(part.fill_null(kind != "Boolean" and 0).to_numpy(), there)


def _texts(value: Any) -> Any:
    import numpy as np

    different = value.drop_nulls().unique(maintain_order=True)
    if not len(different):
        return [None] * len(value)
    places = list(range(len(different)))
    codes = value.replace_strict(different, places, default=None, return_dtype=int)
    texts = [str(each) for each in different.to_list()]
    return coded(texts, np.array(codes.fill_null(-1).to_numpy()))
