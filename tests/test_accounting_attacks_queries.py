"""Queries that once promised too much, failed where an answer exists, or answered nonsense."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath  # type: ignore[import-untyped]
import pytest

from metricdp.accounting import renyi
from metricdp.accounting.engines import NoAnswerError
from metricdp.accounting.gaussian import profile_bounds
from metricdp.accounting.losses.discrete_gaussian import DiscreteGaussianLoss
from metricdp.errors import ParameterError
from metricdp.expr import num
from metricdp.maps import make
from metricdp.maps.conversions import profile_at
from metricdp.maps.costs import SOURCE
from metricdp.maps.partitions import partitioned
from metricdp.maps.samples import sampled
from metricdp.measures.additive import DiscreteGaussian, Gaussian, Laplace
from metricdp.measures.calibration import calibrate, max_rounds
from metricdp.measures.combined import Composed, Repeated
from metricdp.measures.finite import Finite
from metricdp.measures.guarantee import account
from metricdp.measures.private import Approximate, Pure
from metricdp.measures.sampled import Poisson
from metricdp.measures.steps import steps
from metricdp.measures.text import parsed
from metricdp.spaces import Records, Scalar

pytest.importorskip("flint")
EITHER = "add or remove"


def test_regret_is_that_of_the_relation() -> None:
    """One direction of a pair that is far apart in the other one only: 0.372 was answered."""
    pair = Finite(["1/1000", "999/1000"], ["1/2", "1/2"], EITHER)
    for which in ("add", "remove", EITHER):
        guarantee = account(pair, which)
        found = guarantee.gdp()
        for epsilon in ("0", "0.3", "0.7", "2", "5", "6.2"):
            gaussian = profile_bounds(Fraction(epsilon), found.upper)[0]
            assert gaussian - guarantee.delta(epsilon).upper <= found.regret


def test_mu_wherever_nothing_is_above_delta() -> None:
    assert account(Laplace(1), EITHER).gdp("0.9").upper == 0
    assert account(Gaussian(100), EITHER).gdp("0.5").upper == 0


def test_mu_where_the_profile_ends() -> None:
    """The lower end is about points above delta alone, and the edge counts as one."""
    found = account(Laplace(1), EITHER).gdp("0.2")
    assert 0 < found.lower <= found.upper < found.lower * Fraction(1001, 1000)


def test_mu_of_the_largest_and_the_smallest_costs() -> None:
    guarantee = account(Pure("1e-12"), EITHER)
    assert profile_bounds(Fraction(0), guarantee.gdp().upper)[0] >= guarantee.delta(0).lower
    with pytest.raises(NoAnswerError):
        account(Pure(3000), EITHER).gdp()


def test_no_number_answers_what_leaks_more_than_delta() -> None:
    """That is an answer, and not a wrong parameter."""
    leaking = [Approximate(1, "1e-4"), Laplace(1)]
    for ask in (
        lambda: account(leaking, EITHER).epsilon("1e-5"),
        lambda: account(leaking, EITHER).gdp("1e-5"),
        lambda: account([Approximate(1, "1e-4"), Laplace(1)], EITHER).basic("1.5e-4"),
    ):
        with pytest.raises(NoAnswerError):
            ask()
    assert account(leaking, EITHER).epsilon("1.5e-4").upper < 2


@pytest.mark.parametrize(
    "number", ["1e400", "1e-400", "1e1000000000", "1e-1000000000", 10**400, Fraction(1, 10**400)]
)
def test_numbers_beyond_every_use_are_refused(number: object) -> None:
    with pytest.raises(ParameterError):
        Gaussian(number)
    if number not in ("1e-400", Fraction(1, 10**400)):
        with pytest.raises(ParameterError):
            account(Gaussian(1), EITHER).delta(number)
        with pytest.raises(ParameterError):
            Repeated(Gaussian(1), number)


def test_discrete_noise_far_below_its_grid() -> None:
    """The moments of sigma = 1/1000 are beyond doubles: a logarithm of 0 was taken."""
    found = account(DiscreteGaussian("0.001"), EITHER).epsilon("1e-5")
    assert found.lower <= 500_000 <= found.upper * (1 + Fraction(1, 10**6))
    with pytest.raises(ParameterError, match="protects nothing"):
        account(DiscreteGaussian("1e-20"), EITHER).epsilon("1e-5")


@pytest.mark.parametrize("text", ["gaussian(1) x 0x10", "gaussian(1e3z)", "gaussian(1)x 3y"])
def test_numbers_end_where_letters_begin(text: str) -> None:
    """0x10 was read as no rounds at all, ten times, which cost nothing."""
    with pytest.raises(ParameterError):
        parsed(text)


def test_rounds_and_noise_are_the_last_that_hold() -> None:
    for event in (Gaussian(20), Pure("0.05"), Composed([Laplace(30), Pure("0.01")])):
        found = max_rounds(event, epsilon="0.7", delta="1e-6", relation=EITHER)
        assert account(Repeated(event, int(found)), EITHER).epsilon("1e-6").upper <= Fraction(7, 10)
        above = account(Repeated(event, int(found) + 1), EITHER).epsilon("1e-6")
        assert found.too_many == int(found) + 1 and above.lower > Fraction(7, 10)
    noise = calibrate(Laplace, epsilon="0.7", delta="0.001", relation=EITHER)
    assert account(Laplace(noise.noise), EITHER).delta("0.7").upper <= Fraction(1, 1000)
    assert account(Laplace(noise.too_little), EITHER).delta("0.7").lower > Fraction(1, 1000)


def _count(mechanism: str, **noise: object) -> Any:
    rows = Records(Scalar("Int"), "Symmetric")
    clamped = make("clamp", rows, lower=0, upper=1)
    total = clamped >> make("sum", clamped.output_space)
    return total >> make(mechanism, total.output_space, **noise)


def test_rows_of_two_parts_are_not_two_rows_of_one_sample() -> None:
    """What holds for two rows of one sample is no bound for a row in each of two samples."""
    rows = Records(Scalar("Int"), "Symmetric")
    part = sampled(_count("gaussian", scale=2), rate=0.1)
    parts = partitioned(rows, lambda row: row % 2, [0, 1], part)
    assert profile_at(parts, 1).delta(1) < 1e-3
    with pytest.raises(ParameterError, match="share their distance"):
        profile_at(parts, 2)


def test_discrete_noise_in_parts_is_known_by_its_rho_where_several_rows_move() -> None:
    rows = Records(Scalar("Int"), "Symmetric")
    parts = partitioned(rows, lambda row: row % 2, [0, 1], _count("discrete_gaussian", scale=2))
    (step,) = steps(parts.tree, SOURCE, Fraction(2), {})
    assert step.curve == renyi.GaussianCurve(Fraction(1, 2), fine=False)
    (one,) = steps(parts.tree, SOURCE, Fraction(1), {})
    assert isinstance(one.curve, renyi.DiscreteGaussianCurve)


def test_draws_with_replacement_of_what_has_no_law_for_several_rows() -> None:
    """The same row is drawn twice: only a rho is known of discrete Gaussian noise then."""
    rows = Records(Scalar("Int"), "ChangeOne", num(2))
    clamped = make("clamp", rows, lower=0, upper=1)
    total = clamped >> make("sum", clamped.output_space)
    base = total >> make("discrete_gaussian", total.output_space, scale=3)
    found = profile_at(sampled(base, size=2, rows=4, replace=True), 1)
    assert 0 < found.delta(1) < 1e-2 and found.epsilon(1e-5) < 3


@pytest.mark.parametrize("tolerance", [0, -1, float("nan"), float("inf"), 1e-30, "x", None])
def test_a_search_that_would_never_end_is_refused(tolerance: Any) -> None:
    with pytest.raises(ParameterError, match="tolerance is"):
        calibrate(Laplace, epsilon=1, delta="1e-3", relation=EITHER, tolerance=tolerance)


def test_the_lower_mu_where_the_edge_decides() -> None:
    guarantee, delta = account(Poisson("0.01", Gaussian(1)), EITHER), Fraction(1, 10**6)
    found, edge = guarantee.gdp(delta), guarantee.epsilon(delta)
    assert found.upper < found.lower * Fraction(101, 100)
    assert profile_bounds(edge.lower, found.lower)[0] <= delta


@pytest.mark.parametrize("scale", ["0.001", "0.3", "1.5", "4"])
def test_moments_of_discrete_noise_of_every_size(scale: str) -> None:
    """M(c) is e^(c d^2 / (2 s^2)) times a mean of e^(-c d k / s^2), at d = 1."""
    c, square = mpmath.mpf("0.37"), mpmath.mpf(scale) ** 2
    with mpmath.workdps(30):
        terms = [mpmath.mpf(k) for k in range(-60, 61)]
        whole = sum(mpmath.exp(-k * k / (2 * square)) for k in terms)
        tilted = sum(mpmath.exp((c * (1 - 2 * k) - k * k) / (2 * square)) for k in terms)
        exact = mpmath.log(tilted / whole)
    found = DiscreteGaussianLoss(Fraction(scale)).log_moment(0.37)
    assert found == pytest.approx(float(exact), rel=1e-9, abs=1e-12)
