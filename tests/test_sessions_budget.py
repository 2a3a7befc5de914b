"""Budgets, units, filters: what is counted, what is refused and what a refusal says."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from checked_modules import load

import metricdp as dp
from metricdp import Real
from metricdp.accounting.orders import epsilon_at, epsilon_of_order
from metricdp.accounting.renyi import LinearCurve
from metricdp.errors import BudgetError, MetricdpError, ParameterError, SpaceError
from metricdp.maps import make
from metricdp.sessions import mechanisms
from metricdp.spaces import L1, Records, Size, Vector

ROWS = [1.0, 0.5, 77.25, -3.0, 4.0]
DELTA = Fraction(1, 10**6)
PROGRAMS = """
@dp.measurement
def mean(x: dp.Records[float], eps: float = 1.0):
    kept = dp.clamp(x, 0, 20)
    return dp.laplace(dp.sum(kept), epsilon=eps / 2) / dp.laplace(dp.count(kept), epsilon=eps / 2)


@dp.measurement
def wide(x: dp.Records[float], scale: float):
    return dp.laplace(dp.sum(dp.clamp(x, 0, 20)), scale=scale)


@dp.measurement
def normal(x: dp.Records[float], rho: float):
    return dp.gaussian(dp.sum(dp.clamp(x, 0, 20)), rho=rho)


@dp.measurement
def sigma(x: dp.Records[float], scale: float):
    return dp.gaussian(dp.sum(dp.clamp(x, 0, 20)), scale=scale)


@dp.measurement
def both(x: dp.Records[float], y: dp.Records[float], eps: float):
    return dp.laplace(dp.sum(dp.clamp(x, 0, 2)) + dp.sum(dp.clamp(y, 0, 10)), epsilon=eps)


@dp.measurement
def fields(v: dp.Vector[Real, L1], lo: float, eps: float):
    return dp.laplace(dp.sum(dp.clamp(v, lo, 1)), epsilon=eps)


@dp.measurement
def by_place(x: dp.Records[float], eps: float, /):
    return dp.laplace(dp.count(x), epsilon=eps)


@dp.measurement
def listed(x: dp.Records[float], levels: tuple[float, ...], eps: float):
    return dp.laplace(dp.count(x), epsilon=eps)


@dp.transformation
def total(x: dp.Records[float]):
    return dp.sum(dp.clamp(x, 0, 20))


@dp.measurement
def failing(x: dp.Records[float], eps: float):
    return dp.laplace(dp.count(x), epsilon=eps), int("many")
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return load(tmp_path_factory.mktemp("programs"), PROGRAMS)


def opened(budget: dp.Budget, **more: Any) -> dp.Session:
    return dp.Session({"x": (dp.Records[float], ROWS)}, budget=budget, **more)


def test_limits_are_the_largest_that_imply_the_budget() -> None:
    assert dp.Budget(epsilon=0.1).limits() == {"epsilon": Fraction(1, 10)}
    assert dp.Budget(epsilon=1, delta=1e-6).limits() == {"epsilon": 1, "delta": DELTA}
    assert dp.Budget(rho="1/2").limits() == {"rho": Fraction(1, 2)}
    rho = dp.Budget(epsilon=1, delta=1e-6, by="rho").limits()["rho"]
    assert epsilon_at(LinearCurve(rho), DELTA).value <= 1
    assert epsilon_at(LinearCurve(rho * Fraction(100001, 100000)), DELTA).value > 1
    for alpha in (2, 8, 64):
        order = Fraction(alpha)
        try:
            limit = dp.Budget(epsilon=8, delta=1e-3, alpha=alpha).limits()["renyi"]
        except ParameterError:
            assert epsilon_of_order(order, Fraction(0), Fraction(1, 1000)) >= 8
            continue
        assert epsilon_of_order(order, limit, Fraction(1, 1000)) <= 8
        more = limit + Fraction(1, 10**9)
        assert epsilon_of_order(order, more, Fraction(1, 1000)) > 8


