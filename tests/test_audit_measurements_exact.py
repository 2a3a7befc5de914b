"""Exact audits: finite mechanisms, Measurements, what is refused; and the dispatcher."""

from __future__ import annotations

import random
from fractions import Fraction
from math import exp, inf, log, tanh
from typing import Any

import numpy as np
import pytest
from depth import depth
from hypothesis import given, settings
from hypothesis import strategies as st

import metricdp as dp
from metricdp.audit import Pair, audited, finite, measurement
from metricdp.audit.measurements import PrivacyClaim
from metricdp.audit.testing import assert_private
from metricdp.errors import ParameterError
from metricdp.laws import FiniteLaw
from metricdp.maps import make
from metricdp.maps.distances import space_of

F = Fraction
COIN = [[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]]
ROWS = space_of(dp.Records[float], "x")


def test_the_claim_of_a_coin_is_decided_at_its_edge() -> None:
    """ln 3 = 1.0986122886681098...: refuted a little below, and not above."""
    assert finite(COIN, epsilon=F(10986122886, 10**10)).refuted
    assert not finite(COIN, epsilon=F(10986122887, 10**10)).refuted
    # delta(epsilon) = (3/4 - e^epsilon / 4)+, at epsilon = 1/2.
    delta = F(3, 4) - F(exp(0.5)) / 4
    assert finite(COIN, epsilon=0.5, delta=delta - F(1, 10**12)).refuted
    assert not finite(COIN, epsilon=0.5, delta=delta + F(1, 10**12)).refuted
    rho = log(3) * tanh(log(3) / 2)
    assert finite(COIN, rho=0.2).refuted
    assert not finite(COIN, rho=rho).refuted


def test_all_forms_of_a_mechanism_agree() -> None:
    forms: list[tuple[Any, Any]] = [
        (COIN, None),
        ({0: {0: F(3, 4), 1: F(1, 4)}, 1: {0: F(1, 4), 1: F(3, 4)}}, None),
        (lambda x: {x: F(3, 4), 1 - x: F(1, 4)}, (0, 1)),
        (lambda x: FiniteLaw({x: F(3, 4), 1 - x: F(1, 4)}), (0, 1)),
    ]
    for form, inputs in forms:
        verdict = finite(form, epsilon=1, inputs=inputs)
        assert verdict.refuted
        assert float(verdict.loss) == pytest.approx(log(3), rel=1e-12)
        assert (verdict.p, verdict.q) == ((F(3, 4),) * 2, (F(1, 4),) * 2)


@given(st.data())
@settings(max_examples=depth(20, 40), deadline=None)
def test_finite_mechanisms_by_definition(data: st.DataObject) -> None:
    """Against all 2^n events of random matrices: the claim holds or an event breaks it."""
    size = data.draw(st.integers(2, 4))
    weights = st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(any)
    rows = [[F(w, sum(row)) for w in row] for row in data.draw(st.lists(weights, min_size=2,
                                                                        max_size=3))]  # fmt: skip
    epsilon = data.draw(st.sampled_from([F(0), F(1, 2), F(1), F(2)]))
    delta = data.draw(st.sampled_from([F(0), F(1, 10), F(1, 3)]))
    # Rational events against a double: far from equality, or equal at epsilon 0.
    worst = max(
        sum(p[k] for k in event) - F(exp(epsilon)) * sum(q[k] for k in event)
        for p in rows for q in rows for event in _events(size)
    )  # fmt: skip
    if epsilon and abs(worst - delta) < F(1, 10**9):
        return
    assert finite(rows, epsilon=epsilon, delta=delta).refuted == (worst > delta)


def _events(size: int) -> list[list[int]]:
    return [[k for k in range(size) if bits >> k & 1] for bits in range(1 << size)]


def test_distances_scale_the_claim() -> None:
    def geometric(x: int) -> Any:
        from metricdp.laws import DiscreteLaplaceLaw

        return DiscreteLaplaceLaw(x, F(1))

    assert not finite(geometric, epsilon=1, pairs=[Pair(0, 2, F(2)), Pair(0, 1)]).refuted
    verdict = finite(geometric, epsilon=1, pairs=[Pair(0, 3, F(2))])
    assert verdict.refuted
    assert verdict.loss == 3
    with pytest.raises(ParameterError, match="distance"):
        finite(geometric, epsilon=1, delta=0.1, pairs=[Pair(0, 2, F(2))])


