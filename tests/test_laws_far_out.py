"""Far tails keep their relative accuracy, on the line and on the integers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from metricdp.laws import (
    CauchyLaw,
    DiscreteGaussianLaw,
    DiscreteLaplaceLaw,
    ExponentialLaw,
    GaussianLaw,
    LaplaceLaw,
    ProductLaw,
    RoundedGaussianLaw,
    RoundedLaplaceLaw,
    RoundedTulapLaw,
    mixture,
    rounded,
)
from metricdp.laws.interval import significant
from metricdp.noise.enclose import exp_bounds

F = Fraction
HALF = F(1, 2)


@pytest.mark.parametrize(
    ("law", "points"),
    [
        (LaplaceLaw(0, 1), (100, 700, 15_000)),
        (GaussianLaw(0, 1), (38, 76)),
        (CauchyLaw(0, 1), (10**30, 10**80)),
        (ExponentialLaw(1), (700, 15_000)),
        (DiscreteLaplaceLaw(0, 1), (100, 300, 700, 15_000)),
        (DiscreteLaplaceLaw(0, F(1, 7)), (100, 700)),
        (DiscreteGaussianLaw(0, 1), (20, 38, 75, 190)),
        (DiscreteGaussianLaw(0, F(1, 100)), (3, 19)),
        (RoundedLaplaceLaw(0, 1), (700, 15_000)),
        (RoundedGaussianLaw(0, 1), (45, 60, 76)),
        (RoundedTulapLaw(0, 1, 1, 0), (700,)),
        (rounded(LaplaceLaw(0, 1), 1), (700,)),
        (rounded(CauchyLaw(0, 1), 1), (10**30,)),
        (mixture([DiscreteLaplaceLaw(0, 1), DiscreteGaussianLaw(0, 1)], [HALF, HALF]), (700,)),
    ],
)
def test_far_out_both_ends_are_close(law: Any, points: tuple[int, ...]) -> None:
    discrete = bool(law.pmf(0)[0])
    for k in points:
        answers = [law.tail(k), law.between(k, k + 1), law.tail(k + 1)]
        if not isinstance(law, ExponentialLaw):
            answers += [law.cdf(-k), law.between(-k - 1, -k)]
        if discrete:
            answers += [law.pmf(k), law.pmf(-k)]
        for low, high in answers:
            assert 0 < low <= high < low * (1 + F(1, 2**80))


def test_what_lies_below_every_digit_is_not_negative() -> None:
    for law in (RoundedGaussianLaw(0, 1), DiscreteGaussianLaw(0, 1), DiscreteLaplaceLaw(0, 1)):
        for low, high in (law.pmf(30_000), law.tail(30_000), law.between(30_000, 30_001)):
            assert 0 <= low < high < F(1, 10**1000)


def test_a_tail_of_discrete_laplace_noise_is_its_formula() -> None:
    # a**700 / (1 + a), and exactly a times the tail one step nearer.
    low, high = DiscreteLaplaceLaw(0, 1).tail(700)
    a, far = exp_bounds(F(-1), 400), exp_bounds(F(-700), 400)
    assert low < far[0] / (1 + a[1]) < far[1] / (1 + a[0]) < high
    assert float(low) == pytest.approx(7.2079e-305, rel=1e-4)


def test_joint_probabilities_far_out_are_positive() -> None:
    one = DiscreteLaplaceLaw(0, 1)
    low, high = ProductLaw((one, one)).pmf((500, -500))
    single = one.pmf(500)
    assert low <= single[0] ** 2 < single[1] ** 2 <= high < low * (1 + F(1, 2**80))


@pytest.mark.parametrize("x", [F(1, 3), F(7, 3**400), F(10**300, 7), F(0), F(1, 2**5000), F(5)])
@pytest.mark.parametrize("bits", [8, 320])
def test_significant_rounds_outwards_by_a_share(x: Fraction, bits: int) -> None:
    low, high = significant((x, x), bits)
    assert low <= x <= high and high - low <= 2 * x / 2**bits
    if x.denominator == 1 or x == F(1, 2**5000):
        assert low == x == high or x > 2**bits
