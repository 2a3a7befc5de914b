"""Composition and conversions against exact sums; never below the truth."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from math import comb

import pytest
from depth import depth
from hypothesis import given, settings
from hypothesis import strategies as st

from metricdp.accounting.costs import (
    advanced,
    advanced_repeated,
    advanced_short,
    basic,
    group_approx,
    group_pure,
    group_renyi,
    group_zcdp,
    pure_to_zcdp,
    repeated,
)
from metricdp.accounting.pure_composition import optimal_epsilon
from metricdp.accounting.renyi import PureCurve, ResponseCurve
from metricdp.errors import ParameterError
from metricdp.expr import INF, Expr, num, sym
from metricdp.laws import DiscreteGaussianLaw, FiniteLaw, hockey_stick
from metricdp.measures.implications import (
    bounded_range_to_zcdp,
    pure_to_renyi,
    renyi_to_approx,
    tcdp_at_omega,
    tcdp_epsilon,
    tcdp_to_approx,
    zcdp_delta,
    zcdp_epsilon,
    zcdp_to_approx,
)
from metricdp.noise.enclose import exp_bounds

F = Fraction
EPS = sym("eps", positive=True)
K = sym("k", integer=True, positive=True)


def top(expression: Expr) -> Fraction:
    value = expression.upper({})
    assert isinstance(value, Fraction)
    return value


def coin(epsilon: Fraction, bits: int = 90) -> Fraction:
    """Probability of the truth, odds e^epsilon to 1, rounded down to a number of bits."""
    odds = exp_bounds(epsilon)[0]
    return F(int(odds / (1 + odds) * 2**bits), 2**bits)


def coins(epsilons: list[Fraction], x: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of the hockey-stick divergence at x of independent randomized responses."""
    ends = (Fraction(0), Fraction(0))
    ps = [coin(epsilon) for epsilon in epsilons]
    low, high = exp_bounds(x)
    for lies in product((False, True), repeat=len(ps)):
        p = q = Fraction(1)
        for lie, truth in zip(lies, ps, strict=True):
            p, q = p * (1 - truth if lie else truth), q * (truth if lie else 1 - truth)
        ends = ends[0] + max(F(0), p - high * q), ends[1] + max(F(0), p - low * q)
    return ends


def many_coins(epsilon: Fraction, k: int, x: Fraction) -> Fraction:
    """Lower bound of the hockey-stick divergence at x of k equal coins."""
    bits = 90 if k <= 100 else 24
    unit, p = 2**bits, int(coin(epsilon, bits) * 2**bits)
    factor = exp_bounds(x)[1]
    top, bottom = factor.numerator, factor.denominator
    total = 0
    for i in range(k + 1):
        gap = bottom * p ** (k - i) * (unit - p) ** i - top * p**i * (unit - p) ** (k - i)
        if gap <= 0:
            break
        total += comb(k, i) * gap
    return F(total, bottom * unit**k)


SMALL = st.fractions(F(1, 20), F(2), max_denominator=20)


@settings(max_examples=depth(12, 25), deadline=None)
@given(
    st.lists(SMALL, min_size=1, max_size=7), st.sampled_from([F(1, 10), F(1, 1000), F(1, 10**6)])
)
def test_advanced_composition_is_above_exact_sums(es: list[Fraction], slack: Fraction) -> None:
    found = advanced([(e, 0) for e in es], slack)
    assert coins(es, top(found.epsilon))[0] <= slack
    assert top(found.delta) == slack
    plain = basic((e, 0) for e in es)
    assert top(plain.epsilon) == sum(es) and plain.delta.is_zero


@settings(max_examples=depth(12, 25), deadline=None)
@given(SMALL, st.integers(1, 40), st.sampled_from([F(1, 3), F(1, 100), F(1, 10**7)]))
def test_optimal_composition_is_attained(e: Fraction, k: int, delta: Fraction) -> None:
    found = optimal_epsilon(e, k, delta)
    assert found <= k * e
    assert many_coins(e, k, found) <= delta
    # A little less is not enough: the bound is exact, up to the coins' own rounding.
    less = found - F(1, 10**9)
    if less > 0:
        assert many_coins(e, k, less) > delta


