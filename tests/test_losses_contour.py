"""Answers of the contour engine: reference values, closed forms, invariants, bad input."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from depth import depth
from hypothesis import given, settings
from hypothesis import strategies as st

from metricdp.accounting.contour import engine as contour
from metricdp.accounting.contour import finite_sums as expansion
from metricdp.accounting.contour import maker as contour_maker
from metricdp.accounting.contour.plan import plan
from metricdp.accounting.contour.saddle import saddle_for_epsilon
from metricdp.accounting.contour.sums import ContourSum, LatticeSum, common_lattice
from metricdp.accounting.gaussian import profile_bounds
from metricdp.accounting.losses.atomic import FiniteLoss, ResponseLoss
from metricdp.accounting.losses.balls import ends, precision
from metricdp.accounting.losses.by_cells import CellsLoss
from metricdp.accounting.losses.discrete_gaussian import DiscreteGaussianLoss
from metricdp.accounting.losses.discrete_laplace import DiscreteLaplaceLoss
from metricdp.accounting.losses.gaussian import GaussianLoss
from metricdp.accounting.losses.laplace import LaplaceLoss
from metricdp.accounting.losses.loss import Bracket
from metricdp.accounting.losses.poisson_gaussian import PoissonGaussianLoss
from metricdp.errors import ParameterError, UncertifiedError

F = Fraction
Parts = list[tuple[Any, int]]
LEAKY = FiniteLoss(((F(1, 2), F(1, 3)), (F(2, 5), F(2, 3)), (F(1, 10), F(0))))


def mp(x: Fraction) -> Any:
    return mpmath.mpf(x.numerator) / x.denominator


def meet(x: Bracket, y: Bracket) -> bool:
    return x.lower <= y.upper and y.lower <= x.upper


# Values of other accountants (connect-the-dots of dp-accounting 0.6, prv-accountant 0.2) agree with
# these to the digits that they have.
REFERENCE = [
    ([(GaussianLoss(F(1, 50)), 1000)], "1e-5", 2.594380),
    ([(GaussianLoss(F(1, 500)), 100_000)], "1e-5", 2.594380),
    ([(PoissonGaussianLoss(F(1), F(1, 100)), 10_000)], "1e-5", 6.187712),
    ([(PoissonGaussianLoss(F(10, 11), F(256, 60_000)), 14_063)], "1e-5", 2.381690),
    ([(PoissonGaussianLoss(F(5, 3), F(1, 1000)), 100_000)], "1e-6", 6.960844),
    ([(LaplaceLoss(F(1, 10)), 500)], "1e-6", 12.270368),
]


@pytest.mark.parametrize("parts,delta,known", REFERENCE)
def test_reference_values(parts: Parts, delta: str, known: float) -> None:
    found = contour.epsilon(parts, F(delta))
    assert found.width <= F(1, 10**9)
    # The references are rounded to 6 or 7 digits.
    assert abs(float(found.lower) - known) < 1e-5
    profile = contour.delta(parts, found.upper)
    assert profile.lower <= F(delta) <= contour.delta(parts, found.lower).upper
    assert profile.width <= profile.upper * F(1, 10**8)


@pytest.mark.parametrize("delta", ["1e-15", "1e-30", "1e-300"])
def test_small_deltas_keep_their_relative_accuracy(delta: str) -> None:
    for parts in (REFERENCE[0][0], REFERENCE[2][0], [(ResponseLoss(F(1, 10)), 9000)]):
        found = contour.epsilon(parts, F(delta))
        assert found.width <= F(1, 10**6)
        there = contour.delta(parts, (found.lower + found.upper) / 2)
        assert there.width <= there.upper * F(1, 10**6)
        assert abs(there.upper / F(delta) - 1) < F(1, 10**6)


@given(
    st.fractions(F(1, 200), 4, max_denominator=200),
    st.integers(1, 12),
    st.fractions(-2, 60, max_denominator=50),
)
@settings(max_examples=depth(20, 40), deadline=None)
def test_gaussians_against_decimal_arithmetic(ratio: Fraction, rounds: int, e: Fraction) -> None:
    """u^2 = rounds ratio^2 must be a square for the other code: rounds is squared."""
    found = contour.delta([(GaussianLoss(ratio), rounds * rounds)], e)
    low, high = profile_bounds(e, ratio * rounds)
    slack = F(1, 10**40)
    assert found.lower <= high + slack and low - slack <= found.upper
    assert found.engine == "closed form"


@given(st.fractions(F(1, 50), 8, max_denominator=50), st.fractions(0, 8, max_denominator=50))
@settings(max_examples=depth(20, 40), deadline=None)
def test_one_round_of_laplace(m: Fraction, e: Fraction) -> None:
    with mpmath.workdps(60):
        known = max(mpmath.mpf(0), 1 - mpmath.exp(mp(e - m) / 2))
        found = contour.delta([(LaplaceLoss(m), 1)], e)
        assert mp(found.lower) - 1e-50 <= known <= mp(found.upper) + 1e-50
    assert found.width <= F(1, 10**12)


def binomial(epsilon: Fraction, rounds: int, e: Fraction) -> Any:
    """delta of randomized response, term by term."""
    up = mpmath.exp(mp(epsilon)) / (1 + mpmath.exp(mp(epsilon)))
    terms = []
    for k in range(rounds + 1):
        loss = (2 * k - rounds) * epsilon
        if loss > e:
            weight = mpmath.binomial(rounds, k) * up**k * (1 - up) ** (rounds - k)
            terms.append(-weight * mpmath.expm1(mp(e - loss)))
    return mpmath.fsum(terms)


@given(
    st.fractions(F(1, 100), 1, max_denominator=100),
    st.sampled_from([1, 2, 7, 60, 400]),
    st.fractions(0, 1, max_denominator=30),
)
@settings(max_examples=depth(20, 40), deadline=None)
def test_randomized_response(epsilon: Fraction, rounds: int, share: Fraction) -> None:
    e = share * rounds * epsilon
    with mpmath.workdps(400):
        known = binomial(epsilon, rounds, e)
        found = contour.delta([(ResponseLoss(epsilon), rounds)], e)
        assert mp(found.lower) * (1 - mpmath.mpf(10) ** -300) <= known
        assert known <= mp(found.upper) * (1 + mpmath.mpf(10) ** -300)
    assert found.width <= found.upper * F(1, 10**8)


@pytest.mark.parametrize("rounds", [1, 2, 3, 6])
def test_total_variation_of_finite_pairs_is_exact(rounds: int) -> None:
    """delta(0), in rationals: the sum of (P - Q)_+ over all outcomes of the product."""
    known = F(0)
    for outcome in itertools.product(LEAKY.outcomes, repeat=rounds):
        p = q = F(1)
        for x, y in outcome:
            p, q = p * x, q * y
        known += max(p - q, F(0))
    found = contour.delta([(LEAKY, rounds)], 0)
    slack = F(1, 10**25)
    assert found.lower - slack <= known <= found.upper + slack and found.width < F(1, 10**12)


def test_leaks_compose() -> None:
    """With every finite loss below e, only the leak is left: 1 - prod (1 - leak)^n."""
    parts: Parts = [(LEAKY, 3), (ResponseLoss(F(1, 10), 3, F(1, 7)), 2)]
    found = contour.delta(parts, 50)
    known = 1 - F(9, 10) ** 3 * F(6, 7) ** 2
    assert found.lower <= known <= found.upper and found.width < F(1, 10**30)
    with pytest.raises(ParameterError, match="no finite epsilon"):
        contour.epsilon(parts, F(1, 10))
    # At exactly the leak the largest finite loss is the answer.
    assert contour.epsilon([(LEAKY, 1)], F(1, 10)).upper >= F(4, 10)
    assert contour.epsilon([(LEAKY, 1)], F(1, 10)).width < F(1, 10**20)


def forced(parts: Parts, e: Fraction, kind: str) -> Bracket:
    """delta by one way of summing, whichever would be chosen."""
    saddle = saddle_for_epsilon(parts, float(e))
    lattice = common_lattice(parts) if kind == "lattice" else None
    drawn = plan(parts, saddle, float(e), saddle.log_delta - 18, lattice)
    with precision(drawn.bits + 400):
        total: Any = expansion.ExpansionSum(parts)
        if kind == "lattice" and lattice is not None:
            total = LatticeSum(parts, drawn, lattice)
        elif kind == "contour":
            total = ContourSum(parts, drawn)
        below, above = total.enclose(e)
        return Bracket(ends(below)[0], ends(above)[1], kind)


@pytest.mark.parametrize(
    "parts,kinds,width",
    [
        ([(LaplaceLoss(F(1)), 60)], ["contour"], 1e-7),
        ([(LaplaceLoss(F(3)), 9), (LaplaceLoss(F(2)), 8)], ["contour"], 1e-2),
        ([(ResponseLoss(F(1, 2)), 30)], ["lattice", "contour"], 0.5),
        ([(ResponseLoss(F(1, 2), 4), 12), (ResponseLoss(F(1, 4)), 20)], ["lattice"], 1e-7),
        ([(DiscreteLaplaceLoss(F(5), 3), 6)], ["lattice"], 1e-7),
    ],
)
def test_contours_agree_with_exact_sums(parts: Parts, kinds: list[str], width: float) -> None:
    for e in (F(0), F(1, 3), F(5, 2)):
        known = forced(parts, e, "exact")
        assert known.width < F(1, 10**25)
        for kind in kinds:
            found = forced(parts, e, kind)
            assert found.lower <= known.upper and known.lower <= found.upper
            assert found.width <= F(width) * known.upper


LAWS = st.one_of(
    st.builds(GaussianLoss, st.fractions(F(1, 20), 1, max_denominator=20)),
    st.builds(LaplaceLoss, st.fractions(F(1, 20), 1, max_denominator=20)),
    st.builds(ResponseLoss, st.fractions(F(1, 20), 1, max_denominator=20), st.integers(2, 4)),
    st.builds(DiscreteLaplaceLoss, st.integers(3, 9).map(F), st.integers(1, 3)),
    st.builds(DiscreteGaussianLoss, st.integers(3, 9).map(F)),
    st.builds(
        PoissonGaussianLoss,
        st.fractions(F(1, 2), 1, max_denominator=4),
        st.fractions(F(1, 10), F(1, 2), max_denominator=10),
        st.booleans(),
    ),
)


@given(st.lists(st.tuples(LAWS, st.integers(0, 12)), max_size=3), st.integers(1, 8))
@settings(max_examples=depth(12, 25), deadline=None)
def test_order_splitting_and_monotonicity(steps: Parts, power: int) -> None:
    """Order and grouping of steps do not matter; delta falls; epsilon and delta are inverse."""
    steps = [*steps, (GaussianLoss(F(1, 5)), 2)]
    target = F(1, 10**power)
    whole = contour.epsilon(steps, target)
    assert 0 <= whole.lower <= whole.upper
    parted = [(law, part) for law, n in reversed(steps) for part in (n // 2, n - n // 2)]
    assert meet(contour.epsilon(parted, target), whole)
    assert contour.delta(steps, whole.upper).lower <= target
    if whole.lower > 0:
        assert contour.delta(steps, whole.lower).upper >= target
    near, far = (contour.delta(steps, whole.upper + x) for x in (0, F(1, 2)))
    assert far.lower <= near.upper
    more = contour.epsilon([*steps, (LaplaceLoss(F(1, 3)), 1)], target)
    assert more.upper >= whole.lower


@given(
    st.fractions(F(1, 2), 2, max_denominator=4),
    st.fractions(F(1, 20), F(9, 10), max_denominator=20),
    st.fractions(0, 3, max_denominator=10),
)
@settings(max_examples=depth(12, 25), deadline=None)
def test_one_sampled_round_is_amplification(u: Fraction, q: Fraction, e: Fraction) -> None:
    """Removing a row: delta'(ln(1 + q (e^eps - 1))) = q delta(eps), exactly (Balle et al. 2018)."""
    moved = F(str(mpmath.log1p(mp(q) * mpmath.expm1(mp(e)))))
    found = contour.delta([(PoissonGaussianLoss(u, q), 1)], moved)
    low, high = profile_bounds(e, u)
    assert found.lower <= q * high + F(1, 10**12) and q * low - F(1, 10**12) <= found.upper


