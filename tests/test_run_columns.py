"""Columns that are cleaned piece by piece equal the reference functions, entry by entry."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metricdp.columns.arrays import CHUNK
from metricdp.columns.grids import range_of
from metricdp.columns.language import clamp, eq, gt, le, lt, mul, ne, trunc
from metricdp.columns.table import Table
from metricdp.run.facts import Notice, clean_number
from metricdp.run.guards import admit
from metricdp.spaces import Records, Scalar
from metricdp.spaces.lengths import summed

SPECIAL = [
    0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 5e-324, -5e-324, 2.2e-308, 1.7e308, -1.7e308,
    1.0, -1.0, 0.1, 20.0, np.nextafter(20.0, 0), np.nextafter(20.0, 99), 2.0**-42, 3 * 2.0**-42,
]  # fmt: skip
BOUNDS = [(0, 20), (-1, 1), (Fraction(-1, 3), Fraction(22, 7)), (5, 5), (0, 0), (-1e300, 1e300)]
BOUNDS += [(0, 1e-300), (-20, -3), (1.0, 1.0 + 2**-50)]
LIMITS = [(None, None), (Fraction(-2), Fraction(10)), (None, Fraction(3)), (Fraction(30), None)]
NOTICE = Notice("x", False)
FLOAT, INT = (Records(Scalar("Data", kind=kind)) for kind in ("float", "int"))


def rows_of(raw: Any, limits: Any) -> list[Fraction]:
    return [clean_number(float(x), limits, False, NOTICE) for x in raw]


def reference(rows: Any, bounds: Any) -> list[Fraction]:
    """Rows on the public grid of their bounds."""
    found = range_of(*map(Fraction, bounds))
    assert found is not None
    return [found.ticks(x) * Fraction(2) ** found.exponent for x in rows]


def pending(raw: Any, limits: Any) -> Table:
    row = Scalar("Data", kind="float")
    low, high = limits
    found = admit("x", Records(row), np.asarray(raw))
    (column,) = found.columns
    column.bottom, column.top = (None if end is None else float(end) for end in (low, high))
    return Table((column,), column.node(0), value=found.value)


def clamped(table: Table, bounds: Any) -> Table:
    return table.with_row(clamp(table.row, *bounds))


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_clamp_and_sum_equal_the_reference(bounds: Any, limits: Any) -> None:
    rows = rows_of(SPECIAL, limits)
    table = pending(SPECIAL, limits)
    assert list(table) == rows
    made = clamped(table, bounds)
    low, high = map(Fraction, bounds)
    assert all(low <= x <= high for x in made)
    # Bounds that the declared ones lie in move nothing.
    assert made.total() == sum(reference(rows, made.row.range))


@given(st.lists(st.floats(width=64), max_size=40), st.sampled_from(BOUNDS), st.sampled_from(LIMITS))
def test_random_rows_equal_the_reference(raw: list[float], bounds: Any, limits: Any) -> None:
    table, rows = pending(np.array(raw, float), limits), rows_of(raw, limits)
    made = clamped(table, bounds)
    assert made.total() == sum(reference(rows, made.row.range))
    if None in limits:  # no range that a sum is moved into
        assert table.total() == sum(rows)


def test_long_columns_in_any_order() -> None:
    rng = np.random.default_rng(1)
    raw = rng.normal(size=3 * CHUNK + 17) * 2.0 ** rng.integers(-60, 20, 3 * CHUNK + 17)
    raw[[5, CHUNK, 2 * CHUNK - 1, -1]] = np.nan
    raw[[6, CHUNK + 1]] = np.inf, -np.inf
    expected = summed(reference(rows_of(raw, (None, None)), (-1, 1)))
    for some in (raw, rng.permutation(raw)):
        assert clamped(pending(some, (None, None)), (-1, 1)).total() == expected


@pytest.mark.parametrize("bound", [2.0**-980, 1.0, 2.0**990])
def test_sums_at_the_edge_of_the_proof(bound: float) -> None:
    """A whole piece at a bound: the wrapped sum of the patterns is still below 2**63."""
    for value in (bound, -bound):
        table = clamped(pending(np.full(CHUNK, value), (None, None)), (-bound, bound))
        assert table.total() == Fraction(value) * CHUNK
    # Finer grids: too many bits for the sum of patterns, and then for the patterns themselves.
    for bits in (47, 48, 49, 50, 52):
        for value in (1 + 2.0**-bits, -1 - 2.0**-bits):
            near = clamped(pending(np.full(CHUNK, 9.0), (None, None)), (value, value))
            assert near.total() == Fraction(value) * CHUNK


@pytest.mark.parametrize(
    "dtype", [*"?bhilqBHILQefdg", ">f8", ">i4"],
)  # fmt: skip
def test_every_dtype(dtype: str) -> None:
    raw = np.array([0, 1, 1, 0, 1] if dtype == "?" else [0, 1, 100, 7, 3]).astype(dtype)
    table = admit("x", FLOAT, raw)
    assert list(table) == [Fraction(int(v)) for v in raw]
    assert clamped(table, (0, 5)).total() == sum(min(5, int(v)) for v in raw)
    assert table.total() == int(raw.astype(object).sum())
    if raw.dtype.kind in "iu":
        assert admit("x", INT, raw).total() == int(raw.astype(object).sum())


def test_integers_do_not_overflow() -> None:
    for dtype in ("int64", "uint64"):
        table = admit("x", INT, np.full(1000, np.iinfo(dtype).max, dtype))
        assert table.total() == 1000 * (2**63 - 1)
        assert clamped(table, (0, 2**40)).total() == 1000 * 2**40


def test_views_and_orders() -> None:
    held = np.asfortranarray(np.arange(40_000.0).reshape(-1, 2) - 9_000)
    for raw in (held[:, 1], held[::-3, 0], held[5], held.astype("f4")[::2, 0]):
        expected = sum(reference(rows_of(raw, (None, None)), (-50, 70)))
        assert clamped(pending(raw, (None, None)), (-50, 70)).total() == expected


def test_filters_keep_the_rows_that_the_predicate_accepts() -> None:
    raw = np.concatenate([np.array(SPECIAL), np.random.default_rng(2).normal(size=CHUNK + 99)])
    tests: list[Any] = [
        (lambda x: gt(x, 0), lambda x: x > 0),
        (lambda x: le(x, 0.1), lambda x: x <= 0.1),
        (lambda x: ne(x, 0), lambda x: x != 0),
        (lambda x: eq(x, 20), lambda x: x == 20),
    ]
    for limits in LIMITS:
        rows = rows_of(raw, limits)
        for traced, test in tests:
            kept = [x for x in rows if test(x)]
            chosen = pending(raw, limits).accepted(traced)
            assert len(chosen) == len(kept)
            assert clamped(chosen, (-1, 1)).total() == summed(reference(kept, (-1, 1)))
            second = chosen.accepted(lambda x: lt(x, 1))
            assert list(second) == [x for x in kept if x < 1]


def test_the_callers_array_is_read_not_changed() -> None:
    raw = np.array([np.nan, -0.0, 7.0, np.inf])
    before = raw.tobytes()
    raw.flags.writeable = False
    table = admit("x", FLOAT, raw)
    clamped(table, (0, 5)).total()
    list(table)
    assert raw.tobytes() == before


def test_no_copy_of_the_whole() -> None:
    raw = np.random.default_rng(3).normal(size=10**6)
    for read in (raw[:1], raw):  # the first call loads modules and tables of constants
        tracemalloc.start()
        clamped(admit("x", FLOAT, read), (-1, 1)).total()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 0.2 * raw.nbytes


def test_the_arrays_of_a_piece_are_freed_as_soon_as_the_next_step_has_them() -> None:
    """Three doubles or integers for each of its rows at most, and none of the piece before."""
    raw = np.random.default_rng(3).uniform(-1, 11, 12 * CHUNK)
    for read in (raw[:1], raw):
        rows = clamped(admit("x", FLOAT, read), (0, 9))
        bins = rows.with_row(clamp(trunc(mul(10, rows.row)), 0, 90))
        tracemalloc.start()
        bins.tallies(range(91))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 3 * 8 * 4 * CHUNK
