"""Limits by analyst, purpose and period, and approvals: they only refuse, and nobody goes round."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from checked_modules import load
from ledgers import forced

import metricdp as dp
from metricdp.errors import ApprovalError, BudgetError, LedgerError, ParameterError
from metricdp.maps import make
from metricdp.run.emit import Seeded, handling
from metricdp.sessions import stores
from metricdp.sessions.chain import GENESIS, HashChain, chained
from metricdp.sessions.shares import Asker
from metricdp.spaces import Records

ROWS = [1.0, 0.5, 77.25, -3.0, 4.0]
F = Fraction


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.time = "2026-11-30T23:59:00+00:00"

    def __call__(self) -> str:
        return self.time


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    clock = Clock()
    for name in ("metricdp.sessions.stores.now", "metricdp.sessions.files.now"):
        monkeypatch.setattr(name, clock)
    yield clock


def opened(path: Path | None = None, epsilon: Any = 10, **more: Any) -> dp.Session:
    return dp.Session(
        {"x": (dp.Records[float], ROWS)}, budget=dp.Budget(epsilon=epsilon),
        dataset="rows", ledger=dp.Ledger(path), **more,
    )  # fmt: skip


def ask(session: dp.Session, epsilon: Any, low: float = 0) -> Any:
    return dp.laplace(dp.sum(dp.clamp(session["x"], low, 20)), epsilon=epsilon)


def limit(session: dp.Session, **fields: Any) -> Any:
    return session.ledger.limit("rows", dp.Limit(**fields), by="dora")


def refused(session: dp.Session, epsilon: Any, match: str, low: float = 0) -> BudgetError:
    before = len(session.ledger), session.ledger.left("rows")
    with pytest.raises(BudgetError, match=match) as told:
        ask(session, epsilon, low)
    if not isinstance(told.value, ApprovalError):
        assert (len(session.ledger), session.ledger.left("rows")) == before
    return told.value


def test_a_month_renews_its_limit_and_the_total_does_not(clock: Clock, tmp_path: Path) -> None:
    for path in (None, tmp_path / "ledger.db"):
        clock.time = "2026-11-30T23:59:00+00:00"
        session = opened(path, epsilon=2)
        ask(session, 0.25)
        limit(session, epsilon=1, per="month")
        assert session.left() == {"epsilon": F(3, 4)}, "what was spent before counts"
        ask(session, 0.5)
        error = refused(session, 0.5, r"2026-11 \(UTC\)", -1)
        assert error.left == {"epsilon": F(1, 4)}
        assert "epsilon=0.25 fits" in str(error)
        clock.time = "2026-12-01T00:00:00+00:00"
        assert session.left() == {"epsilon": 1}
        ask(session, 1)
        refused(session, 0.1, "2026-12", -1)
        for month in ("2026-11-30T01:00:00+00:00", "2026-12-31T23:59:59+00:00",
                      "2027-01-01T00:30:00+05:00", "1970-01-01T00:00:00+00:00"):  # fmt: skip
            clock.time = month  # back, or another zone's new year
            error = refused(session, 0.1, "2026-12", -1)
            assert session.left() == {"epsilon": 0}
        assert "the clock is behind" in str(error)
        clock.time = "2027-01-01T00:00:00+00:00"
        assert session.left() == {"epsilon": F(1, 4)}, "the total is what the guarantee says"
        refused(session, 0.5, "0.25 is left", -1)
        ask(session, 0.25, -2)
        assert session.ledger.left("rows") == {"epsilon": 0}
        assert session.ledger.verify()
        assert "limit ε = 1 per month: 2027-01: ε = 0.25" in str(session.ledger)


def test_periods_are_those_of_the_calendar_in_utc(clock: Clock) -> None:
    for per, steps in {
        "day": ["2026-02-28T23:59:59+00:00", "2026-03-01T00:00:00+00:00"],
        "week": ["2027-01-03T23:59:59+00:00", "2027-01-04T00:00:00+00:00"],
        "year": ["2026-12-31T23:59:59+00:00", "2026-12-31T23:59:59-01:00"],
    }.items():
        clock.time = steps[0]
        session = opened()
        limit(session, epsilon=1, per=per)
        ask(session, 1)
        refused(session, 0.5, per, -1)
        clock.time = steps[1]
        ask(session, 0.5, -1)


def test_names_that_no_limit_allows_spend_nothing() -> None:
    session = opened(analyst="ann", purpose="audit")
    ask(session, 0.5)  # nothing names anybody yet
    limit(session, epsilon=1, analyst="ann")
    limit(session, epsilon=2, analyst="ben", purpose="research")
    assert session.left() == {"epsilon": F(1, 2)}, "ben's purposes are not ann's"
    limit(session, epsilon=5, purpose="other")
    refused(session, 0.25, "purpose 'audit'", -1)
    limit(session, epsilon=F(5, 8), purpose="audit")
    assert session.left() == {"epsilon": F(1, 8)}
    ask(session, 0.125, -1)
    refused(session, 0.125, "ε = 0.625 for the purpose audit", -2)
    for analyst, purpose in [
        (None, None), ("ann", None), (None, "audit"), ("ben", None), ("ben", "audit"),
        ("ann", "research"), ("Ann", "audit"), ("ann ", "audit"), ("аnn", "audit"),
        ("ａnn", "audit"), ("ann\u200b", "audit"), ("eve", "audit"), ("", "audit"), (3, "audit"),
    ]:  # fmt: skip
        with pytest.raises((BudgetError, ParameterError)):
            ask(session.asked_by(analyst, purpose), 0.0625, -3)  # type: ignore[arg-type]
    ben = session.asked_by("ben", "research")
    assert ben.left() == {"epsilon": 2}
    ask(ben, 2, -3)
    text = str(session.ledger)
    assert "ann for audit: ε = 0.625" in text
    assert "ben for research: ε = 2" in text
    assert "one person loses to all of them together: ε = 2.625" in text
    assert "ann for audit" in session._repr_html_()
    again = ask(ben, 0.5)
    assert "nothing was spent" in again.about.composition["asked again"], "replays are free"
    limit(session, epsilon=0, analyst="ben", purpose="research")
    refused(ben, 0.01, "ε = 0", -9)


def test_what_is_no_limit_is_refused() -> None:
    session = opened()
    wrong: list[dict[str, Any]] = [
        {}, {"epsilon": -1}, {"epsilon": float("nan")}, {"epsilon": float("inf")},
        {"epsilon": True}, {"epsilon": "x"}, {"epsilon": 1, "per": "hour"},
        {"epsilon": 1, "approvers": ("ben",)}, {"epsilon": 1, "per": "question", "approvers": "b"},
        {"epsilon": 1, "analyst": "a\u0430"}, {"epsilon": 1, "analyst": ""}, {"rho": 1},
        {"delta": 2}, {"epsilon": 1, "delta": F(1, 2)},
    ]  # fmt: skip
    for fields in wrong:
        with pytest.raises(ParameterError):
            limit(session, **fields)
    limit(session, epsilon=1, analyst="ann")
    with pytest.raises(ParameterError, match="taken for"):
        limit(session, epsilon=1, analyst="ANN")
    with pytest.raises(ParameterError, match="Limit"):
        session.ledger.limit("rows", 1, by="dora")  # type: ignore[arg-type]
    with pytest.raises(LedgerError, match="never opened"):
        session.ledger.limit("other", dp.Limit(epsilon=1), by="dora")
    with pytest.raises(ParameterError):
        session.ledger.limit("rows", dp.Limit(epsilon=1), by="")


PROGRAM = """
@dp.black_box(returns=Real)
def box(v):
    return v


