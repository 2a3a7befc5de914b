"""Laws and their distances agree with brute force, and refute wrong privacy maps."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, log, tanh

import pytest

from metricdp.errors import ParameterError
from metricdp.laws import (
    DiscreteGaussianLaw,
    DiscreteLaplaceLaw,
    FiniteLaw,
    ProductLaw,
    RandomizedResponseLaw,
    best_event,
    hockey_stick,
    log_of_ratio,
    max_divergence,
    renyi,
    total_variation,
    zcdp_rho,
)
from metricdp.laws.discrete import theta

TINY = Fraction(1, 10**25)
PAIRS = [
    (DiscreteLaplaceLaw(0, Fraction(1, 3)), DiscreteLaplaceLaw(1, Fraction(1, 3))),
    (DiscreteLaplaceLaw(0, Fraction(5)), DiscreteLaplaceLaw(3, Fraction(5))),
    (DiscreteLaplaceLaw(7, Fraction(5, 2)), DiscreteLaplaceLaw(3, Fraction(5, 2))),
    (DiscreteGaussianLaw(0, Fraction(1, 3)), DiscreteGaussianLaw(1, Fraction(1, 3))),
    (DiscreteGaussianLaw(0, Fraction(20)), DiscreteGaussianLaw(3, Fraction(20))),
    (DiscreteGaussianLaw(4, Fraction(20)), DiscreteGaussianLaw(1, Fraction(20))),
]
FINITE = [
    (
        FiniteLaw({"a": Fraction(1, 2), "b": Fraction(1, 3), "c": Fraction(1, 6)}),
        FiniteLaw({"a": Fraction(1, 4), "b": Fraction(1, 2), "c": Fraction(1, 4)}),
    ),
    (RandomizedResponseLaw(0, 4, Fraction(3, 2)), RandomizedResponseLaw(2, 4, Fraction(3, 2))),
]
WINDOW = range(-150, 160)


def mid(bounds):
    low, high = bounds
    assert 0 <= high - low <= TINY
    return float((low + high) / 2)


def masses(law):
    return [mid(law.pmf(k)) for k in (WINDOW if law.support() is None else law.support())]


@pytest.mark.parametrize("law", [pair[0] for pair in PAIRS + FINITE], ids=repr)
def test_masses_sum_to_one(law):
    assert sum(masses(law)) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("law", [pair[0] for pair in PAIRS], ids=repr)
def test_tails_are_sums_of_masses(law):
    values = dict(zip(WINDOW, masses(law), strict=True))
    for k in (-9, -1, 0, 1, 2, 9):
        above, below = (sum(values[i] for i in r) for r in (range(k, 160), range(-150, k + 1)))
        assert mid(law.tail(k)) == pytest.approx(above, abs=1e-13)
        assert mid(law.cdf(k)) == pytest.approx(below, abs=1e-13)


@pytest.mark.parametrize(("p", "q"), PAIRS + FINITE, ids=repr)
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(2)])
def test_hockey_stick_is_the_sum(p, q, epsilon):
    expected = sum(
        max(0.0, a - exp(epsilon) * b) for a, b in zip(masses(p), masses(q), strict=True)
    )
    assert mid(hockey_stick(p, q, epsilon)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("p", "q"), PAIRS + FINITE, ids=repr)
@pytest.mark.parametrize("alpha", [Fraction(2), Fraction(5), Fraction(3, 2)])
def test_renyi_is_the_sum(p, q, alpha):
    low, high = renyi(p, q, alpha)
    a = float(alpha)
    total = sum(
        exp(a * log(x) + (1 - a) * log(y))
        for x, y in zip(masses(p), masses(q), strict=True)
        if x > 1e-280 and y > 1e-280
    )
    assert float(low) - 1e-9 <= log(total) / (a - 1) <= float(high) + 1e-9


@pytest.mark.parametrize("d", [1, 4])
@pytest.mark.parametrize("scale", [Fraction(1, 7), Fraction(10), Fraction(2**70) + Fraction(1, 3)])
def test_discrete_laplace_costs_distance_over_scale(d, scale):
    p, q = DiscreteLaplaceLaw(0, scale), DiscreteLaplaceLaw(d, scale)
    assert max_divergence(p, q) == max_divergence(q, p) == (d / scale, d / scale)
    assert hockey_stick(p, q, d / scale) == (0, 0)
    assert best_event(p, q, d / scale)[0] == "no event"


def test_half_the_noise_is_caught_with_an_event():
    """Noise of half the scale against the map of the whole: refuted, in words."""
    p, q = DiscreteLaplaceLaw(200, Fraction(5)), DiscreteLaplaceLaw(199, Fraction(5))
    claimed = Fraction(1, 10)
    words, here, there = best_event(p, q, claimed)
    assert words == "output >= 200"
    assert log_of_ratio(here, there)[0] > claimed
    assert log_of_ratio(here, there)[1] == pytest.approx(Fraction(1, 5), abs=1e-12)
    assert hockey_stick(p, q, claimed)[0] > 0
    assert best_event(q, p, claimed)[0] == "output <= 199"


def test_laplace_of_two_scales():
    narrow, wide = DiscreteLaplaceLaw(0, Fraction(2)), DiscreteLaplaceLaw(3, Fraction(4))
    assert max_divergence(wide, narrow) == inf
    expected = max(log(a / b) for a, b in zip(masses(narrow), masses(wide), strict=True))
    assert mid(max_divergence(narrow, wide)) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(ParameterError):
        hockey_stick(narrow, wide, Fraction(1))


def test_gaussian_of_two_variances():
    narrow, wide = DiscreteGaussianLaw(0, Fraction(2)), DiscreteGaussianLaw(3, Fraction(9))
    assert max_divergence(wide, narrow) == inf
    assert max_divergence(narrow, DiscreteGaussianLaw(1, Fraction(2))) == inf
    assert max_divergence(narrow, narrow) == (0, 0)
    expected = max(float(narrow.log_ratio(wide, k)[0]) for k in range(-20, 21))
    assert mid(max_divergence(narrow, wide)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("d", [1, 3])
def test_discrete_gaussian_zcdp(d):
    p, q = DiscreteGaussianLaw(0, Fraction(9, 2)), DiscreteGaussianLaw(d, Fraction(9, 2))
    assert zcdp_rho(p, q) == (Fraction(d * d, 9), Fraction(d * d, 9))
    for alpha in (2, 3, 10):
        assert renyi(p, q, Fraction(alpha)) == (Fraction(alpha * d * d, 9),) * 2


@pytest.mark.parametrize(("p", "q"), [*PAIRS[:3], FINITE[1]], ids=repr)
def test_zcdp_of_pure_mechanisms_is_bracketed(p, q):
    low, high = zcdp_rho(p, q)
    epsilon = float(max_divergence(p, q)[1])
    assert 0 < low <= high
    assert float(high) == pytest.approx(epsilon * tanh(epsilon / 2), rel=1e-9)


@pytest.mark.parametrize("sigma2", [Fraction(1, 50), Fraction(99, 100), Fraction(1), Fraction(9)])
@pytest.mark.parametrize("shift", [Fraction(0), Fraction(1, 2), Fraction(13, 10)])
def test_theta_is_the_sum(sigma2, shift):
    expected = sum(exp(-float((k - shift) ** 2 / (2 * sigma2))) for k in range(-60, 61))
    low, high = theta(sigma2, shift)
    assert float(low) * (1 - 1e-14) <= expected <= float(high) * (1 + 1e-14)
    assert float(high - low) <= 1e-7 * expected


def test_theta_of_the_two_formulas_meets():
    """Poisson summation at sigma2 = 1 against the plain sum just below."""
    below, above = theta(1 - Fraction(1, 10**30)), theta(Fraction(1))
    assert abs(below[0] - above[0]) < Fraction(1, 10**28)


def test_finite_laws():
    p, q = FINITE[0]
    assert total_variation(p, q) == (Fraction(1, 4), Fraction(1, 4))
    assert mid(max_divergence(p, q)) == pytest.approx(log(2))
    assert best_event(p, q, Fraction(0))[0] == "output = 'a'"
    assert best_event(q, p, Fraction(0))[0] == "output in {'b', 'c'}"
    apart = FiniteLaw({"z": Fraction(1)})
    assert max_divergence(p, apart) == renyi(p, apart, Fraction(2)) == inf
    assert hockey_stick(p, apart, Fraction(9)) == (1, 1)
    assert p.pmf("z") == (0, 0)


def test_randomized_response_costs_epsilon():
    p, q = FINITE[1]
    assert max_divergence(p, q) == (Fraction(3, 2), Fraction(3, 2))
    assert hockey_stick(p, q, Fraction(3, 2)) == (0, 0)
    assert best_event(p, q, Fraction(1))[0] == "output = 0"
    narrow = RandomizedResponseLaw(2, 4, Fraction(1))
    assert mid(max_divergence(p, narrow)) == pytest.approx(
        log(p.pmf(0)[0] / narrow.pmf(0)[0]), rel=1e-12
    )


def test_independent_outputs_add():
    p, q = (ProductLaw((PAIRS[0][i], PAIRS[1][i])) for i in (0, 1))
    assert max_divergence(p, q) == (3 + Fraction(3, 5),) * 2
    parts = [renyi(*pair, Fraction(2)) for pair in PAIRS[:2]]
    assert renyi(p, q, Fraction(2))[1] == parts[0][1] + parts[1][1]
    assert mid(p.pmf((0, 1))) == pytest.approx(
        mid(PAIRS[0][0].pmf(0)) * mid(PAIRS[1][0].pmf(1)), rel=1e-12
    )
    assert p.log_ratio(q, (0, 0))[0] == 3 + Fraction(3, 5)
    pair = ProductLaw((FINITE[1][0], FINITE[1][0])), ProductLaw((FINITE[1][1], FINITE[1][0]))
    assert len(pair[0].support()) == 16
    assert mid(total_variation(*pair)) == pytest.approx(mid(total_variation(*FINITE[1])))


@pytest.mark.parametrize(
    "call",
    [
        lambda: DiscreteLaplaceLaw(0, Fraction(0)),
        lambda: DiscreteGaussianLaw(0, Fraction(-1)),
        lambda: FiniteLaw({0: Fraction(1, 2)}),
        lambda: FiniteLaw({0: Fraction(3, 2), 1: Fraction(-1, 2)}),
        lambda: RandomizedResponseLaw(3, 3, Fraction(1)),
        lambda: hockey_stick(*PAIRS[0], Fraction(-1)),
        lambda: renyi(*PAIRS[0], Fraction(1)),
        lambda: renyi(PAIRS[0][0], PAIRS[4][0], Fraction(2)),
        lambda: max_divergence(PAIRS[0][0], PAIRS[4][0]),
        lambda: DiscreteGaussianLaw(0, Fraction(10**13)).tail(1),
    ],
)
def test_what_is_not_available_is_refused(call):
    with pytest.raises(ParameterError):
        call()
