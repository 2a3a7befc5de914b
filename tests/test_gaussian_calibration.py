"""Gaussian calibration: against SciPy as an oracle, and against exact sums on the grid."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from math import erfc, exp, log, sqrt

import pytest
from scipy.special import erfc as scipy_erfc
from scipy.special import log_ndtr, ndtr

from metricdp.accounting import gaussian
from metricdp.accounting.gaussian import (
    analytic_sigma,
    classical_sigma,
    grid_profile_upper,
    profile_bounds,
    profile_upper,
)
from metricdp.errors import ParameterError

TARGETS = [(1, "1e-5"), ("0.1", "1e-6"), (10, "1e-9"), ("0.001", "1e-12"), (0, "0.1"), (1, "0.5")]


def oracle(epsilon: float, u: float) -> float:
    second = exp(epsilon + float(log_ndtr(-u / 2 - epsilon / u)))
    return float(ndtr(u / 2 - epsilon / u)) - second


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5, 1.0, 3.0, 10.0, -0.1, -3.0])
@pytest.mark.parametrize("u", [0.12, 0.5, 1.0, 3.0, 12.0])
def test_profile_is_enclosed(epsilon: float, u: float) -> None:
    low, high = profile_bounds(Fraction(epsilon), Fraction(u))
    assert 0 <= low <= high <= 1
    assert high - low <= high / 10**25
    assert float(high) == pytest.approx(oracle(epsilon, u), rel=1e-8, abs=1e-15)


@pytest.mark.parametrize("t", ["0", "0.1", "1", "2.5", "4.999", "5", "5.001", "9", "30"])
def test_mills_ratio_is_enclosed(t: str) -> None:
    low, high = map(Fraction, gaussian._mills(Fraction(t)))
    assert low <= high <= low * (1 + Fraction(1, 10**25))
    x = float(Fraction(t))
    expected = sqrt(3.141592653589793 / 2) * exp(x * x / 2) * float(scipy_erfc(x / sqrt(2)))
    assert float(high) == pytest.approx(expected, rel=1e-10)


def test_both_forms_of_mills_ratio_agree() -> None:
    for t in (Fraction(4), Fraction(5), Fraction(7)):
        series, fraction = gaussian._mills_series(t), gaussian._mills_fraction(t)
        assert max(series[0], fraction[0]) <= min(series[1], fraction[1])


@pytest.mark.parametrize(("epsilon", "delta"), TARGETS)
def test_analytic_sigma_is_certified_and_near_optimal(epsilon: str, delta: str) -> None:
    e, d = Fraction(epsilon), Fraction(delta)
    sigma = analytic_sigma(e, d)
    assert grid_profile_upper(e, 1 / sigma, d / 2**60) <= d
    assert profile_bounds(e, 1 / (sigma * (1 - Fraction(1, 10**9))))[0] > d
    assert oracle(float(e), 1 / float(sigma)) == pytest.approx(float(d), rel=1e-6)


def test_calibration_reaches_far_targets() -> None:
    sigma = analytic_sigma(Fraction(50), Fraction("1e-10"))
    assert float(sigma) == pytest.approx(0.18029, rel=1e-4)
    sigma = analytic_sigma(Fraction(1), Fraction("1e-100"))
    assert profile_upper(Fraction(1), 1 / sigma) <= Fraction("1e-100")


def test_classical_sigma_is_rounded_up_and_valid() -> None:
    e, d = Fraction(1, 2), Fraction("1e-5")
    sigma = classical_sigma(e, d)
    formula = sqrt(2 * log(1.25e5)) / 0.5
    assert formula * (1 - 1e-14) <= float(sigma) <= formula * (1 + 1e-14)
    assert grid_profile_upper(e, 1 / sigma) <= d / 3
    assert sigma > analytic_sigma(e, d)


@pytest.mark.parametrize(
    ("epsilon", "delta"), [("-1", "0.1"), ("1", "0"), ("1", "1"), ("1", "-0.1"), ("1", "2")]
)
def test_bad_targets_are_refused(epsilon: str, delta: str) -> None:
    with pytest.raises(ParameterError):
        analytic_sigma(Fraction(epsilon), Fraction(delta))


@pytest.mark.parametrize("epsilon", ["0", "1", "5"])
def test_classical_needs_epsilon_below_one(epsilon: str) -> None:
    with pytest.raises(ParameterError, match="0 < epsilon < 1"):
        classical_sigma(Fraction(epsilon), Fraction(1, 100))


def hockey_stick(epsilon: float, shift: tuple[int, ...], s: float) -> float:
    """Exact profile of the discrete Gaussian on Z^n between centres 0 and `shift`, by summation."""
    reach = int(9 * s) + max(map(abs, shift))
    z = sum(exp(-k * k / (2 * s * s)) for k in range(-reach, reach + 1)) ** len(shift)
    total = 0.0
    for point in product(range(-reach, reach + 1), repeat=len(shift)):
        here = exp(-sum(k * k for k in point) / (2 * s * s))
        there = exp(-sum((k - m) ** 2 for k, m in zip(point, shift, strict=True)) / (2 * s * s))
        total += max(0.0, here - exp(epsilon) * there)
    return total / z


@pytest.mark.parametrize(
    ("s", "shift"),
    [(40, (20,)), (40, (40,)), (40, (1,)), (40, (120,)), (8, (4, 4)), (8, (7, 1)), (8, (0, 9))],
)
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 2.0])
def test_grid_bound_covers_the_law_that_is_drawn(
    monkeypatch: pytest.MonkeyPatch, s: int, shift: tuple[int, ...], epsilon: float
) -> None:
    # The bound of the docstring, with coarse grids where the laws differ visibly.
    monkeypatch.setattr(gaussian, "MIN_TICKS", s)
    monkeypatch.setattr(gaussian, "MAX_ENTRIES", len(shift))
    u = Fraction(sqrt(sum(m * m for m in shift))) / s
    exact = hockey_stick(epsilon, shift, s)
    bound = float(grid_profile_upper(Fraction(epsilon), u, Fraction(1, 10**6)))
    assert exact <= bound + 1e-12


def test_grid_bound_is_needed_and_close() -> None:
    # On a coarse grid the continuous profile is wrong: it lies below the exact sum.
    assert hockey_stick(0.3, (1,), 2.0) > float(profile_upper(Fraction(0.3), Fraction(1, 2)))
    e, u = Fraction(1), Fraction(1, 4)
    continuous, grid = profile_upper(e, u), grid_profile_upper(e, u)
    assert continuous < grid < continuous * (1 + Fraction(1, 10**12))


def test_profile_falls_with_epsilon_and_grows_with_movement() -> None:
    values = [profile_bounds(Fraction(k, 4), Fraction(1)) for k in range(8)]
    assert all(a[0] > b[1] for a, b in pairwise(values))
    values = [profile_bounds(Fraction(1), Fraction(k, 4)) for k in range(1, 9)]
    assert all(a[1] < b[0] for a, b in pairwise(values))
    assert float(profile_upper(Fraction(0), Fraction(1))) == pytest.approx(1 - erfc(sqrt(1 / 8)))
