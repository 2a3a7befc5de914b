"""Rows that may be missing, when they enter: NaN and the missing values of pandas are None."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from metricdp.run.cells import check_array
from metricdp.spaces import Maybe
from metricdp.values import Column
from metricdp.values.missing import MaybeColumn

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
