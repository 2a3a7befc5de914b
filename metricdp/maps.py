"""Concrete maps between spaces: `Transformation`, `Measurement`, and chaining with `>>`.

A map made by hand is labelled "asserted": nothing was proved about it, and `metricdp audit` can
attack it.  Maps that come from a checked function carry the label "proved".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import inf, isinf, isnan
from typing import Any

from metricdp.errors import MetricdpError, ParameterError, SpaceError
from metricdp.expr import INF, Expr, compose, num, parse
from metricdp.spaces import Space
from metricdp.spaces.joining import fits, joined_by

#: What a stability or privacy map may be given as; a number s stands for s * d_in.
MapLike = Expr | str | int | float | Fraction | Callable[[Any], Any]
Number = Fraction | float


class DistanceMap:
    """A monotone map of distances with value 0 at 0: an expression in d_in, or a function."""

    __slots__ = ("expr", "function")

    def __init__(self, given: MapLike) -> None:
        self.expr: Expr | None = None
        self.function: Callable[[Any], Any] | None = None
        if isinstance(given, str):
            self.expr = parse(given)
        elif isinstance(given, Expr):
            self.expr = given
        elif isinstance(given, (int, float, Fraction)):
            self.expr = parse("d_in") * num(given)
        elif callable(given):
            self.function = given
        else:
            raise ParameterError(
                f"{type(given).__name__} is no map of distances",
                place="map",
                remedy='write "2*d_in", a number (2 means 2*d_in) or a function of d_in',
            )
        unknown = sorted(self.expr.symbols - {"d_in"}) if self.expr is not None else []
        if unknown:
            raise ParameterError(
                f"the map mentions {', '.join(unknown)}",
                place="map",
                remedy="put numbers for the public names; only d_in may stay",
            )

    def __call__(self, d_in: int | float | Fraction) -> Number:
        """The value at a distance: a Fraction, exact or rounded up, or infinity.

        Raises:
            ParameterError: a distance that is negative or NaN, or a function that returns such.
        """
        d = _typed(d_in, "d_in")
        if d == 0:
            return Fraction(0)
        if self.expr is not None:
            if self.expr.is_infinite:
                return inf
            return self.expr.upper({"d_in": d})
        assert self.function is not None
        return _distance(self.function(d), "map")

    def after(self, inner: DistanceMap) -> DistanceMap:
        """The map d -> self(inner(d))."""
        if self.expr is not None and inner.expr is not None:
            return DistanceMap(compose(self.expr, inner.expr))
        return DistanceMap(lambda d: self(inner(d)))

    def __str__(self) -> str:
        return str(self.expr) if self.expr is not None else f"{_name(self.function)}(d_in)"


def _distance(value: Any, place: str) -> Number:
    if isinstance(value, Expr):
        if value == INF:
            return inf
        value = value.as_fraction()
    if value is None or isinstance(value, bool) or not isinstance(value, (int, float, Fraction)):
        raise ParameterError("a distance is a number", place=place)
    if isinstance(value, float) and isinf(value) and value > 0:
        return inf
    if (isinstance(value, float) and isnan(value)) or value < 0:
        raise ParameterError(f"{value} is no distance", place=place, remedy="give a number >= 0")
    return Fraction(value)


def _bare(error: MetricdpError) -> MetricdpError:
    error.__traceback__ = error.__context__ = error.__cause__ = None
    return error


def _typed(value: Any, place: str) -> Number:
    """A distance or budget that a person typed: a float is the decimal that it prints as."""
    number = _distance(value, place)
    if isinstance(value, float) and number != inf:
        return Fraction(float.__repr__(value))
    return number


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", "map")).replace("<lambda>", "map")


def _space(given: Any, place: str) -> Space:
    if isinstance(given, Space):
        return given
    raise SpaceError(
        f"{getattr(given, '__name__', given)!s} is no metric space",
        place=place,
        remedy="write a space such as Records[float], Vector[Real, L1] or Scalar",
    )


class Transformation:
    """A function between metric spaces with a stability map.

    Args:
        input_space, output_space: domain and metric on either side.
        function: total on the input space; reference values in and out (numbers, lists, tuples).
        map: stability map: an `Expr` or text in d_in, a number s (s * d_in), or a function.
        name: for printing.
        trust: "asserted" (made by hand) or "proved" (from a checked function).

    Raises:
        SpaceError: a side that is no space.
        ParameterError: a map that is none, or mentions names other than d_in.
    """

    __slots__ = ("function", "input_space", "name", "output_space", "stability", "trust")

    def __init__(
        self,
        input_space: Space,
        output_space: Space,
        function: Callable[[Any], Any],
        map: MapLike | DistanceMap,
        name: str = "",
        trust: str = "asserted",
    ) -> None:
        self.input_space = _space(input_space, "input_space")
        self.output_space = _space(output_space, "output_space")
        self.function = function
        self.stability = map if isinstance(map, DistanceMap) else DistanceMap(map)
        self.name = name or _name(function)
        self.trust = trust

    def map(self, d_in: int | float | Fraction) -> Number:
        """Largest distance of outputs of inputs at distance `d_in`; exact or rounded up."""
        return self.stability(d_in)

    def check(self, d_in: int | float | Fraction, d_out: int | float | Fraction) -> bool:
        """Whether inputs at distance `d_in` have outputs at distance at most `d_out`."""
        return self.map(d_in) <= _typed(d_out, "d_out")

    def __call__(self, value: Any) -> Any:
        """The function's value."""
        try:
            return self.function(value)
        except MetricdpError as error:
            failed = _bare(error)
        value = None  # no frame of the error shows private data
        raise failed from None

    invoke = __call__

    def __rshift__(self, other: Any) -> Any:
        """The chain "self, then other".

        Raises:
            SpaceError: the spaces do not match, or `other` is a plain function.
        """
        if not isinstance(other, (Transformation, Measurement)):
            if not callable(other):
                return NotImplemented
            raise SpaceError(
                f"{_name(other)} has no stability map, and its argument is private",
                place=f"{self.name} >> {_name(other)}",
                remedy="wrap it: Transformation(input_space, output_space, function, map)",
            )
        return _chain(self, other)

    def __repr__(self) -> str:
        spaces = f"{self.input_space} -> {self.output_space}"
        return f"Transformation {self.name}: {spaces}, d_out = {self.stability} ({self.trust})"

    def _repr_html_(self) -> str:
        return _table(self, {"d_out": str(self.stability)}, str(self.output_space))


