"""Passes that are lists of NumPy's calls give what the reference gives; and what goes wrong in them
is seen: a NaN that nobody looks for, and what is added up before all of a piece was looked at."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import nan
from random import Random
from typing import Any

import numpy as np
import pytest
from column_graphs import evaluated_by, shown
from test_columns_quick import CELLS

from metricdp.columns import flat, language
from metricdp.columns.flat import FlatPass
from metricdp.columns.grids import GridRange, range_of
from metricdp.columns.language import Node
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table

BOUNDS = [range_of(Fraction(a), Fraction(b)) for a, b in ((0, 1), (-50, 3), (5, 5), (0, 900))]


def asked(random: Random, rows: int, cells: Any) -> tuple[Table, list[tuple[Node, GridRange]]]:
    """Arithmetic of columns, some of them clamped, and sums of some of it in one pass."""
    drawn = (np.array([random.choice(cells) for _ in range(rows)], float) for _ in range(3))
    columns = tuple(Stored("double", held) for held in drawn)
    made = [language.clamp(column.node(i), -1, 2) for i, column in enumerate(columns[:2])]
    made.append(columns[2].node(2))
    for _ in range(6):
        work = random.choice((language.add, language.sub, language.mul))
        made.append(work(random.choice(made), random.choice((*made, 2.5, -1.0))))
    made.append(language.absolute(language.neg(random.choice(made))))
    chosen = random.sample(made[3:], random.randint(1, 4)) + random.sample(made[:2], 1)
    return Table(columns, ()), [(node, random.choice(BOUNDS)) for node in chosen]  # type: ignore[misc]


def sums(rows: int, seeds: range, cells: Any) -> Iterator[tuple[Any, Any, str]]:
    """Sums of the reference, those of arrays in pieces of 16 rows, and of what they are."""
    for seed in seeds:
        held, questions = asked(Random(seed), rows, cells)
        found = []
        for name in ("reference", "arrays"):
            with evaluated_by(name, 16):
                found.append(Table(held.columns, ()).totals(questions))
        yield *found, str([shown(node) for node, _ in questions])  # type: ignore[misc]


@pytest.mark.parametrize("cells", CELLS)
def test_sums_are_those_of_the_reference(cells: str) -> None:
    for expected, found, what in sums(45, range(25), CELLS[cells]):
        assert found == expected, what


def test_arithmetic_of_clamped_numbers_is_flat(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[bool] = []
    right = FlatPass.add

    def seen(held: FlatPass, *given: Any) -> bool:
        pieces.append(right(held, *given))
        return pieces[-1]

    monkeypatch.setattr(FlatPass, "add", seen)
    for _ in sums(45, range(10), CELLS["numbers"]):
        pass
    assert sum(pieces) == len(pieces) > 15


def test_what_is_no_number_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every NaN were taken to show in another number, some sum is another one."""
    cells = [0.5, nan, 0.25, 2.0]
    assert all(found == expected for expected, found, _ in sums(20, range(10), cells))
    monkeypatch.setattr(flat, "_shows", lambda plan, place: True)
    assert any(found != expected for expected, found, _ in sums(20, range(10), cells))


def test_bounds_are_enforced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flat, "_ready", lambda number, x: True)
    pairs = sums(20, range(10), [0.5, 0.25, 2.0, 700.0])
    assert any(found != expected for expected, found, _ in pairs)


def test_a_short_last_piece_has_no_rows_of_the_one_before() -> None:
    data = np.linspace(0.0, 1.0, 67)
    column = Stored("double", data)
    node = language.mul(language.clamp(column.node(0), 0, 1), 1.0)
    for rows in (1, 15, 16, 17, 67):
        held = Table((Stored("double", data[:rows]),), ())
        found = []
        for name in ("reference", "arrays"):
            with evaluated_by(name, 16):
                found.append(held.totals([(node, BOUNDS[0])]))  # type: ignore[list-item]
        assert found[0] == found[1]
