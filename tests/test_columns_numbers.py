"""Numbers over the rows of a table, in arrays, equal the reference functions of their records.

Sums of numbers and of products, of rows that a condition chooses, over pieces and over extremes;
order statistics; and what is read of a column in one pass with a clamp or a comparison.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, nan, nextafter
from random import Random
from typing import Any

import numpy as np
import pytest
from column_graphs import differences, evaluated_by
from column_graphs import tables as extremes
from hypothesis import given
from hypothesis import strategies as st

from metricdp.audit.values import plain
from metricdp.columns import language, sums
from metricdp.columns import products as column_products
from metricdp.columns.grids import GridRange, ball_of, range_of, scaled
from metricdp.columns.order import sides
from metricdp.columns.products import RowSums
from metricdp.columns.stored import FIRST, LAST, Stored, integers_within
from metricdp.columns.sums import COMPUTED, Mask, total
from metricdp.columns.table import Table
from metricdp.errors import InternalError
from metricdp.noise import SeededSource
from metricdp.noise import intervals as noise_intervals
from metricdp.primitives import load
from metricdp.record import REGISTRY
from metricdp.values import Exact

load()
SPECIAL = [
    0.0, -0.0, nan, -nan, inf, -inf, 5e-324, -5e-324, 2.2e-308, 1.7e308, -1.7e308, 1.0, -1.0, 0.1,
    20.0, nextafter(20.0, 0), nextafter(20.0, 99), 2.0**-42, 3 * 2.0**-42,
]  # fmt: skip
BOUNDS: list[tuple[Any, Any]] = [
    (0, 20), (-1, 1), (Fraction(-1, 3), Fraction(22, 7)), (5, 5), (0, 0), (-1e300, 1e300),
    (0, 1e-300), (-20, -3), (1.0, 1.0 + 2**-50), (30, 40),
]  # fmt: skip
ROWS = (3, 1 << 14)


def table_of(data: Any, low: Any = None, high: Any = None) -> Table:
    """A table of one column; integers of 64 bits, Booleans or doubles."""
    array = np.asarray(data)
    base = {"f": "double", "i": "integer", "b": "boolean"}[array.dtype.kind]
    column = Stored(base, array, low, high)
    return Table((column,), column.node(0), value=Exact)


def clamped(table: Table, low: Any, high: Any) -> Table:
    return table.with_row(language.clamp(table.row, low, high))


def on_grid(table: Table) -> list[Fraction]:
    """The rows, each moved to the grid of the bounds of all."""
    bound = table.bound()
    assert bound is not None
    return [scaled(bound.ticks(x), bound.exponent) for x in table]


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
@pytest.mark.parametrize("limits", [(None, None), (-2.0, 10.0), (None, 3.0), (30.0, None)], ids=str)
@pytest.mark.parametrize("rows", ROWS)
def test_sums_of_clamped_rows(bounds: Any, limits: Any, rows: int) -> None:
    table = clamped(table_of(np.array(SPECIAL), *limits), *bounds)
    with evaluated_by("reference"):
        expected = table.total()
    assert expected == sum(on_grid(table))
    with evaluated_by("arrays", rows):
        assert table.total() == expected
        # The column is read twice, so that no pass does two things at once.
        doubled = table.with_row(language.add(table.row, language.mul(0, table.columns[0].node(0))))
        assert doubled.totals([(doubled.row, table.bound())]) == [expected]  # type: ignore[list-item]


@given(
    st.lists(st.floats(width=64), max_size=40), st.sampled_from(BOUNDS), st.sampled_from(BOUNDS),
    st.sampled_from(ROWS),
)  # fmt: skip
def test_two_clamps_of_random_rows(raw: list[float], first: Any, second: Any, rows: int) -> None:
    table = clamped(clamped(table_of(np.array(raw, float)), *first), *second)
    with evaluated_by("arrays", rows):
        found = table.total()
    ends = [language.inner_doubles(*map(Fraction, each)) for each in (first, second)]
    clean = [0.0 if x != x else min(max(x, -language.LARGEST), language.LARGEST) for x in raw]
    for low, high in ends:
        clean = [min(max(x, low), high) for x in clean]
    bound = table.bound()
    assert bound is not None
    assert found == sum(scaled(bound.ticks(x), bound.exponent) for x in clean)


COMPARISONS: list[Callable[[Any, Any], Any]] = [
    language.lt, language.le, language.gt, language.ge, language.eq, language.ne,
    lambda x, y: language.lt(y, x), lambda x, y: language.ge(y, x),
]  # fmt: skip


@pytest.mark.parametrize(
    "threshold", [0, 0.0, -0.0, 1, -1, 0.1, Fraction(1, 3), -7.5, 2**53, 1e308]
)
@pytest.mark.parametrize("limits", [(None, None), (-0.5, 0.5)])
def test_conditions_that_are_read_with_a_column(threshold: Any, limits: Any) -> None:
    table = table_of(np.array(SPECIAL), *limits)
    single = np.array(SPECIAL[:9] + SPECIAL[11:], np.float32)
    for each in (table, table_of(single, *limits)):
        for compare in COMPARISONS:
            chosen = each.accepted(lambda x, c=compare: c(x, threshold))  # type: ignore[misc]
            with evaluated_by("reference"):
                expected = each.with_row(chosen.where).rows()
            with evaluated_by("arrays", 4):
                again = each.accepted(lambda x, c=compare: c(x, threshold))  # type: ignore[misc]
                assert Table(each.columns, again.where).rows() == expected
                assert again.size() == sum(expected)
                total = clamped(again, -1, 1).total()
            with evaluated_by("reference"):
                assert total == clamped(chosen, -1, 1).total()


@pytest.mark.parametrize("name", ["moved", "compared"])
def test_a_planted_defect_of_a_read_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(np.array(SPECIAL))
    node = language.clamp(table.row, -1, 1) if name == "moved" else language.lt(table.row, 1)
    right = getattr(Stored, name)
    with evaluated_by("reference"):
        expected = table.with_row(node).rows()
    assert table.with_row(node).rows() == expected

    def wrong(column: Stored, rows: Any, **given: Any) -> Any:
        found = right(column, rows, **given)
        found[-3] = not found[-3] if found.dtype == bool else 0.25
        return found

    monkeypatch.setattr(Stored, name, wrong)
    assert table.with_row(node).rows() != expected


@pytest.mark.parametrize("exponent", [-1022, -40, 0, 900, 901])
def test_sums_of_a_whole_piece_at_its_ends(exponent: int) -> None:
    """The wrapped sum of the patterns is that of the ticks, however many count."""
    rows = 1 << 17
    for size in (1 << 40, 1 << 45, 1 << 46, 1 << 52):
        bound = GridRange(exponent, -size, size)
        for end in (-size, size, 1):
            value = float(scaled(end, exponent))
            if abs(value) == inf or Fraction(value) != scaled(end, exponent):
                continue
            assert total(np.full(rows, value), bound) == rows * end
            kept = np.arange(rows) % 3 == 0
            mask = Mask(kept)
            assert total(np.full(rows, value), bound, mask) == int(kept.sum()) * end
            assert total(np.full(rows, nan), bound, mask) == 0


def tables() -> list[Table]:
    rng = Random(8)
    small = np.array([rng.choice((0.0, 0.5, 1.0, 3.0, 7.25, -2.0)) for _ in range(40)])
    wide = np.array([rng.uniform(-1, 1) * 2.0 ** rng.randint(-30, 30) for _ in range(40)])
    whole = np.array([rng.randint(-3, 3) for _ in range(40)], np.int64)
    edges = np.array([2**53 + 1, -(2**53) - 1, 2**62 + 1, -(2**63), 2**63 - 1, 0, 1] * 3)
    found = [
        clamped(table_of(small), Fraction(-4), 8), clamped(table_of(wide), -1e10, 1e10),
        clamped(table_of(wide), Fraction(-1, 3), Fraction(22, 7)),
        clamped(table_of(whole), -3, 3), clamped(table_of(edges), -(2**63), 2**63 - 1),
        clamped(table_of(edges), 2**62, 2**62 + 5), clamped(table_of(small[:0]), 0, 1),
        clamped(table_of(small[:1]), 0, 1), clamped(table_of(wide), 5, 5), table_of(whole > 0),
        clamped(table_of(wide), 1.0, 1.0 + 2**-50), clamped(table_of(wide * 1e290), -1e300, 1e300),
    ]  # fmt: skip
    return [
        *found,
        *(t.accepted(lambda x: language.gt(x, 0)) for t in found),
        found[0].taken([3, 3]),
    ]


CASES: list[tuple[str, dict[str, Any]]] = [
    ("sum", {}),
    ("mean", {"empty": Fraction(1, 3), "at_least": 50}),
    ("mean", {"empty": Fraction(1, 3), "at_least": 1}),
    ("sum_of_squared_deviations", {}),
    ("variance", {"ddof": -1}),
]


@pytest.mark.parametrize(
    ("name", "public"), CASES, ids=[f"{n}{i}" for i, (n, _) in enumerate(CASES)]
)
@pytest.mark.parametrize("rows", (5, 1 << 14))
def test_statistics_are_those_of_the_reference(name: str, public: Any, rows: int) -> None:
    record = REGISTRY[name]
    assert record.tabular is not None
    for at, table in enumerate(tables()):
        expected = record.run(on_grid(table), **public)
        with evaluated_by("arrays", rows):
            assert record.tabular(table, **public) == expected, at
        with evaluated_by("reference"):
            assert record.tabular(table, **public) == expected, at


@pytest.mark.parametrize("rows", (5, 1 << 14))
def test_covariances_are_those_of_the_reference(rows: int) -> None:
    record, rng = REGISTRY["covariance"], np.random.default_rng(5)
    assert record.tabular is not None
    columns = (
        Stored("double", np.append(rng.normal(size=60), SPECIAL)),
        Stored("double", rng.normal(size=60 + len(SPECIAL)) * 1e9),
        Stored("integer", rng.integers(-(2**62), 2**62, 60 + len(SPECIAL))),
        Stored("boolean", rng.random(60 + len(SPECIAL)) < 0.5),
    )
    nodes = [column.node(i) for i, column in enumerate(columns)]
    nodes[0] = language.clamp(nodes[0], Fraction(-1, 3), 2)
    nodes[1] = language.clamp(nodes[1], -1e9, 1e10)
    nodes[2] = language.clamp(nodes[2], -(2**61), 2**62)
    for first in nodes:
        for second in nodes:
            table = Table(columns, (first, second), value=Exact)
            for each in (table, table.filtered(language.lt(nodes[0], 0.5)), table.taken([1, 5, 1])):
                pairs = zip(
                    on_grid(each.with_row(first)), on_grid(each.with_row(second)), strict=True
                )
                expected = record.run([*pairs], 0)
                with evaluated_by("arrays", rows):
                    assert record.tabular(each, 0) == expected
                with evaluated_by("reference"):
                    assert record.tabular(each, 0) == expected


def test_sums_of_products_of_whole_pieces_are_exact() -> None:
    rows = 1 << 17
    for size in (1 << 40, (1 << 40) - 1, 1 << 41, 1 << 53):
        bound = GridRange(-40, -size, size)
        for end in (size, -size, size // 3):
            sums = RowSums([bound], [0], [(0, 0)])
            sums.add([np.full(rows, end * 2.0**-40)], None, [COMPUTED], [False])
            assert sums.products() == [scaled(rows * end * end, -80)]
            assert sums.totals() == [scaled(rows * end, -40)]


#: Ticks and ties at the ends of small ranges, about 0, and anywhere.
TICKS = [
    sign * (tick + more)
    for tick in (0, 1, 3, (1 << 20) + 1, 0x5555555555, (1 << 40) - 1, 1 << 40)
    for more in (0.0, 0.5, 0.25, -0.5, -0.499)
    for sign in (1, -1)
] + [-0.0, inf, -inf, 1e300, 2.0**41, 5e-324]


def products(first: GridRange, second: GridRange, rows: int, seed: int, mask: bool) -> Any:
    """Sums of random ticks, of products of two of them and of squares: as found, and exactly."""
    rng = np.random.default_rng(seed)
    # What is larger than anything else occurs most, or all are alike.
    chances = rng.dirichlet(np.full(len(TICKS), 0.05 if seed % 2 else 1.0))
    places = [rng.choice(len(TICKS), rows, p=chances) for _ in range(2)]
    kept = rng.random(rows) < 0.7 if mask else np.ones(rows, bool)
    sums = RowSums([first, second], [0, 1], [(0, 1), (1, 1)])
    with np.errstate(all="ignore"):
        values = [np.array(TICKS)[at] * 2.0**bound.exponent
                  for at, bound in zip(places, (first, second), strict=True)]  # fmt: skip
    sums.add(values, Mask(kept) if mask else None, [COMPUTED] * 2, [False, True])
    far = {inf: 10**400, -inf: -(10**400)}
    # In ticks, whatever they are.
    t, s = ([GridRange(0, b.first, b.last).ticks(far.get(v, v)) for v in TICKS]
            for b in (first, second))  # fmt: skip
    pairs, counts = np.unique(places[0][kept] * len(TICKS) + places[1][kept], return_counts=True)
    every = [(t[p // len(TICKS)], s[p % len(TICKS)], n)
             for p, n in zip(pairs.tolist(), counts.tolist(), strict=True)]  # fmt: skip
    exact = (
        [sum(n * a for a, b, n in every), sum(n * b for a, b, n in every)],
        [sum(n * a * b for a, b, n in every), sum(n * b * b for a, b, n in every)],
    )
    units = (
        [first.exponent, second.exponent],
        [first.exponent + second.exponent, 2 * second.exponent],
    )
    return (sums.totals(), sums.products()), tuple(
        [scaled(x, e) for x, e in zip(numbers, by, strict=True)]
        for numbers, by in zip(exact, units, strict=True)
    )


@pytest.mark.parametrize("exponents", [(-40, -40), (0, -7), (-400, -400), (400, 400), (-400, 399)])
def test_products_are_exact_at_the_ends(exponents: tuple[int, int]) -> None:
    """The last 64 bits and what is near, up to as many rows as a piece has."""
    most = 1 << 40
    ranges = [(-most, most), (0, most), (most - 1, most), (-most, -3), (-1, 2)]
    for seed, (ends, other) in enumerate((a, b) for a in ranges for b in ranges[:3]):
        first, second = (GridRange(e, *r) for e, r in zip(exponents, (ends, other), strict=True))
        rows = (0, 1, 8191, 8193, 1 << 17)[seed % 5]
        found, expected = products(first, second, rows, seed, seed % 3 == 0)
        assert found == expected


def test_what_is_near_may_be_off_by_less_than_half_of_what_the_bits_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bound, right = GridRange(0, -(1 << 40), 1 << 40), column_products.segments
    for off, exact in ((0, True), (2**62, True), (-(2**62), True), (2**63 + 2**40, False)):
        monkeypatch.setattr(
            column_products, "segments", lambda x, y, o=off: [*right(x, y), float(o)]
        )
        # Small enough that what is near is a whole number.
        sums = RowSums([bound], [], [(0, 0)])
        sums.add([np.arange(1000.0)], None, [COMPUTED], [False])
        assert (sums.products() == [sum(i * i for i in range(1000))]) is exact
    with pytest.raises(InternalError, match="too many rows"):
        RowSums([bound], [], [(0, 0)]).add([np.zeros((1 << 17) + 1)], None, [COMPUTED], [False])


# -- order


def whole_tables() -> list[Table]:
    return [t for t in tables() if t.row.base != "boolean"]


@pytest.mark.parametrize("size", [1, 2, 21, 40, 41, 60])
@pytest.mark.parametrize("constant", [7, Fraction(1, 2), Fraction(1, 3), 2**70])
def test_tables_of_another_size(size: int, constant: Any) -> None:
    record = REGISTRY["resize"]
    assert record.tabular is not None
    made = 0
    for table in whole_tables():
        expected = record.run([*table], size, constant)
        try:
            found = record.tabular(table, size, constant)
        except language.Untraceable:
            continue
        made += 1
        assert isinstance(found, Table) and len(found) == size
        assert [*found] == expected
        low, high = found.row.range
        assert low <= min(expected) and max(expected) <= high
        with evaluated_by("reference"):
            assert found.total() == sum(on_grid(found))
    # A third is no row of any table, so it is left to the reference where rows are too few.
    assert made > 4 or (constant == Fraction(1, 3) and size > 40)


@pytest.mark.parametrize("name", ["ordered", "max", "min"])
def test_orders_and_ends_are_those_of_the_reference(name: str) -> None:
    record = REGISTRY[name]
    assert record.tabular is not None
    for table in whole_tables():
        found = record.tabular(table)
        expected = record.run([*table])
        assert ([*found] if name == "ordered" else found) == expected


def test_one_row_of_a_table() -> None:
    record = REGISTRY["index"]
    assert record.tabular is not None
    for table in tables():
        for i in (0, -1, 3, 100, -100, Fraction(5, 2)):
            assert record.tabular(table, i) == record.run([*table], i)
    pair = Table(tables()[0].columns, (tables()[0].row, tables()[0].row), value=Exact)
    assert record.tabular(pair, 2) == [*pair][2]


@given(
    st.lists(st.one_of(st.floats(-5, 5), st.integers(-3, 3).map(float)), max_size=20),
    st.one_of(st.fractions(-6, 6, max_denominator=7), st.integers(-(2**70), 2**70).map(Fraction)),
)
def test_how_many_rows_lie_on_either_side(x: list[float], number: Fraction) -> None:
    kinds: list[Any] = [
        np.array(x, float), np.array([int(v) for v in x], np.int64),
        np.array([int(v) << 70 for v in x], object),
    ]  # fmt: skip
    numbers = (number, number * 2**70, Fraction(2**63), Fraction(-(2**63)))
    for values in kinds:
        rows = [Fraction(v) for v in values.tolist()]
        expected = [(sum(v < t for v in rows), sum(v > t for v in rows)) for t in numbers]
        assert sides([values], numbers) == expected
        assert sides([values[:5], values[5:], values[:0]], numbers) == expected


@pytest.mark.parametrize("name", ["quantile_scores", "private_quantile"])
def test_scores_are_those_of_the_reference(name: str) -> None:
    candidates = (0, 1, Fraction(1, 3), 0.5, -(2**64), 2**63, 7)
    for table in tables():
        rows = list(table)
        if name == "quantile_scores":
            record = REGISTRY[name]
            assert record.tabular is not None
            found = record.tabular(table, candidates, Fraction(1, 4), 2)
            assert plain(found) == plain(record.run(rows, candidates, Fraction(1, 4), 2))
        else:
            from metricdp.primitives.mechanisms.private_quantile import scores

            share = Fraction(2, 3)
            assert scores(table, candidates, share) == scores(rows, candidates, share)


@pytest.mark.parametrize(
    "bounds", [(-5, 9), (Fraction(1, 3), Fraction(22, 7)), (100, 101), (0, 1e-9)]
)
@pytest.mark.parametrize("scale", [Fraction(1, 7), Fraction(2), Fraction(1000)])
def test_the_quantile_of_a_table_is_drawn_as_that_of_its_rows(bounds: Any, scale: Fraction) -> None:
    """The same bits give the same point, whether intervals are found in doubles or exactly."""
    record = REGISTRY["interval_quantile"]
    for seed, table in enumerate(tables()):
        for alpha in (Fraction(0), Fraction(1, 2), Fraction(9, 10)):
            given = (*bounds, alpha, scale)
            expected = record.run([*table], *given, source=SeededSource(seed))
            assert record.run(table, *given, source=SeededSource(seed)) == expected


def test_intervals_are_found_far_from_the_centre_and_among_equal_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No length near the centre, lengths that differ by 2**60, and the two ends of the bounds."""
    rng = np.random.default_rng(4)
    shapes = [
        np.full(3000, 7.0), np.append(np.full(3000, 7.0), np.full(20, 8.0)), np.zeros(0),
        np.sort(np.append(rng.uniform(0, 1e-18, 500), rng.uniform(1, 9, 500))),
        np.sort(rng.uniform(0.1, 9.9, 2000)), np.array([5e-324, 1e-300, 1.0]),
    ]  # fmt: skip
    exactly = noise_intervals._searched
    asked = []
    monkeypatch.setattr(
        noise_intervals, "_searched", lambda *given: asked.append(given) or exactly(*given)
    )
    found = 0
    for rows in shapes:
        for centre in (Fraction(-5), Fraction(0), Fraction(len(rows), 2), Fraction(len(rows) + 9)):
            for scale in (Fraction(1, 3), Fraction(4), Fraction(500)):
                ends = [Fraction(0), *map(Fraction, rows.tolist()), Fraction(10)]
                scores = [-abs(i - centre) for i in range(len(rows) + 1)]
                bits = SeededSource(found), SeededSource(found)
                expected = noise_intervals.interval_point(ends, scores, scale, -40, bits[0])
                before = len(asked)
                got = noise_intervals.point_among(
                    rows, ends[0], ends[-1], centre, scale, -40, bits[1]
                )
                assert got == expected
                found += len(asked) == before
    assert found > 60  # nearly all of the 72 were found in doubles


