"""All small tables of two persons, attacked: no two that one person tells apart lose more.

Each program is run on every table along the outputs of its neighbour (`attack.oracle`); defects
that are planted in the checker are seen.  All comparisons are exact.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from attack.oracle import Proved, compare
from checked_modules import load

from metricdp.check.domain.privacy import PrivacyDomain

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
        if entry.space.distance(x, y).as_fraction() == 1:
            given = {"orders": x, "n": 2}, {"orders": y, "n": 2}
            found = compare(proved, entry, Fraction(1), *given, "drawn", name)
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


DEFECTS = {
    "a person is one row": ("answers about groups", PrivacyDomain, "_persons", _as_one_row),
    "one table for all rounds": ("tables of rounds", PrivacyDomain, "_rounds", _one_table),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_planted_defects_are_seen(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, home, attribute, wrong = DEFECTS[name]
    monkeypatch.setattr(home, attribute, wrong)
    assert "was proved" in hole(program, "", tmp_path)
