"""Slices of tables whose rows keep their positions: runs give what Python gives, and no run loses
more than was proved."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from checked_modules import load
from plain_python import same
from test_filters import loss, proved

PROGRAMS = 12
HEAD = """
from dataclasses import dataclass
from typing import Annotated

import numpy as np

@dataclass(frozen=True)
class R:
    x: int
    k: int

def total(rows, eps: float):
    return dp.laplace(sum(dp.clamp(r.x, 0, 3) for r in rows), epsilon=eps)

def mean(rows):
    return dp.clamp(np.mean([r.x for r in rows]), 0, 3)
"""
PART = (
    "[:3]", "[3:]", "[1:4]", "[::2]", "[1::2]", "[2::3]", "[:-2]", "[-2:]", "[::-1]", "[4:2]",
    "[1:][:2]", "[:n // 2]", "[n // 2:]", "[9:]",
)  # fmt: skip


def program(rng: random.Random, name: str) -> str:
    parts = [f"rows{rng.choice(PART)}" for _ in range(3)]
    if rng.random() < 0.4:
        parts[0] = f"[r for r in {parts[0]} if r.k == {rng.randint(0, 1)}]"
    if rng.random() < 0.3:
        out = f"dp.laplace({' + '.join(f'mean({part})' for part in parts)}, scale=3 / eps)"
    else:
        out = ", ".join(f"total({part}, eps)" for part in parts)
    return f"""
@dp.measurement
def {name}(rows: Annotated[dp.Records[R, dp.Hamming], dp.Size("n")], n: int, eps: float):
    return {out}
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    rng = random.Random(11)
    text = HEAD + "".join(program(rng, f"p{i}") for i in range(PROGRAMS))
    return load(tmp_path_factory.mktemp("parts"), text)


def sized(function: Any, n: int) -> Any:
    """The function of a table of n rows, as `loss` and `proved` call it."""

    class Sized:
        def __call__(self, rows: list[Any], eps: float) -> Any:
            return function(rows, n=n, eps=eps)

        def map(self, distance: int, eps: float) -> Any:
            return function.map(distance, n=n, eps=eps)

    return Sized()


def test_no_run_loses_more_than_was_proved(module: ModuleType) -> None:
    rng, tight = random.Random(3), 0
    for i in range(PROGRAMS):
        function = sized(getattr(module, f"p{i}"), 6)
        costs = {distance: proved(function, distance) for distance in (1, 2)}
        most = Fraction(0)
        for seed in range(8):
            distance = rng.choice((1, 1, 1, 2))
            table = [module.R(rng.choice((0, 3)), rng.randint(0, 1)) for _ in range(6)]
            other = list(table)
            for place in rng.sample(range(6), distance):
                other[place] = module.R(rng.choice((0, 3)), rng.randint(0, 1))
            found, cost = loss(function, table, other, seed), costs[distance]
            assert found <= cost, (i, table, other)
            most = max(most, found / cost)
        tight += most == 1
    assert tight >= 2


def test_a_run_is_plain_python(tmp_path: Path) -> None:
    text = (
        HEAD
        + """
@dp.measurement
def f(rows: Annotated[dp.Records[R, dp.Hamming], dp.Size("n")], n: int, eps: float):
    out = [total(rows[:n // 2], eps), total(rows[n // 2:], eps), total(rows[1:][:2], eps)]
    for i in range(3):
        out.append(total(rows[i::3], eps))
    out.append(total([r for r in rows[-3:] if r.k == 1], eps))
    return out, len(rows[1::2]), total(rows[::-1][:2], eps), total(rows[7:], eps)
"""
    )
    module = load(tmp_path, text)
    rows = [module.R(x, k) for x, k in ((1, 0), (2, 1), (3, 1), (0, 0), (2, 1))]
    hidden = same(tmp_path, text, rows, n=5, eps=1.0)
    assert [int(x) for x in hidden] == [3, 5, 5, 1, 4, 3, 5, 2, 0]