@pytest.mark.parametrize("added", [False, True])
def test_one_sampled_round_by_quadrature(added: bool) -> None:
    u, q, e = mpmath.mpf("1.5"), mpmath.mpf("0.3"), mpmath.mpf("0.2")
    found = contour.delta([(PoissonGaussianLoss(F(3, 2), F(3, 10), added), 1)], F(1, 5))

    def excess(x: Any) -> Any:
        ratio = 1 - q + q * mpmath.exp(u * x - u * u / 2)
        gap = 1 - mpmath.exp(e) * ratio if added else ratio - mpmath.exp(e)
        return mpmath.npdf(x) * max(gap, 0)

    edge = (mpmath.log((mpmath.exp(-e if added else e) - 1 + q) / q) + u * u / 2) / u
    known = mpmath.quad(excess, [-12, edge, 14])
    assert float(found.lower) - 1e-13 <= known <= float(found.upper) + 1e-13


@pytest.mark.parametrize("added", [False, True])
def test_sampled_rounds_against_random_draws(added: bool) -> None:
    """E(1 - e^(eps - L))_+ over 2e5 draws of 50 rounds; 5 standard errors: alarm below 1e-6."""
    u, q, e, rounds, draws = 1.0, 0.1, 0.5, 50, 200_000
    rng = np.random.default_rng(7)
    total = np.zeros(draws)
    for _ in range(rounds):
        x = rng.standard_normal(draws)
        if not added:
            x += u * (rng.random(draws) < q)
        ratio = np.log1p(q * np.expm1(u * x - u * u / 2))
        total += -ratio if added else ratio
    gains = -np.expm1(np.minimum(e - total, 0.0))
    found = contour.delta([(PoissonGaussianLoss(F(1), F(1, 10), added), rounds)], F(1, 2))
    error = gains.std() / draws**0.5
    assert abs(gains.mean() - float(found.upper)) < 5 * error


