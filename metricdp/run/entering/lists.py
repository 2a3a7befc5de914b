"""Lists of Python's own numbers as an array, at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

#: Kind of a column -> what gives a number of that class as the builtin one, and refuses any other.
_BARE: Final[dict[str, Callable[[Any], Any]]] = {"float": float.conjugate, "int": int.conjugate}


def in_an_array(kind: str, value: Any) -> Any:
    """Doubles, or integers of 64 bits, of a list or tuple; None for anything else.

    No code of Python runs meanwhile, a cell's or another thread's: the list is read as it is at one
    moment, without a copy of it.

    Args:
        kind: of the column.
    """
    held = next((base for base in (list, tuple) if issubclass(type(value), base)), None)
    if held is None or kind not in _BARE:
        return None
    import numpy as np

    dtype = np.float64 if kind == "float" else np.int64
    # A class of the caller's may make something else of its own length and cells.
    cells, count = held.__iter__(value), held.__len__(value)
    try:
        return np.fromiter(map(_BARE[kind], cells), dtype, count)
    except (TypeError, OverflowError, ValueError):  # of another kind, too large, or changed
        return None
