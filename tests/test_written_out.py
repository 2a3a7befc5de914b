"""Loops that are read round by round, generators and early ends: a run is what Python would do."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from plain_python import checked, run, same

BREAKS = """
EDGES = (1.0, 3.0, 5.0)

def bin_of(v):
    k = 0
    for edge in EDGES:
        if v < edge:
            break
        if v == 4.0:
            continue
        k += 1
    return k

def nested(v):
    for edge in EDGES:
        for more in (0.5, 1.5):
            if v < edge + more:
                return edge * more
        if v > 6:
            return -1.0
    return 0.0

@dp.measurement
def f(xs: dp.Records[float], eps: float):
    out = [dp.laplace(sum(1 for v in xs if bin_of(v) == k), epsilon=eps) for k in range(4)]
    return out, dp.laplace(sum(nested(v) for v in xs), epsilon=eps)
"""
GENERATED = """
def bands(start, stop, step):
    low = start
    while low < stop:
        yield low, min(low + step, stop)
        low += step

def parts(n):
    for i in range(4):
        if i == n:
            return
        yield from (i, 10 * i)

@dp.measurement
def f(xs: dp.Records[float], eps: float):
    out = []
    for low, high in bands(-2.0, 5.0, 1.5):
        out.append(dp.laplace(sum(1 for v in xs if low <= v < high), epsilon=eps))
    return out, list(parts(2)), sum(parts(9)), [(i, v) for i, v in enumerate(parts(1))]
"""
CHOSEN = """
def quarter(v, w):
    match (v > 0, w > 2):
        case (True, False):
            return 1
        case (False, False) | (False, True):
            return 2
        case (right, above) if right:
            return above + 3
    return 9

@dp.measurement
def f(xs: dp.Records[float], eps: float):
    low, high = [], []
    for v in xs:
        w = dp.clamp(v, 0, 5)
        if v < -1:
            continue
        if w < 3:
            low.append(w)
    for v in xs:
        if v >= 3:
            u = v - 1
            if u < 5:
                high.append(dp.clamp(u, 0, 1))
    counts = [dp.laplace(len(each), epsilon=eps) for each in (low, high)]
    found = {}
    for k, count in enumerate(counts):
        found[k] = {"few": True} if count < 3 else {"few": False, "count": [count]}
    different = len({v for v in xs if v > 0}), len(set(round(v / 2) for v in xs))
    made = dp.laplace(different[0], epsilon=eps), dp.laplace(different[1], epsilon=eps)
    fits = dp.laplace(sum(quarter(v, v - 1) for v in xs), epsilon=eps)
    return counts, found, made, fits, sorted({k % 3 for k in (3, 4, 7)})
"""
RANGES = """
@dp.measurement
def f(xs: dp.Records[tuple[int, int, int]], eps: float):
    limit = dp.laplace(2, scale=3)
    held = []
    for i in range(3):
        held.append(sum(dp.clamp(x[i], 0, i + 1) for x in xs))
    for i in range(3):
        if dp.laplace(held[i], scale=1 / eps) > dp.laplace(limit, scale=1):
            return i
    return None
"""


def numbers(rng: random.Random) -> list[float]:
    return [float(rng.randint(-3, 8)) for _ in range(rng.randint(0, 12))]


@pytest.mark.parametrize("source", [BREAKS, GENERATED, CHOSEN])
def test_numbers(source: str, tmp_path: Path) -> None:
    rng = random.Random(1)
    for data in ([], [4.0], numbers(rng), numbers(rng)):
        assert len(same(tmp_path, source, data, eps=1.0)) == 5


def test_rows(tmp_path: Path) -> None:
    rng = random.Random(2)
    for size in (0, 1, 9):
        data = [tuple(rng.randint(-2, 4) for _ in range(3)) for _ in range(size)]
        assert len(same(tmp_path, RANGES, data, eps=1.0)) >= 3


def test_no_row_is_hidden_twice(tmp_path: Path) -> None:
    """One more row moves the counts of `BREAKS` by one in all, and the sum by what it may add."""
    function = checked(tmp_path, BREAKS)
    rng = random.Random(3)
    for _ in range(6):
        data, row = numbers(rng), float(rng.randint(-3, 8))
        _, before = run(function, data, eps=1.0)
        _, after = run(function, [*data, row], eps=1.0)
        moved = [abs(a.value - b.value) for a, b in zip(before, after, strict=True)]
        assert sum(moved[:4]) == 1
        assert moved[4] <= before[4].draw.scale  # at epsilon 1


NEAREST = """
@dp.measurement
def f(xs: dp.Records[float], rounds: int, eps: float):
    centres = [1.0, 3.0, 5.0]
    for _ in range(rounds):
        new = []
        for k in range(3):
            mine = [v for v in xs if min(range(3), key=lambda j: abs(v - centres[j])) == k]
            number = dp.laplace(len(mine), scale=1 / eps)
            new.append(number if number > 1 else centres[k])
        centres = new
    far = dp.laplace(sum(max((0, 1, 2), key=lambda j: abs(v - j)) for v in xs), scale=2 / eps)
    return centres, far
"""


def test_the_nearest_of_released_numbers(tmp_path: Path) -> None:
    rng = random.Random(4)
    for data in ([], numbers(rng), numbers(rng)):
        assert len(same(tmp_path, NEAREST, data, rounds=2, eps=1.0)) == 7
    assert checked(tmp_path, NEAREST).map(1, rounds=2, eps=1.0) == 3
