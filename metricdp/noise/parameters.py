"""Parameters of noise as exact rationals, checked."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite

from metricdp.errors import ParameterError

Number = Fraction | int | float


def rational(value: Number, name: str) -> Fraction:
    """The number that `value` denotes; ParameterError when it is no finite number."""
    if type(value) is Fraction:
        return value
    if isinstance(value, bool) or not isinstance(value, Fraction | int | float):
        raise ParameterError(f"a {type(value).__name__} is no number", place=name)
    if isinstance(value, float) and not isfinite(value):
        raise ParameterError("must be finite", place=name)
    return Fraction(value)


def nonnegative(value: Number, name: str) -> Fraction:
    """A rational >= 0; ParameterError when negative."""
    exact = rational(value, name)
    if exact < 0:
        raise ParameterError("must not be negative", place=name)
    return exact


def probability(value: Number, name: str) -> Fraction:
    """A rational in [0, 1]; ParameterError otherwise."""
    exact = rational(value, name)
    if not 0 <= exact <= 1:
        raise ParameterError("must lie between 0 and 1", place=name)
    return exact


def draws(size: int) -> int:
    """A number of draws; ParameterError when it is no integer >= 0."""
    if isinstance(size, bool) or not hasattr(size, "__index__") or int(size) < 0:
        raise ParameterError("must be an integer >= 0", place="size")
    return int(size)
