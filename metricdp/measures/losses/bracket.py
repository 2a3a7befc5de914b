"""A certified answer: two rationals that enclose the true value, and how they were found."""

from __future__ import annotations

from fractions import Fraction

import msgspec

from metricdp.errors import InternalError


class Bracket(msgspec.Struct, frozen=True):
    """lower <= truth <= upper, both rounded outwards.

    Attributes:
        lower: at least 0.
        upper: at most 1 for a delta.
        engine: which engine proved it ("contour", "closed form", ...).
        bits: working precision in bits.
        nodes: points at which moment functions were evaluated or bounded (0: a closed form).

    Raises:
        InternalError: ends that are not 0 <= lower <= upper: they are never returned.
    """

    lower: Fraction
    upper: Fraction
    engine: str
    bits: int = 53
    nodes: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.lower <= self.upper:
            raise InternalError(
                f"[{float(self.lower)!r}, {float(self.upper)!r}] encloses no answer",
                place=self.engine,
                remedy="no answer is given; please report the events and the query",
            )

    @property
    def width(self) -> Fraction:
        """upper - lower."""
        return self.upper - self.lower
