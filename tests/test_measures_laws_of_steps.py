"""Steps of checked programs by the loss laws of their families, beside exact laws and events."""

from __future__ import annotations

from fractions import Fraction

import pytest
from foreign_mechanisms import an_event

from metricdp import measures as events
from metricdp.accounting.losses.discrete_gaussian import DiscreteGaussianLoss
from metricdp.accounting.renyi import (
    ComposedCurve,
    Curve,
    DiscreteGaussianCurve,
    GaussianCurve,
    LaplaceCurve,
    LeastCurve,
    LinearCurve,
    PureCurve,
    RangeCurve,
    ResponseCurve,
)
from metricdp.errors import ExpressionError, ParameterError
from metricdp.expr import D, num, sym
from metricdp.laws import DiscreteGaussianLaw, DiscreteLaplaceLaw, hockey_stick
from metricdp.maps.profiles import PrivacyProfile
from metricdp.measures import Repeated, account, accountant
from metricdp.measures.accountant import certified, epsilon_of_steps
from metricdp.measures.accounted import AccountedEvent as AccountEvent
from metricdp.measures.accounted import AccountedStep, Relation, Scheme
from metricdp.measures.events import Event, Repeat, Sequence, Spent
from metricdp.measures.sampling import (
    PoissonSampling,
    SamplingWithoutReplacement,
    SamplingWithReplacement,
)
from metricdp.measures.steps import steps

F = Fraction
DELTA = F(1, 10**5)
ADD, REPLACE = "add or remove", "replace"
MOVED = sym("_moved", nonneg=True)
EPS = sym("eps", positive=True)


def test_choices_by_weights_keep_their_bounded_range() -> None:
    costs = {"pure": (EPS * MOVED,), "zcdp": ((EPS * MOVED) ** 2 / 8,)}
    choice = Spent(an_event("exponential_mechanism", "LInf", {}, costs), {"x": D})
    often = Spent(
        an_event("top_k", "LInf", {}, {"pure": (4 * EPS,), "zcdp": (EPS**2 / 2,)}),
        {"x": D},
    )
    tree = Sequence((Repeat(num(100), choice), often))
    first, second = steps(tree, "x", 1, {"eps": F(1, 5)})
    assert first == AccountedStep(RangeCurve(F(1, 5)), 100)
    assert second == AccountedStep(LeastCurve((PureCurve(F(4, 5)), LinearCurve(F(1, 50)))))
    found = certified([first], F(1, 10**6))
    # A hundred coins with odds e^(1/10) are such mechanisms; as pure steps they cost 10.67.
    coins = certified([AccountedStep(ResponseCurve(F(1, 10)), 100)], F(1, 10**6))
    assert coins.epsilon < found.epsilon < F(4874, 1000)


def whole_noise(name: str, norm: str, scale: Fraction) -> Event:
    noise = {"sigma" if name == "discrete_gaussian" else "scale": num(scale)}
    cost = (MOVED**2 / (2 * num(scale) ** 2),) if "sigma" in noise else (MOVED / num(scale),)
    return an_event(name, norm, noise, {"zcdp" if "sigma" in noise else "pure": cost})


@pytest.mark.parametrize("moved", [1, 2, 5])
def test_whole_noise_is_accounted_by_its_own_law(moved: int) -> None:
    for event, law in (
        (whole_noise("discrete_gaussian", "", F(7, 2)), DiscreteGaussianLaw),
        (whole_noise("discrete_laplace", "", F(3)), DiscreteLaplaceLaw),
    ):
        found = steps(Spent(event, {"x": moved * D}), "x", 1, {})
        if event.mechanism == "discrete_laplace":
            found = [
                *found,
                AccountedStep(ResponseCurve(F(1, 10**9))),
            ]  # one pure step alone needs no law
        best = certified(found, DELTA).epsilon
        place = F(49, 4) if law is DiscreteGaussianLaw else F(3)
        exact = [
            hockey_stick(law(moved, place), law(0, place), best + F(shift)) for shift in (0, -1e-3)
        ]
        assert all(not isinstance(x, float) for x in exact)
        # Sound at the answer, not a thousandth below it (but where epsilon is moved / scale).
        assert exact[0][0] <= DELTA
        assert exact[1][1] > DELTA or best >= F(moved, 3) - F(1, 100)


def test_one_whole_number_that_moves_twice_as_far() -> None:
    event = whole_noise("discrete_gaussian", "", F(4))
    (step,) = steps(Spent(event, {"x": D}), "x", 1, {})
    ((law, count),) = step.curve.losses(2) or ()
    assert (law, count) == (DiscreteGaussianLoss(F(4), 2), 1)
    (vector,) = steps(Spent(whole_noise("discrete_gaussian", "L2", F(4)), {"x": D}), "x", 1, {})
    assert vector.curve.losses(2) is None


def test_vectors_of_whole_numbers_take_the_law_of_one_number_at_distance_1_only() -> None:
    event = whole_noise("discrete_gaussian", "L2", F(4))
    curves = [steps(Spent(event, {"x": k * D}), "x", 1, {})[0].curve for k in (1, 2)]
    assert curves == [
        DiscreteGaussianCurve(F(1, 32), sigma=F(4), ticks=1), GaussianCurve(F(1, 8), fine=False),
    ]  # fmt: skip


