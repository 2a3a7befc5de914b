"""How far several values move together, where no row moves all of them.

Movements from one source add up.  Where two values are moved by disjoint regions of its rows, one
row moves one of them; k rows, of which k_i move the i-th, move them by the sum of m_i(k_i), and
where every m_i is linear that is at most the largest m_i(k).  Of linear movements by regions of
which some overlap, one row makes those of a group that overlaps pairwise, and the largest sum of
such a group is the bound.  Under a metric that replaces rows one unit may take a row from one
region and put one into another.  There regions come from filters alone, whose results move by two
rows per unit: a linear movement m_i of one unit is twice that of one row, so the sum of two halves,
each of one such group, is at most the larger.  What is not linear adds up.

Where all regions are of positions, under Hamming distance, a unit moves the values of one group,
each by m_i(1), and a distance is a whole number: a bound c that does not grow is at most c d, which
is linear.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from metricdp.check.values.forms import DISTANCES, Movement, Source
from metricdp.check.values.regions import Region, arranged, by_position
from metricdp.expr import D, Expr, linear_coefficient, maximum

Regions = Mapping[Source, Region]
#: How often a sum is divided by whether a row lies in one region.
_MOST_SPLITS = 64


def total_over_regions(
    parts: Sequence[tuple[Regions, Mapping[Source, Movement]]],
) -> dict[Source, dict[str, Expr]]:
    """Per source and norm, the movement of a sum of values."""
    found: dict[Source, list[tuple[Region, Movement]]] = {}
    for regions, bounds in parts:
        for source, movement in bounds.items():
            found.setdefault(source, []).append((regions.get(source), movement))
    return {source: dict(together(each, added)) for source, each in found.items()}


def together(
    parts: Sequence[tuple[Region, Movement]], add: Callable[[Sequence[Movement]], Movement]
) -> Movement:
    """The movement of several values, each moved by a region of the rows of one source.

    Args:
        add: of values that one row may move all of.
    """
    regions = [region for region, _ in parts]
    if len(parts) < 2 or sum(region is not None for region in regions) < 2:
        return add([movement for _, movement in parts])

    if all(by_position(region) for region in regions if region is not None):
        parts = [(region, {n: _growing(b) for n, b in each.items()}) for region, each in parts]

    def at_most(splits: int) -> Movement:
        return arranged(
            regions, add, lambda each: _largest(each, add), lambda i: parts[i][1], splits
        )

    found = at_most(_MOST_SPLITS) if _all_linear([movement for _, movement in parts]) else {}
    # What a split puts into two alternatives counts twice where they add up.
    return found if found and _all_linear([found]) else at_most(0)


def _growing(bound: Expr) -> Expr:
    """A linear bound in place of one that is the same for every distance above 0."""
    grows = not bound.symbols.isdisjoint(DISTANCES)
    return bound if bound.is_infinite or grows else bound * D


def _all_linear(movements: Sequence[Movement]) -> bool:
    return all(
        each.keys() == movements[0].keys()
        and all(linear_coefficient(bound) is not None for bound in each.values())
        for each in movements
    )


def added(parts: Sequence[Movement]) -> Movement:
    """The sum, in every norm that all have."""
    if len(parts) == 1:
        return parts[0]
    norms = [norm for norm in parts[0] if all(norm in part for part in parts)]
    return {norm: sum((part[norm] for part in parts[1:]), parts[0][norm]) for norm in norms}


def _largest(
    parts: Sequence[Movement], add: Callable[[Sequence[Movement]], Movement]
) -> Movement:  # fmt: skip
    total = add(parts)
    return {
        norm: maximum(*dict.fromkeys(part[norm] for part in parts))
        if all(norm in part and linear_coefficient(part[norm]) is not None for part in parts)
        else bound
        for norm, bound in total.items()
    }
