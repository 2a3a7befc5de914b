"""How sums over rows are computed in one pass: which steps, in pieces of how many rows, and what is
known beforehand of the numbers that they give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from metricdp.columns.arrays import Plan
from metricdp.columns.grids import GridRange
from metricdp.columns.language import Node
from metricdp.columns.quick import QuickPlan, quicker
from metricdp.columns.sums import COMPUTED, MOVED, UNCLAMPED, ends, unclamped


class SumPlan(NamedTuple):
    """One pass.

    Attributes:
        plan, quick: its steps, those of the filter first; `quicker` of them.
        known, free: of every number, as for `RowSums.add`.
        same: position of a number that is the same in all rows, and is no factor -> that number.
        rows: of a piece.
    """

    plan: Plan
    quick: QuickPlan | None
    known: Sequence[int]
    free: Sequence[bool]
    same: Mapping[int, Any]
    rows: int


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
        else COMPUTED if nodes[i] is numbers[i] else UNCLAMPED
        for i, bound in enumerate(bounds)
    ]  # fmt: skip
    rows = plan.rows_of_sums(first)  # weights
    return SumPlan(plan, quicker(plan), known, plan.free()[first:], same, rows)
