"""The bound is enforced: whatever nodes compute, what a row adds lies in its range, or in its ball.

Attacked with values at, just beyond and far beyond the ends, with rows whose norm is the radius or
an ulp larger, and with what no operator gives: NaN and infinities.  `GridRange.ticks` and
`Ball.ticks` say what arrays have to give; their own definitions are held to exact arithmetic here.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import inf, nan, nextafter
from random import Random
from typing import Any

import numpy as np
import pytest
from column_graphs import DOUBLES, HUGE, INTEGERS, LARGEST, evaluated_by, grown, tables
from depth import depth

from metricdp.columns import arrays, grids, totals
from metricdp.columns.arrays import finite_numbers, range_ticks
from metricdp.columns.grids import Ball, GridRange, Squares, ball_of, range_of, scaled, whole_range
from metricdp.columns.language import Node, clamp, stored
from metricdp.columns.repeated import _largest
from metricdp.columns.stored import Stored
from metricdp.columns.sums import total as range_total
from metricdp.columns.table import Table
from metricdp.columns.totals import ball_ticks
from metricdp.values import listed

TINY = Fraction(5e-324)
ENDS = [
    (0, 1), (0, 100), (-1, 1), (-3, 2), (0, 0), (5, 5), (Fraction(-1, 3), Fraction(22, 7)),
    (1, 1 + Fraction(1, 2**52)), (Fraction(1, 10), Fraction(1, 10) + Fraction(1, 2**54)),
    (-20, -3), (0, TINY), (-TINY, 3 * TINY), (TINY, Fraction(2.0**-1022)), (0, Fraction(1e-300)),
    (-Fraction(LARGEST), Fraction(LARGEST)), (Fraction(1e300), Fraction(LARGEST)),
    (-(2**62), 2**62), (2**53 + 1, 2**53 + 3), (0, 2**940), (0, Fraction(2.0**-1000)),
    (Fraction(1, 2**40), Fraction(3, 2**40)), (0, 2**50), (-(2**51), 2**51), (0, Fraction(3, 8)),
]  # fmt: skip


def near(ends: tuple[Any, Any], bound: GridRange) -> list[float]:
    """The ends, what is beside them, far beyond them, and ties of the grid."""
    found = [*DOUBLES]
    for end in ends:
        x = min(max(float(end), -LARGEST), LARGEST)
        for _ in range(3):
            found += [x, nextafter(x, inf), nextafter(x, -inf)]
            x = nextafter(x, inf)
        found += [x * 2, x / 2, -x, x * 1e10]
    first = (bound.first + bound.last) // 2
    for tick in (bound.first, first, first + 1, bound.last - 1, bound.last):
        for more in (Fraction(0), Fraction(1, 2), Fraction(-1, 2), Fraction(1, 2) + TINY):
            found.append(float(max(min(scaled(tick + more, bound.exponent), SIZE), -SIZE)))
    return [x for x in found if abs(x) < inf]


SIZE = Fraction(LARGEST)


@pytest.mark.parametrize("ends", ENDS, ids=str)
def test_ranges_of_doubles(ends: tuple[Any, Any]) -> None:
    low, high = map(Fraction, ends)
    bound = range_of(low, high)
    assert bound is not None
    # The grid lies inside, and no point of it is left out.
    assert low <= scaled(bound.first, bound.exponent) <= scaled(bound.last, bound.exponent) <= high
    assert scaled(bound.first - 1, bound.exponent) < low and max(-bound.first, bound.last) <= 2**53
    assert high < scaled(bound.last + 1, bound.exponent) or low == high == 0
    x = near(ends, bound)
    expected = [bound.ticks(v) for v in x]
    assert range_ticks(np.array(x), bound).tolist() == expected
    for v, tick in zip(x, expected, strict=True):
        exact = Fraction(v)
        if low <= exact <= high:  # the nearest point of the grid inside
            off = abs(scaled(tick, bound.exponent) - exact)
            ended = tick in (bound.first, bound.last)
            assert off <= scaled(1, bound.exponent) * (1 if ended else Fraction(1, 2))
        else:
            assert tick == (bound.first if exact < low else bound.last)
    whole = [n for n in INTEGERS if abs(n) < 2**63]
    assert range_ticks(np.array(whole), bound).tolist() == [bound.ticks(n) for n in whole]
    assert range_ticks(np.array([True, False]), bound).tolist() == [bound.ticks(1), bound.ticks(0)]
    huge = np.array(HUGE, object)
    assert range_ticks(huge, bound).tolist() == [bound.ticks(n) for n in HUGE]
    assert range_total(np.array(x), bound) == sum(expected)


WHOLE = [(0, 1), (-3, 1000), (2**53 + 1, 2**53 + 3), (-(2**63), 2**63 - 1), (2**62 + 5, 2**63 - 1),
         (-(2**70), 2**70), (2**64, 2**65), (-(2**66), -(2**65)), (-(2**63) - 7, 2**62 + 1),
         (Fraction(-7, 2), Fraction(7, 2))]  # fmt: skip


@pytest.mark.parametrize("ends", WHOLE, ids=str)
def test_ranges_of_integers(ends: tuple[Any, Any]) -> None:
    bound = whole_range(*map(Fraction, ends))
    assert bound is not None
    ends = tuple(end + d for end in map(int, ends) for d in (-1, 0, 1))
    for known in (INTEGERS, HUGE, ends):
        kinds = [object] if known is not INTEGERS else [object, np.int64]
        for kind in kinds:
            x = np.array(known, kind)
            expected = [bound.ticks(n) for n in known]
            assert range_ticks(x, bound).tolist() == expected
            assert range_total(x, bound) == sum(expected)
            assert all(bound.first <= tick <= bound.last for tick in expected)
    doubles = np.array(DOUBLES)
    assert range_ticks(doubles, bound).tolist() == [bound.ticks(x) for x in DOUBLES]
    assert range_ticks(np.array([True]), bound).tolist() == [bound.ticks(1)]


#: What no operator gives: enforcement asks nothing of them.
GARBAGE = (nan, -nan, inf, -inf)


@pytest.mark.parametrize("ends", ENDS, ids=str)
def test_no_number_leaves_its_range(ends: tuple[Any, Any]) -> None:
    bound = range_of(*map(Fraction, ends))
    assert bound is not None
    x = np.array([*GARBAGE, 1.0, *GARBAGE])
    signalling = np.array([0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF], np.uint64).view(np.float64)
    for values in (x, np.full(20_000, nan), signalling, np.array([nan])):
        found = range_ticks(values, bound)
        assert found.min() >= bound.first and found.max() <= bound.last
    zero = bound.ticks(0)
    assert range_ticks(np.array([nan, 1.0]), bound).tolist() == [zero, bound.ticks(1)]
    far = range_ticks(np.array([inf, -inf]), bound).tolist()
    assert far == [bound.last, bound.first]


def test_sums_of_the_widest_ticks() -> None:
    """Rows at the ends, as many as a piece has and more: no sum wraps."""
    for bound in (
        GridRange(0, -(2**53), 2**53),
        GridRange(-40, -(2**62), 2**62),
        GridRange(0, 0, 2**63 - 1),
    ):
        for rows in (1, arrays.CHUNK):
            for end in (bound.first, bound.last):
                x = np.full(rows, end) if bound.exponent == 0 else np.full(
                    rows, float(end) * 2.0**bound.exponent
                )  # fmt: skip
                assert range_total(x, bound) == rows * bound.ticks(x.tolist()[0])
    bound = GridRange(0, -(2**63), 2**63 - 1)
    x = np.array([2**63 - 1] * 100 + [-(2**63)] * 50)
    assert range_total(x, bound) == 100 * (2**63 - 1) - 50 * 2**63 > 2**63
    column = Stored("integer", np.full(1000, 2**63 - 1))
    table = Table((column,), column.node(0))
    with evaluated_by("arrays", rows=7):
        assert table.totals([(table.row, bound)]) == [1000 * (2**63 - 1)]


def test_sums_of_balls_at_their_ends() -> None:
    for width in (1, 50):
        ball = ball_of(None, None, [("LInf", Fraction(2**41 - 1, 2**40))])
        assert ball is not None
        rows = 3 * arrays.CHUNK // width
        column = Stored("double", np.full((rows, width), 1e9))
        table = Table((column,), column.node(0))
        (total,) = map(listed, table.totals([(table.row, ball)]))
        tick = ball.ticks([1e9])[0]
        assert total == [scaled(rows * tick, ball.entries.exponent)] * width


def test_sums_of_odd_ticks_of_more_rows_than_doubles_add_up() -> None:
    ball = ball_of(Fraction(0), Fraction(2047, 1024), [])
    assert ball is not None
    row = [2047 / 1024 - 2.0**-39]
    (tick,) = ball.ticks(row)
    held = totals.total_of(ball, 1, False)
    held.add(np.full((1, 20_001), row[0]))
    assert tick % 2 and held.sum == [20_001 * tick]


def test_sums_of_products_of_balls_at_their_ends() -> None:
    """Rows at the ends, alike and mixed, more than are added up in 64 bits."""
    ball = ball_of(None, None, [("LInf", Fraction(1))])
    assert ball is not None
    most = ball.entries.last
    for row in ([1.0], [1.0, -1.0], [-1.0, 1.0, 2.0**-20 + 2.0**-39, 0.3]):
        rows = totals._MANY * 5 // 4 if len(row) == 1 else 3 * totals._PRODUCTS + 1
        held = totals.SquaresTotal(Squares(ball), len(row))
        piece = np.repeat(np.array([row]).T, totals._MANY // 8, axis=1)
        for start in range(0, rows, piece.shape[1]):
            held.add(piece[:, : rows - start])
        ticks = ball.ticks(row)
        assert max(map(abs, ticks)) == most
        assert held.sum == [rows * a * b for a in ticks for b in ticks]


RADII: list[list[tuple[str, Fraction]]] = [
    [("L1", Fraction(1))], [("L2", Fraction(1))], [("LInf", Fraction(1))],
    [("L2", Fraction(1, 3))], [("L1", Fraction(22, 7)), ("L2", Fraction(2))],
    [("L2", Fraction(1)), ("LInf", Fraction(1, 10))], [("L1", Fraction(10) ** 300)],
    [("L2", Fraction(10) ** 300), ("LInf", Fraction(1))],
    [("L1", Fraction(1)), ("L2", Fraction(10) ** 300)], [("L2", Fraction(10) ** -300)],
    [("L1", Fraction(0))], [("L2", Fraction(1e308))], [("L2", TINY)],
]  # fmt: skip


def rows_near(random: Random, radius: float, width: int) -> list[list[float]]:
    """Rows whose norm is the radius, an ulp more or less, huge, subnormal, or of mixed sizes."""
    found = [[0.0] * width, [radius] + [0.0] * (width - 1), [nextafter(radius, inf)] * width]
    for size in (radius / width, radius / width**0.5, radius):
        for x in (size, nextafter(size, inf), nextafter(size, 0.0), -size):
            found.append([x] * width)
            found.append([random.choice((x, -x)) for _ in range(width)])
    for _ in range(12):
        found.append([random.choice(DOUBLES) for _ in range(width)])
        found.append([random.gauss(0, 1) * radius for _ in range(width)])
        ray = [random.gauss(0, 1) for _ in range(width)]
        length = sum(x * x for x in ray) ** 0.5
        found.append([x / length * radius for x in ray])
        length = sum(map(abs, ray))
        found.append([nextafter(x / length * radius, inf) for x in ray])
    return [[min(max(x, -LARGEST), LARGEST) for x in row] for row in found]


def inside(ball: Ball, radii: list[tuple[str, Fraction]], ticks: list[int]) -> bool:
    """Whether a row of ticks lies in the ball, in exact arithmetic."""
    row = [scaled(t, ball.entries.exponent) for t in ticks]
    sizes = {
        "L1": sum(map(abs, row)),
        "L2": sum(x * x for x in row),
        "LInf": max(map(abs, row), default=0),
    }
    return all(sizes[n] <= (r * r if n == "L2" else r) for n, r in radii)


@pytest.mark.parametrize("radii", RADII, ids=str)
def test_balls(radii: list[tuple[str, Fraction]]) -> None:
    random = Random(1)
    for width in (1, 2, 3, 7, 50):
        ball = ball_of(None, None, radii)
        assert ball is not None
        radius = float(min(r for _, r in radii))
        rows = rows_near(random, radius, width)
        expected = [ball.ticks(row) for row in rows]
        assert ball_ticks(np.array(rows).T, ball).T.tolist() == expected
        assert all(inside(ball, radii, ticks) for ticks in expected)
        # Rows that are far inside are only rounded towards 0.
        for row, ticks in zip(rows, expected, strict=True):
            unit = scaled(1, ball.entries.exponent)
            if sum(map(abs, map(Fraction, row))) <= Fraction(radius) * Fraction(1, 2):
                pairs = zip(row, ticks, strict=True)
                assert all(0 <= abs(Fraction(x)) - abs(t * unit) < unit for x, t in pairs)


@pytest.mark.parametrize("radii", RADII, ids=str)
def test_products_are_scaled_before_they_are_made(radii: list[tuple[str, Fraction]]) -> None:
    """Where a number is scaled in place of the product, the ticks are those of the product."""
    random = Random(4)
    ball = ball_of(None, None, radii)
    assert ball is not None
    numbers = [
        0.0,
        1.0,
        -1.0,
        5e-324,
        2.0**-1022,
        1e-160,
        3e-5,
        *(random.gauss(0, 1) for _ in "abc"),
    ]
    rows = [
        (x, [entry / (x if abs(x) > 1e-300 else 1.0) for entry in row])
        for x in numbers
        for row in [
            *rows_near(random, float(min(r for _, r in radii)), 3),
            [5e-324, 2.0**-1022, 1e-170],
        ]
    ]
    rows = [(x, [v if abs(v) < 1e150 else 1e150 for v in row]) for x, row in rows]
    first, second = np.array([x for x, _ in rows]), np.array([row for _, row in rows])
    columns = Stored("double", first), Stored("double", second)
    number = Node("stored", (), "double", None, 0, 1.0)
    vector = Node("stored", (), "double", 3, 1, 1e150)
    product = Node("mul", (number, vector), "double", 3, None, 1e160)
    expected = [ball.ticks([x * v for v in row]) for x, row in rows]
    fits = 0 <= -ball.entries.exponent <= 900
    assert totals.factors(product, ball) == ((number, vector) if fits else (product,))
    if fits:
        vectors = np.ascontiguousarray(second.T)
        size = partial(_largest, vectors)
        assert ball_ticks((first, vectors), ball).T.tolist() == expected
        assert ball_ticks((first, vectors), ball, size).T.tolist() == expected
        for x, row, ticks in zip(first, second, expected, strict=True):  # the largest of one row
            one = np.array([x]), row[:, None]
            assert ball_ticks(one, ball, partial(_largest, one[1])).T.tolist() == [ticks]
    total = Table(columns, product).ticks([(product, ball)])[0]
    assert list(map(int, total)) == [sum(column) for column in zip(*expected, strict=True)]
    large = Node("mul", (number, vector), "double", 3, None, inf)
    assert totals.factors(large, ball) == (large,)


@pytest.mark.parametrize("ends", [(0, 1), (-1, Fraction(1, 3)), (Fraction(-1, 7), 0)], ids=str)
def test_clamps_are_left_to_a_ball_that_clamps_as_far(ends: tuple[Any, Any]) -> None:
    low, high = map(Fraction, ends)
    rows = rows_near(Random(5), 0.75, 4)
    column = Stored("double", np.array(rows))
    vector = Node("stored", (), "double", 4, 0, inf)
    for radii in ([("L2", Fraction(3, 4))], [("LInf", Fraction(5))]):
        ball = ball_of(low, high, radii)
        assert ball is not None
        first, last = (
            scaled(t, ball.entries.exponent) for t in (ball.entries.first, ball.entries.last)
        )
        for inner, left in (((low, high), True), ((low - 1, high + 1), True),
                            ((low / 2, high / 2), False), ((None, high), True)):  # fmt: skip
            node = clamp(vector, *inner)
            given = [-inf if inner[0] is None else inner[0], inner[1]]
            assert left == (given[0] <= first and last <= given[1])
            assert totals.factors(node, ball) == ((vector,) if left else (node,))
            table = Table((column,), node)
            (found,) = table.ticks([(node, ball)])
            reference = [ball.ticks([max(v, given[0]) for v in row]) for row in
                         ([min(v, given[1]) for v in row] for row in rows)]  # fmt: skip
            assert list(map(int, found)) == [sum(c) for c in zip(*reference, strict=True)]


def test_no_row_leaves_its_ball() -> None:
    for radii in RADII:
        ball = ball_of(None, None, radii)
        assert ball is not None
        for width in (1, 3):
            rows = [[x] * width for x in (*GARBAGE, 1.0)] + [[nan] + [1.0] * (width - 1)]
            for ticks in ball_ticks(np.array(rows).T, ball).T.tolist():
                assert inside(ball, radii, ticks)
            for row in rows:
                one = np.array([row]).T
                (ticks,) = ball_ticks(one, ball, partial(_largest, one)).T.tolist()
                assert ticks == ball.ticks(finite_numbers(np.array(row)).tolist())
            for x in (0.0, 1.0, nan, inf, LARGEST) if -900 <= ball.entries.exponent <= 0 else ():
                pair = np.full(len(rows), x), np.array(rows).T
                for ticks in ball_ticks(pair, ball).T.tolist():
                    assert inside(ball, radii, ticks)


@pytest.mark.parametrize("ends", [(0, 1), (-1, Fraction(1, 3)), (Fraction(-1, 7), 0)], ids=str)
def test_balls_of_entries_in_a_range(ends: tuple[Any, Any]) -> None:
    low, high = map(Fraction, ends)
    radii = [("L2", Fraction(3, 4))]
    ball = ball_of(low, high, radii)
    assert ball is not None
    rows = rows_near(Random(2), 0.75, 4)
    found = ball_ticks(np.array(rows).T, ball).T.tolist()
    assert found == [ball.ticks(row) for row in rows]
    for row, ticks in zip(rows, found, strict=True):
        one = np.array([row]).T
        assert ball_ticks(one, ball, partial(_largest, one)).T.tolist() == [ticks]
    for ticks in found:
        assert inside(ball, radii, ticks)
        assert all(low <= scaled(t, ball.entries.exponent) <= high for t in ticks)


@pytest.mark.parametrize(
    ("x", "row"),
    [
        (1.0, [1.0, 2.0**-39, 0.0]),  # the square of the norm is one square of a tick larger
        (2.0**-30, [2.0**30, 2.0**-9, 0.0]),
        (2.0**700, [2.0**-700] * 3),  # squares are less than any double
        (0.5, [nan, 0.0, 0.0]),
        (nan, [0.5, 0.0, 0.0]),
        (inf, [0.0, 5e-324, 0.0]),
        (1.0, [-0.25, 0.0, 0.0]),
        (-1.0, [0.9, 0.0, 0.0]),
    ],
)
@pytest.mark.parametrize("norm", ["L1", "L2", "LInf"])
@pytest.mark.parametrize("low", [None, 0, Fraction(-1, 8)])
def test_the_largest_of_all_rows_lets_none_out(
    x: float, row: list[float], norm: str, low: Any
) -> None:
    ball = ball_of(low, None if low is None else Fraction(2), [(norm, Fraction(1))])
    assert ball is not None
    pair = np.array([x]), np.array([row]).T
    (ticks,) = ball_ticks(pair, ball, partial(_largest, pair[1])).T.tolist()
    with np.errstate(all="ignore"):
        product = finite_numbers(np.array(x) * np.array(row))
    assert ticks == ball.ticks(product.tolist())


def test_ranges_and_balls_without_a_point_are_none() -> None:
    assert range_of(Fraction(1, 3), Fraction(1, 3)) is None
    assert whole_range(Fraction(1, 3), Fraction(2, 3)) is None
    assert ball_of(Fraction(1), Fraction(2), [("L2", Fraction(1))]) is None
    assert ball_of(None, None, []) is None and ball_of(None, None, [("L3", Fraction(1))]) is None


def test_random_nodes_add_what_their_bound_allows() -> None:
    for seed in range(depth(25, 50)):
        random = Random(seed)
        table = tables(random, 8)
        low, high = sorted(Fraction(random.choice(DOUBLES)) for _ in range(2))
        for node in grown(random, list(table.row), 15):
            if node.width is not None or node.base == "text":
                continue
            whole = node.base != "double"
            bound = whole_range(low - 1, high + 1) if whole else range_of(low, high)
            if bound is None:
                continue
            (total,) = table.totals([(node, bound)])
            (one,) = table.taken([3]).totals([(node, bound)])
            unit = scaled(1, bound.exponent)
            assert 8 * bound.first * unit <= total <= 8 * bound.last * unit
            assert bound.first * unit <= one <= bound.last * unit


# -- defects that these laws see


def far(ticks: Any) -> bool:
    """Whether some tick leaves the range [0, 1], or is not the nearest."""
    bound = range_of(Fraction(0), Fraction(1))
    assert bound is not None
    every = [*near((0, 1), bound), -5.0, 5.0]
    return ticks(np.array(every), bound).tolist() != [bound.ticks(v) for v in every]


def test_planted_defects_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def planted(rounding: Any, low: float, high: float) -> bool:
        def ticks(x: Any, bound: GridRange) -> Any:
            steps = np.clip(np.ldexp(x, -bound.exponent), -(2.0**60), 2.0**60)
            return np.clip(rounding(steps), low, high).astype(np.int64)

        with np.errstate(all="ignore"):
            return far(ticks)

    assert not far(range_ticks) and not planted(np.rint, 0, 2.0**39)
    # Not enforced; enforced above alone; to the lower side; halves away from 0.
    assert planted(np.rint, -(2.0**60), 2.0**60)
    assert planted(np.rint, -(2.0**60), 2.0**39)
    assert planted(np.floor, 0, 2.0**39)
    assert planted(lambda x: np.floor(x + 0.5), 0, 2.0**39)
    ball = ball_of(None, None, [("L2", Fraction(1))])
    assert ball is not None
    rows = rows_near(Random(1), 1.0, 3)

    def leaves() -> bool:
        found = ball_ticks(np.array(rows).T, ball).T.tolist()
        return not all(inside(ball, [("L2", Fraction(1))], ticks) for ticks in found)

    assert not leaves()
    with monkeypatch.context() as patch:
        patch.setattr(np, "trunc", np.rint)
        assert ball_ticks(np.array(rows).T, ball).T.tolist() != [ball.ticks(r) for r in rows]
    with monkeypatch.context() as patch:  # scaled by a norm that is rounded down
        patch.setattr(grids, "isqrt", lambda n: int(n**0.5) - 2)
        assert leaves()
    with monkeypatch.context() as patch:
        sure = totals._known_of(ball, 3)
        assert sure is not None
        wide = sure._replace(radii=(("L2", 1e300, 1e300),))
        patch.setattr(totals, "_known_of", lambda *given: wide)
        assert leaves()


def test_sums_of_64_bits_alone_wrap() -> None:
    bound = GridRange(0, -(2**63), 2**63 - 1)
    x = np.array([2**63 - 1] * 3)
    ticks = range_ticks(x, bound)
    assert range_total(x, bound) == 3 * (2**63 - 1) != int(ticks.sum())  # 64 bits alone wrap


def test_a_node_that_lies_is_no_danger() -> None:
    """A node whose claims of size and range are wrong: what it adds is enforced all the same."""
    column = Stored("double", np.array([1e308, -1e308, nan, 3.0]))
    lying = stored(0, "double", None, 1.0)
    lying.range = (0.0, 1.0)
    doubled = Node("add", (lying, lying), "double", None, None, 1.0)
    less = Node("sub", (doubled, doubled), "double", None, None, 1.0)
    table = Table((column,), less)
    bound = range_of(Fraction(0), Fraction(1))
    assert bound is not None and np.isnan(table.array(less)).any()
    (total,) = table.totals([(less, bound)])
    assert 0 <= total <= 4
