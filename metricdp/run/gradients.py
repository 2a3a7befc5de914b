"""The builtins for gradients on public and released arrays: what NumPy makes of them, in doubles.

No private value of a run is an array of NumPy.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from metricdp.errors import SpaceError


def of_public(name: str, args: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """The result of a builtin for gradients on arrays and numbers; None where an argument may be
    private, or where there is no array.

    Raises:
        SpaceError: arrays of different (public) numbers of entries.
    """
    compute = BUILTINS.get(name)
    args = (*args, *(keywords[key] for key in sorted(keywords)))
    if compute is None or not any(map(_is_array, args)):
        return None
    if not all(_is_array(a) or isinstance(a, int | float | Fraction) for a in args):
        return None
    return compute(*(a.astype(float) if _is_array(a) else float(a) for a in args))


def _is_array(value: Any) -> bool:
    return type(value).__name__ == "ndarray" and value.dtype.kind in "biuf"


def _zero(g: Any) -> Any:
    import numpy as np

    return np.zeros_like(g)


def _scaled(factor: Any, g: Any) -> Any:
    return factor * g


def _sum(*parts: Any) -> Any:
    return functools.reduce(lambda a, b: a + _like(a, b), parts)


def _difference(x: Any, y: Any) -> Any:
    return x - _like(x, y)


def _like(x: Any, y: Any) -> Any:
    """The entries of y in the shape of x; numbers as they are.

    Raises:
        SpaceError: they have different numbers of entries.
    """
    if not (_is_array(x) and _is_array(y)):
        return y
    if x.size != y.size:
        raise SpaceError(f"{x.size} and {y.size} entries do not fit")
    return y.reshape(x.shape)


#: Record -> what it computes of arrays.
BUILTINS: dict[str, Callable[..., Any]] = {
    "zero_gradient": _zero, "scale_gradient": _scaled, "sum_gradients": _sum,
    "subtract_gradient": _difference,
}  # fmt: skip
