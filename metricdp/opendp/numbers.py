"""Distances and budgets as OpenDP gives and takes them: ints, floats and pairs."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter
from typing import Any

from metricdp.errors import ParameterError
from metricdp.maps.distances import Number

#: The largest double.
MOST = Fraction(nextafter(inf, 0.0))


def pair(d_out: Any) -> tuple[Any, Any]:
    """A budget of two numbers.

    Raises:
        ParameterError: anything else.
    """
    if isinstance(d_out, tuple | list) and len(d_out) == 2:
        return d_out[0], d_out[1]
    raise ParameterError("a pair is needed", place="d_out", remedy="d_out=(epsilon, delta)")


def as_number(value: Number, whole: bool) -> Any:
    """A distance as a Python int, or as a float that is not below it."""
    if isinstance(value, float):
        return value
    if whole:
        return int(value)
    if value > MOST:
        return inf
    nearest = float(value)
    # A float that prints as the very value is read back as it: 1e-6 is a millionth.
    exact = Fraction(nearest) >= value or Fraction(float.__repr__(nearest)) == value
    return nearest if exact else nextafter(nearest, inf)
