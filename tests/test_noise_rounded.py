"""Rounded continuous noise follows its exact law, on every path.

Statistical tests use fixed seeds; each fails by chance with probability below 1e-9.
"""

from __future__ import annotations

from fractions import Fraction
from math import log

import numpy
import pytest
from depth import depth
from noise_checks import chi_square, fits
from scipy.stats import kstest

from metricdp.errors import ParameterError
from metricdp.laws import RoundedGaussianLaw, RoundedLaplaceLaw
from metricdp.noise import (
    SeededSource,
    certified,
    rounded,
    rounded_scalar,
    vector_rounded,
)
from metricdp.noise.lazy import LazyUniform

SCALES = [Fraction(1, 7), Fraction(1), Fraction(10), Fraction(10**4), Fraction(2**70) + 1]
KINDS = [(rounded.laplace_ticks, RoundedLaplaceLaw), (rounded.gaussian_ticks, RoundedGaussianLaw)]
PLACES = [Fraction(0), Fraction(3, 10), Fraction(1, 2)]


@pytest.mark.parametrize("scale", SCALES[:4], ids=float)
@pytest.mark.parametrize(("ticks", "law"), KINDS)
@pytest.mark.parametrize("place", PLACES, ids=str)
def test_array_follows_the_law(ticks, law, scale, place):
    draws = ticks([place] * depth(20_000, 60_000), scale, 0, SeededSource(1))
    assert draws.dtype == numpy.int64
    fits(draws, law(place, scale), scale)


@pytest.mark.parametrize("scale", SCALES[:4], ids=float)
@pytest.mark.parametrize(("ticks", "law"), KINDS)
def test_scalar_follows_the_law(ticks, law, scale):
    source, place = SeededSource(2), Fraction(2, 3)
    draws = [ticks(place, scale, 0, source) for _ in range(depth(2000, 5000))]
    assert all(type(draw) is int for draw in draws)
    fits(draws, law(place, scale), scale)


@pytest.mark.parametrize("scale", SCALES, ids=float)
@pytest.mark.parametrize(("ticks", "law"), KINDS)
def test_exact_path_follows_the_law(ticks, law, scale, monkeypatch):
    monkeypatch.setattr(certified, "FACTOR", float("inf"))
    draws = ticks(numpy.full(depth(1000, 2000), 0.3), scale, 0, SeededSource(3))
    fits(draws, law(Fraction(0.3), scale), scale)


@pytest.mark.parametrize(("ticks", "law"), KINDS)
def test_one_bit_at_a_time_follows_the_law(ticks, law, monkeypatch):
    monkeypatch.setattr(certified, "FACTOR", float("inf"))
    monkeypatch.setattr(rounded_scalar, "_more", lambda uniform, scale: 1)
    source, place = SeededSource(4), Fraction(1, 5)
    floor = (
        rounded_scalar.laplace_floor if law is RoundedLaplaceLaw else rounded_scalar.gaussian_floor
    )
    centre, scale = place + Fraction(1, 2), Fraction(3)
    draws = []
    for i in range(depth(1000, 2000)):
        lazy = LazyUniform(source)
        uniforms = (lazy,) if law is RoundedLaplaceLaw else (lazy, LazyUniform(source))
        draws.append(floor(centre, scale, bool(i % 2), *uniforms))
    fits(draws, law(place, scale), scale)


@pytest.mark.parametrize("scale", [*SCALES[:4], Fraction(2**31) - 1, Fraction(2**45)], ids=float)
@pytest.mark.parametrize(("ticks", "law"), KINDS)
def test_float_path_equals_exact_path(ticks, law, scale, monkeypatch):
    """What floats prove is what the exact path finds for the same uniforms."""
    x = numpy.random.default_rng(5).normal(size=3001)
    fast = ticks(x, scale, 0, SeededSource(6))
    one = [
        ticks(float(v), scale, 0, s) for v in x[: depth(200, 500)] for s in [SeededSource(float(v))]
    ]
    monkeypatch.setattr(certified, "FACTOR", float("inf"))
    # Few floors need bits beyond those that the float path drew, so few later draws shift.
    assert (fast != ticks(x, scale, 0, SeededSource(6))).sum() <= 3
    exact = [
        ticks(float(v), scale, 0, s) for v in x[: depth(200, 500)] for s in [SeededSource(float(v))]
    ]
    assert one == exact


