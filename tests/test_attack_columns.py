"""Attacks on rows as columns: what is traced does what the same lines do in Python, row by row.

Every program here ran otherwise once, or might have.  Seeds are fixed; nothing has false alarms.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from checked_modules import load

HEAD = """from dataclasses import dataclass
from typing import Annotated

import metricdp as dp
from metricdp import ChangeOne, Size


@dataclass
class R:
    a: Annotated[float, dp.Bounds(0, 10)]
    b: Annotated[int, dp.Bounds(0, 10)]


"""
ROWS = [(1.5, 2), (9.0, 10), (3.0, 0)]
SIZED = "Annotated[dp.Records[R, ChangeOne], Size(3)]"


def value(tmp_path: Path, body: str, rows: Any = ROWS, space: str = "dp.Records[R]") -> Any:
    """What a transformation of rows gives; `helper` may be defined before the line `return`."""
    helpers, _, lines = body.rpartition("---\n")
    text = "".join(f"    {line}\n" for line in lines.splitlines())
    module = load(
        tmp_path, f"{helpers}\n@dp.transformation\ndef f(rows: {space}):\n{text}", head=HEAD
    )
    return module.f(rows)


STORED = """def first(r):
    held = [0.0, 0.0]
    if r.a > 2:
        held[0] = 1.0
    else:
        held[1] = 1.0
    return held[0]
---
return [first(r) for r in rows]
"""
APPENDED = """def first(r):
    held = []
    if r.a > 2:
        held.append(1.0)
    else:
        held.append(2.0)
    return held[0]
---
return [first(r) for r in rows]
"""
HANDED = """def fill(held):
    held[0] = 1.0
def first(r):
    held = [0.0, 0.0]
    if r.a > 2:
        fill(held)
    return held[0]
---
return [first(r) for r in rows]
"""
IN_A_LOOP = """total = 0.0
for r in rows:
    held = [0.0, 0.0]
    if r.a > 2:
        held[0] = 1.0
    else:
        held[1] = 1.0
    total += held[0] - held[1]
return total
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [(STORED, [0, 1, 1]), (APPENDED, [2, 1, 1]), (HANDED, [0, 1, 1]), (IN_A_LOOP, 1)],
    ids=["stored", "appended", "handed", "in-a-loop"],
)
def test_only_the_side_that_is_taken_changes_a_list(
    tmp_path: Path, body: str, expected: Any
) -> None:
    assert value(tmp_path, body) == expected


RESULTS = [
    ("return [dp.count(lambda s: s.a > r.a, rows) for r in rows]", [2, 0, 1]),
    ("total = 0.0\nfor r in rows:\n"
     "    total += dp.sum(dp.clamp([r.a * s.a for s in rows], 0, 100))\nreturn total", 182.25),
    ("return [dp.sum(dp.clamp([r.a * s.a for s in rows], 0, 100)) for r in rows]",
     [20.25, 121.5, 40.5]),
    ("total = 0.0\nfor r in rows:\n    for s in rows:\n        total += r.a * s.a\nreturn total",
     182.25),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), RESULTS, ids=["count", "sum", "map", "loop"])
def test_rows_inside_of_rows_are_those_of_their_own_table(
    tmp_path: Path, body: str, expected: Any
) -> None:
    assert value(tmp_path, body, space=SIZED) == expected


SHADOWED = """def h(x):
    return x + 1
def g(r):
    z = 0.0
    if r.a > 2:
        z = sum([h for h in (1.0, 2.0)])
    return h(z)
---
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (SHADOWED + "return [g(r) for r in rows]", [1, 4, 4]),
        (SHADOWED + "total = 0.0\nfor r in rows:\n    z = 0.0\n    if r.a > 2:\n"
         "        z = sum([h for h in (1.0, 2.0)])\n    total += h(z)\nreturn total", 9),
    ],
    ids=["function", "loop"],
)  # fmt: skip
def test_names_of_a_comprehension_are_known_there_alone(
    tmp_path: Path, body: str, expected: Any
) -> None:
    assert value(tmp_path, body) == expected


ROUNDS = """def part(rs, c):
    total = 0.0
    for r in rs:
        total += dp.clamp(r.a, 0, c)
    return total
def kept(rs, c):
    return [dp.clamp(r.a, 0, c) for r in rs]
---
"""


@pytest.mark.parametrize("made", ["part(rows, i)", "dp.sum(kept(rows, i))"])
@pytest.mark.parametrize("rounds", ["for i in range(5):", "while i < 5:"])
def test_a_bound_that_every_round_has_another_number_for(
    tmp_path: Path, made: str, rounds: str
) -> None:
    last = "    i += 1\n" if rounds.startswith("while") else ""
    body = f"{ROUNDS}i = 0\nt = 0.0\n{rounds}\n    t += {made}\n{last}return t"
    assert value(tmp_path, body) == sum(min(a, i) for a, _ in ROWS for i in range(5))
