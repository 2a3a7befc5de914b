"""Private values at run time: exact scalars, vectors, matrices and columns, and their wrapping.

Reference functions return plain Python (`Fraction`, lists); `wrap` turns that into the classes
whose operators are exact and total.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.run.column import (
    Column,
    clamp_scalar_to_grid,
    clamp_to_grid,
    count,
    exact_sum,
    grid_exponent,
)
from metricdp.run.exact import LARGEST, Exact, divide, exact, to_float
from metricdp.run.vectors import ExactMatrix, ExactVector, position

__all__ = [
    "LARGEST",
    "Column",
    "Exact",
    "ExactMatrix",
    "ExactVector",
    "clamp_scalar_to_grid",
    "clamp_to_grid",
    "count",
    "divide",
    "exact",
    "exact_sum",
    "grid_exponent",
    "position",
    "to_float",
    "wrap",
]


def wrap(value: Any) -> Any:
    """The run-time form of what a reference function returned.

    Numbers become `Exact`, lists of numbers `ExactVector`, lists of lists `ExactMatrix`; tuples and
    lists of records keep their kind with wrapped parts; Booleans, strings, None and public objects
    stay as they are.
    """
    if value is None or isinstance(value, (Exact, bool, str, Column, ExactVector, ExactMatrix)):
        return value
    if isinstance(value, (int, float, Fraction)):
        return Exact(value)
    if type(value) is tuple:
        return tuple(map(wrap, value))
    if isinstance(value, list):
        items = [wrap(x) for x in value]
        if all(isinstance(x, (Exact, bool, str)) for x in items):
            return ExactVector(items)
        if all(isinstance(x, ExactVector) for x in items):
            return ExactMatrix(items)
        return items
    return value
