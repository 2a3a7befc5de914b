"""Coins and randomized response have exactly the stated probabilities."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import pytest
from noise_checks import chi_square

from metricdp.errors import ParameterError
from metricdp.noise import (
    SeededSource,
    bernoulli,
    bernoulli_exp,
    lazy,
    randomized_response,
    randomized_response_epsilon,
)


@pytest.mark.parametrize("p", [Fraction(1, 3), Fraction(1, 1000), Fraction(999, 1000)])
@pytest.mark.parametrize("step", [64, 1])
def test_bernoulli(p, step, monkeypatch):
    monkeypatch.setattr(lazy, "STEP", step)
    source = SeededSource(1)
    ones = sum(bernoulli(p, None, source) for _ in range(20_000))
    chi_square([ones, 20_000 - ones], [float(p), float(1 - p)])


@pytest.mark.parametrize("p", [Fraction(1, 3), Fraction(1, 2), Fraction(1, 1000)])
def test_bernoulli_array(p):
    ones = int(bernoulli(p, 10**5, SeededSource(2)).sum())
    chi_square([ones, 10**5 - ones], [float(p), float(1 - p)])


def test_bernoulli_decides_beyond_the_first_word():
    """p = 2**-64 / 3: only words that are all zero are open, and a third of them are True."""

    class Zeros(SeededSource):
        def uint64(self, n):
            return super().uint64(n) * 0

    ones = int(bernoulli(Fraction(1, 3 * 2**64), 3000, Zeros(3)).sum())
    chi_square([ones, 3000 - ones], [1 / 3, 2 / 3])


def test_sure_coins():
    assert bernoulli(1) and not bernoulli(0)
    assert bernoulli(1, 50).all() and not bernoulli(0, 50).any()
    assert bernoulli_exp(0)
    assert not bernoulli_exp(10**30)


@pytest.mark.parametrize("gamma", [Fraction(1, 10), Fraction(1), Fraction(7, 2)])
@pytest.mark.parametrize("step", [64, 1])
def test_bernoulli_exp(gamma, step, monkeypatch):
    monkeypatch.setattr(lazy, "STEP", step)
    source = SeededSource(4)
    ones = sum(bernoulli_exp(gamma, source) for _ in range(10_000))
    chi_square([ones, 10_000 - ones], [exp(-gamma), 1 - exp(-gamma)])


def test_randomized_response():
    source = SeededSource(5)
    draws = [randomized_response(2, 5, Fraction(1, 2), source) for _ in range(10_000)]
    chi_square([draws.count(i) for i in range(5)], [1 / 8, 1 / 8, 1 / 2, 1 / 8, 1 / 8])


@pytest.mark.parametrize("step", [64, 1])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_randomized_response_epsilon(k, step, monkeypatch):
    monkeypatch.setattr(lazy, "STEP", step)
    source, weight = SeededSource(6), exp(1.5)
    draws = [randomized_response_epsilon(0, k, Fraction(3, 2), source) for _ in range(10_000)]
    total = weight + k - 1
    chi_square([draws.count(i) for i in range(k)], [weight / total] + [1 / total] * (k - 1))


def test_epsilon_zero_is_uniform_and_huge_epsilon_keeps():
    source = SeededSource(7)
    draws = [randomized_response_epsilon(1, 4, 0, source) for _ in range(4000)]
    chi_square([draws.count(i) for i in range(4)], [1 / 4] * 4)
    assert randomized_response_epsilon(3, 4, 10**6, source) == 3


@pytest.mark.parametrize(
    "call",
    [
        lambda: bernoulli(Fraction(3, 2)),
        lambda: bernoulli(-1),
        lambda: bernoulli_exp(-1),
        lambda: randomized_response(0, 0, 1),
        lambda: randomized_response(5, 5, 1),
        lambda: randomized_response(0, 5, 2),
        lambda: randomized_response_epsilon(0, 5, -1),
    ],
)
def test_bad_parameters_are_refused(call):
    with pytest.raises(ParameterError):
        call()


def test_message_does_not_repeat_the_private_index():
    with pytest.raises(ParameterError) as caught:
        randomized_response(987, 5, 1)
    assert "987" not in str(caught.value)
