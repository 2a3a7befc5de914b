"""Columns that were read as columns of a table: kinds are checked, values are cleaned when read."""

from __future__ import annotations

from typing import Any

from metricdp.columns.chunked import Chunked
from metricdp.columns.stored import Stored
from metricdp.columns.texts import Texts
from metricdp.columns.unread_texts import UnreadTexts
from metricdp.run.cells import check_array, check_cells, kind_of, schema_error
from metricdp.run.entering.characters import told_apart
from metricdp.run.entering.gaps import Gaps
from metricdp.run.entering.instants import Instants
from metricdp.run.entering.kinds import converted, moments_refused
from metricdp.run.entering.missing import not_nan, taken
from metricdp.run.entering.moments import stored_moments
from metricdp.run.facts import (
    LEAST,
    MOST,
    Notice,
    Range,
    clean_floats,
    clean_integers,
    doubles_within,
    saturated,
    whole,
)
from metricdp.spaces import Moment, Scalar
from metricdp.spaces.base import bound_value

_NONE = "replace or drop missing values before the call"


def stored(
    name: str, space: Scalar | Moment, raw: Any, notice: Notice, drop_nan: bool = False
) -> Stored:
    """A column of one kind, as it is held; nothing of an array is copied.

    Args:
        space: of a cell; a scalar has a kind.
        raw: see `sequences.column`.
        drop_nan: leave out the rows of doubles that are NaN.

    Raises:
        SchemaError: cells of another kind.
        DataValueError: only under strict.
        ParameterError: bounds that no value can meet.
    """
    if isinstance(space, Moment):
        return stored_moments(name, space, taken(raw, not_nan(raw)) if drop_nan else raw, notice)
    kind = kind_of(space.element, space.kind)
    limits = limits_of(space)
    found = _of_kind(name, kind, raw, notice)
    if kind == "str":
        return Stored("text", found)
    if notice.strict and isinstance(found, Chunked):
        found = found.__array__()
    if kind == "float":
        if drop_nan:
            found = taken(found, not_nan(found))
        if notice.strict:
            found = clean_floats(found, limits, notice)
        return Stored("double", found, *doubles_within(limits, name))
    if kind == "int":
        if notice.strict:
            found = clean_integers(found, limits, notice)
        bottom, top = _integers_within(limits)
        if top is None and found.dtype.kind == "u" and found.dtype.itemsize == 8:
            top = MOST
        return Stored("integer", found, bottom, top)
    return Stored("boolean", _flags_within(found, limits, notice))


def limits_of(space: Any) -> Range:
    """The bounds of a cell."""
    return bound_value(space.lo, False), bound_value(space.hi, True)


def _of_kind(name: str, kind: str, raw: Any, notice: Notice) -> Any:
    """An array, an array in parts, or texts."""
    if isinstance(raw, Gaps):
        raise schema_error(name, "a missing value (None)", _NONE)
    if isinstance(raw, Instants):
        raise moments_refused(name, raw.told, kind)
    if isinstance(raw, Texts):
        if kind != "str":
            raise schema_error(
                name, f"texts where {kind} is needed", converted(name, "texts", kind)
            )
        return raw
    if not isinstance(raw, list):
        check_array(name, raw, kind, 1)
        if kind != "str":
            return raw
        if raw.dtype.kind == "U":
            return UnreadTexts(raw, told_apart)
        raw = raw.tolist()
    return array_of(name, kind, raw, notice)


def array_of(name: str, kind: str, cells: list[Any], notice: Notice) -> Any:
    """A list of cells as an array of their kind, or texts.

    Raises:
        SchemaError: a cell of another kind.
    """
    import numpy as np

    found = _of_numpy(kind, cells)
    if found is not None:
        return found
    kinds = check_cells(name, cells, kind)
    if kind == "str":
        return UnreadTexts(cells)
    if kind == "bool":
        return np.fromiter(cells, np.bool_, len(cells))
    try:
        if kinds <= {float, int, bool}:
            return np.fromiter(cells, np.float64 if kind == "float" else np.int64, len(cells))
    except OverflowError:
        pass  # an integer beyond the largest double, or beyond 64 bits
    if kind == "int":
        return np.array(saturated(cells, notice), np.int64)
    return np.array([as_float(x) for x in cells], np.float64)


def _of_numpy(kind: str, cells: list[Any]) -> Any:
    """Scalars of one of NumPy's own classes as an array; None for anything else."""
    import numpy as np

    kinds = set(map(type, cells[:1]))
    if not kinds <= {np.dtype(each).type for each in "?bhilqBHILQefd"}:
        return None
    if not cells or set(map(type, cells)) != kinds:
        return None
    dtype = np.dtype(kinds.pop())
    fits = dtype.kind in {"float": "biuf", "int": "biu", "bool": "b", "str": ""}[kind]
    return np.array(cells, dtype) if fits else None


def as_float(x: Any) -> float:
    """The nearest double; infinite beyond the largest."""
    try:
        return float(x)
    except OverflowError:
        return float("inf") if x > 0 else float("-inf")


def _integers_within(limits: Range) -> tuple[int | None, int | None]:
    """The bounds rounded inwards to integers of 64 bits; where none is inside, the lower one."""
    low, high = whole(limits)
    bottom, top = (None if x is None else max(min(int(x), MOST), LEAST) for x in (low, high))
    if bottom is not None and top is not None and bottom > top:
        bottom = top
    return bottom, top


def _flags_within(flags: Any, limits: Range, notice: Notice) -> Any:
    import numpy as np

    low, high = limits
    for always, needed in (
        (True, low is not None and low > 0),
        (False, high is not None and high < 1),
    ):
        if needed:
            wrong = notice.strict and bool((flags.__array__() != always).any())
            notice(wrong, "a value outside the declared bounds")
            flags = np.full(len(flags), always)
    return flags
