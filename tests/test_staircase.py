"""Staircase noise: its law against sums, its cost at every distance, its error, replay, mutants."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, log
from typing import Any

import msgspec
import pytest
from noise_checks import follows

import metricdp as dp
from metricdp.audit import replay
from metricdp.audit.mechanisms import attack_mechanism
from metricdp.errors import MetricdpError, ParameterError
from metricdp.expr import ONE, Expr, num
from metricdp.families.family import Draw
from metricdp.families.staircase import STAIRCASE, StaircaseLaw
from metricdp.laws import DiscreteLaplaceLaw, hockey_stick, max_divergence, renyi, zcdp_rho
from metricdp.maps import Measurement, make
from metricdp.maps.accuracy import accuracy
from metricdp.noise import SeededSource
from metricdp.record import REGISTRY, Instance
from metricdp.run.draws import drawn, perform
from metricdp.run.emit import emit
from metricdp.run.filing import noise_law
from metricdp.spaces import Scalar

F = Fraction
NUMBER = Scalar("Int")
SHAPES = [(1, F(1, 2), 1), (4, F(1), 2), (5, F(3), 1), (7, F(1, 5), 7), (6, F(2), 3)]


def masses(law: StaircaseLaw, reach: int = 1500) -> dict[int, float]:
    """By the definition, in doubles: stairs outwards, then normalised."""
    b, found = exp(-float(law.epsilon)), {}
    for k in range(-reach, reach + 1):
        cells, place = divmod(abs(k), law.width)
        found[law.center + k] = b ** (cells + (place >= law.stair))
    total = sum(found.values())
    return {k: mass / total for k, mass in found.items()}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_law_is_that_of_the_definition(shape: tuple[int, Fraction, int]) -> None:
    law = StaircaseLaw(3, *shape)
    known = masses(law)
    for k in (-9, 0, 2, 3, 4, 8, 15):
        low, high = law.pmf(k)
        assert low <= high and float(low) == pytest.approx(known[k], rel=1e-9)
        tail = sum(mass for x, mass in known.items() if x >= k)
        assert float(law.tail(k)[0]) == pytest.approx(tail, abs=1e-9)
        assert float(law.cdf(k)[1]) == pytest.approx(1 - tail + known[k], abs=1e-9)
    assert float(law.between(1, 6)[0]) == pytest.approx(sum(known[k] for k in range(1, 7)))
    assert law.pmf(F(1, 2)) == (0, 0)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("d", range(1, 13))
def test_distances_are_those_of_the_masses(shape: tuple[int, Fraction, int], d: int) -> None:
    p, q = StaircaseLaw(0, *shape), StaircaseLaw(d, *shape)
    width, epsilon, _ = shape
    found: Any = max_divergence(p, q)
    assert found[0] <= epsilon * ceil(F(d, width)) <= found[1]
    assert found[1] - found[0] < F(1, 10**30)
    mine, other = masses(p), masses(q)
    both = [(mine[k], other[k]) for k in mine if k in other]
    for at in (F(0), epsilon / 2, epsilon, 2 * epsilon):
        gain = sum(max(0.0, a - exp(float(at)) * b) for a, b in both)
        assert float(hockey_stick(p, q, at)[1]) == pytest.approx(gain, abs=1e-9)
    square: Any = renyi(p, q, F(2))
    assert float(square[0]) == pytest.approx(log(sum(a * a / b for a, b in both if b)), rel=1e-6)
    cost: Any = zcdp_rho(p, q)
    steps = float(epsilon) * ceil(d / width)
    assert cost[0] <= steps * (1 - exp(-steps)) / (1 + exp(-steps)) * (1 + 1e-9)


def test_at_sensitivity_one_it_is_discrete_laplace_noise() -> None:
    stairs, laplace = StaircaseLaw(0, 1, F(1, 3), 1), DiscreteLaplaceLaw(0, F(3))
    for k in range(-20, 21):
        assert float(stairs.pmf(k)[0]) == pytest.approx(float(laplace.pmf(k)[0]), rel=1e-12)


@pytest.mark.parametrize("epsilon", [F(1, 2), F(1), F(2), F(4)])
def test_the_error_is_next_to_the_least_and_below_laplace(epsilon: Fraction) -> None:
    def error(law: Any) -> float:
        return sum(2 * k * float(law.pmf(k)[0]) for k in range(1, 300))

    width = 6
    taken = make("staircase", NUMBER, epsilon=epsilon, sensitivity=width).law(0)
    least = min(error(StaircaseLaw(0, width, epsilon, r)) for r in range(1, width + 1))
    assert error(taken) <= 1.02 * least
    assert error(taken) < error(DiscreteLaplaceLaw(0, width / epsilon))


@pytest.mark.parametrize("shape", [(50, F(1, 10), 20), (3, F(30), 2), (1000, F(1), 1)])
def test_draws_follow_the_law(shape: tuple[int, Fraction, int]) -> None:
    width, epsilon, stair = shape
    draw = Draw("s", STAIRCASE, "", F(width), extra={"epsilon": epsilon, "stair": stair})
    source = SeededSource("stairs")
    follows(draw.family.law(draw, 7), [perform(draw, 7, source) for _ in range(4000)])
    with pytest.raises(AssertionError):
        wrong = StaircaseLaw(8 + int(width / epsilon) // 2, width, epsilon, stair)
        follows(wrong, [perform(draw, 7, source) for _ in range(4000)])


@pytest.mark.parametrize("alpha", [F(1, 2), F(1, 20), F(1, 1000)])
def test_the_interval_is_the_least(alpha: Fraction) -> None:
    extra = {"epsilon": F(1), "stair": 2}
    width = int(STAIRCASE.interval(F(4), extra, alpha))
    law = StaircaseLaw(0, 4, F(1), 2)
    assert 2 * law.tail(width + 1)[1] <= alpha
    assert not width or 2 * law.tail(width)[0] > alpha
    assert accuracy(make("staircase", NUMBER, epsilon=1, sensitivity=4, stair=2), alpha) == width


@pytest.mark.parametrize(
    "extra",
    [{}, {"epsilon": 1}, {"epsilon": 0, "stair": 1}, {"epsilon": 1, "stair": 5},
     {"epsilon": 1, "stair": 0}],
)  # fmt: skip
def test_bad_requests_are_refused(extra: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        Draw("s", STAIRCASE, "", F(4), extra=extra)
    with pytest.raises(ParameterError):
        Draw("s", STAIRCASE, "", F(7, 2), extra={"epsilon": 1, "stair": 1})


def test_a_draw_says_what_it_is() -> None:
    draw = Draw("s", STAIRCASE, "", F(4), extra={"epsilon": F(1), "stair": 2})
    shown = drawn(draw, 7)
    assert noise_law(shown) == "staircase, sensitivity 4, epsilon 1, first stair of 2"
    assert shown.half_width() == STAIRCASE.interval(F(4), draw.extra, F(1, 20))
    assert perform(Draw("s", STAIRCASE, extra={"epsilon": 0, "stair": 0}), 5, SeededSource(0)) == 5


def replaced(change: Any) -> Any:
    """The record with another cost."""
    record = REGISTRY["staircase"]

    def rule(*args: Any, **given: Any) -> Any:
        found = record.rule(*args, **given)
        (event,) = found.events
        privacy = {m: tuple(change(part) for part in cost) for m, cost in event.privacy.items()}
        return msgspec.structs.replace(
            found, events=(msgspec.structs.replace(event, privacy=privacy),)
        )

    return msgspec.structs.replace(record, rule=rule)


@pytest.mark.parametrize(
    "change",
    [lambda g: g / 2, lambda g: g * F(99, 100), lambda g: g.subs({"_moved": ONE}),
     lambda g: g.subs({"_moved": g.subs({}) * 0 + num(2)})],
    ids=["halved", "a hundredth off", "distance forgotten", "distance fixed"],
)  # fmt: skip
def test_wrong_maps_are_refuted(change: Any) -> None:
    public = {"epsilon": F(1), "sensitivity": F(3), "stair": F(2)}
    instance = Instance({"x": NUMBER}, public)
    far = (1, 3, 4, 7)
    assert not attack_mechanism(REGISTRY["staircase"], instance, distances=far).refuted
    mutate: Any = change
    assert attack_mechanism(REGISTRY["staircase"], instance, mutate, distances=far).refuted


def test_the_continuous_cost_is_refuted() -> None:
    """epsilon d / D, as for Laplace noise, is too little wherever a sensitivity is only begun."""
    public = {"epsilon": F(1), "sensitivity": F(3), "stair": F(2)}

    def linear(g: Expr) -> Expr:
        from metricdp.record import MOVED

        return MOVED / 3

    instance = Instance({"x": NUMBER}, public)
    assert attack_mechanism(REGISTRY["staircase"], instance, linear, distances=(1,)).refuted


def noisy(x: Any) -> Any:
    extra = {"epsilon": F(1), "stair": 2}
    return emit(Draw("by hand", STAIRCASE, "", F(3), extra=extra), F(x))


@pytest.mark.parametrize(
    ("cost", "refuted"), [("ceiling(d_in/3)", False), ("d_in/3", True), ("0.5", True)]
)
def test_replay_measures_it(cost: str, refuted: bool) -> None:
    verdict = replay(Measurement(NUMBER, noisy, {"pure": cost}, "by hand"), most=60)
    assert verdict.refuted == refuted, str(verdict)
    if not refuted:
        assert verdict.closest > 0.999


@dp.measurement
def of_count(rows: dp.Records[float], eps: float) -> Any:
    return dp.staircase(dp.count(rows), epsilon=eps, sensitivity=2)


def test_a_checked_program_runs_and_replays() -> None:
    verdict = replay(of_count, most=40)
    assert not verdict.refuted, str(verdict)
    release = of_count([1.0, 2.0], eps=3.0)
    assert type(release.value) is int and "staircase" in release.to_json()
    low, high = release.interval()
    assert low < release.value < high
    session = dp.Session({"rows": (dp.Records[float], [1.0, 2.0])}, budget=dp.Budget(epsilon=3))
    assert type(dp.staircase(dp.count(session["rows"]), epsilon=1).value) is int
    with pytest.raises(MetricdpError):
        dp.staircase(dp.count(session["rows"]), epsilon=1, sensitivity=2, stair=3)
