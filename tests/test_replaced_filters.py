"""What filters leave of rows that are replaced: no neighbour moves it further than is charged.

Every table of up to three rows of seven kinds, and every other one of that size: the noise of one
run hides at least how far all that is released moves, at distances 1, 2 and 3.
"""

from __future__ import annotations

import itertools
import re
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from plain_python import checked

from metricdp.check.values.forms import Source
from metricdp.expr import num
from metricdp.measures.readings import spent

HEAD = """
from dataclasses import dataclass

@dataclass
class Row:
    k: int
    x: float

@dp.measurement
def f(rows: dp.Records[Row, dp.{metric}], b: float, n: int):
"""
COUNTERS = """
n = m = l = 0
for r in rows:
    if r.k == 0:
        n += 1
    elif r.k == 1:
        m += 1
    else:
        l += 1
"""
#: Body, how it is accounted, its cost at distance 1 and b = 1, and the largest that a pair shows.
CASES: tuple[tuple[str, str, str, str], ...] = (
    ("dp.laplace(len([r for r in rows if r.k == 1]), scale=b)", "pure", "1", "1"),
    ("dp.laplace(len([r for r in rows if r.x > 0]) / 2, scale=b)", "pure", "1/2", "1/2"),
    ("dp.laplace(-len([r for r in rows if r.x > 0]), scale=b)", "pure", "1", "1"),
    ("dp.laplace(sum(dp.clamp(r.x, 0, 2) for r in rows if r.k == 1), scale=b)", "pure", "2", "2"),
    ("dp.laplace(sum(dp.clamp(r.x, -2, 0) for r in rows if r.k == 1), scale=b)", "pure", "2", "2"),
    ("dp.laplace(sum(dp.clamp(r.x, -1, 1) for r in rows if r.k == 1), scale=b)", "pure", "2", "2"),
    ("dp.laplace(sum(dp.clamp(r.x, -1, 2) for r in rows if r.k == 1), scale=b)", "pure", "3", "3"),
    ("dp.laplace(dp.clamp(len([r for r in rows if r.k == 1]), 1, 2), scale=b)", "pure", "1", "1"),
    ("dp.laplace(len({r.k for r in rows if r.x > 0}), scale=b)", "pure", "1", "1"),
    # Numbers that one row moves against each other, and with each other.
    ("n = len([r for r in rows if r.k == 1]) - len([r for r in rows if r.k == 2])\n"
     "dp.laplace(n, scale=b)", "pure", "2", "2"),
    ("n = len([r for r in rows if r.k == 1]) + len([r for r in rows if r.k == 2])\n"
     "dp.laplace(n, scale=b)", "pure", "1", "1"),
    ("n = len([r for r in rows if r.k > 0]) - len([r for r in rows if r.x > 0])\n"
     "dp.laplace(n, scale=b)", "pure", "2", "2"),
    ("n = len([r for r in rows if r.k > 0]) + len([r for r in rows if r.x > 0])\n"
     "dp.laplace(n, scale=b)", "pure", "2", "2"),
    ("n = dp.clamp(len([r for r in rows if r.k == 1]), 0, 9)\n"
     "m = dp.clamp(len([r for r in rows if r.k == 2]), 0, 9)\n"
     "dp.laplace(n - m, scale=b)", "pure", "2", "2"),
    ("n = dp.clamp(len([r for r in rows if r.k == 1]), 0, 9)\n"
     "m = dp.clamp(len([r for r in rows if r.k == 2]), 0, 9)\n"
     "dp.laplace(n + m, scale=b)", "pure", "2", "1"),
    ("n = dp.clamp(len([r for r in rows if r.k == 1]), 0, 2)\n"
     "m = dp.clamp(len([r for r in rows if r.k == 2]), 0, 2)\n"
     "dp.laplace(n * (2 - m), scale=b)", "pure", "4", "3"),
    # Several events: a row leaves one and enters another.
    ("for k in (1, 2):\n    dp.laplace(len([r for r in rows if r.k == k]), scale=b)",
     "pure", "2", "2"),
    ("for k in (0, 1, 2):\n    dp.laplace(len([r for r in rows if r.k == k]), scale=b)",
     "pure", "2", "2"),
    ("for k in (1, 2):\n    dp.gaussian(len([r for r in rows if r.k == k]), scale=b)",
     "zcdp", "1", "1"),
    ("for k in (0, 1, 2):\n    dp.gaussian(len([r for r in rows if r.k == k]), scale=b)",
     "zcdp", "1", "1"),
    ("for k in (0, 1, 2):\n    dp.discrete_gaussian(len([r for r in rows if r.k == k]), scale=b)",
     "zcdp", "1", "1"),
    ("for k in (0, 1, 2):\n    mine = [r for r in rows if r.k == k]\n"
     "    dp.gaussian(sum(dp.clamp(r.x, -1, 1) for r in mine), scale=b)", "zcdp", "2", "2"),
    ("for k in (0, 1, 2):\n    mine = [r for r in rows if r.k == k]\n"
     "    dp.gaussian(sum(dp.clamp(r.x, -1, 1) for r in mine), scale=b)\n"
     "    dp.gaussian(len(mine), scale=b)", "zcdp", "2", "2"),
    ("for k in (0, 1, 2):\n    mine = [r for r in rows if r.k == k]\n"
     "    dp.gaussian(len([r for r in mine if r.x > 0]), scale=b)\n"
     "    dp.gaussian(len([r for r in mine if r.x <= 0]), scale=b)", "zcdp", "1", "1"),
    ("dp.gaussian(len([r for r in rows if r.k == 1]), scale=b)\n"
     "dp.gaussian(len([r for r in rows if r.k == 2]), scale=2 * b)", "zcdp", "5/8", "5/8"),
    ("dp.laplace(len([r for r in rows if r.k == 1]), scale=b)\n"
     "dp.laplace(len([r for r in rows if r.k == 2]), scale=2 * b)", "pure", "3/2", "3/2"),
    ("dp.laplace(len([r for r in rows if r.x > 0]), scale=b)\n"
     "dp.laplace(len([r for r in rows if r.k > 0]), scale=b)\n"
     "dp.laplace(len([r for r in rows if r.k == 0]), scale=b)", "pure", "3", "3"),
    # One vector.
    ("dp.gaussian([len([r for r in rows if r.k == k]) for k in (0, 1, 2)], scale=b)",
     "zcdp", "1", "1"),
    ("dp.laplace([len([r for r in rows if r.k == k]) for k in (0, 1, 2)], scale=b)",
     "pure", "2", "2"),
    ("dp.gaussian([len([r for r in rows if r.k > 0]), len([r for r in rows if r.x > 0])], scale=b)",
     "zcdp", "1", "1"),
    ("x = [dp.clamp(r.x, 0, 1) for r in rows if r.k > 0]\n"
     "dp.gaussian((sum(x), sum(1 - v for v in x)), scale=b)", "zcdp", "1", "1"),
    ("dp.gaussian(dp.histogram([r.k for r in rows if r.x > 0], categories=(0, 1, 2)), scale=b)",
     "zcdp", "1", "1"),
    # A vector of some rows, and one of others: two entries of the one, or one of each.
    ("dp.gaussian([len([r for r in rows if r.k == k]) for k in (0, 1)], scale=b)\n"
     "dp.gaussian(len([r for r in rows if r.k == 2]), scale=b)", "zcdp", "1", "1"),
    ("for k in (0, 1, 2):\n    mine = [r for r in rows if r.k == k]\n"
     "    dp.laplace([len(mine), len([r for r in mine if r.x > 0])], scale=b)", "pure", "4", "4"),
    # Rows of a table that was made of all rows, and rows of it.
    ("y = [dp.clamp(r.x, 0, 1) for r in rows]\n"
     "dp.laplace(sum(v for v in y if v > 0) - len([r for r in rows if r.k == 1]), scale=b)",
     "pure", "2", "2"),
    # Parts, in which rows come and go.
    ("for part in PARTS(rows):\n    dp.gaussian(len(part), scale=b)", "zcdp", "1", "1"),
    ("for part in PARTS([r for r in rows if r.x > 0]):\n    dp.gaussian(len(part), scale=b)",
     "zcdp", "1", "1"),
    ("for part in PARTS(rows):\n"
     "    dp.gaussian(sum(dp.clamp(r.x, -1, 1) for r in part), scale=b)", "zcdp", "2", "2"),
    ("for part in PARTS(rows):\n    dp.gaussian(len(part), scale=b)\n"
     "    dp.gaussian(sum(dp.clamp(r.x, 0, 2) for r in part), scale=2 * b)", "zcdp", "2", "2"),
    ("for part in PARTS(rows):\n    dp.gaussian(len([r for r in part if r.x > 0]), scale=b)\n"
     "    dp.gaussian(len([r for r in part if r.x <= 0]), scale=b)", "zcdp", "1", "1"),
    ("for part in PARTS(rows):\n    dp.gaussian(len(part), scale=b)\n"
     "    dp.gaussian(len([r for r in part if r.x > 0]), scale=b)", "zcdp", "2", "2"),
    ("for part in PARTS(rows):\n"
     "    dp.gaussian(len(part) - 2 * len([r for r in part if r.x > 0]), scale=b)",
     "zcdp", "2", "2"),
    ("for part in PARTS(rows):\n"
     "    dp.gaussian(dp.clamp(len(part), 1, 2), scale=b)", "zcdp", "2", "1"),
    ("for part in PARTS(rows):\n    dp.laplace(len(part), scale=b)", "pure", "2", "2"),
    ("for part in PARTS(rows):\n    dp.gaussian(len(part), scale=b)\n"
     "dp.gaussian(len([r for r in rows if r.x > 0]), scale=b)", "zcdp", "3/2", "3/2"),
    # Counters, one by one.
    (f"{COUNTERS}dp.gaussian(n, scale=b)\ndp.gaussian(m, scale=b)\ndp.gaussian(l, scale=b)",
     "zcdp", "1", "1"),
    (f"{COUNTERS}dp.laplace(n, scale=b)\ndp.laplace(m, scale=b)\ndp.laplace(l, scale=b)",
     "pure", "2", "2"),
    (f"{COUNTERS}dp.gaussian(n, scale=b)\ndp.gaussian(m, scale=b)\ndp.gaussian(n, scale=b)",
     "zcdp", "3/2", "3/2"),
    (f"{COUNTERS}dp.gaussian(n - m, scale=b)\ndp.gaussian(l, scale=b)", "zcdp", "2", "2"),
    ("n = m = l = 0\nfor r in rows:\n    if r.k == 0:\n        n += dp.clamp(r.x, -1, 1)\n"
     "    elif r.k == 1:\n        m -= dp.clamp(r.x, 0, 1)\n    else:\n        l += 1\n"
     "dp.gaussian(n, scale=b)\ndp.gaussian(m, scale=b)\ndp.gaussian(l, scale=b)", "zcdp", "2", "1"),
    ("n = m = 0\nfor r in rows:\n    if r.k > 0:\n        n += 1\n    if r.x > 0:\n        m += 1\n"
     "dp.gaussian(n, scale=b)\ndp.gaussian(m, scale=b)", "zcdp", "1", "1"),
    ("n = 0\nfor r in rows:\n    if r.k == 1:\n        n += 1\ndp.gaussian(n, scale=b)\n"
     "for k in (0, 2):\n    dp.gaussian(len([r for r in rows if r.k == k]), scale=b)",
     "zcdp", "1", "1"),
    ("for k in (0, 1, 2):\n    n = 0\n    for r in rows:\n        if r.k == k:\n"
     "            n += 1\n"
     "    dp.gaussian(n, scale=b)", "zcdp", "1", "1"),
    ("n = {0: 0, 1: 0, 2: 0}\nfor r in rows:\n    if r.k in n:\n        n[r.k] += 1\n"
     "for k in (0, 1, 2):\n    dp.gaussian(n[k], scale=b)", "zcdp", "1", "1"),
    # Loops over what is left, and over parts.
    ("m = 0\nfor r in [r for r in rows if r.x > 0]:\n    m += 1\ndp.laplace(m, scale=b)",
     "pure", "1", "1"),
    ("m = 0\nfor r in [r for r in rows if r.x > 0]:\n    if r.k == 1:\n        m -= 2\n"
     "dp.laplace(m, scale=b)", "pure", "2", "2"),
    ("m = 0\nfor x in [dp.clamp(r.x, -1, 1) for r in rows if r.k > 0]:\n    m += x\n"
     "dp.laplace(m, scale=b)", "pure", "2", "2"),
    ("for k in range(n):\n    m = 0\n    for r in [r for r in rows if r.k == k]:\n"
     "        m += 1\n"
     "    dp.gaussian(m, scale=b)", "zcdp", "1", "1"),
    ("for part in PARTS(rows):\n    m = 0\n    for r in part:\n        m += 1\n"
     "    dp.gaussian(m, scale=b)", "zcdp", "1", "1"),
    ("for part in PARTS(rows):\n    m = l = 0\n    for r in part:\n        if r.x > 0:\n"
     "            m += 1\n        else:\n            l += 1\n    dp.gaussian([m, l], scale=b)",
     "zcdp", "1", "1"),
    ("for part in PARTS(rows):\n    dp.gaussian([len(part), len([r for r in part if r.x > 0])],"
     " scale=b)", "zcdp", "2", "2"),
    ("for part in PARTS(rows):\n    dp.gaussian(dp.histogram([r.k for r in part], "
     "categories=(0, 1)), scale=b)", "zcdp", "1", "1"),
    # Vectors whose length is not written, and vectors of these.
    ("dp.gaussian([len([r for r in rows if r.k == k]) for k in range(n)], scale=b)",
     "zcdp", "1", "1"),
    ("dp.laplace([len([r for r in rows if r.k == k]) for k in range(n)], scale=b)",
     "pure", "2", "2"),
    ("v = [sum(dp.clamp(r.x, -1, 1) for r in rows if r.k == k) for k in range(n)]\n"
     "dp.gaussian(v, scale=b)", "zcdp", "2", "2"),
    ("dp.gaussian([len([r for r in rows if r.k >= k]) for k in range(n)], scale=b)",
     "zcdp", "3/2", "1"),
    ("v = [len([r for r in rows if r.k == k and r.x > 0]) for k in range(n)]\n"
     "w = [len([r for r in rows if r.k == k and r.x <= 0]) for k in range(n)]\n"
     "dp.gaussian(dp.concat(v, w), scale=b)", "zcdp", "1", "1"),
    ("v = [len([r for r in rows if r.k == k and r.x > 0]) for k in range(n)]\n"
     "w = [len([r for r in rows if r.k == k]) for k in range(n)]\n"
     "dp.gaussian(dp.concat(v, w), scale=b)", "zcdp", "2", "2"),
    ("v = dp.histogram([r.k for r in rows if r.x > 0], categories=(0, 1))\n"
     "w = dp.histogram([r.k for r in rows if r.x <= 0], categories=(0, 1))\n"
     "dp.gaussian(dp.concat(v, w), scale=b)", "zcdp", "1", "1"),
    ("v = dp.histogram([r.k for r in rows if r.x > 0], categories=(0, 1))\n"
     "dp.gaussian(v, scale=b)\n"
     "dp.gaussian(len([r for r in rows if r.x <= 0]), scale=b)", "zcdp", "1", "1"),
    ("v = [len([r for r in rows if r.k == k]) for k in range(n)]\n"
     "dp.gaussian(dp.concat(v, v), scale=b)", "zcdp", "2", "2"),
)  # fmt: skip
KINDS = ((0, 0.0), (1, -2.0), (1, 0.5), (1, 2.0), (2, 2.0), (0, 1.0), (5, float("nan")))


