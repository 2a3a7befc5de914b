"""Events about different groups of a table as parts that one unit reaches several of.

One unit changes at most `rows` rows in each of at most `touched` groups of a table, and
kept * rows in all (`domain.groups`).  Events about single groups, which share no row, are parts in
the sense of `measures.events.Parallel`: the movement of a part is that of `rows` rows, in units of
which one unit moves every part by at most 1, at most `touched` of them, and all by kept together
(`Reach`).  So k groups of a person pay for k parts, each for the rows of one group, where shares of
all k * m rows would have let one part move by all of them.  Parts of one group are one part, inside
of which its rows are shared out among those that share no row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import combinations

import msgspec

from metricdp.check.domain.groups import Group, InGroups
from metricdp.check.values.regions import Region, different, is_next, slope
from metricdp.expr import ONE, Expr, best, num
from metricdp.measures.events import Reach


class Split(msgspec.Struct, frozen=True):
    """Parts, by their positions, group by group; and how far one unit reaches among the groups."""

    groups: tuple[tuple[int, ...], ...]
    factor: Expr
    reach: Reach


def split(
    known: Iterable[InGroups], regions: list[Region], count: Expr = ONE, index: str = "",
    rely: Collection[str] = frozenset(),
) -> Split | None:  # fmt: skip
    """The groups of parts that share no row; None where some part may be about several groups.

    Args:
        regions: of every part.
        count, index: how many rounds there are of each, and the symbol of a round that no two
            rounds share a group by; "" where there is one.
        rely: parameters whose items are known to be different.
    """
    for each in known:
        held = [each.groups(region) for region in regions]
        if any(groups is None or len(groups) != 1 for groups in held):
            continue
        of_group: dict[Group, list[int]] = {}
        for place, groups in enumerate(held):
            of_group.setdefault(next(iter(groups or ())), []).append(place)
        if not all(_apart(a, b) for a, b in combinations(of_group, 2)):
            continue
        if index and (
            len(of_group) > 1
            or not any(_differs(each, index, frozenset(rely)) for each in of_group)
        ):
            continue
        number = num(len(of_group)) * count
        return Split(
            tuple(map(tuple, of_group.values())),
            best([each.of.kept, number]),
            Reach(best([each.of.touched, number]), ONE),
        )
    return None


def _apart(a: Group, b: Group) -> bool:
    """Whether two groups are certainly different ones."""
    return any(different(x, y) for x, y in zip(a, b, strict=True))


def _differs(group: Group, index: str, rely: Collection[str]) -> bool:
    """Whether the group of every round is another one."""
    for value in group:
        if value[0] == "key" and is_next(value, index, frozenset(rely)):
            return True
        if value[0] == "number":
            rise = slope(value[1], index)
            if rise is not None and rise.as_fraction():
                return True
    return False
