"""Columns of pandas: NumPy's own as they lie, nullable and categorical ones with their gaps.

Nothing is imported: the object brings its library with it.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

from metricdp.columns.texts import Texts
from metricdp.columns.unread_texts import UnreadTexts
from metricdp.run.entering import arrow
from metricdp.run.entering.gaps import Gaps, coded, with_gaps
from metricdp.run.entering.instants import Instants
from metricdp.run.entering.kinds import refused


def is_column(value: Any) -> bool:
    """Whether this is a Series or an Index."""
    return hasattr(value, "to_numpy") and hasattr(value, "factorize")


def is_frame(value: Any) -> bool:
    """Whether this is a DataFrame."""
    return hasattr(value, "iloc") and hasattr(value, "columns")


def is_own_frame(value: Any) -> bool:
    """Whether this is a data frame of pandas' own class, and of nobody's beside it: no other
    library has to be asked."""
    return type(value) is getattr(sys.modules.get("pandas"), "DataFrame", None)


def lying(frame: Any, at: int) -> Any:
    """The column at a position of pandas' own data frame, as it lies: an array of numbers or truth
    values.  A Series around it takes ten times as long as the array.

    Returns:
        None of any other kind of column, and where this pandas has no such way to it.
    """
    import numpy as np

    read = getattr(type(frame), "_get_column_array", None)
    found = None if read is None else read(frame, at)
    return found if type(found) is np.ndarray and found.dtype.kind in "biuf" else None


def column(name: str, value: Any) -> Any:
    """A Series or an Index as an array, texts, or either with gaps.

    Raises:
        SchemaError: a kind of column that no row holds.
    """
    import numpy as np

    dtype = value.dtype
    if isinstance(dtype, np.dtype):
        return _objects(value) if dtype.kind == "O" else np.asarray(value.to_numpy())
    kind = type(dtype).__name__
    if kind == "CategoricalDtype":
        return _categories(name, value.array)
    if kind == "StringDtype":
        return _texts(value)
    if kind == "ArrowDtype":
        return arrow.column(name, value.array.__arrow_array__())
    if kind == "DatetimeTZDtype":
        return Instants(np.asarray(value, dtype=f"M8[{dtype.unit}]"), str(dtype))
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


def _objects(value: Any) -> Any:
    """A column of objects: texts where all are, else a list."""
    import numpy as np

    cells = np.asarray(value)
    if set(map(type, cells.tolist())) == {str}:
        return UnreadTexts(cells.copy(), partial(_told_apart, _factorize(value)))
    return cells


def _texts(value: Any) -> Any:
    """A column of the dtype for texts."""
    import numpy as np

    if value.dtype.storage != "python":
        codes, different = value.factorize()
        return coded(list(different), np.array(codes))
    cells = value.to_numpy(dtype=object).copy()
    kinds = set(map(type, cells.tolist()))
    if kinds <= {str}:
        return UnreadTexts(cells, partial(_told_apart, _factorize(value)))
    if any(issubclass(kind, str) and kind is not str for kind in kinds):
        # Texts of a caller's own class would run its code where they are told apart.
        return cells.tolist()
    codes, different = value.factorize()
    return coded(list(different), np.array(codes))


def _factorize(value: Any) -> Any:
    """What tells the objects of an array apart: the function of pandas behind the method of its
    columns, which takes an array as it is; of a library like it, the method."""
    if any(base.__module__.partition(".")[0] == "pandas" for base in type(value).__mro__):
        return sys.modules["pandas"].factorize
    return lambda cells: type(value)(cells, dtype=object).factorize()


def _told_apart(factorize: Any, cells: Any) -> Texts:
    """The different texts, found by the table that pandas makes of a column of objects."""
    import numpy as np

    codes, different = factorize(cells)
    return Texts(np.array(codes), list(different))
