"""Numbers of a row that are one as real numbers and two as Python computes them: parts by the one
and by the other are charged at what real runs show, however the number is spelled."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from checked_modules import load

from metricdp.run.emit import Recording, Seeded, handling

HEAD = """
from dataclasses import dataclass


@dataclass
class R:
    k: int
    x: float
    b: bool


def same(v):
    return v


def size(v):
    return abs(v)

"""
#: Pairs of spellings of one real number; the first is compared with n by ==, the second by !=.
WHOLE = (
    ("r.k", "float(r.k)"), ("r.k", "r.k / 1"), ("r.k * 1", "r.k * 1.0"), ("r.k + 0", "r.k + 0.0"),
    ("r.k - 0", "r.k - 0.0"), ("r.k * m", "r.k * (m / 1)"), ("r.k + m", "r.k + (m + 0.0)"),
    ("r.k // 1", "r.k // 1.0"), ("r.k % 2**62", "r.k % 2.0**62"), ("max(r.k, 0)", "max(r.k, 0.0)"),
    ("sum([r.k, 0])", "sum([r.k, 0.0])"), ("r.k ** 1", "r.k ** 1.0"),
    ("r.k + r.b", "r.k + float(r.b)"), ("(r.k if r.b else 0)", "(r.k if r.b else 0.0)"),
    ("min(r.k, 2**60)", "min(r.k, 2**60) * 1.0"), ("r.k * max(m, 1.0)", "r.k * max(1.0, m)"),
    ("r.k - 1 + 1", "r.k - 1.0 + 1"), ("abs(r.k)", "abs(r.k * 1.0)"),
)  # fmt: skip
REAL = (
    ("r.x * 1", "(r.x * 1 + 1e16) - 1e16"), ("(r.x + 1) - 1", "(r.x + 1e16) - 1e16"),
    ("r.x * 1", "(r.x * 1e-300) * 1e-20 * 1e300 * 1e20"),
)  # fmt: skip
#: Whole numbers that have no double, what plus 1 has none, and real ones.
ROWS = ((2**53 + 1, 1.0), (2**53, 0.5), (2**53 + 2, 0.3))
FILTERS = """
@dp.measurement
def p{i}(rows: dp.Records[R], n: {kind}, m: int):
    one = dp.laplace(dp.count([r for r in rows if {a} == n]), scale=1)
    two = dp.laplace(dp.count([r for r in rows if {b} != n]), scale=1)
    return one, two
"""
LOOP = """
@dp.measurement
def p{i}(rows: dp.Records[R], n: {kind}, m: int):
    one = two = 0
    for r in rows:
        if {of}({a}) == n:
            one += 1
        if {of}({b}) != n:
            two += 1
    return dp.laplace(one, scale=1), dp.laplace(two, scale=1)
"""
PAIRS = [(*pair, "int") for pair in WHOLE] + [(*pair, "float") for pair in REAL]


def written(form: str, **given: str) -> str:
    return "".join(
        form.format(i=i, a=a, b=b, kind=kind, **given) for i, (a, b, kind) in enumerate(PAIRS)
    )


def moved(function: Any, row: Any, **public: Any) -> Fraction:
    """What one row moves in all counts together."""
    with handling(Recording(Seeded(1))) as seen:
        function([row], **public)
    return sum((abs(Fraction(entry.value)) for entry in seen.log), Fraction(0))


@pytest.mark.parametrize(
    "text", [written(FILTERS), written(LOOP, of="same"), written(LOOP, of="size")],
    ids=("filters", "a helper", "a helper that computes"),
)  # fmt: skip
def test_no_row_moves_more_than_was_proved(text: str, tmp_path: Path) -> None:
    module, wrong, twice = load(tmp_path, HEAD + text), [], 0
    for i, (a, b, kind) in enumerate(PAIRS):
        function: Any = getattr(module, f"p{i}")
        n = 2**53 + 1 if kind == "int" else 1.0
        proved = Fraction(function.map(1, n=n, m=1))
        found = max(moved(function, module.R(k, x, True), n=n, m=1) for k, x in ROWS)
        twice += found > 1
        wrong += [] if found <= proved else [(a, b, found, proved)]
    assert not wrong
    assert twice > len(PAIRS) // 2, "rows that lie in both parts are met"
