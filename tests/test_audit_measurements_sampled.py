"""Audits by samples: what is refuted, what survives, how often a correct mechanism is refuted."""

from __future__ import annotations

import random
from fractions import Fraction
from math import exp, inf, log
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import metricdp as dp
from metricdp.audit.measurements import sampled
from metricdp.audit.measurements.events import at_least, choose
from metricdp.audit.measurements.outputs import OutputCodes, table, taken_apart
from metricdp.audit.measurements.views import NO_BIT, lowest_bit, views
from metricdp.errors import ParameterError

ROWS = [([], [1.0])]


def coin(share: float) -> Any:
    return lambda truth, rng: bool(truth) ^ bool(rng.random() > share)


def test_a_coin_is_bracketed() -> None:
    share = exp(1) / (1 + exp(1))
    pairs = [(True, False)]
    verdict = sampled(coin(share), epsilon=1, pairs=pairs, samples=40_000, confidence=1 - 1e-9)
    assert not verdict.refuted
    assert 0.85 < verdict.loss <= 1
    verdict = sampled(coin(share), epsilon=0.8, pairs=pairs, samples=40_000)
    assert verdict.refuted
    assert 0.8 < verdict.loss <= 1
    assert verdict.p[0] <= share
    assert verdict.q[1] >= 1 - share


def test_the_false_alarm_rate_is_kept() -> None:
    """At confidence 0.8, thirty audits of a coin that keeps its claim exactly: the number of false
    alarms is above the 1 - 1e-6 quantile of Bin(30, 0.2) with probability at most 1e-6."""
    share = exp(0.5) / (1 + exp(0.5))
    alarms = sum(
        sampled(
            coin(share), epsilon=0.5, pairs=[(True, False)], samples=1000, confidence=0.8, seed=seed
        ).refuted
        for seed in range(30)
    )
    assert alarms <= binom.isf(1e-6, 30, 0.2)


@pytest.mark.parametrize(
    ("mechanism", "word"),
    [
        (lambda rows: 1 / len(rows), "ZeroDivisionError"),
        (lambda rows: dict.fromkeys(rows, 1), "built"),
        (lambda rows: [random.random() for _ in rows], "built"),
        (lambda rows: None if rows else 0, "int"),
        (lambda rows: float("nan") if rows else random.random(), "kind of output"),
        (lambda rows: inf if rows else random.random(), "kind of output"),
        (lambda rows: "yes" if rows else "no", "no"),
        (lambda rows: len(rows) + np.random.laplace(), "lowest bit"),
        (lambda rows: random.choice([0.5, 1.5]) if rows else random.random(), "output"),
        (lambda rows: (random.random(),) * (2 if rows else 1), "built"),
    ],
)
def test_what_outputs_show(mechanism: Any, word: str) -> None:
    verdict = sampled(mechanism, epsilon=1, pairs=ROWS, samples=8000)
    assert verdict.refuted
    assert word in verdict.event


def test_a_mechanism_in_real_numbers() -> None:
    def naive(rows: list[float]) -> float:
        return len(rows) + np.random.laplace()

    assert sampled(naive, epsilon=1, pairs=ROWS, samples=8000).refuted
    assert not sampled(naive, epsilon=1, pairs=ROWS, samples=8000, bits=False).refuted


def test_a_space_is_searched() -> None:
    def total(rows: list[float]) -> float:
        return sum(min(row, 1.0) for row in rows) + np.random.laplace()

    # Nothing below is clamped: one row far below 0.
    verdict = sampled(total, epsilon=1, space=dp.Records[float], samples=4000, bits=False)
    assert verdict.refuted
    assert verdict.d_in == 1


def test_seeds_repeat_and_states_are_restored() -> None:
    def noisy(rows: list[float]) -> float:
        return len(rows) + random.gauss(0, 1) + np.random.normal()

    random.seed(5)
    np.random.seed(5)
    expected = random.random(), np.random.random()
    random.seed(5)
    np.random.seed(5)
    first = sampled(noisy, epsilon=3, pairs=ROWS, samples=2000, seed=3, seconds=60)
    assert (random.random(), np.random.random()) == expected
    second = sampled(noisy, epsilon=3, pairs=ROWS, samples=2000, seed=3, seconds=60)
    assert (first.loss, first.event) == (second.loss, second.event)
    other = sampled(noisy, epsilon=3, pairs=ROWS, samples=2000, seed=4, seconds=60)
    assert other.loss != first.loss


