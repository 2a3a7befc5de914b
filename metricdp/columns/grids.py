"""The bound of what one row adds, enforced: numbers and vectors moved inward onto a public grid.

Whatever a function of a row computed, and however it rounded, what is added up lies in the range,
or in the ball, that check proved for it: sums need no other fact about the arithmetic of rows.
From here on everything is an integer.

The grid of a range is the power of two that is 40 bits below its larger end; of a ball, 40 bits
below its radius.  Reference and array form make the same operations on doubles, in one order.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import isqrt, trunc
from typing import Any, Final

import msgspec

from metricdp.columns.language import inner_integers
from metricdp.errors import InternalError

#: Grid steps per unit of the larger end, as a power of two.
FINENESS: Final = 40
#: Finest grid: ticks stay integers that a double holds.
_FINEST: Final = 53


class GridRange(msgspec.Struct, frozen=True):
    """Numbers in [low, high] on a grid: ticks of 2**exponent from `first` to `last`."""

    exponent: int
    first: int
    last: int

    def ticks(self, x: Any) -> int:
        """The tick nearest to a number (ties to even), inside of the range."""
        number = Fraction(x)
        return min(max(round(scaled(number, -self.exponent)), self.first), self.last)


@lru_cache(256)
def range_of(low: Fraction, high: Fraction) -> GridRange | None:
    """The grid of a range: 40 bits below the larger end, refined until it has a point inside.

    Returns:
        None where no double lies in the range.
    """
    top = max(abs(low), abs(high))
    if not top:
        return GridRange(0, 0, 0)
    magnitude = _magnitude(top)
    for k in range(magnitude - FINENESS, magnitude - _FINEST - 1, -1):
        ends = inner_integers(scaled(low, -k), scaled(high, -k))
        if ends is not None:
            return GridRange(k, *ends)
    return None


@lru_cache(256)
def whole_range(low: Fraction, high: Fraction) -> GridRange | None:
    """The integers of a range."""
    ends = inner_integers(low, high)
    return None if ends is None else GridRange(0, *ends)


class Ball(msgspec.Struct, frozen=True, cache_hash=True):
    """Vectors whose entries lie in a range and whose norms are bounded, on a grid.

    Attributes:
        entries: the grid, and the range of every entry.
        radii: norm ("L1", "L2") -> radius in ticks.
    """

    entries: GridRange
    radii: tuple[tuple[str, Fraction], ...]

    def ticks(self, row: Sequence[float]) -> list[int]:
        """A row of doubles in ticks, rounded towards 0; one outside of the ball is scaled down."""
        first, last, unit = self.entries.first, self.entries.last, -self.entries.exponent
        found = [min(max(trunc(scaled(Fraction(x), unit)), first), last) for x in row]
        for norm, radius in self.radii:
            found = into_ball(found, norm, radius)
        return found


def into_ball(ticks: list[int], norm: str, radius: Fraction) -> list[int]:
    """The row, scaled down in integers and rounded towards 0 where its norm is larger."""
    if norm == "L2":
        square = sum(t * t for t in ticks)
        if square * radius.denominator**2 <= radius.numerator**2:
            return ticks
        size = isqrt(square) + 1
    else:
        size = sum(map(abs, ticks))
        if size <= radius:
            return ticks
    up, down = radius.numerator, radius.denominator * size
    return [t * up // down if t >= 0 else -(-t * up // down) for t in ticks]


class BallBeside(msgspec.Struct, frozen=True):
    """Vectors whose entries but the last lie in a ball, and whose last one in a range of its grid.

    Raises:
        InternalError: two grids.
    """

    ball: Ball
    last: GridRange

    def __post_init__(self) -> None:
        if self.ball.entries.exponent != self.last.exponent:
            raise InternalError("a vector on two grids")

    @property
    def entries(self) -> GridRange:
        """The grid."""
        return self.ball.entries

    def ticks(self, row: Sequence[float]) -> list[int]:
        """A row of doubles in ticks."""
        return [*self.ball.ticks(row[:-1]), self.last.ticks(row[-1])]


class Squares(msgspec.Struct, frozen=True):
    """x x^T of vectors x in a ball, row by row: ticks of the ball, multiplied exactly."""

    ball: Ball | BallBeside

    def ticks(self, row: Sequence[float]) -> list[int]:
        """The products of the ticks of a row, in squares of the ball's unit."""
        found = self.ball.ticks(row)
        return [a * b for a in found for b in found]


#: Where what one row adds is moved.
Bound = GridRange | Ball | Squares


def ball_of(
    low: Fraction | None,
    high: Fraction | None,
    radii: Sequence[tuple[str, Fraction]],
    whole: bool = False,
) -> Ball | None:
    """The grid of a ball.

    Args:
        low, high: range of every entry; None where it has none.
        radii: norm -> radius; norms "L1", "L2", "LInf".
        whole: integers only.

    Returns:
        None where neither bounds the entries, or where 0 does not lie in their range.
    """
    box = [radius for _, radius in radii]
    if low is not None and high is not None:
        box.append(max(abs(low), abs(high)))
    if not box or any(norm not in ("L1", "L2", "LInf") for norm, _ in radii):
        return None
    most = min(box)
    low = -most if low is None else max(low, -most)
    high = most if high is None else min(high, most)
    for _, radius in (each for each in radii if each[0] == "LInf"):
        low, high = max(low, -radius), min(high, radius)
    if low > 0 or high < 0:
        return None
    exponent = _magnitude(most) - FINENESS if most and not whole else 0
    first, last = scaled(low, -exponent), scaled(high, -exponent)
    entries = GridRange(
        exponent, -(-first.numerator // first.denominator), last.numerator // last.denominator
    )
    others = tuple((norm, scaled(r, -exponent)) for norm, r in radii if norm != "LInf")
    return Ball(entries, others)


def scaled(x: Fraction | int, exponent: int) -> Fraction:
    """x * 2**exponent."""
    if type(x) is not int and type(x) is not Fraction:
        x = Fraction(x)
    if exponent >= 0:
        return Fraction(x.numerator << exponent, x.denominator)
    return Fraction(x.numerator, x.denominator << -exponent)


def _magnitude(x: Fraction) -> int:
    """The e with 2**(e - 1) <= x < 2**e."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e + 1 if scaled(x, -e) >= 1 else e
