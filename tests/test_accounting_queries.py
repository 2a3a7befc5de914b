"""Trade-off curves, mu, calibration and numbers of rounds: from both sides, and safe."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import erf, exp, sqrt
from statistics import NormalDist
from typing import Any

import pytest

from metricdp.accounting.engines import NoAnswerError
from metricdp.accounting.gaussian import profile_bounds
from metricdp.errors import ParameterError
from metricdp.measures import (
    ZCDP,
    Approximate,
    Finite,
    Gaussian,
    Laplace,
    Poisson,
    Pure,
    Renyi,
    Repeated,
    TruncatedPoisson,
    account,
    calibrate,
    max_rounds,
)
from metricdp.measures.accounted import RelationError
from metricdp.measures.tradeoff import Point, corners, minimum

AOR = "add or remove"
NORMAL = NormalDist()


def near(answer: Any, truth: float, tolerance: float = 1e-9) -> bool:
    return float(answer.lower) - tolerance <= truth <= float(answer.upper) + tolerance


@pytest.mark.parametrize("rate", [0.001, 0.05, 0.5, 0.95])
def test_the_power_against_a_gaussian(rate: float) -> None:
    found = account(Repeated(Gaussian(10), 25), AOR).true_positive_rate(rate)
    truth = NORMAL.cdf(NORMAL.inv_cdf(rate) + 0.5)
    assert near(found, truth) and found.error < Fraction(1, 10**7)
    beta = account(Repeated(Gaussian(10), 25), AOR).tradeoff(rate)
    assert near(beta, 1 - truth) and beta.safe == "lower" and Fraction(float(beta)) <= beta.lower


def test_the_power_of_one_laplace_answer() -> None:
    """T(Laplace(0), Laplace(m)) at a <= e^-m / 2: the power is a e^m."""
    found = account(Laplace(1), AOR).true_positive_rate("0.1")
    assert near(found, 0.1 * exp(1)) and found.error < Fraction(1, 10**4)


def test_directions_have_their_own_power() -> None:
    """Against a pair of laws whose outcomes are known: the Neyman-Pearson line by hand."""
    event = Finite(["0.5", "0.3", "0.2"], ["0.1", "0.4", "0.5"], AOR)
    removed, added = account(event, "remove"), account(event, "add")
    # Null (0.1, 0.4, 0.5): take the first outcome, then a part of the second.
    assert near(removed.true_positive_rate("0.3"), 0.5 + 0.3 * (0.2 / 0.4))
    # Null (0.5, 0.3, 0.2): take the third outcome, then a part of the second.
    assert near(added.true_positive_rate("0.3"), 0.5 + 0.4 * (0.1 / 0.3))
    both = account(event, AOR).true_positive_rate("0.3")
    assert both.upper == max(
        removed.true_positive_rate("0.3").upper, added.true_positive_rate("0.3").upper
    )


def test_powers_at_the_ends() -> None:
    leaky = Finite(["0.1", "0.9", "0"], ["0", "0.9", "0.1"], "replace")
    assert account(leaky, "replace").true_positive_rate(0).upper == Fraction(1, 10)
    assert account(leaky, "replace").true_positive_rate(1).lower == 1
    assert account(Gaussian(1), AOR).true_positive_rate(0).upper == 0
    free = account(Repeated(Gaussian(1), 0), AOR).true_positive_rate("0.25")
    assert near(free, 0.25)


def test_the_power_with_a_cut_sample_is_within_the_gap() -> None:
    cut = account(TruncatedPoisson("0.1", 4, 20, Gaussian(2)), AOR, checked=False)
    whole = account(Poisson("0.1", Gaussian(2)), AOR, checked=False).true_positive_rate("0.2")
    found = cut.true_positive_rate("0.2")
    assert found.lower < whole.lower and whole.upper < found.upper


def test_the_advantage_of_a_gaussian() -> None:
    found = account(Gaussian(2), AOR).advantage()
    assert near(found, erf(0.25 / sqrt(2))) and found.quantity == "advantage"


def kink(x: Fraction) -> Fraction:
    return max(10 - x, 3 * x - 6)


def points(f: Any, xs: list[int], error: Fraction = Fraction(0)) -> list[Point]:
    return [Point(Fraction(x), f(Fraction(x)) - error, f(Fraction(x)) + error) for x in xs]


def test_minima_of_convex_functions_are_bounded_from_four_points() -> None:
    low, high = minimum(points(kink, [2, 3, 5, 6]))
    assert low == 6 == kink(Fraction(4)) and high == 7
    low, high = minimum(points(kink, [2, 3, 5, 6], Fraction(1, 100)))
    assert 5 < low <= 6 <= high
    # Points on one side of the minimum say nothing from below.
    assert minimum(points(kink, [5, 6, 7, 8]))[0] == 0


def test_lower_bounds_of_convex_functions_keep_their_corner() -> None:
    """The corner counts on falling stretches too, where it is not the minimum."""
    falling = points(lambda x: kink(x) - 20 * x, [2, 3, 5, 6])
    assert (Fraction(4), kink(Fraction(4)) - 80) in corners(falling, 1)
    for f in (lambda x: x * x, lambda x: abs(x), lambda x: 3 - x):
        known = points(f, [-3, -1, 2, 4])
        for at in range(3):
            xs = [known[at].x + (known[at + 1].x - known[at].x) * k / 7 for k in range(8)]
            bound = sorted(corners(known, at))
            for x in xs:
                (a, ya), (b, yb) = next(p for p in pairwise(bound) if p[0][0] <= x <= p[1][0])
                assert ya + (yb - ya) * (x - a) / (b - a) <= f(x)


def test_mu_of_gaussians_is_the_root_of_the_sum_of_squares() -> None:
    found = account([Repeated(Gaussian(4), 9), Gaussian(1)], "replace").gdp()
    assert near(found, 2 * sqrt(9 / 16 + 1)) and found.regret == 0
    assert float(found) >= found.upper


def test_mu_dominates_and_no_smaller_one_does() -> None:
    guarantee = account(Repeated(Laplace(10), 500), AOR, checked=False)
    found = guarantee.gdp("1e-6")
    assert found.upper - found.lower < found.upper / 1000
    short = found.lower * Fraction(999, 1000)
    missed = False
    for epsilon in (Fraction(k, 2) for k in range(25)):
        delta = guarantee.delta(epsilon)
        normal = profile_bounds(epsilon, found.upper)
        if delta.lower > Fraction(1, 10**6):
            assert delta.lower <= normal[1]
            missed |= delta.lower > profile_bounds(epsilon, short)[1]
        assert normal[0] - delta.upper <= found.regret
    assert missed
    assert found.regret < Fraction(1, 1000) and "regret" in str(found)


def test_mu_of_a_pure_event_needs_no_delta() -> None:
    """Randomized response: its curve has one corner, so the advantage decides mu."""
    found = account(Pure(1), AOR, checked=False).gdp()
    advantage = (exp(1) - 1) / (exp(1) + 1)
    truth = 2 * NORMAL.inv_cdf((1 + advantage) / 2)
    assert near(found, truth, 2e-4)


def test_mu_is_refused_where_there_is_none() -> None:
    with pytest.raises(NoAnswerError, match="heavier tails"):
        account(Repeated(Poisson("0.1", Gaussian(1)), 10), AOR).gdp()
    with pytest.raises(NoAnswerError, match="loss law"):
        account(ZCDP(1), AOR).gdp("1e-6")


def test_noise_is_calibrated_to_the_safe_side() -> None:
    found = calibrate(Gaussian, epsilon=1, delta="1e-5", relation=AOR)
    assert abs(float(found) - 3.73063) < 1e-5 and found.noise / found.too_little - 1 < 1e-5
    target = Fraction(1, 10**5)
    assert account(Gaussian(found.noise), AOR).delta(1).upper <= target
    assert account(Gaussian(float(found)), AOR).delta(1).upper <= target
    assert account(Gaussian(found.too_little), AOR).delta(1).lower > target
    doubled = calibrate(Gaussian, epsilon=1, delta="1e-5", relation="replace")
    assert abs(doubled.noise / found.noise - 2) < Fraction(1, 10**6)


def test_noise_of_training_is_calibrated() -> None:
    found = calibrate(
        lambda noise: Repeated(Poisson("0.01", Gaussian(noise)), 10_000),
        epsilon=1, delta="1e-5", relation=AOR,
    )  # fmt: skip
    assert abs(float(found) - 3.8128168) < 1e-5
    assert found.guarantee.epsilon("1e-5").upper <= 1 + Fraction(1, 10**9)


def test_an_event_is_no_family_of_events_and_a_class_is_no_event() -> None:
    with pytest.raises(ParameterError, match="Gaussian is no function of the noise"):
        calibrate(Gaussian(1), epsilon=1, delta="1e-5", relation=AOR)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="the class Gaussian is no event"):
        account(Gaussian, AOR)


def test_pure_targets_are_calibrated_as_well() -> None:
    found = calibrate(Laplace, epsilon=1, delta=0, relation=AOR)
    assert 1 <= found.noise < Fraction(1000001, 1000000)
    with pytest.raises(NoAnswerError, match="no noise"):
        calibrate(Gaussian, epsilon=1, delta=0, relation=AOR)
    with pytest.raises(NoAnswerError, match="every noise"):
        calibrate(lambda noise: Pure("0.1"), epsilon=1, delta=0, relation=AOR)


@pytest.mark.parametrize("event,delta", [(Gaussian(20), "1e-5"), (Pure("0.1"), "1e-6")])
def test_rounds_are_the_most_that_fit(event: Any, delta: str) -> None:
    found = max_rounds(event, epsilon=1, delta=delta, relation=AOR)
    assert found.too_many == found.count + 1
    assert account(Repeated(event, found.count), AOR).delta(1).upper <= Fraction(delta)
    assert account(Repeated(event, found.count + 1), AOR).delta(1).lower > Fraction(delta)
    assert int(found) == found.count and str(found.too_many) in str(found)


def test_rounds_of_training_and_of_curves() -> None:
    event = Poisson("0.01", Gaussian(1))
    found = max_rounds(event, epsilon=2, delta="1e-5", relation=AOR)
    assert found.too_many is not None and found.too_many - found.count <= 2
    assert account(Repeated(event, found.count), AOR).epsilon("1e-5").lower <= 2
    curve = max_rounds(Renyi({8: "0.1"}), epsilon=4, delta="1e-5", relation=AOR)
    assert curve.count > 0 and curve.too_many is None
    normal = max_rounds(Gaussian(Fraction(7)), epsilon=2, delta="1e-5", relation=AOR)
    bound = max_rounds(ZCDP(Fraction(1, 98)), epsilon=2, delta="1e-5", relation=AOR)
    assert bound.count <= normal.count and bound.too_many == normal.too_many


def test_rounds_at_the_ends() -> None:
    assert max_rounds(Gaussian("0.1"), epsilon=1, delta="1e-5", relation=AOR).count == 0
    with pytest.raises(NoAnswerError, match="rounds are allowed"):
        max_rounds(Pure(0), epsilon=1, delta=0, relation=AOR)
    with pytest.raises(ParameterError):
        max_rounds(Gaussian(1), epsilon=-1, delta="1e-5", relation=AOR)


@pytest.mark.parametrize(
    ("event", "alpha"),
    [(Approximate(1, "0.1"), "0.95"), (Approximate(1, "0.1"), "0.9"), (Gaussian("0.01"), "0.1")],
)
def test_where_no_attack_errs_the_interval_is_narrow(event: Any, alpha: str) -> None:
    found = account(event, "add or remove").tradeoff(alpha)
    assert found.lower == 0 and found.upper < Fraction(1, 10**30)


def test_samples_of_what_no_theorem_amplifies_cost_what_is_unsampled() -> None:
    event = Poisson("0.01", ZCDP(1))
    found, plain = (account(x, AOR).epsilon("1e-6").upper for x in (event, ZCDP(1)))
    assert found == plain
    with pytest.raises(RelationError):
        account(event, "replace").epsilon("1e-6")
