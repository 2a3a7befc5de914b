"""Noise on the entries of one vector, one after the other, against all rows."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from checked_modules import load
from test_row_shares import KINDS, PROGRAMS, ROWS

from metricdp.check.domain import one_by_one, row_shares
from metricdp.run.emit import Recording, Seeded, handling

#: The programs that add noise to a vector, and some more.
EACH = (
    (
        PROGRAMS.replace(
            "dp.{noise}(list(s.values()), scale=1)", "[dp.{noise}(v, scale=1) for v in s.values()]"
        )
        .replace("dp.{noise}(s, scale=1)", "[dp.{noise}(v, scale=1) for v in s]")
        .replace("for name in NAMES], scale=1)", "for name in NAMES]]")
        .replace(
            "return dp.{noise}([sum(worth", "return [dp.{noise}(v, scale=1) for v in [sum(worth"
        )
        .replace(
            'dp.{noise}([s["a"] - s["b"], s["a"] + s["b"], 2 * s["c"]], scale=1)',
            'dp.{noise}(s["a"] - s["b"], scale=1), dp.{noise}(s["a"] + s["b"], scale=1), s["c"]',
        )
        .replace(', s["c"]', ', dp.{noise}(2 * s["c"], scale=1)')
    )
    + """
@dp.measurement
def in_a_loop(rows: dp.Records[Row{metric}], names: list[str]):
    out = []
    for k in names:
        u = 3 * sum(1 for r in rows if r.x == k) + 2 * sum(1 for r in rows if r.y == k)
        out.append(dp.{noise}(u, scale=1))
    return out

@dp.measurement
def rounds_that_overlap(rows: dp.Records[Row{metric}], t: int):
    out = []
    for k in range(t):
        u = 3 * sum(1 for r in rows if r.n == k) + 2 * sum(1 for r in rows if r.n == k % 2)
        out.append(dp.{noise}(u, scale=1))
    return out

@dp.measurement
def an_entry_twice(rows: dp.Records[Row{metric}]):
    s = {{name: 0 for name in NAMES}}
    for r in rows:
        for who, points in [(r.x, 3), (r.y, 2)]:
            if who in s:
                s[who] += points
    return [dp.{noise}(s[k], scale=1) for k in ("a", "b", "a")]

@dp.measurement
def by_number(rows: dp.Records[Row{metric}]):
    out = []
    for name in NAMES:
        p = 0
        for r in rows:
            if r.x == name:
                p += 3
            if r.y == name:
                p -= 2
        out.append(dp.{noise}(p, scale=1))
    return out

@dp.measurement
def windows(rows: dp.Records[Row{metric}]):
    return [dp.{noise}(sum(1 for r in rows if k <= r.n < k + 3), scale=1) for k in range(-7, 4)]

@dp.measurement
def growth(rows: dp.Records[Row{metric}]):
    m = [sum(1 for r in rows if r.n == k) for k in range(5)]
    return [dp.{noise}(m[k + 1] - m[k], scale=1) for k in range(4)]

@dp.measurement
def of_no_rows(rows: dp.Records[Row{metric}]):
    none = sum(1 for r in rows if r.n == 1 and r.n == 2)
    some = sum(1 for r in rows if r.n == 1) - sum(1 for r in rows if r.n == 0)
    return dp.{noise}(none, scale=1), dp.{noise}(some, scale=1), dp.{noise}(some, scale=1)

@dp.measurement
def in_parts(rows: dp.Records[Row{metric}]):
    out = []
    for part in dp.partition(rows, key=lambda r: r.n, keys=(0, 1, 2)):
        s = {{name: 0 for name in NAMES}}
        for r in part:
            for who, points in [(r.x, 3), (r.y, 2)]:
                if who in s:
                    s[who] += points
        out.append([dp.{noise}(v, scale=1) for v in s.values()])
    return out
"""
)
MORE = ("in_a_loop", "rounds_that_overlap", "an_entry_twice", "by_number", "in_parts",
        "windows", "growth", "of_no_rows")  # fmt: skip
GIVEN = {"in_a_loop": {"names": ["a", "b", "c"]}, "rounds_that_overlap": {"t": 3}}
#: Charged what the worst row does, where rows come and go.
ATTAINED = {"guarded", "in_a_loop", "in_parts", "windows", "growth"}
#: Rows and programs that are few enough to try all of them.
FEW = ROWS[::5]
OF_VECTORS = ("guarded", "both_signs", "amounts", "twice")


def vector(function: Any, table: list[Any], given: dict[str, Any]) -> list[Fraction]:
    recorder = Recording(Seeded(1))
    with handling(recorder):
        function(table, **given)
    found = []
    for entry in recorder.log:
        values = entry.value if isinstance(entry.value, list | tuple) else [entry.value]
        found += [Fraction(value) for value in values]
    return found


def largest(function: Any, rows: list[Any], replaces: bool, noise: str, given: Any) -> Fraction:
    alone = vector(function, rows[:1], given)
    added = [[a - b for a, b in zip(vector(function, [rows[0], r], given), alone, strict=True)]
             for r in rows]  # fmt: skip
    before = added if replaces else [[Fraction(0)] * len(alone)]
    moves = ([x - y for x, y in zip(a, b, strict=True)] for a in added for b in before)
    if noise == "laplace":
        return max(sum(map(abs, each), Fraction(0)) for each in moves)
    return max(sum((x * x for x in each), Fraction(0)) / 2 for each in moves)


def bound(function: Any, given: dict[str, Any]) -> Fraction:
    numbers = {k: v for k, v in given.items() if isinstance(v, int)}
    made = function.at(**(given if numbers != given else numbers)) if given else function
    found = made.map(1)
    return Fraction(found[0] if isinstance(found, tuple) else found)


@pytest.mark.parametrize(("metric", "noise"), KINDS)
def test_no_row_pays_more_than_what_is_charged(metric: str, noise: str, tmp_path: Path) -> None:
    module = load(tmp_path, EACH.format(metric=metric, noise=noise))
    rows = [module.Row(*each) for each in FEW]
    for name in (*OF_VECTORS, *MORE):
        function, given = getattr(module, name), GIVEN.get(name, {})
        found, charged = largest(function, rows, bool(metric), noise, given), bound(function, given)
        assert found <= charged, name
        if not metric and name in ATTAINED:
            assert found == charged, name


@pytest.mark.parametrize("broken", ["disjoint", "rounds", "replaced"])
def test_wrong_rules_are_found(broken: str, tmp_path: Path, monkeypatch: Any) -> None:
    metric, name = "", "guarded"
    if broken == "disjoint":
        monkeypatch.setattr(row_shares, "disjoint", lambda a, b: True)
    elif broken == "rounds":
        name = "rounds_that_overlap"
        monkeypatch.setattr(one_by_one, "new_rows_each_round", lambda region, index: frozenset())
    else:
        metric, right = ", dp.ChangeOne", row_shares.of_shares
        monkeypatch.setattr(
            one_by_one,
            "of_shares",
            lambda s: row_shares.RowVector(None, right(s).come, right(s).come),
        )
    module = load(tmp_path, EACH.format(metric=metric, noise="laplace"))
    rows = [module.Row(*each) for each in FEW]
    function, given = getattr(module, name), GIVEN.get(name, {})
    assert largest(function, rows, bool(metric), "laplace", given) > bound(function, given)
