"""What a session files is the cost at its own unit: one person with five visits pays for five.

The record said 0.1 where the ledger row said 0.5, and "oo" or another number for other units.
"""

from __future__ import annotations

import json
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

import metricdp as dp
from metricdp import Real
from metricdp.expr import decimal_up
from metricdp.maps import Measurement, make
from metricdp.spaces import Scalar

VISITS, POOR = [1.0, 2.0, 3.0], [1.0]
SIGNS = {"epsilon": "ε", "delta": "δ", "rho": "ρ"}


@dp.measurement
def one(visits: dp.Records[float], eps: float):
    return dp.laplace(dp.count(visits), epsilon=eps)


@dp.measurement
def two(visits: dp.Records[float], poor: dp.Records[float], eps: float):
    return dp.laplace(dp.count(visits) + dp.count(poor), epsilon=eps)


@dp.measurement
def rho(visits: dp.Records[float]):
    return dp.gaussian(dp.count(visits), rho=0.1)


def session(budget: dp.Budget, **unit: Any) -> dp.Session:
    data = {"visits": (dp.Records[float], VISITS), "poor": (dp.Records[float], POOR)}
    return dp.Session(data, budget=budget, unit=dp.Unit("one person", **unit))


def counted(s: dp.Session) -> Any:
    return dp.laplace(dp.count(s["visits"]), epsilon=0.1)


def by_hand(s: dp.Session) -> Any:
    return s.release(Measurement(dp.Records[float], len, {"pure": "d_in/10"}), "visits")


EPSILON = dp.Budget(epsilon=100)
CASES = [
    (EPSILON, {"visits": 5, "poor": 1}, lambda s: s.run(one, eps=0.1), {"epsilon": F(1, 2)}),
    (EPSILON, {"visits": 5, "poor": 1}, lambda s: s.run(two, eps=0.1), {"epsilon": F(6, 10)}),
    (EPSILON, {"visits": 5, "poor": 0}, lambda s: s.run(two, eps=0.1), {"epsilon": F(1, 2)}),
    (EPSILON, {"visits": 5, "poor": 1}, counted, {"epsilon": F(1, 2)}),
    (EPSILON, {"visits": 5, "poor": 1}, by_hand, {"epsilon": F(1, 2)}),
    (dp.Budget(rho=100), {"visits": 5, "poor": 1}, lambda s: s.run(rho), {"rho": F(5, 2)}),
    (
        dp.Budget(epsilon=100, delta=0.5), {"visits": 5, "poor": 1},
        lambda s: s.run(one, eps=0.1), {"epsilon": F(1, 2), "delta": F(0)},
    ),
    (EPSILON, {"visits": 1, "poor": 1}, lambda s: s.run(one, eps=0.1), {"epsilon": F(1, 10)}),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(CASES)))
def test_every_view_of_a_release_states_what_its_row_says(case: int) -> None:
    budget, unit, ask, cost = CASES[case]
    opened = session(budget, **unit)
    release = ask(opened)
    (row,) = [r for r in opened.ledger.rows() if r.kind == "spend"]
    assert row.numbers("cost") == cost
    words = {name: decimal_up(value) for name, value in cost.items()}
    stated = {k: v for k, v in release.privacy.items() if k in words}
    assert stated == words and set(release.privacy) <= {*words, "delta"}
    record = json.loads(release.to_json())
    assert {k: record["guarantee"]["parameters"][k] for k in words} == words
    assert record["unit of privacy"] == record["composition"]["unit of the session"]
    assert record["unit of privacy"].startswith("one person (visits: ")
    for name, value in words.items():
        assert f"{name}: {value}" in release.to_markdown()
        if value != "0":
            assert f"cost {SIGNS[name]} = {value}" in release._repr_html_()
            assert f"{SIGNS[name]} = {value}" in release.cost
            assert record["composition"]["this release cost"].startswith(f"{SIGNS[name]} = {value}")


def test_a_half_of_a_unit_is_a_half_of_the_cost() -> None:
    opened = dp.Session({"x": (Real, 3.0)}, budget=EPSILON, unit=dp.Unit(x=0.5))
    for release in (
        opened.release(make("laplace", Scalar("Real"), scale=2)),
        opened.release(Measurement(Scalar("Real"), lambda x: 1.0, {"pure": "d_in/2"})),
    ):
        assert release.privacy == {"epsilon": "0.25", "delta": "0"}
        assert "0.5 times" in release.unit


def test_an_answer_that_is_given_again_states_the_same(tmp_path: Path) -> None:
    def opened() -> dp.Session:
        return dp.Session(
            {"visits": (dp.Records[float], VISITS)}, budget=EPSILON,
            unit=dp.Unit("one person", visits=5), dataset="v", ledger=tmp_path / "ledger.db",
        )  # fmt: skip

    first = opened().run(one, eps=0.1)
    again = opened().run(one, eps=0.1)
    assert again.value == first.value
    assert (again.privacy, again.unit) == (first.privacy, first.unit)
    assert first.privacy["epsilon"] == "0.5"
    assert opened().left() == {"epsilon": F(199, 2)}
