"""Renyi curves against exact sums over laws, and the epsilon they prove against exact profiles."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import comb, exp, log

import pytest
from scipy.integrate import quad

from metricdp.accounting.gaussian import gaussian_epsilon
from metricdp.accounting.orders import delta_at, epsilon_at
from metricdp.accounting.renyi import (
    ComposedCurve,
    Curve,
    GaussianCurve,
    Grouped,
    LaplaceCurve,
    LeastCurve,
    LinearCurve,
    PureCurve,
    RangeCurve,
    ResponseCurve,
    Through,
    TruncatedCurve,
    WorstCurve,
)
from metricdp.accounting.renyi_sampled import PoissonGaussian, WithoutReplacementCurve
from metricdp.errors import ParameterError
from metricdp.laws import DiscreteLaplaceLaw, RandomizedResponseLaw, hockey_stick, renyi
from metricdp.measures.accountant import certified
from metricdp.measures.accounted import AccountedStep

F = Fraction
ORDERS = [F(65, 64), F(3, 2), F(2), F(5, 2), F(7), F(40)]
NARROW = F(1, 10**20)


@pytest.mark.parametrize("alpha", ORDERS)
@pytest.mark.parametrize(("epsilon", "k"), [(F(1, 4), 2), (F(3), 2), (F(1), 3), (F(2), 11)])
def test_response_is_the_divergence_of_randomized_response(
    epsilon: Fraction, k: int, alpha: Fraction
) -> None:
    exact = renyi(RandomizedResponseLaw(0, k, epsilon), RandomizedResponseLaw(1, k, epsilon), alpha)
    assert not isinstance(exact, float)
    low, high = ResponseCurve(epsilon, k).divergence(alpha)
    assert low <= exact[1] and exact[0] <= high and high - low < NARROW
    assert PureCurve(epsilon).divergence(alpha)[1] >= low


@pytest.mark.parametrize("alpha", ORDERS)
@pytest.mark.parametrize(("d", "scale"), [(1, F(1)), (3, F(2)), (7, F(5, 2)), (1, F(1, 3))])
def test_laplace_on_integers_is_the_divergence_of_the_law(
    d: int, scale: Fraction, alpha: Fraction
) -> None:
    exact = renyi(DiscreteLaplaceLaw(0, scale), DiscreteLaplaceLaw(d, scale), alpha)
    assert not isinstance(exact, float)
    low, high = LaplaceCurve(d / scale, 1 / scale).divergence(alpha)
    assert low <= exact[1] and exact[0] <= high and high - low < NARROW


@pytest.mark.parametrize("alpha", ORDERS)
def test_continuous_laplace_is_the_known_formula_and_the_least_grid(alpha: Fraction) -> None:
    a, m = float(alpha), 0.7
    terms = a / (2 * a - 1) * exp((a - 1) * m) + (a - 1) / (2 * a - 1) * exp(-a * m)
    steps = [F(0), F(1, 2**40), F(1, 100), F(1, 10), F(7, 10)]
    values = [LaplaceCurve(F(7, 10), step).divergence(alpha) for step in steps]
    assert float(values[0][1]) == pytest.approx(log(terms) / (a - 1), rel=1e-9)
    assert all(left[0] <= right[1] for left, right in pairwise(values))
    assert values[2][0] > values[0][1]
    pure = PureCurve(F(7, 10)).divergence(alpha)
    assert abs(values[4][1] - pure[1]) < NARROW


def test_orders_outside_a_curve_are_refused() -> None:
    for curve, alpha in [
        (LinearCurve(F(1)), F(1)),
        (TruncatedCurve(F(1), F(3)), F(4)),
        (PureCurve(F(1)), F(1, 2)),
    ]:
        with pytest.raises(ParameterError):
            curve.divergence(alpha)


CURVES: list[Curve] = [
    LinearCurve(F(1, 8)),
    TruncatedCurve(F(1, 8), F(20)),
    PureCurve(F(1, 2)),
    LaplaceCurve(F(1, 2)),
    ResponseCurve(F(2), 5),
    PoissonGaussian(F(1, 10), F(1, 2)),
    ComposedCurve(((PureCurve(F(1, 10)), 30), (LinearCurve(F(1, 100)), 2))),
    WorstCurve((PureCurve(F(1)), LinearCurve(F(1, 5)))),
    LeastCurve((PureCurve(F(1)), LinearCurve(F(1, 5)))),
    Grouped(PoissonGaussian(F(1, 10), F(1, 2)), 2),
    Grouped(PureCurve(F(1, 2)), 3),
    Through(PoissonGaussian(F(1, 10), F(1, 2)), LinearCurve(F(1, 9))),
    WithoutReplacementCurve(F(1, 10), PureCurve(F(1, 2)), F(1, 2)),
]


@pytest.mark.parametrize("curve", CURVES)
def test_curves_grow_with_the_order(curve: Curve) -> None:
    tops = [curve.divergence(alpha)[1] for alpha in (F(2), F(3), F(5), F(10))]
    assert all(left <= right for left, right in pairwise(tops))
    assert tops[0] > 0


@pytest.mark.parametrize("curve", CURVES)
def test_epsilon_and_delta_invert_each_other_and_fall(curve: Curve) -> None:
    found = [epsilon_at(curve, F(1, 10**k)) for k in (2, 4, 8)]
    assert all(left.value <= right.value for left, right in pairwise(found))
    back = delta_at(curve, found[1].value)
    assert back.value <= F(1, 10**4) * (1 + F(1, 10**3))


def test_composition_adds_at_equal_order() -> None:
    parts = ComposedCurve(((PureCurve(F(1, 3)), 4), (LaplaceCurve(F(1, 5)), 2)))
    for alpha in ORDERS:
        total = (
            4 * PureCurve(F(1, 3)).divergence(alpha)[1]
            + 2 * LaplaceCurve(F(1, 5)).divergence(alpha)[1]
        )
        assert parts.divergence(alpha)[1] == total


def test_gaussian_composition_is_never_above_zcdp_and_exact_at_one_step() -> None:
    for rho, delta in [(F(1, 2), F(1, 10**5)), (F(1, 50), F(1, 10**9)), (F(8), F(1, 100))]:
        exact = gaussian_epsilon(rho, delta)
        assert exact <= epsilon_at(GaussianCurve(rho), delta).value
    # delta(4.3772) of the Gaussian with ratio 1 is 1e-5.
    assert float(gaussian_epsilon(F(1, 2), F(1, 10**5))) == pytest.approx(4.37717, abs=2e-5)
    # No number of steps costs more than their rho: what is released is rounded after the noise.
    steps = [AccountedStep(GaussianCurve(F(1, 2**24)), 1 << 23)]
    many = certified(steps, F(1, 10**5))
    assert many.epsilon == certified([AccountedStep(GaussianCurve(F(1, 2)))], F(1, 10**5)).epsilon


def integral(rate: float, ratio: float, alpha: float, swapped: bool) -> float:
    """D_alpha between the mixture and the base of a sampled Gaussian, by quadrature."""

    def ratio_at(x: float) -> float:
        return 1 - rate + rate * exp(ratio * x - ratio * ratio / 2)

    def term(x: float) -> float:
        power = 1 - alpha if swapped else alpha
        return exp(-x * x / 2) / 2.5066282746310002 * ratio_at(x) ** power

    return log(quad(term, -30, 30, limit=500, points=[0.0, 5.0, 10.0])[0]) / (alpha - 1)


@pytest.mark.parametrize(("rate", "ratio"), [(0.01, 1.0), (0.2, 2.0), (0.5, 0.3)])
@pytest.mark.parametrize("alpha", [1.5, 2.0, 2.7, 5.0, 9.0])
def test_sampled_gaussian_bounds_both_directions(rate: float, ratio: float, alpha: float) -> None:
    low, high = PoissonGaussian(F(rate), F(ratio)).divergence(F(alpha))
    forward, back = (integral(rate, ratio, alpha, swapped) for swapped in (False, True))
    assert float(high) >= max(forward, back) * (1 - 1e-7)
    assert float(low) <= forward * (1 + 1e-7)
    if alpha == int(alpha):
        assert high - low < F(1, 10**30)
        assert float(high) == pytest.approx(forward, rel=1e-6)


def test_sampled_gaussian_at_the_ends() -> None:
    assert PoissonGaussian(F(0), F(1)).divergence(F(5)) == (0, 0)
    assert PoissonGaussian(F(1), F(2)).divergence(F(5)) == LinearCurve(F(2)).divergence(F(5))
    rates = [F(1, 1000), F(1, 10), F(1, 2), F(999, 1000), F(1)]
    tops = [PoissonGaussian(rate, F(1)).divergence(F(4))[1] for rate in rates]
    assert all(left < right for left, right in pairwise(tops))


@pytest.mark.parametrize("m", [1, 2, 3])
def test_without_replacement_bounds_randomized_counts(m: int) -> None:
    """Count of ones in the sample through discrete Laplace: both laws are exact mixtures."""
    rows, ones, scale = 6, 2, F(2)

    def weights(total: int) -> list[Fraction]:
        ways = [comb(total, k) * comb(rows - total, m - k) for k in range(m + 1)]
        return [F(way, comb(rows, m)) for way in ways]

    curve = WithoutReplacementCurve(F(m, rows), LaplaceCurve(1 / scale, 1 / scale), 1 / scale)
    base = [DiscreteLaplaceLaw(k, scale) for k in range(m + 1)]
    for alpha in (2, 3, 6):
        total = 0.0
        for x in range(-120, 130):
            mass = [float(law.pmf(x)[0]) for law in base]
            p = sum(float(w) * y for w, y in zip(weights(ones), mass, strict=True))
            q = sum(float(w) * y for w, y in zip(weights(ones + 1), mass, strict=True))
            total += p**alpha * q ** (1 - alpha)
        truth = log(total) / (alpha - 1)
        assert 0 < truth <= float(curve.divergence(F(alpha))[1])


def test_epsilon_of_pure_rounds_is_above_the_exact_profile() -> None:
    """k coins: their joint law is binomial, so the profile is a finite sum."""
    epsilon, k = F(1, 2), 12
    p = exp(0.5) / (1 + exp(0.5))
    for delta in (F(1, 10), F(1, 1000), F(1, 10**6)):
        found = float(epsilon_at(ComposedCurve(((PureCurve(epsilon), k),)), delta).value)
        truth = sum(
            max(
                0.0,
                comb(k, i) * (p ** (k - i) * (1 - p) ** i - exp(found) * p**i * (1 - p) ** (k - i)),
            )
            for i in range(k + 1)
        )
        # The sum is in doubles: their error is near 1e-11 of delta here.
        assert truth <= float(delta) * (1 + 1e-9)


def test_one_laplace_round_is_above_its_exact_profile() -> None:
    law, shifted = DiscreteLaplaceLaw(0, F(4)), DiscreteLaplaceLaw(6, F(4))
    for delta in (F(1, 10), F(1, 1000)):
        found = epsilon_at(LaplaceCurve(F(6, 4), F(1, 4)), delta).value
        assert hockey_stick(law, shifted, found)[0] <= delta


@pytest.mark.parametrize("alpha", ORDERS)
@pytest.mark.parametrize("r", [F(1, 8), F(1), F(3), F(20)])
def test_range_is_above_every_pair_of_losses_in_an_interval(r: Fraction, alpha: Fraction) -> None:
    bound = RangeCurve(r).divergence(alpha)[1]
    worst = F(0)
    for share in (F(1, 8), F(1, 3), F(1, 2), F(2, 3), F(7, 8)):
        t = float(r * share)
        p = (1 - exp(t - float(r))) / (1 - exp(-float(r)))
        power = float(alpha) - 1
        # P has losses t and t - r, so Q = e^-loss P.
        moment = p * exp(power * t) + (1 - p) * exp(power * (t - float(r)))
        worst = max(worst, F(log(moment) / power))
    assert bound >= worst - F(1, 10**9)
    if r == F(1, 8) and alpha < 8:
        assert worst > bound * F(9, 10)  # 1/9 in place of 1/8 would fail


def test_range_is_pure_and_has_the_smaller_rho() -> None:
    assert RangeCurve(F(1, 2)).pure_epsilon == F(1, 2)
    assert RangeCurve(F(1, 2)).zcdp_rho == F(1, 32) < (PureCurve(F(1, 2)).zcdp_rho or 0)
    assert RangeCurve(F(30)).zcdp_rho == PureCurve(F(30)).zcdp_rho