def test_a_smaller_margin_would_be_wrong_somewhere(monkeypatch):
    """Floats do err: at a scale of 2**49 without a margin some floors are wrong."""
    x = numpy.zeros(3000)
    right = rounded.laplace_ticks(x, 2**49, 0, SeededSource(7))
    monkeypatch.setattr(certified, "FACTOR", 0.0)
    assert (rounded.laplace_ticks(x, 2**49, 0, SeededSource(7)) != right).any()


@pytest.mark.parametrize("scale", [Fraction(10) ** 60, Fraction(3), Fraction(1, 10**60)], ids=float)
def test_released_doubles_follow_the_continuous_law(scale):
    """The step is 2**-30 of the scale: invisible to a test with 10**5 draws."""
    size = 100_000
    laplace = rounded.laplace(numpy.zeros(size), scale, SeededSource(8)) / float(scale)
    gaussian = rounded.gaussian(numpy.zeros(size), scale, SeededSource(9)) / float(scale)
    assert kstest(laplace, "laplace").pvalue > 1e-9
    assert kstest(gaussian, "norm").pvalue > 1e-9
    # 6.5 standard errors of mean and second moment (variances 2 and 20 of L and L**2; 1 and 2).
    for draws, second, spread in ((laplace, 2, 20), (gaussian, 1, 2)):
        assert abs(draws.mean()) < 6.5 * (second / size) ** 0.5
        assert abs((draws**2).mean() - second) < 6.5 * (spread / size) ** 0.5


def test_draws_of_a_pair_are_independent():
    found = rounded.gaussian_ticks(numpy.zeros(16384), 2**20, 0, SeededSource(10))
    first, second = found[:8192] > 0, found[8192:] > 0
    far = 2**20 * 0.6744897501960817
    wide = abs(found[:8192]) > far, abs(found[8192:]) > far
    for a, b in ((first, second), wide):
        chi_square(numpy.bincount(2 * a + b, minlength=4).tolist(), [0.25] * 4)


@pytest.mark.parametrize("ticks", [rounded.laplace_ticks, rounded.gaussian_ticks])
@pytest.mark.parametrize("modulus", [2, 4, 8, 16, 3])
def test_low_bits_are_uniform(ticks, modulus):
    draws = ticks(numpy.full(100_000, 0.1), Fraction(2**31 - 1), 0, SeededSource(11))
    chi_square(numpy.bincount(draws % modulus, minlength=modulus).tolist(), [1 / modulus] * modulus)


def test_every_tick_near_the_centre_is_reached():
    draws = rounded.laplace_ticks(numpy.zeros(200_000), Fraction(1000), 0, SeededSource(12))
    assert set(range(-1500, 1501)) <= set(draws.tolist())


def test_tails_are_reached():
    """P(|L| > 12) = e**-12: some 6 of 10**6, from words that the float path refuses."""
    draws = rounded.laplace_ticks(numpy.zeros(10**6), Fraction(10**6), 0, SeededSource(13))
    for far in (10, 11.5):
        p = 2.718281828459045**-far
        beyond = int((abs(draws) >= far * 10**6).sum())
        chi_square([beyond, 10**6 - beyond], [p, 1 - p])
    least = certified.LEAST_WORD / 2**64
    assert abs(draws).max() > -log(least) * 10**6


def test_a_uniform_of_zero_is_extended():
    found = [
        rounded_scalar.laplace_floor(
            Fraction(1, 2), Fraction(1000), False, LazyUniform(SeededSource(i), 0, 63)
        )
        for i in range(20)
    ]
    assert min(found) >= 43_668 and len(set(found)) > 10
    radius = LazyUniform(SeededSource(1), 0, 64), LazyUniform(SeededSource(2), 0, 64)
    assert rounded_scalar.gaussian_floor(Fraction(1, 2), Fraction(1000), False, *radius) > 6000