def test_rates_near_the_ends() -> None:
    """A rate near 1 is nearly the base, near 0 little; more sampling costs more."""
    base = contour.epsilon([(GaussianLoss(F(1, 2)), 20)], F(1, 10**5))
    rates = [F(1, 20), F(1, 10), F(1, 2), F(9, 10), 1 - F(1, 10**7)]
    found = [
        contour.epsilon([(PoissonGaussianLoss(F(1, 2), q), 20)], F(1, 10**5)).upper for q in rates
    ]
    assert found == sorted(found)
    assert abs(found[-1] - base.upper) < F(1, 10**5) and found[-1] <= base.upper
    assert found[0] < found[1] < base.lower / 2


def test_cut_laws_give_the_same_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """High moments of a short run are spoilt by x beyond 10; what the cut takes away is added."""
    parts: Parts = [(PoissonGaussianLoss(F(1, 2), F(1, 1000)), 200)]
    found = contour.delta(parts, F(1, 100))
    assert found.nodes < 100 and found.width <= found.upper * F(1, 10**9)
    whole = contour_maker.cut_parts

    def early(known: Any, log_width: float) -> Any:
        return whole(known, -9.0)

    # A cut so early that it shows: its mass is in the bracket, and the truth with it.
    monkeypatch.setattr(contour_maker, "cut_parts", early)
    rough = contour.delta(parts, F(1, 100))
    assert rough.lower < found.lower and found.upper < rough.upper
    # The other direction of the mistake: a bracket without that mass misses the truth.
    monkeypatch.setattr(contour_maker, "cut_parts", lambda *args: (early(*args)[0], F(1, 10**99)))
    wrong = contour.delta(parts, F(1, 100))
    assert wrong.upper < found.lower


