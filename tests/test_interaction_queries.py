"""Odometers, filters and adaptive queries: whole transcripts enumerated, budgets, refusals."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import Any

import pytest

from metricdp.errors import BudgetError, InternalError, ParameterError, SpaceError
from metricdp.expr import exp, num
from metricdp.maps import Allowance, Filter, Measurement, Odometer, make
from metricdp.maps.interactive import FullyAdaptive, adaptive
from metricdp.spaces import Records, Scalar

BIT, REAL = Scalar("Int", num(0), num(1)), Scalar("Real")
#: Randomized response with probabilities 3/4 and 1/4 has epsilon ln 3 = 1.0986..
UNIT = Fraction(11, 10)


class Ended(BaseException):
    """A tape has no more answers; no error of the analysis, so nothing may catch it."""


class Tape:
    """Forced answers of randomized responses, and their probability for one input."""

    def __init__(self, answers: tuple[int, ...]) -> None:
        self.answers, self.used, self.chance = answers, 0, Fraction(1)

    def query(self, weight: int = 1) -> Measurement:
        """`weight` responses at once; costs as many units."""
        return Measurement(BIT, lambda x: self._draw(x, weight), {"pure": UNIT * weight})

    def _draw(self, x: Any, weight: int) -> tuple[int, ...]:
        found = self.answers[self.used : self.used + weight]
        if len(found) < weight:
            raise Ended
        self.used += weight
        for answer in found:
            self.chance *= Fraction(3, 4) if answer == x else Fraction(1, 4)
        return found


Analyst = Callable[[Any, Tape], list[Any]]


def transcripts(start: Callable[[int], Any], analyst: Analyst, x: int) -> dict[Any, Fraction]:
    """The exact law of what an analyst sees, all refusals included."""
    law: dict[Any, Fraction] = {}
    pending: list[tuple[int, ...]] = [()]
    while pending:
        answers = pending.pop()
        tape = Tape(answers)
        try:
            seen = tuple(analyst(start(x), tape))
        except Ended:
            pending += [(*answers, 0), (*answers, 1)]
            continue
        law[seen] = law.get(seen, Fraction(0)) + tape.chance
    assert sum(law.values()) == 1
    return law


def worst(start: Callable[[int], Any], analyst: Analyst) -> Fraction:
    """The largest ratio of transcripts' probabilities between the two inputs."""
    zero, one = (transcripts(start, analyst, x) for x in (0, 1))
    assert set(zero) == set(one)
    return max(max(zero[t] / one[t], one[t] / zero[t]) for t in zero)


def greedy(queries: Any, tape: Tape) -> list[Any]:
    """Asks as often as it may; after an answer of 1 it asks for two responses at once."""
    seen: list[Any] = []
    weight = 1
    for _ in range(6):
        try:
            answer = queries(tape.query(weight))
        except BudgetError:
            seen.append("refused")
            if weight == 1:
                break
            weight = 1
            continue
        seen.append(answer)
        weight = 2 if answer[-1] else 1
    return seen


def test_no_strategy_sees_more_than_the_filter_allows() -> None:
    start = FullyAdaptive(BIT, "pure").filtered(1, 3 * UNIT)
    ratio = worst(start, greedy)
    assert ratio == 27 and num(ratio) == 27
    assert Fraction(ratio) <= exp(num(start.map(1))).upper({})  # type: ignore[arg-type]


def test_without_the_filter_the_same_strategy_sees_more() -> None:
    ratio = worst(FullyAdaptive(BIT, "pure"), greedy)
    assert ratio > exp(num(3 * UNIT)).upper({})


def test_adaptive_composition_keeps_to_its_shares() -> None:
    start = adaptive(BIT, "pure", 1, [UNIT, 2 * UNIT])
    ratio = worst(start, greedy)
    assert ratio == 27 and ratio <= exp(num(start.map(1))).upper({})  # type: ignore[arg-type]
    assert start.map(0) == 0 and start.map(2) == inf and start.map(Fraction(1, 2)) == 3 * UNIT


def interleaved(queries: Any, tape: Tape) -> list[Any]:
    """Opens two children and asks them in turns, past what they allow."""
    children = [queries(adaptive(BIT, "pure", 1, [UNIT, UNIT])) for _ in range(2)]
    seen: list[Any] = []
    for turn in range(6):
        child = (
            children[(turn + len(seen)) % 2] if seen and seen[-1] == (1,) else children[turn % 2]
        )
        try:
            seen.append(child(tape.query()))
        except BudgetError:
            seen.append("refused")
    return seen


def test_interleaved_children_cost_their_sum() -> None:
    start = FullyAdaptive(BIT, "pure").filtered(1, 4 * UNIT)
    ratio = worst(start, interleaved)
    assert 27 <= ratio <= 81 and ratio <= exp(num(4 * UNIT)).upper({})


def test_a_refused_query_changes_nothing_and_reads_no_data() -> None:
    queries = FullyAdaptive(REAL, "pure").filtered(1, 1)(5.0)
    read: list[Any] = []
    spy = Measurement(REAL, read.append, {"pure": "2*d_in"})
    for _ in range(3):
        with pytest.raises(BudgetError, match="epsilon 2 at d_in = 1, and epsilon 1 is left") as e:
            queries(spy)
        assert e.value.left == {"epsilon": 1}
    assert queries.privacy_loss(1) == 0 and not read
    queries(Measurement(REAL, read.append, {"pure": "d_in"}))
    assert read == [5.0] and queries.privacy_loss(1) == 1


