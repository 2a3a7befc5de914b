"""A certified answer: two rationals that enclose the true value, and how they were found."""

from __future__ import annotations

from fractions import Fraction

import msgspec


class Bracket(msgspec.Struct, frozen=True):
    """lower <= truth <= upper, both rounded outwards.

    Attributes:
        lower: at least 0.
        upper: at most 1 for a delta.
        engine: which engine proved it ("contour", "closed form", ...).
        bits: working precision in bits.
        nodes: points at which moment functions were evaluated (0: a closed form).
    """

    lower: Fraction
    upper: Fraction
    engine: str
    bits: int = 53
    nodes: int = 0

    @property
    def width(self) -> Fraction:
        """upper - lower."""
        return self.upper - self.lower
