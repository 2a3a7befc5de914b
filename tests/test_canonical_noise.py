"""Canonical noise: its law against closed forms of others, its sampler, its cost, its errors."""

from __future__ import annotations

from fractions import Fraction as F
from math import exp
from typing import Any

import mpmath
import pytest
from depth import depth
from hypothesis import given, settings
from hypothesis import strategies as st

import metricdp as dp
from metricdp.errors import MetricdpError
from metricdp.laws import (
    DiscreteLaplaceLaw,
    GridLaw,
    RoundedTulapLaw,
    hockey_stick,
    max_divergence,
    renyi,
)
from metricdp.maps import make
from metricdp.maps.accuracy import accuracy
from metricdp.noise import canonical_interval, rounded_canonical_interval
from metricdp.noise.canonical import Tulap, canonical_floor, canonical_ticks
from metricdp.noise.source import SeededSource
from metricdp.run.emit import Seeded, handling
from metricdp.spaces import Records, Scalar, Vector

EPSILONS = st.fractions(F(1, 50), 8, max_denominator=50)
DELTAS = st.one_of(st.just(F(0)), st.just(F(1, 2)), st.fractions(F(1, 10**6), F(9, 10)))


def awan_slavkovic(x: Any, epsilon: F, delta: F) -> Any:
    """The distribution function in their paper, in 40 digits."""
    with mpmath.workdps(40):
        e, d, x = (mpmath.mpf(v.numerator) / v.denominator for v in (epsilon, delta, F(x)))
        b = mpmath.exp(-e)
        q = 2 * d * b / (1 - b + 2 * d * b)

        def below(y: Any) -> Any:
            if y > 0:
                return 1 - below(-y)
            k = mpmath.nint(y)
            return b ** (-k) / (1 + b) * (b + (y - k + mpmath.mpf(1) / 2) * (1 - b))

        return min(mpmath.mpf(1), max(mpmath.mpf(0), (below(x) - q / 2) / (1 - q)))


@given(EPSILONS, DELTAS, st.fractions(-20, 20, max_denominator=64))
@settings(max_examples=depth(75, 150), deadline=None)
def test_the_law_is_that_of_awan_and_slavkovic(epsilon: F, delta: F, y: F) -> None:
    law = Tulap(epsilon, delta)
    low, high = law.tail(abs(y), 160)
    assert 0 <= high - low < F(1, 10**30)
    assert abs(awan_slavkovic(-abs(y), epsilon, delta) - float(low)) < 1e-14


@given(EPSILONS, DELTAS, st.fractions(F(1, 10**6), F(1, 2)))
@settings(max_examples=depth(75, 150), deadline=None)
def test_the_place_of_a_tail_is_its_inverse(epsilon: F, delta: F, p: F) -> None:
    law = Tulap(epsilon, delta)
    low, high = law.place(p, 160)
    assert 0 <= high - low < F(1, 10**25)
    assert law.tail(high, 160)[0] <= p <= law.tail(max(F(0), low), 160)[1]


def test_without_delta_whole_numbers_have_discrete_laplace_noise() -> None:
    for epsilon in (F(1, 3), F(2)):
        ours, known = RoundedTulapLaw(F(4), F(1), epsilon, F(0)), DiscreteLaplaceLaw(4, 1 / epsilon)
        for k in (-3, 0, 4, 5, 19):
            (a, b), (c, d) = ours.pmf(k), known.pmf(k)
            assert a <= d and c <= b and b - a < F(1, 10**40)
        for alpha in (F(3, 2), F(5)):
            other = RoundedTulapLaw(F(6), F(1), epsilon, F(0)), DiscreteLaplaceLaw(6, 1 / epsilon)
            found, exact = renyi(ours, other[0], alpha), renyi(known, other[1], alpha)
            assert not isinstance(found, float) and not isinstance(exact, float)
            assert abs(found[0] - exact[0]) < F(1, 10**20) and found[0] <= found[1]


