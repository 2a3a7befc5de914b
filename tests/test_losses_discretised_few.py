"""Few rounds of rare samples, for which the lattice engine answers alone: narrow and right.

Most rounds change nothing there: masses pile up at the lower end of the support, beyond which no
window and no neighbouring cell helps, and the tail is that of a few large losses.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import erfc, sqrt
from typing import Any

import numpy as np
import pytest

from metricdp.accounting.lattice import engine as discretised
from metricdp.accounting.lattice.laws import Atoms, LatticeSpan, _balanced, above, below
from metricdp.accounting.lattice.sums import composed
from metricdp.accounting.losses.poisson_gaussian import PoissonGaussianLoss

F = Fraction

CASES = [
    (F("0.0029"), F("2.814"), 2, F(1, 10**9)),
    (F("0.003"), F("2.943"), 5, F(1, 10**9)),
    (F("0.0019"), F("0.356"), 30, F(1, 10**9)),
    (F("0.1"), F(1), 3, F(1, 10**5)),
    (F("0.01"), F(1), 30, F(1, 10**6)),
    (F("0.002003"), F("0.7036"), 139, F(1, 10**9)),
]


def one_round(q: float, u: float, log_x: Any) -> Any:
    """The profile of one round at e^eps = x, for P = (1 - q) N(0, 1) + q N(u, 1), Q = N(0, 1)."""
    x = np.exp(log_x)
    level = np.log(np.maximum(np.expm1(log_x) / q + 1, 1e-300))
    place = level / u + u / 2
    tail = np.array([[erfc((y - m) / sqrt(2)) / 2 for m in (0.0, u)] for y in place])
    found = q * (tail[:, 1] - np.exp(level) * tail[:, 0])
    return np.where(np.expm1(log_x) / q + 1 > 1e-300, found, 1 - x)


def several(q: float, s: float, rounds: int, epsilon: float) -> float:
    """The profile by quadrature: delta_n(eps) = E_P delta_(n - 1)(eps - L); rounds 1 or 2."""
    u = 1 / s
    if rounds == 1:
        return float(one_round(q, u, np.array([epsilon]))[0])
    x = np.linspace(-10.0, u + 12.0, 20_001)
    normal = [np.exp(-((x - m) ** 2) / 2) / sqrt(2 * np.pi) for m in (0.0, u)]
    weights = ((1 - q) * normal[0] + q * normal[1]) * (x[1] - x[0])
    losses = np.log1p(q * np.expm1(u * x - u * u / 2))
    return float((weights * one_round(q, u, epsilon - losses)).sum())


@pytest.mark.parametrize("rounds", [1, 2])
@pytest.mark.parametrize("q,s", [(0.0029, 2.814), (0.1, 1.0), (0.002, 0.36), (0.3, 0.7)])
def test_one_and_two_rounds_against_quadrature(q: float, s: float, rounds: int) -> None:
    """At the ends of the bracket the profile is about delta.  Its own accuracy is 1e-7 of it: the
    trapezoid rule meets one bend."""
    law = PoissonGaussianLoss(1 / F(str(s)), F(str(q)))
    for delta in (F(1, 10**5), F(1, 10**8)):
        found = discretised.epsilon([(law, rounds)], delta, width=1e-6)
        if not found.lower:
            assert several(q, s, rounds, 0.0) < float(delta) * 2
            continue
        low, high = (several(q, s, rounds, float(x)) for x in (found.lower, found.upper))
        assert low > float(delta) * (1 - 1e-7) and high < float(delta) * (1 + 1e-7)
        assert found.width < 2e-6


@pytest.mark.parametrize("q,s,rounds,delta", CASES)
def test_brackets_are_narrow(q: Fraction, s: Fraction, rounds: int, delta: Fraction) -> None:
    found = discretised.epsilon([(PoissonGaussianLoss(1 / s, q), rounds)], delta, width=3e-7)
    assert 0 < found.width < F(1, 10**6) * min(F(1), found.upper)


@pytest.mark.parametrize("q,s,rounds,delta", CASES)
def test_finer_lattices_narrow(q: Fraction, s: Fraction, rounds: int, delta: Fraction) -> None:
    """What was kept in no window at its lower end cost all of the bound from below."""
    parts = [(PoissonGaussianLoss(1 / s, q), rounds)]
    found = [discretised.epsilon(parts, delta, width=width) for width in (1e-3, 1e-5, 1e-7)]
    for wide, near in pairwise(found):
        assert near.width < wide.width * 0.6
        assert max(wide.lower, near.lower) <= min(wide.upper, near.upper)


def profile(law: Atoms, epsilon: float) -> float:
    places = float(law.shift) + float(law.step) * (law.first + np.arange(len(law.masses)))
    return law.failure + float((law.masses * np.maximum(-np.expm1(epsilon - places), 0)).sum())


@pytest.mark.parametrize("h", [2e-4, 1e-3, 5e-3])
@pytest.mark.parametrize("far", [float("inf"), 0.02, -1.0])
def test_steep_densities_and_short_lattices_are_bounded(h: float, far: float) -> None:
    """Where densities fall by much in one cell, and where the lattice ends amid the mass."""
    loss = PoissonGaussianLoss(F(2), F(1, 100))
    span = LatticeSpan(0.3 * h, h, -int(0.02 / h), int(0.05 / h))
    fine = LatticeSpan(0.0, h / 32, -32 * int(0.02 / h), 32 * int(2 / h))
    low, high = below(loss, span, 2.0, far), above(loss, span)
    exact = below(loss, fine, 2.0), above(loss, fine)
    for epsilon in np.linspace(-0.012, 0.05, 63):
        assert profile(low, epsilon) <= profile(exact[1], epsilon) + 1e-14
        assert profile(high, epsilon) >= profile(exact[0], epsilon) - 1e-14


def test_shares_solve_what_bins_need() -> None:
    rng = np.random.default_rng(3)
    taken, given = rng.uniform(0, 0.4, (2, 200))
    taken[::3], given[1::3] = 0.0, 0.0
    down, up = _balanced(taken, given)
    kept = 1 - down - up
    assert kept.min() > 0 and down.min() >= 0 and up.min() >= 0
    # Upwards from what is needed for lifting, downwards for lowering.
    lifted, lowered = down[1:] - (taken * kept)[:-1], up[:-1] - (given * kept)[1:]
    assert lifted.min() > -1e-15 and lifted.max() < 1e-6
    assert lowered.max() < 1e-15 and lowered.min() > -1e-6


@pytest.mark.parametrize("start,size", [(0, 16), (-3, 16), (4, 16), (8, 16), (-14, 16), (-2, 32)])
def test_windows_charge_what_they_miss(start: int, size: int) -> None:
    """Three dice of seven sides with empty ends: what is not in the window is in its bounds."""
    masses = np.array([0.0, 0.3, 0.0, 0.1, 0.2, 0.15, 0.25, 0.0])
    law = Atoms(F(0), F(1, 8), -1, masses, 0.0)
    truth = np.convolve(np.convolve(masses, masses), masses)
    places = np.arange(len(truth)) - 3
    for slopes in ((-0.5, 0.5), (-20.0, 20.0)):
        found = composed([(law, 3)], 0.0, start, size, slopes)
        assert truth[places < start].sum() <= found.low * (1 + 1e-12) + 1e-15
        assert truth[places >= start + size].sum() <= found.high * (1 + 1e-12) + 1e-15
        if start <= 0 and start + size > 15:
            assert found.low == 0 == found.high
        for epsilon in (-0.2, 0.0, 0.4, 1.3):
            exact = float((truth * np.maximum(-np.expm1(epsilon - places / 8), 0)).sum())
            low, high = found.delta(epsilon)
            assert low <= exact * (1 + 1e-12) and exact <= high * (1 + 1e-12)
