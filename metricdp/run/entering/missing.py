"""Rows that are missing, and rows that are NaN: found at once, and left out."""

from __future__ import annotations

from itertools import compress, repeat
from operator import eq, is_not
from types import NoneType
from typing import Any

from metricdp.columns.chunked import Chunked
from metricdp.columns.texts import Texts
from metricdp.run.cells import bare_cell, is_missing
from metricdp.run.entering.gaps import Gaps
from metricdp.run.entering.instants import Instants

_WHOLE = frozenset({int, bool, str})
_PLAIN = _WHOLE | {float, NoneType}


def present(raw: Any, kind: str) -> Any:
    """Which rows of a column are there: neither None nor NaN, nor missing to its library.

    Args:
        kind: of the rows that are there; an array of doubles is no column of another kind.
    """
    import numpy as np

    if isinstance(raw, Instants):
        raw = raw.values
    if isinstance(raw, Gaps):
        return raw.there & present(raw.values, kind)
    if isinstance(raw, list):
        return _present_cells(raw)
    if isinstance(raw, Texts):
        return np.ones(len(raw), np.bool_)
    return not_nan(raw) if kind == "float" or _of_dates(raw) else np.ones(len(raw), np.bool_)


def _of_dates(raw: Any) -> bool:
    """Whether a column is an array of NumPy's dates, of which some may be none."""
    return getattr(getattr(raw, "dtype", None), "kind", "") == "M"


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

    if isinstance(raw, Instants):
        raw = raw.values
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
    return ~(np.isnat(raw) if raw.dtype.kind == "M" else np.isnan(raw))


def taken(raw: Any, kept: Any) -> Any:
    """The rows of a column that a mask keeps, as a column without gaps."""
    values = raw.values if isinstance(raw, Gaps) else raw
    if kept.all():
        return values
    if isinstance(values, list):
        return list(compress(values, kept.tolist()))
    return values[kept]
