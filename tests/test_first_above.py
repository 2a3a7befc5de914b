"""The first of secretly many rounds whose score reaches a threshold: exact laws, runs.

Rounds have two results, 1 (it reaches the threshold) and 0, or three.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import exp
from pathlib import Path
from typing import Any

import pytest
from checked_modules import load
from noise_checks import chi_square

from metricdp.laws import FiniteLaw, renyi
from metricdp.measures.renyi_selected import Best
from metricdp.noise import SeededSource
from metricdp.run.emit import Seeded, handling
from metricdp.run.private_selection import first_round

STOPS = [Fraction(1, 20), Fraction(1, 2), Fraction(1)]
RATIO = Fraction(2)


def enumerated(round_law: dict[int, Fraction], stop: Fraction, level: int) -> FiniteLaw:
    """The law of the result, None if there is none, by the sum over rounds in closed form."""
    reached = sum((p for y, p in round_law.items() if y >= level), Fraction(0))
    last = 1 - (1 - stop) * (1 - reached)
    law: dict[Any, Fraction] = {y: p / last for y, p in round_law.items() if y >= level}
    return FiniteLaw({**law, None: stop * (1 - reached) / last})


def pairs() -> list[tuple[dict[int, Fraction], dict[int, Fraction]]]:
    """Pairs of laws on 0, 1, 2, every probability within a factor of 2, both ways."""
    grid = [Fraction(n, 12) for n in range(1, 11)]
    laws = [(a, b, 1 - a - b) for a, b in product(grid, grid) if a + b < 1]
    return [
        (dict(enumerate(p)), dict(enumerate(q)))
        for p, q in product(laws, laws)
        if p != q and all(x <= RATIO * y and y <= RATIO * x for x, y in zip(p, q, strict=True))
    ]


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("level", [1, 2])
def test_no_pair_exceeds_two_epsilon(stop: Fraction, level: int) -> None:
    for p, q in pairs():
        a, b = enumerated(p, stop, level).probability, enumerated(q, stop, level).probability
        assert all(a[y] <= RATIO**2 * b[y] for y in a)


def test_two_epsilon_is_approached_and_less_is_refuted() -> None:
    """One rare result falls to a half, while another one, of most that reach it, doubles."""
    rare = Fraction(1, 10**9)
    tiny = rare / 10**3
    p = {0: 1 - rare - 2 * tiny, 1: rare, 2: 2 * tiny}
    q = {0: 1 - 2 * rare - tiny, 1: 2 * rare, 2: tiny}
    a, b = (enumerated(law, Fraction(1, 10**15), 1).probability for law in (p, q))
    assert Fraction(399, 100) < a[2] / b[2] <= 4


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("alpha", [Fraction(3, 2), Fraction(4), Fraction(20)])
def test_the_renyi_bound_holds_on_exact_laws(stop: Fraction, alpha: Fraction) -> None:
    from metricdp.accounting.renyi import PureCurve

    bound = Best(PureCurve(Fraction(693148, 10**6)), stop, Fraction(0)).divergence(alpha)[1]
    for p, q in pairs()[::17]:
        found = renyi(enumerated(p, stop, 1), enumerated(q, stop, 1), alpha)
        assert not isinstance(found, float) and found[0] <= bound


@pytest.mark.parametrize("stop", STOPS)
def test_rounds_have_the_law(stop: Fraction) -> None:
    source, chances = SeededSource(4), {0: Fraction(3, 4), 1: Fraction(1, 8), 2: Fraction(1, 8)}

    def once() -> tuple[int, int]:
        y = max(0, source.below(8) - 5)
        return y, y

    found = Counter(first_round(once, stop, 1, source, "here")[1] for _ in range(4000))
    law = enumerated(chances, stop, 1).probability
    chi_square([found[y] for y in law], [float(p) for p in law.values()])


PROGRAM = """
@dp.measurement
def answers(x: dp.Bool, eps: float, stop: float):
    def run():
        said = dp.randomized_response(x, epsilon=eps)
        return (1 if said else 0), said

    return dp.private_selection(run, stop=stop, threshold=1)


@dp.measurement
def failing(x: dp.Records[float], eps: float):
    def run():
        n = dp.discrete_laplace(dp.count(x), scale=1 / eps)
        return 1 / (n - n), n

    return dp.private_selection(run, stop=0.5, threshold=-10)
"""


def test_a_run_has_the_law_that_was_proved(tmp_path: Path) -> None:
    programs = load(tmp_path, PROGRAM)
    with handling(Seeded(5)):
        runs = [programs.answers(False, eps=1.0, stop=0.25) for _ in range(3000)]
    found = Counter(run.value[1] for run in runs)
    chance = 1 / (1 + exp(1))
    last = 1 - 0.75 * (1 - chance)
    chi_square([found[True], found[None]], [chance / last, 0.25 * (1 - chance) / last])
    # A release shows the round that it is about, and no other.
    assert {len(run.draws) for run in runs if run.value[1]} == {1}
    assert {len(run.draws) for run in runs if run.value[1] is None} == {0}


def test_failing_rounds_reach_no_threshold(tmp_path: Path) -> None:
    programs = load(tmp_path, PROGRAM)
    assert programs.failing([1.0], eps=1.0).value == (None, None)
