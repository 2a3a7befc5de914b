"""The float functions stay within their stated errors, against exact enclosures."""

from __future__ import annotations

from fractions import Fraction
from math import cos, sin
from random import Random

import numpy
import pytest
from depth import depth
from scipy.stats import norm

from metricdp.expr.normal import pi_fixed
from metricdp.laws import RoundedGaussianLaw, RoundedLaplaceLaw, hockey_stick, max_divergence, renyi
from metricdp.laws.interval import normal_tail
from metricdp.noise import certified
from metricdp.noise.enclose import cos_sin_fixed
from metricdp.noise.lazy import LazyUniform
from metricdp.noise.rounded_scalar import minus_log
from metricdp.noise.source import SeededSource

F = Fraction


def words() -> list[int]:
    rng = Random(1)
    least, most = certified.LEAST_WORD, (1 << 64) - 1
    edges = [k << shift for shift in (49, 56, 57) for k in range(1, 128, 3)]
    edges = [w + d for w in edges for d in (-1, 0, 1) if least <= w + d <= most]
    small = [most - rng.getrandbits(k) for k in range(1, 62) for _ in range(20)]
    return (
        edges
        + small
        + [rng.getrandbits(64) >> rng.randrange(15) | least for _ in range(depth(1500, 3000))]
    )


def test_logarithm_is_within_its_error():
    found = words()
    array = certified.log_array(numpy.array(found, dtype=numpy.uint64)).tolist()
    source = SeededSource(1)
    for word, value in zip(found, array, strict=True):
        assert certified.log_scalar(word) == value
        low, high = (F(e, 1 << 200) for e in minus_log(LazyUniform(source, word, 64), 200))
        error = F(certified.LOG_ERROR) * (high + 1) + F(1, word)
        assert max(abs(value - low), abs(value - high)) <= error


def test_cosine_and_sine_are_within_their_error():
    rng, bits = Random(2), 160
    turns = [0.0, 0.5, -0.5, 2.0**-40, *(rng.uniform(-0.5, 0.5) for _ in range(depth(1500, 3000)))]
    arrays = certified.cos_sin(numpy.array(turns))
    for i, turn in enumerate(turns):
        theta = int(F(turn) * pi_fixed(bits) / 2)
        *exact, _ = cos_sin_fixed(theta, bits)
        for array, scalar, value in zip(arrays, certified.cos_sin(turn), exact, strict=True):
            assert array[i] == scalar
            assert abs(F(scalar) - F(value, 1 << bits)) < F(certified.TRIG_ERROR)


def test_fixed_point_circle():
    digits = "3141592653589793238462643383279502884197169399375105820974944592307816406286"
    scaled = int(digits) * (1 << 240) // 10 ** (len(digits) - 1)
    assert abs(pi_fixed(240) - scaled) <= 2
    rng = Random(3)
    for _ in range(500):
        t = rng.randint(-(1 << 60), 1 << 60)
        c, s, error = cos_sin_fixed(t, 60)
        fine_c, fine_s, fine = cos_sin_fixed(t << 140, 200)
        assert abs((c << 140) - fine_c) <= (error << 140) + fine
        assert abs((s << 140) - fine_s) <= (error << 140) + fine
        assert abs(c / 2**60 - cos(t / 2**60)) < 1e-15
        assert abs(s / 2**60 - sin(t / 2**60)) < 1e-15


@pytest.mark.parametrize("t", [F(0), F(1, 3), F(1), F(7, 2), F(15, 2), F(25), F(-2)])
def test_normal_tail_is_enclosed(t):
    low, high = normal_tail(t)
    assert low <= high < low * (1 + F(1, 2**100))
    assert abs(float(low) / norm.sf(float(t)) - 1) < 1e-11


@pytest.mark.parametrize("law", [RoundedLaplaceLaw, RoundedGaussianLaw])
@pytest.mark.parametrize("center", [F(0), F(3, 10), F(-1, 2)])
def test_rounded_laws_are_laws(law, center):
    found = law(center, F(3, 2))
    total = sum((found.pmf(k)[0] for k in range(-12, 13)), F(0))
    total += found.tail(13)[0] + found.cdf(-13)[0]
    assert 1 - F(1, 10**30) < total <= 1
    assert found.tail(2)[0] <= 1 - found.cdf(1)[0] <= found.tail(2)[1]


@pytest.mark.parametrize("moved", [F(1, 10**6), F(1, 3), F(1), F(5, 2)])
@pytest.mark.parametrize("scale", [F(1, 3), F(2), F(2**31) - 1])
def test_rounded_noise_costs_what_continuous_noise_costs(moved, scale):
    """For every movement, also below a step of the grid; attained in the tails by Laplace."""
    for center in (F(0), F(49, 100), F(1, 2), F(-1, 7)):
        p, q = RoundedLaplaceLaw(center, scale), RoundedLaplaceLaw(center + moved, scale)
        limit = moved / scale
        assert max_divergence(p, q) == (limit, limit)
        for k in range(-4, 5):
            low, high = p.log_ratio(q, k)
            assert low <= limit and -limit <= high
        assert p.log_ratio(q, -9)[0] == limit and p.log_ratio(q, 9)[0] == -limit
        assert hockey_stick(p, q, limit)[1] == 0
        # The profile of the continuous law bounds it: delta = 1 - exp((eps - m) / 2).
        eps = limit / 2
        assert 0 <= hockey_stick(p, q, eps)[0] <= -((eps - limit) / 2) + F(1, 10**20)
        g, h = RoundedGaussianLaw(center, scale), RoundedGaussianLaw(center + moved, scale)
        low, high = renyi(g, h, F(2))
        assert low <= high == limit**2