@dp.measurement
def boxed(x: dp.Records[float], eps: float):
    return dp.laplace(dp.sum(dp.clamp([box(v) for v in x], 0, 20)), epsilon=eps)


@dp.measurement
def total(x: dp.Records[float], eps: float):
    return dp.laplace(dp.sum(dp.clamp(x, 0, 20)), epsilon=eps)
"""


def test_a_question_above_the_threshold_waits_and_is_asked_once(tmp_path: Path) -> None:
    module: Any = load(tmp_path, PROGRAM)
    path = tmp_path / "ledger.db"
    session = opened(path, analyst="ann")
    ledger = session.ledger
    limit(session, epsilon=0.5, per="question", approvers=("ben", "ann", "carl"))
    ask(session, 0.5)
    with pytest.raises(ApprovalError, match="ledger approve") as told:
        session.run(module.total, eps=1)
    row = told.value.row
    with pytest.raises(ApprovalError) as again:
        session.run(module.total, eps=1)
    assert again.value.row == row, "one row waits, however often it is asked"
    assert ledger.left("rows") == {"epsilon": F(19, 2)}
    (waits,) = ledger.waiting("rows")
    assert (waits.number, waits.data()["analyst"], waits.data()["name"]) == (row, "ann", "total")
    # Not by herself, by nobody, by who is no approver, for another row.
    for by, number in [("ann", row), ("eve", row), ("ben", row - 1), ("ben", True), ("ben", -1)]:
        with pytest.raises(LedgerError):
            ledger.approve("rows", number, by=by)
    with pytest.raises(ParameterError):
        ledger.approve("rows", row, by="bеn")
    ledger.approve("rows", row, by="ben")
    with pytest.raises(LedgerError, match="no question"):
        ledger.approve("rows", row, by="carl")
    # Another question, another analyst, another cost: none of them is what was approved.
    refused(session, 1, "waits", -1)
    with pytest.raises(ApprovalError):
        session.asked_by("carl").run(module.total, eps=1)
    with pytest.raises(ApprovalError):
        session.run(module.total, eps=2)
    release = session.run(module.total, eps=1)
    assert release.about.composition["approved in row"] == str(row)
    assert session.run(module.total, eps=1).value == release.value
    with pytest.raises(ApprovalError):
        session.run(module.total, eps=1, fresh=True)
    assert ledger.left("rows") == {"epsilon": F(17, 2)}
    # Refused by an approver: asked again it waits again.
    number = refused(session, 3, "waits").row  # type: ignore[attr-defined]
    ledger.approve("rows", number, by="ben", granted=False)
    assert refused(session, 3, "waits").row > number  # type: ignore[attr-defined]
    # Who is not named, and what nothing tells from other programs, cannot be approved.
    refused(session.asked_by(None), 1, "who asks", -5)
    for question in (lambda: session.run(module.boxed, eps=1), lambda: ask(session, 1, -6)):
        with handling(Seeded(1)), pytest.raises(BudgetError) as plain:
            question()
        assert not isinstance(plain.value, ApprovalError)
    assert ledger.verify() == len(ledger)
    # An approver who is one no more: the approval is worth nothing.
    number = refused(session, 1, "waits", -7).row  # type: ignore[attr-defined]
    ledger.approve("rows", number, by="ben")
    limit(session, epsilon=0.5, per="question", approvers=("carl",))
    refused(session, 1, "waits", -7)
    limit(session, epsilon=0.5, per="question")
    assert not isinstance(refused(session, 1, "passes", -7), ApprovalError)


def test_rows_that_pass_a_limit_or_use_an_approval_twice_are_broken() -> None:
    rows: list[Any] = []

    def add(kind: str, key: str, body: dict[str, Any], dataset: str = "d") -> Any:
        row = chained(len(rows) + 1, dataset, kind, key, body, rows[-1].hash if rows else GENESIS)
        chain = HashChain()
        for each in (*rows, row):
            chain.add(each)
        rows.append(row)
        return row

    def spend(cost: str, total: str, **more: Any) -> dict[str, Any]:
        return {"time": time, "cost": {"epsilon": cost}, "total": {"epsilon": total},
                "analyst": "ann", **more}  # fmt: skip

    def limited(**fields: Any) -> dict[str, Any]:
        return {"time": time, "by": "dora", "limit": dp.Limit(**fields).as_json()}

    time = "2026-11-30T12:00:00+00:00"
    add("open", "", {"limits": {"epsilon": "9"}, "total": {"epsilon": "0"}})
    add("limit", "", limited(epsilon=1, per="month"))
    add("limit", "", limited(epsilon=F(1, 2), per="question", approvers=("ben",)))
    add("spend", "k", spend("1/4", "1/4"))
    add("request", "k", {"time": time, "cost": {"epsilon": "3/4"}, "analyst": "ann", "name": "f"})
    lies: list[tuple[str, str, dict[str, Any]]] = [
        ("spend", "k", spend("3/4", "1")),
        ("spend", "k", spend("3/4", "1", approval=5)),
        ("approval", "", {"time": time, "by": "ann", "request": 5, "granted": True}),
        ("approval", "", {"time": time, "by": "eve", "request": 5, "granted": True}),
        ("approval", "", {"time": time, "by": "ben", "request": 4, "granted": True}),
        ("approval", "", {"time": time, "by": "ben", "request": 5, "granted": 1}),
        ("limit", "", {"time": time, "by": "dora", "limit": dp.Limit(rho=1).as_json()}),
        ("limit", "", {"by": "dora", "limit": dp.Limit(epsilon=1).as_json()}),
        ("request", "", {"time": time, "cost": {"epsilon": "3/4"}, "analyst": "ann", "name": "f"}),
        ("request", "k", {"time": time, "cost": {"epsilon": "3/4"}, "name": "f"}),
    ]
    for lie in lies:
        with pytest.raises(LedgerError, match="row 6"):
            add(*lie)
    add("approval", "", {"time": time, "by": "ben", "request": 5, "granted": True})
    lies = [
        ("spend", "other", spend("3/4", "1", approval=5)),
        ("spend", "k", spend("3/4", "1", approval=5, analyst="eve")),
        ("spend", "k", spend("7/8", "9/8", approval=5)),
        ("spend", "k", spend("3/4", "1", approval=6)),
        ("spend", "k", spend("5/8", "7/8")),
    ]
    for lie in lies:
        with pytest.raises(LedgerError, match="row 7"):
            add(*lie)
    add("spend", "k", spend("3/4", "1", approval=5))
    for more in ({"approval": 5}, {}):
        with pytest.raises(LedgerError, match="row 8"):
            add("spend", "k", spend("1/8", "9/8", **more))
    time = "2026-10-30T12:00:00+00:00"  # a clock that went back renews nothing
    with pytest.raises(LedgerError, match="row 8"):
        add("spend", "k", spend("1/8", "9/8"))
    add("moved", "", {"to": "elsewhere"}, "")
    with pytest.raises(LedgerError, match="moved"):
        add("spend", "k", spend("0", "1"))


def test_an_approval_that_is_edited_in_the_file_breaks_the_chain(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    session = opened(path, analyst="ann")
    limit(session, epsilon=0.5, per="question", approvers=("ben",))
    row = refused(session, 1, "waits").row  # type: ignore[attr-defined]
    session.ledger.approve("rows", row, by="ben")
    forced(path, f"DELETE FROM ledger WHERE number = {row + 1}")
    with pytest.raises(LedgerError, match="gone"):
        ask(session, 1)
    assert dp.Ledger(path).waiting("rows"), "cut off the end: it waits again"


def test_threads_of_several_analysts_pass_no_limit() -> None:
    session = opened()
    for name in ("ann", "ben"):
        limit(session, epsilon=1, analyst=name, per="day")
    limit(session, epsilon=1.5, per="month")

    def work(name: str) -> None:
        own = session.asked_by(name)
        for low in range(1, 40):
            try:
                ask(own, 0.0625, -low - (name == "ben") / 2)
            except BudgetError:
                return

    threads = [threading.Thread(target=work, args=(n,)) for n in ("ann", "ben", "ann", "ben")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert session.ledger.left("rows") == {"epsilon": F(17, 2)}
    assert session.ledger.verify()


def test_a_preview_tells_the_cost_and_spends_nothing(tmp_path: Path) -> None:
    module: Any = load(tmp_path, PROGRAM)
    session = opened(epsilon=1, analyst="ann")
    before = len(session.ledger)
    seen = session.cost(module.total, eps=0.5)
    assert (seen.cost, seen.left, seen.known) == ({"epsilon": F(1, 2)}, {"epsilon": 1}, False)
    assert str(seen) == "total: costs ε = 0.5, left ε = 1"
    assert "eps=1 fits" in session.cost(module.total, eps=2).refused
    total = dp.sum(dp.clamp(session["x"], 0, 20))
    assert session.cost(lambda: dp.laplace(total, epsilon=0.25)).cost == {"epsilon": F(1, 4)}
    assert session.cost(lambda: session.run(module.total, eps=0.5)).cost == {"epsilon": F(1, 2)}
    assert session.asked_by("ben").cost(module.total, eps=0.5).left == {"epsilon": 1}
    clamped = make("clamp", Records[float], lower=0, upper=20)
    summed = clamped >> make("sum", clamped.output_space)
    chain = summed >> make("laplace", summed.output_space, scale=40)
    assert session.cost(chain, "x").cost == {"epsilon": F(1, 2)}
    for wrong in (3, lambda: 3, lambda: ask(session, -1)):
        with pytest.raises((ParameterError, BudgetError)):
            session.cost(wrong)
    assert len(session.ledger) == before
    session.run(module.total, eps=0.5)
    assert session.cost(module.total, eps=0.5).known
    limit(session, epsilon=0.25, per="question", approvers=("ben",))
    assert "waits" in session.cost(module.total, eps=0.375).refused
    assert len(session.ledger) == before + 3


def test_the_clock_of_this_machine_is_utc() -> None:
    assert stores.now().endswith("+00:00")


def test_sums_with_long_denominators_are_rounded_up_under_limits_and_approvals_too() -> None:
    session = opened(analyst="ann")
    ledger, most = session.ledger, {"epsilon": F(10)}
    limit(session, epsilon=1, per="month")
    limit(session, epsilon=F(1, 2), per="question", approvers=("ben",))
    asker = Asker("ann")
    for prime in range(10**6 + 1, 10**6 + 200, 2):
        ledger.spend("rows", most, {"epsilon": F(1, prime)}, "", {"name": "x"}, asker)
    cost = {"epsilon": F(3, 5) + F(1, 10**6 + 211)}
    with pytest.raises(ApprovalError) as told:
        ledger.spend("rows", most, cost, "k", {"name": "x"}, asker)
    ledger.approve("rows", told.value.row, by="ben")
    assert ledger.spend("rows", most, cost, "k", {"name": "x"}, asker)
    left = ledger.left("rows", None, asker)
    ledger.spend("rows", most, {"epsilon": left["epsilon"]}, "", {"name": "x"}, asker)
    assert ledger.left("rows", None, asker) == {"epsilon": 0}
    assert ledger.verify() == len(ledger)


def test_the_command_sets_limits_and_approves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from metricdp.apps.cli import main

    path = tmp_path / "ledger.db"
    session = opened(path, analyst="ann")

    def told(code: int, *words: Any) -> str:
        assert main(["ledger", *map(str, words)]) == code
        return capsys.readouterr().out

    assert "per month for ann" in told(
        0, "limit", path, "rows", "--epsilon", "0.5", "--per", "month", "--analyst", "ann",
        "--by", "dora",
    )  # fmt: skip
    told(0, "limit", path, "rows", "--epsilon=0.1", "--per=question", "--approver=ben", "--by=dora")
    assert told(0, "waiting", path, "rows") == "nothing waits\n"
    row = refused(session, 0.25, "waits").row  # type: ignore[attr-defined]
    assert f"row {row}: laplace(epsilon=0.25) costs ε = 0.25: ann" in told(
        0, "waiting", path, "rows"
    )
    assert "no approver" in told(1, "approve", path, "rows", row, "--by", "eve")
    assert "approved by ben" in told(0, "approve", path, "rows", row, "--by", "ben")
    ask(session, 0.25)
    assert "limit ε = 0.5 per month for ann" in told(0, path)
    assert '"whole": true' in told(0, "--output-format", "json", path)
    told(1, "limit", path, "rows", "--rho", "1", "--by", "dora")
    told(1, "limit", path, "rows", "--epsilon", "nan", "--by", "dora")
    told(2, "limit", tmp_path / "none.db", "rows", "--epsilon", "1", "--by", "dora")
    told(2, "approve", path, "rows", row)
