"""Noise that is added to numbers: on the integers, or continuous and rounded afterwards.

A family of `Whole` noise is drawn around the nearest integer.  One of `Rounded` noise is
continuous, and the sum is rounded to a public grid (`noise.rounded`): post-processing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from metricdp.errors import InternalError
from metricdp.families.family import Draw, Entering, Extra, Family

if TYPE_CHECKING:
    from metricdp.noise import BitSource
    from metricdp.noise.grid import Grid
    from metricdp.values import Numbers


class Added(Family, frozen=True):
    """Noise that is added to every number of the argument.

    Attributes:
        norm: in which a vector is measured.
        whole: the release is a whole number.
    """

    adds: ClassVar[bool] = True
    reads_one: ClassVar[bool] = True
    released: ClassVar[bool] = True
    fills: ClassVar[bool] = True
    norm: ClassVar[str] = ""
    whole: ClassVar[bool] = False

    def check(self, draw: Draw) -> None:
        """The scale is all that such noise needs."""

    def request(
        self, noise: Mapping[str, Fraction], lower: Callable[[str], Fraction]
    ) -> tuple[Fraction, dict[str, Any]]:
        """InternalError: the event does not state the scale."""
        if self.parameter not in noise:
            raise InternalError(f"the scale of {self.name} is not stated")
        return noise[self.parameter], {}

    def fixed(
        self, noise: Mapping[str, Fraction], public: Mapping[str, Any]
    ) -> tuple[Fraction, dict[str, Any]] | None:
        """The scale that is stated."""
        return (noise[self.parameter], {}) if self.parameter in noise else None

    def entering(self, draw: Draw, given: Mapping[str, Any]) -> Entering:
        """The argument x."""
        return Entering(draw, given["x"])

    def is_sure(self, draw: Draw) -> bool:
        """Without a scale nothing is added."""
        return not draw.scale

    def public_shape(self, value: Any) -> dict[str, Any]:
        """Its own shape."""
        from metricdp.families.containers import sizes

        return {"shape": sizes(value)}

    def interval(self, scale: Fraction, extra: Extra, alpha: Fraction) -> float:
        """The w with P(|noise| > w) <= alpha, rounded up; scale > 0."""
        raise self.unknown()

    def law_around(self, x: Fraction, scale: Fraction, extra: Extra) -> Any:
        """The law of the release around a number, in steps of its grid; scale > 0."""
        raise self.unknown()

    def step_of(self, scale: Fraction) -> Fraction:
        """Length of a step of the release's grid at a scale > 0."""
        return Fraction(1)

    def step(self, first: Fraction, second: Fraction) -> Fraction:
        """first - second, as the noise sees it."""
        return first - second

    def below(self, c: Fraction) -> Fraction:
        """P(Z < c) for noise Z of scale 1, to the digits of a double."""
        raise self.unknown()


class Whole(Added, frozen=True):
    """Noise on the integers, around the nearest one."""

    whole: ClassVar[bool] = True

    def noise(self, scale: Fraction, extra: Extra, size: int, source: BitSource) -> Any:
        """Independent draws: a list, or an array of int64 or of Python integers."""
        raise self.unknown()

    def perform(self, draw: Draw, value: Any, source: BitSource) -> Any:
        """An int for a number, an array for a vector or matrix, a tuple for a tuple."""
        from metricdp.noise.grid import to_ticks

        if isinstance(value, Fraction):
            return to_ticks(value, 0) + self.noise(draw.scale, draw.extra, 1, source)[0]
        from metricdp.families.containers import apart, arrays_of, flatten, mapped

        if (parts := arrays_of(value)) is not None:
            from metricdp.noise.vector_discrete import joined, nearest, plus

            centres = joined([nearest(part.array, part.unit) for part in parts])
            noise = self.noise(draw.scale, draw.extra, len(centres), source)
            return apart(plus(centres, noise), value, parts)
        numbers = list(flatten(value))
        noise = self.noise(draw.scale, draw.extra, len(numbers), source)
        noise = noise.tolist() if hasattr(noise, "tolist") else noise
        answers = iter([to_ticks(x, 0) + z for x, z in zip(numbers, noise, strict=True)])
        return mapped(value, lambda _: next(answers))

    def law(self, draw: Draw, value: Any) -> Any:
        """The law of a number; a `ProductLaw` for several."""
        from metricdp.families.containers import each
        from metricdp.laws import FiniteLaw
        from metricdp.noise.grid import to_ticks
        from metricdp.values.exact import exact

        def around(x: Any) -> Any:
            centre = to_ticks(exact(x), 0)
            if not draw.scale:
                return FiniteLaw.sure(centre)
            return self.law_around(Fraction(centre), draw.scale, draw.extra)

        return each(value, around)

    def half_width(self, scale: Fraction, extra: Extra, alpha: Fraction) -> float:
        """Of each entry's error."""
        return self.interval(scale, extra, alpha) if scale else 0.0

    def step(self, first: Fraction, second: Fraction) -> Fraction:
        """As the nearest integers."""
        from metricdp.noise.grid import to_ticks

        return Fraction(to_ticks(first, 0) - to_ticks(second, 0))


