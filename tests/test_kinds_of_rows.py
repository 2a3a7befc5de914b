"""Sums of which what one row adds to one cancels what it adds to another, against all small tables.

Every two tables of at most three rows are compared, at distances 1, 2 and 3; of two rows, where
another program has shown distance 3.
"""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from checked_modules import load
from depth import depth

from metricdp.check.domain import kinds_of_rows, one_by_one
from metricdp.check.values import regions
from metricdp.check.values.regions import Literal
from metricdp.check.values.row_sums import RowSum
from metricdp.expr import ONE
from metricdp.run.emit import Recording, Seeded, handling

PROGRAMS = """
from itertools import combinations
from typing import NamedTuple

class Row(NamedTuple):
    k: int
    x: float
    seen: bool

@dp.measurement
def drop_offs(rows: dp.Records[Row{metric}]):
    c = [sum(1 for r in rows if r.k >= i) for i in range(4)]
    return [dp.{noise}(c[i] - c[i + 1], scale=1) for i in range(3)]

@dp.measurement
def at_once(rows: dp.Records[Row{metric}]):
    a, b = sum(r.seen for r in rows), sum(1 for r in rows if r.seen and r.k > 0)
    return dp.{noise}([a - b, b, 2 * a - 3 * b], scale=1)

@dp.measurement
def pairs(rows: dp.Records[Row{metric}]):
    found = combinations([0, 1, 2, 3], 2)
    return [dp.{noise}(sum(1 for r in rows if r.k == i or r.k == j), scale=1) for i, j in found]

@dp.measurement
def weighted(rows: dp.Records[Row{metric}]):
    young, all = sum(1 for r in rows if r.k < 1), sum(1 for r in rows if r.k < 2)
    return dp.{noise}(2 * all - 3 * young, scale=1), dp.{noise}(2 * young - all, scale=1)

@dp.measurement
def nested(rows: dp.Records[Row{metric}]):
    old = [r for r in rows if r.k > 0]
    rich = [r for r in old if not r.x < 1]
    return dp.{noise}(len(old) - len(rich), scale=1), dp.{noise}(len(rich), scale=1)

@dp.measurement
def not_nested(rows: dp.Records[Row{metric}]):
    old, rich = [r for r in rows if r.k > 0], [r for r in rows if r.x >= 1]
    return dp.{noise}(len(old) - len(rich), scale=1), dp.{noise}(len(rich), scale=1)

@dp.measurement
def amounts(rows: dp.Records[Row{metric}]):
    paid = sum(dp.clamp(r.x, 0, 2) for r in rows if r.k > 0)
    due = sum(dp.clamp(r.x, -1, 3) for r in rows if r.seen)
    return dp.{noise}(paid - due, scale=1), dp.{noise}(due, scale=1)

@dp.measurement
def counters(rows: dp.Records[Row{metric}]):
    up = down = 0
    for r in rows:
        if r.k > 1:
            up += 1
        elif r.seen:
            up -= 1
        if r.seen:
            down += 2
    return dp.{noise}(up - down, scale=1), dp.{noise}(up + down, scale=1), dp.{noise}(up, scale=1)

@dp.measurement
def of_a_list(rows: dp.Records[Row{metric}]):
    t = [0, 0]
    for r in rows:
        if r.k >= 1:
            t[0] += 1
        if r.k >= 2:
            t[0] -= 1
            t[1] += 1
    return dp.{noise}(t, scale=1)

@dp.measurement
def of_many(rows: dp.Records[Row{metric}]):
    few = sum(1 for r in rows if r.k in (0, 1))
    others = sum(1 for r in rows if r.k not in (0, 1) and r.x != 5)
    return dp.{noise}(few - others, scale=1), dp.{noise}(len(rows) - few - others, scale=1)

@dp.measurement
def overlap(rows: dp.Records[Row{metric}]):
    a, b = sum(1 for r in rows if r.seen), sum(1 for r in rows if r.k > 1)
    return dp.{noise}(a, scale=1), dp.{noise}(b, scale=1)

@dp.measurement
def unknown(rows: dp.Records[Row{metric}]):
    odd = sum(1 if r.x * r.k > 1 and r.k % 2 == 1 else 0 for r in rows if r.k > 0)
    old = sum(1 for r in rows if r.k > 0)
    return dp.{noise}(old - odd, scale=1), dp.{noise}(odd, scale=1)

@dp.measurement
def budgets(rows: dp.Records[Row{metric}]):
    seen, old = sum(r.seen for r in rows), sum(1 for r in rows if r.k > 0 and r.seen)
    return dp.{noise}(seen - old, scale=2), dp.{noise}(2 * old, scale=3), dp.{noise}(seen, scale=5)

@dp.measurement
def counted_in_a_loop(rows: dp.Records[Row{metric}]):
    n = good = 0
    for r in rows:
        n += 1
        if r.seen:
            good += 1
    return dp.{noise}(n - good, scale=1), dp.{noise}(n + good, scale=2)
"""
NAMES = ("drop_offs", "at_once", "pairs", "weighted", "nested", "not_nested", "amounts", "counters",
         "of_a_list", "of_many", "overlap", "unknown", "budgets",
         "counted_in_a_loop")  # fmt: skip
FAR = ("drop_offs", "weighted", "budgets", "unknown")
#: Above the truth: that two clamped values are one value is not seen.
ABOVE = {"amounts"}
NAN = float("nan")
ROWS = [(0, 5.0, False), (1, 2.0, True), (2, NAN, False), (0, -1.0, True), (3, 0.5, True)]