def test_a_query_that_raises_stays_spent() -> None:
    def fails(x: Any) -> Any:
        raise ZeroDivisionError

    broken = Measurement(REAL, fails, {"pure": "d_in"})
    odometer = FullyAdaptive(REAL, "pure")(1.0)
    shares = adaptive(REAL, "pure", 1, [1, 1])(1.0)
    for queries in (odometer, shares):
        with pytest.raises((ZeroDivisionError, InternalError)):
            queries(broken)
    assert odometer.privacy_loss(1) == 1
    shares(Measurement(REAL, abs, {"pure": "d_in"}))
    with pytest.raises(BudgetError, match="all 2 queries"):
        shares(broken)


@pytest.mark.parametrize(
    ("measure", "budget", "query", "times"),
    [
        ("pure", 1, {"name": "laplace", "scale": 10}, 10),
        ("approx", (1, 1e-6), {"name": "laplace", "scale": 10}, 10),
        ("zcdp", 0.05, {"name": "gaussian", "scale": 10}, 10),
        ("renyi:8", 0.4, {"name": "gaussian", "scale": 10}, 10),
        # D_8 of Laplace noise lies below 8 rho.
        ("renyi:8", 1, {"name": "laplace", "scale": 10}, 28),
    ],
)
def test_budgets_are_spent_to_the_last_digit(
    measure: str, budget: Any, query: dict[str, Any], times: int
) -> None:
    item = make(query["name"], REAL, scale=query["scale"])
    kept = Filter(Odometer(REAL, measure), 1, budget)
    for _ in range(times):
        assert kept.admits(item)
        kept.spend(item)
    assert not kept.admits(item)
    with pytest.raises(BudgetError):
        kept.spend(item)
    assert len(kept.odometer) == times and kept.budget.covers(kept.spent)


def test_k_queries_evaluate_k_maps() -> None:
    calls: list[Any] = []

    def cost(d: Any) -> Any:
        calls.append(d)
        return Fraction(d) / 7

    item = Measurement(REAL, abs, {"pure": cost})
    kept = Filter(Odometer(REAL), 1, 1000)
    for _ in range(300):
        kept.spend(item)
        assert kept.odometer.spent(1)
    assert len(calls) == 300 and kept.spent == (Fraction(300, 7),)
    assert kept.odometer.spent(2) == (Fraction(600, 7),) and len(calls) == 600


def test_an_odometer_counts_at_the_distance_of_its_data() -> None:
    clamped = make("clamp", Records(Scalar("Data", kind="float")), lower=0, upper=20)
    total = clamped >> make("sum", clamped.output_space)
    queries = (total >> FullyAdaptive(REAL, "pure"))([1.0, 2.0, 300.0])
    noisy = make("laplace", REAL, scale=20)
    queries(noisy)
    assert queries.privacy_loss(1) == 1 and queries.privacy_loss(3) == 3
    kept = (total >> FullyAdaptive(REAL, "pure")).filtered(1, 2)
    asked = kept([1.0])
    asked(noisy), asked(noisy)
    with pytest.raises(BudgetError):
        asked(noisy)
    assert kept.map(1) == 2 and kept.map(2) == inf
    chain = total >> adaptive(REAL, "pure", 20, [2])
    assert chain.map(1) == 2 and isinstance(chain([3.0])(noisy), float)
    with pytest.raises(SpaceError):
        total >> FullyAdaptive(Records(Scalar("Data", kind="float")), "pure")


def test_what_is_no_budget_or_no_query_is_refused() -> None:
    for measure, amounts, words in (
        ("pure", (1, 2), "1 parts"),
        ("approx", 1, "2 parts"),
        ("approx", (1, 2), "delta is 2"),
        ("pure", -1, "budget|epsilon"),
        ("profile", 1, "do not add up"),
        ("renyi:1", 1, "order above 1"),
        ("renyi:x", 1, "order above 1"),
    ):
        with pytest.raises(ParameterError, match=words):
            Allowance.of(measure, amounts)
    queries = FullyAdaptive(REAL, "pure")(1.0)
    with pytest.raises(ParameterError, match="int is no measurement"):
        queries(3)
    with pytest.raises(ParameterError, match="no pure map"):
        queries(make("gaussian", REAL, scale=1))
    with pytest.raises(SpaceError, match="domain and metric"):
        queries(make("discrete_laplace", Scalar("Int"), scale=1))
    with pytest.raises(ParameterError, match="no costs"):
        adaptive(REAL, "pure", 1, [])
    for refused in (
        lambda: adaptive(REAL, "renyi:8", 1, [1]),
        lambda: FullyAdaptive(REAL, "renyi:8").filtered(1, 1),
    ):
        with pytest.raises(ParameterError, match=r"states a cost in renyi:8.*\n.*Filter\("):
            refused()
    assert queries.privacy_loss(1) == 0


def test_queries_are_not_copied_and_their_measurements_are() -> None:
    start = FullyAdaptive(REAL, "pure").filtered(1, 1)
    assert pickle.loads(pickle.dumps(start)).map(1) == 1
    queries = start(5.0)
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="private"):
            duplicate(queries)
    assert "5.0" not in repr(queries)
