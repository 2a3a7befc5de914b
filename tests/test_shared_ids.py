"""Tables about the same persons: one distance over all of them, one cost, one entry of a ledger."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pytest
from checked_modules import load
from column_graphs import evaluated_by

import metricdp as dp
from metricdp.audit import replay
from metricdp.check import check_source
from metricdp.diagnostics.result import to_json
from metricdp.errors import ParameterError, SpaceError
from metricdp.expr import ONE, D, num
from metricdp.record import REGISTRY, Arg, scalar_moves
from metricdp.spaces import Owned, space_of
from metricdp.spaces.same_persons import SamePersons


@dataclass
class Visit:
    person: str
    ward: int


@dataclass
class Bill:
    patient: str
    cents: int


VISITS = dp.Records[Visit, dp.Ids("person")]
BILLS = dp.Records[Bill, dp.Ids("patient", unit="person")]
HEAD = """\
from typing import NamedTuple

import metricdp as dp


class Visit(NamedTuple):
    person: str
    ward: int


class Bill(NamedTuple):
    patient: str
    cents: int


@dp.transformation
def f(visits: dp.Records[Visit, dp.Ids("person"{change})],
      bills: dp.Records[Bill, dp.Ids("patient"{change}, unit="person")]):
"""
#: What a person may have in one table.
ROWS: Any = ((), (0,), (1,), (0, 1), (1, 1))
#: Rows of the two tables: what the first person has in each, and what the second one has.
HAVE = [
    (first, second)
    for first in itertools.product(ROWS, repeat=2)
    for second in (((), ()), ((0,), ()), ((1,), (1, 1)))
]


def tables(have: Any) -> tuple[Any, Any]:
    return tuple(
        [(who, k) for who, rows in zip("ab", have, strict=True) for k in rows[place]]
        for place in (0, 1)
    )  # type: ignore[return-value]


def apart(x: Any, y: Any, change: bool) -> int:
    """By hand: persons who have nothing on one side, and those whose rows differ."""
    total = 0
    for mine, other in zip(x, y, strict=True):
        some, also = any(mine), any(other)
        if mine != other:
            total += 1 if change or not (some and also) else 2
    return total


def largest(name: str, body: str, change: bool, folder: Path) -> tuple[Fraction, Fraction]:
    """How far a result moves, of all small tables at a distance, divided by what was proved."""
    head = HEAD.replace("{change}", ", dp.ChangeOne" if change else "")
    f: Any = load(folder, head + body, "").f
    results = [f(*tables(have)) for have in HAVE]
    first, second = f.guarantee.data.inputs
    assert first.stability == second.stability
    assert first.together == second.together == ("visits", "bills")
    slope = first.stability.subs({"d_in": ONE}).as_fraction()
    assert slope is not None
    most = Fraction(0)
    for (x, r), (y, s) in itertools.combinations(zip(HAVE, results, strict=True), 2):
        d = apart(x, y, change)
        if d:
            most = max(most, abs(Fraction(r) - Fraction(s)) / d)
    return most, slope


JOINED = 'dp.join_by_id(visits, bills, ("person", "patient")'
LEFT = f'{JOINED}, how="left", columns="cents")'
PROGRAMS = {
    "both": 'dp.count_ids(visits, "person") + dp.count_ids(bills, "patient")',
    "twice one": '2 * dp.count_ids(visits, "person") - dp.count_ids(bills, "patient")',
    "larger": 'max(dp.count_ids(visits, "person"), dp.count_ids(bills, "patient"))',
    "limited": 'dp.count(dp.limit_rows(visits, "person", 1)) + '
    'dp.count(dp.limit_rows(bills, "patient", 2))',
    "sums": 'dp.sum(dp.clamp(dp.sum_per_id(visits, "person", lambda v: v.ward + 1), 0, 2)) + '
    'dp.count_ids([b for b in bills if b.cents == 1], "patient")',
    "rows of a join": f"dp.count(dp.limit_rows({JOINED}), 'person', 2))",
    "persons of a join": f"dp.count_ids([r for r in {JOINED}) if r.ward == r.cents], 'person')",
    "who is in one": f"dp.count_ids({JOINED}, how='anti'), 'person') "
    f"- dp.count_ids({JOINED}, how='semi'), 'person')",
    "sums of a join": f"dp.sum(dp.clamp(dp.sum_per_id({JOINED}), 'person', "
    "lambda r: r.ward - 2 * r.cents), -3, 2))",
    "rows of a left join": f"dp.count(dp.limit_rows({LEFT}, 'person', 2))",
    "who is alone": f"dp.count_ids([r for r in {LEFT} if r.cents is None], 'person') - "
    f"dp.count_ids([r for r in {LEFT} if r.cents == 1], 'person')",
    "sums of a left join": f"dp.sum(dp.clamp(dp.sum_per_id({LEFT}, 'person', "
    "lambda r: 3 if r.cents is None else r.cents), 0, 3))",
    "joined twice": f"dp.count(dp.limit_rows(dp.join_by_id({JOINED}), visits, 'person'), "
    "'person', 3))",
}


@pytest.mark.parametrize("change", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_person_moves_a_result_further_than_was_proved(
    name: str, change: bool, tmp_path: Path
) -> None:
    most, slope = largest(name, f"    return {PROGRAMS[name]}\n", change, tmp_path)
    # One who leaves both tables moves a difference less than one who changes tables; and a count
    # of rows that are replaced is charged for those that leave and those that come.
    less = {
        ("twice one", False), ("limited", True), ("sums", True), ("rows of a join", True),
        ("joined twice", True), ("sums of a join", True), ("who is in one", False),
        ("rows of a left join", True), ("who is alone", False), ("sums of a left join", True),
    }  # fmt: skip
    assert most < slope if (name, change) in less else most == slope


def space(change: Any = dp.Symmetric) -> SamePersons:
    first = space_of(dp.Records[Visit, dp.Ids("person", change)])
    second = space_of(dp.Records[Bill, dp.Ids("patient", change, unit="person")])
    assert isinstance(first, Owned)
    assert isinstance(second, Owned)
    return SamePersons((first, second))


@pytest.mark.parametrize("change", [False, True])
def test_the_distance_of_several_tables_counts_persons_once(change: bool) -> None:
    of = space(dp.ChangeOne if change else dp.Symmetric)
    for x, y in itertools.product(HAVE[::2], HAVE[::2]):
        a, b = (
            tuple([part.row.build(row) for row in table]
                  for part, table in zip(of.parts, tables(have), strict=True))
            for have in (x, y)
        )  # fmt: skip
        assert of.distance(a, b).as_fraction() == apart(x, y, change)
    rng = Random(3)
    seen = set()
    for _ in range(300):
        z = of.sample(rng)
        d = rng.choice((1, 2, 3))
        found = of.distance(z, of.neighbours(z, d, rng)).as_fraction()
        assert found is not None
        assert found <= d
        seen.add((d, found))
    assert {(1, 1), (2, 2), (3, 3)} <= seen


@dp.measurement
def both(visits: VISITS, bills: BILLS, eps: float):
    some = dp.laplace(dp.count_ids(visits, "person"), epsilon=eps)
    return some, dp.laplace(dp.count_ids(bills, "patient"), epsilon=eps)


@dp.transformation(stability="d_in")
def claimed(visits: VISITS, bills: BILLS):
    return dp.count_ids(visits, "person") + dp.count_ids(bills, "patient")


def test_guarantee_and_release_name_the_person_and_all_tables() -> None:
    says = "all records of one person in visits and bills added or removed changes the chance"
    text = " ".join(str(both.guarantee).split())
    assert text.count(says) == 1
    assert "(ε = 2*eps, δ = 0)" in text
    release = both([Visit("a", 1)], [Bill("a", 3)], eps=1)
    assert str(release.unit).startswith("visits and bills: all records of one person in visits")
    assert release.cost == "ε = 2"
    assert both.solve("eps", epsilon=1).value == Fraction(1, 2)


def test_auditors_move_the_rows_of_a_person_in_all_tables_at_once() -> None:
    """Table by table, a claim of half the truth had survived."""
    found = replay(both, public={"eps": 1}, seconds=0.5)
    assert "closest 1 of the claim" in str(found)
    x, y = ([Visit("a", 1)], [Bill("a", 2)]), ([], [])
    named = [dict(zip(("visits", "bills"), each, strict=True)) for each in (x, y)]
    assert "closest 1 of" in str(replay(both, public={"eps": 1}, pairs=[tuple(named)]))
    source = Path(__file__).read_text(encoding="utf-8")
    verdicts = {f.name: f.verdict for f in check_source(source, "shared.py").functions}
    assert verdicts["claimed"] == "refuted"


def test_a_session_charges_one_person_for_all_tables_in_one_entry() -> None:
    data = {"visits": (VISITS, [Visit("a", 1)]), "bills": (BILLS, [Bill("a", 3)] * 4)}
    session = dp.Session(data, budget=dp.Budget(epsilon=5))
    release = session.run(both, eps=1)
    assert release.cost == "ε = 2"
    assert session.left() == {"epsilon": Fraction(3)}
    assert len([row for row in session.ledger.rows() if row.kind == "spend"]) == 1
    moved = dp.count_ids(session["visits"], "person") + dp.count_ids(session["bills"], "patient")
    dp.laplace(moved, scale=1)
    assert session.left() == {"epsilon": Fraction(1)}


def test_tables_about_the_same_persons_move_by_one_distance() -> None:
    data = {"visits": (VISITS, [Visit("a", 1)]), "bills": (BILLS, [Bill("a", 3)])}
    for distances in ({"visits": 1, "bills": 0}, {"visits": 2, "bills": 1}):
        with pytest.raises(ParameterError, match="visits and bills are about the same persons"):
            dp.Session(data, unit=distances, budget=dp.Budget(epsilon=1))
    session = dp.Session(data, unit=2, budget=dp.Budget(epsilon=9))
    assert session.run(both, eps=1).cost == "ε = 4"


def test_a_table_of_other_persons_is_no_argument() -> None:
    other = dp.Records[Bill, dp.Ids("patient", unit="child")]
    data = {"visits": (VISITS, [Visit("a", 1)]), "bills": (other, [Bill("a", 3)])}
    session = dp.Session(data, budget=dp.Budget(epsilon=5))
    with pytest.raises(SpaceError, match="declare the table as the function does"):
        session.run(both, eps=1)
    assert session.left() == {"epsilon": Fraction(5)}


def test_reports_do_not_add_the_inputs_up() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    found = json.loads(json.dumps(to_json(check_source(source, "shared.py"))))
    (report,) = [f for f in found["functions"] if f["name"] == "both"]
    assert [i.get("together") for i in report["inputs"]] == [["visits", "bills"]] * 2 + [None]
    assert {i["privacy"]["epsilon"] for i in report["inputs"][:2]} == {"2*eps"}


@dataclass
class Dated:
    person: str
    ward: int
    day: date
    weight: float | None


@dp.transformation
def beside(visits: dp.Records[Dated, dp.Ids("person")], bills: BILLS):
    each = dp.join_by_id(visits, bills, ("person", "patient"))
    some = [r for r in each if r.weight is not None and r.day.month == r.cents]
    return dp.sum(dp.clamp(dp.sum_per_id(some, "person", lambda r: r.weight * r.ward), 0, 1000))


@dp.transformation
def of_one_side(visits: dp.Records[Dated, dp.Ids("person")], bills: BILLS):
    cheap = [b for b in bills if b.cents < 3]
    some = dp.join_by_id(visits, cheap, ("person", "patient"), how="semi")
    none = dp.join_by_id(visits, bills, ("person", "patient"), how="anti")
    kept = dp.limit_rows(none, "person", 2)
    return 1000 * dp.count_ids(some, "person") + dp.count(kept)


@dp.transformation
def of_left(visits: dp.Records[Dated, dp.Ids("person")], bills: BILLS):
    cheap = [b for b in bills if b.cents < 3]
    each = dp.join_by_id(visits, cheap, ("person", "patient"), "left", columns="cents")
    alone = dp.limit_rows([r for r in each if r.cents is None], "person", 1000)
    owed = [r for r in each if r.cents is not None and r.weight is not None]
    sums = dp.sum_per_id(owed, "person", lambda r: r.weight * r.cents)
    return 10000 * dp.count(alone) + dp.sum(dp.clamp(sums, 0, 1000))


@pytest.mark.parametrize("seed", range(4))
def test_joins_are_those_of_pandas_in_columns_and_row_by_row(seed: int) -> None:
    rng = Random(seed)
    size = (0, 7, 40, 90)[seed]
    visits = [
        Dated(rng.choice("abcdef"), rng.randrange(3), date(2024, rng.randint(1, 4), 5),
              rng.choice((None, 0.5, 2.0)))
        for _ in range(size)
    ]  # fmt: skip
    bills = [Bill(rng.choice("defgh\x00"), rng.randrange(5)) for _ in range(size // 2)]
    left = pd.DataFrame([vars(v) for v in visits], columns=["person", "ward", "day", "weight"])
    right = pd.DataFrame([vars(b) for b in bills], columns=["patient", "cents"])
    both = left.merge(right, left_on="person", right_on="patient")
    both = both[both.weight.notna() & (pd.to_datetime(both.day).dt.month == both.cents)]
    sums = (both.weight * both.ward).groupby(both.person).sum()
    total = sums.clip(0, 1000).sum()
    cheap = right[right.cents < 3].patient
    some = left[left.person.isin(cheap)].person.nunique()
    none = left[~left.person.isin(right.patient)].groupby("person").size().clip(upper=2).sum()
    kept = left.merge(right[right.cents < 3], how="left", left_on="person", right_on="patient")
    owed = (kept.weight * kept.cents).groupby(kept.person).sum().clip(0, 1000).sum()
    for way in ("arrays", "reference"):
        with evaluated_by(way):
            assert of_left(visits, bills) == 10000 * kept.cents.isna().sum() + owed
            for given in (visits, left) if size else (visits,):
                assert beside(given, bills) == total
                assert of_one_side(given, bills) == 1000 * some + none


def test_a_join_of_tracked_tables_costs_no_less_than_a_checked_one() -> None:
    data = {"visits": (VISITS, [Visit("a", 1)]), "bills": (BILLS, [Bill("a", 3)])}
    session = dp.Session(data, budget=dp.Budget(epsilon=5))
    joined = dp.join_by_id(session["visits"], session["bills"], ("person", "patient"))
    dp.laplace(dp.count_ids(joined, "person"), scale=1)
    assert session.left()["epsilon"] <= 4
    on = ("person", "patient")
    left = dp.join_by_id(session["visits"], session["bills"], on, "left", columns="cents")
    before = session.left()["epsilon"]
    dp.laplace(dp.count(dp.limit_rows(left, "person", 1)), scale=1)
    assert before - session.left()["epsilon"] >= 1


def test_who_leaves_the_second_of_two_tables_alone_counts_twice_in_a_left_join() -> None:
    """As inputs of their own: the rows of this person stay, and are others."""
    conclusion = REGISTRY["join_by_id"].rule(
        **{name: Arg(space, private=True, text=name) for name, space in zip("ab", space().parts,
           strict=True)},
        on=Arg(literal=("person", "patient")), how=Arg(literal="left"),
        columns=Arg(literal="cents"),
    )  # fmt: skip
    assert conclusion.maps["b"] == scalar_moves(num(2) * D)
    assert conclusion.maps["a"] == scalar_moves(D)
