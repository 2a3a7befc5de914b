"""What a program asks of rows on engines, known before its run: the rehearsal heard every question.

A run asks the questions about one table together, in one query, when the first of them comes.  What
was foreseen and never comes is not used, and what comes and was not foreseen is asked by itself: a
branch that a released number decides may go another way than in the rehearsal.  Answers are kept by
whoever holds the rows, for one run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, NamedTuple

from metricdp.columns.equal import equality
from metricdp.columns.graphs import in_order
from metricdp.columns.grids import Bound
from metricdp.columns.groups import same
from metricdp.columns.language import Node
from metricdp.engines import elementary

#: Questions of one query: beyond, plans of engines take longer than one more look at all rows.
_MOST: Final = 24
_NODES: Final = 400
#: Operators of which Python may compute the different values: one more query.
_PYTHON: Final = frozenset(("text", "by_value"))


class RowQuestion(NamedTuple):
    """Sums over the rows of which a condition holds, and how many these are.

    Attributes:
        where: None for all rows.
        asked: what is summed, and within which bound.
        summed: places of what is summed; None for all, of which some may be vectors.
        pairs: places of the factors of products that are summed.
    """

    where: Node | None
    asked: tuple[tuple[Node, Bound], ...]
    summed: tuple[int, ...] | None = None
    pairs: tuple[tuple[int, int], ...] = ()

    @property
    def nodes(self) -> list[Node]:
        """What has to be known of a row."""
        return [*(node for node, _ in self.asked), *([] if self.where is None else [self.where])]

    @property
    def key(self) -> Hashable:
        """What tells it from other questions; None where that cannot be told."""
        if self.where is None and not self.asked:
            return (), True, (), self.summed, self.pairs
        found = same(self.where, *(node for node, _ in self.asked))
        if found is None:
            return None
        told = found, self.where is None, tuple(bound for _, bound in self.asked)
        return (*told, self.summed, self.pairs)


class Foreseen:
    """What a rehearsal heard; rows are told apart by how they were made."""

    def __init__(self) -> None:
        self._questions: dict[Hashable, dict[Hashable, RowQuestion]] = {}
        self._times: Counter[Hashable] = Counter()
        self._several: set[Hashable] = set()

    def heard(self, rows: Hashable, question: RowQuestion) -> None:
        """A question about some rows."""
        key = question.key
        self._times[rows] += key is None
        if key is not None:
            self._questions.setdefault(rows, {})[key] = question

    def heard_other(self, rows: Hashable) -> None:
        """A question of another kind, which is asked by itself."""
        self._times[rows] += 1

    def heard_several(self, rows: Hashable, position: int) -> None:
        """That a column is compared with several constants: its groups are asked for then."""
        self._several.add((rows, position))
        kept = self._questions.get(rows, {})
        for key, question in [*kept.items()]:
            found = None if question.where is None else equality(question.where)
            if found is not None and found[0][0] == position:
                del kept[key]

    def has_several(self, rows: Hashable, position: int) -> bool:
        """Whether a column is compared with several constants."""
        return (rows, position) in self._several

    def beside(self, rows: Hashable, question: RowQuestion) -> list[RowQuestion]:
        """A question, and those about the same rows that will be asked too."""
        key, kept = question.key, self._questions.get(rows, {})
        if key is None or key not in kept:
            return [question]
        found, nodes = [question], _size([question])
        for other, each in kept.items():
            nodes += _size([each])
            if len(found) >= _MOST or nodes > _NODES:
                break
            if other != key:
                found.append(each)
        return found

    def once(self, rows: Hashable) -> bool:
        """Whether some rows, their groups counted, are asked one query at most in the whole run."""
        queries = sum(n for each, n in self._times.items() if _about(each, rows))
        for each, kept in self._questions.items():
            if kept and _about(each, rows):
                asked = [*kept.values()]
                fits = len(asked) <= _MOST and _size(asked) <= _NODES
                python = any(n.operator in _PYTHON for q in asked for n in in_order(q.nodes)[0])
                queries += 1 if fits and not python else 2
        return queries <= 1


def _about(asked: Hashable, rows: Hashable) -> bool:
    """Whether what was asked is some rows, or was made of them."""
    return asked == rows or (isinstance(asked, tuple) and rows in asked[1:2])


def _size(questions: Sequence[RowQuestion]) -> int:
    return sum(len(in_order(each.nodes)[0]) for each in questions)


def batched(question: RowQuestion) -> bool:
    """Whether a question may stand beside others: elementary functions are long by themselves."""
    return not any(n.operator in elementary.NAMES for n in in_order(question.nodes)[0])


class ForeseenRun:
    """One run: what its rehearsal heard, and what was answered so far.

    Args:
        foreseen: filled in a rehearsal.
        hearing: whether this is the rehearsal.
    """

    def __init__(self, foreseen: Foreseen, hearing: bool) -> None:
        self.foreseen, self.hearing = foreseen, hearing
        self._answers: dict[int, tuple[Any, dict[Hashable, list[int]]]] = {}

    def answers(self, rows: Any) -> dict[Hashable, list[int]]:
        """The answers about some rows, by what tells their questions apart."""
        return self._answers.setdefault(id(rows), (rows, {}))[1]


_RUN: ContextVar[ForeseenRun | None] = ContextVar("metricdp_run", default=None)


@contextmanager
def foreseeing(foreseen: Foreseen | None, hearing: bool = False) -> Iterator[None]:
    """Have what a rehearsal heard used inside the block, or have it heard."""
    token = _RUN.set(None if foreseen is None else ForeseenRun(foreseen, hearing))
    try:
        yield
    finally:
        _RUN.reset(token)


def running() -> ForeseenRun | None:
    """The run that goes on; None where nothing is foreseen."""
    return _RUN.get()
