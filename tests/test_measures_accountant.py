"""The accountant: answers above exact profiles, the tightest rule named, trees read right."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import pairwise
from math import comb, log

import pytest
from foreign_mechanisms import an_event

from metricdp.accounting.gaussian import analytic_sigma, profile_bounds
from metricdp.accounting.renyi import (
    DiscreteLaplaceCurve,
    GaussianCurve,
    LaplaceCurve,
    LinearCurve,
    PureCurve,
    ResponseCurve,
)
from metricdp.accounting.renyi_sampled import WithReplacementCurve
from metricdp.errors import ParameterError, SpaceError
from metricdp.expr import D, ceil, num, sym, tanh
from metricdp.laws import DiscreteGaussianLaw, DiscreteLaplaceLaw, hockey_stick
from metricdp.measures import accountant
from metricdp.measures.accountant import certified
from metricdp.measures.accounted import AccountedStep
from metricdp.measures.events import Choice, Event, Parallel, Repeat, Sequence, Spent
from metricdp.measures.sampling import (
    PoissonSampling,
    SamplingWithoutReplacement,
    SamplingWithReplacement,
)
from metricdp.measures.steps import steps
from metricdp.noise.enclose import exp_bounds

F = Fraction
DELTA = F(1, 10**5)
ADD, REPLACE = "add or remove", "replace"
MOVED, RATIO, BOUND = (sym(name, nonneg=True) for name in ("_moved", "_ratio", "_bound"))
EPS = sym("eps", positive=True)


def joint(parts: list[tuple[Fraction, int]]) -> list[tuple[Fraction, Fraction, Fraction]]:
    """(weight, e^-losses pieces) of discrete Laplace steps with scale 1/eps and movement 1 each.

    At movement 1 a step is a coin with odds e^eps: outcome masses (p, 1 - p) and swapped.
    """
    masses = [(F(1), F(1), F(1))]
    for epsilon, count in parts:
        e = F(int(exp_bounds(epsilon)[0] * 2**90), 2**90)
        p = e / (1 + e)
        one = [(p ** (count - i) * (1 - p) ** i, comb(count, i)) for i in range(count + 1)]
        masses = [
            (w * ways, a * mass, b * other)
            for w, a, b in masses
            for (mass, ways), (other, _) in zip(one, reversed(one), strict=True)
        ]
    return masses


def profile(parts: list[tuple[Fraction, int]], x: Fraction) -> Fraction:
    """Lower bound of the hockey-stick divergence at x of those steps, composed."""
    high = exp_bounds(x)[1]
    return sum((w * max(F(0), a - high * b) for w, a, b in joint(parts)), F(0))


@pytest.mark.parametrize("delta", [F(1, 10), F(1, 10**3), F(1, 10**7)])
@pytest.mark.parametrize(
    "parts",
    [
        [(F(1, 2), 1)],
        [(F(1, 10), 40)],
        [(F(1), 3), (F(1, 10), 20)],
        [(F(2), 2), (F(1, 2), 5), (F(1, 20), 30)],
    ],
)
def test_no_rule_goes_below_the_exact_profile(
    parts: list[tuple[Fraction, int]], delta: Fraction
) -> None:
    for make in (PureCurve, lambda e: LaplaceCurve(e, e), lambda e: ResponseCurve(e, 2)):
        found = certified([AccountedStep(make(e), k) for e, k in parts], delta)
        assert found.epsilon == min(found.tried.values()) == found.tried[found.rule]
        assert {accountant.BASIC, accountant.ADVANCED, accountant.ZCDP} <= set(found.tried)
        for epsilon in found.tried.values():
            assert profile(parts, epsilon) <= delta


@pytest.mark.parametrize("delta", [F(1, 10), F(1, 10**4)])
def test_unequal_pure_steps_compose_exactly(delta: Fraction) -> None:
    for parts in ([(F(1), 3), (F(1, 10), 20)], [(F(2), 2), (F(1, 2), 5), (F(1, 20), 30)]):
        found = certified([AccountedStep(PureCurve(e), k) for e, k in parts], delta)
        assert found.rule == accountant.OPTIMAL
        assert profile(parts, found.epsilon) <= delta
        assert profile(parts, found.epsilon * F(9999, 10000)) > delta
    # One epsilon in two lists is one epsilon.
    halves = certified(
        [
            AccountedStep(PureCurve(F(1, 10)), 20),
            AccountedStep(LaplaceCurve(F(1, 10), F(1, 10)), 20),
        ],
        delta,
    )
    whole = certified([AccountedStep(PureCurve(F(1, 10)), 40)], delta)
    assert halves.tried[accountant.OPTIMAL] == whole.tried[accountant.OPTIMAL]


def test_leaks_are_charged() -> None:
    """(epsilon, delta) steps: an open failure with probability delta, else a coin."""
    e, leak, k = F(1, 2), F(1, 1000), 6
    for delta in (F(6, 1000), F(7, 1000), F(1, 20)):
        found = certified([AccountedStep(PureCurve(e), k, leak)], delta)
        failed = 1 - (1 - leak) ** k
        for epsilon in found.tried.values():
            assert failed + (1 - failed) * profile([(e, k)], epsilon) <= delta
    assert certified([AccountedStep(PureCurve(e), k, leak)], F(6, 1000)).rule == accountant.BASIC
    with pytest.raises(ParameterError):
        certified([AccountedStep(PureCurve(e), k, leak)], F(5, 1000))


def test_discrete_steps_against_their_laws() -> None:
    steps_of = [
        (LaplaceCurve(F(3, 4), F(1, 4)), DiscreteLaplaceLaw(0, F(4)), DiscreteLaplaceLaw(3, F(4))),
        (GaussianCurve(F(1, 8), False), DiscreteGaussianLaw(0, F(4)), DiscreteGaussianLaw(1, F(4))),
    ]
    for curve, p, q in steps_of:
        for delta in (F(1, 10), F(1, 10**4)):
            for epsilon in certified([AccountedStep(curve)], delta).tried.values():
                assert hockey_stick(p, q, epsilon)[0] <= delta


def test_gaussian_steps_compose_exactly() -> None:
    found = certified(
        [AccountedStep(GaussianCurve(F(1, 50)), 9), AccountedStep(GaussianCurve(F(8, 25)))], DELTA
    )
    assert found.rule == accountant.GAUSSIAN
    # 9 / 25 + 16 / 25 = 1.
    assert profile_bounds(found.epsilon, F(1))[1] <= DELTA
    assert profile_bounds(found.epsilon * (1 - F(1, 10**5)), F(1))[0] > DELTA
    coarse = certified([AccountedStep(GaussianCurve(F(1, 50), False), 9)], DELTA)
    assert coarse.rule == accountant.ZCDP


@pytest.mark.parametrize(
    ("step", "rule"),
    [
        (AccountedStep(PureCurve(F(1, 10)), 1), accountant.BASIC),
        (AccountedStep(PureCurve(F(1, 10)), 1000), accountant.OPTIMAL),
        (AccountedStep(PureCurve(F(1, 10)), 100_000), accountant.LOSSES),
        (AccountedStep(LaplaceCurve(F(1, 10)), 1000), accountant.LOSSES),
        (AccountedStep(LinearCurve(F(1, 10)), 3), accountant.ZCDP),
        (AccountedStep(GaussianCurve(F(1, 10)), 3), accountant.GAUSSIAN),
    ],
)
def test_the_tightest_rule_is_named(step: AccountedStep, rule: str) -> None:
    found = certified([step], F(1, 10**6))
    assert found.rule == rule or found.tried[rule] - found.epsilon < F(1, 10**4)


def test_the_published_overclaim_is_not_repeated() -> None:
    """k = 1000, epsilon = 0.99: the short form says 329.1."""
    found = certified([AccountedStep(PureCurve(F(99, 100)), 1000)], F(1, 10**6))
    assert found.rule == accountant.OPTIMAL and 581 < found.epsilon < 582


def test_pure_and_gaussian_mix_in_blocks() -> None:
    found = certified(
        [AccountedStep(PureCurve(F(5))), AccountedStep(GaussianCurve(F(1, 50)), 2)], DELTA
    )
    alone = certified([AccountedStep(GaussianCurve(F(1, 50)), 2)], DELTA)
    blocks = f"{accountant.BASIC} of pure steps and {accountant.GAUSSIAN}"
    assert found.tried[blocks] == 5 + alone.epsilon
    # The law of the sum is a little better than the sum of the worst cases.
    assert found.rule == accountant.LOSSES
    assert 5 < found.epsilon < 5 + alone.epsilon


def test_ends_and_monotonicity() -> None:
    assert certified([], F(0)).epsilon == 0
    assert certified([AccountedStep(PureCurve(F(1)), 0)], DELTA).epsilon == 0
    assert certified([AccountedStep(PureCurve(F(1, 3)), 3)], F(0)).epsilon == 1
    with pytest.raises(ParameterError):
        certified([AccountedStep(GaussianCurve(F(1)))], F(0))
    with pytest.raises(ParameterError):
        certified([], F(1))
    for rows in (
        [
            certified([AccountedStep(LaplaceCurve(F(1, 9)), k)], DELTA).epsilon
            for k in (1, 10, 100, 1000)
        ],
        [
            certified([AccountedStep(LaplaceCurve(F(1, 9)), 50)], F(1, 10**k)).epsilon
            for k in (1, 3, 9)
        ],
        [certified([AccountedStep(LaplaceCurve(F(1, k)), 50)], DELTA).epsilon for k in (9, 5, 1)],
    ):
        assert all(left < right for left, right in pairwise(rows))


def test_rounds_split_in_any_way_cost_the_same() -> None:
    whole = certified([AccountedStep(LaplaceCurve(F(1, 9)), 70)], DELTA)
    parts = certified(
        [AccountedStep(LaplaceCurve(F(1, 9)), 30), AccountedStep(LaplaceCurve(F(1, 9)), 40)], DELTA
    )
    assert whole.epsilon == parts.epsilon and whole.rule == parts.rule


def test_ten_thousand_sampled_rounds() -> None:
    found = certified(
        [AccountedStep(GaussianCurve(F(1, 2)), 10_000, scheme=PoissonSampling(num("0.01")))],
        DELTA,
        ADD,
    )
    # Published: about 6.7 from integer orders; 6.187712 from the exact profile.
    assert float(found.tried[accountant.RENYI]) == pytest.approx(6.72, abs=0.01)
    assert float(found.epsilon) == pytest.approx(6.187712, abs=1e-6)


def test_sampling_at_its_ends() -> None:
    base = certified([AccountedStep(GaussianCurve(F(1, 2)), 5)], DELTA)
    all_rows = certified(
        [AccountedStep(GaussianCurve(F(1, 2)), 5, scheme=PoissonSampling(num(1)))], DELTA, ADD
    )
    assert base.epsilon == pytest.approx(all_rows.epsilon, rel=1e-5)
    nearly = AccountedStep(GaussianCurve(F(1, 2)), 5, scheme=PoissonSampling(num("0.999999")))
    # The closed form is rounded up to 2^-16, the law of the sample is not.
    assert float(certified([nearly], DELTA, ADD).epsilon) == pytest.approx(base.epsilon, rel=1e-5)
    with pytest.raises(ParameterError):
        certified(
            [AccountedStep(GaussianCurve(F(1, 2)), 5, scheme=PoissonSampling(num(2)))], DELTA, ADD
        )
    none = certified(
        [AccountedStep(GaussianCurve(F(1, 2)), 5, scheme=PoissonSampling(num(0)))], DELTA, ADD
    )
    assert none.epsilon == 0
    pure = AccountedStep(PureCurve(F(10)), 1, scheme=PoissonSampling(num("0.01")))
    assert float(certified([pure], F(0), ADD).epsilon) == pytest.approx(5.40, abs=0.005)
    both = certified([pure], F(0), REPLACE)
    assert both.epsilon > certified([pure], F(0), ADD).epsilon


@pytest.mark.parametrize(
    "scheme",
    [SamplingWithoutReplacement(num(5), num(50)), SamplingWithReplacement(num(5), num(50))],
)
def test_fixed_sizes_need_replacement(
    scheme: SamplingWithoutReplacement | SamplingWithReplacement,
) -> None:
    step = AccountedStep(GaussianCurve(F(1, 2)), 3, scheme=scheme)
    assert 0 < certified([step], DELTA, REPLACE).epsilon < 40
    with pytest.raises(SpaceError):
        certified([step], DELTA, ADD)
    with pytest.raises(ParameterError):
        certified([step], DELTA)


def test_with_replacement_curve_is_above_an_exact_mixture() -> None:
    """Rows (x, 0, 1, 1), the number of ones drawn, discrete Gaussian noise: x is 0 or 1."""
    m, n, sigma2 = 3, 4, F(2)
    curve = WithReplacementCurve(1 / (2 * sigma2), m, n, m)
    assert curve.missed == 0
    assert WithReplacementCurve(F(1), m, n, 1).missed == 1 - F(3, 4) ** 3 - 3 * F(9, 64)

    laws = []
    for p_one in (F(1, 2), F(3, 4)):
        mass: dict[int, float] = defaultdict(float)
        for k in range(m + 1):
            weight = float(comb(m, k) * p_one**k * (1 - p_one) ** (m - k))
            for x in range(-9, 13):
                mass[x] += weight * float(DiscreteGaussianLaw(k, sigma2).pmf(x)[0])
        laws.append(mass)
    for p, q in (laws, laws[::-1]):
        truth = log(sum(p[x] ** 3 * q[x] ** -2 for x in p)) / 2
        assert 0 < truth <= float(curve.divergence(F(3))[1])


# -- trees


def laplace_event(scale: str = "2") -> Event:
    cost = MOVED / num(scale)
    privacy = {"pure": (cost,), "zcdp": (cost * tanh(cost / 2),)}
    return an_event("laplace", "", {"scale": num(scale)}, privacy)


def gaussian_event() -> Event:
    return an_event("gaussian", "L2", {"sigma": num(3)}, {"zcdp": (MOVED**2 / 18,)})


def calibrated_event() -> Event:
    noise = {"epsilon": EPS, "delta": num(DELTA), "bound": BOUND}
    k = ceil(RATIO)
    return an_event("gaussian", "L2", noise, {"approx": (EPS * k, num(DELTA) * k)})


def test_a_tree_becomes_steps() -> None:
    tree = Sequence(
        (
            Spent(laplace_event(), {"x": D, "y": 2 * D}),
            Repeat(sym("k", integer=True), Spent(gaussian_event(), {"x": 3 * D})),
        )
    )
    found = steps(tree, "x", 2, {"k": 7})
    assert found == [AccountedStep(LaplaceCurve(F(1))), AccountedStep(GaussianCurve(F(2)), 7)]
    assert steps(tree, "y", 1, {"k": 7}) == [AccountedStep(LaplaceCurve(F(1)))]
    assert steps(tree, "x", 0, {"k": 7}) == steps(tree, "z", 1, {"k": 7}) == []
    assert steps(tree, "x", 1, {"k": 0}) == [AccountedStep(LaplaceCurve(F(1, 2)))]


def test_a_calibrated_gaussian_costs_its_target_once_and_composes_as_a_gaussian() -> None:
    tree = Repeat(num(16), Spent(calibrated_event(), {"x": 5 * D}))
    numbers = {"eps": F(1, 2)}
    (step,) = steps(tree, "x", 1, numbers)
    ratio = 1 / analytic_sigma(F(1, 2), DELTA)
    assert isinstance(step.curve, GaussianCurve) and step.pair == (F(1, 2), DELTA)
    assert abs(step.curve.rho - ratio**2 / 2) < F(1, 10**30)
    once = certified(steps(tree.body, "x", 1, numbers), DELTA)
    assert once.epsilon <= F(1, 2) and once.epsilon > F(499, 1000)
    often = certified([step], 16 * DELTA)
    assert often.rule == accountant.GAUSSIAN and often.epsilon < 3


def test_loops_with_changing_cost_and_choices() -> None:
    body = Spent(laplace_event(), {"x": (sym("i", nonneg=True, integer=True) + 1) * D})
    found = steps(Repeat(num(3), body, "i"), "x", 1, {})
    assert [step.curve for step in found] == [LaplaceCurve(F(k, 2)) for k in (1, 2, 3)]
    either = Choice((Spent(laplace_event(), {"x": D}), Spent(gaussian_event(), {"x": D})))
    (worst,) = steps(either, "x", 1, {})
    options = [steps(item, "x", 1, {})[0].curve for item in either.items]
    for alpha in (F(3, 2), F(40)):
        ends = [option.divergence(alpha)[1] for option in options]
        assert worst.curve.divergence(alpha)[1] == max(ends)
    assert worst.curve.zcdp_rho == max(option.zcdp_rho or 0 for option in options)
    normal = Choice((Spent(gaussian_event(), {"x": D}), Spent(gaussian_event(), {"x": 2 * D})))
    assert steps(normal, "x", 1, {}) == [AccountedStep(GaussianCurve(F(4, 18)), 1)]
    same = Choice((Spent(gaussian_event(), {"x": D}),) * 2)
    assert steps(same, "x", 1, {}) == [AccountedStep(GaussianCurve(F(1, 18)))]


def test_rows_in_parallel() -> None:
    discrete = Parallel(Spent(laplace_event(), {"row": num(1)}), "row", "x", unit=True)
    assert steps(discrete, "x", 3, {}) == [AccountedStep(LaplaceCurve(F(1, 2)), 3)]
    reals = Parallel(Spent(gaussian_event(), {"row": 2 * D}), "row", "x")
    assert steps(reals, "x", 3, {}) == [AccountedStep(GaussianCurve(F(2)))]
    with pytest.raises(ParameterError):
        steps(Parallel(Spent(laplace_event(), {"row": num(1)}), "row", "x"), "x", 3, {})


def test_other_events_count_by_their_cost() -> None:
    noise = {"epsilon": EPS, "answers": num(4)}
    response = an_event("randomized_response", "", noise, {"pure": (EPS,)})
    select = an_event("exponential", "", {}, {"pure": (EPS * MOVED,)})
    whole = an_event(
        "discrete_laplace",
        "",
        {"scale": num(4)},
        {"pure": (MOVED / 4,)},
    )
    told = an_event("selection", "", {}, {"approx": (EPS, num(DELTA))})
    tree = Sequence(tuple(Spent(event, {"x": D}) for event in (response, select, whole, told)))
    assert [(step.curve, step.leak) for step in steps(tree, "x", 2, {"eps": 1})] == [
        (ResponseCurve(F(1), 4), 0),
        (PureCurve(F(2)), 0),
        (DiscreteLaplaceCurve(F(1, 2), F(1, 4), 2), 0),
        (PureCurve(F(1)), DELTA),
    ]
