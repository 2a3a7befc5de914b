"""All small tables of two persons, attacked: no two that one person tells apart lose more.

Each program is run on every table along the outputs of its neighbour (`attack.oracle`); defects
that are planted in the checker are seen.  All comparisons are exact.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from attack.oracle import Proved, compare
from checked_modules import load
from depth import depth

from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.values.forms import Source
from metricdp.check.verdicts import verify
from metricdp.check.verdicts.guarantee import FunctionGuarantee
from metricdp.spaces.same_persons import SamePersons

HEAD = """\
from typing import NamedTuple

import numpy as np
import metricdp as dp


class Order(NamedTuple):
    buyer: str
    shop: int


@dp.measurement
def f(orders: dp.Records[Order, dp.Ids("buyer"{change})], n: int):
"""
WRITTEN = {
    "answers about groups": """
        kept = dp.limit_rows(orders, "buyer", 2)
        return [dp.randomized_response(sum(1 for o in kept if o.shop == s) > 0, epsilon=1)
                for s in range(2)]
    """,
    "groups hidden by what fails": """
        kept = dp.limit_rows(orders, "buyer", 2)
        return [dp.gaussian(sum(1 for o in kept if o.shop == s), epsilon=1, delta=0.001)
                for s in range(2)]
    """,
    "a loop over what is kept": """
        total = 0
        for o in dp.limit_rows(orders, "buyer", 2):
            if o.shop == 0:
                continue
            total += 1
        return dp.laplace(total, scale=1)
    """,
    "entries that rows choose": """
        table = np.zeros((2, 2))
        for o in dp.limit_rows(orders, "buyer", 2):
            table[min(max(o.shop, 0), 1), int(o.buyer == "a")] += 1
        return dp.gaussian(table, scale=1)
    """,
    "tables of rounds": """
        out = []
        for i in range(n):
            kept = dp.limit_rows([o for o in orders if o.shop == i], "buyer", 1)
            out.append(dp.laplace(sum(1 for o in kept if o.shop == i), scale=1))
        return out
    """,
    "two tables": """
        kept = dp.limit_rows(orders, "buyer", 1)
        other = dp.limit_rows([o for o in orders if o.shop == 1], "buyer", 1)
        return (dp.laplace(sum(1 for o in kept if o.shop == 0), scale=1),
                dp.laplace(sum(1 for o in other if o.shop == 1), scale=1))
    """,
    "different ids": """
        kept = dp.limit_rows(orders, "buyer", 2)
        some, rest = [o for o in kept if o.shop == 0], [o for o in kept if o.shop == 1]
        return (dp.laplace(len({o.buyer for o in some}), scale=1),
                dp.laplace(len(set(o.buyer for o in rest)), scale=1),
                dp.laplace(dp.count_distinct([o.buyer for o in kept]), scale=1))
    """,
    "different things": """
        kept = dp.limit_rows(orders, "buyer", 2)
        return dp.laplace(len({o.shop for o in kept}), scale=1)
    """,
    "numbers of persons": """
        each = dp.sum_per_id(orders, "buyer", lambda o: o.shop)
        return [dp.gaussian(sum(1 for m in each if m == k), scale=1) for k in range(3)]
    """,
}
ONE = ([], [0], [1, 1], [0, 1], [0, 1, 1])
TABLES = [
    [*(("a", shop) for shop in first), *(("b", shop) for shop in second)]
    for first in ONE
    for second in ([], [1])
]


def hole(name: str, change: str, folder: Path) -> str:
    """What is wrong along some outputs of the tables that one person tells apart."""
    body = "\n".join(line[4:] for line in WRITTEN[name].splitlines())
    f = load(folder, HEAD.replace("{change}", change) + body, "").f
    proved = Proved(f, f.guarantee.data, {"n": 2})
    (entry,) = proved.guarantee.private()
    for x, y in itertools.combinations(TABLES, 2):
        apart = entry.space.distance(x, y).as_fraction()
        if apart is not None and apart <= 3:
            given = {"orders": x, "n": 2}, {"orders": y, "n": 2}
            found = compare(proved, entry, apart, *given, "drawn", name)
            if found:
                return f"{found}: {x}, {y}"
    return ""


@pytest.mark.parametrize("change", ["", ", dp.ChangeOne"])
@pytest.mark.parametrize("name", WRITTEN)
def test_no_person_is_seen_further_than_was_proved(name: str, change: str, tmp_path: Path) -> None:
    assert hole(name, change, tmp_path) == ""


def _as_one_row(domain: Any, form: Any, *_: Any) -> None:
    domain.tables[form] = (form.terms[0][0], *domain._rounds())
    domain.adds.update(dict.fromkeys(domain.state.movement(form), True))


def _one_table(domain: Any) -> Any:
    return iter(())


def _ids_in_all_columns(domain: Any, form: Any, *rest: Any) -> None:
    RIGHT(domain, form, *rest)
    domain.ids.update(("row", domain.tables.get(form), place) for place in range(2))


RIGHT = PrivacyDomain._persons
DEFECTS = {
    "a person is one row": ("answers about groups", PrivacyDomain, "_persons", _as_one_row),
    "any column is ids": ("different things", PrivacyDomain, "_persons", _ids_in_all_columns),
    "one table for all rounds": ("tables of rounds", PrivacyDomain, "_rounds", _one_table),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_planted_defects_are_seen(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, home, attribute, wrong = DEFECTS[name]
    monkeypatch.setattr(home, attribute, wrong)
    assert "was proved" in hole(program, "", tmp_path)


SEVERAL = """\
from typing import NamedTuple

