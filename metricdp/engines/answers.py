"""Questions about rows on an engine as expressions, and what comes back as answers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import islice
from typing import Any, Final, Protocol

from metricdp.columns.grids import Bound, GridRange, Squares
from metricdp.columns.language import Node
from metricdp.engines.dialect import Dialect, NoForm
from metricdp.engines.expressions import Expressions
from metricdp.engines.foreseen import RowQuestion, batched, running

#: Bits of products that add up within 128.
_BITS: Final = 86


class AskedRows(Protocol):
    """What is asked: rows, or all groups of rows."""

    @property
    def made_as(self) -> Hashable:
        """What tells them from others in a run."""


def answer(
    rows: AskedRows,
    question: RowQuestion,
    asked: Callable[[Sequence[RowQuestion]], Sequence[Any]],
) -> Any:
    """The answer to a question about rows, or about each of their groups.

    What the run's rehearsal heard of the same rows is asked with it, and kept for the run.
    """
    run = running()
    if run is None:
        return asked([question])[0]
    known, key = run.answers(rows), question.key
    if run.hearing:
        if batched(question):
            run.foreseen.heard(rows.made_as, question)
        else:
            run.foreseen.heard_other(rows.made_as)
        if key is None:
            return asked([question])[0]
        if key not in known:  # what is asked of every key is planned once
            known[key] = asked([question])[0]
        return known[key]
    if key is None or key not in known:
        several = run.foreseen.beside(rows.made_as, question)
        found = asked(several)
        known.update((each.key, line) for each, line in zip(several, found, strict=True))
        return found[0]
    return known[key]


def aggregates(
    sql: Dialect, made: Expressions, question: RowQuestion, test: str | None
) -> list[str]:
    """The number of rows and their sums, as expressions.

    Args:
        test: which rows count; None for all.
    """

    def chosen(x: str) -> str:
        return x if test is None else f"CASE WHEN {test} THEN {x} END"

    bounds = [bound for _, bound in question.asked]
    steps = [made.steps(node, bound) for node, bound in question.asked]
    count = "count(*)" if test is None else f"count({chosen('1')})"
    if question.summed is None:
        return [count, *(
            sql.total(chosen(step), _size(bound))
            for each, bound in zip(steps, bounds, strict=True) for step in each
        )]  # fmt: skip
    bits = [_bits(bound) for bound in bounds if isinstance(bound, GridRange)]
    if any(bits[i] + bits[j] > _BITS for i, j in question.pairs):
        raise NoForm("products of numbers of so many bits")
    products = (f"CAST({steps[i][0]} AS {sql.huge}) * ({steps[j][0]})" for i, j in question.pairs)
    return [
        count,
        *(sql.total(chosen(steps[i][0]), _size(bounds[i])) for i in question.summed),
        *(sql.total(chosen(product), 1 << _BITS) for product in products),
    ]


def by_questions(found: Sequence[Any], questions: Sequence[RowQuestion]) -> list[list[int]]:
    """Numbers one after the other: for every question its own."""
    listed, made = (int(x or 0) for x in found), []
    for question in questions:
        several = sum(numbers(node, bound) for node, bound in question.asked)
        if question.summed is not None:
            several = len(question.summed) + len(question.pairs)
        made.append([*islice(listed, 1 + several)])
    return made


def numbers(node: Node, bound: Bound) -> int:
    """How many numbers the sum of a node is."""
    return 1 if node.width is None else node.width ** (2 if isinstance(bound, Squares) else 1)


def by_question(found: Sequence[Any], asked: Sequence[tuple[Node, Bound]]) -> list[Any]:
    """Sums one after the other: for everything that is asked a number, or those of a vector."""
    listed, made = map(int, found), []
    for node, bound in asked:
        entries = list(islice(listed, numbers(node, bound)))
        made.append(entries[0] if node.width is None else entries)
    return made


def _bits(bound: GridRange) -> int:
    return _size(bound).bit_length()


def _size(bound: Bound) -> int:
    """A bound on the size of what rows add, in steps."""
    if isinstance(bound, GridRange):
        return max(-bound.first, bound.last)
    return 1 << (_BITS if isinstance(bound, Squares) else 62)
