"""Columns of pandas: NumPy's own as they lie, nullable and categorical ones with their gaps.

Nothing is imported: the object brings its library with it.
"""

from __future__ import annotations

from typing import Any

from metricdp.columns.texts import Texts
from metricdp.run.entering import arrow
from metricdp.run.entering.gaps import Gaps, coded, with_gaps
from metricdp.run.entering.kinds import refused


def is_column(value: Any) -> bool:
    """Whether this is a Series or an Index."""
    return hasattr(value, "to_numpy") and hasattr(value, "factorize")


def is_frame(value: Any) -> bool:
    """Whether this is a DataFrame."""
    return hasattr(value, "columns") and hasattr(value, "iloc")


def column(name: str, value: Any) -> Any:
    """A Series or an Index as an array, texts, or either with gaps.

    Raises:
        SchemaError: a kind of column that no row holds.
    """
    import numpy as np

    dtype = value.dtype
    if isinstance(dtype, np.dtype):
        return np.asarray(value)
    kind = type(dtype).__name__
    if kind == "CategoricalDtype":
        return _categories(name, value.array)
    if kind == "StringDtype":
        return _texts(value)
    if kind == "ArrowDtype":
        return arrow.column(name, value.array.__arrow_array__())
    if kind == "SparseDtype":
        return np.asarray(value.array.to_dense())
    inner = getattr(dtype, "numpy_dtype", None)
    if inner is None or inner.kind not in "biuf":
        raise refused(name, str(dtype))
    there = ~np.asarray(value.isna(), np.bool_)
    if there.all():
        return value.to_numpy(dtype=inner)
    return with_gaps(value.to_numpy(dtype=inner, na_value=inner.type(0)), there)


def _categories(name: str, held: Any) -> Any:
    import numpy as np

    different = column(name, held.categories)
    if not isinstance(different, list | Texts | Gaps) and different.dtype.kind == "O":
        different = different.tolist()
    if isinstance(different, list) and set(map(type, different)) - {str}:
        raise refused(name, "categories of several kinds")
    found = coded(different, np.array(held.codes))
    if found is None:
        raise refused(name, "codes without a category")
    return found


def _texts(value: Any) -> Any:
    """Texts, found by the table of different ones that pandas makes."""
    import numpy as np

    if value.dtype.storage == "python":
        cells = value.to_numpy(dtype=object).tolist()
        # Texts of a caller's own class would run its code in that table.
        if any(issubclass(kind, str) and kind is not str for kind in set(map(type, cells))):
            return cells
    codes, different = value.factorize()
    return coded(list(different), np.array(codes))