class Measurement:
    """A randomised function whose result is released, with a privacy map per measure.

    Args:
        input_space: domain and metric of the private input.
        function: returns the release.
        privacy: measure -> map; "pure": epsilon, "zcdp": rho, "approx": (epsilon, delta), each as
            for `Transformation`.
        name, trust: as for `Transformation`.

    Raises:
        SpaceError, ParameterError: as for `Transformation`; no measure, or an unknown one.
    """

    __slots__ = ("function", "input_space", "name", "privacy", "trust")

    def __init__(
        self,
        input_space: Space,
        function: Callable[[Any], Any],
        privacy: Mapping[str, Any],
        name: str = "",
        trust: str = "asserted",
    ) -> None:
        self.input_space = _space(input_space, "input_space")
        self.function = function
        self.privacy = {measure: _maps(measure, given) for measure, given in privacy.items()}
        if not self.privacy:
            raise ParameterError("no measure", place="privacy", remedy='write {"pure": "d_in"}')
        self.name = name or _name(function)
        self.trust = trust

    def map(
        self, d_in: int | float | Fraction, measure: str | None = None
    ) -> Number | tuple[Number, ...]:
        """Privacy loss at distance `d_in`: epsilon, rho, or (epsilon, delta); rounded up.

        Args:
            measure: may be left out when there is one; else pure, then approx, then zcdp.

        Raises:
            ParameterError: a measure that this measurement has no map for.
        """
        values = tuple(part(d_in) for part in self.privacy[self._measure(measure)])
        return values if len(values) > 1 else values[0]

    def check(self, d_in: int | float | Fraction, d_out: Any, measure: str | None = None) -> bool:
        """Whether the privacy loss at `d_in` is at most `d_out` (a pair for "approx")."""
        spent = self.map(d_in, measure)
        if not isinstance(spent, tuple):
            return spent <= _typed(d_out, "d_out")
        if not isinstance(d_out, tuple) or len(d_out) != len(spent):
            raise ParameterError("a pair is needed", place="d_out", remedy="give (epsilon, delta)")
        return all(s <= _typed(o, "d_out") for s, o in zip(spent, d_out, strict=True))

    def _measure(self, measure: str | None) -> str:
        if measure is None:
            return next(m for m in _MEASURES if m in self.privacy)
        if measure not in self.privacy:
            known = ", ".join(self.privacy)
            raise ParameterError(f"no {measure} map", place=self.name, remedy=f"ask for {known}")
        return measure

    def __call__(self, value: Any) -> Any:
        """The release; spends the privacy loss."""
        try:
            return self.function(value)
        except MetricdpError as error:
            failed = _bare(error)
        value = None  # no frame of the error shows private data
        raise failed from None

    invoke = __call__

    def __rshift__(self, other: Any) -> Measurement:
        """Post-processing: free for any function of the release."""
        if not callable(other):
            return NotImplemented
        name = getattr(other, "name", None) or _name(other)
        return Measurement(
            self.input_space,
            lambda value: other(self.function(value)),
            self.privacy,
            f"{self.name} >> {name}",
            self.trust,
        )

    def __repr__(self) -> str:
        costs = "; ".join(f"{m}: {_shown(parts)}" for m, parts in self.privacy.items())
        return f"Measurement {self.name}: {self.input_space} -> release, {costs} ({self.trust})"

    def _repr_html_(self) -> str:
        return _table(self, {m: _shown(parts) for m, parts in self.privacy.items()}, "release")


