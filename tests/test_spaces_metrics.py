"""Every concrete space: metric axioms, membership, neighbours and shrinking on samples."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from grouped import at_each

from metricdp.expr import num
from metricdp.spaces import (
    L1,
    L2,
    Aligned,
    Bool,
    Bounds,
    ChangeOne,
    Data,
    Gradient,
    Hamming,
    InsertDelete,
    Int,
    Keyed,
    LInf,
    Matrix,
    NonNegative,
    Real,
    Records,
    RowBound,
    Scalar,
    Size,
    Space,
    TupleSpace,
    Vector,
    space_of,
)
from metricdp.spaces.metrics import ROW_METRICS, metric_of

N = 4
REAL = Scalar("Real")
NORMS = (L1, L2, LInf)


def spaces() -> list[Space]:
    found: list[Space] = [Scalar(e) for e in ("Real", "Int", "Bool", "Data")]
    found += [s.refined(Bounds(-1, 2.5)) for s in (REAL, Scalar("Int"), Scalar("Data"))]
    found.append(Scalar("Data", kind="str"))
    for norm in NORMS:
        for element in (Real, Int, Bool, Data):
            found += [Vector[element, norm].refined(Size(n)) for n in (1, N)]
            found.append(Matrix[element, norm].refined(Size(3, 2)))
        for element in (Real, Data, Int):
            found.append(Vector[element, norm].refined(Size(N), Bounds(0, 3)))
            found.append(Vector[element, norm].refined(Size(3), RowBound(L2, 2)))
            found.append(Matrix[element, norm].refined(Size(2, 3), RowBound(norm, 1)))
            both = (RowBound(L1, 2), RowBound(LInf, 1), NonNegative)
            found.append(Vector[element, norm].refined(Size(3), *both))
        found.append(Vector[Real, norm].refined(Size(3), Bounds(1, 2), RowBound(L2, 2)))
        found.append(Vector[Real, norm].refined(Size(2), Bounds(Fraction(1, 3), 2)))
        found += [Vector[Real, norm], Matrix[Data, norm], Gradient[Real, norm].refined(Size(2))]
    found += [Vector[Real, L2].refined(Size(0)), Matrix[Real, L1].refined(Size(0, 2))]
    for row in (float, int, bool, str, tuple[float, int]):
        found += [Records[row], Records[row, InsertDelete]]
        found += [Records[row, m].refined(Size(3)) for m in (ChangeOne, Hamming)]
    found.append(Records[float].refined(Bounds(0, 20)))
    pair = Aligned[Matrix[Data, LInf], Vector[Data, LInf]]
    found += [pair, pair.named("x").at({"rows_x": 3, "cols_x_0": 2})]
    found.append(Aligned[Vector[Real, L1], Records[str, Hamming]])
    found.append(TupleSpace((REAL, Vector("Int", "L1", num(2)))))
    for kind, value in (("str", Scalar("Int", num(0))), ("int", REAL)):
        key = Scalar("Data", kind=kind)
        found += [Keyed(key, value, norm) for norm in ("L0", "L1", "L2", "LInf", "L01Inf")]
        found.append(Keyed(key, value, "L02Inf", (num(2), num(2), num(1))))
    return found


def label(space: Space) -> str:
    return space.describe()


def moved(case: tuple[Space, int]) -> str:
    return f"{label(case[0])} at {case[1]}"


ALL = spaces()


def values(space: Space, rng: random.Random, count: int) -> list[Any]:
    return [space.sample(rng) for _ in range(count)] + space.extremes()


@at_each(ALL, label)
def test_samples_and_extremes_belong(space: Space) -> None:
    for value in values(space, random.Random(1), 40):
        assert space.contains(value), value


@at_each(ALL, label)
def test_distance_is_a_metric(space: Space) -> None:
    rng = random.Random(2)
    points = values(space, rng, 12)
    for _ in range(40):
        x, y, z = (rng.choice(points) for _ in range(3))
        y = space.neighbours(x, 2, rng) if rng.random() < 0.5 else y
        assert space.distance(x, x) == num(0)
        assert space.distance(x, y) == space.distance(y, x)
        assert space.distance_float(x, z) <= (
            space.distance_float(x, y) + space.distance_float(y, z)
        ) * (1 + 1e-12)


@at_each(ALL, label)
def test_zero_distance_only_for_equal_values(space: Space) -> None:
    rng = random.Random(3)
    unordered = isinstance(space, Records) and space.metric in ("Symmetric", "ChangeOne")
    for _ in range(60):
        x = space.sample(rng)
        y = space.neighbours(x, 1, rng)
        if unordered:
            x, y = sorted(x, key=repr), sorted(y, key=repr)
        assert (space.distance(x, y) == num(0)) == (x == y)


@at_each(product(ALL, (1, 2, 3)), moved)
def test_neighbours_stay_within_distance_and_domain(case: tuple[Space, int]) -> None:
    space, d = case
    rng = random.Random(4)
    for _ in range(20):
        x = space.sample(rng)
        y = space.neighbours(x, d, rng)
        assert space.contains(y), (x, y)
        assert space.length(x, y).at_most(d), (x, y)


def test_neighbours_move_in_every_space_with_two_values() -> None:
    for space in ALL:
        rng = random.Random(5)
        points = [space.sample(rng) for _ in range(20)]
        if all(space.distance(points[0], p) == num(0) for p in points):
            continue
        moved = [space.distance(x, space.neighbours(x, 1, rng)) != num(0) for x in points]
        assert sum(moved) >= 6, space.describe()


#: Spaces in which the neighbours at d = 1, 2, 3 are often that far away.
ATTAINED = [
    REAL,
    Scalar("Int"),
    *(Vector[Real, norm].refined(Size(N)) for norm in NORMS),
    *(Vector[Int, norm].refined(Size(N)) for norm in NORMS),
    *(Matrix[Real, norm].refined(Size(3, 2)) for norm in NORMS),
    Vector[Data, L1].refined(Size(N)),
    Matrix[Data, LInf].refined(Size(3, 2)),
    Records[float],
    Records[int, InsertDelete],
    Records[float, Hamming].refined(Size(4)),
    Vector[Real, L1].refined(Size(N), Bounds(0, 10)),
]


@at_each(product(ATTAINED, (1, 2, 3)), moved)
def test_neighbours_often_attain_the_distance(case: tuple[Space, int]) -> None:
    space, d = case
    rng = random.Random(6)
    pairs = [(x, space.neighbours(x, d, rng)) for x in (space.sample(rng) for _ in range(60))]
    assert sum(space.distance(x, y) == num(d) for x, y in pairs) >= 20


@at_each(ALL, label)
def test_shrinking_stays_in_the_domain_and_ends(space: Space) -> None:
    rng = random.Random(7)
    x = space.sample(rng)
    for _ in range(400):
        simpler = list(space.shrink(x))
        assert all(space.contains(y) for y in simpler)
        if not simpler:
            return
        x = rng.choice(simpler)
    pytest.fail(f"shrinking {x!r} does not end")


def test_unsized_samples_include_the_empty_list() -> None:
    rng = random.Random(8)
    for space in (Records[float], Vector[Real, L1], Matrix[Data, LInf]):
        assert [] in [space.sample(rng) for _ in range(60)]
        assert [] in space.extremes()


def test_spread_moves_are_close_to_the_l2_distance() -> None:
    space = Vector[Real, L2].refined(Size(3))
    rng = random.Random(9)
    moves = [space.neighbours([0, 0, 0], 1, rng) for _ in range(200)]
    spread = [m for m in moves if len({abs(v) for v in m}) == 1]
    assert spread and all(0.999 < space.distance_float([0, 0, 0], m) <= 1 for m in spread)
    exact = [m for m in moves if sum(v * v for v in m) == 1 and 0 not in m]
    assert exact and all(isinstance(v, (int, Fraction)) for m in exact for v in m)


def test_annotated_record_class_samples() -> None:
    space = space_of("Records[tuple[float, str]]")
    assert isinstance(space, Records)
    assert space.row.sample(random.Random(1)).__class__ is tuple


@pytest.mark.parametrize("name", ROW_METRICS)
def test_one_unit_of_a_row_metric(name: str) -> None:
    """What the metric says of one unit is true of neighbours, and reached by some."""
    metric, rng = metric_of(name), random.Random(7)
    space = Records(Scalar("Data", kind="int"), name)
    most, sizes = 0, set()
    for _ in range(300):
        x = [rng.randint(0, 5) for _ in range(4)]
        y = space.neighbours(x, 1, rng)
        gone, come = Counter(x) - Counter(y), Counter(y) - Counter(x)
        most = max(most, gone.total() + come.total())
        sizes.add(len(y) - len(x))
    assert num(most) == metric.moved()
    assert (sizes == {0}) == metric.public_size() == (not metric.adds)
    assert metric_of(metric.unordered).ordered is False
    assert metric_of(metric.adding).adds and not metric_of(metric.adding).replaces
    assert metric.adjacency() == ("replace" if metric.public_size() else "add or remove")
