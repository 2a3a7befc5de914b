"""Parts of a table as sessions: the largest spend counts, in files as in memory, and again free."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from checked_modules import load
from ledgers import Reads

import metricdp as dp
from metricdp.errors import BudgetError, LedgerError, ParameterError
from metricdp.maps import make
from metricdp.run.emit import handling
from metricdp.sessions.chain import HashChain, chained

F = Fraction


@dataclass
class Visit:
    who: int
    plan: str
    late: bool
    pay: float


ROWS = [Visit(i // 2, "abc"[i % 3], i % 5 == 0, float(i)) for i in range(60)]
PROGRAM = """
from dataclasses import dataclass

@dataclass
class Visit:
    who: int
    plan: str
    late: bool
    pay: float

@dp.measurement
def total(v: dp.Records[Visit], eps: float):
    return dp.laplace(dp.sum([dp.clamp(r.pay, 0, 9) for r in v]), epsilon=eps)
"""


def opened(
    path: Any = None, annotation: Any = dp.Records[Visit], rows: Any = ROWS, **more: Any
) -> dp.Session:
    return dp.Session(
        {"v": (annotation, rows), "w": (dp.Records[Visit], ROWS)}, unit={"w": 0}, dataset="visits",
        budget=dp.Budget(epsilon=1), ledger=path, **more,
    )  # fmt: skip


def divided(session: dp.Session, **more: Any) -> Any:
    return session.partition("v", by="plan", keys=["a", "b", "c"], **more)


def ask(session: dp.Session, epsilon: Any, table: str = "v") -> Any:
    return dp.laplace(dp.count(session[table]), epsilon=epsilon)


def test_the_largest_spend_of_the_parts_counts_whatever_is_asked_in_between() -> None:
    session = opened()
    parts = divided(session)
    left = lambda s: s.left()["epsilon"]  # noqa: E731
    for key, epsilon, whole, own in (
        ("a", F(1, 4), F(3, 4), F(3, 4)), ("b", F(1, 8), F(3, 4), F(7, 8)),
        ("b", F(1, 4), F(5, 8), F(5, 8)), ("a", F(1, 8), F(5, 8), F(5, 8)),
    ):  # fmt: skip
        ask(parts[key], epsilon)
        assert (left(session), left(parts[key])) == (whole, own)
    ask(session, F(1, 2))
    assert [left(parts[k]) for k in "abc"] == [F(1, 8), F(1, 8), F(1, 2)]
    assert ask(parts["c"], F(3, 8)).privacy["epsilon"] == "0.375" and left(session) == F(1, 8)
    with pytest.raises(BudgetError, match="and ε = 0"):
        ask(parts["c"], F(1, 4))
    assert not parts["a"].cost(lambda: ask(parts["a"], F(1, 8))).refused
    assert parts["a"].cost(lambda: ask(parts["a"], F(3, 16))).refused
    assert session.ledger.verify() and "in v where plan is text 'a'" in str(session.ledger)
    # A division by another column adds, and so does one whose persons are others.
    late = session.partition("v", by="late", keys=[True])
    ask(late[True], F(1, 8))
    assert left(session) == 0


def test_answers_are_those_of_the_part_and_are_given_again(tmp_path: Path) -> None:
    module: Any = load(tmp_path, PROGRAM)
    path, reads = tmp_path / "ledger.db", Reads()
    key = {"data_key": b"of the owner of the data"}
    first = divided(opened(path, dp.Records[module.Visit], **key))["b"]
    answer = first.run(module.total, eps=0.5)
    with handling(reads):
        again = divided(opened(path, dp.Records[module.Visit], **key))
    assert again["b"].run(module.total, eps=0.5).value == answer.value and not reads.count
    assert again["b"].left() == {"epsilon": F(1, 2)} and again["a"].left() == {"epsilon": 1}
    again["a"].run(module.total, eps=0.5)
    assert again["b"].left() == again["a"].left() == {"epsilon": F(1, 2)}
    place = answer.about.composition
    assert place["part"] == "v where plan is text 'b'" and place["this release cost"] == "ε = 0.5"
    assert "w" in first and ask(first, F(1, 4), "w") and first.left() == {"epsilon": F(1, 2)}
    space = first["v"].space
    counted = make("count", space)
    found = first.release(counted >> make("laplace", counted.output_space, scale=100), "v")
    assert found.privacy["epsilon"] == "0.01"


@pytest.mark.parametrize("key", [b"", b"of the owner of the data"])
def test_who_moves_from_one_part_to_another_between_two_sessions_pays_in_both(key: bytes) -> None:
    """The one row is in "a" on Monday and in "b" on Tuesday: both answers are about it."""
    ledger, more = dp.Ledger(), {"data_key": key} if key else {}
    monday = opened(ledger, rows=[Visit(1, "a", True, 1.0)], **more)
    ask(divided(monday)["a"], F(1, 2))
    if key:
        more |= {"changed": True}
    tuesday = opened(ledger, rows=[Visit(1, "b", True, 1.0)], **more)
    assert divided(tuesday)["b"].left() == {"epsilon": F(1, 2)}
    ask(divided(tuesday)["b"], F(3, 8))
    assert ledger.left("visits") == {"epsilon": F(1, 8)} and ledger.verify()
    # The same data, which nobody could compare, answer the same question for nothing.
    if not key:
        again = opened(ledger, rows=[Visit(1, "b", True, 1.0)])
        ask(divided(again)["b"], F(3, 8))
        assert ledger.left("visits") == {"epsilon": F(1, 8)}


def test_persons_are_in_so_many_parts_and_so_many_parts_count() -> None:
    session = opened(annotation=dp.Records[Visit, dp.Ids("who")])
    with pytest.raises(ParameterError, match="may lie in all 3 parts"):
        divided(session)
    two, one = divided(session, max_parts=2), divided(session, max_parts=1)
    for key, epsilon, left in (("a", F(1, 4), F(3, 4)), ("b", F(1, 8), F(5, 8)),
                               ("c", F(1, 4), F(1, 2)), ("b", F(1, 8), F(1, 2))):  # fmt: skip
        dp.laplace(dp.count_ids(two[key]["v"], "who"), epsilon=epsilon)
        assert session.left() == {"epsilon": left}
    for key in "abc":  # who is in one part only is another division
        dp.laplace(dp.count_ids(one[key]["v"], "who"), epsilon=F(1, 8))
    assert session.left() == {"epsilon": F(3, 8)}
    changed = opened(annotation=dp.Records[Visit, dp.Ids("who", dp.ChangeOne)])
    for part in divided(changed, max_parts=1).values():
        dp.laplace(dp.count_ids(part["v"], "who"), epsilon=F(1, 8))
    assert changed.left() == {"epsilon": F(3, 4)}


def test_replaced_rows_move_two_parts_and_several_rows_share_a_cost() -> None:
    changed = opened(annotation=dp.Records[Visit, dp.ChangeOne])
    for part in divided(changed).values():
        ask(part, F(1, 8))
    assert changed.left() == {"epsilon": F(3, 4)}
    several = dp.Session({"v": (dp.Records[Visit], ROWS)}, unit=3, budget=dp.Budget(rho=9))
    part = divided(several)["a"]
    dp.gaussian(dp.count(part["v"]), rho=F(1, 2))
    assert several.left() == {"rho": F(9, 2)}


def test_what_an_analyst_learns_in_the_parts_adds_up() -> None:
    """Otherwise who asks in a part beside a larger one would pay for nothing."""
    session = opened()
    ask(divided(session.asked_by("ben"))["a"], F(1, 2))
    session.ledger.limit("visits", dp.Limit(epsilon=F(1, 4), analyst="ann"), by="d")
    parts = divided(session.asked_by("ann"))
    for key in "bc":
        ask(parts[key], F(1, 8))
    with pytest.raises(BudgetError, match="passes the limit"):
        ask(parts["c"], F(1, 16))
    assert parts["c"].asked_by("ben").left() == {"epsilon": 0}
    assert session.ledger.left("visits") == {"epsilon": F(1, 2)}


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"cost": {"epsilon": "0"}, "total": {"epsilon": "1/4"}}, "largest parts"),
        ({"in part": {"epsilon": "1/8"}}, "largest parts"),
        ({"part": {"key": "text 'a'"}}, "cannot be read"),
        ({"part": None}, "in its part"),
        ({"in part": {"epsilon": "-1/4"}}, "in its part"),
    ],
)  # fmt: skip
def test_rows_that_charge_parts_too_little_are_no_rows(change: Any, match: str) -> None:
    session = opened()
    parts = divided(session)
    ask(parts["a"], F(1, 4))
    ask(parts["a"], F(1, 8))
    chain = HashChain()
    for row in session.ledger.rows():
        body = row.data()
        if row.number == 4:
            assert body["in part"] == {"epsilon": "1/8"} == body["cost"]
            body = {**body, **change}
            if "in part" in change and match == "largest parts":
                body["in part"] = {"epsilon": "1/16"}
        row = chained(row.number, row.dataset, row.kind, row.key, body, chain.head)
        if row.number == 4:
            with pytest.raises(LedgerError, match=match):
                chain.add(row)
            return
        chain.add(row)


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"by": "pay", "keys": [1.0]}, "no parts by pay"), ({"by": "age", "keys": [1]}, "by age"),
        ({"by": "plan", "keys": ["a", "a"]}, "stands twice"), ({"by": "plan", "keys": [1]}, "str"),
        ({"by": "plan", "keys": []}, "list of some"), ({"by": (), "keys": ["a"]}, "one column"),
        ({"by": "late", "keys": [1]}, "bool"), ({"by": "who", "keys": [True]}, "int"),
        ({"by": "plan", "keys": ["a"], "max_parts": 1}, "leave max_parts out"),
        ({"by": ("plan", "who"), "keys": ["a"]}, "values of plan, who"),
    ],
)  # fmt: skip
def test_divisions_that_mean_nothing_are_refused(given: Any, match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        opened().partition("v", **given)


def test_parts_are_not_divided_again_and_other_programs_do_not_fit(tmp_path: Path) -> None:
    session = opened(annotation=dp.Records[Visit, dp.ChangeOne])
    part = divided(session)["a"]
    with pytest.raises(ParameterError, match="once more"):
        part.partition("v", by="late", keys=[True])
    with pytest.raises(ParameterError, match="by pay"):
        session.partition("v", by="pay", keys=["a"])
    session.close()
    with pytest.raises(LedgerError, match="closed"):
        ask(part, F(1, 8))
