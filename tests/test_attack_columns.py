"""Attacks on rows as columns: what is traced does what the same lines do in Python, row by row.

Every program here ran otherwise once, or might have.  Seeds are fixed; nothing has false alarms.
"""

from __future__ import annotations

import ast
import math
from fractions import Fraction
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from checked_modules import load
from random_rows import Rows

from metricdp.columns import table
from metricdp.columns.language import Untraceable
from metricdp.run import rowwise
from metricdp.run.emit import Recording, Seeded, handling
from metricdp.run.rewrite import read_inside

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


@pytest.mark.parametrize(
    "body",
    [
        "return dp.sum([dp.clamp(r.b, 0.5, 2.5) for r in rows])",
        "return dp.sum(dp.clamp([r.b for r in rows], 0.5, 2.5))",
        "t = 0\nfor r in rows:\n    t += dp.clamp(r.b, 0.5, 2.5)\nreturn t",
        "t = 0\nfor r in rows:\n    t += min(max(r.b, 0.5), 2.5)\nreturn t",
    ],
)
def test_an_integer_reaches_the_fractions_that_bound_it(tmp_path: Path, body: str) -> None:
    assert value(tmp_path, body) == 2 + 2.5 + 0.5


#: Numbers that lose what stands beside them, leave the doubles, or are the ends of integers.
CELLS = {
    "a": (-3.0, 7.0, 0.1, 0.0, 2.5, 1.0), "k": (-2, 5, 0, 1, 3),
    "u": (0.0, 1e308, -1e308, math.nan, math.inf, 5e-324, 1.5, -7.25, 2.0**53),
    "n": (0, 1, -1, 2**63 - 1, -(2**63), 2**53 + 1, 10**18),
    "s": ("x", "y", "long text", ""), "b": (True, False),
}  # fmt: skip
PLAIN = {**CELLS, "a": (-3.0, 7.0, 0.125, 0.0, 2.5), "u": (0.0, 1.5, -7.25), "n": (0, 1, -1, 7)}


def entering(module: Any, rows: Any) -> list[tuple[Fraction, Fraction]]:
    """The bound of every draw, and what noise is added to."""
    recorder = Recording(Seeded(1))
    with handling(recorder):
        module.f(rows, 2)
    return [(entry.draw.bound, Fraction(entry.value)) for entry in recorder.log]


def neighbour(rng: Random, source: str, rows: list[Any], distance: int, cells: Any) -> list[Any]:
    """Other rows at most that far away."""
    near = list(rows)
    for _ in range(distance):
        at, row = rng.randrange(len(near) + 1), tuple(map(rng.choice, cells.values()))
        if "ChangeOne" in source.rpartition("def f")[2] or "Hamming" in source:
            near[at % len(near)] = row
        elif at < len(near) and rng.random() < 0.4:
            near.pop(at)
        else:
            near.insert(at, row)
    return near


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "extreme"])
def test_random_programs_over_rows_keep_their_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain: bool
) -> None:
    """Neighbours move what enters the noise by no more than was proved; and what plain programs
    compute in columns is what they compute row by row, but for roundings."""
    cells = PLAIN if plain else CELLS
    proved = 0
    for seed in range(25):
        rng, source = Random(f"rows {seed}"), Rows(seed, plain).program()
        module = load(tmp_path, source, head="")
        if module.f.outcome.verdict != "proved":
            continue
        proved += 1
        rows = [tuple(map(rng.choice, cells.values())) for _ in range(4)]
        base = entering(module, rows)
        for distance in (1, 1, 2, 3):
            near = entering(module, neighbour(rng, source, rows, distance, cells))
            for (bound, x), (_, y) in zip(base, near, strict=True):
                # A row that is replaced may leave one part and enter another one.
                most = bound * distance * (2 if "partition" in source else 1)
                assert abs(x - y) <= most, (seed, source)
        if plain:
            with monkeypatch.context() as patch:
                for home in (table, rowwise):
                    patch.setattr(home, "traced", untraced)
                for (_, x), (_, y) in zip(base, entering(module, rows), strict=True):
                    assert abs(x - y) <= max(1, abs(y)) * Fraction(1, 10**6), (seed, source)
    assert proved >= 12


def untraced(*given: Any) -> Any:
    """Every function of rows runs row by row."""
    raise Untraceable("a test")


#: What a row whose fields are 7 gives; in doubles more than what 7 gives in rationals.
OUTSIDE = {
    "(r.a + 1e16) - 1e16": 7, "(r.b + 1e16) - 1e16": 7, "r.a * 0.1": 7 * Fraction(0.1),
    "1.1 * r.b": 7 * Fraction(1.1),
    "(r.a + r.b) * 0.1 / 2": 7 * Fraction(0.1),
}  # fmt: skip


@pytest.mark.parametrize("space", ["dp.Records[R]", "dp.Records[R, ChangeOne]"])
@pytest.mark.parametrize("given", OUTSIDE)
@pytest.mark.parametrize("loop", [False, True], ids=["map", "loop"])
def test_a_row_that_rounds_out_of_its_range_adds_no_more(
    tmp_path: Path, given: str, space: str, loop: bool
) -> None:
    proved = OUTSIDE[given]
    assert Fraction(eval(given, {"r": SimpleNamespace(a=7.0, b=7)})) > proved
    body = f"t = 0\n    for r in rows:\n        t += {given}\n    return dp.laplace(t, scale=1)"
    if not loop:
        body = f"return dp.laplace(dp.sum([{given} for r in rows]), scale=1)"
    text = f"@dp.measurement\ndef f(rows: {space}, c: int):\n    {body}\n"
    module = load(tmp_path, text, head=HEAD.replace("10)", "7)"))
    ((bound, least),) = entering(module, [(3.5, 2), (0.0, 0)])
    ((_, most),) = entering(module, [(3.5, 2), (7.0, 7)])
    assert bound == proved
    assert 0.99 * proved < most - least <= proved


@pytest.mark.parametrize("limits", [(5, 1), (1, 5)])
@pytest.mark.parametrize("made", ["part(rs, k)", "dp.sum(kept(rs, k))"])
def test_a_helper_of_several_queries_keeps_the_bound_of_each(
    tmp_path: Path, made: str, limits: tuple[int, int]
) -> None:
    """All queries are read at one address, each with bounds of its own."""
    text = f"""@dp.measurement
def f(rows: dp.Records[R], c: int):
    queries = tuple([lambda rs, k=k: {made} for k in {limits}])
    return dp.above_threshold(queries, 1, rows, 100)
"""
    module = load(tmp_path, ROUNDS.removesuffix("---\n") + text, head=HEAD)
    recorder = Recording(Seeded(1))
    with handling(recorder):
        module.f(ROWS, 1)
    (entry,) = recorder.log
    assert entry.value == [sum(min(a, k) for a, _ in ROWS) for k in limits]


def test_a_parameter_of_a_lambda_is_no_name_of_the_loop(tmp_path: Path) -> None:
    """A loop whose row is called like one is a loop over columns."""
    body = "g = lambda r: r.b\nt = 0\nfor r in rows:\n    t += r.a + g(r)\nreturn t"
    assert value(tmp_path, body) == 25.5
    tree = ast.parse(
        "def f(rows):\n    g = lambda r, q=z: r + s\n    for r in rows:\n        pass\n"
    )
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    assert read_inside(function) == {"s", "z"}
