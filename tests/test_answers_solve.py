"""`metricdp solve`: the value meets the budget, and one step beyond it does not."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from depth import depth
from hypothesis import given, settings
from hypothesis import strategies as st

from metricdp.answers import errors, solve
from metricdp.answers.boundary import boundary
from metricdp.answers.budget import CostTarget, largest_rho
from metricdp.answers.programs import programs
from metricdp.apps.cli import main
from metricdp.check.verdicts.verify import Outcome
from metricdp.errors import NotProvedError, ParameterError
from metricdp.expr import parse, sym
from metricdp.measures.implications import zcdp_epsilon

SOURCE = """\
import metricdp as dp
from metricdp import Real, Records


@dp.measurement
def total(visits: Records[float], scale: float):
    return dp.laplace(dp.sum(dp.clamp(visits, 0, 20)), scale=scale)


@dp.measurement
def target(visits: Records[float], eps: float, share: float = 0.5):
    kept = dp.clamp(visits, 0, 20)
    a = dp.laplace(dp.sum(kept), epsilon=eps * share)
    return a / dp.laplace(dp.count(kept), epsilon=eps * share)


@dp.measurement
def rounds(visits: Records[float], k: int, sigma: float):
    s, out = dp.sum(dp.clamp(visits, 0, 20)), 0
    for i in range(k):
        out = out + dp.gaussian(s, scale=sigma)
    return out


@dp.measurement
def mixed(visits: Records[float], scale: float):
    kept = dp.clamp(visits, 0, 20)
    first = dp.laplace(dp.sum(kept), scale=scale)
    return first + dp.laplace(dp.count(kept), scale=scale * scale)


@dp.measurement
def classic(visits: Records[float], eps: float, delta: float):
    return dp.gaussian_mechanism(20, eps, delta, dp.sum(dp.clamp(visits, 0, 20)))


@dp.measurement
def fixed(visits: Records[float], unused: float):
    return dp.laplace(dp.count(visits), scale=2) + unused


@dp.measurement
def two(a: Records[float], b: Records[float], scale: float):
    return dp.laplace(dp.count(a) + 2 * dp.count(b), scale=scale)


@dp.transformation
def plain(x: Real, c: float):
    return c * x