@pytest.mark.parametrize("epsilon", [F(0), F(1, 1 << 90), F(1, 3), F(1)])
def test_delta_at_epsilon_comes_from_the_loss_laws(epsilon: Fraction) -> None:
    noise = steps(Spent(whole_noise("discrete_gaussian", "", F(7, 2)), {"x": 2 * D}), "x", 1, {})
    found = accountant.profile(noise, epsilon)
    exact = hockey_stick(
        DiscreteGaussianLaw(2, F(49, 4)), DiscreteGaussianLaw(0, F(49, 4)), epsilon
    )
    assert exact[0] <= found <= exact[1] * (1 + F(1, 10**6))
    mixed = [
        *noise,
        AccountedStep(GaussianCurve(F(1, 50)), 3),
        AccountedStep(PureCurve(F(1, 5)), leak=F(1, 1000)),
    ]
    whole = accountant.profile(mixed, epsilon)
    assert found + F(1, 1000) < whole <= accountant.profile(mixed[:2], epsilon) * 2 + F(1, 10)


def test_delta_at_epsilon_of_samples() -> None:
    sampled = [AccountedStep(GaussianCurve(F(1, 2)), 1000, scheme=PoissonSampling(num(F(1, 100))))]
    found = accountant.profile(sampled, F(1), ADD)
    answer = account(Repeated(events.Poisson(F(1, 100), events.Gaussian(1)), 1000), ADD).delta(1)
    # The noise is on a grid, whose error is charged.
    assert answer.lower <= found <= answer.upper * (1 + F(1, 10**6))
    back = certified(sampled, found, ADD).epsilon
    assert abs(back - 1) < F(1, 10**5)


@pytest.mark.parametrize(
    ("curve", "scheme", "event", "units", "relation"),
    [
        (PureCurve(F(1, 2)), PoissonSampling(num(F(1, 10))),
         events.Poisson(0.1, events.Pure(0.5)), 1, REPLACE),
        (LaplaceCurve(F(1, 2), F(0)), PoissonSampling(num(F(1, 10))),
         events.Poisson(0.1, events.Laplace(2)), 1, REPLACE),
        (GaussianCurve(F(1, 8)), PoissonSampling(num(F(1, 10))),
         events.Poisson(0.1, events.Gaussian(2)), 3, ADD),
        (GaussianCurve(F(1, 8)), SamplingWithoutReplacement(num(5), num(50)),
         events.WithoutReplacement(5, 50, events.Gaussian(2, replaced=1)), 1, REPLACE),
        (PureCurve(F(1, 2)), SamplingWithReplacement(num(5), num(50)),
         events.WithReplacement(5, 50, events.Pure(0.5, per="replace")), 1, REPLACE),
        (LaplaceCurve(F(1, 2), F(0)), PoissonSampling(num(1)),
         events.Poisson(1, events.Laplace(2)), 1, REPLACE),
    ],
)  # fmt: skip
def test_sampled_steps_are_read_as_events(
    curve: Curve, scheme: Scheme, event: AccountEvent, units: int, relation: Relation
) -> None:
    step = AccountedStep(curve, 20, scheme=scheme, units=units)
    found = epsilon_of_steps([step], DELTA, "replace" if relation == REPLACE else ADD)
    whole = events.Group(event, units) if units > 1 else event
    answer = account(Repeated(whole, 20), relation).epsilon(DELTA)
    assert found is not None and answer.lower <= found
    assert found <= answer.upper + F(2, 10**5)


def test_ranges_add_along_the_rows_of_a_sample() -> None:
    """The log-ratios of k rows are sums of k of an interval each; pure epsilons cost more."""
    whole = AccountedStep(RangeCurve(F(1, 2)), 30, scheme=SamplingWithReplacement(num(20), num(50)))
    event = events.WithReplacement(20, 50, events.ExponentialMechanism(0.5, per="replace"))
    answer = account(Repeated(event, 30), REPLACE).epsilon(DELTA)
    found = epsilon_of_steps([whole], DELTA, "replace")
    assert found is not None and abs(found / answer.upper - 1) < F(1, 10**6)
    pure = epsilon_of_steps(
        [AccountedStep(PureCurve(F(1, 2)), 30, scheme=whole.scheme)], DELTA, "replace"
    )
    assert pure is not None and found < F(4, 5) * pure


def test_a_profile_of_several_kinds_of_noise_on_one_sample() -> None:
    both = ComposedCurve(((GaussianCurve(F(1, 8)), 1), (LaplaceCurve(F(1, 2)), 1)))
    found = PrivacyProfile(
        steps=[AccountedStep(both, 10, scheme=PoissonSampling(num(F(1, 10))))], adjacency=ADD
    )
    parts = events.Composed([events.Gaussian(2), events.Laplace(2)])
    answer = account(Repeated(events.Poisson(0.1, parts), 10), ADD)
    assert answer.epsilon(1e-6).lower <= found.exact_epsilon(F(1, 10**6)) < 1.43
    assert answer.delta(1).lower <= found.exact_delta(1) < F(7, 10**5)


def test_a_report_names_the_value_that_the_accountant_lacks() -> None:
    from metricdp.check.verdicts.guarantee import missing_name

    with pytest.raises(ExpressionError) as error:
        sym("len_rows").upper({})
    assert missing_name(error.value) == "len_rows"
    assert missing_name(ParameterError("no value for it", place="x")) == "it"
    assert missing_name(ParameterError("too small")) == ""


@pytest.mark.parametrize("curve", [LaplaceCurve(F(1, 5)), RangeCurve(F(1, 5))])
def test_a_single_answer_is_accounted_by_its_law(curve: Curve) -> None:
    found = certified([AccountedStep(curve)], F(1, 100))
    event = (
        events.Laplace(5) if isinstance(curve, LaplaceCurve) else events.ExponentialMechanism("0.2")
    )
    answer = account(event, ADD).epsilon(F(1, 100))
    assert answer.lower <= found.epsilon <= answer.upper + F(1, 10**6)
    assert found.rule == accountant.LOSSES and found.epsilon < F(19, 100)
