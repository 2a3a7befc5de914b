"""Sums that a program asks of the same rows one after the other, made in one pass.

A program that adds noise to a sum before it asks for the next one reads its rows once for each.
Which sums follow each other is a fact about the program and its public numbers, and is kept with
its plans (`planned`): what followed in two runs is made with the first in the next.  It is used if
it is asked for, with the same nodes and bounds, and is nothing of the run if it is not.  What holds
a function from outside is made when it is asked for, and never before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from metricdp.columns.grids import GridRange
from metricdp.columns.language import Node
from metricdp.columns.planned import Plans, kept, planned, told
from metricdp.columns.products import RowSums
from metricdp.columns.sum_plans import SumPlan, sum_plan

#: Questions that are answered in one pass.
_MOST: Final = 4


class _Question(NamedTuple):
    """Sums that are asked for together.

    Attributes:
        key: what tells them from others, and the columns that they are of.
    """

    key: Any
    nodes: tuple[Node, ...]
    bounds: tuple[GridRange, ...]


class _Next:
    """What followed a question.

    Attributes:
        first, then: the question, and what followed it: of one run, so that they share nodes.
        sure: whether it has followed again.
        other: whether something else has followed.
    """

    __slots__ = ("first", "other", "sure", "then")

    def __init__(self, first: _Question, then: _Question) -> None:
        self.first, self.then = first, then
        self.sure = self.other = False


#: A plan, and the bounds of its sums -> the sums, of one pass over all rows.
Run = Callable[[SumPlan, Sequence[GridRange]], RowSums]


class Ahead:
    """The questions that one run asks of all rows of a table.

    Args:
        columns: kinds of its stored columns.
    """

    __slots__ = ("_columns", "_last", "_ready")

    def __init__(self, columns: Any) -> None:
        self._columns = columns
        self._last: _Question | None = None
        self._ready: dict[Any, list[int]] = {}

    def sums(self, nodes: Sequence[Node], bounds: Sequence[GridRange], run: Run) -> RowSums:
        """Exact sums of some numbers, each moved into its bound."""
        plans, known = kept(), told(nodes)
        if plans is None or known is None:
            self._last = None
            return run(planned(sum_plan, nodes, tuple(bounds), (), False), bounds)
        asked = _Question((self._columns, known, tuple(bounds)), tuple(nodes), tuple(bounds))
        self._noted(plans, asked)
        ticks = self._ready.pop(asked.key, None)
        if ticks is None:
            ticks = self._made(plans, asked, run)
        found = RowSums(bounds, range(len(bounds)), [])
        found.known(dict(enumerate(ticks)), {})
        return found

    def _noted(self, plans: Plans, asked: _Question) -> None:
        last, self._last = self._last, asked
        if last is None:
            return
        known: _Next | None = plans.get((Ahead, last.key))
        if known is None:
            plans[Ahead, last.key] = _Next(last, asked)
        elif known.then.key == asked.key:
            known.sure = True
        else:
            known.other = True

    def _made(self, plans: Plans, asked: _Question, run: Run) -> list[int]:
        """The sums that are asked for; those that will follow are kept until they are."""
        known: _Next | None = plans.get((Ahead, asked.key))
        together = [asked]
        while known is not None and known.sure and not known.other and len(together) < _MOST:
            if len(together) == 1:
                together = [known.first]
            if any(known.then.key == each.key for each in together):
                break
            together.append(known.then)
            known = plans.get((Ahead, known.then.key))
        nodes = [node for each in together for node in each.nodes]
        bounds = tuple(bound for each in together for bound in each.bounds)
        ticks = run(planned(sum_plan, nodes, bounds, (), False), bounds).ticks()
        start = len(asked.bounds)
        for each in together[1:]:
            stop = start + len(each.bounds)
            self._ready[each.key] = ticks[start:stop]
            start = stop
        return ticks[: len(asked.bounds)]
