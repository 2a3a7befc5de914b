"""Masks, iterators, counters, sets, caps and weights, attacked; and what sessions charge for units.

The programs are those of `attack.words`.  Their power: of programs that are charged 99% of what
they were proved to cost, two in five or more of every feature are refuted.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from attack import oracle, units
from attack.oracle import Proved
from attack.trying import FEATURES, Tried, about, judge
from checked_modules import load
from depth import depth
from msgspec.structs import replace

NAMES = [name for name, feature in FEATURES.items() if feature.write.__module__.endswith("words")]


@pytest.fixture(autouse=True)
def _along_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readings at a delta take long, and are compared elsewhere."""
    monkeypatch.setattr(oracle, "READ", 0)


def tried(seed: str, number: int, folder: Path) -> Tried:
    program = about(NAMES[number % len(NAMES) :][:1], seed, number)
    if program is None:
        return Tried(number, "misfit")
    return judge(program, Random(f"{seed} {number}"), folder, None)


def test_everyday_words_have_no_hole(tmp_path: Path) -> None:
    proved = 0
    for number in range(depth(6, 240)):
        found = tried("suite", number, tmp_path)
        assert found.verdict not in ("hole", "internal error"), (found.code, found.source)
        proved += found.verdict == "proved"
    assert proved >= depth(4, 150)


def test_programs_that_are_charged_less_than_they_cost_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cost = oracle.cost
    monkeypatch.setattr(
        oracle, "cost", lambda *given: {k: v * 0.99 for k, v in cost(*given).items()}
    )
    found = [tried("less", number, tmp_path).verdict for number in range(14)]
    assert found.count("hole") >= 2


TWO_TABLES = """
@dp.measurement
def f(a: dp.Records[int], b: dp.Records[int]):
    return dp.laplace(dp.count(a) + 2 * dp.count(b), scale=1)
"""


class _Cheaper:
    """A session that charges a little less."""

    def __init__(self, *given: Any, **named: Any) -> None:
        self.session = session_of(*given, **named)

    def cost(self, *given: Any, **named: Any) -> Any:
        found = self.session.cost(*given, **named)
        return replace(found, cost={k: v * 99 / 100 for k, v in found.cost.items()})


session_of = units.dp.Session


def test_a_unit_that_moves_two_tables_pays_for_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    f: Any = load(tmp_path, TWO_TABLES).f
    proved = Proved(f, f.outcome.guarantee, {})
    for number in range(6):
        assert units.undercharged(proved, Random(number)) is None
    monkeypatch.setattr(units.dp, "Session", _Cheaper)
    assert any(units.undercharged(proved, Random(number)) for number in range(6))
