"""Passes over the rows of one table: one that differs from an earlier one in public numbers alone
is not planned again.

The rounds of a loop ask for the same values of every row, with other weights.  What was planned for
one round stands for the next where the nodes are the same and every constant is, but for those
that only arithmetic with values of the row reads: they are put into its steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from operator import is_
from typing import Any, Final, NamedTuple

from metricdp.columns.arrays import Plan
from metricdp.columns.graphs import in_order, told
from metricdp.columns.language import Node
from metricdp.columns.progress import more_rounds
from metricdp.columns.repeated import Planned, Returning

#: Different passes that are remembered of one table.
_MOST: Final = 64
#: Operators whose steps read their constants afresh, whatever these are.
_ARITHMETIC: Final = frozenset({"add", "sub", "mul", "div"})


class Pass(NamedTuple):
    """What one pass computes.

    Attributes:
        fresh: nodes whose values are to be kept, by their keys; their results come last.
        sizes: for every node that was asked for, what `Returning.largest` says of its values by
            norm, where all of them are kept.
    """

    plan: Plan
    fresh: dict[int, Node]
    sizes: Sequence[Callable[[str], float] | None]


class _Known(NamedTuple):
    """A pass that was planned before.

    Attributes:
        sources: for every step the place of its node among what the pass needs, in order; None
            of what stays: what is kept, and constants that have to be the same.
        fixed: places of constants that have to be the same, and what they were.
        keys: of what is kept and read.
    """

    made: Pass
    sources: list[int | None]
    fixed: list[tuple[int, Any]]
    keys: list[int]


class _Asked(NamedTuple):
    """A pass that was asked for before, with the very nodes that were asked for.

    Attributes:
        ordered: what they need, in order.
        constants: steps that read their constants afresh, with these.
        fixed: constants that have to be the same, with what they were.
    """

    nodes: tuple[Node, ...]
    ordered: list[Node]
    known: _Known
    made: Pass
    constants: list[tuple[int, Node]]
    fixed: list[tuple[Node, Any]]

    def holds(self) -> bool:
        """Whether the constants are the same that have to be: the very same, or equal ones."""
        same = all(node.public is was for node, was in self.fixed)
        return same or _holds(self.known, self.ordered)

    def is_of(self, nodes: Sequence[Node]) -> bool:
        """Whether these are the nodes."""
        return len(nodes) == len(self.nodes) and all(map(is_, nodes, self.nodes))


class Passes:
    """Passes over one table; see `Returning` for the arguments."""

    def __init__(self, rows: int, columns: int) -> None:
        self._columns = columns
        self._known: dict[Any, _Known] = {}
        self._met: Counter[Any] = Counter()
        self.returning = Returning(rows, columns)
        self._version = self.returning.version
        self._last: _Asked | None = None

    def of(self, nodes: Sequence[Node]) -> Pass:
        """The pass that gives the values of some nodes."""
        current = self._version == self.returning.version
        last = self._last if current else None
        # The constants of the very same nodes may have taken other values since.
        if last is not None and last.is_of(nodes) and last.holds():
            self.returning.met_again(last.known.keys)
            return last.made._replace(plan=last.made.plan.renewed(last.constants))
        ordered, place = in_order(nodes)
        shape = _shape(nodes, ordered, place)
        known = self._known.get(shape) if current else None
        if known is None or not _holds(known, ordered):
            return self._planned(nodes, ordered, shape)
        self.returning.met_again(known.keys)
        sources = [(at, ordered[i]) for at, i in enumerate(known.sources) if i is not None]
        made = known.made._replace(plan=known.made.plan.renewed(sources))
        constants = [(at, node) for at, node in sources if node.operator == "constant"]
        fixed = [(ordered[i], ordered[i].public) for i, _ in known.fixed]
        self._last = _Asked(tuple(nodes), ordered, known, made, constants, fixed)
        return made

    def _planned(self, nodes: Sequence[Node], ordered: list[Node], shape: Any) -> Pass:
        found = self.returning.planned(nodes, more_rounds())
        fresh, of = found.fresh, self.returning
        sizes = [partial(of.largest, n.public) if of.is_kept(n) else None for n in found.nodes]
        made = Pass(Plan([*found.nodes, *fresh.values()]), fresh, sizes)
        if len(self._met) >= _MOST:
            self._known, self._met = {}, Counter()
        if self._version != self.returning.version:
            self._known, self._version = {}, self.returning.version
        self._met[shape] += 1
        # What is met a second time is kept from then on.
        if self._met[shape] > 1 and not fresh:
            self._remember(shape, made, ordered, found)
        return made

    def _remember(self, shape: Any, made: Pass, ordered: list[Node], found: Planned) -> None:
        place_of: dict[int, int] = {}
        for at, node in enumerate(ordered):
            place_of.setdefault(found.keys[id(node)], at)
        key_of = {id(node): key for key, node in found.made.items()}
        sources: list[int | None] = []
        for _, _, node in made.plan.steps:
            if self.returning.is_kept(node):
                sources.append(None)
            elif id(node) in key_of:
                sources.append(place_of[key_of[id(node)]])
            else:
                return
        free = _free(ordered, found, made.plan, sources)
        fixed = [
            (at, told(node.public)) for at, node in enumerate(ordered)
            if node.operator == "constant" and at not in free
        ]  # fmt: skip
        stay = {at for at, _ in fixed}
        sources = [None if at in stay else at for at in sources]
        kept = [key for key, node in found.made.items() if self.returning.is_kept(node)]
        self._known[shape] = _Known(made, sources, fixed, kept)


def _holds(known: _Known, ordered: list[Node]) -> bool:
    """Whether the constants are the same that have to be."""
    return all(told(ordered[i].public) == was for i, was in known.fixed)


def _shape(nodes: Sequence[Node], ordered: list[Node], place: dict[int, int]) -> Any:
    """What tells passes apart, but for the values of constants."""
    found: list[Any] = [place[id(node)] for node in nodes]
    for node in ordered:
        public = node.public
        if public is not None:
            public = None if node.operator == "constant" else told(public)
        given = [place[id(a)] for a in node.arguments]
        found.append((node.operator, node.base, node.width, public, *given))
    return tuple(found)


def _free(ordered: list[Node], found: Planned, plan: Plan, sources: list[int | None]) -> set[int]:
    """Places of constants that the steps of a plan may read other values of.

    Nothing that is kept was computed from them, no step was chosen by them, and no other constant
    was taken for the same one.
    """
    computed = {i for i in sources if i is not None}
    same = {i for at, i in enumerate(sources) if i is not None and plan.is_public(at)}
    times = Counter(found.keys[id(n)] for n in ordered)
    free = set()
    readers: dict[int, list[int]] = {}
    for at, node in enumerate(ordered):
        for argument in node.arguments:
            readers.setdefault(id(argument), []).append(at)
    for at, node in enumerate(ordered):
        alone = at in computed and times[found.keys[id(node)]] == 1
        if node.operator == "constant" and node.base == "double" and alone:
            by = readers.get(id(node), [])
            fresh = all(i in computed and i not in same for i in by)
            if fresh and all(ordered[i].operator in _ARITHMETIC for i in by):
                free.add(at)
    return free
