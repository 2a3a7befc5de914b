"""Mechanisms that their records draw: the reference function takes exact values and draws itself.

Nothing is rounded before the noise, so no grid is chosen.  The object holds the two functions of
the record, and is made beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from inspect import signature
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.expr import decimal_up
from metricdp.families.family import Draw, Entering, Extra, Family

if TYPE_CHECKING:
    from metricdp.noise import BitSource


@lru_cache(maxsize=512)
def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """Names of the parameters of a record's function; every draw asks for them."""
    return tuple(signature(function).parameters)


def arguments(
    function: Callable[..., Any], noise: Mapping[str, Any], public: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a record's function beside the private one, by name.

    Args:
        noise: parameters of the noise as the event states them; they count before `public`.
        public: arguments as the caller gave them.
    """
    _, *others = _parameters(function)
    found = {}
    for name in others:
        if name in noise:
            found[name] = noise[name]
        elif public.get(name) is not None:
            found[name] = public[name]
    return found


class Recorded(Family, frozen=True):
    """A mechanism with a sampler of its own.

    Attributes:
        run: private value, parameters by name, `source` -> what is released.
        exact: private value, parameters by name -> its exact law; None: not in closed form.
    """

    run: Callable[..., Any]
    exact: Callable[..., Any] | None = None

    def check(self, draw: Draw) -> None:
        """The function looks at its parameters itself."""

    def request(
        self, noise: Mapping[str, Fraction], lower: Callable[[str], Fraction]
    ) -> tuple[Fraction, dict[str, Any]]:
        """Everything that the event states."""
        return noise.get("scale", Fraction(0)), dict(noise)

    def fixed(
        self, noise: Mapping[str, Fraction], public: Mapping[str, Any]
    ) -> tuple[Fraction, dict[str, Any]] | None:
        """What the event states, and what the caller gave."""
        return noise.get("scale", Fraction(0)), arguments(self.run, noise, public)

    def entering(self, draw: Draw, given: Mapping[str, Any]) -> Entering:
        """The private argument, and the rest by name."""
        private = _parameters(self.run)[0]
        extra = arguments(self.run, draw.extra, given)
        return Entering(msgspec.structs.replace(draw, extra=extra), given[private])

    def perform(self, draw: Draw, value: Any, source: BitSource) -> Any:
        """One draw by the record's reference function."""
        return self.run(value, **draw.extra, source=source)

    def law(self, draw: Draw, value: Any) -> Any:
        """The law that the record states; ParameterError: it states none."""
        if self.exact is None:
            raise ParameterError("what is released has no law in closed form", place=self.name)
        return self.exact(value, **draw.extra)

    def words(self, scale: Fraction, extra: Extra) -> str:
        """ "top k, scale 3"."""
        return f"{self.name.replace('_', ' ')}, scale {decimal_up(scale)}"

    def public_shape(self, value: Any) -> dict[str, Any]:
        """Nothing: the release has a shape of its own."""
        return {}
