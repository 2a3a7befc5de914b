"""Pairs of values of a row among public pairs: a run counts as plain Python does."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from plain_python import checked, run

ROW = """
    from dataclasses import dataclass
    from typing import Optional

    @dataclass
    class Row:
        city: str
        age: Optional[int]
        pay: float

    @dp.measurement
    def f(x: dp.Records[Row], eps: float):
"""
COUNTS = """
        counts = {("a", 1): 0, ("a", 2): 0, ("b", 1): 0, ("c", 7): 0}
        for r in x:
            if (r.city, r.age) in counts:
                counts[r.city, r.age] += 1
        return dp.laplace(list(counts.values()), epsilon=eps)
"""
PRODUCT = """
        counts = {(c, b): 0 for c in ("a", "b") for b in (False, True)}
        for r in x:
            if r.city in ("b", "a"):
                counts[r.city, r.pay > 0.5] += 2
        return dp.laplace(list(counts.values()), epsilon=eps)
"""
MISSING = """
        one = sum(1 for r in x if (r.city, r.age) in [("a", 1), ("b", None), ("a",), 3])
        other = sum(1 for r in x if (r.pay, r.city) not in {(0.1, "a"), (1, "b")})
        return dp.laplace([one, other], epsilon=eps)
"""
ROWS = [*product(("a", "b", "c"), (None, 1, 2, 7), (0.1, 0.5, 1.0))]


def _counts(rows: list[tuple[str, int | None, float]]) -> list[int]:
    pairs = [(city, age) for city, age, _ in rows]
    return [pairs.count(key) for key in (("a", 1), ("a", 2), ("b", 1), ("c", 7))]


def _product(rows: list[tuple[str, int | None, float]]) -> list[int]:
    pairs = [(city, pay > 0.5) for city, _, pay in rows]
    return [2 * pairs.count(key) for key in product("ab", (False, True))]


def _missing(rows: list[tuple[str, int | None, float]]) -> list[int]:
    one = sum((city, age) in [("a", 1), ("b", None)] for city, age, _ in rows)
    return [one, sum((pay, city) not in {(0.1, "a"), (1, "b")} for city, _, pay in rows)]


@pytest.mark.parametrize(
    ("body", "wanted"), [(COUNTS, _counts), (PRODUCT, _product), (MISSING, _missing)]
)
def test_pairs_are_counted_as_python_counts_them(tmp_path: Path, body: str, wanted: object) -> None:
    function = checked(tmp_path, ROW + body)
    row = type("Row", (), {})
    for rows in (ROWS, ROWS[5:17], ROWS[:1], []):
        given = []
        for values in rows:
            given.append(row())
            given[-1].__dict__.update(zip(("city", "age", "pay"), values, strict=True))
        _, (entry,) = run(function, given, eps=1.0)
        assert list(entry.value) == wanted(rows)  # type: ignore[operator]
