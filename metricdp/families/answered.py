"""Randomized response: one of k answers, the truth with weight e^epsilon against 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from metricdp.errors import ParameterError
from metricdp.expr import decimal_up
from metricdp.families.family import Draw, Entering, Extra, Family, nonnegative

if TYPE_CHECKING:
    from metricdp.accounting.renyi import Curve
    from metricdp.families.spent import SpentNoise
    from metricdp.noise import BitSource


class RandomizedAnswer(Family, frozen=True):
    """Answers of k categories; draws have "k" and "epsilon" in `extra`."""

    name: str = "randomized_response"
    reads_one: ClassVar[bool] = True
    answers: ClassVar[bool] = True

    def check(self, draw: Draw) -> None:
        """ParameterError: no epsilon >= 0, or no whole k >= 1."""
        nonnegative(draw.extra.get("epsilon", -1), "epsilon", draw.site)
        if not isinstance(k := draw.extra.get("k"), int) or k < 1:
            raise ParameterError(
                f"{k} categories", place=draw.site, remedy="give k >= 1 categories"
            )

    def request(
        self, noise: Mapping[str, Fraction], lower: Callable[[str], Fraction]
    ) -> tuple[Fraction, dict[str, Any]]:
        """No scale; the epsilon is never larger than it is."""
        return Fraction(0), {"k": int(noise["answers"]), "epsilon": lower("epsilon")}

    def fixed(
        self, noise: Mapping[str, Fraction], public: Mapping[str, Any]
    ) -> tuple[Fraction, dict[str, Any]] | None:
        """Its epsilon is a target, which belongs to checked functions."""
        return None

    def entering(self, draw: Draw, given: Mapping[str, Any]) -> Entering:
        """The position of x among `choices`; a value that is none of them counts as the first."""
        choices = tuple(given.get("choices") or (False, True))
        if len(choices) != draw.extra["k"]:
            draw = msgspec.structs.replace(draw, extra={**draw.extra, "k": len(choices)})
        index = next((i for i, choice in enumerate(choices) if choice == given["x"]), 0)
        return Entering(draw, index, lambda answer: choices[int(answer)])

    def perform(self, draw: Draw, value: Any, source: BitSource) -> Any:
        """An answer for every entry; a bool for a Boolean."""
        from metricdp.families.containers import mapped
        from metricdp.noise import randomized_response_epsilon
        from metricdp.values.exact import exact

        k, epsilon = draw.extra["k"], exact(draw.extra["epsilon"])

        def respond(x: Any) -> int | bool:
            answer = randomized_response_epsilon(_index(exact(x), k), k, epsilon, source)
            return bool(answer) if isinstance(x, bool) and k == 2 else answer

        return mapped(value, respond)

    def law(self, draw: Draw, value: Any) -> Any:
        """The law of the position of the answer."""
        from metricdp.families.containers import each
        from metricdp.laws import RandomizedResponseLaw
        from metricdp.values.exact import exact

        k, epsilon = int(draw.extra["k"]), Fraction(exact(draw.extra["epsilon"]))
        return each(value, lambda x: RandomizedResponseLaw(_index(exact(x), k), k, epsilon))

    def shown(self, draw: Draw, value: Any) -> Callable[[Any], Any]:
        """Of a Boolean, a Boolean."""
        if not isinstance(value, bool):
            return super().shown(draw, value)
        return bool if draw.extra["k"] == 2 else int

    def words(self, scale: Fraction, extra: Extra) -> str:
        """ "randomized response, epsilon 1"."""
        return f"randomized response, epsilon {decimal_up(extra['epsilon'])}"

    def public_shape(self, value: Any) -> dict[str, Any]:
        """Its own shape."""
        from metricdp.families.containers import sizes

        return {"shape": sizes(value)}

    def outcomes(self, draw: Draw, value: Any) -> Sequence[Any]:
        """Every position."""
        return range(draw.extra["k"])

    def pure_curve(self, epsilon: Fraction, spent: SpentNoise) -> Curve:
        """Of that many answers, where their number is stated."""
        from metricdp.accounting.renyi import ResponseCurve

        k = spent.upper("answers")
        return super().pure_curve(epsilon, spent) if k is None else ResponseCurve(epsilon, int(k))

    def log_ratio(
        self, scale: Fraction, extra: Extra, first: Fraction, second: Fraction, output: Fraction
    ) -> Fraction:
        """+-epsilon at the two inputs, 0 elsewhere."""
        return Fraction(extra["epsilon"]) * (int(first == output) - int(second == output))

    def largest_loss(self, scale: Fraction, extra: Extra, step: Fraction) -> Fraction:
        """epsilon, as soon as the input moved."""
        return Fraction(extra["epsilon"]) * int(bool(step))


def _index(number: Fraction, k: int) -> int:
    """Out of range is clamped: an exception would tell the value."""
    return min(max(number.numerator // number.denominator, 0), k - 1)


RANDOMIZED_RESPONSE = RandomizedAnswer()