def test_many_rounds_cost_nothing_and_extremes_do_not_fail() -> None:
    gauss = contour.epsilon([(GaussianLoss(F(1, 10**6)), 10**12)], F(1, 10**5))
    laplace = contour.epsilon([(LaplaceLoss(F(1, 10**6)), 10**12)], F(1, 10**5))
    assert laplace.nodes < 100 and laplace.width < F(1, 10**8)
    # The loss of small Laplace noise has the variance of the Gaussian's, less a little.
    assert 0 < gauss.lower - laplace.upper < F(1, 10**5)
    large = contour.epsilon([(LaplaceLoss(F(50)), 100)], F(1, 10**6))
    assert 4900 < large.lower <= large.upper <= 5000 and large.width < F(1, 10**8)
    pure = contour.epsilon([(ResponseLoss(F(1, 10)), 50)], F(1, 10**300))
    assert pure.upper <= 5 and pure.lower >= 5 - F(1, 10**8)
    assert contour.delta([(LaplaceLoss(F(1)), 3)], 3).upper == 0
    assert contour.delta([(GaussianLoss(F(1)), 1)], 10**4).upper < F(1, 10**1000)


def test_edges_of_the_questions() -> None:
    one: Parts = [(LaplaceLoss(F(1, 3)), 2)]
    assert contour.epsilon(one, 0).lower == contour.epsilon(one, 0).upper == F(2, 3)
    assert contour.epsilon(one, F(9, 10)).upper == 0
    assert contour.epsilon([], F(1, 10)).upper == 0 and contour.epsilon([], 0).upper == 0
    assert (
        contour.delta([], 1).upper == 0 and contour.delta([(GaussianLoss(F(1)), 0)], 0).upper == 0
    )
    below = contour.delta([], -1)
    assert below.lower < 1 - F(str(mpmath.exp(-1))) + F(1, 10**12) and below.width < F(1, 10**30)
    with pytest.raises(ParameterError, match="no finite epsilon"):
        contour.epsilon([(GaussianLoss(F(1)), 1)], 0)


