"""Noise on numbers that stand in lists and dictionaries: they stand as they stood, and run as
they were checked."""

from __future__ import annotations

from pathlib import Path

import pytest
from plain_python import checked, run

from metricdp.errors import InternalError
from metricdp.run.nesting import put_back, values_inside

TABLE = """
    KEYS = ("a", "b")

    @dp.measurement
    def f(x: dp.Records[str], eps: float):
        counts = {k: [sum(1 for v in x if v == k), (len(x), 1.5)] for k in KEYS}
        out = dp.laplace(counts, epsilon=eps)
        counts["a"] = 0
        return out
"""
LONG = """
    @dp.measurement
    def f(x: dp.Records[float], k: int, eps: float):
        return dp.gaussian([[sum(1 for v in x if v > i) for i in range(k)], (0, len(x))], rho=eps)
"""
VIEWS = """
    @dp.measurement
    def f(x: dp.Records[float], eps: float):
        counts = {"all": len(x), "none": 0}
        return dp.laplace(counts.values(), epsilon=eps)
"""


@pytest.mark.parametrize("rows", [["a", "b", "a", "c"], []])
def test_a_dictionary_of_lists(tmp_path: Path, rows: list[str]) -> None:
    function = checked(tmp_path, TABLE)
    value, (entry,) = run(function, rows, eps=1.0)
    one = [rows.count("a"), len(rows), 1.5, rows.count("b"), len(rows), 1.5]
    assert list(entry.value) == one
    noisy = [*entry.output]
    assert value == {
        "a": [noisy[0], (noisy[1], noisy[2])],
        "b": [noisy[3], (noisy[4], noisy[5])],
    }


def test_vectors_of_a_public_length_inside(tmp_path: Path) -> None:
    function = checked(tmp_path, LONG)
    for rows in ([0.5, 1.5, 7.0], []):
        (vector, (zero, size)), (entry,) = run(function, rows, k=3, eps=1.0)
        hidden, *numbers = entry.value
        assert [*hidden] == [sum(v > i for v in rows) for i in range(3)]
        assert numbers[0] == (0, len(rows)) or numbers == [0, len(rows)]
        assert len(vector) == 3 and isinstance(zero, float) and isinstance(size, float)


def test_what_a_dictionary_shows_of_itself_is_a_tuple(tmp_path: Path) -> None:
    value, _ = run(checked(tmp_path, VIEWS), [1.0], eps=1.0)
    assert type(value) is tuple and len(value) == 2


@pytest.mark.parametrize("stood", ["[..]", "[.]", "(...)", "{..}", "[(.).]", "[...].", "[..."])
def test_values_that_stand_otherwise_are_refused(stood: str) -> None:
    assert values_inside([1, 2, 3], "[...]") == [1, 2, 3]
    with pytest.raises(InternalError):
        values_inside([1, 2, 3], stood)


def test_a_release_of_another_length_is_refused() -> None:
    assert put_back([1, 2], {"a": [0], "b": 0}, "{[.].}") == {"a": [1], "b": 2}
    for values in ([1], [1, 2, 3]):
        with pytest.raises(InternalError):
            put_back(values, {"a": [0], "b": 0}, "{[.].}")


COUNTED = """
    @dp.measurement
    def f(x: dp.Records[tuple[str, int]], eps: float):
        table = {a: {"low": 0, "high": 0} for a in "ab"}
        for key, number in x:
            if key in table:
                table[key]["low" if number < 3 else "high"] += min(max(number, 0), 5)
        return dp.laplace(table, epsilon=eps)
"""


@pytest.mark.parametrize(
    "rows", [[("a", 1), ("b", 9), ("a", 4), ("c", 2), ("b", -1), ("a", 2)], []]
)
def test_a_dictionary_of_dictionaries_is_counted_into(tmp_path: Path, rows: list[object]) -> None:
    value, (entry,) = run(checked(tmp_path, COUNTED), rows, eps=1.0)
    assert list(entry.value) == ([3, 4, 0, 5] if rows else [0, 0, 0, 0])
    assert list(value) == ["a", "b"] and all(
        list(each) == ["low", "high"] for each in value.values()
    )
