"""What reference functions return (`Fraction`, lists) as the classes whose operators are total."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.values.exact import Exact
from metricdp.values.numbers import NumberMatrix, Numbers
from metricdp.values.vectors import ExactMatrix, ExactVector

_WRAPPED = (Numbers, NumberMatrix, ExactVector, ExactMatrix)
#: Asked first, for speed.
_AS_IT_IS = frozenset((type(None), Exact, bool, str, *_WRAPPED))
_NUMBERS = frozenset((int, float, Fraction))


def wrap(value: Any) -> Any:
    """The run-time form of what a reference function returned.

    Numbers become `Exact`, lists of numbers `ExactVector`, lists of lists `ExactMatrix`; tuples and
    lists of records keep their kind with wrapped parts; Booleans, strings, None and public objects
    stay as they are.
    """
    kind = type(value)
    if kind in _AS_IT_IS:
        return value
    if kind in _NUMBERS:
        return Exact(value)
    if value is None or isinstance(value, (Exact, bool, str, *_WRAPPED)):
        return value
    if isinstance(value, (int, float, Fraction)):
        return Exact(value)
    if type(value) is tuple:
        return tuple(map(wrap, value))
    if isinstance(value, list):
        items = [_row(wrap(x)) for x in value]
        if all(isinstance(x, (Exact, bool, str)) for x in items):
            return ExactVector(items)
        if all(isinstance(x, ExactVector) for x in items):
            return ExactMatrix(items)
        return items
    return value


def _row(x: Any) -> Any:
    """A row of a matrix; rows of tables stay as they are."""
    return x.vector() if isinstance(x, Numbers) and not x.discrete else x
