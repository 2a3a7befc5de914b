"""Exponential mechanisms chosen after answers: both ends against searches over strategies."""

from __future__ import annotations

from fractions import Fraction as F
from math import expm1

import numpy as np
import pytest
from scipy.optimize import minimize

from metricdp.accounting import engines
from metricdp.accounting.adaptive_range import (
    ENGINE,
    RangeGrid,
    _above,
    _below,
    _recursion,
    adaptive_delta,
    adaptive_epsilon,
)
from metricdp.accounting.bounded_range import optimal_delta, optimal_epsilon
from metricdp.accounting.losses.bounded_range import BoundedRangeLoss
from metricdp.accounting.renyi import RangeCurve
from metricdp.measures import Composed, ExponentialMechanism, Repeated, account
from metricdp.measures.accountant import delta_of_steps, epsilon_of_steps
from metricdp.measures.accounted import AccountedStep

AOR = "add or remove"


def _one(x: float, r: float) -> float:
    """F_1 in closed form."""
    if abs(x) >= r:
        return max(0.0, -expm1(x))
    return expm1((x - r) / 2) ** 2 / -expm1(-r)


def _more(x: float, r: float, rounds: int) -> float:
    """F_k by a search over the first t, and so on: a grid and Nelder-Mead from its best point."""
    if rounds == 1:
        return _one(x, r)

    def value(t: float) -> float:
        t = min(r, max(0.0, t))
        p = expm1(t - r) / expm1(-r)
        return p * _more(x - t, r, rounds - 1) + (1 - p) * _more(x - t + r, r, rounds - 1)

    grid = np.linspace(0.0, r, 41 if rounds == 2 else 17)
    start = max(grid, key=value)
    found = minimize(
        lambda t: -value(t[0]), [start], method="Nelder-Mead",
        options={"xatol": 1e-5, "fatol": 1e-12, "maxiter": 25,
                 "initial_simplex": [[start], [start + 0.3 * grid[1]]]},
    )  # fmt: skip
    return float(max(-found.fun, value(start)))


@pytest.mark.parametrize("r", [F(1, 5), F(1), F(4)])
def test_one_round_is_the_known_profile(r: F) -> None:
    """Also off the grid, and below within the second order of its step."""
    found = _recursion(r, 1, 64, 1)
    for x in (F(0), r / 64, r / 10, r / 3, r * F(63, 64) / 2, r * F(9, 10)):
        truth = F(_one(float(x), float(r)))
        low, high = _below(found, r, x), _above(found, x)
        rounding, scale = F(1, 10**14), F(float(r) / 64**2)
        assert low - rounding <= truth <= high + rounding
        assert high - low <= scale


@pytest.mark.parametrize("r", [0.3, 1.5])
def test_two_rounds_against_a_search_over_strategies(r: float) -> None:
    for x in (0.0, 0.37 * r, 0.9 * r, 1.6 * r):
        truth = _more(x, r, 2)
        low, high = (float(end) for end in adaptive_delta(F(r), 2, F(x)) or (1, 0))
        assert low - 1e-9 * truth <= truth <= high * (1 + 1e-9)
        assert high - low <= 3e-4 * truth


def test_three_rounds_against_a_search_over_strategies() -> None:
    r, x = 1.0, 0.8
    truth = _more(x, r, 3)
    low, high = (float(end) for end in adaptive_delta(F(r), 3, F(x)) or (1, 0))
    # The search finds a strategy: at most the truth, and near it.
    assert truth <= high * (1 + 1e-12)
    assert abs(truth - low) <= 1e-4 * truth
    fixed = optimal_delta(F(r), 3, F(x))
    assert fixed is not None and float(fixed[1]) < low


@pytest.mark.parametrize("steps", [1, 2, 3, 5])
def test_coarse_grids_enclose_fine_ones(steps: int) -> None:
    """What the second order costs is paid: on a coarse grid a bound without it would be too low."""
    r, rounds = F(2), 6
    fine = _recursion(r, rounds, 240, rounds)
    coarse = _recursion(r, rounds, steps, rounds)
    for x in range(11):
        at = F(x) + (F(1, 7) if x % 2 else 0)
        assert _below(coarse, r, at) <= _above(fine, at)
        assert _below(fine, r, at) <= _above(coarse, at)
        assert _below(fine, r, at) <= _above(fine, at)