def plainly(body: str) -> Any:
    """Rows -> what the program hides, each number as a multiple of its noise."""
    hidden: list[Any] = []

    def clamp(x: float, low: float, high: float) -> float:
        return 0 if x != x else min(max(x, low), high)

    def noise(x: Any, scale: float) -> None:
        hidden.extend(v / scale for v in (x if isinstance(x, list | tuple) else [x]))

    def histogram(rows: list[Any], categories: Any) -> list[int]:
        return [sum(r == c for r in rows) for c in categories]

    def partition(rows: list[Any], key: Any, keys: Any) -> list[list[Any]]:
        return [[r for r in rows if key(r) == k] for k in keys]

    dp = SimpleNamespace(
        clamp=clamp, histogram=histogram, laplace=noise, gaussian=noise, discrete_gaussian=noise,
        partition=partition, concat=lambda v, w: v + w,
    )  # fmt: skip
    names: dict[str, Any] = {"dp": dp}
    exec("def f(rows, b, n):\n" + body, names)

    def run(rows: tuple[Any, ...]) -> list[Any]:
        hidden.clear()
        names["f"]([SimpleNamespace(k=k, x=x) for k, x in rows], 1, 3)
        return list(hidden)

    return run


def _indented(body: str) -> str:
    return "".join(f"    {line}\n" for line in body.splitlines())


