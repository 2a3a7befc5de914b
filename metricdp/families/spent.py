"""What an event spent, at numbers: its costs, its noise, and how far its argument moved."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import msgspec

from metricdp.accounting.rounded import short_up
from metricdp.errors import ParameterError
from metricdp.expr import Expr

Numbers = Mapping[str, int | Fraction | float]


class SpentNoise(msgspec.Struct, frozen=True):
    """One event at numbers.

    Attributes:
        norm: in which its argument is measured.
        moved: how far the argument moves, > 0.
        noise, privacy: as the event states them.
        numbers: of every name in them.
    """

    norm: str
    moved: Fraction
    noise: Mapping[str, Expr]
    privacy: Mapping[str, tuple[Expr, ...]]
    numbers: Numbers

    def cost(self, measure: str) -> tuple[Fraction, ...] | None:
        """The cost in a measure, rounded up; None where the event states none.

        Raises:
            ParameterError: it is infinite.
        """
        parts = self.privacy.get(measure)
        return None if parts is None else tuple(upper(part, self.numbers) for part in parts)

    def upper(self, name: str) -> Fraction | None:
        """A parameter of the noise, rounded up; None where the event does not state it."""
        return upper(self.noise[name], self.numbers) if name in self.noise else None

    def lower(self, name: str) -> Fraction:
        """A parameter of the noise, rounded down; 0 where nothing more is known."""
        return lower(self.noise[name], self.numbers) if name in self.noise else Fraction(0)

    def exact(self, name: str) -> Fraction | None:
        """A parameter of the noise where it is a rational number; None otherwise."""
        return self.noise[name].exact(self.numbers) if name in self.noise else None


def upper(value: Expr, numbers: Numbers) -> Fraction:
    """A public expression at numbers, rounded up.  ParameterError: it is infinite."""
    high = value.upper(numbers)
    if isinstance(high, float):
        raise ParameterError("the cost is infinite at these numbers")
    return short_up(high, 200)


def lower(value: Expr, numbers: Numbers) -> Fraction:
    """A public expression at numbers, rounded down; 0 where nothing more is known."""
    low = value.lower(numbers)
    return low if isinstance(low, Fraction) else Fraction(0)