@dp.measurement
def bad(x: Real, scale: float):
    return x
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("solve") / "pay.py"
    file.write_text(SOURCE, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def named(path: Path) -> dict[str, Outcome]:
    return {o.declared.name: o for o in programs([str(path)]).outcomes}


@pytest.mark.parametrize(
    ("name", "parameter", "asked", "value", "direction", "closed"),
    [
        ("total", "scale", {"epsilon": "1"}, "20", "least", True),
        ("total", "scale", {"epsilon": "0.3"}, "66.66666667", "least", True),
        ("total", "scale", {"epsilon": "1", "distance": {"visits": 3}}, "60", "least", True),
        ("target", "eps", {"epsilon": "1"}, "1", "most", True),
        ("target", "eps", {"epsilon": 1, "set": {"share": "0.75"}}, "0.6666666666", "most", True),
        ("rounds", "k", {"rho": "1", "set": {"sigma": 50}}, "12", "most", True),
        ("rounds", "sigma", {"rho": "0.5", "set": {"k": 10}}, "63.24555321", "least", True),
        ("rounds", "sigma", {"rho": "0.5", "set": {"k": 4}}, "40", "least", True),
        ("mixed", "scale", {"epsilon": "1"}, "20.04987563", "least", False),
        ("two", "scale", {"epsilon": "1"}, "2", "least", True),
        ("two", "scale", {"epsilon": "1", "distance": {"b": 3}}, "6", "least", True),
        ("classic", "eps", {"epsilon": "0.5", "delta": "1e-6", "set": {"delta": "1e-6"}},
         "0.6576135841", "most", False),
        ("classic", "eps", {"epsilon": "0.9", "delta": "1e-6", "set": {"delta": "1e-6"}},
         "0.9999999999", "most", False),
    ],
)  # fmt: skip
def test_values(
    named: dict[str, Outcome], name: str, parameter: str, asked: dict, value: str, direction: str,
    closed: bool,
) -> None:  # fmt: skip
    found = solve(named[name], parameter, **asked)
    assert (found.text, found.direction, found.closed) == (value, direction, closed)
    assert found.best == ("delta" not in asked)
    for cost in found.cost.values():
        assert cost.get("epsilon", 0) <= Fraction(asked.get("epsilon", 0))
        assert cost.get("rho", 0) <= Fraction(asked.get("rho", 0))


def test_a_budget_at_delta_uses_the_accountant(named: dict[str, Outcome]) -> None:
    found = solve(named["rounds"], "sigma", epsilon=1, delta="1e-6", set={"k": 10})
    guarantee, delta = named["rounds"].guarantee, Fraction("1e-6")
    assert guarantee is not None

    def epsilon(sigma: Fraction) -> Fraction:
        return guarantee.certified("visits", delta, {"k": Fraction(10), "sigma": sigma}).epsilon

    assert epsilon(found.value) <= 1 < epsilon(found.value * (1 - Fraction(1, 10**5)))
    assert found.cost["visits"] == {"epsilon": epsilon(found.value), "delta": delta}
    rho_only = 10 * Fraction(20) ** 2 / (2 * largest_rho(Fraction(1), delta))
    assert found.value**2 < rho_only
    assert found.rule == "Gaussian composition" and not found.best
    rounds = solve(named["rounds"], "k", epsilon=1, delta="1e-6", set={"sigma": found.value})
    assert rounds.value == 10


@pytest.mark.parametrize(
    ("name", "parameter", "asked", "error"),
    [
        ("total", "nothing", {"epsilon": 1}, errors.UnknownParameter),
        ("total", "visits", {"epsilon": 1}, errors.UnknownParameter),
        ("total", "scale", {"epsilon": 1, "set": {"other": 1}}, errors.UnknownParameter),
        ("total", "scale", {"epsilon": 1, "set": {"scale": 1}}, errors.UnknownParameter),
        ("total", "scale", {"epsilon": 1, "distance": {"scale": 1}}, errors.UnknownParameter),
        ("rounds", "k", {"rho": 1}, errors.MissingValue),
        ("rounds", "k", {"epsilon": 1, "set": {"sigma": 50}}, errors.WrongBudget),
        ("rounds", "k", {"set": {"sigma": 50}}, errors.WrongBudget),
        ("total", "scale", {"epsilon": 1, "rho": 1}, errors.WrongBudget),
        ("total", "scale", {"rho": 1, "delta": "1e-6"}, errors.WrongBudget),
        ("total", "scale", {"epsilon": -1}, errors.WrongBudget),
        ("total", "scale", {"epsilon": 1, "delta": 1}, errors.WrongBudget),
        ("fixed", "unused", {"epsilon": 1}, errors.CostIndependent),
        ("total", "scale", {"epsilon": 0}, errors.BudgetUnreachable),
        ("rounds", "k", {"rho": "0.01", "set": {"sigma": 50}}, errors.BudgetUnreachable),
        ("classic", "eps", {"epsilon": 2, "delta": "1e-6", "set": {"delta": "1e-6"}},
         errors.RequirementViolated),
        ("classic", "eps", {"epsilon": "0.5", "delta": "1e-6", "set": {"delta": "1.5"}},
         errors.RequirementViolated),
        ("classic", "eps", {"epsilon": "0.5", "delta": "1e-6", "set": {"delta": "1e-5"}},
         errors.BudgetUnreachable),
        ("rounds", "sigma", {"rho": 1, "set": {"k": "1.5"}}, errors.RequirementViolated),
        ("plain", "c", {"epsilon": 1}, errors.AnswerError),
        ("bad", "scale", {"epsilon": 1}, NotProvedError),
    ],
)  # fmt: skip
def test_errors(
    named: dict[str, Outcome], name: str, parameter: str, asked: dict, error: type[Exception]
) -> None:
    with pytest.raises(error) as raised:
        solve(named[name], parameter, **asked)
    assert raised.value.remedy  # type: ignore[attr-defined]
    assert error is NotProvedError or issubclass(error, ParameterError)


COSTS = st.tuples(
    st.fractions(min_value=Fraction(1, 1000), max_value=1000),
    st.sampled_from([Fraction(e, d) for e in (-3, -2, -1, 1, 2, 3) for d in (1, 2)]),
    st.fractions(min_value=Fraction(1, 1000), max_value=1000),
)


@settings(max_examples=depth(30, 60), deadline=None)
@given(COSTS)
def test_closed_form_and_bisection_agree(drawn: tuple[Fraction, Fraction, Fraction]) -> None:
    c, k, limit = drawn
    p = sym("p", positive=True)
    closed = boundary(c * p**k, "p", limit, False)
    # A shift by 0 * p keeps the value and hides the monomial from the closed form.
    shifted = boundary(c * p**k + c * p**k * p - c * p**k * p, "p", limit, False)
    assert shifted.value == closed.value
    assert closed.closed
    searched = boundary(c * p**k + 1, "p", limit + 1, False)
    assert searched.direction == closed.direction and not searched.closed and searched.monotone
    assert abs(searched.value - closed.value) <= closed.value / 2**50
    for found in (closed, searched):
        # The enclosure of a root has a width of its own.
        assert (c * p**k).lower({"p": found.value}) <= limit
        beyond = found.value * (1 + (1 if k > 0 else -1) * Fraction(1, 2**40))
        assert (c * p**k).lower({"p": beyond}) > limit


def test_whole_parameters_and_the_ends_of_the_search() -> None:
    n = sym("n", integer=True)
    cost = parse("Sum(r**i, (i, 0, n - 1))", {"n": n}).subs({"r": parse("2")})
    found = boundary(cost, "n", Fraction(100), True)
    assert (found.direction, found.value) == ("most", 6)
    assert boundary(parse("1 + 1/p"), "p", Fraction(1), False).direction == "none"
    assert boundary(parse("1 + 1/(1 + p)"), "p", Fraction(2), False).direction == "any"
    assert boundary(parse("2"), "p", Fraction(1), False).direction == "none"
    assert boundary(parse("2"), "p", Fraction(2), False).direction == "any"
    assert not boundary(parse("p + 1/p"), "p", Fraction(10), False).monotone


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-6"), ("0.1", "1e-5"), ("8", "1e-9")])
def test_largest_rho(epsilon: str, delta: str) -> None:
    rho = largest_rho(Fraction(epsilon), Fraction(delta))
    assert zcdp_epsilon(rho, Fraction(delta)).value <= Fraction(epsilon)
    assert zcdp_epsilon(rho * (1 + Fraction(1, 10**6)), Fraction(delta)).value > Fraction(epsilon)


def test_budget_is_either_epsilon_or_rho() -> None:
    assert CostTarget(Fraction(1), None, Fraction(1, 2)).parts() == {
        "epsilon": 1,
        "delta": Fraction(1, 2),
    }
    with pytest.raises(errors.WrongBudget):
        CostTarget()


def test_command(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", f"{path}::total", "--for", "scale", "--epsilon", "0.3"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("scale = 66.66666667   the least that meets ε = 0.3\n")
    assert "one record added or removed" in out
    command = ["solve", f"{path}::total", "--for", "scale", "--output-format", "json"]
    assert main([*command, "--epsilon", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["value"], found["direction"], found["best"]) == ("20", "least", True)
    assert found["inputs"][0]["cost"] == {"epsilon": 1}
    assert main([*command, "--epsilon", "0"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["kind"] == "budget-unreachable"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--for", "scale"],
        ["--for", "scale", "--epsilon", "1", "--rho", "1"],
        ["--for", "scale", "--rho", "1", "--delta", "0.1"],
        ["--for", "nothing", "--epsilon", "1"],
        ["--for", "scale", "--epsilon", "-1"],
        ["--for", "scale", "--epsilon", "x"],
        ["--epsilon", "1"],
    ],
)
def test_wrong_usage_is_exit_2_and_json(
    path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert main(["solve", f"{path}::total", *arguments, "--output-format", "json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert [d["code"] for d in found["diagnostics"]] == ["wrong-usage"]


def test_targets_that_are_not_there(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tail = ["--for", "scale", "--epsilon", "1"]
    for target in ("nowhere.py::f", f"{path}::nothing", str(path)):
        assert main(["solve", target, *tail]) == 2
    assert "total, target, rounds" in capsys.readouterr().err
    assert main(["solve", f"{path}::bad", *tail]) == 1
