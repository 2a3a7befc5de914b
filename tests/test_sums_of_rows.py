"""Numbers made of several sums over the same rows: no row that comes or goes moves them further."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from plain_python import checked

from metricdp.check.domain import sums_of_rows
from metricdp.expr import ZERO

HEAD = """
from dataclasses import dataclass

@dataclass
class Row:
    k: int
    x: float

@dp.transformation
def f(rows: dp.Records[Row]):
"""
ALL = "len(rows)"
SOME, RICH = "len([r for r in rows if r.k == 1])", "len([r for r in rows if r.x > 0])"
BOTH = "len([r for r in rows if r.x > 0 and r.k == 1])"
SUM = "sum(dp.clamp(r.x, 1, 2) for r in rows)"
#: Result, how far it is proved that one row moves it, and how far one does.
CASES: tuple[tuple[str, int, int], ...] = (
    (f"2 * {ALL} - {SOME}", 2, 2), (f"{SOME} - 2 * {ALL}", 2, 2),
    (f"{SOME} + {RICH} - {ALL}", 1, 1),
    (f"3 * {SOME} - 2 * {RICH}", 3, 3), (f"{ALL} + 2 * {SOME}", 3, 3), (f"{ALL} - {ALL}", 0, 0),
    (f"3 * {ALL} - {SOME} - {RICH}", 3, 3), (f"{SOME} + {RICH}", 2, 2), (f"{SUM} - {ALL}", 1, 1),
    (f"{SUM} - 3 * {ALL}", 3, 2), (f"{SUM} - 2 * {SOME}", 2, 2), (f"5 * ({ALL} - {RICH})", 5, 5),
    (f"{SOME} - len([r for r in rows if r.k == 2]) - {ALL}", 2, 2),
    (f"2 * {ALL} - dp.count(lambda r: r.k == 1, rows)", 2, 2),
    ("2 * sum(1 for r in rows) - sum(1 for r in rows if r.x > 0)", 2, 2),
    (f"2 * {RICH} - {BOTH}", 2, 2),
    (f"2 * len([r.k for r in rows]) - {SOME}", 2, 2),
    (f"{ALL} - {SOME} - {RICH}", 1, 1),
)  # fmt: skip
KINDS = ((0, 0.0), (1, -2.0), (1, 0.5), (1, 2.0), (2, 2.0), (5, float("nan")))


def plainly(body: str) -> Any:
    def clamp(x: float, low: float, high: float) -> float:
        return max(low, min(0.0 if x != x else x, high))

    def count(test: Any, rows: list[Any]) -> int:
        return sum(map(test, rows))

    names: dict[str, Any] = {"dp": SimpleNamespace(clamp=clamp, count=count)}
    exec(f"def f(rows):\n    return {body}\n", names)
    return lambda rows: names["f"]([SimpleNamespace(k=k, x=x) for k, x in rows])


def furthest(body: str, apart: int) -> Fraction:
    """How far rows that are added move the result at most, in tables of up to two rows."""
    run, found = plainly(body), Fraction(0)
    for size in range(3):
        for rows in itertools.combinations_with_replacement(KINDS, size):
            for more in itertools.combinations_with_replacement(KINDS, apart):
                found = max(found, abs(Fraction(run((*rows, *more))) - Fraction(run(rows))))
    return found


@pytest.mark.parametrize(("body", "claim", "truth"), CASES)
def test_no_row_moves_it_further(body: str, claim: int, truth: int, tmp_path: Path) -> None:
    f = checked(tmp_path, f"{HEAD}    return {body}\n")
    assert [f.map(d) for d in (1, 2)] == [claim, 2 * claim]
    assert furthest(body, 1) == truth
    assert furthest(body, 2) <= 2 * claim
    rows = [SimpleNamespace(k=k, x=x) for k, x in KINDS[:5]]
    assert f([vars(row) for row in rows]) == plainly(body)(KINDS[:5])


def test_a_sum_that_takes_too_little_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sums_of_rows, "_largest", lambda parts: ZERO)
    claims = [checked(tmp_path, f"{HEAD}    return {body}\n").map(1) for body, _, _ in CASES]
    assert any(claim < truth for claim, (_, _, truth) in zip(claims, CASES, strict=True))
