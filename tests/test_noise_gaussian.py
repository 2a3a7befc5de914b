"""Discrete Gaussian noise follows its exact law at every variance and on every path."""

from __future__ import annotations

from fractions import Fraction

import numpy
import pytest
from depth import depth
from noise_checks import chi_square, fits
from scipy.stats import norm

from metricdp.errors import ParameterError
from metricdp.laws import DiscreteGaussianLaw
from metricdp.noise import SeededSource, certified, discrete_gaussian, lazy, vector_discrete

VARIANCES = [Fraction(1, 49), Fraction(1, 4), Fraction(1), Fraction(100), Fraction(10**6) / 7]


@pytest.mark.parametrize("sigma2", VARIANCES, ids=float)
def test_array_follows_the_law(sigma2):
    draws = discrete_gaussian(sigma2, depth(60_000, 200_000), SeededSource(1))
    assert draws.dtype == numpy.int64
    fits(draws, DiscreteGaussianLaw(0, sigma2), Fraction(float(sigma2) ** 0.5))


@pytest.mark.parametrize("sigma2", VARIANCES, ids=float)
def test_scalar_follows_the_law(sigma2):
    source = SeededSource(2)
    draws = [discrete_gaussian(sigma2, None, source) for _ in range(depth(1500, 3000))]
    assert all(type(draw) is int for draw in draws)
    fits(draws, DiscreteGaussianLaw(0, sigma2), Fraction(float(sigma2) ** 0.5))


@pytest.mark.parametrize("bits", [40, 140])
def test_huge_variance_follows_the_normal_law(bits):
    """At sigma = 2**(bits/2) the discrete and the continuous law differ by less than 2**-19."""
    draws = discrete_gaussian(Fraction(2**bits) + Fraction(1, 3), 30_000, SeededSource(3))
    assert draws.dtype == (object if bits == 140 else numpy.int64)
    standard = draws.astype(float) / 2 ** (bits // 2)
    edges = numpy.linspace(-4, 4, 65)
    counts = numpy.histogram(standard, [-99, *edges, 99])[0]
    chi_square(counts.tolist(), numpy.diff([0, *norm.cdf(edges), 1]).tolist())


@pytest.mark.parametrize("sigma2", [*VARIANCES, Fraction(2**68)], ids=float)
def test_float_coins_equal_exact_coins(sigma2, monkeypatch):
    """With a margin of 1 every coin that could be kept is decided in rationals: same outcome."""
    t = vector_discrete.laplace_scale(sigma2)
    proposals = vector_discrete.laplaces(Fraction(t), 3000, SeededSource(4))
    fast = vector_discrete.accept(proposals, t, sigma2, SeededSource(5))
    monkeypatch.setattr(vector_discrete, "COIN_MARGIN", 1.0)
    exact = vector_discrete.accept(proposals, t, sigma2, SeededSource(5))
    assert 0 < fast.sum() < 3000
    assert (fast == exact).all()


def test_exact_path_follows_the_law(monkeypatch):
    monkeypatch.setattr(vector_discrete, "COIN_MARGIN", 1.0)
    draws = discrete_gaussian(Fraction(25), 5000, SeededSource(6))
    fits(draws, DiscreteGaussianLaw(0, Fraction(25)), Fraction(5))


def test_one_bit_at_a_time_follows_the_law(monkeypatch):
    monkeypatch.setattr(lazy, "STEP", 1)
    monkeypatch.setattr(certified, "FACTOR", float("inf"))
    source = SeededSource(7)
    draws = [discrete_gaussian(Fraction(4), None, source) for _ in range(depth(1000, 2000))]
    fits(draws, DiscreteGaussianLaw(0, Fraction(4)), Fraction(2))


@pytest.mark.parametrize(
    "sigma2", [*VARIANCES, Fraction(2**68), Fraction(1, 2**90), Fraction(4) ** 700], ids=str
)
def test_scalar_floats_equal_the_exact_path(sigma2, monkeypatch):
    """What floats prove is what decimals find for the same bits."""
    fast = [discrete_gaussian(sigma2, None, SeededSource(i)) for i in range(depth(200, 600))]
    monkeypatch.setattr(certified, "FACTOR", float("inf"))
    assert fast == [
        discrete_gaussian(sigma2, None, SeededSource(i)) for i in range(depth(200, 600))
    ]


def test_table_of_exponentials_is_within_its_margin():
    gamma = numpy.concatenate([numpy.linspace(0, 60, 5001), [1 / 64, 1 / 64 - 2**-60, 59.999]])
    ours = vector_discrete._exp(gamma) / 2.0**32
    assert numpy.abs(ours / numpy.exp(-gamma) - 1).max() < 2.0**-44


def test_symmetric():
    draws = discrete_gaussian(Fraction(50), 10**5, SeededSource(8))
    positive, negative = int((draws > 0).sum()), int((draws < 0).sum())
    chi_square([positive, negative], [0.5, 0.5])


def test_seed_repeats():
    for size in (None, 5, 1000):
        one = discrete_gaussian(Fraction(9), size, SeededSource("a"))
        assert numpy.array_equal(one, discrete_gaussian(Fraction(9), size, SeededSource("a")))


def test_variance_zero_and_tiny():
    assert discrete_gaussian(0) == 0
    assert discrete_gaussian(0, 3).tolist() == [0, 0, 0]
    for tiny in (Fraction(1, 2**40), Fraction(1, 2**200), Fraction(1, 2**2200)):
        assert not discrete_gaussian(tiny, 1000, SeededSource(9)).any()


def test_variance_beyond_floats():
    draws = discrete_gaussian(Fraction(4) ** 1100, 20, SeededSource(10))
    assert 2**1097 < max(abs(draws)) < 2**1104


@pytest.mark.parametrize("sigma2", [-1, Fraction(-1, 9), float("nan"), None])
def test_bad_variance_is_refused(sigma2):
    with pytest.raises(ParameterError, match="sigma2"):
        discrete_gaussian(sigma2)