import metricdp as dp


class Order(NamedTuple):
    buyer: str
    shop: int


class Bill(NamedTuple):
    buyer: str
    sum: int


@dp.measurement
def f(orders: dp.Records[Order, dp.Ids("buyer"{change})],
      bills: dp.Records[Bill, dp.Ids("buyer"{change})], n: int):
"""
OF_SEVERAL = {
    "parts of two tables": """
        kept = dp.limit_rows(orders, "buyer", 1)
        paid = dp.limit_rows(bills, "buyer", 1)
        return (dp.randomized_response(sum(1 for o in kept if o.shop == 0) > 0, epsilon=1),
                dp.randomized_response(sum(1 for b in paid if b.sum == 1) > 0, epsilon=1))
    """,
    "groups of a join": """
        both = dp.join_by_id(orders, bills, "buyer")
        kept = dp.limit_groups(both, "buyer", by="shop", groups=1, rows=2)
        return [dp.laplace(sum(1 for r in kept if r.shop == s), scale=1) for s in range(2)]
    """,
    "who has no bill": """
        none = dp.join_by_id(orders, bills, "buyer", how="anti")
        some = dp.join_by_id(bills, orders, "buyer", how="semi")
        return (dp.gaussian(dp.count_ids(none, "buyer"), scale=1),
                dp.gaussian(dp.count(dp.limit_rows(some, "buyer", 1)), scale=1))
    """,
    "a sum over both": """
        each = dp.sum_per_id(dp.join_by_id(orders, bills, "buyer"), "buyer", lambda r: r.sum)
        few = dp.count_ids(bills, "buyer") - dp.count_ids(orders, "buyer")
        return dp.laplace(dp.sum(dp.clamp(each, 0, 2)) + few, scale=1)
    """,
    "rounds over both": """
        out = []
        for i in range(n):
            here = dp.join_by_id([o for o in orders if o.shop == i], bills, "buyer", how="semi")
            out.append(dp.laplace(dp.count_ids(here, "buyer"), scale=1))
        return out
    """,
}
BOTH = [
    ([("a", k) for k in first] + [("b", 1)] * more, [("a", k) for k in second] + [("b", 0)] * more)
    for first in ONE[:4]
    for second in ONE[1:4]
    for more in (0, 1)
] + [([], []), ([], [("a", 1)]), ([("a", 0)], []), ([("b", 1)], [("b", 0)])]


def hole_in_several(name: str, change: str, folder: Path) -> str:
    """What is wrong along some outputs of two pairs of tables that one person tells apart."""
    body = "\n".join(line[4:] for line in OF_SEVERAL[name].splitlines())
    f = load(folder, SEVERAL.replace("{change}", change) + body, "").f
    proved = Proved(f, f.guarantee.data, {"n": 2})
    (entry,) = proved.guarantee.units()
    space = SamePersons(tuple(each.space for each in proved.guarantee.private()))
    pairs = itertools.combinations(BOTH, 2)
    near = [(x, y) for x, y in pairs if space.distance(x, y).as_fraction() == 1]
    # Ten pairs show the planted defect below.
    for x, y in Random(name).sample(near, min(len(near), depth(10, 400))):
        given = [{"orders": orders, "bills": bills, "n": 2} for orders, bills in (x, y)]
        found = compare(proved, entry, Fraction(1), *given, "drawn", name)
        if found:
            return f"{found}: {x}, {y}"
    return ""


@pytest.mark.parametrize("change", ["", ", dp.ChangeOne"])
@pytest.mark.parametrize("name", OF_SEVERAL)
def test_no_person_of_two_tables_is_seen_further_than_was_proved(
    name: str, change: str, tmp_path: Path
) -> None:
    assert hole_in_several(name, change, tmp_path) == ""


def test_persons_of_two_tables_that_are_charged_apart_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A source for each table: the cost of one of them had been that of a person."""

    def apart(parameters: Any, _: Any) -> dict[str, Source]:
        return {p.name: Source("param", p.name) for p in parameters if p.space is not None}

    monkeypatch.setattr(verify, "sources", apart)
    monkeypatch.setattr(FunctionGuarantee, "units", lambda self: self.private()[:1])
    assert "was proved" in hole_in_several("parts of two tables", "", tmp_path)
