"""Parts of a table by their positions: what they are, and that no row pays more than is charged."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from checked_modules import load
from test_one_by_one import vector

from metricdp.check.domain import part_at
from metricdp.check.language import subscripts
from metricdp.check.values.objects import Value
from metricdp.expr import num

PROGRAMS = """
from typing import NamedTuple

KEYS = (1, 2, 4)

class Row(NamedTuple):
    ward: int
    x: int

def parts_of(rows):
    return dp.partition(rows, key=lambda r: r.ward, keys=KEYS)

@dp.measurement
def each(rows: dp.Records[Row{metric}]):
    parts = parts_of(rows)
    return [dp.laplace(sum(2 for r in parts[k] if r.x == 1), scale=1) for k in range(3)]

@dp.measurement
def in_a_loop(rows: dp.Records[Row{metric}]):
    parts, out = parts_of(rows), []
    for k in range(3):
        out.append(dp.laplace(len(parts[k]), scale=1))
        out.append(dp.laplace(sum(min(max(r.x, 0), 1) for r in parts[k]), scale=1))
    return out

@dp.measurement
def neighbours(rows: dp.Records[Row{metric}]):
    parts = parts_of(rows)
    return dp.laplace([len(parts[k]) - len(parts[k + 1]) for k in range(2)], scale=1)

@dp.measurement
def written(rows: dp.Records[Row{metric}]):
    parts = parts_of(rows)
    found = dp.laplace(len(parts[0]) - 2 * len(parts[-1]), scale=1)
    return found, dp.laplace(len(parts[1]), scale=1)

@dp.measurement
def the_same(rows: dp.Records[Row{metric}]):
    parts = parts_of(rows)
    return [dp.laplace(len(parts[0]), scale=1) for k in range(3)]
"""
NAMES = ("each", "in_a_loop", "neighbours", "written", "the_same")
ROWS = [(1, 1), (1, 0), (2, 1), (4, 0), (5, 1)]


def largest(function: Any, rows: list[Any], replaced: bool, d: int) -> Fraction:
    """The most that d rows move what noise is added to, which come, or are replaced."""
    bags = [*itertools.combinations_with_replacement(rows, d)]
    found = [vector(function, [rows[0], *bag], {}) for bag in bags]
    before = found if replaced else [vector(function, rows[:1], {})]
    return max(
        sum((abs(x - y) for x, y in zip(a, b, strict=True)), Fraction(0))
        for a in found for b in before
    )  # fmt: skip


@pytest.mark.parametrize("metric", ["", ", dp.ChangeOne"])
def test_no_row_pays_more_than_what_is_charged(metric: str, tmp_path: Path) -> None:
    module = load(tmp_path, PROGRAMS.format(metric=metric))
    rows = [module.Row(*each) for each in ROWS]
    for name in NAMES:
        function = getattr(module, name)
        for d in (1, 2, 3):
            found, charged = largest(function, rows, bool(metric), d), function.map(d)
            assert found <= charged, (name, d)
            # Of differences a replaced row moves 3 of the 4 that two rows move.
            assert found == charged or (metric and name in ("neighbours", "written")), (name, d)


def test_parts_are_those_of_the_keys(tmp_path: Path) -> None:
    module = load(tmp_path, PROGRAMS.format(metric=""))
    rows = [module.Row(*each) for each in ROWS]
    assert vector(module.in_a_loop, rows, {}) == [2, 1, 1, 1, 1, 0]
    assert vector(module.written, rows, {}) == [0, 1]


def test_a_part_of_another_key_is_found(tmp_path: Path, monkeypatch: Any) -> None:
    """Where each part is taken to be that of a key of its own, one part twice costs one."""
    asked = itertools.count(100)

    def another(domain: Any, parts: Any, key: Any, module: Any, node: Any) -> Any:
        own = Value("public", expr=num(next(asked)), source="literal")
        return right(domain, parts, own, module, node)

    right = part_at.part
    monkeypatch.setattr(subscripts.part_at, "part", another)
    text = PROGRAMS.replace(
        "len(parts[0]), scale=1) for k in range(3)",
        "len(p), scale=1) for p in (parts[0], parts[0])",
    )
    module = load(tmp_path, text.format(metric=""))
    rows = [module.Row(*each) for each in ROWS]
    assert largest(module.the_same, rows, False, 1) > module.the_same.map(1)
