"""`function.solve(...)`: the answer is that of the command line, and mistakes have their types."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import metricdp as dp
from metricdp import Real, Records
from metricdp.answers import errors, solve
from metricdp.errors import MetricdpError, NotProvedError


@dp.measurement
def noisy(x: Real, scale: float):  # type: ignore[no-untyped-def]
    return dp.laplace(3 * x, scale=scale)


@dp.measurement
def rounds(rows: Records[float], k: int, sigma: float = 7.0):  # type: ignore[no-untyped-def]
    out = 0
    for _ in range(k):
        out = out + dp.gaussian(dp.count(rows), scale=sigma)
    return out


@dp.measurement
def unproved(x: Real, scale: float):  # type: ignore[no-untyped-def]
    return x


@dp.transformation
def twice(x: Real):  # type: ignore[no-untyped-def]
    return 2 * x


@pytest.mark.parametrize("budget", [0.5, "0.5", "1/2", Fraction(1, 2), Decimal("0.5")])
def test_a_scale_for_an_epsilon(budget: Any) -> None:
    found = noisy.solve("scale", epsilon=budget)
    assert found.value == 6
    assert found.cost["x"]["epsilon"] == Fraction(1, 2)
    assert found == solve(noisy, "scale", epsilon=budget)


def test_the_run_at_the_answer_costs_no_more() -> None:
    scale = float(noisy.solve("scale", epsilon=0.3).value)
    assert noisy.map(1, scale=scale) <= Fraction(3, 10)


def test_other_parameters_and_distances() -> None:
    at_ten = rounds.solve("sigma", rho=0.5, k=10)
    assert at_ten.value == solve(rounds, "sigma", rho=0.5, set={"k": 10}).value
    assert rounds.solve("sigma", rho=0.5, k=10, distance={"rows": 2}).value > at_ten.value
    # The default of sigma counts, unless another one is given.
    assert rounds.solve("k", rho=0.5).value == 49
    assert rounds.solve("k", rho=0.5, sigma=14).value == 196
    assert rounds.solve("sigma", epsilon=1, delta=1e-6, k=10).budget["delta"] == Fraction("1e-6")


WRONG: list[tuple[type[MetricdpError], str, dict[str, Any], str]] = [
    (errors.WrongBudget, "scale", {}, "epsilon=1"),
    (errors.WrongBudget, "scale", {"epsilon": 1, "rho": 1}, "epsilon=1"),
    (errors.WrongBudget, "scale", {"epsilon": "much"}, "epsilon="),
    (errors.WrongBudget, "scale", {"epsilon": float("nan")}, "epsilon="),
    (errors.WrongBudget, "scale", {"epsilon": True}, "epsilon="),
    (errors.WrongBudget, "scale", {"epsilon": -1}, "at least 0"),
    (errors.WrongBudget, "scale", {"epsilon": 1, "delta": 2}, "delta=1e-6"),
    (errors.WrongBudget, "scale", {"rho": 1, "delta": 0.1}, "leave out delta"),
    (errors.WrongValue, "scale", {"epsilon": 1, "other": "big"}, "other="),
    (errors.WrongValue, "scale", {"epsilon": 1, "other": None}, "other="),
    (errors.WrongValue, "scale", {"epsilon": 1, "distance": {"x": -1}}, "0 or more"),
    (errors.UnknownParameter, "size", {"epsilon": 1}, "scale"),
    (errors.UnknownParameter, "scale", {"epsilon": 1, "other": 3}, "scale"),
    (errors.UnknownParameter, "scale", {"epsilon": 1, "scale": 3}, "leave out scale="),
    (errors.UnknownParameter, "scale", {"epsilon": 1, "distance": {"y": 1}}, "x"),
    (errors.BudgetUnreachable, "scale", {"epsilon": 0}, "a larger budget"),
]


@pytest.mark.parametrize(("kind", "for_", "given", "remedy"), WRONG)
def test_mistakes_are_typed(
    kind: type[MetricdpError], for_: str, given: dict[str, Any], remedy: str
) -> None:
    with pytest.raises(kind) as caught:
        noisy.solve(for_, **given)
    assert remedy in caught.value.remedy
    assert "--" not in caught.value.remedy
    assert caught.value.fact


def test_a_missing_parameter_is_named() -> None:
    with pytest.raises(errors.MissingValue) as caught:
        rounds.solve("sigma", rho=1)
    assert caught.value.remedy == "k=..."


def test_what_has_no_cost() -> None:
    with pytest.raises(NotProvedError, match="unproved"):
        unproved.solve("scale", epsilon=1)
    with pytest.raises(errors.AnswerError, match="spends nothing"):
        twice.solve("x", epsilon=1)
    with pytest.raises(errors.UnknownParameter):
        noisy.solve(3, epsilon=1)  # type: ignore[arg-type]
