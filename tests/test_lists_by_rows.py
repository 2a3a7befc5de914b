"""Loops that put rows into several lists, or count them by hand: a run is what Python would do."""

from __future__ import annotations

import random
from pathlib import Path

from plain_python import checked, same

from metricdp.errors import NotProvedError

PROGRAM = """
from collections import Counter, defaultdict

@dp.measurement
def f(xs: dp.Records[float], eps: float):
    low, middle, high, counts, odd = [], [], [], defaultdict(int), Counter()
    for x in xs:
        v = dp.clamp(x, -5, 5)
        w = v * 2
        counts[v > 0] += 1
        if w < -1:
            low.append(w)
            continue
        if v < 2:
            middle.append((v, w))
        elif v > 4.5:
            pass
        else:
            high.append(x)
            odd[w] += 1
    return [
        dp.laplace(sum(low), epsilon=eps), dp.laplace(sum(v * w for v, w in middle), epsilon=eps),
        dp.laplace(len(high), epsilon=eps), dp.laplace(counts[True], epsilon=eps),
        dp.laplace(odd[6.0], epsilon=eps), dp.laplace(odd.get(4.0, 0), epsilon=eps),
    ]
"""
TWICE = """
@dp.measurement
def f(xs: dp.Records[float], b: float):
    low = []
    for x in xs:
        low.append(x)
        low.append(x)
    return dp.laplace(len(low), scale=b)
"""


def test_a_run_is_what_python_would_do(tmp_path: Path) -> None:
    draw = random.Random(5)
    some = [draw.choice([-9.0, -0.25, -0.0, 0.0, 2.0, 3.0, 3.0, 4.75, 60.0]) for _ in range(40)]
    for rows in ([], [3.0], some):
        same(tmp_path, PROGRAM, rows, eps=1.0)


def test_a_list_that_is_filled_twice_is_no_comprehension(tmp_path: Path) -> None:
    try:
        checked(tmp_path, TWICE)([1.0], b=1.0)
    except NotProvedError as found:
        assert "grows in this loop" in str(found)
    else:
        raise AssertionError("it would have half of the rows")