def test_optimal_composition_covers_mixed_coins() -> None:
    es = [F(1), F(1, 2), F(1, 3), F(1, 4)]
    for delta in (F(1, 10), F(1, 1000)):
        assert coins(es, optimal_epsilon(F(1), 4, delta))[0] <= delta


def test_optimal_composition_at_the_ends() -> None:
    assert optimal_epsilon(F(1), 5, F(0)) == 5
    assert optimal_epsilon(F(1), 0, F(1, 10)) == 0
    assert optimal_epsilon(F(0), 5, F(1, 10)) == 0
    assert optimal_epsilon(F(1), 1, F(1, 2)) == 0  # tanh(1/2) < 1/2
    for bad in ((F(-1), 2, F(0)), (F(1), -1, F(0)), (F(1), 1, F(1))):
        with pytest.raises(ParameterError):
            optimal_epsilon(*bad)


def test_the_short_form_without_its_condition_is_false() -> None:
    """k = 1000, epsilon = 0.99, slack = 1e-6: claims 329.1, where delta is nearly 1."""
    e, k, slack = F(99, 100), 1000, F(1, 10**6)
    short = advanced_short(e, 0, k, slack)
    claimed = top(short.epsilon)
    assert float(claimed) == pytest.approx(329.1, abs=0.1)
    assert many_coins(e, k, claimed) > F(9999, 10000)
    assert not all(need.holds({}) for need in short.requires)
    right = top(advanced_repeated(e, 0, k, slack).epsilon)
    assert many_coins(e, k, right) <= slack


@pytest.mark.parametrize("k", [10, 100, 1000])
@pytest.mark.parametrize("e", [F(1, 100), F(1, 10), F(1, 2)])
def test_the_short_form_is_above_advanced_where_its_condition_holds(e: Fraction, k: int) -> None:
    slack = F(1, 10**6)
    short = advanced_short(e, 0, k, slack)
    if all(need.holds({}) for need in short.requires):
        assert top(short.epsilon) >= top(advanced_repeated(e, 0, k, slack).epsilon)


def test_repeated_is_never_worse_than_basic_and_names_its_rule() -> None:
    few = repeated(F(1, 10), 0, 10, F(1, 10**6))
    assert (top(few.epsilon), few.rule) == (1, "basic composition") and few.delta.is_zero
    many = repeated(F(1, 10), F(1, 10**9), 10000, F(1, 10**6))
    assert many.rule == "advanced composition" and top(many.epsilon) < 1000
    assert top(many.delta) == F(1, 10**6) + F(1, 10**5)
    either = repeated(EPS, 0, K, sym("slack", positive=True))
    assert either.rule == "basic composition or advanced composition"
    assert [str(need) for need in either.requires] == ["slack > 0", "slack < 1"]
    env = {"eps": F(1, 10), "k": 10, "slack": F(1, 10**6)}
    assert either.epsilon.upper(env) == pytest.approx(1)


def test_rounds_before_and_after_add() -> None:
    """m rounds and then n rounds are m + n rounds."""
    steps = [(EPS, num(0))]
    assert basic(steps * 3).epsilon + basic(steps * 4).epsilon == basic(steps * 7).epsilon
    slack = F(1, 1000)
    whole = advanced([(F(1, 3), 0)] * 7, slack)
    assert whole.epsilon == advanced_repeated(F(1, 3), 0, 7, slack).epsilon


@pytest.mark.parametrize("e", [F(1, 10), F(1), F(4)])
def test_pure_to_renyi_and_zcdp(e: Fraction) -> None:
    rho = top(pure_to_zcdp(e))
    for alpha in (F(65, 64), F(2), F(10), F(100)):
        exact = PureCurve(e).divergence(alpha)[0]
        assert exact <= rho * alpha and exact <= top(pure_to_renyi(e, alpha)) <= e
        assert ResponseCurve(e, 9).divergence(alpha)[1] <= rho * alpha
    # The order near 1 attains it; the smaller bounded-range rate does not hold for the coin.
    near = F(1 << 20, (1 << 20) - 1)
    assert PureCurve(e).divergence(near)[0] > rho * near * (1 - F(1, 10**5))
    assert top(bounded_range_to_zcdp(e)) < PureCurve(e).divergence(near)[0]


