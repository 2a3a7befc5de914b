"""Distances and budgets as OpenDP gives and takes them: ints, floats and pairs."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isinf, nextafter
from typing import Any

from metricdp.errors import ParameterError
from metricdp.maps import DistanceMap
from metricdp.maps.distances import Number, typed

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


#: Farther than this no count of rows is looked for.
_MOST = 2**62


def largest(item: Any, d_out: Any) -> Any:
    """The largest `d_in` with `item.check(d_in, d_out)`; infinity if there is no largest.

    Raises:
        ParameterError: a measure of more than one number, a `d_out` of the wrong kind.
    """
    if getattr(getattr(item, "output_measure", None), "reading", "pure") not in ("pure", "zcdp"):
        raise ParameterError(
            f"{item.output_measure!r} is no single number, so its map has no inverse",
            place="inverse",
            remedy="ask `check(d_in, d_out)`, or `epsilon(delta, d_in)` of the core",
        )
    limit = typed(d_out, "d_out")
    if item.input_metric.distance_type == "u32":
        return _count(item, limit)
    found = DistanceMap(item.exact_map).inverse(limit)
    if isinf(found):
        return inf
    nearest = float(found)
    return nearest if Fraction(nearest) <= found else nextafter(nearest, 0.0)


def _count(item: Any, limit: Any) -> int | float:
    """Counts of rows by doubling and bisection over whole numbers: exact."""
    if item.exact_map(_MOST) <= limit:
        return inf
    low, high = 0, 1
    while item.exact_map(high) <= limit:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if item.exact_map(middle) <= limit else (low, middle)
    return low
