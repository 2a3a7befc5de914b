"""Answers of the accountant against closed forms, reference values and exact small mechanisms."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, exp, inf
from typing import Any

import mpmath
import pytest
from depth import depth

from metricdp.accounting import engines
from metricdp.accounting.contour import engine as contour
from metricdp.accounting.engines import EnginesDisagree, NoAnswerError
from metricdp.accounting.losses.bounded_range import BoundedRangeLoss
from metricdp.accounting.losses.loss import Bracket
from metricdp.accounting.rounded import double_up
from metricdp.errors import MissingExtraError
from metricdp.measures import (
    ZCDP,
    Answer,
    Approximate,
    ExponentialMechanism,
    Finite,
    Gaussian,
    Laplace,
    Poisson,
    Pure,
    RandomizedResponse,
    Renyi,
    Repeated,
    Selection,
    TruncatedPoisson,
    WithoutReplacement,
    WithReplacement,
    account,
)
from metricdp.measures.queries import delta as delta_query

mpmath.mp.dps = 60
#: What truths carry in rounding.
TINY = Fraction(1, 10**45)
AOR = "add or remove"
MNIST = Poisson(Fraction(256, 60000), Gaussian("1.1"))

#: Event, delta, epsilon of the reference column of a published comparison.
REFERENCE = [
    (Repeated(Gaussian(50), 1000), "1e-5", 2.594380),
    (Repeated(Gaussian(500), 100_000), "1e-5", 2.594380),
    (Repeated(Poisson("0.01", Gaussian(1)), 10_000), "1e-5", 6.187712),
    (Repeated(MNIST, 14_063), "1e-5", 2.381690),
    (Repeated(Poisson("0.001", Gaussian("0.6")), 100_000), "1e-6", 6.960844),
    (Repeated(Laplace(10), 500), "1e-6", 12.270368),
]


@pytest.mark.parametrize("event,delta,epsilon", REFERENCE)
def test_reference_values(event: Any, delta: str, epsilon: float) -> None:
    found = account(event, AOR, checked=False).epsilon(delta)
    assert found.error <= Fraction(1, 10**6)
    # The references carry six decimals (the first two were rounded from a library's own value).
    assert abs(float(found.upper) - epsilon) < 4e-6


@pytest.mark.parametrize("event,delta,epsilon", REFERENCE[2:4])
def test_the_second_engine_confirms_reference_values(
    event: Any, delta: str, epsilon: float
) -> None:
    found = account(event, AOR).epsilon(delta)
    assert found.engines == ("contour", "discretised") and abs(float(found) - epsilon) < 4e-6


@pytest.mark.parametrize("u,epsilon", [("1", 0), ("0.5", 1), ("3", 2), ("0.1", 1), ("1", 12)])
def test_gaussian_is_its_closed_form(u: str, epsilon: int) -> None:
    ratio = mpmath.mpf(u)
    truth = mpmath.ncdf(ratio / 2 - epsilon / ratio)
    truth -= mpmath.exp(epsilon) * mpmath.ncdf(-ratio / 2 - epsilon / ratio)
    event = Gaussian(1 / Fraction(u))
    found = account(event, AOR, checked=epsilon < 3).delta(epsilon)
    assert found.lower - TINY <= Fraction(str(truth)) <= found.upper + TINY
    assert found.error <= found.upper / 10**6
    # A replacement is the same with twice the movement.
    assert account(Gaussian(2 / Fraction(u)), "replace", checked=False).delta(epsilon).upper >= (
        found.lower
    )


@pytest.mark.parametrize("checked", [True, False])
def test_laplace_is_its_closed_form(checked: bool) -> None:
    found = account(Laplace(1), AOR, checked=checked).delta("0.25")
    truth = Fraction(str(1 - mpmath.exp((mpmath.mpf("0.25") - 1) / 2)))
    assert found.lower - TINY <= truth <= found.upper + TINY
    assert found.error < Fraction(1, 10**4)


def responses(epsilon: Any, rounds: int, target: Any) -> mpmath.mpf:
    """delta of randomized response, term by term."""
    e = mpmath.mpf(str(epsilon))
    p = mpmath.exp(e) / (1 + mpmath.exp(e))
    total = mpmath.mpf(0)
    for lies in range(rounds + 1):
        loss = (rounds - 2 * lies) * e
        mass = mpmath.binomial(rounds, lies) * p ** (rounds - lies) * (1 - p) ** lies
        total += mass * max(0, 1 - mpmath.exp(mpmath.mpf(str(target)) - loss))
    return total


@pytest.mark.parametrize("epsilon,rounds,target", [("0.1", 100, 1), ("1", 7, 3), ("0.01", 5000, 1)])
def test_pure_events_are_composed_as_randomized_response(
    epsilon: str, rounds: int, target: int
) -> None:
    truth = Fraction(str(responses(epsilon, rounds, target)))
    for event in (Repeated(Pure(epsilon), rounds), Repeated(RandomizedResponse(epsilon), rounds)):
        found = account(event, "replace" if "Rand" in repr(event) else AOR).delta(target)
        assert found.lower - TINY <= truth <= found.upper + TINY
        assert found.error <= found.upper / 10**6


def test_approximate_events_leak_and_respond() -> None:
    event = Repeated(Approximate("0.1", "1e-4"), 50)
    leak = 1 - (1 - mpmath.mpf("1e-4")) ** 50
    truth = Fraction(str(leak + (1 - leak) * responses("0.1", 50, "0.5")))
    found = account(event, AOR).delta("0.5")
    assert found.lower - TINY <= truth <= found.upper + TINY and found.error < Fraction(1, 10**6)
    with pytest.raises(Exception, match="no finite epsilon"):
        account(event, AOR).epsilon("1e-3")


def test_a_path_of_two_pure_steps_has_the_iterated_power() -> None:
    e = mpmath.mpf(1)

    def power(a: mpmath.mpf) -> mpmath.mpf:
        return min(mpmath.exp(e) * a, 1 - mpmath.exp(-e) * (1 - a))

    guarantee = account(Pure(1), "replace")
    for rate in ("0.01", "0.1", "0.3", "0.6"):
        truth = Fraction(str(power(power(mpmath.mpf(rate)))))
        found = guarantee.true_positive_rate(rate)
        assert found.lower - Fraction(1, 10**9) <= truth <= found.upper + Fraction(1, 10**9)
        assert found.error < Fraction(1, 10**5)


@pytest.mark.parametrize(
    "m,n,epsilon", [("1", "0.5", "0.75"), ("1", "0.5", "0.25"), ("1", "1", "0")]
)
def test_one_entry_with_all_of_the_movement_is_the_worst_laplace_vector(
    m: str, n: str, epsilon: str
) -> None:
    x, y, e = (mpmath.mpf(v) for v in (m, n, epsilon))
    whole = x + y
    front = mpmath.exp((e - whole) / 2)
    inner = (whole - e) / 4 if e >= abs(x - y) else min(x, y) / 2
    truth = Fraction(str(1 - front * (1 + inner)))
    split = account([Laplace(1 / Fraction(m)), Laplace(1 / Fraction(n))], AOR).delta(epsilon)
    assert split.lower - Fraction(1, 10**12) <= truth <= split.upper + Fraction(1, 10**12)
    together = account(Laplace(1 / (Fraction(m) + Fraction(n))), AOR).delta(epsilon)
    assert split.lower <= together.upper and truth <= together.upper


def test_exponential_mechanisms_of_bounded_range() -> None:
    fixed = account(Repeated(ExponentialMechanism("0.2", adaptive=False), 20), AOR).delta(1)
    assert abs(float(fixed) - 0.0033095) < 1e-7 and fixed.error < Fraction(1, 10**9)
    free = account(Repeated(ExponentialMechanism("0.2"), 20), AOR).delta(1)
    assert fixed.lower <= free.lower <= free.upper
    black_box = account(Repeated(Pure("0.2"), 20), AOR).delta(1)
    assert free.upper < black_box.lower / 5
    assert abs(float(black_box) - 0.0933) < 1e-4


def test_the_best_equal_mechanisms_have_no_better_place_between() -> None:
    """The maximum over t is at one of the t_m: a fine grid of t finds nothing above."""
    from metricdp.accounting.bounded_range import _profile, optimal_delta
    from metricdp.accounting.losses.balls import precision

    r, rounds = Fraction(1, 2), 9
    for epsilon in (Fraction(0), Fraction(1, 3), Fraction(1), Fraction(2)):
        best = optimal_delta(r, rounds, epsilon)
        assert best is not None
        with precision(120):
            grid = [float(_profile(r, rounds, epsilon, r * k / 500).mid()) for k in range(1, 500)]
        assert max(grid) <= float(best[1]) * (1 + 1e-12)
        assert max(grid) >= float(best[0]) * (1 - 1e-3)


def test_unequal_fixed_mechanisms_are_no_worse_than_equal_ones() -> None:
    """Two binary pairs with different t, on a grid, against the optimum of equal ones."""
    from metricdp.accounting.bounded_range import optimal_delta

    r = 1.0

    def masses(t: float) -> list[tuple[float, float]]:
        p = (1 - exp(t - r)) / (1 - exp(-r))
        return [(p, t), (1 - p, t - r)]

    for epsilon in (0.0, 0.4, 1.2):
        best = optimal_delta(Fraction(1), 2, Fraction(epsilon))
        assert best is not None
        for a, b in product(range(1, 40), repeat=2):
            total = sum(
                p * q * max(0.0, 1 - exp(epsilon - x - y))
                for (p, x), (q, y) in product(masses(a / 40), masses(b / 40))
            )
            assert total <= float(best[1]) + 1e-12


def test_the_law_of_bounded_range_has_the_largest_profile_of_all_binary_pairs() -> None:
    r = 1.5
    for x in (-1.2, -0.3, 0.0, 0.4, 1.3):
        largest = (1 - exp((x - r) / 2)) ** 2 / (1 - exp(-r))
        for k in range(1, 60):
            t = r * k / 60
            if t - r <= x <= t:
                pair = (1 - exp(t - r) - exp(x) * (exp(-t) - exp(-r))) / (1 - exp(-r))
                assert pair <= largest + 1e-12
    loss = BoundedRangeLoss(Fraction(3, 2))
    found = contour.delta([(loss, 1)], Fraction(2, 5))
    truth = (1 - mpmath.exp((mpmath.mpf("0.4") - mpmath.mpf("1.5")) / 2)) ** 2
    truth = Fraction(str(truth / (1 - mpmath.exp(-mpmath.mpf("1.5")))))
    assert found.lower - TINY <= truth <= found.upper + TINY


def test_moments_of_bounded_range_are_integrals_of_its_density() -> None:
    from metricdp.accounting.losses.balls import precision

    r = mpmath.mpf("0.7")
    loss = BoundedRangeLoss(Fraction(7, 10))
    with precision(160):
        line = loss.on_line(1.5, 0.75, 4)
        for k, moment in enumerate(line):
            z = mpmath.mpc(1.5, 0.75 * k)
            truth = mpmath.quad(
                lambda x, z=z: mpmath.exp(z * x + (x - r) / 2) / 2 / (1 - mpmath.exp(-r)), [-r, r]
            )
            assert abs(complex(moment.mid()) - complex(truth)) < 1e-14
            decay = loss.log_decay(1.5, 0.75 * k)
            assert float(mpmath.log(abs(truth))) - loss.log_moment(1.5) <= decay + 1e-12
    assert abs(loss.log_moment(0.0)) < 1e-15 and abs(loss.log_moment(-1.0)) < 1e-15


def test_zcdp_lies_between_the_gaussian_and_the_conversion() -> None:
    found = account(Repeated(ZCDP("0.005"), 10), AOR).epsilon("1e-6")
    # rho = 10 * 0.005 is that of ten Gaussians with u = 1/10.
    gaussian = account(Repeated(Gaussian(10), 10), AOR).epsilon("1e-6")
    assert abs(found.lower - gaussian.lower) < Fraction(1, 10**8)
    assert gaussian.upper < found.upper and "upper bound" in found.notes[0]
    assert gaussian.notes == ()


def test_curves_alone_give_upper_bounds_that_say_so() -> None:
    found = account(Renyi({2: "0.1", 8: "0.5", 32: 3}), AOR).epsilon("1e-6")
    assert found.lower == 0 < found.upper and "upper bound" in found.notes[0]
    assert "<=" in str(found)
    better = account([Renyi({2: "0.1", 8: "0.5", 32: 3}), Gaussian(3)], AOR).epsilon("1e-6")
    alone = account(Gaussian(3), AOR).epsilon("1e-6")
    assert better.lower == alone.lower and better.upper > found.upper


def test_an_epsilon_beyond_all_doubles_of_delta_has_an_answer() -> None:
    found = account(WithReplacement(2, depth(4, 50), Gaussian(2)), "replace").delta(200)
    assert found.lower == 0 < found.upper < Fraction(1, 10**300)


def test_selection_costs_at_most_three_times_a_pure_round() -> None:
    found = account(Selection(Pure("0.1"), "0.01"), AOR).epsilon(0)
    assert Fraction("0.296") < found.upper < Fraction("0.29604") and found.lower == 0
    assert account(Selection(Pure("0.1"), 1), AOR).epsilon(0).upper == Fraction(1, 10)


def test_a_finite_pair_is_summed_exactly_in_both_directions() -> None:
    first, second = (
        [Fraction(1, 2), Fraction(1, 2), 0],
        [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)],
    )
    event = Finite(first, second, AOR)
    for name, (p, q) in {"remove": (first, second), "add": (second, first)}.items():
        for x in (Fraction(0), Fraction(1, 2)):
            grown = Fraction(str(mpmath.exp(mpmath.mpf(str(float(x))))))
            truth = sum(
                (max(Fraction(0), a - grown * b) for a, b in zip(p, q, strict=True)), Fraction(0)
            )
            found = account(event, name).delta(x)
            assert found.lower - Fraction(1, 10**12) <= truth <= found.upper + Fraction(1, 10**12)
    assert account(event, AOR).delta(0).upper >= account(event, "add").delta(0).lower


def test_a_cut_sample_is_within_its_gap() -> None:
    """Three rows, at most one kept: the whole mechanism is a coin whose bias is known exactly."""
    rate, rows = Fraction(1, 2), 3
    event = TruncatedPoisson(rate, 1, rows, Pure(1))
    # The row is kept if it is drawn and then chosen among the drawn ones.
    kept = rate * sum(Fraction(comb(2, k), 4) * Fraction(1, k + 1) for k in range(3))
    odds = mpmath.exp(1)
    sure, lie = odds / (1 + odds), 1 / (1 + odds)
    p = mpmath.mpf(float(kept)) * sure + (1 - mpmath.mpf(float(kept))) * lie
    truth = Fraction(str(p - lie))
    found = account(event, "zero out").delta(0)
    assert found.lower - TINY <= truth <= found.upper + TINY
    plain = account(Poisson(rate, Pure(1)), "zero out").delta(0)
    assert plain.lower > truth, "the cut matters in this example"


def test_the_cut_of_samples_is_paid_in_epsilon_as_well() -> None:
    plain = account(Repeated(Poisson("0.01", Gaussian(1)), 100), AOR).epsilon("1e-5")
    cut = account(Repeated(TruncatedPoisson("0.01", 200, 10_000, Gaussian(1)), 100), AOR)
    found = cut.epsilon("1e-5")
    assert found.lower <= plain.upper and plain.lower <= found.upper
    assert cut.delta(found.upper).lower <= Fraction(1, 10**5)
    with pytest.raises(NoAnswerError, match="cut of the samples"):
        account(Repeated(TruncatedPoisson("0.01", 110, 10_000, Gaussian(1)), 100), AOR).epsilon(
            "1e-5"
        )


def test_engines_that_disagree_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    engines.delta_of.cache_clear()
    delta_query.cache_clear()
    true = contour.delta

    def wrong(*arguments: Any, **named: Any) -> Bracket:
        found = true(*arguments, **named)
        return Bracket(found.lower * 2, found.upper * 2, found.engine)

    monkeypatch.setattr(contour, "delta", wrong)
    guarantee = account(Repeated(Laplace(7), 40), AOR)
    with pytest.raises(EnginesDisagree, match="report"):
        guarantee.delta("0.5")
    engines.delta_of.cache_clear()
    delta_query.cache_clear()


def test_one_engine_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    engines.delta_of.cache_clear()
    delta_query.cache_clear()
    both = account([Repeated(Laplace(7), 41), Gaussian(9)], AOR).delta("0.5")

    def missing(*arguments: Any, **named: Any) -> Bracket:
        raise MissingExtraError("python-flint is not installed")

    monkeypatch.setattr(contour, "delta", missing)
    engines.delta_of.cache_clear()
    delta_query.cache_clear()
    alone = account([Repeated(Laplace(7), 41), Gaussian(9)], AOR).delta("0.5")
    engines.delta_of.cache_clear()
    delta_query.cache_clear()
    assert alone.engines == ("discretised",) and set(both.engines) == {"contour", "discretised"}
    assert alone.lower <= both.upper and both.lower <= alone.upper


@pytest.mark.parametrize(
    "event,deltas",
    [
        (Repeated(Laplace(10), 500), ("1e-15", "1e-30")),
        (Repeated(Gaussian(50), 1000), ("1e-30", "1e-300")),
        (Repeated(Poisson("0.01", Gaussian(1)), 10_000), ("1e-15", "1e-30", "1e-300")),
    ],
)
def test_tiny_deltas(event: Any, deltas: tuple[str, ...]) -> None:
    guarantee = account(event, "remove", checked=False)
    for delta in deltas:
        epsilon = guarantee.epsilon(delta)
        assert epsilon.error < Fraction(1, 10**6)
        there = guarantee.delta(epsilon.upper)
        assert there.upper <= Fraction(delta) * (1 + Fraction(1, 10**6))
        assert there.error <= there.upper / 10**6


@pytest.mark.parametrize("noise", [2**12, 2**30, 10**200])
def test_deltas_beyond_every_number_are_bounded(noise: int) -> None:
    """No precision is spent on e^(-2^57), and the interval says what is known of it."""
    found = account(Gaussian(noise), AOR).delta(1)
    assert found.lower == 0 < found.upper < Fraction(1, 10**5000)


def test_without_replacement_has_two_ends() -> None:
    found = account(Repeated(WithoutReplacement(100, 10_000, Gaussian(2)), 50), "replace")
    answer = found.epsilon("1e-5")
    assert 0 < answer.lower < answer.upper and "proved" in answer.notes[0]
    # The lower end is the mixture pair of a Poisson sample with the movement of a replacement.
    pair = account(Repeated(Poisson("0.01", Gaussian(1)), 50), AOR).epsilon("1e-5")
    assert pair.lower <= answer.lower + Fraction(1, 10**3) and answer.lower <= pair.upper


def test_answers_print_and_round_outwards() -> None:
    found = Answer("epsilon", Fraction(1, 3), Fraction(2, 3), "delta = 0.1", AOR, ("contour",))
    assert "0.333333, 0.666667" in str(found) and "one row added or removed" in str(found)
    assert Fraction(float(found)) >= found.upper
    low = Answer("beta", Fraction(1, 3), Fraction(2, 3), "", AOR, safe="lower")
    assert Fraction(float(low)) <= low.lower
    assert found.to_dict()["upper"] >= 2 / 3 and found.error == Fraction(1, 3)
    assert double_up(Fraction(10**400)) == inf and double_up(Fraction(1, 2)) == 0.5
    assert double_up(Fraction(-1, 3)) >= Fraction(-1, 3)
