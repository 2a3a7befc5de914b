"""Where one density is more than a multiple of another: intervals of the line."""

from __future__ import annotations

from fractions import Fraction

import msgspec

End = Fraction | None
Interval = tuple[End, End]


class Regions(msgspec.Struct, frozen=True):
    """Intervals where p > t q, None for infinite ends, and short ones where that is open.

    `shares` has, for each unsure interval, a bound of (p - t q) / p there; all 1 when not given.
    """

    inside: tuple[Interval, ...]
    unsure: tuple[Interval, ...]
    shares: tuple[Fraction, ...] | None = None
