"""Loops that put rows into dictionaries: a run is what Python would do."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from plain_python import same

PROGRAM = """
from collections import Counter, defaultdict

KEYS = (-5.0, 0, 2.0, 3.0)

@dp.measurement
def f(xs: dp.Records[float], eps: float):
    groups = defaultdict(list)
    totals = defaultdict(int)
    odd = Counter()
    held = {}
    by_hand = {}
    known = {k: [] for k in KEYS}
    for x in xs:
        v = dp.clamp(x, -5, 5)
        w = v * 2
        if w < 9:
            groups[v].append(w)
            totals[v, v > 2] += w
        else:
            odd[v] += 3
        held.setdefault(v, []).append(x)
        by_hand[v] = by_hand.get(v, 0) + 1
    for x in xs:
        v = dp.clamp(x, -5, 5)
        if v in known:
            known[v].append(v)
    first = groups[KEYS[0]]
    return [
        [dp.laplace(sum(groups[k]), epsilon=eps) for k in KEYS],
        [dp.laplace(totals[k, True], epsilon=eps) for k in KEYS],
        [dp.laplace(odd[k], epsilon=eps) for k in KEYS],
        [dp.laplace(len(held.get(k, [])), epsilon=eps) for k in KEYS],
        [dp.laplace(by_hand.get(k, 0), epsilon=eps) for k in KEYS],
        {k: dp.laplace(sum(v), epsilon=eps) for k, v in known.items()},
        dp.laplace(len(first), epsilon=eps),
    ]
"""


@pytest.mark.parametrize("rows", [0, 1, 40])
def test_a_run_is_what_python_would_do(tmp_path: Path, rows: int) -> None:
    draw = random.Random(5)
    some = [-9.0, -0.25, -0.0, 0.0, 2.0, 3.0, 3.0, 4.75, 60.0]
    same(tmp_path, PROGRAM, [draw.choice(some) for _ in range(rows)], eps=1.0)