def test_an_outcome_that_a_neighbour_cannot_have() -> None:
    verdict = finite([[F(1), F(0)], [F(1, 2), F(1, 2)]], epsilon=5)
    assert verdict.refuted
    assert verdict.loss == inf
    assert verdict.q == (0, 0)
    assert "infinite" in str(verdict)


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": None}, {"rho": 1}, {"epsilon": -1}, {"delta": 1}, {"pairs": []},
        {"pairs": [3]}, {"inputs": [0]}, {"epsilon": inf},
    ],
)  # fmt: skip
def test_bad_input(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        finite(COIN, **{"epsilon": 1, **wrong})
    with pytest.raises(ParameterError):
        finite([[F(3, 4), F(1, 2)], [F(1, 4), F(3, 4)]], epsilon=1)


def noisy_count(mechanism: str = "laplace") -> Any:
    count = make("count", ROWS)
    return count >> make(mechanism, count.output_space, scale=2)


def test_a_measurement_with_a_law() -> None:
    verdict = measurement(noisy_count(), measures=("pure",), most=6)
    assert not verdict.refuted
    assert (verdict.auditor, verdict.closest, verdict.false_alarm) == ("exact", 1, 0)
    made = noisy_count()
    wrong = dp.Measurement(ROWS, made.function, {"pure": "d_in/4"}, "half", enter=made.enter)
    verdict = measurement(wrong, pairs=[([], [1.0]), ([1.0], [2.0])])
    assert verdict.refuted
    assert (verdict.loss, verdict.d_in) == (F(1, 2), 1)


def test_a_measurement_by_hand_is_sampled() -> None:
    def noisy(rows: list[float]) -> float:
        return len(rows) + random.choice((0, 0, 1))

    right = dp.Measurement(ROWS, noisy, {"approx": ("d_in", "1")}, "right")
    assert not measurement(right, samples=1000, most=3).refuted
    wrong = dp.Measurement(ROWS, noisy, {"pure": "d_in"}, "wrong")
    verdict = measurement(wrong, samples=2000, most=3)
    assert (verdict.refuted, verdict.auditor) == (True, "sampled")
    few = dp.Measurement(ROWS, noisy, {"zcdp": "d_in**2/50"}, "few")
    verdict = measurement(few, samples=2000, most=3)
    assert verdict.refuted
    assert verdict.claim.measure == "approx"


def test_what_a_measurement_refuses() -> None:
    with pytest.raises(ParameterError, match="no Measurement"):
        measurement(len)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="no renyi map"):
        measurement(noisy_count(), measures=("renyi",))
    scalar = dp.Measurement(
        space_of(dp.Records[float, dp.ChangeOne], "x"), len, {"pure": "d_in"}, "count"
    )
    with pytest.raises(ParameterError, match="infinitely far"):
        measurement(scalar, pairs=[([], [1.0])])


def test_everything_that_claims_privacy_is_audited() -> None:
    def naive(rows: list[float]) -> Any:
        return len(rows) + np.random.laplace()

    auditors = [v.auditor for v in audited(naive, epsilon=2, space=dp.Records[float],
                                           samples=2000, seconds=60, bits=False)]  # fmt: skip
    assert auditors == ["replay", "sampled"]
    found = audited(naive, epsilon=0.5, space=dp.Records[float], samples=2000)
    assert [(v.auditor, v.refuted) for v in found] == [("replay", True)]
    made = noisy_count("discrete_laplace")
    assert [v.auditor for v in audited(made, seconds=60)] == ["replay", "exact"]
    assert [v.auditor for v in audited(COIN, epsilon=2)] == ["exact"]
    for wrong in ({"target": len}, {"target": noisy_count(), "epsilon": 1}):
        with pytest.raises(ParameterError):
            audited(wrong.pop("target"), **wrong)


def test_randomness_that_a_replay_does_not_see_is_no_leak() -> None:
    """Bits of the system's own generator: half of the answers are turned by each of two coins."""
    import secrets

    def answer(truth: bool) -> bool:
        return truth if secrets.randbelow(4) else not truth

    pairs = [(True, False)]
    assert not refuted(answer, 1.2, pairs)
    assert refuted(answer, 0.8, pairs)
    # Names that were imported from a module are seen.
    from random import random as draw

    def another(truth: bool) -> bool:
        return truth if draw() < 0.75 else not truth

    assert not refuted(another, 1.2, pairs)


def refuted(mechanism: Any, epsilon: float, pairs: Any) -> bool:
    """Whether the last verdict refutes."""
    return audited(mechanism, epsilon=epsilon, pairs=pairs, samples=8000)[-1].refuted


def test_a_users_test_fails_with_the_verdict() -> None:
    assert_private(COIN, epsilon=1.1)
    with pytest.raises(AssertionError, match="epsilon is at least") as caught:
        assert_private(COIN, epsilon=1)
    assert "probability 0.75 on x, 0.25 on x'" in str(caught.value)


def test_claims_print_what_was_typed() -> None:
    assert str(PrivacyClaim.of(0.1, 1e-6)) == "epsilon 1/10, delta 1e-06"
    assert str(PrivacyClaim.of(inf)) == "epsilon oo"
    assert PrivacyClaim.of(1, 0.5).delta == F(1, 2)
    for wrong in ((-1, 0), (1, 1), (float("nan"), 0), (True, 0), ("1", 0)):
        with pytest.raises(ParameterError):
            PrivacyClaim.of(*wrong)
