"""Filters that overlap, missing values, stores, tables with ids, places that rows choose: attacked.

The programs are written by the modules of `NEWEST`; defects that are planted in the checker are
seen among the same programs.  All comparisons are exact.
"""

from __future__ import annotations

from collections.abc import Sequence as Names
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from attack.oracle import Proved, attack
from attack.trying import FEATURES, Tried, about, charged, judge
from checked_modules import load
from depth import depth

from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.loops import collecting
from metricdp.check.values import regions
from metricdp.measures.events import Sequence

NEWEST = ("filters", "missing", "persons", "places", "stores")
NAMES = [
    name
    for name, feature in FEATURES.items()
    if feature.write.__module__.split(".")[-1] in NEWEST and feature.kind != "source"
]
ROUNDS = ("counts by keys of rounds", "table made in every round")


def tried(names: Names[str], seed: str, number: int, folder: Path) -> Tried:
    program = about(names, seed, number)
    if program is None:
        return Tried(number, "misfit")
    return judge(program, Random(f"{seed} {number}"), folder, None)


def test_the_newest_features_have_no_hole(tmp_path: Path) -> None:
    proved = 0
    for number in range(40):
        found = tried(NAMES, "suite", number, tmp_path)
        assert found.verdict not in ("hole", "internal error"), (found.code, found.source)
        proved += found.verdict == "proved"
    assert proved >= 25


def _every_round(region: Any, index: str) -> Any:
    return regions.Rely() if region else None


def _by_any_key(x: Any, y: Any, same: bool, index: str, rely: Any) -> bool:
    return bool(x.op == y.op == "==" and x.holds and y.holds)


def _one_table(domain: Any) -> Any:
    return iter(())


#: What is replaced, and the first program that shows it: `make thorough` writes those before, too.
DEFECTS = {
    "every round has rows of its own": (collecting, "new_rows_each_round", _every_round, 36),
    "keys that do not change": (regions, "_separated", _by_any_key, 36),
    "one table for all rounds": (PrivacyDomain, "_rounds", _one_table, 16),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_the_attack_sees_a_planted_defect(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, attribute, wrong, first = DEFECTS[name]
    monkeypatch.setattr(home, attribute, wrong)
    numbers = range(depth(first, 0), 120)
    assert any(tried(ROUNDS, "planted", n, tmp_path).verdict == "hole" for n in numbers)


BRANCH = """
@dp.measurement
def f(x: Real, n: int):
    found = 0.0
    if n > 1:
        found = dp.laplace(x, scale=1)
    return found
"""


def test_runs_are_judged_by_the_cost_at_their_own_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A branch that is not taken is charged to nobody; one that is taken, and is left out of the
    cost, is a hole, which the cost of all branches would have hidden."""
    f: Any = load(tmp_path, BRANCH).f
    guarantee = f.guarantee.data
    for n in (1, 2):
        proved = Proved(f, guarantee, {"n": n})
        assert charged(proved, Random(n)) is None
        assert attack(proved, Random(n), 8) is None
    monkeypatch.setattr(type(guarantee), "at_numbers", lambda self, values: nothing_taken(self))
    assert attack(Proved(f, guarantee, {"n": 2}), Random(2), 8) is not None


def nothing_taken(guarantee: Any) -> Any:
    return msgspec.structs.replace(guarantee, tree=Sequence(()))
