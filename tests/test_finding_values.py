"""Tuples that are compared, positions and entries that rows look up: as plain Python computes."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from beside_python import both
from checked_modules import load
from plain_python import same

PROGRAM = """
from dataclasses import dataclass

CITIES = ["b", "a", "b", "c"]
PAY = {"a": 3, "b": 0.5, "c": -2}
ZONE = {"a": "north", "b": "south"}
OPEN = {"a": True, "b": False}
AT = {1: (2, "x"), 4: (0.25, "y")}


@dataclass
class Row:
    city: str
    other: str
    n: int
    x: float


def first(r):
    return (r.n, r.x) < (2, 0.5)


@dp.transformation
def ordered(rows: dp.Records[Row], k: int):
    return (
        sum([1 for r in rows if (r.city, r.n) < ("b", 2)]),
        sum([1 for r in rows if (r.city, r.n) <= ("b", 2)]),
        sum([1 for r in rows if (r.x, r.city, r.n) > (0.5, r.other, 1)]),
        sum([1 for r in rows if (r.n, r.x) >= (r.x, r.n)]),
        sum([1 for r in rows if (r.city, r.n) == (r.other, 2)]),
        sum([1 for r in rows if (r.city, r.other) != ("a", "b")]),
        sum([1 for r in rows if ((r.city, r.n), r.x) < ((r.other, 2), 1)]),
        sum([1 for r in rows if (1, r.n) < (k, r.x) <= (4, 5)]),
        sum([1 for r in rows if first(r) and not (r.city,) > ("a",)]),
    )


@dp.transformation
def looked_up(rows: dp.Records[Row]):
    wages = {"a": 2, "c": 7}
    kept = [r for r in rows if r.city in PAY]
    counts = [0, 0, 0, 0]
    total = of_kept = both = 0
    for r in rows:
        if r.city in CITIES:
            counts[CITIES.index(r.city)] += 1
        if r.other in wages:
            total += wages[r.other]
        if r.n in AT:
            number, name = AT[r.n]
            if name == "x":
                both += number
    for r in kept:
        of_kept += PAY[r.city]
    return (
        counts, total, of_kept, both,
        sum([PAY[r.city] for r in rows if r.city in PAY]),
        sum([PAY[r.city] if r.city in PAY else 9 for r in rows]),
        sum([1 for r in rows if r.city in PAY and PAY[r.city] > 0]),
        sum([1 for r in rows if not (r.city not in PAY or PAY[r.city] > 0)]),
        sum([1 for r in rows if ZONE.get(r.city, "none") in ("north", "none")]),
        sum([1 for r in rows if OPEN.get(r.city, True)]),
        [r.city for r in rows].count("a"), [r.n for r in rows].count(4),
    )
"""


WORDS = """
from dataclasses import dataclass

@dataclass
class Row:
    text: str


@dp.transformation
def f(rows: dp.Records[Row], k: int):
    total = firsts = 0
    for r in rows:
        words = r.text.split()
        liked = set(r.text.lower().split(",")[:3])
        total += min(len(words[:3]), 2) + min(len(set(words)), 3)
        if "a" in liked and len(liked) > 1:
            firsts += 1
    return (
        total, firsts,
        sum([1 for r in rows if "b" in r.text.split()[1:]]),
        sum([1 for r in rows if "b" in r.text.split(",")[::-1][:2]]),
        sum([1 for r in rows if r.text.split(",")[:2][0] == "a"]),
        sum([dp.clamp(len(r.text.split(",")[k:]), 0, 9) for r in rows]),
        sum([1 for r in rows if "A" in set(r.text.split()) and "a" not in set(r.text.split()[:1])]),
    )
