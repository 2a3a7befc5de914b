"""Sums that follow each other are made in one pass, and are the sums of the rows that are asked."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from metricdp.columns.language import clamp, mul
from metricdp.columns.planned import Plans, keeping
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table

Ask = Callable[[Table], Fraction]


def of(entries: Any) -> Table:
    column = Stored("double" if entries.dtype.kind == "f" else "integer", entries)
    return Table((column,), column.node(0))


def rows(seed: int) -> Any:
    made = np.random.default_rng(seed).uniform(-3, 12, 1_000)
    made[::97], made[5], made[6] = np.nan, np.inf, -np.inf
    return made


def asks(low: float = 0) -> list[Ask]:
    """A sum, and one of squares of the same numbers, as two lines of a program ask for them."""

    def total(table: Table) -> Fraction:
        kept = table.with_row(clamp(table.row, low, 10))
        return kept.total()  # type: ignore[no-any-return]

    def squares(table: Table) -> Fraction:
        kept = clamp(table.row, low, 10)
        return table.with_row(clamp(mul(kept, kept), 0, 100)).total()  # type: ignore[no-any-return]

    def more(table: Table) -> Fraction:
        return table.with_row(clamp(table.row, -1, 1)).total()  # type: ignore[no-any-return]

    return [total, squares, more]


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one for each pass over rows."""
    made: list[int] = []
    one_pass = Table._pass

    def counted(self: Table, *given: Any) -> Any:
        made.append(1)
        return one_pass(self, *given)

    monkeypatch.setattr(Table, "_pass", counted)
    return made


def run(plans: Plans, entries: Any, questions: list[Ask], passes: list[int]) -> int:
    """Ask one after the other, compare with who asks alone, and say how many passes it took."""
    table, before = of(entries), len(passes)
    with keeping(plans):
        found = [ask(table) for ask in questions]
    took = len(passes) - before
    assert found == [ask(of(entries)) for ask in questions]
    return took


def test_what_followed_twice_is_made_with_the_first(passes: list[int]) -> None:
    plans: Plans = {}
    total, squares, more = asks()
    line = [total, squares, more]
    # Other rows each time: sums that were kept from an earlier run would be wrong.
    assert [run(plans, rows(seed), line, passes) for seed in range(4)] == [3, 3, 1, 1]
    assert run(plans, rows(9), [total], passes) == 1  # what does not follow is not missed
    assert run(plans, rows(10), line, passes) == 1


def test_what_follows_differently_is_not_made_before(passes: list[int]) -> None:
    plans: Plans = {}
    total, squares, more = asks()
    took = [run(plans, rows(k), [total, (squares, more)[k % 2]], passes) for k in range(6)]
    assert took == [2] * 6


def test_other_public_numbers_and_other_kinds_of_columns_are_told_apart(passes: list[int]) -> None:
    """Taken for the same question, they would get the sums of another clamp, or of doubles."""
    plans: Plans = {}
    for seed in range(3):
        run(plans, rows(seed), asks()[:2], passes)
    assert run(plans, rows(3), [asks()[0], asks(low=1)[1]], passes) == 2
    whole = np.arange(-5, 300)
    assert run(plans, whole, asks()[:2], passes) == 2


def test_the_same_question_twice_is_answered_twice(passes: list[int]) -> None:
    plans: Plans = {}
    total = asks()[0]
    for seed in range(4):
        assert run(plans, rows(seed), [total, total], passes) == 2
