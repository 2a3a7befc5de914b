"""Rounds of permute-and-flip among many scores: all coins of a round at once, few of them asked.

The first heads of a uniformly shuffled order is any of the heads, equally likely, since the coins
do not depend on the order; the coin of a largest score is heads.  So a round flips one coin for
each score that is left, of chance exp((score - largest) unit), and takes one of the heads.

Few scores are near.  The coin of a score that lies FAR / unit or more below the largest that is
left has a chance p of at most exp(-FAR), which is below q = 1 - exp(-RARE).  It is heads where two
others are, of chances q and p / q.  The first ones of all far scores are independent and alike, so
between two heads of theirs lie G tails with P(G >= g) = (1 - q)^g = exp(-RARE g), and all G are
independent: `geometric` draws them.  The second coin is flipped for these heads alone; that of a
score that was taken counts for nothing.  Every law is exact, so heads are those of coins of chance
p, independent of all others.  The rounds read one sequence of first coins, each from where the one
before it stopped: how many a round reads depends on coins before them alone.

Let b be the k-th largest score.  Fewer than k are taken before any of k rounds, so the largest that
is left is b or above, and a score that is far below b is far in every round.  The others are put in
order once.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy

from metricdp.noise.discrete_scalar import geometric
from metricdp.noise.enclose import exp_fixed
from metricdp.noise.lazy import LazyUniform, is_below
from metricdp.noise.source import system_source
from metricdp.noise.vector_discrete import exp_coins

if TYPE_CHECKING:
    from metricdp.noise.source import BitSource

#: exp(-16) is below 1 - exp(-2**-23).
FAR, RARE = 16, Fraction(1, 1 << 23)
#: Entries of a line of which the largest is taken.
_APART = 64
#: Bits by which enclosures are finer than what is asked of their quotient.
_MORE = 64


def flipped_in_turn(
    ticks: Any, unit: Fraction, k: int, source: BitSource | None = None
) -> list[int]:
    """The positions that k rounds of permute-and-flip take at scale 1, of those that are left.

    Args:
        ticks: int64 array of shape (n,), of entries between -2**62 and 2**62; scores are these
            times `unit`.
        unit: > 0.
        k: rounds, at most n.
    """
    source = source or system_source()
    if k < 1:
        return []
    rounds = _Rounds(ticks, unit, k, source)
    return [rounds.take() for _ in range(k)]


class _Rounds:
    """What is left of the scores.

    Attributes:
        near, ticks: positions that are not far in all rounds and are left, and their entries, which
            rise.
        far: all other positions; those `taken` count for nothing any more.
        cut: how far below the largest entry those of far scores lie at least.
        tails: first coins of far scores that are tails before the next one that is heads.
    """

    def __init__(self, ticks: Any, unit: Fraction, k: int, source: BitSource) -> None:
        self.every, self.unit, self.source = ticks, unit, source
        self.cut = -(-FAR * unit.denominator // unit.numerator)
        away = ticks <= self._level(_largest_but(ticks, k))
        near, self.far = numpy.flatnonzero(~away), numpy.flatnonzero(away)
        order = numpy.argsort(ticks[near])
        self.near, self.ticks = near[order], ticks[near[order]]
        self.taken: set[int] = set()
        self.tails = geometric(1 / RARE, source)
        self._known: dict[int, Any] = {}

    def _level(self, largest: int) -> int:
        """Entries of far scores are no larger; below all entries where there are none."""
        return max(largest - self.cut, -(1 << 63))

    def take(self) -> int:
        """The position that one round takes."""
        largest = int(self.ticks[-1])
        start = int(self.ticks.searchsorted(self._level(largest), side="right"))
        heads = self._near_heads(start)
        others = self._far_heads(start, largest)
        chosen = self.source.below(len(heads) + len(others))
        found = (heads + others)[chosen]
        if found >= len(self.near):
            position = int(self.far[found - len(self.near)])
            self.taken.add(position)
            return position
        position = int(self.near[found])
        if found == len(self.near) - 1:
            self.near, self.ticks = self.near[:-1], self.ticks[:-1]
        else:
            self.near, self.ticks = numpy.delete(self.near, found), numpy.delete(self.ticks, found)
        return position

    def _near_heads(self, start: int) -> list[int]:
        """Places, of those from a start on, of near scores whose coins are heads."""
        if start == len(self.near) - 1:
            return [start]  # the largest alone
        gaps = self.ticks[-1] - self.ticks[start:]
        coins = exp_coins(gaps, self.unit, self.source, self._known)
        return [start + at for at in coins.nonzero()[0].tolist()]

    def _far_heads(self, start: int, largest: int) -> list[int]:
        """Places, of those before a start and after the near ones, whose coins are heads."""
        found: list[int] = []
        at, count, beside = self.tails, start + len(self.far), len(self.near) - start
        while at < count:
            place = at if at < start else at + beside
            if self._flipped(place, largest):
                found.append(place)
            at += 1 + geometric(1 / RARE, self.source)
        self.tails = at - count
        return found

    def _flipped(self, place: int, largest: int) -> bool:
        """The second coin of a far score, at a place among the near ones or after them."""
        if place < len(self.near):
            return self._second(largest - int(self.ticks[place]))
        position = int(self.far[place - len(self.near)])
        return position not in self.taken and self._second(largest - int(self.every[position]))

    def _second(self, gap: int) -> bool:
        """The coin of chance exp(-gap unit) / (1 - exp(-RARE))."""
        return is_below(LazyUniform(self.source), _quotient(gap * self.unit))


def _largest_but(ticks: Any, k: int) -> int:
    """The k-th largest entry.

    Of k lines or more, each the largest of some entries that lie far apart, the k-th largest is no
    larger than it; where few entries are as large, it is found among these.
    """
    lines = len(ticks) // _APART
    if lines > 2 * k:
        least = _largest_but(ticks[: lines * _APART].reshape(_APART, lines).max(axis=0), k)
        few = ticks[ticks >= least]
        ticks = few if len(few) < len(ticks) // 2 else ticks
    place = len(ticks) - k
    return int(numpy.partition(ticks, place)[place])


def _quotient(gamma: Fraction) -> Callable[[int], tuple[int, int]]:
    """Enclosures of exp(-gamma) / (1 - exp(-RARE)), gamma >= FAR."""

    def enclose(bits: int) -> tuple[int, int]:
        more = bits + _MORE
        low, high = exp_fixed(-gamma, more)
        least, most = exp_fixed(-RARE, more)
        least, most = (1 << more) - most, (1 << more) - least
        return (low << bits) // most, -(-(high << bits) // least)

    return enclose