@given(st.fractions(1, 6, max_denominator=20), st.fractions(F(1, 10**4), F(9, 10)))
@settings(max_examples=15, deadline=None)
def test_the_trade_off_is_met_and_not_exceeded(epsilon: F, delta: F) -> None:
    """At every epsilon' the hockey stick at one sensitivity is that of (epsilon, delta) itself:
    1 - (1 - delta) (1 + e^epsilon') / (1 + e^epsilon) below epsilon, delta above."""
    p, q = (RoundedTulapLaw(F(k), F(1), epsilon, delta) for k in (0, 1))
    at = exp(float(epsilon))
    for share in (F(0), F(1, 2), F(1)):
        low, high = hockey_stick(p, q, epsilon * share)
        wanted = 1 - (1 - float(delta)) * (1 + at ** float(share)) / (1 + at)
        assert low <= high and abs(float(high) - wanted) < 1e-9


@given(st.fractions(F(1, 40), F(7, 2), max_denominator=40), st.fractions(1, 6, max_denominator=20))
@settings(max_examples=5, deadline=None)
def test_sums_over_cells_enclose_the_finite_sum(t: F, epsilon: F) -> None:
    """The continuous formula on a grid, next to the sum over the outcomes of a coarse one."""
    from metricdp.laws.tulap import gain_within

    delta, scale = F(1, 20), F(12)
    p, q = (
        RoundedTulapLaw(F(0), scale, epsilon, delta),
        RoundedTulapLaw(t * scale, scale, epsilon, delta),
    )
    at = epsilon * F(2, 3)
    found = gain_within(p, q, at)
    exact = hockey_stick(p, q, at)
    assert found is not None
    assert found[0] <= exact[1] and exact[0] <= found[1]
    assert exact[1] <= found[1]


