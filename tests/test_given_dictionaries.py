"""What a dictionary that is a parameter has under a private key: as Python finds it, on both
evaluators; and what questions about one parameter cost together, against all neighbours."""

from __future__ import annotations

import itertools
import math
import random
from types import ModuleType
from typing import Any

import pytest
from checked_modules import load
from column_graphs import evaluated_by

import metricdp as dp
from metricdp.audit.values import plain
from metricdp.check import check_paths, check_source
from metricdp.check.domain import privacy
from metricdp.errors import ParameterError
from metricdp.run.emit import Recording

SOURCE = """
from typing import TypedDict

class Row(TypedDict):
    city: str
    code: int

@dp.measurement
def weights(rows: dp.Records[Row], d: dict[str, float], b: float):
    return dp.laplace(sum(dp.clamp(d.get(r["city"], 0.5), -9, 9) for r in rows), scale=b)

@dp.measurement
def whole(rows: dp.Records[Row], d: dict[int, int], b: float):
    total = 0
    for r in rows:
        if r["code"] in d:
            total += dp.clamp(d[r["code"]] * 2, -9, 9)
    return dp.laplace(total, scale=b)

@dp.measurement
def texts(rows: dp.Records[Row], d: dict[str, str], b: float):
    return dp.laplace(sum(1 for r in rows if d.get(r["city"], "none") == "x"), scale=b)
"""
CITIES, CODES = ("a", "b", "", "c", "A"), (1, -2, 0, 10**15, 2)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("given"), SOURCE)


def clamp(x: float) -> float:
    return min(9, max(-9, x))


BY_HAND = {
    "weights": lambda rows, d: sum(clamp(d.get(r["city"], 0.5)) for r in rows),
    "whole": lambda rows, d: sum(clamp(2 * d[r["code"]]) for r in rows if r["code"] in d),
    "texts": lambda rows, d: sum(1 for r in rows if d.get(r["city"], "none") == "x"),
}
GIVEN: dict[str, list[dict[Any, Any]]] = {
    "weights": [
        {},
        {"a": True, "b": False},
        {"a": 2.5, "": -3, "c": 1e300},
        {str(k): k for k in range(3000)} | {"a": 1},
    ],
    "whole": [{}, {1: 3, -2: 0, 10**15: 4}, {k: k % 5 for k in range(-900, 900)}],
    "texts": [{}, {"a": "x", "b": "y", "": "x"}],
}


@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize("evaluator", ["arrays", "reference"])
def test_entries_are_those_of_python(made: ModuleType, name: str, evaluator: str) -> None:
    rng = random.Random(5)
    for given in GIVEN[name]:
        for count in (0, 1, 7):
            rows = [{"city": rng.choice(CITIES), "code": rng.choice(CODES)} for _ in range(count)]
            record = Recording(dp.Seeded(7))
            with evaluated_by(evaluator, rows=3), dp.handling(record):
                getattr(made, name)(rows, given, b=1.0)
            assert [plain(entry.value) for entry in record.log] == [BY_HAND[name](rows, given)]


def test_what_is_no_number_is_read_as_in_data(made: ModuleType) -> None:
    rows = [{"city": city, "code": 1} for city in "ab"]
    for value, found in ((math.nan, 0.5), (math.inf, 9.5), (-math.inf, -8.5)):
        record = Recording(dp.Seeded(7))
        with dp.handling(record):
            made.weights(rows, {"a": value}, b=1.0)
        assert [plain(entry.value) for entry in record.log] == [found]


@pytest.mark.parametrize("given", [{1: 2.0}, {"a": "b"}, {"a": None}, [("a", 1)], None])
def test_other_dictionaries_are_refused_before_data_are_read(made: ModuleType, given: Any) -> None:
    with pytest.raises(ParameterError):
        made.weights([], given, b=1.0)


def test_they_are_read_in_columns(made: ModuleType) -> None:
    assert not any(f.by_row for f in check_paths([str(made.__file__)]).functions)


#: Two questions of one row, as programs and as functions of a row, with the parameters x and y.
QUESTIONS = {
    ("r in x", "r not in x"): 1,
    ("r in x", "r not in y"): 2,
    ("x.get(r, 0) > 1", "x.get(r, 0) <= 1"): 1,
    ("x.get(r, 0) > 1", "y.get(r, 0) <= 1"): 2,
    ("x.get(r, 0) > 1", "x.get(r, 2) > 1"): 2,
    ("x.get(r, 0) > 1", "r not in x"): 2,  # true: 1
}
PAIR = """
import metricdp as dp
@dp.measurement
def f(rows: dp.Records[str], x: dict[str, float], y: dict[str, float]):
    a = dp.laplace(sum(1 for r in rows if {}), scale=1)
    return a, dp.laplace(sum(1 for r in rows if {}), scale=1)
"""


def claimed(first: str, second: str) -> int:
    (function,) = check_source(PAIR.format(first, second)).functions
    assert function.verdict == "proved" and function.inputs[0].privacy is not None
    return int(function.inputs[0].privacy["epsilon"])


def moved(first: str, second: str, distance: int) -> int:
    """The most that both counts move, over all dictionaries with two keys and all neighbours."""
    tests = [eval(f"lambda r, x, y: {each}") for each in (first, second)]
    most, values = 0, [dict(zip("ab", pair, strict=True)) for pair in ((0, 2), (2, 2), (2, 0))]
    for x, y in itertools.product([*values, {}, {"a": 2}], repeat=2):
        effects = [[int(test(r, x, y)) for test in tests] for r in "abc"]
        for added in itertools.combinations_with_replacement(effects, distance):
            most = max(most, sum(map(sum, zip(*added, strict=True))))
    return most


@pytest.mark.parametrize("pair", QUESTIONS)
def test_what_two_questions_cost_together(pair: tuple[str, str]) -> None:
    assert claimed(*pair) == QUESTIONS[pair]
    for distance in (1, 2, 3):
        assert moved(*pair, distance) <= claimed(*pair) * distance


def test_parameters_that_are_taken_for_one_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    of_given = privacy.of_given
    monkeypatch.setattr(
        privacy, "of_given", lambda value: (found := of_given(value)) and (found[0], "", found[2])
    )
    wrong = [p for p in QUESTIONS if any(moved(*p, d) > claimed(*p) * d for d in (1, 2, 3))]
    assert wrong == [("r in x", "r not in y"), ("x.get(r, 0) > 1", "y.get(r, 0) <= 1")]