def vector(function: Any, table: list[Any]) -> list[Fraction]:
    """What noise of scale 1 would be added to."""
    recorder = Recording(Seeded(1))
    with handling(recorder):
        function(table)
    found = []
    for entry in recorder.log:
        values = entry.value if isinstance(entry.value, list | tuple) else [entry.value]
        found += [Fraction(value) / Fraction(entry.draw.scale) for value in values]
    return found


@cache
def tables(most: int) -> list[tuple[int, ...]]:
    rows = range(len(ROWS))
    return [
        each
        for count in range(most + 1)
        for each in itertools.combinations_with_replacement(rows, count)
    ]


def worst(function: Any, module: Any, replaces: bool, noise: str) -> dict[int, Fraction]:
    """Distance -> the most that is paid, of all pairs of tables."""
    rows = [module.Row(*each) for each in ROWS]
    most = depth(3 if function.__name__ in FAR else 2, 3)
    known = {t: vector(function, [rows[i] for i in t]) for t in tables(most)}
    found: dict[int, Fraction] = {}
    for (a, x), (b, y) in itertools.combinations(known.items(), 2):
        here, there = Counter(a), Counter(b)
        more, fewer = (here - there).total(), (there - here).total()
        if replaces and more != fewer:
            continue
        apart = more if replaces else more + fewer
        if apart <= 3:
            moved = [abs(v - w) for v, w in zip(x, y, strict=True)]
            cost = sum(moved) if noise == "laplace" else sum(m * m for m in moved) / 2
            found[apart] = max(found.get(apart, Fraction(0)), Fraction(cost))
    return found


def claimed(function: Any, distance: int) -> Fraction:
    cost = function.map(distance)
    return Fraction(cost[0] if isinstance(cost, tuple) else cost)


@pytest.mark.parametrize("metric", ["", ", dp.ChangeOne"])
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_no_tables_pay_more_than_what_is_charged(metric: str, noise: str, tmp_path: Path) -> None:
    module = load(tmp_path, PROGRAMS.format(metric=metric, noise=noise))
    for name in NAMES if noise == "laplace" else (*NAMES[:3], "budgets"):
        function = getattr(module, name)
        for distance, cost in worst(function, module, bool(metric), noise).items():
            assert cost <= claimed(function, distance), (name, distance)
            if distance == 1 and not metric and name not in ABOVE:
                assert cost == claimed(function, 1), name


def _all_rows(shares: Any) -> Any:
    return RIGHT([RowSum(None, s.lo, s.hi, spared=regions.NOWHERE) for s in shares])


RIGHT = kinds_of_rows.kinds
#: What is broken, and how: the metric, and a program that shows it.
DEFECTS: dict[str, tuple[str, Any, str, str]] = {
    "a filter leaves out no row": ("kinds", _all_rows, "", "not_nested"),
    "no row is in two filters": (
        "_excluded", lambda literals: [((0, 0), (~0, 0))] * len(literals), "", "overlap"
    ),
    "no row takes the place of another": (
        "replaced", kinds_of_rows.moves, ", dp.ChangeOne", "at_once"
    ),
}  # fmt: skip


def test_events_of_which_the_dearest_pays_for_all_are_found(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(one_by_one, "_most", lambda entries, adds: ONE)
    module = load(tmp_path, PROGRAMS.format(metric="", noise="laplace"))
    found = worst(module.budgets, module, False, "laplace")
    assert any(cost > claimed(module.budgets, distance) for distance, cost in found.items())


@pytest.mark.parametrize("broken", DEFECTS)
def test_wrong_rules_are_found(broken: str, tmp_path: Path, monkeypatch: Any) -> None:
    what, wrong, metric, name = DEFECTS[broken]
    monkeypatch.setattr(kinds_of_rows, what, wrong)
    module = load(tmp_path, PROGRAMS.format(metric=metric, noise="laplace"))
    function = getattr(module, name)
    found = worst(function, module, bool(metric), "laplace")
    assert any(cost > claimed(function, distance) for distance, cost in found.items())


def test_rows_that_may_be_spared_may_add_nothing() -> None:
    x = ("row", (0,), 0)
    one = Literal(x, ">=", ("number", ONE))
    region = frozenset({frozenset({one})})
    found = kinds_of_rows.kinds([RowSum(region, ONE, ONE), RowSum(region, ONE, ONE, spared=region)])
    assert found is not None and sorted(found) == [(0, 0), (0, 0b11)]
    assert kinds_of_rows.moves(kinds_of_rows.added([RowSum(region, ONE, ONE)], [0], [(0, 1)])) == {
        "L1": ONE, "L2": ONE, "LInf": ONE
    }  # fmt: skip


def test_every_row_is_of_a_kind_that_is_known() -> None:
    """Of conditions on one number, and of two that have nothing to do with each other."""
    x, y = ("row", (0,), 0), ("row", (0,), 1)

    def where(term: Any, op: str, number: int) -> RowSum:
        one = Literal(term, op, ("number", ONE * number))
        return RowSum(frozenset({frozenset({one})}), ONE, ONE, spared=regions.NOWHERE)

    shares = [where(x, ">=", k) for k in range(3)] + [where(y, "==", k) for k in range(2)]
    known = kinds_of_rows.kinds(shares)
    assert known is not None and len(known) == 4 * 3
    many = [where(("row", (0,), k), "==", 1) for k in range(11)]
    assert kinds_of_rows.kinds(many) is None
