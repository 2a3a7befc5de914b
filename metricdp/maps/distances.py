"""Maps of distances: monotone, 0 at 0, exact; and the numbers that people type for them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, isinf, isnan
from typing import Any

from metricdp.errors import ParameterError, SpaceError
from metricdp.expr import INF, Expr, compose, linear_coefficient, num, parse
from metricdp.maps.fixed import Fixed
from metricdp.plain import scalar
from metricdp.spaces import Space

#: What a stability or privacy map may be given as; a number s stands for s * d_in.
MapLike = Expr | str | int | float | Fraction | Callable[[Any], Any]
Number = Fraction | float

_FAR, _NEAR, _BITS = Fraction(2) ** 200, Fraction(1, 2**200), 60


class DistanceMap(Fixed):
    """A monotone map of distances with value 0 at 0: an expression in d_in, or a function."""

    __slots__ = ("_last", "_slope", "expr", "function")

    def __init__(self, given: MapLike) -> None:
        self._last: tuple[Number, Number] | None = None
        expr: Expr | None = None
        function: Callable[[Any], Any] | None = None
        given = scalar(given)
        if isinstance(given, str):
            expr = parse(given)
        elif isinstance(given, Expr):
            expr = given
        elif isinstance(given, (int, float, Fraction)):
            expr = parse("d_in") * num(given)
        elif callable(given):
            function = given
        else:
            raise ParameterError(
                f"{type(given).__name__} is no map of distances",
                place="map",
                remedy='write "2*d_in", a number (2 means 2*d_in) or a function of d_in',
            )
        self.expr, self.function = expr, function
        unknown = sorted(self.expr.symbols - {"d_in"}) if self.expr is not None else []
        if unknown:
            raise ParameterError(
                f"the map mentions {', '.join(unknown)}",
                place="map",
                remedy="put numbers for the public names; only d_in may stay",
            )
        slope = linear_coefficient(self.expr) if self.expr is not None else None
        #: s where the map is s * d_in with s rational.
        self._slope: Fraction | None = None if slope is None else slope.as_fraction()
        if self._slope is not None and self._slope < 0:
            raise ParameterError(
                f"{self.expr} is negative, and a distance is not", place="map",
                remedy="give a map that is 0 at 0 and does not fall",
            )  # fmt: skip

    def __call__(self, d_in: int | float | Fraction) -> Number:
        """The value at a distance: a Fraction, exact or rounded up, or infinity.

        Raises:
            ParameterError: a distance that is negative or NaN, or a function that returns such.
        """
        d = typed(d_in, "d_in")
        if d == 0:
            return Fraction(0)
        if self._slope is not None and d != inf:
            return self._slope * d
        if self.expr is not None:
            if self.expr.is_infinite:
                return inf
            # Budgets are asked for one distance again and again.
            if self._last is None or self._last[0] != d:
                found = d, distance(self.expr.upper({"d_in": d}), "map")
                object.__setattr__(self, "_last", found)
                return found[1]
            return self._last[1]
        assert self.function is not None
        return distance(self.function(d), "map")

    def after(self, inner: DistanceMap) -> DistanceMap:
        """The map d -> self(inner(d))."""
        if self.expr is not None and inner.expr is not None:
            return DistanceMap(compose(self.expr, inner.expr))
        # A function that knows how to follow a map stays what it is.
        follow = getattr(self.function, "after", None)
        return DistanceMap(After(self, inner) if follow is None else follow(inner))

    def inverse(self, d_out: int | float | Fraction) -> Number:
        """The largest distance whose image is at most `d_out` (infinity if all are).

        Exact for linear maps; else to a relative 2**-60 from below, by bisection, and for a map
        that jumps (`floor`, `ceiling`) the largest integer below the jump that it finds.

        Raises:
            ParameterError: a budget that is negative or NaN.
        """
        limit = typed(d_out, "d_out")
        if self._slope is not None and limit != inf:
            return Fraction(limit) / self._slope if self._slope else inf
        if self.expr is not None and self.expr.is_infinite and limit != inf:
            return Fraction(0)
        return _largest(self, limit)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DistanceMap):
            return NotImplemented
        return self.expr == other.expr and self.function == other.function

    def __hash__(self) -> int:
        return hash((self.expr, self.function))

    def __str__(self) -> str:
        return str(self.expr) if self.expr is not None else f"{name_of(self.function)}(d_in)"


class After(Fixed):
    """Two maps of distances in a row."""

    __slots__ = ("inner", "outer")

    def __init__(self, outer: DistanceMap, inner: DistanceMap) -> None:
        self.outer, self.inner = outer, inner

    def __call__(self, d_in: Any) -> Number:
        return self.outer(self.inner(d_in))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, After):
            return NotImplemented
        return self.outer == other.outer and self.inner == other.inner

    def __hash__(self) -> int:
        return hash((self.outer, self.inner))

    def __reduce__(self) -> tuple[Any, ...]:
        return After, (self.outer, self.inner)


def _largest(g: DistanceMap, limit: Number) -> Number:
    """Largest d with g(d) <= limit, by doubling and bisection over dyadic rationals."""
    if g(_FAR) <= limit:
        return inf
    low, high = Fraction(0), Fraction(1)
    while g(high) <= limit:
        low, high = high, 2 * high
    if not low:
        while high > _NEAR and g(high / 2) > limit:
            high /= 2
        low, high = (high / 2, high) if high > _NEAR else (low, high)
    for _ in range(_BITS):
        middle = (low + high) / 2
        low, high = (middle, high) if g(middle) <= limit else (low, middle)
    nearest = Fraction(round(high))
    return nearest if nearest > low and g(nearest) <= limit else low


def distance(value: Any, place: str) -> Number:
    if isinstance(value, Expr):
        if value == INF:
            return inf
        value = value.as_fraction()
    value = scalar(value)
    if value is None or isinstance(value, bool) or not isinstance(value, (int, float, Fraction)):
        raise ParameterError(
            "a distance is a number", place=place, remedy="give a number >= 0, such as 1 or 0.5"
        )
    if isinstance(value, float) and isinf(value) and value > 0:
        return inf
    if (isinstance(value, float) and isnan(value)) or value < 0:
        raise ParameterError(f"{value} is no distance", place=place, remedy="give a number >= 0")
    return Fraction(value)


def typed(value: Any, place: str) -> Number:
    """A distance or budget that a person typed: a float is the decimal that it prints as."""
    if type(value) is int and value >= 0:
        return Fraction(value)
    if type(value) is Fraction and value.numerator >= 0:
        return value
    value = scalar(value)
    number = distance(value, place)
    if isinstance(value, float) and number != inf:
        return Fraction(float.__repr__(value))
    return number


def name_of(function: Any) -> str:
    return str(getattr(function, "__name__", "map")).replace("<lambda>", "map")


def space_of(given: Any, place: str) -> Space:
    if isinstance(given, Space):
        return given
    raise SpaceError(
        f"{getattr(given, '__name__', given)!s} is no metric space",
        place=place,
        remedy="write a space such as Records[float], Vector[Real, L1] or Scalar",
    )