WRONG: list[dict[str, Any]] = [
    {}, {"epsilon": -1}, {"epsilon": 1, "rho": 1}, {"delta": 1e-6}, {"epsilon": 1, "delta": 0},
    {"epsilon": 1, "delta": 1}, {"rho": 1, "delta": 1e-6}, {"epsilon": 1, "by": "rho"},
    {"epsilon": float("nan")}, {"epsilon": float("inf")}, {"epsilon": "much"},
    {"epsilon": 1, "delta": 1e-6, "by": "luck"}, {"epsilon": 1, "delta": 1e-6, "alpha": 1},
    {"epsilon": 1, "delta": 1e-6, "by": "rho", "alpha": 2}, {"epsilon": 1, "step_delta": 1e-9},
    {"epsilon": 1, "delta": 1e-6, "by": "rho", "step_delta": 1e-9},
]  # fmt: skip


@pytest.mark.parametrize("given", WRONG, ids=str)
def test_budgets_that_mean_nothing_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        dp.Budget(**given)


def test_functions_are_charged_at_the_distance_of_the_unit(programs: Any) -> None:
    session = opened(dp.Budget(epsilon=1), unit=dp.Unit("one person, at most 5 rows", x=5))
    release = session.run(programs.mean, eps=0.1)
    assert session.left() == {"epsilon": Fraction(1, 2)}
    assert release.privacy["epsilon"] == "0.5"
    assert release.about is not None
    composition = release.about.composition
    assert composition["this release cost"] == "ε = 0.5"
    assert "at most 5 rows" in composition["unit of the session"]
    assert session.run(programs.mean, eps=0.1).value == release.value
    assert session.run(programs.mean, eps=0.1, fresh=True).value != release.value
    assert session.left() == {"epsilon": 0}
    with pytest.raises(BudgetError, match="nothing is left"):
        session.run(programs.mean, eps=0.01)


def test_data_are_no_public_argument(programs: Any) -> None:
    import numpy as np

    column = np.array(ROWS)
    session = dp.Session({"x": (dp.Records[float], column)}, budget=dp.Budget(epsilon=1))
    for shared in (column, column[1:], column.reshape(5, 1)):
        with pytest.raises(SpaceError, match="also passed as the public argument"):
            session.run(programs.listed, levels=shared, eps=0.1)
    session.run(programs.listed, levels=np.array([1.0, 2.0]), eps=0.1)


def test_parameters_by_place(programs: Any) -> None:
    session = opened(dp.Budget(epsilon=1))
    release = session.run(programs.by_place, session["x"], 0.5)
    assert session.run(programs.by_place, "x", 0.5).value == release.value
    assert session.left() == {"epsilon": Fraction(1, 2)}
    assert programs.by_place(ROWS, 0.5).privacy["epsilon"] == "0.5"


def test_two_tables_of_one_unit_pay_for_both_movements(programs: Any) -> None:
    data = {"x": (dp.Records[float], ROWS), "y": (dp.Records[float], ROWS)}
    session = dp.Session(data, budget=dp.Budget(epsilon=10), unit={"x": 1, "y": 3})
    # Noise for 10 at distance 1; one unit moves the sum by 2 + 30.
    session.run(programs.both, eps=1)
    assert session.left() == {"epsilon": 10 - Fraction(32, 10)}
    # One table in both places moves twice; another table that stands still costs nothing.
    session.run(programs.both, x=session["x"], y=session["x"], eps=1)
    assert session.left() == {"epsilon": 10 - Fraction(32, 10) - Fraction(12, 10)}
    still = dp.Session(data, budget=dp.Budget(epsilon=1), unit={"x": 1, "y": 0})
    still.run(programs.both, eps=5)
    assert still.left() == {"epsilon": 0}


