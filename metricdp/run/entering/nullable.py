"""Columns of which rows may be missing: the values as they lie, and which of them are there."""

from __future__ import annotations

from typing import Any

from metricdp.columns.nullable import Nullable
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.columns.texts import Texts
from metricdp.run.cells import check_array
from metricdp.run.entering.gaps import Gaps, as_list
from metricdp.run.entering.missing import present, taken
from metricdp.run.entering.moments import row_of_moments
from metricdp.run.entering.stored import stored
from metricdp.run.facts import Notice
from metricdp.spaces import Moment, Scalar
from metricdp.values import Exact


def unmasked(value: Any) -> Any:
    """The entries of a masked array of NumPy, with gaps; None of anything else."""
    if not (hasattr(value, "dtype") and hasattr(value, "mask") and hasattr(value, "filled")):
        return None
    import numpy as np

    if not isinstance(value, np.ma.MaskedArray):
        return None
    values = np.ndarray.view(np.asarray(value), np.ndarray)
    if values.ndim != 1:
        return values
    found = Gaps(values, ~np.ma.getmaskarray(value))
    return found if values.dtype.kind in "biufUM" else as_list(found)


def marked(name: str, kind: str, raw: Any) -> tuple[Any, Any]:
    """A column, and which of its rows are there.

    Args:
        kind: of the rows that are there.
        raw: see `sequences.column`.

    Raises:
        SchemaError: more than one dimension.
    """
    if getattr(raw, "ndim", 1) != 1:
        check_array(name, raw, kind, 1)
    if not isinstance(raw, list | Gaps | Texts) and raw.dtype.kind == "O":
        raw = raw.tolist()
    return raw, present(raw, kind)


def nullable(name: str, space: Scalar | Moment, raw: Any, there: Any, notice: Notice) -> Table:
    """The rows of a column as a table; see `held_and_marks`."""
    held, marks = held_and_marks(name, space, raw, there, notice)
    value = row_of_moments(space, held.node(0))
    return Table((held, marks), Nullable(value, marks.node(1)), value=Exact)


def held_and_marks(
    name: str, space: Scalar | Moment, raw: Any, there: Any, notice: Notice
) -> tuple[Stored, Stored]:
    """The values of a column, and which of them are there; nothing of an array is copied.

    Args:
        space: of a row that is there; it has a kind.
        raw, there: see `marked`.

    Raises:
        SchemaError: cells of another kind.
        DataValueError: only under strict.
        ParameterError: bounds that no value can meet.
    """
    if notice.strict or isinstance(raw, list) or isinstance(space, Moment):
        held = stored(name, space, taken(raw, there), notice)
        held = Stored(held.base, _spread(held.data, there), held.bottom, held.top)
    else:
        held = stored(name, space, raw.values if isinstance(raw, Gaps) else raw, notice)
    return held, Stored("boolean", there)


def _spread(data: Any, there: Any) -> Any:
    """The rows that are there at their places, and some value at the others."""
    import numpy as np

    if isinstance(data, Texts):
        return Texts(_spread(data.codes, there), data.values or [""])
    wide = np.zeros(len(there), data.dtype)
    wide[there] = data
    return wide


def listed(cells: list[Any], there: Any) -> list[Any]:
    """Cells of several kinds at their places, and None at the others."""
    import numpy as np

    full = np.full(len(there), None, object)
    full[there] = cells
    found: list[Any] = full.tolist()
    return found
