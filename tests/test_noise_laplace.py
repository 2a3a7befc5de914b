"""Discrete Laplace noise follows its exact law at every scale and on every path."""

from __future__ import annotations

from fractions import Fraction

import numpy
import pytest
from depth import depth
from noise_checks import chi_square, fits

from metricdp.errors import ParameterError
from metricdp.laws import DiscreteLaplaceLaw
from metricdp.noise import (
    SeededSource,
    certified,
    discrete_laplace,
    discrete_scalar,
    vector_discrete,
)
from metricdp.noise.lazy import LazyUniform

SCALES = [
    Fraction(1, 7),
    Fraction(1),
    Fraction(10),
    Fraction(10**4),
    Fraction(2**20) + Fraction(1, 3),
    Fraction(2**70) + Fraction(1, 3),
]
LONG = [Fraction(2**16), Fraction(2**34) + Fraction(1, 3), Fraction(2**57)]


@pytest.mark.parametrize("scale", SCALES, ids=float)
def test_array_follows_the_law(scale):
    size = depth(60_000, 200_000) if scale < 2**56 else 30_000
    fits(discrete_laplace(scale, size, SeededSource(1)), DiscreteLaplaceLaw(0, scale), scale)


@pytest.mark.parametrize("scale", SCALES, ids=float)
def test_scalar_follows_the_law(scale):
    source = SeededSource(2)
    draws = [discrete_laplace(scale, None, source) for _ in range(depth(2000, 4000))]
    assert all(type(draw) is int for draw in draws)
    fits(draws, DiscreteLaplaceLaw(0, scale), scale)


@pytest.mark.parametrize("scale", [*SCALES[:-1], *LONG], ids=float)
def test_float_path_equals_exact_path(scale, monkeypatch):
    """With a margin of 1 nothing is proved in floats: the same bits give the same integers."""
    fast = discrete_laplace(scale, 3000, SeededSource(3))
    monkeypatch.setattr(vector_discrete, "MARGIN", 1.0)
    exact = discrete_laplace(scale, 3000, SeededSource(3))
    # Bits for a keep or a rejection may be drawn in between, but never this often.
    assert (fast != exact).sum() <= 3


@pytest.mark.parametrize("scale", SCALES[:4] + LONG[:1], ids=float)
def test_exact_path_follows_the_law(scale, monkeypatch):
    monkeypatch.setattr(vector_discrete, "MARGIN", 1.0)
    fits(discrete_laplace(scale, 6000, SeededSource(4)), DiscreteLaplaceLaw(0, scale), scale)


@pytest.mark.parametrize("scale", SCALES[:4], ids=float)
def test_one_bit_at_a_time_follows_the_law(scale, monkeypatch):
    """Starting from two bits nearly every draw is open and is refined bit by bit."""
    monkeypatch.setattr(discrete_scalar, "start_bits", lambda scale: 2)
    monkeypatch.setattr(discrete_scalar, "STEP", 1)
    source = SeededSource(5)
    sizes = [
        discrete_scalar.invert(LazyUniform(source), scale, two_sided=True)
        for _ in range(depth(1000, 2000))
    ]
    draws = [-size if source.randbits(1) else size for size in sizes]
    fits(draws, DiscreteLaplaceLaw(0, scale), scale)


@pytest.mark.parametrize("scale", [*SCALES, Fraction(2**45)], ids=float)
def test_scalar_floats_equal_the_exact_path(scale, monkeypatch):
    """What floats prove is what decimals find for the same bits."""
    fast = [discrete_laplace(scale, None, SeededSource(i)) for i in range(depth(200, 600))]
    monkeypatch.setattr(certified, "FACTOR", float("inf"))
    assert fast == [discrete_laplace(scale, None, SeededSource(i)) for i in range(depth(200, 600))]


def test_uniform_of_zero_is_refined_not_infinite():
    table = vector_discrete.table(Fraction(10), True)
    k, exact = table.invert(numpy.zeros(50, dtype=numpy.int64), SeededSource(6))
    assert len(k) == len(exact) == 50
    # U < 2**-48, so |X| >= 10 * 48 * ln 2 = 332.7...
    assert min(exact.values()) >= 332
    assert len(set(exact.values())) > 5


