"""Columns that are cleaned piece by piece equal the reference functions, entry by entry."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metricdp.columns.language import clamp
from metricdp.run.facts import Notice, clean_floats, clean_number
from metricdp.run.guards import admit
from metricdp.spaces import Records, Scalar
from metricdp.values import Column, accepted, clamp_scalar_to_grid, clamp_to_grid, exact_sum
from metricdp.values.unread import CHUNK, Unread

SPECIAL = [
    0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 5e-324, -5e-324, 2.2e-308, 1.7e308, -1.7e308,
    1.0, -1.0, 0.1, 20.0, np.nextafter(20.0, 0), np.nextafter(20.0, 99), 2.0**-42, 3 * 2.0**-42,
]  # fmt: skip
BOUNDS = [(0, 20), (-1, 1), (Fraction(-1, 3), Fraction(22, 7)), (5, 5), (0, 0), (-1e300, 1e300)]
BOUNDS += [(0, 1e-300), (-20, -3), (1.0, 1.0 + 2**-50)]
LIMITS = [(None, None), (Fraction(-2), Fraction(10)), (None, Fraction(3)), (Fraction(30), None)]
NOTICE = Notice("x", False)


def reference(raw: Any, limits: Any, bounds: Any) -> list[Fraction]:
    rows = [clean_number(float(x), limits, False, NOTICE) for x in raw]
    return [clamp_scalar_to_grid(x, *bounds) for x in rows]


def pending(raw: Any, limits: Any) -> Column:
    low, high = (None if b is None else float(b) for b in limits)
    return Column(pending=Unread(np.asarray(raw), low, high))


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_clamp_and_sum_equal_the_reference(bounds: Any, limits: Any) -> None:
    expected = reference(SPECIAL, limits, bounds)
    raw = np.array(SPECIAL)
    assert exact_sum(clamp_to_grid(pending(raw, limits), *bounds)) == sum(expected)
    assert list(clamp_to_grid(pending(raw, limits), *bounds)) == expected
    assert list(pending(raw, limits)) == [clean_number(x, limits, False, NOTICE) for x in SPECIAL]
    eager = Column(clean_floats(raw, limits, NOTICE))
    assert list(clamp_to_grid(eager, *bounds)) == expected
    again = clamp_to_grid(clamp_to_grid(pending(raw, limits), -100, 100), *bounds)
    assert all(b is not None for b in again)


@given(st.lists(st.floats(width=64), max_size=40), st.sampled_from(BOUNDS), st.sampled_from(LIMITS))
def test_random_rows_equal_the_reference(raw: list[float], bounds: Any, limits: Any) -> None:
    column = pending(np.array(raw, float), limits)
    assert exact_sum(clamp_to_grid(column, *bounds)) == sum(reference(raw, limits, bounds))
    assert exact_sum(column) == sum(clean_number(x, limits, False, NOTICE) for x in raw)


def test_long_columns_in_any_order() -> None:
    rng = np.random.default_rng(1)
    raw = rng.normal(size=3 * CHUNK + 17) * 2.0 ** rng.integers(-60, 20, 3 * CHUNK + 17)
    raw[[5, CHUNK, 2 * CHUNK - 1, -1]] = np.nan
    raw[[6, CHUNK + 1]] = np.inf, -np.inf
    column = pending(raw, (None, None))
    clamped = clamp_to_grid(column, -1, 1)
    expected = sum(reference(raw, (None, None), (-1, 1)))
    assert exact_sum(clamped) == expected
    ticks = clamped.ticks
    assert ticks is not None and Fraction(int(ticks.sum())) * Fraction(2) ** clamped.exponent == (
        expected
    )
    assert exact_sum(clamp_to_grid(pending(rng.permutation(raw), (None, None)), -1, 1)) == expected


@pytest.mark.parametrize("bound", [2.0**-980, 1.0, 2.0**990])
def test_sums_at_the_edge_of_the_proof(bound: float) -> None:
    """A whole piece at a bound: the wrapped sum of the patterns is still below 2**63."""
    for value in (bound, -bound):
        column = clamp_to_grid(pending(np.full(CHUNK, value), (None, None)), -bound, bound)
        assert exact_sum(column) == Fraction(value) * CHUNK
    # Finer grids: too many bits for the sum of patterns, and then for the patterns themselves.
    for bits in (47, 48, 49, 50, 52):
        for value in (1 + 2.0**-bits, -1 - 2.0**-bits):
            near = clamp_to_grid(pending(np.full(CHUNK, 9.0), (None, None)), value, value)
            assert exact_sum(near) == Fraction(value) * CHUNK


@pytest.mark.parametrize(
    "dtype", [*"?bhilqBHILQefdg", ">f8", ">i4"],
)  # fmt: skip
def test_every_dtype(dtype: str) -> None:
    raw = np.array([0, 1, 1, 0, 1] if dtype == "?" else [0, 1, 100, 7, 3]).astype(dtype)
    column = admit("x", Records(Scalar("Data", kind="float")), raw)
    assert list(column) == [Fraction(int(v)) for v in raw]
    assert exact_sum(clamp_to_grid(column, 0, 5)) == sum(min(5, int(v)) for v in raw)
    if raw.dtype.kind in "iu":
        whole = admit("x", Records(Scalar("Int", kind="int")), raw)
        assert exact_sum(whole) == int(raw.astype(object).sum())


def test_integers_do_not_overflow() -> None:
    for dtype in ("int64", "uint64"):
        raw = np.full(1000, np.iinfo(dtype).max, dtype)
        column = admit("x", Records(Scalar("Int", kind="int")), raw)
        assert exact_sum(column) == 1000 * (2**63 - 1)
        assert exact_sum(clamp_to_grid(column, 0, 2**40)) == 1000 * 2**40


def test_views_and_orders() -> None:
    table = np.asfortranarray(np.arange(40_000.0).reshape(-1, 2) - 9_000)
    for raw in (table[:, 1], table[::-3, 0], table[5], table.astype("f4")[::2, 0]):
        expected = sum(reference(raw, (None, None), (-50, 70)))
        assert exact_sum(clamp_to_grid(pending(raw, (None, None)), -50, 70)) == expected


def test_filters_keep_the_rows_that_the_predicate_accepts() -> None:
    raw = np.concatenate([np.array(SPECIAL), np.random.default_rng(2).normal(size=2 * CHUNK)])
    tests: list[Any] = [lambda x: x > 0, lambda x: x <= 0.1, lambda x: x != 0, lambda x: x == 20]
    for limits in LIMITS:
        rows = [clean_number(x, limits, False, NOTICE) for x in raw]
        clamped = [clamp_scalar_to_grid(x, -1, 1) for x in rows]
        for test in tests:
            column = pending(raw, limits)
            mask = accepted(test, column)
            wanted = [bool(test(x)) for x in rows]
            assert mask is not None and mask.tolist() == wanted
            kept = [x for x, keep in zip(rows, wanted, strict=True) if keep]
            chosen = column.chosen(mask)
            assert len(chosen) == len(kept)
            expected = sum(x for x, keep in zip(clamped, wanted, strict=True) if keep)
            assert exact_sum(clamp_to_grid(chosen, -1, 1)) == expected
            second = accepted(lambda x: x < 1, chosen)
            assert second is not None
            assert list(chosen.chosen(second)) == [x for x in kept if x < 1]


def test_the_callers_array_is_read_not_changed() -> None:
    raw = np.array([np.nan, -0.0, 7.0, np.inf])
    before = raw.tobytes()
    raw.flags.writeable = False
    column = admit("x", Records(Scalar("Data", kind="float")), raw)
    exact_sum(clamp_to_grid(column, 0, 5))
    list(column)
    assert raw.tobytes() == before


def test_no_copy_of_the_whole() -> None:
    raw = np.random.default_rng(3).normal(size=10**6)
    tracemalloc.start()
    column = admit("x", Records(Scalar("Data", kind="float")), raw)
    column.with_row(clamp(column.row, -1, 1)).total()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.2 * raw.nbytes
