"""Keys, groups and counts of tables equal the reference functions of their records, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from math import inf, nan
from random import Random
from typing import Any

import numpy as np
import pytest
from column_graphs import evaluated_by
from depth import depth

from metricdp.columns.language import (
    Untraceable,
    add,
    both,
    eq,
    lt,
    mul,
    stored,
    sub,
    text,
)
from metricdp.columns.nullable import Nullable
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.columns.texts import Texts
from metricdp.primitives.mechanisms import stable_histogram
from metricdp.primitives.records import (
    count_by,
    count_distinct,
    find,
    find_bin,
    histogram,
    is_equal,
    lookup,
    ordered,
    partition,
    resize,
)
from metricdp.values import Exact

_BIG = 2**63 - 1


def column(base: str, cells: list[Any]) -> Stored:
    if base == "text":
        return Stored(base, Texts.of(cells))
    kinds = {"double": np.float64, "integer": np.int64, "boolean": np.bool_}
    return Stored(base, np.array(cells, kinds[base]))


def table(base: str, cells: list[Any]) -> Table:
    """A table of one column, of values that may be missing where one is None."""
    some = {"text": "b"}.get(base, 1)
    held = column(base, [some if x is None else x for x in cells])
    if None not in cells:
        return Table((held,), held.node(0), value=Exact)
    marks = column("boolean", [x is not None for x in cells])
    return Table((held, marks), Nullable(held.node(0), marks.node(1)), value=Exact)


def cells(base: str, rng: Random, count: int) -> list[Any]:
    choices: dict[str, list[Any]] = {
        "text": ["a", "b", "", "ab", "\u00e9", "a\x00", "1"],
        "boolean": [True, False],
        "integer": [0, 1, 2, 5, -1, 7000, _BIG, _BIG - 1, -_BIG, -_BIG - 1, 1 << 53, (1 << 53) + 1],
        "double": [0.0, -0.0, 1.0, 0.5, 2.5, 1 / 3, -7.0, 1e300, 5e-324, 2.0**53, 65535.0, 1e-5],
    }
    return [rng.choice(choices[base]) for _ in range(count)]


KEYS: list[tuple[Any, ...]] = [
    (),
    (0, 1, 5),
    (1, True, 1.0, Fraction(1)),
    (0, -0.0, False),
    ("a", "b", "a", "", 1),
    (5, 2, 0, 1),
    tuple(range(300)),
    (Fraction(1, 2), Fraction(1, 3), 1 / 3, 2.5, 10**400),
    (_BIG, -_BIG - 1, 1 << 53, (1 << 53) + 1, float(1 << 53), 2**64),
    (nan, inf, -inf, None, (1, 2)),
    (-_BIG, 1e300, 5e-324, Exact(7000)),
    tuple(f"{k}" for k in range(70_000)),
    (0, 70_000, 7000, 1),
    (-1, 0, 1, 7000),
    (1, 2, 2, 5),
    (0, 2**70, 5),
    (_BIG - 3, _BIG - 1, _BIG),
    (-_BIG - 1, -_BIG, -_BIG + 5),
    (7000,),
]
BASES = ("text", "boolean", "integer", "double")


def test_integers_beyond_64_bits_among_rising_keys() -> None:
    held = column("integer", [0, 3, 5, _BIG, 4, 0, -1])
    wide = Table((held,), mul(held.node(0), 1 << 70), value=Exact)
    whole = Table((held,), sub(add(wide.row, held.node(0)), wide.row), value=Exact)
    for rows in (wide, whole):
        found = histogram.tabular(rows, categories=(0, 3, 4, 5), null_category=True)
        assert found.array.tolist() == histogram.run(
            list(rows), categories=(0, 3, 4, 5), null_category=True
        )


@cache
def counted(base: str) -> list[tuple[list[Any], list[Any]]]:
    """Rows of several numbers, and as the reference reads them."""
    # Two of the chunks in which columns are looked at; three in depth.
    rng = Random(3)
    rows = [cells(base, rng, count) for count in (0, 1, 2, 50, depth(17_000, 40_000))]
    return [(each, [x if isinstance(x, str) else Exact(x) for x in each]) for each in rows]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("keys", KEYS, ids=range(len(KEYS)))
def test_counts_by_public_keys(base: str, keys: tuple[Any, ...]) -> None:
    for rows, exact in counted(base):
        found = histogram.tabular(table(base, rows), categories=keys, null_category=True)
        expected = histogram.run(exact, categories=keys, null_category=True)
        assert found.array.tolist() == expected
        kept = histogram.tabular(table(base, rows), categories=keys)
        assert kept.array.tolist() == expected[:-1]
        if len(rows) < 100:
            assert histogram.run(exact, categories=keys) == expected[:-1]


def two(rng: Random, first: str, second: str, count: int) -> Table:
    """Rows of three fields: a key, another one, and a number."""
    held = (
        column(first, cells(first, rng, count)),
        column(second, cells(second, rng, count)),
        Stored("double", np.array([rng.uniform(-9, 9) for _ in range(count)]), -5.0, 5.0),
    )
    return Table(held, tuple(each.node(i) for i, each in enumerate(held)), value=Exact)


def key_functions() -> Iterator[tuple[Callable[[Any], Any], tuple[Any, ...]]]:
    yield (lambda row: row[0]), (0, 1, "a", 0.5, "b", 7, 5)
    yield (lambda row: (row[0], row[1])), ((0, 1), (1, "a"), ("a", 1), (1, 1), (5, 1), 3, (0,))
    yield (lambda row: (row[1], row[0])), ((Fraction(1, 2), 5), ("b", "ab"), (True, False))
    yield (lambda row: 1), (0, 1, 2)


@pytest.mark.parametrize("bases", [(a, b) for a in BASES for b in BASES if a != b])
def test_parts_hold_the_rows_that_the_reference_gives_them(bases: tuple[str, str]) -> None:
    rng = Random(5)
    for count in (0, 3, 300):
        rows = two(rng, *bases, count)
        positive = rows.accepted(lambda row: lt(0, row[2]))
        for data in (rows, positive, rows.taken([*range(0, count, 2), *range(1, count, 3)])):
            for key, keys in key_functions():
                parts = partition.tabular(data, key, keys)
                expected = partition.run(data.rows(), key, keys)
                assert [len(part) for part in parts] == [len(part) for part in expected]
                assert [part.rows() for part in parts] == list(expected)


def test_a_key_that_no_array_finds_is_left_to_the_reference() -> None:
    rows = two(Random(6), "text", "integer", 5)
    with pytest.raises(Untraceable):
        partition.tabular(rows, lambda row: [row[0]], ("a",))
    with pytest.raises(Untraceable):
        partition.tabular(rows, lambda row: row[0], (["a"],))


@pytest.mark.parametrize("count", [0, 1, 7, 20_000])
@pytest.mark.parametrize("same", [True, False])
def test_sums_of_parts(count: int, same: bool) -> None:
    """The same function of a row of every part, or another one for each, more than are shared."""
    rows = two(Random(7), "text", "integer", count)
    keys = ("a", "b", "", "c", "ab", "none")
    parts = partition.tabular(rows, lambda row: row[0], keys)
    expected = partition.run(rows.rows(), lambda row: row[0], keys)
    for turn in range(15):
        for place, (part, listed) in enumerate(zip(parts, expected, strict=True)):
            limit = Fraction(turn if same else 7 * turn + place, 20)
            kept = part.accepted(lambda row, t=limit: lt(t, row[2]))
            numbers = kept.mapped(lambda row: row[2])
            chosen = [row for row in listed if row[2] > limit]
            assert kept.size() == len(chosen)
            assert kept.taken(range(len(chosen))).rows() == chosen
            assert numbers.total() == numbers.taken(range(len(chosen))).total()


def test_tables_of_counts() -> None:
    rows = two(Random(8), "text", "integer", 5000)
    keys, others = ("a", "b", "", "none"), (0, 1, 1, 7000, _BIG, 3)
    for part, listed in zip(
        partition.tabular(rows, lambda row: row[0], keys),
        partition.run(rows.rows(), lambda row: row[0], keys),
        strict=True,
    ):
        for kept, chosen in (
            (part, listed),
            (part.accepted(lambda row: lt(row[2], 0)), [r for r in listed if r[2] < 0]),
        ):
            found = histogram.tabular(
                kept.mapped(lambda row: row[1]), categories=others, null_category=True
            )
            assert found.array.tolist() == histogram.run(
                [r[1] for r in chosen], categories=others, null_category=True
            )


@pytest.mark.parametrize("bits", [3, 40, 41, 55, 61])
def test_wide_sums_of_parts_are_exact(bits: int) -> None:
    rng = Random(bits)
    top = (1 << bits) - 1
    numbers = [rng.choice((top, -top, rng.randint(-top, top))) for _ in range(40_000)]
    held = (
        column("integer", [rng.randrange(3) for _ in numbers]),
        Stored("integer", np.array(numbers, np.int64), -top, top),
    )
    rows = Table(held, (held[0].node(0), held[1].node(1)), value=Exact)
    parts = partition.tabular(rows, lambda row: row[0], (2, 0))
    found = [part.mapped(lambda row: row[1]).total() for part in parts]
    codes = held[0].data.tolist()
    assert found == [sum(x for x, c in zip(numbers, codes, strict=True) if c == k) for k in (2, 0)]


def test_functions_that_look_alike_are_told_apart() -> None:
    """Constants that Python calls equal, of two kinds, are two functions."""
    rows = two(Random(9), "integer", "boolean", 50)
    (part,) = partition.tabular(rows, lambda row: 0, (0,))
    whole = part.mapped(lambda row: mul(row[0], 1)).row
    double = part.mapped(lambda row: mul(row[0], 1.0)).row
    from metricdp.columns.groups import same

    assert same(whole) != same(double)
    assert same(whole) == same(part.mapped(lambda row: mul(row[0], 1)).row)


@pytest.mark.parametrize("base", BASES)
def test_occurrences(base: str) -> None:
    rng = Random(10)
    for count in (0, 1, 50, 40_000):
        rows = cells(base, rng, count)
        exact = [x if isinstance(x, str | bool) else Exact(x) for x in rows]
        held = table(base, rows)
        found = count_by.tabular(held)
        assert found == count_by.run(exact) and list(found) == list(count_by.run(exact))
        assert [type(key) for key in found] == [type(key) for key in count_by.run(exact)]
        assert count_distinct.tabular(held) == count_distinct.run(exact)
        chosen = held.taken([*range(0, count, 3)])
        assert count_by.tabular(chosen) == count_by.run(exact[::3])


@pytest.mark.parametrize("bases", [(a, b) for a in BASES for b in BASES])
@pytest.mark.parametrize("count", [0, 4, 2000])
def test_stable_histograms_count_rows_as_the_reference_does(
    bases: tuple[str, str], count: int
) -> None:
    rows = two(Random(12), *bases, count)
    for data in (
        rows.mapped(lambda row: (row[0], row[1])),
        rows.mapped(lambda row: row[0]),
        rows.accepted(lambda row: lt(0, row[2])).mapped(lambda row: (row[1], row[0], row[0])),
    ):
        given = {"scale": Fraction(0), "threshold": 2}
        found = stable_histogram.run(data, **given)
        expected = stable_histogram.run(data.rows(), **given)
        assert found == expected and list(found) == list(expected)
        assert [kinds(key) for key in found] == [kinds(key) for key in expected]


def kinds(key: Any) -> Any:
    return tuple(map(kinds, key)) if isinstance(key, tuple) else type(key)


def test_both_evaluators_give_the_same_parts_and_counts() -> None:
    rows = two(Random(13), "text", "integer", 60)
    for key, keys in key_functions():
        found = []
        for evaluator in ("arrays", "reference"):
            with evaluated_by(evaluator, rows=7):
                parts = partition.tabular(rows, key, keys)
                totals = [part.mapped(lambda row: row[2]).total() for part in parts]
                counts = [
                    histogram.tabular(
                        part.mapped(lambda row: row[1]), categories=(0, 1, 5)
                    ).array.tolist()
                    for part in parts
                ]
                found.append((totals, counts, [part.rows() for part in parts]))
        assert found[0] == found[1]


def test_texts_that_differ_in_many_rows() -> None:
    """What is known of the different texts serves all pieces of a column, and no other column."""
    words = [f"word {i % 5000}" for i in range(40_000)]
    held = (column("text", words), column("text", [w.upper() for w in words]))
    rows = Table(held, (held[0].node(0), held[1].node(1)), value=Exact)
    for word in ("word 7", "WORD 7", "none"):
        for place in (0, 1):
            kept = rows.accepted(lambda row, w=word, p=place: eq(row[p], w))
            expected = sum((w, w.upper())[place] == word for w in words)
            assert kept.size() == expected
    upper = rows.mapped(lambda row: text(row[0], "upper"))
    assert histogram.tabular(upper, categories=("WORD 1", "WORD 2")).array.tolist() == [8, 8]
    assert histogram.tabular(upper, categories=("WORD 3", "word 3")).array.tolist() == [8, 0]


@pytest.mark.parametrize("bases", [("text", "integer"), ("boolean", "text"), ("integer", "double")])
@pytest.mark.parametrize("count", [0, 5, 3000])
def test_filters_by_one_constant_after_the_other(bases: tuple[str, str], count: int) -> None:
    """From the second constant on they share a grouping; each gives the rows that it gave alone."""
    constants = ["a", "none", 0, 1, True, 5, 0.5, 1.0, 10**30, "", _BIG, Fraction(1, 3)]
    rng = Random(14)
    shared = two(rng, *bases, count)
    whole = column("integer", [rng.randrange(-3, 9) for _ in range(count)])
    small = Table((whole, *shared.columns[1:]), (whole.node(0), *shared.row[1:]), value=Exact)
    for rows in (shared, small):
        for constant in [*constants, *constants]:
            for place in (0, 1):
                alone = Table(rows.columns, rows.row, value=Exact)
                for test in (
                    lambda row, c=constant, p=place: eq(row[p], c),
                    lambda row, c=constant, p=place: both(lt(row[2], 2), eq(c, row[p])),
                ):
                    found, expected = rows.accepted(test), alone.accepted(test)
                    assert found.size() == expected.size()
                    numbers = [t.mapped(lambda row: row[2]) for t in (found, expected)]
                    assert numbers[0].total() == numbers[1].total()
                    assert found.rows() == expected.rows()
    if count and bases[0] == "text":
        assert shared.accepted(lambda row: eq(row[0], "b")).chosen is not None


EDGES: list[list[Any]] = [
    [],
    [0],
    [-7, 0, Fraction(1, 3), 0.5, 1, Fraction(5, 2), 7000],
    [Fraction(-(10**400)), -_BIG - 1, -_BIG, 1 << 53, (1 << 53) + 1, _BIG - 1, _BIG, 10**400],
    list(range(-500, 500)),
]


class Once:
    """What a reference function says row by row: a dozen different rows come again and again."""

    def __init__(self, rows: list[Any]) -> None:
        names = [repr(row) for row in rows]
        known = dict(zip(names, rows, strict=True))
        places = {name: place for place, name in enumerate(known)}
        self.kinds, self.places = [*known.values()], [places[name] for name in names]

    def __call__(self, run: Callable[..., list[Any]], *public: Any) -> list[Any]:
        found = run(self.kinds, *public)
        assert len(found) == len(self.kinds)
        return [found[place] for place in self.places]


@pytest.mark.parametrize("base", ["integer", "double"])
@pytest.mark.parametrize("edges", EDGES, ids=range(len(EDGES)))
@pytest.mark.parametrize("count", [0, 1, 20_000])
def test_bins(base: str, edges: list[Any], count: int) -> None:
    rows = cells(base, Random(15), count)
    held = table(base, rows)
    found = held.with_row(find_bin.columnar(held.row, edges))
    assert found.rows() == Once([Exact(x) for x in rows])(find_bin.run, edges)
    assert found.row.range == (0, len(edges))


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("count", [0, 1, 20_000])
def test_positions_and_equal_rows(base: str, count: int) -> None:
    rows = cells(base, Random(16), count)
    each = Once([x if isinstance(x, str) else Exact(x) for x in rows])
    held = table(base, rows)
    for keys in (k for k in KEYS if len(set(k)) == len(k)):
        found = held.with_row(find.columnar(held.row, keys))
        assert list(found) == each(find.run, keys)
    for value in ("a", 1, True, 0.5, Fraction(1, 3), _BIG, 10**30, 1e300, 0):
        expected = each(is_equal.run, value)
        assert held.with_row(is_equal.columnar(held.row, value=value)).rows() == expected


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("count", [0, 1, 20_000])
def test_values_that_are_looked_up(count: int, missing: bool) -> None:
    rows = gapped("integer", Random(17), count, missing)
    held, each = table("integer", rows), Once(rows)
    for categories, null in LOOKED_UP:
        expected = each(lookup.run, categories, null)
        assert list(held.with_row(lookup.columnar(held.row, categories, null))) == expected
        with evaluated_by("reference"):
            slow = Table(held.columns, lookup.columnar(held.row, categories, null))
            assert list(slow) == expected
    for categories, null in (([Fraction(1, 3)], 0), ([True, 1], 0), (["a"], 1)):
        with pytest.raises(Untraceable):
            lookup.columnar(held.row, categories, null)


LOOKED_UP: list[tuple[list[Any], Any]] = [
    ([], "other"),
    (["x", "y", "x"], "other"),
    ([1, 2, 10**30], 0),
    ([0.5, 1, Fraction(-7, 4)], -2),
    ([True, False, True], False),
]


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("base", BASES)
def test_the_public_order(base: str, missing: bool) -> None:
    rows = gapped(base, Random(18), 500, missing)
    held, exact = table(base, rows), rows_of(rows)
    assert ordered.tabular(held).rows() == ordered.run(exact)
    for size in (0, 1, 3, 499, 500, 501, 600):
        constant = {"text": "a", "boolean": True}.get(base, 7)
        assert resize.tabular(held, size, constant).rows() == resize.run(exact, size, constant)
    huge = Table(
        (Stored("integer", np.array([2**70, -1, 2**70, 5], object)),), stored(0, "integer")
    )
    assert ordered.tabular(huge).rows() == ordered.run([2**70, -1, 2**70, 5])


def gapped(base: str, rng: Random, count: int, missing: bool) -> list[Any]:
    found = cells(base, rng, count)
    return [None if missing and rng.random() < 0.3 else x for x in found]


def rows_of(rows: list[Any]) -> list[Any]:
    """Rows as reference functions read them."""
    return [x if x is None or isinstance(x, str | bool) else Exact(x) for x in rows]


@pytest.mark.parametrize("kind", [tuple, list, range])
@pytest.mark.parametrize("count", [1, 3, 100])
def test_integers_that_are_their_own_codes(kind: Any, count: int) -> None:
    """Keys 0, 1, 2, ...: whatever else a row holds has none of them; rows lie in any way."""
    cells = [0, count - 1, count, -1, _BIG, -_BIG - 1, 0, 5]
    expected = [cells.count(key) for key in range(count)]
    expected.append(len(cells) - sum(expected))
    keys = range(count) if kind is range else kind(range(count))
    strided = np.array([cells, cells[::-1]], np.int64).T.copy()
    for data in (
        np.array(cells, np.int64),
        strided[:, 0],
        strided[::-1, 1],
        np.array(cells, ">i8"),
    ):
        held = Stored("integer", data)
        assert Table((held,), held.node(0)).tallies(keys).tolist() == expected
    held = Stored("integer", np.array(cells, np.int64), 0, 1)
    ends = [sum(min(max(cell, 0), 1) == key for cell in cells) for key in range(count)]
    assert Table((held,), held.node(0)).tallies(keys).tolist()[:count] == ends
    # True is no integer of the keys, though it equals one.
    assert Table((column("integer", [0, 1, 2]),), stored(0, "integer")).tallies(
        (0, True, 2)
    ).tolist() == [1, 1, 1, 0]