def test_float_proof_never_accepts_a_wrong_guess(monkeypatch):
    """A logarithm that is off by 3 % costs time, not truth."""
    right = discrete_laplace(Fraction(50), 2000, SeededSource(7))
    table = vector_discrete.table(Fraction(50), True)
    monkeypatch.setattr(table, "slope", table.slope * 1.03)
    assert (discrete_laplace(Fraction(50), 2000, SeededSource(7)) == right).all()


@pytest.mark.parametrize("scale", [Fraction(1, 7), Fraction(50), Fraction(50_000)])
def test_tables_hold_the_tail(scale):
    """2**48 * P(|X| >= k) to a sixteenth of the margin that the proof allows."""
    table, law = vector_discrete.table(scale, True), DiscreteLaplaceLaw(0, scale)
    for k in {1, 2, 3, table.last // 3, table.last // 2}:
        power = table.high[k >> table.shift] * table.low[k & table.mask]
        low, high = (2**49 * end for end in law.tail(k))
        assert abs(Fraction(power) / low - 1) < vector_discrete.MARGIN / 16
        assert high / low < 1 + Fraction(1, 2**60)


def test_remainders_that_may_be_refused():
    """Uniforms whose first 15 bits are 0: r = 1 at scale 2**16 is refused half the time.

    Given U < 2**-15, r = 1 is kept with probability 1 - 2**15 (1 - exp(-2**-16)) = 0.5; a refused
    one is replaced by a fair bit.  So r is odd with probability 0.25 + 0.125.
    """
    scale, source = Fraction(2**16), SeededSource(12)
    words = source.uint64(6000) & numpy.uint64(2**64 - 2**16 + 1)
    table = vector_discrete.table(scale / 2, False)
    k, exact = vector_discrete._long(table, scale, 1, words, source)
    for i, value in exact.items():
        k[i] = value
    odd = int((k & 1).sum())
    chi_square([odd, 6000 - odd], [0.375, 0.625])


def test_tails_are_reached():
    draws = discrete_laplace(Fraction(3), 10**6, SeededSource(8))
    law = DiscreteLaplaceLaw(0, Fraction(3))
    for k in (15, 20, 25):
        p = float(2 * law.tail(k)[1])
        chi_square([int((abs(draws) >= k).sum()), int((abs(draws) < k).sum())], [p, 1 - p])
    assert abs(draws).max() < 3 * 48


def test_signs_are_fair_at_a_huge_scale():
    draws = discrete_laplace(Fraction(2**34), 10**5, SeededSource(9))
    chi_square([int((draws > 0).sum()), int((draws <= 0).sum())], [0.5, 0.5])


def test_low_bits_are_uniform_at_a_huge_scale():
    draws = discrete_laplace(Fraction(2**34), 10**5, SeededSource(10))
    chi_square(numpy.bincount(draws & 15, minlength=16).tolist(), [1 / 16] * 16)


def test_seed_repeats_and_seeds_differ():
    for size in (None, 5, 1000):
        one = discrete_laplace(Fraction(9), size, SeededSource("a"))
        two = discrete_laplace(Fraction(9), size, SeededSource("a"))
        assert numpy.array_equal(one, two)
    assert not numpy.array_equal(
        discrete_laplace(Fraction(9), 100, SeededSource("a")),
        discrete_laplace(Fraction(9), 100, SeededSource("b")),
    )


def test_scale_zero_is_silent():
    assert discrete_laplace(0) == 0
    assert discrete_laplace(Fraction(0), 3).tolist() == [0, 0, 0]
    assert discrete_laplace(Fraction(1, 2**200), 100).tolist() == [0] * 100


def test_dtypes_and_shapes():
    assert discrete_laplace(1, 0).shape == (0,)
    assert discrete_laplace(1, 3).dtype == numpy.int64
    wide = discrete_laplace(Fraction(2**200), 100, SeededSource(11))
    assert wide.dtype == object
    assert all(type(value) is int for value in wide)
    assert max(abs(wide)) > 2**200
    assert vector_discrete.pack([2**63, 0], Fraction(1)).dtype == object


@pytest.mark.parametrize("scale", [-1, Fraction(-1, 9), float("nan"), float("inf"), "1", True])
def test_bad_scale_is_refused(scale):
    with pytest.raises(ParameterError, match="scale"):
        discrete_laplace(scale)


@pytest.mark.parametrize("size", [-1, 1.5, True])
def test_bad_size_is_refused(size):
    with pytest.raises(ParameterError, match="size"):
        discrete_laplace(1, size)
