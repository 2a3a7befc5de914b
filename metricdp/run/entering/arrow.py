"""Columns of Arrow: numbers where they lie, part by part; texts by their dictionaries.

Nothing is imported: the object brings its library with it.
"""

from __future__ import annotations

from typing import Any

from metricdp.run.entering.gaps import coded, end_to_end, with_gaps
from metricdp.run.entering.instants import Instants
from metricdp.run.entering.kinds import refused

_NUMBERS = frozenset(
    """int8 int16 int32 int64 uint8 uint16 uint32 uint64 halffloat float double bool""".split()
)
_DATES = frozenset(
    {"date32[day]", "date64[ms]", *(f"timestamp[{unit}]" for unit in ("s", "ms", "us", "ns"))}
)
#: How the name of a type of moments begins, before the name of the zone.
_MOMENTS = tuple(f"timestamp[{unit}, tz=" for unit in ("s", "ms", "us", "ns"))
_TEXTS = frozenset({"string", "large_string", "string_view"})


def is_column(value: Any) -> bool:
    """Whether this is an Array or a ChunkedArray."""
    return hasattr(value, "null_count") and hasattr(value, "type") and hasattr(value, "is_null")


def is_frame(value: Any) -> bool:
    """Whether this is a Table or a RecordBatch."""
    # Its class is asked: a data frame looks for a column of that name.
    return hasattr(type(value), "column_names") and hasattr(type(value), "schema")


def column(name: str, value: Any) -> Any:
    """An Array or a ChunkedArray as an array, an array in parts, texts, or these with gaps.

    Raises:
        SchemaError: a kind of column that no row holds.
    """
    chunks = getattr(value, "chunks", None)
    if chunks is None:
        return _part(name, value)
    if not chunks:
        return _part(name, value.combine_chunks())
    return end_to_end([_part(name, chunk) for chunk in chunks])


def _part(name: str, value: Any) -> Any:
    kind = str(value.type)
    if kind == "null":
        return [None] * len(value)
    if kind.startswith("dictionary"):
        return _coded(name, column(name, value.dictionary), value.indices)
    if kind in _TEXTS:
        if kind == "string_view":
            value = value.cast("large_string")
        found = value.dictionary_encode()
        return _coded(name, found.dictionary.to_pylist(), found.indices)
    if kind in _DATES:
        return value.to_numpy(zero_copy_only=False)  # what is missing is none of NumPy's dates
    if kind.startswith(_MOMENTS):
        return Instants(value.to_numpy(zero_copy_only=False), kind)  # those of UTC
    if kind not in _NUMBERS:
        raise refused(name, kind)
    if not value.null_count:
        return value.to_numpy(zero_copy_only=False)
    there = ~value.is_null().to_numpy(zero_copy_only=False)
    if kind == "halffloat":
        value = value.cast("float")
    filled = value.fill_null(kind != "bool" and 0)
    return with_gaps(filled.to_numpy(zero_copy_only=False), there)


def _coded(name: str, different: Any, indices: Any) -> Any:
    import numpy as np

    codes = np.array(indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False))
    found = coded(different, codes)
    if found is None:
        raise refused(name, "indices without a value in the dictionary")
    return found
