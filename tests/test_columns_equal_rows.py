"""`if row.key == k: total += ...` for one public k after the other: sums are those of all rows."""

from __future__ import annotations

import random
import sys
from fractions import Fraction
from math import inf, nan
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from checked_modules import load

from metricdp.columns.grids import Ball, GridRange
from metricdp.columns.language import Node, add, both, clamp, constant, eq, lt, mul, select, stack
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.columns.texts import Texts
from metricdp.run.emit import Recording, Seeded, handling
from metricdp.values import Exact

KEYS: dict[str, list[Any]] = {
    "integer": [0, 1, 3, 2, True, 9, 0, 7, -1],
    "text": ["a", "b", "", "c", "a", "none"],
    "boolean": [True, False, 1, 0],
    "double": [0.0, 1.0, 0.5, nan, 1],
}
HELD: dict[str, list[Any]] = {
    "integer": [0, 1, 3, 2, -1], "text": ["a", "b", "", "d"], "boolean": [True, False],
    "double": [0.0, -0.0, 1.0, 0.5],
}  # fmt: skip
CELLS = [0.0, 1.5, -2.25, 7.0, nan, inf, -inf, 1e-300, 3.0]


def table(base: str, count: int) -> Table:
    rng = random.Random(f"{base} {count}")
    keys = [rng.choice(HELD[base]) for _ in range(count)]
    kinds = {"integer": np.int64, "boolean": np.bool_, "double": np.float64}
    first = Stored(base, Texts.of(keys) if base == "text" else np.array(keys, kinds[base]))
    second = Stored("double", np.array([rng.choice(CELLS) for _ in range(count)], np.float64))
    return Table((first, second), (first.node(0), second.node(1)), value=Exact)


def asked_for(row: Any, key: Any) -> list[list[tuple[Node, Any]]]:
    """What rounds ask of a table: nodes and bounds."""
    column, x = row
    test = eq(column, key)
    ball = Ball(GridRange(-4, -48, 48), (("L2", Fraction(60)),))
    inside, above = GridRange(-20, -(3 << 20), 3 << 20), GridRange(-20, 1 << 20, 3 << 20)
    value, pair = clamp(x, -3, 3), stack([x, mul(x, x)])
    return [
        [(select(test, value, 0), inside)],
        [(select(test, constant(1), 0), GridRange(0, 0, 1)), (select(test, value, 0), inside)],
        [(select(test, pair, [0.0, 0.0]), ball)],
        [(select(both(test, lt(x, 2)), value, 0), inside)],
        [(select(test, select(lt(x, 2), value, 0), 0), inside)],
        # What is moved into a range without 0, or is something elsewhere, is so in every row.
        [(select(test, value, 0), above)],
        [(select(test, value, 1), inside)],
        [(select(test, 0, value), inside)],
        [(select(test, value, 0), inside), (value, inside)],
        [(select(test, value, 0), inside), (select(lt(x, 2), value, 0), inside)],
        [(add(select(test, value, 0), 1), inside)],
    ]


@pytest.mark.parametrize("base", KEYS)
@pytest.mark.parametrize("count", [0, 1, 60])
def test_sums_by_one_key_after_the_other_are_those_of_all_rows(base: str, count: int) -> None:
    rows = table(base, count)
    for key in KEYS[base]:
        for at, asked in enumerate(asked_for(rows.row, key)):
            alone = table(base, count)  # of which nothing was asked before
            expected = alone.totals(asked_for(alone.row, key)[at])
            assert str(rows.totals(asked)) == str(expected)
            for found, near in zip(rows.totals(asked), expected, strict=True):
                assert list(found) == list(near) if hasattr(near, "array") else found == near


PROGRAMS = """
from dataclasses import dataclass

@dataclass
class Row:
    key: int
    pay: float

@dp.measurement
def sums(rows: dp.Records[Row], keys: tuple[int, ...], scale: float):
    found = []
    for k in keys:
        total, n = 0.0, 0
        for row in rows:
            if row.key == k:
                total += dp.clamp(row.pay, 2, 10)
                n += 1
        found.append((dp.laplace(total, scale=scale), dp.laplace(n, scale=scale)))
    return found
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("equal"), PROGRAMS)


def entering(programs: ModuleType, rows: Any, keys: Any) -> list[Any]:
    with handling(Recording(Seeded(2))) as kept:
        programs.sums(rows, keys, 1.0)
    return [entry.value for entry in kept.log]


def test_a_loop_over_keys_groups_the_rows_once(
    programs: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(1)
    rows = [(rng.randrange(30), rng.uniform(-9, 19)) for _ in range(900)]
    keys = (*range(30), 99)
    passes = 0

    def seen(frame: Any, event: str, _: Any) -> None:
        nonlocal passes
        passes += event == "call" and frame.f_code is Table._slices.__code__

    sys.setprofile(seen)
    try:
        found = entering(programs, rows, keys)
    finally:
        sys.setprofile(None)
    inside = [[Exact(min(max(x, 2), 10)) for k, x in rows if k == key] for key in keys]
    for (total, n), own in zip(zip(found[::2], found[1::2], strict=True), inside, strict=True):
        assert abs(total - sum(own)) <= len(own) * Fraction(1, 2**36) and n == len(own)
    # The first key is looked for in all rows; then the rows are grouped and summed, once.
    assert 0 < passes < len(keys) / 2
    monkeypatch.setenv("METRICDP_COLUMNS", "reference")
    assert entering(programs, rows, keys) == found