def test_refusals_say_what_fits_and_come_before_data(
    programs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = opened(dp.Budget(epsilon=1), unit=2)

    def read(*args: Any, **keywords: Any) -> Any:
        raise AssertionError("data were read")

    monkeypatch.setattr(mechanisms, "evaluate", read)
    monkeypatch.setattr("metricdp.checked.function.bind", read)
    with pytest.raises(BudgetError, match=r"eps=0\.5 fits") as caught:
        session.run(programs.mean, eps=0.9)
    assert caught.value.left == {"epsilon": Fraction(1)}
    assert caught.value.fits == {"eps": Fraction(1, 2)}
    with pytest.raises(BudgetError, match="scale=40 fits"):
        session.run(programs.wide, scale=3)
    total = dp.sum(dp.clamp(session["x"], 0, 20))
    with pytest.raises(BudgetError, match=r"epsilon=0\.5 fits"):
        dp.laplace(total, epsilon=0.9)
    with pytest.raises(BudgetError, match="scale=40 fits"):
        dp.laplace(total, scale=0.1)
    normal = opened(dp.Budget(rho=0.01), unit=2)
    with pytest.raises(BudgetError, match=r"rho=0\.0025 fits"):
        normal.run(programs.normal, rho=1)
    with pytest.raises(BudgetError, match=r"scale=282\.8") as found:
        normal.run(programs.sigma, scale=7.0)
    assert 282 < found.value.fits["scale"] < 283
    monkeypatch.undo()
    assert session.ledger.verify() == normal.ledger.verify() == 1, "a refusal is no row"
    # What fits does fit, to the last digit, and nothing more does.
    session.run(programs.mean, eps=float(caught.value.fits["eps"]))
    assert session.left() == {"epsilon": 0}
    normal.run(programs.sigma, scale=float(found.value.fits["scale"]))


def _never(*args: Any, **keywords: Any) -> Any:
    raise AssertionError("data were read, or noise was drawn")


def test_a_refused_call_runs_nothing_and_writes_nothing(
    programs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for ledger in (None, dp.Ledger(tmp_path / "ledger.db")):
        session = opened(dp.Budget(epsilon=1), dataset="rows", ledger=ledger)
        total = dp.sum(dp.clamp(session["x"], 0, 20))
        for ask in (
            lambda s=session: s.run(programs.mean, eps=3),
            lambda t=total: dp.laplace(t, epsilon=3),
        ):
            rows = session.ledger.verify()
            with monkeypatch.context() as patch:
                patch.setattr(mechanisms, "evaluate", _never)
                patch.setattr("metricdp.run.emit.emit", _never)
                # A real run would refuse a machine that was changed, before it refuses the spend.
                with dp.handling(dp.Seeded(1)):
                    for _ in range(3):
                        with pytest.raises(BudgetError):
                            ask()
            assert session.ledger.verify() == rows


def test_each_budget_counts_in_its_own_measure(programs: Any) -> None:
    pure = opened(dp.Budget(epsilon=1))
    with pytest.raises(BudgetError, match="delta"):
        pure.run(programs.normal, rho=0.01)
    sums = opened(dp.Budget(epsilon=1, delta=1e-6))
    with pytest.raises(BudgetError, match='by="rho"'):
        sums.run(programs.normal, rho=0.01)
    sums.run(programs.mean, eps=0.25)
    total = dp.sum(dp.clamp(sums["x"], 0, 20))
    dp.gaussian(total, epsilon=0.5, delta=1e-7)
    assert sums.left() == {"epsilon": Fraction(1, 4), "delta": Fraction(9, 10**7)}
    pair = dp.Measurement(Records[float], len, {"approx": ("d_in", "d_in/1000000")})
    with pytest.raises(BudgetError, match="cost in approx"):
        opened(dp.Budget(rho=1)).release(pair)
    rho = opened(dp.Budget(epsilon=1, delta=1e-6, by="rho"))
    before = rho.left()["rho"]
    rho.run(programs.normal, rho=0.01)
    assert rho.left()["rho"] == before - Fraction(1, 100)
    rho.run(programs.mean, eps=0.02)  # a pure step has a rho of epsilon tanh(epsilon / 2)
    used = before - Fraction(1, 100) - rho.left()["rho"]
    assert Fraction(99, 10**6) < used <= Fraction(2, 10**4)
    order = opened(dp.Budget(epsilon=8, delta=1e-6, alpha=8))
    limit = order.left()["renyi"]
    order.run(programs.normal, rho=0.01)
    assert order.left()["renyi"] == limit - Fraction(8, 100)
    steps = opened(dp.Budget(epsilon=1, delta=1e-6, step_delta=1e-8))
    steps.run(programs.normal, rho=0.001)
    assert steps.left()["delta"] == DELTA - Fraction(1, 10**8)
    alone = epsilon_at(LinearCurve(Fraction(1, 1000)), Fraction(1, 10**8)).value
    assert 1 - alone <= steps.left()["epsilon"] < 1


def test_library_measurements_are_charged(programs: Any) -> None:
    session = opened(dp.Budget(epsilon=1), unit=2)
    clamped = make("clamp", Records[float], lower=0, upper=20)
    summed = clamped >> make("sum", clamped.output_space)
    noisy = summed >> make("laplace", summed.output_space, scale=80)
    release = session.release(noisy)
    assert session.left() == {"epsilon": Fraction(1, 2)}
    assert session.release(noisy, "x").value == release.value
    assert "proved rule" in release.to_markdown()
    with pytest.raises(BudgetError, match="left"):
        session.release(summed >> make("laplace", summed.output_space, scale=79))
    session.release(noisy, fresh=True)
    assert session.left() == {"epsilon": 0}
    by_hand = dp.Measurement(Records[float], lambda rows: 1.0, {"pure": "d_in/8"}, "mine")
    rich = opened(dp.Budget(epsilon=1, delta=1e-6))
    mine = rich.release(by_hand)
    assert rich.left()["epsilon"] == Fraction(7, 8)
    assert mine.about is not None
    assert any("by hand" in text for text in mine.about.assumptions)
    rich.release(by_hand)  # nothing identifies a function made by hand: it is paid for again
    assert rich.left()["epsilon"] == Fraction(6, 8)


def test_measurements_with_the_names_of_opendp_are_charged() -> None:
    import metricdp.opendp as odp

    place = odp.vector_domain(odp.atom_domain(T=float, nan=False)), odp.symmetric_distance()
    noisy = odp.make_clamp(*place, bounds=(0.0, 20.0)) >> odp.then_sum()
    noisy = noisy >> odp.then_laplace(scale=40.0)
    session = opened(dp.Budget(epsilon=2), unit=3)
    release = session.release(noisy)
    assert session.left() == {"epsilon": Fraction(1, 2)}
    assert session.release(noisy).value == release.value
    assert release.about is not None
    assert release.about.composition["this release cost"] == "ε = 1.5"


def test_wrong_calls_are_typed_errors_and_cost_nothing(programs: Any) -> None:
    session = opened(dp.Budget(epsilon=1))
    other = make("laplace", Vector[Real, L1].refined(Size(3)), scale=1)
    calls: list[Any] = [
        lambda: session.run(programs.total),
        lambda: session.run(programs.mean, eps=-1),
        lambda: session.run(programs.mean, eps=float("nan")),
        lambda: session.run(programs.mean, 0.5),
        lambda: session.run(programs.mean, eps=1, strict=True),
        lambda: session.run(programs.mean, x=ROWS, eps=1),
        lambda: session.run(programs.mean, x="y", eps=1),
        lambda: session.run(programs.mean, x=dp.clamp(session["x"], 0, 1), eps=1),
        lambda: session.run(programs.mean, eps=session["x"]),
        lambda: session.run(programs.both, eps=1),
        lambda: session.run(programs.fields, v=session["x"], lo=0, eps=1),
        lambda: session.run(lambda x: 1),  # type: ignore[arg-type]
        lambda: session.release(programs.mean),
        lambda: session.release(other),
        lambda: session.release(other, "y"),
        lambda: session["y"],
    ]
    for call in calls:
        with pytest.raises(MetricdpError):
            call()
    assert len(session.ledger) == 1
    for data in ({}, [1], {"x": ROWS}, {"x": (float, 1.0)}, {"not a name": (dp.Real, 1.0)}):
        with pytest.raises((SpaceError, ParameterError)):
            dp.Session(data, budget=dp.Budget(epsilon=1))  # type: ignore[arg-type]
    for unit in (-1, float("inf"), {"y": 1}, dp.Unit(y=2)):
        with pytest.raises(ParameterError):
            opened(dp.Budget(epsilon=1), unit=unit)
    with pytest.raises(ParameterError, match="Budget"):
        dp.Session({"x": (dp.Records[float], ROWS)}, budget=1)  # type: ignore[arg-type]


def test_a_vector_parameter_takes_its_size_from_the_table(programs: Any) -> None:
    session = dp.Session(
        {"v": (dp.Vector[dp.Real, dp.L1], [0.5, 2.0])}, budget=dp.Budget(epsilon=1)
    )
    session.run(programs.fields, lo=0, eps=0.5)
    assert session.left() == {"epsilon": Fraction(1, 2)}
