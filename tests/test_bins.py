"""Noise on entries of a histogram, read at positions, against all rows at distances 1, 2 and 3."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import pytest
from checked_modules import load
from test_one_by_one import vector

from metricdp.check.domain import bins
from metricdp.check.values.regions import Literal
from metricdp.expr import ONE

PROGRAMS = """
from dataclasses import dataclass

@dataclass
class Row:
    k: int
    n: int

def counts(rows, keys):
    return dp.histogram([r.k for r in rows], categories=keys)

@dp.measurement
def each(rows: dp.Records[Row]):
    c = counts(rows, (0, 1, 2))
    return [dp.laplace(c[i], scale=1) for i in range(3)]

@dp.measurement
def twice(rows: dp.Records[Row]):
    c = counts(rows, (0, 1, 2))
    return [dp.laplace(c[i], scale=1) for i in (0, 1, 0)]

@dp.measurement
def from_behind(rows: dp.Records[Row]):
    c = counts(rows, (0, 1, 2))
    return dp.laplace(c[2], scale=1), dp.laplace(c[-1], scale=1)

@dp.measurement
def of_two(rows: dp.Records[Row]):
    c, d = counts(rows, (0, 1, 2)), dp.histogram([r.n for r in rows], categories=(0, 1, 2))
    return dp.laplace(c[0], scale=1), dp.laplace(d[1], scale=1)

@dp.measurement
def of_rounds(rows: dp.Records[Row]):
    out = []
    for t in range(3):
        c = dp.histogram([r.k + t for r in rows], categories=(0, 1, 2))
        out.append(dp.laplace(c[0], scale=1))
        out.append(dp.laplace(c[1], scale=1))
    return out

@dp.measurement
def differences(rows: dp.Records[Row]):
    c = counts(rows, (0, 1, 1, 2))
    return dp.laplace(c[0] - 2 * c[1], scale=1), dp.laplace(c[3], scale=1)

@dp.measurement
def beside_a_filter(rows: dp.Records[Row]):
    c = counts(rows, (0, 1, 2))
    some = sum(1 for r in rows if r.k == 0)
    return dp.laplace(c[0], scale=1), dp.laplace(c[1], scale=1), dp.laplace(some, scale=1)

@dp.measurement
def replaced(rows: dp.Records[Row, dp.ChangeOne]):
    c = counts(rows, (0, 1, 2))
    return [dp.laplace(c[i], scale=1) for i in range(3)]

@dp.measurement
def replaced_and_some(rows: dp.Records[Row, dp.ChangeOne]):
    c = counts([r for r in rows if r.n == 0], (0, 1, 2))
    d = sum(1 for r in rows if r.n == 0)
    return [dp.laplace(n, scale=1) for n in (c[0] - c[1], c[1] + c[2], d)]

@dp.measurement
def replaced_twice(rows: dp.Records[Row, dp.ChangeOne]):
    c, d = counts(rows, (0, 1, 2)), counts(rows, (2, 1, 0))
    return [dp.laplace(h[i], scale=1) for h in (c, d) for i in (0, 1)]

@dp.measurement
def rises(rows: dp.Records[Row]):
    c = counts(rows, (0, 1, 2))
    return dp.laplace(c[0] + c[1], scale=1), dp.laplace(c[1] - c[0], scale=1)

@dp.measurement
def gap(rows: dp.Records[Row]):
    c = counts(rows, (0, 1, 2))
    return dp.laplace(c[1] - c[0], scale=1)
"""
ROWS = [(k, n) for k in range(-1, 3) for n in (0, 1)]
#: What one row pays, attained or above it.
CHARGED = {"each": 1, "twice": 2, "from_behind": 2, "of_two": 2, "of_rounds": 3, "differences": 2,
           "beside_a_filter": 2, "replaced": 2, "replaced_and_some": 3, "replaced_twice": 4,
           "rises": 2, "gap": 1}  # fmt: skip


BY_BOTH = ("of_two", "replaced_and_some")


def largest(module: Any, name: str, d: int) -> Fraction:
    function = getattr(module, name)
    rows = [module.Row(*each) for each in ROWS if each[1] == 0 or name in BY_BOTH]
    if name.startswith("replaced"):
        tables = [vector(function, [*each], {}) for each in combinations_with_replacement(rows, d)]
        return max(_apart(a, b) for a in tables for b in tables)
    empty = vector(function, rows[:1], {})
    more = combinations_with_replacement(rows, d)
    return max(_apart(vector(function, [rows[0], *each], {}), empty) for each in more)


def _apart(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return sum((abs(x - y) for x, y in zip(a, b, strict=True)), Fraction(0))


def charged(module: Any, name: str, d: int) -> Fraction:
    found = getattr(module, name).map(d)
    return Fraction(found[0] if isinstance(found, tuple) else found)


def test_no_rows_pay_more_than_what_is_charged(tmp_path: Path) -> None:
    module = load(tmp_path, PROGRAMS)
    for name, most in CHARGED.items():
        assert charged(module, name, 1) == most, name
        distances = (1,) if name == "replaced_and_some" else (1, 2)
        for d in (1, 2, 3) if name in ("each", "twice", "replaced", "gap") else distances:
            assert largest(module, name, d) <= charged(module, name, d), name
            if name not in ("beside_a_filter", "of_rounds", "differences", "replaced_twice"):
                assert largest(module, name, d) == charged(module, name, d), name


@pytest.mark.parametrize(("broken", "name"), [("alike", "of_two"), ("behind", "from_behind")])
def test_wrong_regions_are_found(broken: str, name: str, tmp_path: Path, monkeypatch: Any) -> None:
    """Bins of all histograms are one; and positions that count from behind are others."""

    def wrong(known: Any, given: Any, bounds: Any, regions: Any) -> Any:
        held = known[given["x"].form]
        bin_of = ("bin", 0) if broken == "alike" else held.term
        at = Literal(bin_of, "==", ("number", given["i"].expr))
        return {**regions, held.source: frozenset({frozenset({at})})}

    monkeypatch.setattr(bins, "entry", wrong)
    monkeypatch.setattr(bins, "note_entry", lambda *_: None)
    module = load(tmp_path, PROGRAMS)
    assert largest(module, name, 1) > charged(module, name, 1)


def test_entries_that_are_taken_for_one_are_found(tmp_path: Path, monkeypatch: Any) -> None:
    right = bins._in_bin
    monkeypatch.setattr(bins, "_in_bin", lambda term, position, holds: right(term, ONE, holds))
    module = load(tmp_path, PROGRAMS)
    assert largest(module, "gap", 1) > charged(module, "gap", 1)
