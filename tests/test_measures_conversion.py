"""Conversion of rho to (epsilon, delta): valid for the Gaussian, never above the simple formula."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from metricdp.accounting.gaussian import profile_bounds
from metricdp.expr import num
from metricdp.measures.implications import zcdp_epsilon, zcdp_to_approx

CASES = [
    (Fraction(rho), Fraction(delta))
    for rho in ("1/100", "1/2", "2", "30")
    for delta in ("1/100", "1/1000000", "1e-12")
]


@pytest.mark.parametrize(("rho", "delta"), CASES)
def test_best_epsilon_holds_for_the_gaussian_and_beats_the_formula(
    rho: Fraction, delta: Fraction
) -> None:
    epsilon = zcdp_epsilon(rho, delta).value
    # Gaussian noise with movement u = sqrt(2 rho) standard deviations has exactly this rho.
    u = Fraction(math.sqrt(2 * rho)) * (1 - Fraction(1, 10**12))
    assert profile_bounds(epsilon, u)[0] <= delta
    assert epsilon < Fraction(zcdp_to_approx(num(rho), delta).upper({}))


@pytest.mark.parametrize(("rho", "delta"), CASES)
def test_best_epsilon_is_the_least_over_alpha(rho: Fraction, delta: Fraction) -> None:
    size = math.log(1 / delta)
    grid = [
        a * float(rho) + (size + a * math.log1p(-1 / a) - math.log(a - 1)) / (a - 1)
        for a in (1 + math.exp(k / 50) for k in range(-300, 700))
    ]
    assert float(zcdp_epsilon(rho, delta).value) <= max(0.0, min(grid)) * (1 + 1e-7) + 1e-9
    assert float(zcdp_epsilon(rho, delta).value) >= max(0.0, min(grid)) * (1 - 1e-3) - 1e-6


def test_no_rho_costs_nothing() -> None:
    assert zcdp_epsilon(Fraction(0), Fraction(1, 100)).value == 0