@pytest.mark.parametrize("sigma2", [F(1), F(4), F(30)])
def test_zcdp_to_approx_is_above_the_discrete_gaussian(sigma2: Fraction) -> None:
    rho = 1 / (2 * sigma2)
    p, q = DiscreteGaussianLaw(0, sigma2), DiscreteGaussianLaw(1, sigma2)
    for delta in (F(1, 100), F(1, 10**6)):
        found = zcdp_epsilon(rho, delta).value
        assert hockey_stick(p, q, found)[1] <= delta
        assert found <= top(zcdp_to_approx(rho, delta))
        assert zcdp_delta(rho, found).value <= delta * (1 + F(1, 10**3))


def test_tcdp_uses_orders_up_to_omega_only() -> None:
    rho, delta = F(1, 2), F(1, 10**6)
    wide, narrow = tcdp_epsilon(rho, F(100), delta), tcdp_epsilon(rho, F(3), delta)
    assert (
        abs(wide.value - zcdp_epsilon(rho, delta).value) < F(1, 10**4) < narrow.value - wide.value
    )
    assert narrow.order <= 3 and narrow.value <= top(tcdp_at_omega(rho, 3, delta))
    simple, need = tcdp_to_approx(rho, 3, delta)
    assert not need.holds({}) and top(simple) < narrow.value
    assert tcdp_to_approx(rho, 100, delta)[1].holds({})
    with pytest.raises(ParameterError):
        tcdp_epsilon(rho, F(1), delta)


def test_renyi_to_approx_is_the_number_at_that_order() -> None:
    found = zcdp_epsilon(F(1, 2), F(1, 10**5))
    value = top(renyi_to_approx(found.order, found.order / 2, F(1, 10**5)))
    assert abs(value - found.value) < F(1, 10**15)


def test_group_privacy_of_approx_is_attained_and_above_k_delta() -> None:
    """The pair that fails openly with probability delta, else answers by a coin."""
    e, d = F(1, 2), F(1, 50)
    odds = exp_bounds(e)[0].limit_denominator(10**9)
    weights = [d * odds**i for i in range(3)]
    # Optimal selection: pi(0) = 0, pi(n + 1) = e^e pi(n) + d is (e, d) at every step.
    pis = [F(0)]
    for _ in range(3):
        pis.append(odds * pis[-1] + d)
    kept, lost = (FiniteLaw({1: pi, 0: 1 - pi}) for pi in (pis[3], pis[0]))
    epsilon, delta = group_approx(e, d, 3)
    assert top(epsilon) == F(3, 2)
    truth = hockey_stick(kept, lost, F(3, 2))
    assert sum(weights) <= truth[1] <= top(delta) + F(1, 10**6)
    assert truth[0] > 3 * d


def test_group_rules() -> None:
    assert group_pure(EPS, 3) == 3 * EPS and group_zcdp(EPS, 3) == 9 * EPS
    assert group_approx(EPS, F(1, 10), 1) == (EPS, num(F(1, 10)))
    symbolic = group_approx(EPS, F(1, 10), K)[1]
    env = {"eps": F(1, 3), "k": 4}
    written = group_approx(F(1, 3), F(1, 10), 4)[1]
    assert symbolic.upper(env) == pytest.approx(float(top(written)))
    assert group_renyi(F(16), F(1, 10), 2) == (4, F(9, 10))
    with pytest.raises(ParameterError):
        group_renyi(F(3), F(1, 10), 1)


def test_bounds_are_monotone() -> None:
    deltas = [F(1, 10), F(1, 10**3), F(1, 10**9)]
    for values in (
        [optimal_epsilon(F(1, 5), 30, d) for d in deltas],
        [optimal_epsilon(F(1, 5), k, F(1, 1000)) for k in (1, 5, 30, 200)],
        [zcdp_epsilon(F(1, 10), d).value for d in deltas],
        [top(advanced_repeated(F(1, 10), 0, k, F(1, 100)).epsilon) for k in (1, 10, 100)],
    ):
        assert all(left <= right for left, right in pairwise(values))
    assert group_pure(INF, 2) == INF
