"""Rows that are missing, and rows that are NaN: found at once, kept by a mask, or left out."""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress, repeat
from operator import eq, is_not
from types import NoneType
from typing import Any

from metricdp.columns.chunked import Chunked
from metricdp.columns.texts import Texts
from metricdp.run.cells import bare_cell, check_array, is_missing
from metricdp.run.entering.gaps import Gaps
from metricdp.values import Column
from metricdp.values.missing import MaybeColumn

#: Rows without missing ones -> `Column` or list of clean values.
Clean = Callable[[Any], Any]

_WHOLE = frozenset({int, bool, str})
_PLAIN = _WHOLE | {float, NoneType}


def maybe_rows(name: str, kind: str, raw: Any, drop: bool, clean: Clean) -> Any:
    """Clean rows, None where they are missing.

    Args:
        kind: of the rows that are there.
        raw: see `sequences.column`.
        drop: leave missing rows out.
        clean: checks and cleans the rows that are there.

    Raises:
        SchemaError: a type or dtype other than the declared one.
    """
    import numpy as np

    if getattr(raw, "ndim", 1) != 1:
        check_array(name, raw, kind, 1)
    if not isinstance(raw, list | Gaps | Texts) and raw.dtype.kind == "O":
        raw = raw.tolist()
    there = present(raw, kind)
    found = clean(taken(raw, there))
    if drop:
        return found
    if not isinstance(found, Column):
        full = np.full(len(there), None, object)
        full[there] = found
        return full.tolist()
    array = found.floats if found.ticks is None else found.ticks
    assert array is not None
    wide: Any = np.zeros(len(there), array.dtype)
    wide[there] = array
    column = Column(wide) if found.ticks is None else Column(None, wide, found.exponent)
    return MaybeColumn(column, there)


def present(raw: Any, kind: str) -> Any:
    """Which rows of a column are there: neither None nor NaN, nor missing to its library.

    Args:
        kind: of the rows that are there; an array of doubles is no column of another kind.
    """
    import numpy as np

    if isinstance(raw, Gaps):
        return raw.there & present(raw.values, kind)
    if isinstance(raw, list):
        return _present_cells(raw)
    if isinstance(raw, Texts):
        return np.ones(len(raw), np.bool_)
    return not_nan(raw) if kind == "float" else np.ones(len(raw), np.bool_)


def _present_cells(cells: list[Any]) -> Any:
    import numpy as np

    kinds = set(map(type, cells))
    if kinds <= _WHOLE:
        return np.ones(len(cells), np.bool_)
    if not kinds <= _PLAIN:
        return np.fromiter((not is_missing(x) for x in cells), np.bool_, len(cells))
    return _equal_to_itself(cells) & np.fromiter(
        map(is_not, cells, repeat(None)), np.bool_, len(cells)
    )


def _equal_to_itself(cells: list[Any]) -> Any:
    import numpy as np

    return np.fromiter(map(eq, cells, cells), np.bool_, len(cells))


def not_nan(raw: Any) -> Any:
    """Which rows of a column are not NaN."""
    import numpy as np

    if isinstance(raw, Chunked):
        raw = raw.__array__()
    if isinstance(raw, list):
        if not set(map(type, raw)) <= _PLAIN:
            raw = [x if x is None else bare_cell(x) for x in raw]
        return _equal_to_itself(raw)
    if isinstance(raw, Gaps | Texts) or raw.dtype.kind in "biuU":
        return np.ones(len(raw), np.bool_)
    if raw.dtype.kind == "O":
        return not_nan(raw.tolist())
    return ~np.isnan(raw)


def taken(raw: Any, kept: Any) -> Any:
    """The rows of a column that a mask keeps, as a column without gaps."""
    values = raw.values if isinstance(raw, Gaps) else raw
    if kept.all():
        return values
    if isinstance(values, list):
        return list(compress(values, kept.tolist()))
    return values[kept]