@pytest.mark.parametrize("r", [0.1, 0.4, 2.0])
def test_one_round_of_chords_is_enclosed(r: float) -> None:
    """For convex functions with kinks at grid points: above a fine search of t within the cells."""
    rng, steps, size = np.random.default_rng(7), 3, 8
    tightest = 1.0
    for _ in range(60):
        x = np.arange(-steps, size + steps) * (r / steps)
        falls = rng.exponential(size=len(x) - 1) ** 3 * np.exp(-x[:-1])
        slopes = np.sort(falls)[::-1]
        line = np.concatenate((np.cumsum((slopes * np.diff(np.exp(x)))[::-1])[::-1], [0.0]))
        line /= line[0]
        found = RangeGrid(F(r), steps).above(line)
        t = np.linspace(0.0, r, 1501)
        p = np.expm1(t - r) / np.expm1(-r)
        for i in range(size):
            at = i * r / steps - t
            near, far = (np.interp(np.exp(at + y), np.exp(x), line) for y in (0, r))
            best = float((p * near + (1 - p) * far).max())
            assert best <= found[i] * (1 + 1e-12)
            tightest = min(tightest, found[i] / best - 1)
    assert tightest < 3e-3


def test_the_order_is_the_second() -> None:
    r, rounds, x = F(1, 2), 12, F(6, 5)
    widths = []
    for steps in (20, 40, 80):
        found = _recursion(r, rounds, steps, rounds)
        widths.append(float(_above(found, x) - _below(found, r, x)))
    assert 3.5 < widths[0] / widths[1] < 4.5 and 3.5 < widths[1] / widths[2] < 4.5


def test_where_the_grid_ends_little_is_lost() -> None:
    r, rounds = F(1, 5), 50
    whole, cut = _recursion(r, rounds, 16, rounds), _recursion(r, rounds, 16, 20)
    for x in (F(0), F(1), F(2), F(7, 2), F(4)):
        assert _above(whole, x) <= _above(cut, x) and _below(cut, r, x) <= _below(whole, r, x)
    assert _above(cut, F(2)) <= _above(whole, F(2)) * (1 + F(1, 10**4))
    assert _above(cut, F(100)) >= _above(whole, F(9))


@pytest.mark.parametrize(("r", "rounds"), [(F(1, 5), 20), (F(1, 5), 60), (F(3, 2), 8), (F(9), 3)])
def test_between_what_is_fixed_and_the_law_of_bounded_range(r: F, rounds: int) -> None:
    for epsilon in (F(0), r * rounds / 10, r * rounds / 3):
        low, high = adaptive_delta(r, rounds, epsilon) or (F(1), F(0))
        fixed = optimal_delta(r, rounds, epsilon)
        assert fixed is not None and fixed[1] < high
        above = engines.delta_of(((BoundedRangeLoss(r), rounds),), epsilon).upper
        assert low < high < above


def test_epsilons_answer_deltas() -> None:
    r, rounds = F(1, 5), 20
    for delta in (F(1, 10), F(1, 10**6), F(1, 10**40)):
        low, high = adaptive_epsilon(r, rounds, delta, F(1, 10**9)) or (F(1), F(0))
        assert low < high
        # The same grid does not answer all of these, so there is a little room.
        near = F(1, 10**3)
        assert (adaptive_delta(r, rounds, high + near) or (F(1), F(1)))[1] <= delta
        assert (adaptive_delta(r, rounds, max(F(0), low - near)) or (F(0), F(0)))[0] >= delta
    assert adaptive_epsilon(r, rounds, F(1, 2), F(1, 10**9)) == (0, 0)
    assert adaptive_epsilon(r, rounds, F(0), F(1, 10**9)) is None
    assert adaptive_delta(r, rounds, rounds * r) == (0, 0)
    assert adaptive_delta(F(65), 2, F(1)) is None and adaptive_delta(r, 1, F(0)) is None


