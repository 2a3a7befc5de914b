"""What a distance between laws is: an exact number or an enclosure, with evidence on request."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import inf, nextafter
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.noise.kept import ln_bounds

#: A nonnegative rational, or `math.inf`.
Extended = Fraction | float


def rounded_up(x: Extended) -> float:
    """The least double that is at least x; inf beyond the doubles."""
    try:
        near = float(x)
    except OverflowError:
        return inf
    return nextafter(near, inf) if near < inf and Fraction(near) < x else near


def decimals(x: Extended, up: bool, digits: int = 12) -> str:
    """Decimal digits of x, rounded up or down; 'oo' for infinity."""
    if isinstance(x, float):
        return "oo"
    context = Context(digits, ROUND_CEILING if up else ROUND_FLOOR)
    quotient = context.divide(Decimal(x.numerator), Decimal(x.denominator))
    return f"{quotient.normalize(context):g}"


class Distance(msgspec.Struct, frozen=True, repr_omit_defaults=True):
    """low <= distance <= high.

    Attributes:
        low, high: rationals, or `math.inf`; equal when the distance is known exactly.
        how: "exact", "closed form", or the method that made the enclosure.
        evidence: what attains the distance (an event, a coupling with its potential), when asked.
    """

    low: Extended
    high: Extended
    how: str = "exact"
    evidence: Any = None

    @property
    def exact(self) -> Fraction:
        """The distance; ParameterError when only an enclosure is known, or it is infinite."""
        if self.low != self.high or isinstance(self.low, float):
            raise ParameterError(
                f"the distance is known as {self!r}, not as a rational",
                place="exact",
                remedy="read .low and .high",
            )
        return self.low

    def __float__(self) -> float:
        """The upper end, rounded up."""
        return rounded_up(self.high)

    def __repr__(self) -> str:
        if self.low == self.high:
            text = "oo" if isinstance(self.low, float) else str(self.low)
            return text if len(text) <= 24 else f"{decimals(self.low, False)}..."
        low, high = decimals(self.low, False), decimals(self.high, True)
        return f"[{low}, {high}]"


class RatioDistance(msgspec.Struct, frozen=True):
    """ln(ratio), the ratio an exact rational >= 1 or `math.inf`: the logarithm comes last.

    Ratios multiply where distances add, so the triangle inequality and all comparisons are exact.

    Attributes:
        ratio: the largest P(x) / Q(x), or Q(x) / P(x).
        outcome: an outcome that attains it; None when the laws are equal.
    """

    ratio: Extended
    outcome: Any = None

    def bounds(self, bits: int = 128) -> tuple[Extended, Extended]:
        """Rationals around ln(ratio), about 2**-bits apart; (inf, inf) when it is infinite."""
        return (inf, inf) if isinstance(self.ratio, float) else ln_bounds(self.ratio, bits)

    @property
    def low(self) -> Extended:
        """A rational lower bound."""
        return self.bounds()[0]

    @property
    def high(self) -> Extended:
        """A rational upper bound."""
        return self.bounds()[1]

    @property
    def tanh_half(self) -> Fraction:
        """tanh(distance / 2) = (ratio - 1) / (ratio + 1), exact: the largest total variation."""
        if isinstance(self.ratio, float):
            return Fraction(1)
        return (self.ratio - 1) / (self.ratio + 1)

    def __add__(self, other: RatioDistance) -> RatioDistance:
        return RatioDistance(self.ratio * other.ratio)

    def __le__(self, other: RatioDistance) -> bool:
        return self.ratio <= other.ratio

    def __lt__(self, other: RatioDistance) -> bool:
        return self.ratio < other.ratio

    def __float__(self) -> float:
        """The upper end, rounded up."""
        return rounded_up(self.high)

    def __repr__(self) -> str:
        if isinstance(self.ratio, float):
            return "oo"
        return "0" if self.ratio == 1 else f"ln({self.ratio})"
