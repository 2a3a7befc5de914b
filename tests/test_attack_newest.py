"""Filters that overlap, missing values, stores, tables with ids, places that rows choose: attacked.

The programs are written by the modules of `NEWEST`; defects that are planted in the checker are
seen among the same programs.  All comparisons are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from attack.trying import FEATURES, Tried, about, judge

from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.loops import collecting
from metricdp.check.values import regions

NEWEST = ("filters", "missing", "persons", "places", "stores")
NAMES = [
    name
    for name, feature in FEATURES.items()
    if feature.write.__module__.split(".")[-1] in NEWEST and feature.kind != "source"
]
ROUNDS = ("counts by keys of rounds", "table made in every round")


def tried(names: Sequence[str], seed: str, number: int, folder: Path) -> Tried:
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


DEFECTS = {
    "every round has rows of its own": (collecting, "new_rows_each_round", _every_round),
    "keys that do not change": (regions, "_separated", _by_any_key),
    "one table for all rounds": (PrivacyDomain, "_rounds", _one_table),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_the_attack_sees_a_planted_defect(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, attribute, wrong = DEFECTS[name]
    monkeypatch.setattr(home, attribute, wrong)
    assert any(tried(ROUNDS, "planted", n, tmp_path).verdict == "hole" for n in range(120))