def test_monotone_in_rounds_and_in_the_range() -> None:
    x, before = F(2, 5), F(0)
    for rounds in (2, 3, 5, 9, 17):
        low, high = adaptive_delta(F(1, 4), rounds, x) or (F(1), F(0))
        assert before < low <= high
        before = high
    before = F(0)
    for r in (F(1, 10), F(1, 5), F(1, 4), F(1)):
        low, high = adaptive_delta(r, 8, x) or (F(1), F(0))
        assert before < low <= high
        before = high


def test_tiny_and_large_ranges() -> None:
    """Small r: F_1(y r) = r (1 - y)^2 / 4 to first order, so F_2(0) = max_t r (1 + t - t^2) / 4."""
    tiny = F(1, 10**10)
    low, high = adaptive_delta(tiny, 2, F(0)) or (F(1), F(0))
    truth = tiny * F(5, 16)
    assert low * (1 - 2 * tiny) <= truth <= high * (1 + 2 * tiny)
    assert high - low <= truth / 10**4
    low, high = adaptive_delta(F(60), 2, F(1)) or (F(1), F(0))
    assert F(99, 100) < low <= high <= 1


def test_guarantees_use_it() -> None:
    chosen = account(Repeated(ExponentialMechanism("0.2"), 100), AOR).epsilon("1e-6")
    assert ENGINE in chosen.engines
    assert 4.8725 < chosen.lower < chosen.upper < 4.8735
    fixed = optimal_epsilon(F(1, 5), 100, F(1, 10**6), F(1, 10**6))
    assert fixed is not None and fixed[1] < chosen.lower
    law = engines.epsilon_of(((BoundedRangeLoss(F(1, 5)), 100),), F(1, 10**6))
    assert chosen.upper < law.lower
    some = [ExponentialMechanism("0.2"), Repeated(ExponentialMechanism("0.2", adaptive=False), 99)]
    assert account(Composed(some), AOR).epsilon("1e-6").interval == chosen.interval
    none = account(Repeated(ExponentialMechanism("0.2", adaptive=False), 100), AOR)
    assert ENGINE not in none.epsilon("1e-6").engines
    assert none.epsilon("1e-6").upper < chosen.lower
    # Replaced rows move it twice as far, whichever way the mechanism is described.
    twice = account(Repeated(ExponentialMechanism("0.1"), 10), "replace").delta("0.4")
    assert (
        twice.interval
        == account(Repeated(ExponentialMechanism("0.2"), 10), AOR).delta("0.4").interval
    )


def test_a_played_strategy_costs_at_most_the_upper_end() -> None:
    """The best t after each answer, on 24 places, by sums over all outcomes in plain floats."""
    r, rounds, x = 0.8, 4, 1.1
    places = np.linspace(0.0, r, 24)

    def worst(at: float, left: int) -> float:
        if not left:
            return max(0.0, -expm1(at))
        best = 0.0
        for t in places if left > 2 else places[::3]:
            p = expm1(t - r) / expm1(-r)
            best = max(best, p * worst(at - t, left - 1) + (1 - p) * worst(at - t + r, left - 1))
        return best

    low, high = adaptive_delta(F(r), rounds, F(x)) or (F(1), F(0))
    played = worst(x, rounds)
    assert 0.97 * float(low) <= played <= float(high)


def test_checked_steps_use_it() -> None:
    chosen = account(Repeated(ExponentialMechanism("0.2"), 30), AOR)
    split = [
        AccountedStep(RangeCurve(F(1, 5)), 10),
        AccountedStep(RangeCurve(F(1, 5)), 20, F(1, 10**7)),
    ]
    # A step that leaks pays for it from delta.
    rest = chosen.epsilon(F(8, 10**6)).upper
    assert abs(float(epsilon_of_steps(split, F(1, 10**5), None) or 0) - float(rest)) < 1e-12
    leaks = 20 * F(1, 10**7)
    found = delta_of_steps(split, F(1), None)
    assert found is not None and abs(found - leaks - chosen.delta(1).upper) < F(1, 10**15)
    unequal = [AccountedStep(RangeCurve(F(1, 5)), 10), AccountedStep(RangeCurve(F(1, 4)), 20)]
    assert (delta_of_steps(unequal, F(1), None) or 0) > found
