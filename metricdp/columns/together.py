"""All parts of a table at once: what a program asks of one part after the other, asked of them all.

A program that goes through public keys and adds noise to one number of every part asks each of them
the same.  `every_part` stands for all of them in one call of the function that asks: it makes the
same nodes of a row, and has all sums in one pass.  What it cannot answer for all parts alike it
refuses, and so does the result: the parts are then asked one by one, by the same function.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from metricdp.columns.grids import Bound, GridRange, scaled
from metricdp.columns.groups import GroupCodes
from metricdp.columns.language import Node, Untraceable
from metricdp.columns.part_tables import PartTables
from metricdp.columns.table import Table


class EveryPart:
    """The rows of every key, none of which can be read from here.

    Args:
        groups: of which all parts stand here, in their order.
    """

    __slots__ = ("groups",)
    every = True

    def __init__(self, groups: GroupCodes) -> None:
        self.groups = groups

    def __len__(self) -> int:
        raise Untraceable("the rows of all parts")

    @property
    def positions(self) -> Any:
        """Raises:
        Untraceable: always; rows of one part belong to no other.
        """
        raise Untraceable("the rows of all parts")

    def ticks(self, where: Node | None, asked: Sequence[tuple[Node, Bound]]) -> list[Any]:
        """The sums of each part, as `Table.ticks` has them.

        Raises:
            Untraceable: the parts are read one by one.
        """
        if any(not isinstance(bound, GridRange) for _, bound in asked):
            raise Untraceable("vectors of all parts")
        found = self.groups.sums(where, asked)
        if found is None:
            raise Untraceable("sums of parts that are read one by one")
        # Behind the last part stands the sum of the rows that are in none.
        return [
            PerPart(ticks[: self.groups.count], bound.exponent)
            for ticks, (_, bound) in zip(found, asked, strict=True)
            if isinstance(bound, GridRange)
        ]

    def tallies(self, *given: Any) -> Any:
        """Raises:
        Untraceable: always.
        """
        raise Untraceable("the counts of all parts")

    def sizes(self) -> PerPart:
        """The number of rows of each part."""
        return PerPart(self.groups.counts[:-1].tolist(), 0)


class PerPart:
    """One private number for every part: steps of a grid.  It answers nothing else.

    Attributes:
        ticks: an integer for every part, in their order.
        exponent: a step is 2**exponent.
    """

    __slots__ = ("exponent", "ticks")
    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None

    def __init__(self, ticks: list[int], exponent: int) -> None:
        self.ticks, self.exponent = ticks, exponent

    def numbers(self) -> Any:
        """The numbers as `Numbers`."""
        import numpy as np

        from metricdp.values import Numbers

        most = max(map(abs, self.ticks), default=0)
        array = np.empty(len(self.ticks), np.int64 if most < 1 << 62 else object)
        array[:] = self.ticks
        return Numbers(array, scaled(Fraction(1), self.exponent), most=most)

    def __eq__(self, other: object) -> bool:
        raise Untraceable("a comparison of what all parts have")

    def __bool__(self) -> bool:
        raise Untraceable("the truth value of what all parts have")

    def __repr__(self) -> str:
        return "PerPart(private)"


def every_part(items: Any) -> Table | None:
    """What stands for all parts of a table; None of anything but all of them, in their order."""
    if type(items) is not PartTables or not len(items):
        return None
    like = items.like
    return Table(like.columns, like.row, None, EveryPart(items.groups), like.value)
