"""The rows between two numbers by their rank: as if all were sorted, and each row in one place.

An array that somebody writes to between two readings is read by a stand-in that does so; every
attack is deterministic, and each defect that is planted is found by the law that it breaks.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, nan, nextafter
from typing import Any

import numpy as np
import pytest

from metricdp.columns import language, ranked
from metricdp.columns.order import Between, Ordered
from metricdp.columns.ranked import Ranked, RankedParts
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.noise import SeededSource
from metricdp.primitives import load
from metricdp.record import REGISTRY

load()
BOUNDS: list[tuple[Any, Any]] = [
    (0, 100), (-5, 9), (Fraction(1, 3), Fraction(22, 7)), (0, 1e-300), (-1e300, 1e300),
    (1.0, 1.0 + 2**-50), (200, 300), (-(10**400), 10**400), (5e-324, 1e-323), (0, 5e-324),
]  # fmt: skip


def shapes() -> dict[str, Any]:
    rng = np.random.default_rng(7)
    spread = rng.uniform(-20, 120, 3001)
    return {
        "spread": spread,
        "equal": np.full(1000, 7.0),
        "no bounds reached": rng.uniform(40, 41, 500),
        "special": np.tile([0.0, -0.0, nan, inf, -inf, 5e-324, -5e-324, 1e300, -1e300, 3.0], 60),
        "far apart": 2.0 ** rng.integers(-1070, 1000, 2000),
        "single": spread.astype(np.float32),
        "at the ends": np.repeat([0.0, 100.0, nextafter(100.0, 0), nextafter(0.0, 1), 50.0], 30),
        "integers": rng.integers(-20, 120, 700),
        "none": np.zeros(0),
    }


@pytest.fixture(autouse=True)
def _few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every table is ranked, in many short pieces."""
    monkeypatch.setattr(ranked, "ENOUGH", 0)
    monkeypatch.setattr(ranked, "_ROWS", 256)
    monkeypatch.setattr(ranked, "_COUNTED", 128)