def test_group_privacy_holds_at_every_distance() -> None:
    epsilon, delta = F(1, 2), F(1, 100)
    made = make("canonical_noise", Scalar("Real"), epsilon=epsilon, delta=delta, sensitivity=2)
    for d in (F(1, 10), F(1), F(2), F(5, 2), F(4), F(9)):
        cost, failure = made.map(d, "approx")
        low, high = hockey_stick(made.law(0), made.law(d), F(cost))
        assert low <= failure
        assert d not in (2, 4) or abs(high / failure - 1) < F(1, 10**6)
        # A step forgotten is seen.
        steps = -(-d // 2)
        shorter, less = (
            (steps - 1) * epsilon,
            delta * sum(F(exp(float(epsilon * i))) for i in range(int(steps) - 1)),
        )
        if d > 2:
            assert hockey_stick(made.law(0), made.law(d), shorter)[0] > less


def test_pure_cost_is_exact_between_the_steps() -> None:
    made = make("canonical_noise", Scalar("Real"), epsilon=F(1, 2), sensitivity=2)
    assert [made.map(d, "pure") for d in (0, 1, 2, 3, 4)] == [0, F(1, 2), F(1, 2), 1, 1]
    for d in (1, 3, 4):
        found = max_divergence(made.law(0), made.law(d))
        assert not isinstance(found, float)
        assert found[1] == made.map(d, "pure") and found[1] - found[0] < F(1, 10**20)


def test_the_wrong_cut_is_refuted() -> None:
    """q = 2 delta / (1 - b + 2 delta), without the b, cuts off more."""
    epsilon, delta = F(1), F(1, 100)
    wrong = delta * F(exp(1))
    p, q = (RoundedTulapLaw(F(k), F(1), epsilon, wrong) for k in (0, 1))
    assert hockey_stick(p, q, epsilon)[0] > delta


def test_draws_are_exact_floors() -> None:
    """Few bits, many bits and the end of the law give the same number."""
    law = Tulap(F(1), F(1, 100))
    for seed in range(depth(80, 200)):
        coarse = canonical_floor(F(1, 3), F(1), law, SeededSource(seed))
        fine = canonical_floor(F(2**80, 3), F(2**80), law, SeededSource(seed))
        assert fine >> 80 == coarse
        assert abs(coarse) <= 5
    assert canonical_floor(F(7, 2), F(0), law, SeededSource(1)) == 3


@pytest.mark.parametrize("x", [float("nan"), float("inf"), -1e308, F(1, 3), True])
def test_private_values_raise_nothing(x: Any) -> None:
    assert isinstance(canonical_ticks(x, 1, 1, F(1, 10), -30, SeededSource(3)), int)


def test_law_of_a_release_on_its_grid() -> None:
    made = make("canonical_noise", Scalar("Real"), epsilon=1, delta=F(1, 10), sensitivity=1)
    law = made.law(0.5)
    assert isinstance(law, GridLaw)
    assert law.tail(F(1, 2))[0] > F(1, 2) > law.tail(F(1, 2) + law.step)[1]
    assert isinstance(made(0.5), float)
    whole = make("canonical_noise", Scalar("Int"), epsilon=1, delta=F(1, 10), sensitivity=1)
    assert isinstance(whole(3), int)


@pytest.mark.parametrize(
    "public",
    [
        {"epsilon": 0}, {"epsilon": -1}, {"epsilon": 2000}, {"epsilon": 1, "delta": 1},
        {"epsilon": 1, "delta": -1}, {"epsilon": 1, "sensitivity": 0}, {"epsilon": "one"}, {},
    ],
)  # fmt: skip
def test_bad_parameters_are_typed(public: dict[str, Any]) -> None:
    with pytest.raises(MetricdpError) as caught:
        make("canonical_noise", Scalar("Real"), **{"sensitivity": 1, **public})
    assert caught.value.remedy


def test_what_it_takes() -> None:
    for space in (Vector("Real", "L2"), Records(Scalar("Data", kind="float")), Scalar("Data")):
        with pytest.raises(MetricdpError):
            make("canonical_noise", space, epsilon=1, sensitivity=1)
    with pytest.raises(MetricdpError, match="not fixed by its arguments"):
        make("canonical_noise", Scalar("Real"), epsilon=1)


ALPHAS = [F(1, 2), F(1, 20), F(1, 10**9), F(1, 10**40)]


@pytest.mark.parametrize("alpha", ALPHAS, ids=float)
@pytest.mark.parametrize("delta", [F(0), F(1, 10**6), F(1, 10), F(9, 10)])
def test_intervals_are_the_least(delta: F, alpha: F) -> None:
    epsilon, s = F(1, 2), F(3)
    law, half = Tulap(epsilon, delta), canonical_interval(s, epsilon, delta, alpha)
    assert 2 * law.tail(F(half) / s, 256)[0] <= alpha
    assert 2 * law.tail(F(half) * F(999_999_999, 10**9) / s, 256)[1] > alpha
    whole, k = RoundedTulapLaw(F(0), s, epsilon, delta), None
    k = rounded_canonical_interval(s, epsilon, delta, alpha)
    assert 2 * whole.tail(k + 1)[1] <= alpha
    assert k == 0 or 2 * whole.tail(k)[0] > alpha
    if delta:
        assert F(half) <= s * law.end(256)[1] * (1 + F(1, 10**12))


def test_intervals_refuse_what_is_no_noise() -> None:
    for wrong in ((1, 0, 0, 0.05), (1, 1, 1, 0.05), (-1, 1, 0, 0.05), (1, 1, 0, 0), (1, 1, 0, 1)):
        for interval in (canonical_interval, rounded_canonical_interval):
            with pytest.raises(MetricdpError):
                interval(*wrong)
    assert canonical_interval(0, 1, 0, F(1, 20)) == 0 == rounded_canonical_interval(0, 1, 0, 0.05)


def test_the_accuracy_of_a_measurement_holds() -> None:
    """Shares of seeded runs beyond the width: a binomial tail of 1e-9 above 1 in 20."""
    from scipy.stats import binom

    runs = depth(1500, 4000)  # a share of 0.11 is seen, of 0.09 in depth
    for space, value in ((Scalar("Real"), 0.5), (Scalar("Int"), 4)):
        made = make("canonical_noise", space, epsilon=1, delta=F(1, 100), sensitivity=2)
        width = accuracy(made, F(1, 20))
        with handling(Seeded(f"accuracy {space}")):
            far = sum(abs(made(value) - value) > width for _ in range(runs))
        assert far <= binom.isf(1e-9, runs, 1 / 20)
        assert space.element == "Int" or far >= binom.ppf(1e-9, runs, 1 / 20)
        law = made.law(value)
        assert law.between(F(value) - F(width), F(value) + F(width))[0] >= F(19, 20)
    with pytest.raises(MetricdpError, match="between 0 and 1"):
        accuracy(made, 2)


PROGRAM = """
import metricdp as dp


@dp.measurement
def total(ages: dp.Records[float], eps: float, delta: float):
    return dp.canonical_noise(dp.sum(dp.clamp(ages, 0, 20)), epsilon=eps, delta=delta)


@dp.measurement
def number(ages: dp.Records[float]):
    return dp.canonical_noise(dp.count(ages), epsilon=1, delta=0.001, sensitivity=2)
"""


def test_programs(tmp_path: Any) -> None:
    from checked_modules import load

    programs = load(tmp_path, PROGRAM, head="")
    told = programs.total([18.0] * 10, eps=200.0, delta=1e-9)
    # At epsilon 200 the noise lies within one cell: 10 on either side.
    assert abs(told.value - 180) <= 11
    assert told.privacy == {"epsilon": "200", "delta": "1e-9"}
    assert isinstance(programs.number([1.0] * 4).value, int)
    low, high = told.interval(0.95)
    assert low < told.value < high and high - low < 21
    low, high = programs.number([1.0] * 4).interval(0.5)
    assert high - low == 2 * rounded_canonical_interval(2, 1, F(1, 1000), F(1, 2))
    assert programs.number([1.0] * 4).privacy == {"epsilon": "1", "delta": "0.001"}


def test_opendp_constructor() -> None:
    od: Any = pytest.importorskip("metricdp.opendp")
    space = od.atom_domain(T=float, nan=False), od.absolute_distance(T=float)
    made = od.m.make_canonical_noise(*space, d_in=2.0, d_out=(0.5, 1e-6))
    assert made.map(2.0) == (0.5, 1e-6)
    assert made.map(0.0) == (0.0, 0.0)
    assert made.check(1.0, (0.5, 1e-6)) and not made.check(2.1, (0.5, 1e-6))
    assert isinstance(made(10.0), float)
    # All of the law within c sensitivities.
    reach = 2 * float(Tulap(F(0.5), F(1e-6)).end(128)[1]) + 1e-6
    assert all(abs(made(10.0) - 10) <= reach for _ in range(50))
    chained = space >> od.m.then_canonical_noise(d_in=2.0, d_out=(0.5, 1e-6))
    assert chained.map(4.0) == made.map(4.0) > made.map(2.0)
    pure = od.m.make_canonical_noise(*space, d_in=1.0, d_out=(1.0, 0.0))
    assert pure.map(3.0) == (3.0, 0.0)
    for d_in, d_out in (
        (0.0, (1.0, 1e-6)), (1.0, (0.0, 1e-6)), (1.0, (1.0, 1.0)), (1.0, 1.0), (1.0, (1.0,)),
        (-1.0, (1.0, 0.0)), (1.0, "ab"), (1.0, (1.0, float("nan"))), (float("nan"), (1.0, 0.0)),
    ):  # fmt: skip
        with pytest.raises(dp.errors.MetricdpError):
            od.m.make_canonical_noise(*space, d_in=d_in, d_out=d_out)
