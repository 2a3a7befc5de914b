"""Rows that are gone through in parts: what is found is what all rows at once give.

Parts have a few rows here, blocks and slices too, so that each case has many of them, and one value
that most rows have.  A row that is in no part, or in two, a value that is in two parts, or a slice
that forgets what the slice before it held changes a count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from column_graphs import evaluated_by

import metricdp as dp
from metricdp.columns.distinct import different, occurring
from metricdp.columns.joins import met
from metricdp.columns.language import lt
from metricdp.columns.parted import Parted, number_of_parts
from metricdp.primitives.mechanisms import stable_histogram
from metricdp.run.guards import admit
from metricdp.spaces import space_of

#: Near each other, far apart, at the ends of 64 bits, doubles and texts.
VALUES: dict[str, list[Any]] = {
    "near": [3, 4, 5, 9, 11],
    "far": [-(2**63), 2**63 - 1, 0, 7, -1, 10**9, 2**40, 2**40 + 1],
    "doubles": [0.0, -0.5, 1e300, 5e-324, 2.0, 1 / 3],
    "texts": ["", "a", "b", "\ud800", "é" * 40, "a\0"],
}


SPACES: dict[str, Any] = {
    "near": space_of(dp.Records[tuple[int, int]]),
    "far": space_of(dp.Records[tuple[int, int]]),
    "doubles": space_of(dp.Records[tuple[float, int]]),
    "texts": space_of(dp.Records[tuple[str, int]]),
}


def table(rng: Random, name: str, rows: int) -> tuple[Any, list[Any]]:
    values = VALUES[name]
    usual = rng.choice(values)
    given = [
        (usual if rng.random() < 0.3 else rng.choice(values), rng.randrange(3)) for _ in range(rows)
    ]
    held = admit("x", SPACES[name], given)
    if rng.random() < 0.5:
        return held.accepted(lambda row: lt(0, row[1])), [row for row in given if row[1] > 0]
    if rng.random() < 0.3:
        return held.taken(np.arange(rows)[::-1]), given[::-1]
    return held, given


@pytest.fixture(autouse=True)
def short() -> Iterator[None]:
    with evaluated_by("parts", 5):
        yield


def test_every_row_that_counts_is_in_one_part_and_equal_ones_in_the_same() -> None:
    rng = Random(1)
    for name in VALUES:
        for rows in (0, 1, 6, 7, 8, 60):
            held, given = table(rng, name, rows)
            parted = Parted(held, [held.row[0]])
            assert parted.count == number_of_parts(parted.size)
            found: list[Any] = []
            seen: set[Any] = set()
            for slices in map(parted.slices, range(parted.count)):
                mine = [parted.every.taken(places).rows() for places in slices]
                assert all(
                    len(each) <= 4 + 7 for each in mine
                )  # a slice, and the block that ends it
                values = {row[0] for each in mine for row in each}
                assert not values & seen
                seen |= values
                found += [tuple(row) for each in mine for row in each]
            assert Counter(found) == Counter(given)


@pytest.mark.parametrize("name", VALUES)
def test_values_are_counted_as_all_rows_at_once(name: str) -> None:
    rng = Random(2)
    for rows in (0, 1, 9, 30, 60):
        held, given = table(rng, name, rows)
        expected = Counter(value for value, _ in given)
        assert different(held, held.row[0]) == len(expected)
        for row, counted in ((held.row[0], expected), (held.row, Counter(given))):
            found = [
                pair
                for values, counts in occurring(held.with_row(row))
                for pair in zip(values, counts.tolist(), strict=True)
            ]
            assert len(found) == len(dict(found)) and dict(found) == counted


@pytest.mark.parametrize("name", VALUES)
def test_rows_that_meet_are_those_of_sets(name: str) -> None:
    rng = Random(3)
    for rows, others in ((0, 5), (5, 0), (30, 8), (40, 40), (7, 60)):
        a, mine = table(rng, name, rows)
        b, theirs = table(rng, name, others)
        there = {value for value, _ in theirs}
        for kept in (True, False):
            found = met(a, b, a.row[0], b.row[0], kept).rows()
            assert [tuple(row) for row in found] == [r for r in mine if (r[0] in there) == kept]


def test_a_stable_histogram_releases_each_value_once_and_in_order() -> None:
    rng = Random(4)
    for name in ("near", "far", "texts"):
        held, given = table(rng, name, 200)
        counts = Counter(value for value, _ in given)
        released = stable_histogram.run(held.with_row(held.row[0]), Fraction(0), 20)
        assert [*released] == sorted(value for value, count in counts.items() if count >= 20)
        assert all(released[value] == counts[value] for value in released)
