"""Transformations: functions between metric spaces with a stability map, and chaining."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from metricdp.errors import SpaceError
from metricdp.maps.base import Map, steps_of
from metricdp.maps.chaining import Chained
from metricdp.maps.distances import DistanceMap, MapLike, Number, name_of, space_of, typed
from metricdp.maps.steps import MapStep, Reliance, Vouched
from metricdp.spaces import Space
from metricdp.spaces.joining import fits, joined_by


class Transformation(Map):
    """A function between metric spaces with a stability map.

    Args:
        input_space, output_space: domain and metric on either side.
        function: total on the input space; reference values in and out (numbers, lists, tuples).
        map: stability map: an `Expr` or text in d_in, a number s (s * d_in), or a function.
        name: for printing.
        trust: "asserted": a map that is made by hand is nothing else.

    Raises:
        SpaceError: a side that is no space.
        ParameterError: a map that is none, or mentions names other than d_in; a trust or steps
            that only the library gives.
    """

    __slots__ = ("output_space", "stability")

    def __init__(
        self,
        input_space: Space,
        output_space: Space,
        function: Callable[[Any], Any],
        map: MapLike | DistanceMap,
        name: str = "",
        trust: str = "asserted",
        *,
        steps: Vouched | None = None,
        enter: Callable[[Any], Any] | None = None,
        leave: Callable[[Any], Any] | None = None,
    ) -> None:
        self.output_space = space_of(output_space, "output_space")
        self.stability = map if isinstance(map, DistanceMap) else DistanceMap(map)
        super().__init__(input_space, function, name, steps, self._step, trust, enter, leave)

    def _step(self, name: str, rests_on: tuple[Reliance, ...]) -> MapStep:
        return MapStep(name, self.input_space, self.output_space, self.stability, rests_on=rests_on)

    def map(self, d_in: int | float | Fraction) -> Number:
        """Largest distance of outputs of inputs at distance `d_in`; exact or rounded up."""
        return self.stability(d_in)

    def check(self, d_in: int | float | Fraction, d_out: int | float | Fraction) -> bool:
        """Whether inputs at distance `d_in` have outputs at distance at most `d_out`."""
        return self.map(d_in) <= typed(d_out, "d_out")

    def inverse(self, d_out: int | float | Fraction) -> Number:
        """The largest `d_in` with `check(d_in, d_out)`; see `DistanceMap.inverse`."""
        return self.stability.inverse(d_out)

    def __rshift__(self, other: Any) -> Any:
        """The chain "self, then other".

        Raises:
            SpaceError: the spaces do not match, or `other` is a plain function.
        """
        if not isinstance(other, Map):
            if not callable(other) or hasattr(other, "__rrshift__"):
                return NotImplemented
            raise SpaceError(
                f"{name_of(other)} has no stability map, and its argument is private",
                place=f"{self.name} >> {name_of(other)}",
                remedy="wrap it: Transformation(input_space, output_space, function, map)",
            )
        return other.chained_after(self)

    def __repr__(self) -> str:
        spaces = f"{self.input_space} -> {self.output_space}"
        needs = "".join(f"; requires {text}" for text in self.requires)
        bound = f"d_out = {self.stability}{needs}"
        return f"Transformation {self.name}: {spaces}, {bound} ({self.trust})"

    def _repr_html_(self) -> str:
        return self._table({"d_out": str(self.stability)}, str(self.output_space))

    def chained_after(self, first: Transformation) -> Transformation:
        """The chain "first, then self"; see `>>`."""
        require_fit(first, self)
        return Transformation(
            first.input_space,
            self.output_space,
            Chained(first, self),
            self.stability.after(first.stability),
            f"{first.name} >> {self.name}",
            steps=Vouched(steps_of(first, self)),
            enter=first.enter,
            leave=self.leave,
        )


def require_fit(first: Transformation, second: Map) -> None:
    """Raises SpaceError unless the result of `first` is an argument of `second`."""
    if not fits(first.output_space, second.input_space):
        raise SpaceError(
            f"{first.name} returns {first.output_space.describe()}, and "
            f"{second.name} takes {second.input_space.describe()}",
            place=f"{first.name} >> {second.name}",
            remedy=joined_by(first.output_space, second.input_space),
        )
