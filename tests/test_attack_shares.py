"""Vectors to which one row adds several times, entries noised in turn: attacked, and defects seen.

The programs are those of `attack.shares`; of some neighbours the two whose draws differ most are
compared (`attack.worst`).  All comparisons are exact.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp
from pathlib import Path
from random import Random
from typing import Any

import pytest
from attack import oracle
from attack.following import Outputs, follow, record
from attack.profiles import delta_from_below, read_too_low
from attack.trying import FEATURES, Tried, about, judge
from checked_modules import load
from depth import depth
from msgspec.structs import replace

from metricdp.check.domain import bins, one_by_one, row_shares, several_rows
from metricdp.check.values.regions import Literal
from metricdp.expr import ONE
from metricdp.measures import steps

NAMES = [
    name
    for name, feature in FEATURES.items()
    if feature.write.__module__.endswith("shares") and feature.kind != "source"
]
REPLACED = ("records of tuples, one replaced",)


def tried(names: Any, seed: str, number: int, folder: Path, sources: Any = ()) -> Tried:
    program = about(names, seed, number, sources)
    if program is None:
        return Tried(number, "misfit")
    return judge(program, Random(f"{seed} {number}"), folder, None)


def test_shares_of_rows_have_no_hole(tmp_path: Path) -> None:
    proved = 0
    for number in range(depth(8, 200)):
        found = tried(NAMES, "suite", number, tmp_path)
        assert found.verdict not in ("hole", "internal error"), (found.code, found.source)
        proved += found.verdict == "proved"
    assert proved >= depth(5, 140)


def _one_sign(parts: Any) -> bool:
    return True


_every_way = row_shares._told_apart


def _one_way(share: Any) -> Any:
    return _every_way(share)[:1]


def _behind(known: Any, given: Any, bounds: Any, regions: Any) -> Any:
    if given["x"].form not in known or given["i"].expr is None:
        return dict(regions)
    held = known[given["x"].form]
    own = Literal(held.term, "==", ("number", given["i"].expr))
    return {**regions, held.source: frozenset({frozenset({own})})}


def test_a_position_from_behind_that_is_taken_for_another_entry_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bins, "entry", _behind)
    names, sources = ("entries of a histogram",), ("records of floats", "records of ints")
    found = (tried(names, "planted", n, tmp_path, sources) for n in range(1, depth(2, 12)))
    assert any(each.verdict == "hole" for each in found)


#: What is replaced, the sources of rows, and the first program that shows it.
DEFECTS: dict[str, tuple[Any, str, Any, tuple[str, ...], int]] = {
    "rows of both signs are replaced as those of one": (
        row_shares, "of_one_sign", _one_sign, REPLACED, 30),
    "and in rounds": (one_by_one, "of_one_sign", _one_sign, REPLACED, 22),
    "a replaced row moves one round": (one_by_one, "root", lambda x: ONE, REPLACED, 10),
    "a person brings one row": (
        several_rows, "of_unit", lambda state, table, row: row,
        ("records of persons, limited",), 0),
    "a row is in one way to be counted": (
        row_shares, "_told_apart", _one_way, (), 15),
    "no row meets two shares": (row_shares, "disjoint", lambda a, b: True, (), 23),
}  # fmt: skip


@pytest.mark.parametrize("name", DEFECTS)
def test_the_attack_sees_a_planted_defect(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, attribute, wrong, sources, first = DEFECTS[name]
    monkeypatch.setattr(home, attribute, wrong)
    names = ("ballots", "points by keys")
    assert any(
        tried(names, "planted", n, tmp_path, sources).verdict == "hole"
        for n in range(first, first + depth(4, 40))
    )


READ = """
@dp.measurement
def of_rows(rows: dp.Records[int]):
    s = {0: 0, 1: 0, 2: 0}
    for r in rows:
        if r in s:
            s[r] += 3
        if r + 1 in s:
            s[r + 1] += 1
    return [dp.laplace(v, scale=2) for v in s.values()]


@dp.measurement
def of_a_sample(rows: dp.Records[int]):
    some = dp.sample(rows, q=0.5)
    return dp.gaussian(dp.count(some), scale=0.5)
"""


NUMBERS = """
@dp.measurement
def gaussian(rows: dp.Records[int]):
    n = dp.count(rows)
    return dp.gaussian((n, 2 * n), scale=4)


@dp.measurement
def laplace(rows: dp.Records[int]):
    return dp.laplace(dp.count(rows), scale=2), dp.discrete_laplace(dp.count(rows), scale=2)
"""


@pytest.mark.parametrize("program", ["gaussian", "laplace"])
def test_small_deltas_are_computed_from_below(program: str, tmp_path: Path) -> None:
    """By the closed form of Gaussian noise, and by hand: whole Laplace noise loses 1/2 at
    1 / (1 + e^-1/2) of its outputs, and delta of what is left of Laplace noise is known."""
    f = getattr(load(tmp_path, NUMBERS), program)
    drawn = [record(f, {"rows": rows}, Outputs("drawn", "0"), []) for rows in ([1], [])]
    (one,), (two,) = (list(follow(f, {"rows": rows}, drawn[0].drawn)) for rows in ([1], []))
    if program == "gaussian":
        exact, epsilon = oracle._gaussian_delta(2.0, Fraction(5, 16)), 2.0
    else:
        epsilon = 0.9
        exact = (1 - exp((epsilon - 1) / 2)) / (1 + exp(-0.5))
    assert exact * 0.9 < delta_from_below(one, two, epsilon) <= exact


class _Less:
    """The guarantee, of which epsilon is read a tenth too low."""

    def __init__(self, guarantee: Any) -> None:
        self.guarantee = guarantee

    def certified(self, *given: Any) -> Any:
        found = self.guarantee.certified(*given)
        return replace(found, epsilon=found.epsilon * Fraction(9, 10))


@pytest.mark.parametrize("program", ["of_rows", "of_a_sample"])
def test_epsilon_that_is_read_too_low_at_a_delta_is_seen(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against the laws of the outputs, of which delta is estimated with six errors to spare."""
    f = getattr(load(tmp_path, READ), program)
    guarantee, rows = f.outcome.guarantee, steps._rows
    (entry,) = guarantee.private()

    def found(stated: Any) -> str:
        given = f, stated, entry, Fraction(1), {"rows": [1]}, {"rows": []}, {}, Random(0)
        return read_too_low(*given)

    assert not found(guarantee)
    assert found(_Less(guarantee))
    if program == "of_rows":  # rows of a vector that move half as far
        monkeypatch.setattr(steps, "_rows", lambda tree, d, numbers: rows(tree, d / 2, numbers))
        assert found(guarantee)