@pytest.mark.parametrize("number", range(len(CASES)))
def test_no_replaced_rows_move_it_further(number: int, tmp_path: Path) -> None:
    body, measure, claim, truth = CASES[number]
    body = re.sub(r"PARTS\((.*)\):", r"dp.partition(\1, key=lambda r: r.k, keys=(0, 1, 2)):", body)
    body, metric = _indented(body), ("ChangeOne", "Hamming")[number % 2]
    f = checked(tmp_path, HEAD.replace("{metric}", metric) + body)
    tree = f.guarantee.data.tree
    claims = [
        spent(tree, measure, Source("param", "rows"), num(d))[0].upper({"b": 1, "n": 3})
        for d in (1, 2, 3)
    ]
    assert claims[0] == Fraction(claim)
    run, power = plainly(body), 1 if measure == "pure" else 2
    largest = [0.0] * 3
    for size in (1, 2, 3):
        found = {rows: run(rows) for rows in itertools.combinations_with_replacement(KINDS, size)}
        for (one, x), (other, y) in itertools.combinations(found.items(), 2):
            left = list(other)
            for row in one:
                if row in left:
                    left.remove(row)
            moved = sum(abs(a - b) ** power for a, b in zip(x, y, strict=True)) / power
            largest[len(left) - 1] = max(largest[len(left) - 1], moved)
    assert largest[0] == Fraction(truth)
    assert all(a <= b for a, b in zip(largest, claims, strict=True)), (largest, claims)
