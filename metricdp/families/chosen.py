"""Choices: a position among public candidates is released, never a score.

Exponential weights and permute-and-flip take the exact rationals and need no grid.  Where scores
are compared they are rounded to the grid of `noise.grid`, on which each one moves by at most
D/h + 1 ticks when it moves by D, however many there are: the proofs of these mechanisms use the
largest movement of one score.  Scores that are compared with each other are rounded as differences
from the first one: what all of them share then cancels exactly, and differences of ticks still move
by at most 2 (D/h + 1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from metricdp.errors import ParameterError
from metricdp.expr import decimal_up
from metricdp.families.family import Draw, Entering, Extra, Family
from metricdp.values.numbers import Numbers

if TYPE_CHECKING:
    from metricdp.accounting.renyi import Curve
    from metricdp.families.spent import SpentNoise
    from metricdp.noise import BitSource
    from metricdp.noise.grid import Grid


class ScoreChoice(Family, frozen=True):
    """One position among several scores."""

    parameter: ClassVar[str] = "scale"
    reads_scores: ClassVar[bool] = True

    def check(self, draw: Draw) -> None:
        """The scale is all that such a choice needs."""

    def request(
        self, noise: Mapping[str, Fraction], lower: Callable[[str], Fraction]
    ) -> tuple[Fraction, dict[str, Any]]:
        """The scale that is stated."""
        return noise[self.parameter], {}

    def fixed(
        self, noise: Mapping[str, Fraction], public: Mapping[str, Any]
    ) -> tuple[Fraction, dict[str, Any]] | None:
        """The scale that is stated."""
        return noise.get(self.parameter, Fraction(0)), {}

    def entering(self, draw: Draw, given: Mapping[str, Any]) -> Entering:
        """The scores of the public candidates, of which one is returned."""
        candidates = self.some(list(given["candidates"]), "candidates")
        score = given["score"]
        return Entering(draw, [score(c) for c in candidates], candidates.__getitem__)

    def some(self, items: Sequence[Any], name: str) -> Sequence[Any]:
        """The items of a choice; ParameterError: there are none."""
        if not items:
            raise ParameterError(
                f"{self.name} has nothing to choose from", place=name,
                remedy="give at least one candidate",
            )  # fmt: skip
        return items

    def choose(self, draw: Draw, scores: Sequence[Fraction], source: BitSource) -> Any:
        """What is released for these scores."""
        raise self.unknown(draw.site)

    def law_of(self, draw: Draw, scores: Sequence[Fraction]) -> Any:
        """The law of what is released for these scores."""
        raise self.unknown(draw.site)

    def perform(self, draw: Draw, value: Any, source: BitSource) -> Any:
        """See `choose`."""
        from metricdp.families.containers import flatten

        return self.choose(draw, list(flatten(value)), source)

    def law(self, draw: Draw, value: Any) -> Any:
        """See `law_of`."""
        from metricdp.families.containers import flatten

        return self.law_of(draw, list(flatten(value)))

    def words(self, scale: Fraction, extra: Extra) -> str:
        """ "report noisy max, scale 3"."""
        return f"{self.name.replace('_', ' ')}, scale {decimal_up(scale)}"

    def public_shape(self, value: Any) -> dict[str, Any]:
        """How many there are."""
        return {"number of candidates": len(value)}

    def outcomes(self, draw: Draw, value: Any) -> Sequence[Any] | None:
        """Every position."""
        from metricdp.families.containers import flatten

        return range(len(list(flatten(value))))


class WeightedChoice(ScoreChoice, frozen=True):
    """The exponential mechanism: weights exp(score / scale)."""

    name: str = "exponential_mechanism"
    relative: ClassVar[bool] = True
    chooses: ClassVar[str] = "candidates"

    def choose(self, draw: Draw, scores: Sequence[Fraction], source: BitSource) -> int:
        """See `noise.selection.exponential_choice`."""
        from metricdp.noise.selection import exponential_choice

        return exponential_choice(scores, draw.scale, source)

    def law_of(self, draw: Draw, scores: Sequence[Fraction]) -> Any:
        """See `laws.exponential_law`."""
        from metricdp.laws import exponential_law

        return exponential_law(scores, draw.scale)

    def pure_curve(self, epsilon: Fraction, spent: SpentNoise) -> Curve:
        """Choices by weights, always: their log-ratios have a bounded range."""
        from metricdp.accounting.renyi import RangeCurve

        return RangeCurve(epsilon)


class FlippedChoice(ScoreChoice, frozen=True):
    """Candidates in random order, each with a coin of exp((score - best) / scale)."""

    name: str = "permute_and_flip"
    relative: ClassVar[bool] = True
    chooses: ClassVar[str] = "candidates"

    def choose(self, draw: Draw, scores: Sequence[Fraction], source: BitSource) -> int:
        """See `noise.selection.permuted_flips`."""
        from metricdp.noise.selection import permuted_flips

        return permuted_flips(scores, draw.scale, source)

    def law_of(self, draw: Draw, scores: Sequence[Fraction]) -> Any:
        """See `laws.permute_and_flip_law`."""
        from metricdp.laws import permute_and_flip_law

        return permute_and_flip_law(scores, draw.scale)


class Comparing(ScoreChoice, frozen=True):
    """Choices that compare scores with noise, on a grid."""

    compares: ClassVar[bool] = True

    def grid(self, draw: Draw) -> Grid:
        """Fine enough for the noise and for the least movement."""
        if not draw.scale:
            return super().grid(draw)
        from metricdp.noise.grid import choose_grid

        return choose_grid(draw.scale, draw.bound if draw.least is None else draw.least)


class NoisyMaxChoice(Comparing, frozen=True):
    """The position of the largest score with Laplace noise."""

    name: str = "report_noisy_max"
    relative: ClassVar[bool] = True
    chooses: ClassVar[str] = "scores"

    def entering(self, draw: Draw, given: Mapping[str, Any]) -> Entering:
        """The scores; those of an array stay in it."""
        scores = given["scores"]
        return Entering(
            draw, self.some(scores if isinstance(scores, Numbers) else list(scores), "scores")
        )

    def perform(self, draw: Draw, value: Any, source: BitSource) -> Any:
        """See `choose`."""
        if isinstance(value, Numbers):
            return self.choose(draw, value, source)
        return super().perform(draw, value, source)

    def choose(self, draw: Draw, scores: Sequence[Fraction], source: BitSource) -> int:
        """The first of the largest."""
        from metricdp.noise.selection import noisy_max

        if not draw.scale:
            return _first_largest(scores)
        grid = draw.grid()
        return noisy_max(_differences(scores, grid.exponent), grid.tick_scale, source)

    def law_of(self, draw: Draw, scores: Sequence[Fraction]) -> Any:
        """See `laws.noisy_max_law`."""
        from metricdp.laws import FiniteLaw, noisy_max_law

        if not draw.scale:
            return FiniteLaw.sure(_first_largest(scores))
        grid = draw.grid()
        return noisy_max_law(_differences(scores, grid.exponent), grid.tick_scale)


def _first_largest(scores: Sequence[Fraction]) -> int:
    """What a bound of 0 needs: all scores move together or not at all."""
    return max(range(len(scores)), key=scores.__getitem__)


def _differences(scores: Sequence[Fraction], exponent: int) -> list[int]:
    """How far each score lies above the first one, in steps of 2**exponent: the nearest."""
    if isinstance(scores, Numbers):
        return _differences_of_multiples(scores.whole(), exponent)
    top, bottom = scores[0].as_integer_ratio()
    up, down = max(-exponent, 0), max(exponent, 0)
    found = []
    for score in scores:
        a, b = score.as_integer_ratio()
        over, under = (a * bottom - top * b) << up, (b * bottom) << down
        found.append((2 * over + under) // (2 * under))
    return found


def _differences_of_multiples(scores: Numbers, exponent: int) -> list[int]:
    """The same of integers times one unit."""
    first, *_ = entries = scores.array.tolist()
    top, bottom = scores.unit.as_integer_ratio()
    step, under = 2 * top << max(-exponent, 0), bottom << max(exponent, 0)
    return [((each - first) * step + under) // (2 * under) for each in entries]


EXPONENTIAL_WEIGHTS = WeightedChoice()
PERMUTE_AND_FLIP = FlippedChoice()
NOISY_MAX = NoisyMaxChoice()