@pytest.mark.parametrize("delta", [1, -F(1, 10), float("nan"), float("inf"), "many", None])
def test_bad_deltas(delta: Any) -> None:
    with pytest.raises(ParameterError, match="delta"):
        contour.epsilon([(GaussianLoss(F(1)), 1)], delta)


@pytest.mark.parametrize("count", [-1, 1.5, float("inf"), True, "2"])
def test_bad_counts(count: Any) -> None:
    with pytest.raises(ParameterError, match="count"):
        contour.delta([(GaussianLoss(F(1)), count)], 1)


@pytest.mark.parametrize("epsilon", [float("nan"), float("-inf"), None])
def test_bad_epsilons(epsilon: Any) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        contour.delta([(GaussianLoss(F(1)), 1)], epsilon)


@pytest.mark.parametrize("width", [0.0, -1.0, float("nan"), 2.0])
def test_bad_widths(width: float) -> None:
    with pytest.raises(ParameterError, match="width"):
        contour.delta([(GaussianLoss(F(1)), 1)], 1, width)


def test_a_law_without_moments_is_refused() -> None:
    with pytest.raises(UncertifiedError, match="moments"):
        contour.delta([(NoMoments(), 1)], 1)


class NoMoments(CellsLoss):
    """A law of which only cells are known."""

    infinite = F(0), F(0)
    largest = None
