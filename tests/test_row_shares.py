"""What one row does to a vector to whose entries it adds several times, against all rows."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from checked_modules import load

from metricdp.check.domain import row_shares
from metricdp.run.emit import Recording, Seeded, handling

PROGRAMS = """
from typing import NamedTuple

NAMES = ["a", "b", "c"]

class Row(NamedTuple):
    x: str
    y: str
    n: int
    w: float

def worth(r, name):
    if r.x == name:
        return 3
    return 2 if r.y == name else -1 if r.n == 0 else 0

@dp.measurement
def guarded(rows: dp.Records[Row{metric}]):
    s = {{name: 0 for name in NAMES}}
    for r in rows:
        for who, points in [(r.x, 3), (r.y, 2)]:
            if who in s:
                s[who] += points
    return dp.{noise}(list(s.values()), scale=1)

@dp.measurement
def different(rows: dp.Records[Row{metric}]):
    s = {{name: 0 for name in NAMES}}
    for r in rows:
        if r.x in s:
            s[r.x] += 3
        if r.y in s and r.y != r.x:
            s[r.y] += 2
    return dp.{noise}(list(s.values()), scale=1)

@dp.measurement
def both_signs(rows: dp.Records[Row{metric}]):
    s = [0, 0, 0]
    for r in rows:
        k = min(max(r.n, 0), 2)
        s[k] += 2
        s[2 - k] -= 1
    return dp.{noise}(s, scale=1)

@dp.measurement
def amounts(rows: dp.Records[Row{metric}]):
    s = {{name: 0.0 for name in NAMES}}
    for r in rows:
        if r.x in s:
            s[r.x] += 0.1 * min(max(r.w, 0), 3) + 0.2
        if r.y in s:
            s[r.y] -= 0.1
        s["c"] += 0.7 if r.n == 2 else 0.1
    return dp.{noise}(list(s.values()), scale=1)

@dp.measurement
def floats_as_keys(rows: dp.Records[Row{metric}]):
    s = {{0.0: 0, 1.0: 0}}
    for r in rows:
        if r.w in s:
            s[r.w] += 2
        if r.n in s and r.n != r.w:
            s[r.n] += 1
    return dp.{noise}(list(s.values()), scale=1)

@dp.measurement
def helper(rows: dp.Records[Row{metric}]):
    return dp.{noise}([sum(worth(r, name) for r in rows) for name in NAMES], scale=1)

@dp.measurement
def prices(rows: dp.Records[Row{metric}]):
    total = 0.0
    for r in rows:
        for key, price in {{"a": 0.3, "b": 0.7, "d": -0.2}}.items():
            if r.x == key:
                total += price * min(max(r.n, 0), 3)
            if r.y == key:
                total -= price
    return dp.{noise}([total], scale=1)

def banded(r):
    total = 0
    if r.w < 1:
        total += 1
    if r.w >= 1:
        total += 2
    if not (r.w >= 0):
        total += 4
    for key in (0, 1, 2):
        if r.n == key:
            total -= 3 * key
    return total

@dp.measurement
def bands(rows: dp.Records[Row{metric}]):
    return dp.{noise}([sum(banded(r) for r in rows)], scale=1)

@dp.measurement
def twice(rows: dp.Records[Row{metric}]):
    s = {{name: 0 for name in NAMES}}
    for r in rows:
        if r.x in s:
            s[r.x] += 3
    for r in [r for r in rows if r.n > 0]:
        if r.n == 0 and r.y in s:
            s[r.y] += 50
        if r.y in s:
            s[r.y] += 2
    return dp.{noise}([s["a"] - s["b"], s["a"] + s["b"], 2 * s["c"]], scale=1)
"""
NAMES = (
    "guarded", "different", "both_signs", "amounts", "floats_as_keys", "helper", "twice", "prices",
    "bands",
)  # fmt: skip
ROWS = [
    (x, y, n, w)
    for (x, y), (n, w) in itertools.product(
        itertools.product("abd", repeat=2), [(0, -0.0), (1, 1.0), (2, float("nan")), (0, -3.0)]
    )
]
KINDS = [(metric, noise) for metric in ("", ", dp.ChangeOne") for noise in ("laplace", "gaussian")]


def vector(function: Any, table: list[Any]) -> list[Fraction]:
    """What noise is added to."""
    recorder = Recording(Seeded(1))
    with handling(recorder):
        function(table)
    (entry,) = recorder.log
    return [Fraction(value) for value in entry.value]


def largest(function: Any, rows: list[Any], replaces: bool, noise: str) -> Fraction:
    """The most that a row costs which comes, or takes the place of another one, beside a third."""
    alone = vector(function, rows[:1])
    added = [[a - b for a, b in zip(vector(function, [rows[0], r]), alone, strict=True)]
             for r in rows]  # fmt: skip
    before = added if replaces else [[Fraction(0)] * len(alone)]
    moves = ([x - y for x, y in zip(a, b, strict=True)] for a in added for b in before)
    if noise == "laplace":
        return max(sum(map(abs, each), Fraction(0)) for each in moves)
    return max(sum((x * x for x in each), Fraction(0)) / 2 for each in moves)


def bound(function: Any, noise: str) -> Fraction:
    found = function.map(1)
    return Fraction(found[0] if isinstance(found, tuple) else found)


@pytest.mark.parametrize(("metric", "noise"), KINDS)
def test_no_row_moves_a_vector_by_more_than_its_shares(
    metric: str, noise: str, tmp_path: Path
) -> None:
    module = load(tmp_path, PROGRAMS.format(metric=metric, noise=noise))
    rows = [module.Row(*each) for each in ROWS]
    for name in NAMES:
        function = getattr(module, name)
        found = largest(function, rows, bool(metric), noise)
        assert found <= bound(function, noise), name
        if not metric and name in ("guarded", "different", "helper"):
            assert found >= bound(function, noise) * Fraction(9, 13), name


def test_shares_that_were_taken_for_alternatives_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rule that takes every two shares to exclude each other is below what a row does."""
    monkeypatch.setattr(row_shares, "disjoint", lambda a, b: True)
    module = load(tmp_path, PROGRAMS.format(metric="", noise="laplace"))
    rows = [module.Row(*each) for each in ROWS]
    assert largest(module.guarded, rows, False, "laplace") > bound(module.guarded, "laplace")