_MEASURES = {"pure": 1, "approx": 2, "zcdp": 1}


def _maps(measure: str, given: Any) -> tuple[DistanceMap, ...]:
    parts = given if isinstance(given, tuple) else (given,)
    if _MEASURES.get(measure) != len(parts):
        known = "pure (epsilon), zcdp (rho) and approx (epsilon, delta)"
        raise ParameterError(
            f"{measure} with {len(parts)} maps", place="privacy", remedy=f"measures: {known}"
        )
    return tuple(p if isinstance(p, DistanceMap) else DistanceMap(p) for p in parts)


def _shown(parts: tuple[DistanceMap, ...]) -> str:
    return ", ".join(map(str, parts))


def _chain(
    first: Transformation, second: Transformation | Measurement
) -> Transformation | Measurement:
    name = f"{first.name} >> {second.name}"
    if not fits(first.output_space, second.input_space):
        raise SpaceError(
            f"{first.name} returns {first.output_space.describe()}, and "
            f"{second.name} takes {second.input_space.describe()}",
            place=name,
            remedy=joined_by(first.output_space, second.input_space),
        )
    trust = "proved" if first.trust == second.trust == "proved" else "asserted"

    def function(value: Any) -> Any:
        return second.function(first.function(value))

    if isinstance(second, Transformation):
        joint = second.stability.after(first.stability)
        return Transformation(first.input_space, second.output_space, function, joint, name, trust)
    privacy = {
        measure: tuple(part.after(first.stability) for part in parts)
        for measure, parts in second.privacy.items()
    }
    return Measurement(first.input_space, function, privacy, name, trust)


def _table(item: Transformation | Measurement, bounds: dict[str, str], output: str) -> str:
    from html import escape

    facts = {
        "name": item.name,
        "input": item.input_space.describe(),
        "unit": item.input_space.unit,
        "output": output,
        **bounds,
        "trust": item.trust,
    }
    rows = "".join(
        f"<tr><th>{escape(key)}</th><td>{escape(value)}</td></tr>" for key, value in facts.items()
    )
    return f"<table>{rows}</table>"
