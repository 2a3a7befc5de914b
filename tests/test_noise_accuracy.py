"""Error intervals hold at their confidence, and no smaller integer does."""

from __future__ import annotations

from fractions import Fraction
from math import log

import pytest
from scipy.stats import norm

from metricdp.errors import ParameterError
from metricdp.laws import DiscreteGaussianLaw, DiscreteLaplaceLaw
from metricdp.noise import (
    SeededSource,
    discrete_gaussian_interval,
    discrete_laplace,
    discrete_laplace_interval,
    gaussian_interval,
    laplace_interval,
)

ALPHAS = [Fraction(1, 2), Fraction(1, 20), Fraction(1, 10**9)]


@pytest.mark.parametrize("alpha", ALPHAS, ids=float)
def test_laplace(alpha):
    half = laplace_interval(Fraction(7, 2), alpha)
    assert half == pytest.approx(3.5 * log(1 / alpha), rel=1e-14)


@pytest.mark.parametrize("alpha", ALPHAS, ids=float)
def test_gaussian(alpha):
    half = gaussian_interval(Fraction(7, 2), alpha)
    assert half == pytest.approx(3.5 * norm.isf(float(alpha) / 2), rel=1e-9)
    assert half >= 3.5 * norm.isf(float(alpha) / 2) * (1 - 1e-14)


@pytest.mark.parametrize("alpha", ALPHAS, ids=float)
@pytest.mark.parametrize("scale", [Fraction(1, 7), Fraction(1), Fraction(50), Fraction(2**80)])
def test_discrete_laplace_is_least(scale, alpha):
    law, k = DiscreteLaplaceLaw(0, scale), discrete_laplace_interval(scale, alpha)
    assert 2 * law.tail(k + 1)[1] <= alpha
    assert k == 0 or 2 * law.tail(k)[0] > alpha


@pytest.mark.parametrize("alpha", ALPHAS, ids=float)
@pytest.mark.parametrize("sigma2", [Fraction(1, 9), Fraction(1), Fraction(50), Fraction(10**4)])
def test_discrete_gaussian_is_least(sigma2, alpha):
    law, k = DiscreteGaussianLaw(0, sigma2), discrete_gaussian_interval(sigma2, alpha)
    assert 2 * law.tail(k + 1)[1] <= alpha
    assert k == 0 or 2 * law.tail(k)[0] > alpha


def test_discrete_gaussian_beyond_the_sum_is_close_to_the_normal():
    sigma2 = Fraction(1000**2)
    k = discrete_gaussian_interval(sigma2, Fraction(1, 20))
    assert 2 * DiscreteGaussianLaw(0, sigma2).tail(k + 1)[1] <= Fraction(1, 20)
    assert 1959 <= k <= 1961


def test_drawn_noise_stays_inside_as_often_as_said():
    """10**5 draws, expected 5 % outside: false alarm below 1e-9 at 6.2 standard deviations."""
    k = discrete_laplace_interval(1000, Fraction(1, 20))
    outside = int((abs(discrete_laplace(1000, 10**5, SeededSource(1))) > k).sum())
    assert abs(outside - 5000) < 6.2 * (10**5 * 0.05 * 0.95) ** 0.5 + 5


def test_no_noise_has_no_width():
    half = Fraction(1, 2)
    assert laplace_interval(0, half) == gaussian_interval(0, half) == 0.0
    assert discrete_laplace_interval(0, half) == discrete_gaussian_interval(0, half) == 0


@pytest.mark.parametrize("alpha", [0, 1, 2, -1, float("nan"), Fraction(1, 10**301)])
def test_bad_alpha_is_refused(alpha):
    for interval in (
        laplace_interval,
        discrete_laplace_interval,
        gaussian_interval,
        discrete_gaussian_interval,
    ):
        with pytest.raises(ParameterError, match="alpha"):
            interval(1, alpha)
        with pytest.raises(ParameterError, match=r"scale|sigma"):
            interval(-1, Fraction(1, 2))
