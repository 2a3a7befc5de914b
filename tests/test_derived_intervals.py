"""Intervals of arithmetic with several draws: which there are, and how often they hold."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

import metricdp as dp
from metricdp.families.gaussian import GAUSSIAN
from metricdp.families.laplace import LAPLACE
from metricdp.run import derived
from metricdp.run.draws import Drawn
from metricdp.run.emit import Seeded, handling


@dp.measurement
def several(pay: dp.Records[float], factor: float, eps: float) -> Any:
    total = dp.laplace(dp.sum(dp.clamp(pay, 0, 10)), epsilon=eps)
    number = dp.discrete_laplace(dp.count(pay), epsilon=eps)
    mean = total / max(number, 1)
    if number > 5:
        chosen = mean
    else:
        chosen = total
    return total, mean, factor * total - number, abs(total - 3), 1 / (number - 100), chosen, [mean]


@dp.measurement
def in_rounds(pay: dp.Records[float], eps: float) -> Any:
    total = 0.0
    for _ in range(200):
        total += dp.laplace(dp.count(pay), epsilon=eps)
    return total


def test_which_outputs_have_an_interval() -> None:
    with handling(Seeded(3)):
        released = several([5.0] * 100, factor=0.5, eps=1)
    assert released.formulas == (
        None, "d0/Max(1, d1)", "d0/2 - d1", "Abs(d0 - 3)", "1/(d1 - 100)", None,
        ("d0/Max(1, d1)",),
    )  # fmt: skip
    total, mean, difference, size, inverse, chosen, listed = released.interval(0.9)
    assert mean[0] < 5 < mean[1] and size[0] < 497 < size[1]
    assert total is not None and difference is not None
    assert (inverse, chosen, listed) == (None, None, [mean])
    shown = repr(released).splitlines()
    assert "in " in shown[2] and "(95%)" in shown[2]
    assert "no interval: a divisor may be 0" in shown[5]
    with handling(Seeded(3)):
        assert in_rounds([1.0], eps=1).interval() is None


#: What is computed of true numbers 40 and -7 and of two scales.
FORMULAS = {
    "d0 - d1": 47.0, "d0*d1": -280.0, "d0/d1": -40 / 7, "3*d0 + 1": 121.0,
    "Max(d0, d1)": 40.0, "Abs(d1)": 7.0, "d0/Max(1, d0)": 1.0,
}  # fmt: skip


@pytest.mark.parametrize("text", FORMULAS)
def test_coverage(text: str) -> None:
    """1000 intervals of confidence 0.8 hold at least 738 times, but for a chance of 1e-6;
    those of one draw hold at most 860 times, but for as much (binomial laws)."""
    rng, held = Random(text), 0
    for _ in range(1000):
        noise = (rng.expovariate(1 / 2) - rng.expovariate(1 / 2), rng.gauss(0, 1))
        draws = (
            Drawn("a", LAPLACE, "", Fraction(2), Fraction(2), -30, Fraction(0), 40 + noise[0]),
            Drawn("b", GAUSSIAN, "", Fraction(1), Fraction(1), -30, Fraction(0), -7 + noise[1]),
        )
        found = derived.interval(text, draws, 0.8)
        held += found is None or found[0] <= FORMULAS[text] <= found[1]
    assert held >= 738
    if text == "3*d0 + 1":
        assert held <= 860


@dp.measurement
def best_of_many(pay: dp.Records[float], eps: float) -> Any:
    def once() -> Any:
        number = dp.laplace(dp.count(pay), epsilon=eps)
        return number, number

    return dp.private_selection(once, stop=0.1)


def test_what_a_selection_chose_has_no_interval() -> None:
    """The noise of the best of some ten draws is above 0 on average: an interval of 90 % around it
    held in 65 % of 600 runs."""
    with handling(Seeded(3)):
        released = best_of_many([5.0] * 100, eps=1)
    assert released.interval(0.9) == (None, None) and "±" not in repr(released)


@dp.measurement
def largest(x: dp.Records[int], eps: float):
    counts = [dp.laplace(sum(1 for v in x if v == k), epsilon=eps) for k in range(9)]
    return max(counts)


@dp.measurement
def chosen(x: dp.Records[int], eps: float):
    a = dp.laplace(dp.count(x, lambda v: v == 1), epsilon=eps)
    b = dp.laplace(dp.count(x, lambda v: v == 2), epsilon=eps)
    return a if a > b else b


@dp.measurement
def running(x: dp.Records[int], eps: float):
    best = 0.0
    for k in range(9):
        count = dp.laplace(sum(1 for v in x if v == k), epsilon=eps)
        if count > best:
            best = count
    return best


@dp.measurement
def by_a_parameter(x: dp.Records[int], n: int, eps: float):
    if n > 3:
        return dp.laplace(dp.count(x), epsilon=eps)
    a = dp.laplace(dp.count(x, lambda v: v == 1), epsilon=eps)
    return a if n > 2 else dp.laplace(dp.count(x, lambda v: v == 2), epsilon=eps)


def test_what_released_values_chose_among_draws_has_no_interval_of_one_draw() -> None:
    """The largest of many noisy numbers is too large: its own interval held in a fifth of runs."""
    rows = [1, 2, 3] * 20
    for function in (largest, chosen, running):
        assert function(rows, eps=1.0).interval() is None
        assert "±" not in str(function(rows, eps=1.0))
    for n in (2, 3, 4):
        assert by_a_parameter(rows, n=n, eps=1.0).interval() is not None