def test_values_of_any_size():
    for x in (Fraction(10) ** 40 + Fraction(1, 3), -(Fraction(10) ** 40), Fraction(1, 10**40)):
        for ticks in (rounded.laplace_ticks, rounded.gaussian_ticks):
            one = ticks(x, 2, 0, SeededSource(14))
            many = ticks([x] * 20, 2, 0, SeededSource(14))
            assert abs(one - x) < 100
            assert all(abs(Fraction(int(t)) - x) < 100 for t in many)
    wide = rounded.laplace_ticks(numpy.full(100, 1e300), 1, 0, SeededSource(15))
    assert wide.dtype == object and abs(int(wide[0]) - int(1e300)) < 100
    assert rounded.laplace(Fraction(10) ** 400, 1) > 1e308
    for bad in (numpy.array([numpy.nan, -numpy.inf]), [float("nan"), float("-inf")]):
        for scale in (0, 1):
            assert abs(rounded.laplace(bad, scale)[0]) < 100
            assert rounded.gaussian(bad, scale)[1] < -1e308
    assert rounded.gaussian(float("inf"), 1) > 1e308 and abs(rounded.laplace(numpy.nan, 1)) < 100
    assert rounded.laplace([Fraction(10) ** 400], 0)[0] > 1e308


def test_scale_zero_rounds_only():
    assert rounded.laplace(Fraction(1, 3), 0) == 1 / 3
    assert rounded.laplace_ticks([Fraction(1, 2), Fraction(-1, 2), 3], 0).tolist() == [1, 0, 3]
    assert rounded.gaussian(numpy.array([0.1, -2.0]), 0).tolist() == [0.1, -2.0]


@pytest.mark.parametrize("scale", [-1, float("nan"), float("inf"), None])
def test_bad_scale_is_refused(scale):
    for release in (rounded.laplace, rounded.gaussian):
        with pytest.raises(ParameterError, match=r"scale|sigma"):
            release(1.0, scale)


def test_both_draws_of_a_pair_extend_the_same_uniforms(monkeypatch):
    """Else the second would be a draw from other bits than those that decided the first."""
    seen: dict[tuple[int, int], int] = {}

    def recorded(centre, sigma, sine, radius, angle):
        seen[id(radius), id(angle)] = seen.get((id(radius), id(angle)), 0) + 1
        kept.append((radius, angle))
        return 0

    kept: list[object] = []
    monkeypatch.setattr(certified, "FACTOR", float("inf"))
    monkeypatch.setattr(vector_rounded, "gaussian_floor", recorded)
    rounded.gaussian_ticks(numpy.zeros(101), 3, 0, SeededSource(16))
    assert sorted(seen.values()) == [1] + [2] * 50


@pytest.mark.parametrize("factor", [1.0, 2.0**20, float("inf")])
def test_a_few_normal_draws_are_those_of_arrays(factor, monkeypatch):
    """Bit for bit, from the same words: settled by floats, by margins that are too wide, exactly;
    and where a uniform begins with zeros."""
    monkeypatch.setattr(certified, "FACTOR", factor)

    class Low(SeededSource):
        def uint64(self, n):
            found = super().uint64(n).copy()
            found[::3] >>= numpy.uint64(20)
            return found

    for seed in range(12):
        size, scale = 1 + 2 * seed, Fraction(10**9 + seed, 7**seed)
        x = [Fraction(seed * i, 7) for i in range(size)]
        for kind in (SeededSource, Low):
            many, few = kind(seed), kind(seed)
            at = vector_rounded.places(x, -2)
            steps = 4 * scale
            expected = at.plus(*vector_rounded._gaussian(at.part, at.exact, steps, many))
            found = at.plus(*vector_rounded._some_gaussian(at.part, at.exact, steps, few))
            assert found.tolist() == expected.tolist()
            assert many.randbits(64) == few.randbits(64)