def forms(data: Any) -> dict[str, Table]:
    column = Stored("double", data)
    row = column.node(0)
    bounded = Stored("double", data, -3.0, 60.0)
    doubled = language.add(row, row)
    test = language.lt(row, language.constant(30.0))
    order = np.random.default_rng(3).permutation(len(data))[: len(data) // 2]
    return {
        "stored": Table((column,), row),
        "bounded": Table((bounded,), bounded.node(0)),
        "computed": Table((column,), doubled),
        "filtered": Table((column,), row, test),
        "chosen": Table((column,), doubled, test, order),
    }


class Box:
    """A function of rows from outside, which counts the rows it sees."""

    width = None

    def __init__(self) -> None:
        self.seen = 0

    def row(self, x: float) -> float:
        self.seen += 1
        return 2 * x

    def rows(self, x: Any) -> Any:
        self.seen += len(x)
        return 2 * x


def is_ranked(found: Between | None) -> bool:
    return found is not None and isinstance(found.rows, Ranked)


@pytest.mark.parametrize("shape", shapes())
@pytest.mark.parametrize("form", forms(np.zeros(1)))
def test_rows_between_two_numbers_are_those_of_all_in_order(shape: str, form: str) -> None:
    data = shapes()[shape]
    for low, high in BOUNDS:
        low, high = Fraction(low), Fraction(high)
        table, same = forms(data)[form], forms(data)[form]
        found, expected = table.between(low, high), same.ordered().between(low, high)
        assert found is not None and expected is not None
        assert found[:2] == expected[:2] and len(found.rows) == len(expected.rows)
        rows = expected.rows.tolist()
        starts = [0, len(rows) // 3, max(0, len(rows) - 9)]
        for start in starts:  # later parts first, and again what is held
            for stop in (start, start + 5, len(rows)):
                assert found.rows[start:stop].tolist() == rows[start:stop]
        for rank in {*range(0, len(rows), 97)}:
            assert float(found.rows[rank]) == rows[rank]
        assert found.rows.tolist() == rows
        held = [float.hex(x) for x in found.rows.tolist()]
        assert held == [float.hex(x) for x in rows]  # -0.0 is none of them


def test_most_of_these_are_ranked_and_not_sorted() -> None:
    counted = 0
    for data in shapes().values():
        for low, high in BOUNDS:
            counted += is_ranked(forms(data)["stored"].between(Fraction(low), Fraction(high)))
    assert counted > 50


def test_a_black_box_sees_every_row_once() -> None:
    column = Stored("double", np.arange(500.0))
    box = Box()
    table = Table((column,), language.called(box, column.node(0)))
    assert not is_ranked(table.between(Fraction(0), Fraction(600)))
    assert box.seen == 500
    assert not is_ranked(table.between(Fraction(3), Fraction(600))) and box.seen == 500


def test_parts_rise_and_their_ends_are_the_last_doubles_of_them() -> None:
    for low, high in BOUNDS:
        parts = RankedParts(Fraction(low), Fraction(high))
        if not parts:
            continue
        inside = [x for x in np.linspace(parts.low, parts.high, 999) if parts.low < x < parts.high]
        places = parts.of(np.array(inside))
        assert (np.diff(places.astype(int)) >= 0).all()
        for part in sorted({*places.tolist()})[::17]:
            first, last = parts.ends(part)
            found = parts.of(np.array([nextafter(first, -inf), first, last, nextafter(last, inf)]))
            assert found[1] == found[2] == part and part not in (found[0], found[3])


@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize("scale", [Fraction(1, 7), Fraction(40)])
def test_a_quantile_is_drawn_as_from_all_rows_in_order(alpha: Fraction, scale: Fraction) -> None:
    run = REGISTRY["interval_quantile"].run
    for seed, (shape, data) in enumerate(shapes().items()):
        for form, table in forms(data).items():
            same = forms(data)[form]
            same.ordered()
            given = (-5, 90, alpha, scale)
            found = run(table, *given, source=SeededSource(seed))
            assert found == run(same, *given, source=SeededSource(seed)), (shape, form)


# -- arrays that change between two readings


class Changing:
    """An array as a column holds it; entries that were read are other ones when read again."""

    ndim = 1

    def __init__(self, first: Any, later: Any) -> None:
        self.now, self.later, self.dtype = first.copy(), later, first.dtype

    def __len__(self) -> int:
        return len(self.now)

    def __getitem__(self, rows: Any) -> Any:
        found = self.now[rows].copy()
        self.now[rows] = self.later[rows]
        return found


def changing() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    return rng.uniform(-10, 110, 2000), rng.uniform(-10, 110, 2000)


def effective(first: Any, later: Any, low: int, high: int) -> Any:
    """What each row is: in its part by the first reading, within it by the second."""
    parts = RankedParts(Fraction(low), Fraction(high))
    where = parts.of(first)
    found = first.copy()
    for part in sorted({*where.tolist()} & {*range(ranked.PARTS + 1)}):
        least, greatest = parts.ends(part)
        for i in np.flatnonzero(where == part):
            found[i] = min(max(later[i], least), greatest)
    return found


def is_lawful(table: Table, rows: Any) -> bool:
    """Whether the rows between are these, in order, each in one place."""
    found = table.between(Fraction(0), Fraction(100))
    assert found is not None and is_ranked(found)
    middle = [float(found.rows[rank]) for rank in (700, 701, 300)]
    listed = found.rows.tolist()
    expected = Ordered(rows).between(Fraction(0), Fraction(100))
    assert expected is not None
    return bool(
        found[:2] == expected[:2]
        and listed == expected.rows.tolist()
        and middle == [listed[700], listed[701], listed[300]]
    )


def test_a_row_that_changes_between_two_readings_is_one_row() -> None:
    first, later = changing()
    column = Stored("double", Changing(first, later))
    assert is_lawful(Table((column,), column.node(0)), effective(first, later, 0, 100))


def test_one_row_more_is_one_row_more_whatever_the_others_become() -> None:
    """Neighbours that change in the same way: what a row is has nothing to do with the others."""
    first, later = changing()
    held: list[list[float]] = []
    for gone in (None, 3, 1999):
        kept = np.arange(len(first)) != gone
        column = Stored("double", Changing(first[kept], later[kept]))
        found = Table((column,), column.node(0)).between(Fraction(0), Fraction(100))
        assert found is not None
        held.append(found.rows.tolist())
    for fewer in held[1:]:
        rest = list(held[0])
        for x in fewer:
            rest.remove(x)
        assert len(rest) <= 1


def _as_they_are(self: Ranked, values: Any, parts: Any) -> Any:
    return values


def _told_again(self: Ranked, values: Any, parts: Any) -> Any:
    """A defect: what left its part is left out, and zeros stand in its place."""
    values[self._parts.of(values) != parts] = 0.0
    return values


@pytest.mark.parametrize("defect", [_as_they_are, _told_again])
def test_defects_in_what_a_second_reading_may_change_are_found(
    defect: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Ranked, "_within", defect)
    first, later = changing()
    column = Stored("double", Changing(first, later))
    assert not is_lawful(Table((column,), column.node(0)), effective(first, later, 0, 100))


def test_a_part_that_is_read_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A defect: what was read is not kept, so a row is another one in each rank that is asked."""
    whole = Ranked._rows

    def forgetful(self: Ranked, start: int, stop: int) -> Any:
        self._held.clear()
        return whole(self, start, stop)

    monkeypatch.setattr(Ranked, "_rows", forgetful)
    first, later = changing()

    class Restless(Changing):
        def __getitem__(self, rows: Any) -> Any:
            found = super().__getitem__(rows)
            self.later = np.roll(self.later, 1)
            return found

    column = Stored("double", Restless(first, later))
    found = Table((column,), column.node(0)).between(Fraction(0), Fraction(100))
    assert found is not None
    once = found.rows.tolist()
    assert once != found.rows.tolist()
    monkeypatch.undo()
    assert (once := found.rows.tolist()) == found.rows.tolist()
