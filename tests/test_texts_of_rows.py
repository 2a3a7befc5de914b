"""Texts of rows: methods, parts and membership give what Python gives, in columns as row by row."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import metricdp as dp
from metricdp.columns.characters import LONGEST, METHODS, SPLITTING, method, piece, pieces
from metricdp.primitives.texts.contains import run as contained
from metricdp.spaces.scalars import TEXTS

WORDS = (
    *TEXTS, "a@b.com", " A B ", "@", "a@", "@@", "Straße", "İ", "ǆ", "١٢", "²", "\ud800", "\x00",
    "one two  three", "a,b,,c", "xX" * 9, "\n a \t", "ab\r\ncd", "John van Neumann",
)  # fmt: skip
#: What is given to methods: what each takes, and what none takes.
GIVEN: tuple[tuple[Any, ...], ...] = (
    (), ("a",), ("",), ("@",), (None,), (("a", " "),), ("a", "bc"), ("a", "", 1), ("", "-", 2),
    ("a", 1), ("a", None, -1), ("a", 10**30), (" ", 1), (5,), (["a"],), ("a", "b", "c", "d"),
    ((1, 2),), (1.5,), ("a", 0.5), (None, 1), ("a", None), ("a", "b", -(10**30)),
)  # fmt: skip


@pytest.mark.parametrize("name", [*METHODS, *SPLITTING])
def test_methods_are_pythons_where_python_has_a_value(name: str) -> None:
    found = method if name in METHODS else lambda *given: pieces(*given)
    compared = 0
    for word in WORDS:
        for given in GIVEN:
            made = found(word, name, *given)
            if name == "splitlines" and given:  # any value says that Python keeps the ends
                continue
            try:
                expected = getattr(word, name)(*given)
            except (TypeError, ValueError, OverflowError):
                assert type(made) in (str, bool, int, list)
                continue
            compared += 1
            assert made == (list(expected) if name in SPLITTING else expected), (word, name, given)
    assert compared >= len(WORDS)


def test_a_method_whose_result_no_memory_holds_leaves_the_text() -> None:
    assert method("a" * 100, "replace", "a", "b" * LONGEST) == "a" * 100
    assert method("a" * 100, "replace", "", "b" * (LONGEST // 50)) == "a" * 100
    assert method("ab", "replace", "a", "b" * (LONGEST // 2 - 1)).endswith("bbb")


def test_a_part_that_is_not_there_is_empty() -> None:
    assert [piece("a,b", "split", (",",), at) for at in (-3, -2, 1, 2)] == ["", "a", "b", ""]
    assert piece("  ", "split", (), 0) == ""


def test_membership_is_total() -> None:
    import numpy as np

    for x in (1, 1.5, True, "a", ""):
        for items in ((1, 2), [True], {"a", 1.5}, {"": 1}, (), (None,), "abc", (1, "a")):
            if isinstance(items, str) and not isinstance(x, str):
                assert not contained(x, items)
            else:
                assert contained(x, items) == (x in items)
        for strange in (5, None, ([1], [2]), (np.array([1, 2]),), np.array([[1, 2], [3, 4]])):
            assert not contained(x, strange)
    assert contained(2, np.array([1, 2])) and not contained(3, np.array([1, 2]))


@dp.transformation
def counted(rows: dp.Records[tuple[str, int, float, bool]], word: str, ages: list[int]):
    total = 0
    for t, n, x, b in rows:
        if t.strip().lower().split("@")[-1] in ("b.com", "", "a") or n in ages:
            total += 1
        if word in t and t not in ("a", "b") and not t.endswith(("om", "A")):
            total += 2
        if x in (0.5, 1, 3) or b in (1,) or t.partition(" ")[2].removeprefix("B") == word:
            total += 4
        if t[:2] + "!" <= word + t[::-1] or t in "abc" or word in t.split():
            total += 8
        if len(t) > 3 and t.count("a") < 2 <= len(t.split("a")) and t.rfind("b", 1) != 2:
            total += 16
    return total


@dp.transformation
def ranged(rows: dp.Records[tuple[str, int, float, bool]], odd: list[int]):
    found = sum(min(max(r[0].find("a"), -1), 20) + min(len(r[0]), 20) for r in rows)
    return found + sum(1 for r in rows if r[1] in odd)


def by_hand(rows: list[Any], word: str, ages: list[int]) -> int:
    total = 0
    for t, n, x, b in rows:
        total += t.strip().lower().split("@")[-1] in ("b.com", "", "a") or n in ages
        total += 2 * (word in t and t not in ("a", "b") and not t.endswith(("om", "A")))
        total += 4 * (
            x in (0.5, 1, 3) or b in (1,) or t.partition(" ")[2].removeprefix("B") == word
        )
        total += 8 * (t[:2] + "!" <= word + t[::-1] or t in "abc" or word in t.split())
        total += 16 * (
            len(t) > 3 and t.count("a") < 2 <= len(t.split("a")) and t.rfind("b", 1) != 2
        )
    return total


def rows_of(random: Random, count: int) -> list[Any]:
    words = [word for word in WORDS if word.isprintable()]
    return [
        (random.choice(words), random.randint(-2, 70), random.choice((0.5, 1.0, 2.0, 3.5)),
         random.random() < 0.5)
        for _ in range(count)
    ]  # fmt: skip


@pytest.mark.parametrize("word", ["a", "", "B", "@"])
def test_programs_compute_as_python_does(word: str) -> None:
    random = Random(word)
    for count in (0, 1, 7, 400):
        rows = rows_of(random, count)
        assert counted(rows, word=word, ages=[3, 5]) == by_hand(rows, word, [3, 5])
        expected = sum(n in range(1, 400, 2) for _, n, _, _ in rows)
        expected += sum(min(t.find("a"), 20) + min(len(t), 20) for t, *_ in rows)
        assert ranged(rows, odd=list(range(1, 400, 2))) == expected


@pytest.mark.parametrize("given", [("a",), (5,), (1.5,), (None,), (["a"],), (("a", 1),)])
def test_public_values_that_a_method_does_not_take_tell_nothing(given: tuple[Any, ...]) -> None:
    for name, kind in (("startswith", bool), ("count", int), ("replace", str), ("find", int)):
        assert {type(method(word, name, *given)) for word in WORDS} == {kind}


def test_what_is_given_is_only_known_in_a_run() -> None:
    rows = ["a", "b", ""]
    assert [begun(rows, start=start) for start in ("a", "", "x")] == [1, 3, 0]


@dp.transformation
def begun(rows: dp.Records[str], start: str):
    return sum(1 for r in rows if r.startswith(start))


def test_nothing_runs_row_by_row() -> None:
    for function in (counted, ranged, begun):
        assert not function.guarantee.data.by_row
