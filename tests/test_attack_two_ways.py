"""Rows that one program reads in two ways: in columns, where arithmetic rounds, and row by row.

A row lies in no two parts that were charged as one, and a table and its copy add up to one number,
whichever way each is read.  What lets the two ways pass for one is planted, and seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from attack.oracle import Proved, compare
from checked_modules import load
from depth import depth

from metricdp.check.domain import privacy
from metricdp.check.values import terms

#: Functions of a row, and what they round to.
TERMS = {
    "{} * 0.1": lambda x: x * 0.1, "{} / 3": lambda x: x / 3, "{} + 0.1": lambda x: x + 0.1,
    "0.3 - {}": lambda x: 0.3 - x, "int({} / 0.1)": lambda x: int(x / 0.1),
    "abs({} - 0.2)": lambda x: abs(x - 0.2), "min({}, 1 / 3)": lambda x: min(x, 1 / 3),
    "{} % 0.1": lambda x: x % 0.1, "({} if {} > 1 else 2 * {} / 7)": lambda x: 2 * x / 7,
}  # fmt: skip
#: One count of the rows for which a test holds: in columns, and by rounds that do more than to add.
COUNTS = {
    "columns": "    {0} = sum(1 for r in rows if {1})\n",
    "copy": "    {0} = sum(1 for r in [q for q in rows] if {1})\n",
    "rows": """    {0} = top = 0
    for r in rows:
        if {1}:
            {0} += 1
            top = max(top, min(max(r, 0), 1))
""",
}
WAYS = (("copy", "columns"), ("rows", "columns"), ("columns", "rows"), ("copy", "rows"))
ROWS = [0.1, 2.9, 6.01, 5.35, 3.96, 1 / 3]


def programs(seed: int, count: int) -> Iterator[tuple[str, Any]]:
    rng = Random(seed)
    for number in range(count):
        term, op = rng.choice([*TERMS]), rng.choice([">", ">=", "<", "=="])
        ways = WAYS[number % len(WAYS)]
        test = f"{term.replace('{}', 'r')} {op} c"
        tests = rng.sample([test, f"not {test}"], 2)
        body = "".join(COUNTS[w].format(n, t) for w, n, t in zip(ways, "ab", tests, strict=True))
        given = "(rows: dp.Records[float], c: float):\n"
        noisy = "dp.laplace(a, scale=1), dp.laplace(b, scale=1)"
        yield (
            f"@dp.transformation\ndef counts{given}{body}    return a, b\n\n\n"
            f"@dp.measurement\ndef f{given}{body}    return {noisy}\n",
            TERMS[term],
        )


def seen(seed: int, count: int, folder: Path) -> tuple[list[str], int]:
    """Programs in which rows move more than was charged, and how many were charged for one part."""
    found, cheap = [], 0
    for source, rounded in programs(seed, count):
        made: Any = load(folder, source)
        cost = made.f.outcome.guarantee.cost("rows")["epsilon"].upper({})
        cheap += cost == 1
        for x in ROWS:
            for rows in ([x], [x, x], [x, 1.5, x])[: 3 if x > 6 else 1]:
                without = made.counts(rows[1:-1], c=float(rounded(x)))
                with_them = made.counts(rows, c=float(rounded(x)))
                moved = sum(abs(a - b) for a, b in zip(with_them, without, strict=True))
                if moved > cost * min(len(rows), 2):
                    found.append(source)
    return found, cheap


def test_no_row_is_in_two_parts_that_were_charged_as_one(tmp_path: Path) -> None:
    found, cheap = seen(1, depth(7, 60), tmp_path)
    assert cheap and not found, found[:1]


def test_a_rounding_that_passes_for_another_one_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terms, "rounds", lambda term, is_whole: False)
    found, cheap = seen(1, depth(7, 60), tmp_path)
    assert found and cheap


COPIES = """
@dp.transformation
def apart(rows: dp.Records[float]):
    held = dp.clamp(rows, 0, 1)
    return sum(held) - sum([r for r in held]), sum(held) - sum(r for r in held)


@dp.measurement
def f(rows: dp.Records[float], b: float):
    held = dp.clamp(rows, 0, 1)
    return dp.laplace(sum(held) - sum(r for r in held), scale=b)
"""


def test_a_table_and_its_copy_add_up_to_one_number(tmp_path: Path) -> None:
    made: Any = load(tmp_path, COPIES)
    assert made.f.outcome.guarantee.cost("rows")["epsilon"].is_zero
    for rows in ([0.1], [0.1, 0.3], [1 / 3] * 3, []):
        assert [*made.apart(rows)] == [0, 0]


BEHIND = """
@dp.measurement
def f(rows: dp.Records[float], c: float):
    top = min(max(dp.laplace(len(rows), scale=1), 1), 2)
    kept = [min(max(r, 0), top) for r in rows if r * 0.1 >= c]
    return dp.laplace(sum(1 for r in rows if r * 0.1 >= c) - len(kept), scale=1)
"""


def test_a_test_that_is_asked_once_more_row_by_row_may_leave_a_row_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: Any = load(tmp_path, BEHIND)
    (entry,) = made.f.outcome.guarantee.private()
    given = {"rows": [5.35], "c": 0.535}, {"rows": [], "c": 0.535}
    proved = Proved(made.f, made.f.outcome.guarantee, {"c": 0.535})
    assert not compare(proved, entry, Fraction(1), *given, "drawn", "0")
    monkeypatch.setattr(privacy, "may_round", lambda term, is_whole: False)
    planted: Any = load(tmp_path, BEHIND)
    proved = Proved(planted.f, planted.f.outcome.guarantee, {"c": 0.535})
    assert compare(proved, entry, Fraction(1), *given, "drawn", "0")
