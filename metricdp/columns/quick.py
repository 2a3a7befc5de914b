"""Plans that clean as little as they can: what is no number is found where rows are added up.

Nearly all columns hold numbers only.  So doubles are read as they lie, and nothing looks for NaN or
infinities after an operation: through arithmetic NaN stays NaN, and what is infinite stays infinite
or becomes NaN.  Of every step it is known where its values may differ from those of `arrays.Plan`,
but for the sign of a zero: nowhere, where they are NaN, or where they are NaN or infinite.  What
could hide such an entry (a comparison, `min`, a function) is given values that were looked at.

A row in which such an entry shows is made again by the plan that cleans all, so results are the
same.  The other rows of its piece stay as they were read: what a row is has nothing to do with the
others, whoever writes to the columns meanwhile.  No bound rests on this: a sum enforces its own on
whatever a plan gives.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from math import isnan
from typing import Any, Final

import numpy as np

from metricdp.columns.arrays import ONE_PASS, Piece, Plan, Read, Step
from metricdp.columns.language import Node
from metricdp.columns.stored import Stored

#: Where values of a step may differ from clean ones.
NOWHERE, WHERE_NAN, WHERE_NO_NUMBER = range(3)
#: What is at most so large in size is not infinite.
_FINITE: Final = 1e308
#: Operators that give no number where they are given none.
_ARITHMETIC: Final = frozenset({"add", "sub", "mul", "neg", "abs"})

#: Values of the steps so far, columns -> the values of one step more.
Make = Callable[[list[Piece], Callable[..., Piece]], Piece]


def quicker(plan: Plan) -> QuickPlan | None:
    """The quick form of a plan whose results are only added up.

    Returns:
        None where a function from outside would see the sign of a zero.
    """
    called = any(node.operator == "called" for _, _, node in plan.steps)
    return None if called else QuickPlan(plan)


class QuickPlan:
    """The steps of a plan, on columns as they lie.

    Attributes:
        flat: where all of them are columns of doubles and arithmetic of which nothing is looked at:
            places that read, with their columns and the ends that they are moved between, and
            places of the arithmetic; else None.
    """

    def __init__(self, plan: Plan) -> None:
        self._results = plan.results
        reads = _quicker(plan)
        states: list[int] = []
        self._size = len(plan.steps)
        self._steps: list[tuple[int, Make, list[int], list[int]]] = []
        own: set[int] = set()  # places of arrays that nothing else holds
        single: set[int] = set()  # places of one number for all rows, which are no arrays
        for at, step in enumerate(plan.steps):
            _, given, node = step
            looked: list[int] = []
            if at in reads:
                read, state = reads[at]
                make = None if read is None else _reader(read)
                mine = state == WHERE_NAN
            else:
                state, looked = _after(node, given, states)
                make = _worker(step, own.intersection(plan.over[at]))
                if single.issuperset(given):  # a public number, or one made of such
                    single.add(at)
                mine = _keeps(node) and at not in single
            for i in looked:
                states[i] = NOWHERE
            states.append(state)
            if mine:
                own.add(at)
            if make is not None:
                self._steps.append((at, make, looked, plan.over[at]))
        self._looked = [i for i in set(plan.results) if states[i] == WHERE_NO_NUMBER]
        plainly = not self._looked and not any(looked for _, _, looked, _ in self._steps)
        self.flat = _flat(plan, reads, single) if plainly else None

    def run(self, columns: Callable[..., Piece]) -> tuple[list[Piece], Any]:
        """The values of the nodes, or NaN in their place.

        Args:
            columns: as for `Plan.run`.

        Returns:
            The values, and which rows the plan itself is to make; None for none of them.
        """
        found: list[Piece] = [None] * self._size
        odd: Any = None
        for at, make, looked, over in self._steps:
            if looked:
                odd = _looked_at(found, looked, odd)
            found[at] = make(found, columns)
            for i in over:
                found[i] = None
        odd = _looked_at(found, self._looked, odd)
        return [found[i] for i in self._results], odd


#: A place that reads, its column, and the ends between which what is read is moved.
FlatRead = tuple[int, int, tuple[float, float] | None]


def _flat(
    plan: Plan, reads: Mapping[int, tuple[Read | None, int]], single: Collection[int]
) -> tuple[list[FlatRead], list[int]] | None:
    found: list[FlatRead] = []
    worked: list[int] = []
    for at, (work, _, node) in enumerate(plan.steps):
        if at in reads:
            read = reads[at][0]
            if read is None:
                continue
            position, how = read
            if how is Stored.raw:
                found.append((at, position, None))
            elif isinstance(how, partial) and how.func is Stored.clipped:
                found.append((at, position, how.keywords["ends"]))
            else:
                return None
        elif at not in single:
            if not _keeps(node) or work not in ONE_PASS:
                return None
            worked.append(at)
    return found, worked


def _looked_at(found: list[Piece], places: Sequence[int], odd: Any) -> Any:
    """Zeros in place of what is no number; the rows in which it stood, beside `odd`."""
    for i in places:
        if not finite(found[i]):
            none = ~np.isfinite(found[i])
            found[i] = np.where(none, 0.0, found[i])
            odd = none if odd is None else odd | none
    return odd


def without_number(values: Sequence[Any], odd: Any) -> Any:
    """The rows of a piece in which a value is NaN, and those that are known to be odd."""
    found = np.zeros(len(values[0]), np.bool_) if odd is None else odd
    for x in values:
        if x.dtype.kind == "f":
            found = found | np.isnan(x)
    return found


def patched(values: Sequence[Any], odd: Any, again: Sequence[Any]) -> list[Any]:
    """Values of a piece with those of its odd rows, which were made again."""
    made = []
    for x, fresh in zip(values, again, strict=True):
        x = x.astype(np.result_type(x, fresh))
        x[odd] = fresh
        made.append(x)
    return made


def finite(x: Any) -> bool:
    """Whether all doubles are seen to be numbers; huge ones may not be."""
    found = float(np.einsum("i->", x))
    return not isnan(found - found)


def _quicker(plan: Plan) -> dict[int, tuple[Read | None, int]]:
    """Place of a step -> what it reads, and where that differs from what the plan reads."""
    found: dict[int, tuple[Read | None, int]] = {}
    for at, read in plan.reads.items():
        node = plan.steps[at][2]
        found[at] = read, NOWHERE
        if read is not None and node.operator == "clamp":
            found[at] = (read[0], partial(Stored.clipped, ends=node.public)), WHERE_NAN
    for at, (_, given, node) in enumerate(plan.steps):
        if at not in plan.reads and _keeps(node):
            for i in plan.once.intersection(given):
                found[i] = (plan.steps[i][2].public, Stored.raw), WHERE_NO_NUMBER
    return found


def _keeps(node: Node) -> bool:
    return node.operator in _ARITHMETIC and node.base == "double" and node.width is None


def _after(node: Node, given: Sequence[int], states: Sequence[int]) -> tuple[int, list[int]]:
    """Where values of an operator differ, and what of its arguments is to be looked at before."""
    if not given:
        return NOWHERE, []
    worst = max(states[i] for i in given)
    if _keeps(node):
        grown = node.operator in ("add", "sub", "mul") and node.most >= _FINITE
        return (WHERE_NO_NUMBER if grown else worst), []
    single = node.base == "double" and node.width is None
    if single and node.operator == "select":
        return worst, []
    if single and node.operator in ("clamp", "min", "max"):
        # An infinite end moves to a number; NaN stays.
        wide = [i for i in given if states[i] == WHERE_NO_NUMBER]
        nan = any(states[i] == WHERE_NAN for i in given)
        return (WHERE_NAN if nan else NOWHERE), wide
    return NOWHERE, [i for i in set(given) if states[i] != NOWHERE]


def _reader(read: Read) -> Make:
    return lambda found, columns: columns(*read)


def _worker(step: Step, over: Collection[int]) -> Make:
    """What makes a step.

    Args:
        over: places of arrays that may be written on.
    """
    work, given, node = step
    if _keeps(node):
        one_pass = ONE_PASS.get(work)
        if one_pass is not None and over and len(given) <= 2:
            # Of a small number nothing is cleaned.
            first, last, into = given[0], given[-1], min(over)
            if len(given) == 1:
                return lambda found, columns: one_pass(found[first], out=found[into])
            return lambda found, columns: one_pass(found[first], found[last], found[into])
        node = Node(node.operator, node.arguments, node.base, node.width, node.public, 0.0)
    return lambda found, columns: work(node, *[found[i] for i in given])