def test_delta_is_subtracted() -> None:
    def leaky(rows: list[float]) -> str:
        return "leak" if rows and random.random() < 0.02 else "none"

    assert sampled(leaky, epsilon=1, delta=0.001, pairs=ROWS, samples=20_000).refuted
    assert not sampled(leaky, epsilon=1, delta=0.021, pairs=ROWS, samples=20_000).refuted


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": -1}, {"epsilon": float("nan")}, {"delta": 1}, {"delta": -0.1}, {"samples": 0},
        {"seconds": -1}, {"most": 0}, {"confidence": 1}, {"confidence": 0}, {"pairs": []},
        {"pairs": [1]}, {"pairs": None}, {"space": dp.Records[float]}, {"epsilon": "1"},
        {"pairs": None, "space": int},
    ],
)  # fmt: skip
def test_bad_input(wrong: dict[str, Any]) -> None:
    given = {"epsilon": 1, "pairs": ROWS, "samples": 500, **wrong}
    with pytest.raises(ParameterError):
        sampled(len, **given)


def test_a_batch_of_another_length_is_refused() -> None:
    with pytest.raises(ParameterError, match="batch"):
        sampled(len, epsilon=1, pairs=ROWS, batch=lambda x, count: np.zeros(3))


def test_lowest_bits() -> None:
    values = [0, 1, 2, 3, 0.5, 0.75, 0.1, -6, 5e-324, 2.0**1000, float("nan")]
    found = lowest_bit(np.array(values))
    exact = [_lowest(Fraction(v)) if v == v else None for v in values]
    assert [None if np.isnan(e) else int(e) for e in found] == exact


def _lowest(value: Fraction) -> int:
    if not value:
        return NO_BIT
    top = abs(value.numerator)
    return (top & -top).bit_length() - 1 - (value.denominator.bit_length() - 1)


def test_outputs_come_apart() -> None:
    assert taken_apart({"b": 2, "a": (1, None)})[1] == (1, None, 2)
    codes = OutputCodes()
    found = table([(1, None), (2.5, "x"), (float("inf"), 3)], codes)
    assert np.array_equal(found.numbers[:, 0], [1, 2.5, np.nan], equal_nan=True)
    assert [codes.text(c) for c in found.labels[:, 1]] == ["None", "x", "a finite number"]


def test_scores_are_no_higher_than_exact_bounds() -> None:
    """Chernoff's bound is valid: below Clopper and Pearson's."""
    from metricdp.laws.binomial import proportion_at_least

    hits = np.array([0, 1, 5, 50, 99, 100])
    for alpha in (0.1, 1e-3, 1e-9):
        exact = [float(proportion_at_least(int(k), 100, Fraction(alpha))) for k in hits]
        assert (at_least(hits, 100, alpha) <= np.array(exact) + 1e-8).all()


def test_chance_is_not_chosen_for_a_score() -> None:
    """Equal laws: over six samples no chosen event scores an epsilon, at alpha 1e-3 per look.

    The score is a bound at alpha on counts that also chose the event, of some 400 looks; with the
    seeds fixed this is a regression test of the choice, not of the guarantee.
    """
    for seed in range(6):
        rng = np.random.default_rng(seed)
        a, b = rng.integers(0, 300, (2, 3000, 2)).astype(float)
        codes = OutputCodes()
        event = choose(table(a, codes), table(b, codes), None, 0.0, 1e-6)
        assert event.score < 0.4, (seed, event)


def test_views_are_functions_of_one_output() -> None:
    """The value of every view on a row does not depend on the other rows."""
    rng = np.random.default_rng(0)
    outputs = rng.normal(size=(50, 3))
    codes = OutputCodes()
    whole, single = table(outputs, codes), table(outputs[7:8], codes)
    for (name, _, values), (_, _, alone) in zip(views(whole), views(single), strict=True):
        assert np.array_equal(values()[7:8], alone(), equal_nan=True), name


def test_the_shown_epsilon_is_that_of_the_bounds() -> None:
    verdict = sampled(coin(0.9), epsilon=1, pairs=[(True, False)], samples=4000)
    assert verdict.refuted
    assert float(verdict.loss) == pytest.approx(log(verdict.p[0] / verdict.q[1]), rel=1e-12)
    assert "confidence 1 - 1e-06" in str(verdict)