@pytest.mark.parametrize("exponent", [-400, -40, 0, 17, 400])
def test_bits_of_numbers_add_up_to_their_ticks(exponent: int) -> None:
    """All at one end, at either, between two ticks, beyond both, and one that is no number."""
    first, last = -(1 << 40), (1 << 40)
    tick = 2.0**exponent
    for bound in (GridRange(exponent, first, last), GridRange(exponent, 5, last),
                  GridRange(exponent, first, first)):  # fmt: skip
        for cells in ([first * tick], [last * tick], [first * tick, last * tick, 0.5 * tick],
                      [1.5 * tick, 2.5 * tick, -0.5 * tick, -0.0], [inf, -inf, 3.0 * tick],
                      [nan, last * tick], [nan]):  # fmt: skip
            x = np.array(cells * (500 // len(cells)))
            plain = [0 if v != v else v for v in x.tolist()]
            far = {inf: last * tick, -inf: first * tick}
            expected = sum(bound.ticks(far.get(v, v)) for v in plain)
            assert total(x, bound) == expected
            assert total(x, bound, Mask(np.ones(len(x), bool))) == expected
    assert total(np.zeros(0), GridRange(exponent, 5, last)) == 0


def test_more_numbers_than_their_bits_hold_are_added_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """2**22 numbers of 40 bits add up within 63 bits, at both ends; more of them are not asked."""
    bound = GridRange(0, -(1 << 40), 1 << 40)
    for end in (bound.first, bound.last):
        x = np.broadcast_to(np.float64(end), 1 << 22)
        assert total(x, bound) == end << 22
    monkeypatch.setattr(sums, "places", lambda *given: pytest.fail("too many"))
    assert total(np.broadcast_to(np.float64(bound.last), (1 << 22) + 1), bound) == (
        bound.last * ((1 << 22) + 1)
    )


def test_integers_are_left_where_they_all_lie_inside() -> None:
    edges = [FIRST, -1, 0, 1, 7, 8, LAST]
    for low in (FIRST - 1, FIRST, -1, 0, 1, LAST, None):
        for high in (-2, 0, 7, LAST, LAST + 1, None):
            if low is not None and high is not None and low > high:
                continue
            for cells in (edges, [0, 7], [-1], [8], []):
                found = integers_within(np.array(cells, np.int64), low, high)
                lows = [x if low is None else max(x, low) for x in cells]
                assert found.tolist() == [x if high is None else min(x, high) for x in lows]


def test_columns_of_parts_are_added_up_as_they_lie() -> None:
    """What is no number, in one piece or in many, asked for once, twice, or under a condition."""
    random, cells = Random(5), (nan, inf, -inf, -0.0, 0.25, 7.0, -3.5, 1e300)
    held = [random.choice(cells) for _ in range(60)]
    columns = (
        Stored("integer", np.array([random.randrange(5) for _ in held])),
        Stored("double", np.array(held)),
        Stored("double", np.array([min(x, 1e30) for x in held], np.float32)),
        Stored("double", np.array(held), -2.0, 5.0),
        Stored("double", np.array(held).reshape(30, 2).repeat(2, axis=0)),
    )
    row = tuple(column.node(i) for i, column in enumerate(columns))
    whole = Table(columns, row)
    bounds = [range_of(Fraction(a), Fraction(b)) for a, b in ((-3, 7), (0, 1e300), (5, 5), (0, 5))]
    ball = ball_of(None, None, [("L2", Fraction(3))])
    asked: list[list[tuple[Any, Any]]] = [
        *([(language.clamp(row[i], -3, 7), bound)] for i in (1, 2, 3) for bound in bounds),
        *([(row[i], bound)] for i in (1, 2, 3) for bound in bounds),
        [(row[1], bounds[0]), (row[1], bounds[1]), (language.clamp(row[1], 0, 1), bounds[0])],
        [(language.mul(row[1], row[3]), bounds[0]), (row[1], bounds[0])],
        [(row[4], ball)],
    ]
    for what in asked:
        for test in (None, language.lt(row[1], 1.0), language.lt(row[2], 1.0)):
            found = []
            for name in ("reference", "arrays"):
                with evaluated_by(name, 7):
                    parts = whole.parts(lambda r: r[0], (0, 1, 3, 9))
                    parts = tuple(p if test is None else p.filtered(test) for p in parts)
                    found.append([list(map(_listed, part.ticks(what))) for part in parts])
            assert found[0] == found[1]


def _listed(ticks: Any) -> Any:
    if ticks is None:  # of no rows
        return []
    listed = list(map(int, ticks)) if hasattr(ticks, "__len__") else [ticks]
    return listed if any(listed) else []


def test_whole_parts_at_the_ends_of_32_bits() -> None:
    for most in (2.0**30 - 1, 2.0**30, 2.0**31, 2.0**32, 2.0**62):
        cells = np.array([most, -most, nextafter(most, 0), 0.5 - most, -0.5, 0.0])
        node = language.trunc(language.clamp(Stored("double", cells).node(0), -most, most))
        found = Table((Stored("double", cells),), node).array(node)
        assert found.tolist() == [int(x) for x in cells.tolist()]


def test_one_of_two_doubles_row_by_row() -> None:
    """Of a row, of all rows, and nothing: what the reference chooses, bit for bit."""
    table = extremes(Random(8), 400)
    x, y = (column.node(at) for at, column in enumerate(table.columns[:2]))
    test = language.lt(x, y)
    sides = (0.0, 1.5, x, language.neg(y), language.mul(0.0, y))
    nodes = [language.select(test, a, b) for a in sides for b in sides if a is not b]
    assert differences(table, nodes) == []
    weights = language.mul(language.select(test, 0.0, language.select(test, 1.0, 0.0)), x)
    assert differences(table, [weights, language.select(language.eq(x, x), x, 0.0)]) == []
