"""Distances of given pairs, worked by hand; membership of awkward values."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan, sqrt
from typing import Any

import pytest

from metricdp.expr import INF, num, root
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
    LInf,
    Matrix,
    Public,
    Real,
    Records,
    RowBound,
    Scalar,
    Size,
    Space,
    TupleSpace,
    Vector,
)
from metricdp.spaces.lengths import Length, root_of, total

X, Y = [0, 0, 1], [1, 1, 1]
HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("space", "x", "y", "expected"),
    [
        (Scalar("Real"), Fraction(1, 3), 1, num(Fraction(2, 3))),
        (Scalar("Bool"), True, False, num(1)),
        (Scalar("Data"), 7, 9, num(1)),
        (Scalar("Data"), "a", "a", num(0)),
        (Scalar("Data"), -0.0, 0.0, num(0)),
        (Scalar("Data"), nan, float("nan"), num(0)),
        (Scalar("Data"), nan, 0.0, num(1)),
        (Scalar("Data"), 1, "1", num(1)),
        (Vector[Real, L1], X, Y, num(2)),
        (Vector[Real, L2], X, Y, root(num(2))),
        (Vector[Real, L2], [0, 0], [3, 4], num(5)),
        (Vector[Real, L2], [0, 0], [HALF, HALF], root(num(HALF))),
        (Vector[Real, LInf], [0, 0], [3, 4], num(4)),
        (Vector[Real, L1], [0], [0, 0], INF),
        (Vector[Real, L2], [], [], num(0)),
        (Gradient[Real, L1], [0, 0], [3, 4], num(7)),
        (Vector[Data, L1], [0, 0], [30, 4], num(2)),
        (Vector[Data, L2], [0, 0, 0], [30, 4, 1], root(num(3))),
        (Vector[Data, LInf], [0, 0, 0], [30, 4, 1], num(1)),
        (Vector[Bool, L2], [True, True], [False, False], root(num(2))),
        (Matrix[Real, L2], [[0, 0], [1, 1]], [[3, 4], [2, 2]], num(5) + root(num(2))),
        (Matrix[Real, LInf], [[0, 0], [1, 1]], [[3, 4], [2, 2]], num(5)),
        (Matrix[Data, LInf], [[0, 0], [1, 1]], [[3, 4], [1, 2]], num(2)),
        (Matrix[Data, L2], [[0, 0], [1, 1]], [[3, 4], [1, 2]], root(num(2)) + 1),
        (Matrix[Data, LInf], [[0]], [[0], [0]], INF),
        (Matrix[Data, LInf], [[0]], [[0, 0]], INF),
        (Records[float], [1, 2, 2], [2, 1, 3, 3], num(3)),
        (Records[float], [], [1], num(1)),
        (Records[float, InsertDelete], [1, 2, 3], [3, 1, 2], num(2)),
        (Records[float, ChangeOne], [1, 2, 3], [3, 1, 4], num(1)),
        (Records[float, ChangeOne], [1], [1, 2], INF),
        (Records[float, Hamming], [1, 2, 3], [3, 2, 1], num(2)),
        (Records[float, Hamming], [1], [], INF),
        (Records[tuple[float, int]], [(1, 2)], [(1, 3)], num(2)),
        (Aligned[Vector[Real, L1], Matrix[Data, LInf]], ([0, 1, 2], [[0], [0], [0]]),
         ([5, 1, 3], [[1], [0], [0]]), num(2)),
        (Aligned[Vector[Real, L1], Vector[Real, L1]], ([0], [0]), ([0, 1], [0, 1]), INF),
        (TupleSpace((Scalar("Real"), Vector("Real", "L2"))), (1, [0, 0]), (3, [1, 1]),
         root(num(2)) + 2),
    ],
)  # fmt: skip
def test_distance(space: Space, x: Any, y: Any, expected: Any) -> None:
    assert space.distance(x, y) == expected
    assert space.distance(y, x) == expected
    approximate = space.distance_float(x, y)
    assert approximate == pytest.approx(float(expected.lower({})) if expected != INF else inf)


@pytest.mark.parametrize(
    ("space", "value", "expected"),
    [
        (Scalar("Real"), nan, False),
        (Scalar("Real"), inf, False),
        (Scalar("Real"), True, False),
        (Scalar("Real"), "1", False),
        (Scalar("Real"), None, False),
        (Scalar("Real"), 0.1, True),
        (Scalar("Int"), 2**70, True),
        (Scalar("Int"), HALF, False),
        (Scalar("Bool"), 2, False),
        (Scalar("Data"), nan, True),
        (Scalar("Data"), "a", True),
        (Scalar("Data").refined(Bounds(0, 1)), nan, False),
        (Scalar("Data").refined(Bounds(0, 1)), "a", False),
        (Scalar("Data", kind="str"), 1, False),
        (Vector[Real, L1], [1, nan], False),
        (Vector[Real, L1], 3, False),
        (Vector[Real, L1].refined(Size(2)), [1], False),
        (Vector[Real, L1].refined(RowBound(L2, 1)), [Fraction(3, 5), Fraction(4, 5)], True),
        (Vector[Real, L1].refined(RowBound(L2, 1)), [Fraction(3, 5), Fraction(4001, 5000)], False),
        (Vector[Real, L1].refined(RowBound(L2, root(num(2)))), [1, 1], True),
        (Vector[Real, L1].refined(RowBound(L2, root(num(2)))), [1, 1 + Fraction(1, 10**9)], False),
        (Vector[Data, LInf].refined(RowBound(L1, 1)), [1, 1], False),
        (Vector[Data, LInf].refined(RowBound(L1, 1)), ["a"], False),
        (Matrix[Data, LInf], [[1], [1, 2]], False),
        (Matrix[Data, LInf], [1, 2], False),
        (Matrix[Data, LInf].refined(RowBound(LInf, 1)), [[0, 1], [2, 0]], False),
        (Records[float], [1, nan], False),
        (Records[float].refined(Bounds(0, 2)), [1, 3], False),
        (Records[float, Hamming].refined(Size(1)), [], False),
        (Records[tuple[float, int]], [(1, 2, 3)], False),
        (Aligned[Vector[Real, L1], Vector[Real, L1]], ([1], [1, 2]), False),
        (Vector[Int, L1], [1.5], False),
    ],
)
def test_contains(space: Space, value: Any, expected: bool) -> None:
    assert space.contains(value) is expected


def test_lengths_are_compared_exactly() -> None:
    assert root_of(Fraction(9, 4)) == Length(Fraction(3, 2))
    two = total([root_of(2), root_of(3)])
    assert float(two) == pytest.approx(sqrt(2) + sqrt(3))
    near = Fraction(3146264369941972342329135, 10**24)  # sqrt 2 + sqrt 3, rounded down
    assert not two.at_most(near)
    assert two.at_most(near + Fraction(1, 10**24))
    assert total([root_of(4), root_of(1)]).at_most(3)
    assert not total([root_of(2), root_of(8)]).at_most(4)


def test_public_values_may_not_differ() -> None:
    assert Public("float").distance(1, 1) == num(0)
    assert Public("float").distance(1, 2) == INF
