"""Array forms of aggregates on columns equal the reference functions on the same rows."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from metricdp.audit.values import plain
from metricdp.primitives import load
from metricdp.record import REGISTRY
from metricdp.values import Column, clamp_to_grid

load()
CASES: list[tuple[str, dict[str, Any]]] = [
    ("count_by", {}),
    ("count_distinct", {}),
    ("histogram", {"categories": (1, Fraction(1, 2), 7, 1)}),
    ("histogram", {"categories": (0, 3, "a", float("nan")), "null_category": True}),
    ("histogram", {"categories": (), "null_category": True}),
    ("sum", {}),
]


def columns() -> list[Column]:
    rng = Random(8)
    small = np.array([rng.choice((0.0, 0.5, 1.0, 3.0, 7.25, -2.0)) for _ in range(40)])
    wide = np.array([rng.uniform(-1, 1) * 2.0 ** rng.randint(-30, 30) for _ in range(40)])
    whole = np.array([rng.randint(-3, 3) for _ in range(40)], np.int64)
    grid = clamp_to_grid(Column(floats=small), 0, 3)
    empty = Column(floats=np.array([], np.float64))
    return [Column(floats=small), Column(floats=wide), Column(ticks=whole), grid, empty]


@pytest.mark.parametrize("column", columns(), ids=("few", "wide", "whole", "grid", "empty"))
@pytest.mark.parametrize(
    ("name", "public"), CASES, ids=[f"{n}{i}" for i, (n, _) in enumerate(CASES)]
)
def test_the_array_form_is_the_reference(name: str, public: dict[str, Any], column: Column) -> None:
    record = REGISTRY[name]
    assert record.array is not None
    rows = [Fraction(x) for x in column]
    expected, found = plain(record.run(rows, **public)), plain(record.array(column, **public))
    assert found == expected
    if isinstance(expected, dict):
        assert list(found) == list(expected)
