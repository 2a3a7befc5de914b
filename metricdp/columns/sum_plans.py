"""How sums over rows are computed in one pass: which steps, in pieces of how many rows, and what is
known beforehand of the numbers that they give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

from metricdp.columns.arrays import Plan
from metricdp.columns.flat import FlatPlan, flat_plan
from metricdp.columns.grids import GridRange
from metricdp.columns.language import Node
from metricdp.columns.products import ROWS
from metricdp.columns.quick import QuickPlan, quicker
from metricdp.columns.sums import COMPUTED, MOVED, UNCLAMPED, ends, unclamped

#: Sizes of what is computed are bounded with room for rounding.
_HARDLY: Final = 1 + Fraction(1, 1 << 30)


class SumPlan(NamedTuple):
    """One pass.

    Attributes:
        plan, quick: its steps, those of the filter first; `quicker` of them.
        known, free: of every number, as for `RowSums.add`.
        same: position of a number that is the same in all rows, and is no factor -> that number.
        rows: of a piece.
        flat: its flat form; None where it has none.
    """

    plan: Plan
    quick: QuickPlan | None
    known: Sequence[int]
    free: Sequence[bool]
    same: Mapping[int, Any]
    rows: int
    flat: FlatPlan | None


def sum_plan(
    asked: Sequence[Node],
    bounds: Sequence[GridRange],
    pairs: Sequence[tuple[int, int]],
    filtered: bool,
) -> SumPlan:
    """The pass that gives the sums of some numbers, each moved into its bound.

    Args:
        pairs: positions of the factors of the products that are summed.
        filtered: whether the first node is the condition of the rows that count.
    """
    first = int(filtered)
    numbers = asked[first:]
    pairs_of = zip(numbers, bounds, strict=True)
    nodes = [unclamped(node, *ends(bound)) for node, bound in pairs_of]
    factors = {i for pair in pairs for i in pair}
    every = (i for i, node in enumerate(nodes) if node.operator == "constant")
    same = {i: nodes[i].public for i in every if i not in factors}
    plan = Plan([*asked[:first], *nodes], summed=True)
    known = [
        MOVED if plan.inside(first + i, *ends(bound))
        else COMPUTED if nodes[i] is numbers[i] or _near(nodes[i], bound)
        else UNCLAMPED
        for i, bound in enumerate(bounds)
    ]  # fmt: skip
    rows = plan.rows_of_sums(first)  # weights
    if factors:
        rows = min(rows, ROWS)
    quick = quicker(plan)
    flat = None if filtered or pairs else flat_plan(plan, quick, bounds, known, same)
    return SumPlan(plan, quick, known, plan.free()[first:], same, rows, flat)


def _near(node: Node, bound: GridRange) -> bool:
    """Whether numbers are known to be hardly larger than a bound: it is quicker to look whether all
    lie inside, as they do most often, than to move them."""
    return node.most <= _HARDLY * max(map(abs, ends(bound)))