@lru_cache(maxsize=256)
def _grid(top: int, bottom: int) -> Grid:
    """For a scale top / bottom: two integers are found again sooner than a fraction."""
    from metricdp.noise.grid import Grid, power
    from metricdp.noise.rounded_scalar import step_exponent

    scale = Fraction(top, bottom)
    exponent = step_exponent(scale)
    return Grid(exponent, scale / power(exponent), Fraction(0))


class Rounded(Added, frozen=True):
    """Continuous noise; the sum is rounded to a multiple of a public step."""

    def grid(self, draw: Draw) -> Grid:
        """See `noise.rounded`."""
        scale = draw.scale
        return _grid(scale.numerator, scale.denominator) if scale else super().grid(draw)

    def step_of(self, scale: Fraction) -> Fraction:
        """See `noise.rounded_scalar.step_exponent`."""
        from metricdp.noise.grid import power
        from metricdp.noise.rounded_scalar import step_exponent

        return power(step_exponent(scale))

    def plus(self, x: Any, scale: Fraction, extra: Extra, source: BitSource) -> Any:
        """x plus noise as the nearest doubles: of a number, or an array of a sequence."""
        raise self.unknown()

    def ticks(self, x: Any, scale: Fraction, extra: Extra, exponent: int, source: BitSource) -> Any:
        """x plus noise in steps of 2**exponent: of a number, or an array of a sequence."""
        raise self.unknown()

    def perform(self, draw: Draw, value: Any, source: BitSource) -> Any:
        """A float for a number, an array for a vector or matrix, a tuple for a tuple."""
        if isinstance(value, Fraction):
            return self.plus(value, draw.scale, draw.extra, source)
        from metricdp.families.containers import apart, arrays_of, flatten, mapped

        if (parts := arrays_of(value)) is not None:
            return apart(self._in_arrays(draw, parts, source), value, parts)
        numbers = list(flatten(value))
        if len(numbers) == 1:
            answers = iter([self.plus(numbers[0], draw.scale, draw.extra, source)])
        else:
            answers = iter(self.plus(numbers, draw.scale, draw.extra, source).tolist())
        return mapped(value, lambda _: next(answers))

    def _in_arrays(self, draw: Draw, parts: Sequence[Numbers], source: BitSource) -> Any:
        """Noise on numbers that are held in arrays: one array of doubles."""
        from metricdp.noise.vector_rounded import places_of_multiples, places_together, to_floats

        if not draw.scale:
            import numpy as np

            return np.array([x for part in parts for x in part.plain()], np.float64)
        exponent = draw.grid().exponent
        found = []
        for part in parts:
            places = places_of_multiples(part.array, part.unit, exponent)
            if places is None:
                whole = part.whole()
                places = places_of_multiples(whole.array, whole.unit, exponent)
            assert places is not None  # integers always have places
            found.append(places)
        places = places_together(found)
        return to_floats(self.ticks(places, draw.scale, draw.extra, exponent, source), exponent)

    def law(self, draw: Draw, value: Any) -> Any:
        """The law of a number on the grid; a `ProductLaw` for several."""
        from metricdp.families.containers import each
        from metricdp.laws import FiniteLaw, GridLaw
        from metricdp.noise.grid import power
        from metricdp.values.exact import exact

        step = power(draw.grid().exponent)

        def around(x: Any) -> Any:
            centre = Fraction(exact(x))
            if not draw.scale:
                return FiniteLaw.sure(centre)
            return GridLaw(self.law_around(centre / step, draw.scale / step, draw.extra), step)

        return each(value, around)

    def half_width(self, scale: Fraction, extra: Extra, alpha: Fraction) -> float:
        """Of each entry's error, with half a step for the rounding of the sum."""
        if not scale:
            return 0.0
        from metricdp.values.exact import to_float

        return self.interval(scale, extra, alpha) + to_float(self.step_of(scale) / 2)
