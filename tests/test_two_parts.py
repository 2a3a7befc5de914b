"""(epsilon, delta) of parts of a table whose rows are replaced, against the law of the noise."""

from __future__ import annotations

import random
from fractions import Fraction
from math import erfc, exp, sqrt
from pathlib import Path
from typing import Any

import pytest
from checked_modules import load

from metricdp.measures import readings
from metricdp.measures.events import two_parts
from metricdp.run.emit import Recording, Replay, Seeded, handling

PROGRAMS = """
from typing import NamedTuple

class Row(NamedTuple):
    k: int
    x: float

@dp.measurement
def counts(rows: dp.Records[Row, dp.ChangeOne], e: float, d: float):
    return [dp.gaussian(sum(1 for r in rows if r.k == k), epsilon=e, delta=d) for k in (0, 1, 2)]

@dp.measurement
def unequal(rows: dp.Records[Row, dp.ChangeOne], e: float, d: float):
    zeros = dp.gaussian(sum(1 for r in rows if r.k == 0), epsilon=e, delta=d)
    ones = dp.gaussian(sum(1 for r in rows if r.k == 1), epsilon=e / 2, delta=d)
    twos = dp.gaussian(sum(1 for r in rows if r.k == 2), epsilon=e / 4, delta=d)
    return zeros, ones, twos

@dp.measurement
def signed(rows: dp.Records[Row, dp.ChangeOne], e: float, d: float):
    out = []
    for k in (0, 1, 2):
        here = [min(max(r.x, -3), 3) for r in rows if r.k == k]
        out.append(dp.gaussian(sum(here), epsilon=e, delta=d))
    return out

@dp.measurement
def loop(rows: dp.Records[Row, dp.ChangeOne], e: float, d: float, n: int = 3):
    out = []
    for k in range(n):
        here = [r for r in rows if r.k == k]
        out.append(dp.gaussian(len(here), epsilon=e, delta=d))
        out.append(dp.gaussian(sum(min(max(r.x, 0), 2) for r in here), epsilon=e / 2, delta=d))
    return out

@dp.measurement
def parts(rows: dp.Records[Row, dp.ChangeOne], e: float, d: float):
    each = dp.partition(rows, key=lambda r: r.k, keys=(0, 1, 2))
    return [dp.gaussian(dp.count(part), epsilon=e, delta=d) for part in each]

@dp.measurement
def parts_of_signed(rows: dp.Records[Row, dp.ChangeOne], e: float, d: float):
    each = dp.partition(rows, key=lambda r: r.k, keys=(0, 1, 2))
    return [dp.gaussian(sum(min(max(r.x, -3), 3) for r in p), epsilon=e, delta=d) for p in each]
"""
#: What a replaced row pays, in units of epsilon and of delta.
COSTS = {
    "counts": (2, 2), "unequal": (Fraction(3, 2), 2), "signed": (2, 2), "loop": (3, 4),
    "parts": (2, 2),
}  # fmt: skip
E, DELTA = Fraction(1, 2), Fraction(1, 10**6)


def moves(function: Any, table: list[Any], other: list[Any]) -> float:
    """The root of the sum of all squares of moves in standard deviations."""
    recorder = Recording(Seeded(1))
    with handling(recorder):
        function(table, e=0.5, d=1e-6)
    replay = Replay(recorder.log)
    with handling(replay):
        function(other, e=0.5, d=1e-6)
    pairs = zip(recorder.log, replay.seen, strict=True)
    return sqrt(sum(float((a.value - b.value) / Fraction(a.draw.scale)) ** 2 for a, b in pairs))


def open_chance(mu: float, epsilon: float) -> float:
    """The delta of Gaussian noise that hides a move of mu standard deviations."""
    if not mu:
        return 0.0
    below = erfc((epsilon / mu - mu / 2) / sqrt(2)) / 2
    return below - exp(epsilon) * erfc((epsilon / mu + mu / 2) / sqrt(2)) / 2


def attacked(function: Any, module: Any) -> tuple[float, Fraction]:
    """The largest delta that a replaced row shows at the epsilon proved, and the delta proved."""
    rng = random.Random(5)
    epsilon, delta = function.map(1, e=0.5, d=1e-6)
    rows = [module.Row(k, x) for k in (0, 1, 2, 7) for x in (-5.0, 0.0, 5.0)]
    worst = 0.0
    for _ in range(40):
        rest, (a, b) = rng.choices(rows, k=2), rng.choices(rows, k=2)
        worst = max(worst, open_chance(moves(function, [*rest, a], [*rest, b]), float(epsilon)))
    return worst, delta


@pytest.mark.parametrize(
    "name", ["counts", "unequal", "signed", "loop", "parts", "parts_of_signed"]
)
def test_a_replaced_row_shows_no_more_than_two_parts(name: str, tmp_path: Path) -> None:
    module = load(tmp_path, PROGRAMS)
    function = getattr(module, name)
    if name in COSTS:
        epsilons, deltas = COSTS[name]
        assert function.map(1, e=0.5, d=1e-6) == (epsilons * E, deltas * DELTA)
    worst, delta = attacked(function, module)
    assert 0 < worst <= delta


def test_one_part_in_place_of_two_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readings, "two_parts", lambda tree: two_parts(tree).items[0].items[0])
    module = load(tmp_path, PROGRAMS)
    worst, delta = attacked(module.counts, module)
    assert worst > delta