"""
TEXTS = ("", " ", "a", "A b a", "b,a,c,b", "a,a,a,b", "a b b", ",,", "c a,b A", " a ", "B,A")


def test_parts_of_texts_are_taken_as_python_takes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked, plain = both(tmp_path, WORDS)
    every = [checked.Row(text) for text in TEXTS]
    for _ in range(2):
        for rows, k in ((every, 1), (every, -2), (every[:3], 0), ([], 5)):
            assert checked.f(rows, k=k) == plain.f(rows, k=k)
        assert not checked.f.guarantee.data.by_row
        monkeypatch.setenv("METRICDP_COLUMNS", "reference")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """The program as it is checked, and as plain Python."""
    return both(tmp_path_factory.mktemp("finding"), PROGRAM)


@pytest.mark.parametrize(("name", "public"), [("ordered", {"k": 1}), ("looked_up", {})])
def test_a_run_is_what_python_computes(
    programs: tuple[Any, Any], name: str, public: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    checked, plain = programs
    cells = product(("a", "b", "c", ""), ("a", "b", "c"), (0, 1, 2, 4), (0.5, -0.0, 0.0, 3.0))
    every = [checked.Row(*each) for each in cells]
    for rows in (every, every[::7], every[:1] * 3, []):
        wanted = getattr(plain, name)(rows, **public)
        assert getattr(checked, name)(rows, **public) == wanted
    assert not getattr(checked, name).guarantee.data.by_row
    monkeypatch.setenv("METRICDP_COLUMNS", "reference")
    assert getattr(checked, name)(every, **public) == getattr(plain, name)(every, **public)


RELEASED = """
CLUBS = ["red", "blue", "red"]
@dp.measurement
def f(x: dp.Records[int], eps: float):
    noisy = [dp.laplace(x.count(k), epsilon=eps) for k in (1, 2, 3)]
    best = noisy.index(max(noisy))
    return CLUBS[best], CLUBS.index("red"), CLUBS.count(CLUBS[best]), noisy.count(noisy[0])
"""


def test_what_is_released_is_found_as_it_is(tmp_path: Path) -> None:
    for data in ([1, 2, 2, 3, 3, 3], [], [2]):
        same(tmp_path, RELEASED, data, eps=2.0)


OF_A_LIST = """
CLUBS = ["red", "blue", "green"]
@dp.measurement
def f(x: dp.Records[int], eps: float):
    noisy = dp.laplace([x.count(k) for k in (1, 2, 3)], epsilon=eps)
    return noisy, CLUBS[noisy.index(max(noisy))], noisy.count(max(noisy))
"""


def test_noise_on_a_list_is_found_in_like_a_list(tmp_path: Path) -> None:
    noisy, club, times = load(tmp_path, OF_A_LIST).f([1, 2, 2, 2, 3], eps=2.0).value
    assert club == ["red", "blue", "green"][[*noisy].index(max(noisy))]
    assert times == [*noisy].count(max(noisy))


NESTED = """
from dataclasses import dataclass

@dataclass
class Row:
    city: str
    n: int
    x: float


def to_a_cell(table, r):
    table[int(r.n > 1)][r.n % 3] += 1


@dp.transformation
def f(rows: dp.Records[Row]):
    cities = ["a", "b"]
    late = [0, 0]
    table = [[0] * 3 for _ in cities]
    sums = [[0.5, 0], late]
    cells = [[0, 1, 2], [3, 4, 5]]
    of_helper = [[0, 0, 0], [0, 0, 0]]
    for r in rows:
        if r.city in cities:
            table[cities.index(r.city)][min(max(r.n, 0), 2)] += 1
        if r.x > 0.5:
            sums[int(r.n > 1)][int(r.city == "c")] -= dp.clamp(r.x, 0, 2)
            cells[0][r.n % 3] += 1
            cells[1][2] += 1
        else:
            cells[1][r.n % 3] += 2
    for r in rows:
        to_a_cell(of_helper, r)
    return table, sums, late, cells, of_helper
"""


def test_a_list_of_lists_is_added_to_as_python_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked, plain = both(tmp_path, NESTED)
    cells = product(("a", "b", "c", ""), (-1, 0, 1, 2, 4), (0.5, -0.0, 3.0, 1.25))
    every = [checked.Row(*each) for each in cells]
    for _ in range(2):
        for rows in (every, every[::7], every[:1] * 3, []):
            assert checked.f(rows) == plain.f(rows)
        assert len(checked.f.guarantee.data.by_row) == 1  # the helper's
        monkeypatch.setenv("METRICDP_COLUMNS", "reference")
