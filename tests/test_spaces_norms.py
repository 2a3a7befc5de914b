"""Conversion constants, radius and diameter: values, soundness and tightness on corners."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import pytest

from metricdp.errors import SpaceError
from metricdp.expr import INF, Expr, num, root, sym
from metricdp.spaces import (
    L1,
    L2,
    Bounds,
    Data,
    LInf,
    Matrix,
    NonNegative,
    Real,
    Records,
    RowBound,
    Scalar,
    Size,
    TupleSpace,
    Vector,
    conversion,
    diameter,
    implied_radius,
    norm_name,
)
from metricdp.spaces.norms import NORMS as NORM_OBJECTS
from metricdp.spaces.norms import Norm, dual, norm_of

n = sym("n", nonneg=True, integer=True)
NORMS = ("L1", "L2", "LInf")


def test_conversion_table() -> None:
    table = [[conversion(p, q, n) for q in NORMS] for p in NORMS]
    one = num(1)
    assert table == [[one, one, one], [root(n), one, one], [n, root(n), one]]


@pytest.mark.parametrize("c", [1, Fraction(3, 2)])
def test_diameter_formulas(c: Fraction) -> None:
    ball = Vector[Data, LInf].refined(RowBound(L2, c)).named("x")
    size = ball.size
    assert diameter(ball, "L2") == num(2 * c)
    assert diameter(ball, "L1") == root(size) * 2 * c
    positive = ball.refined(NonNegative)
    assert diameter(positive, "L2") == root(num(2)) * c
    assert diameter(positive, "LInf") == num(c)
    assert (
        diameter(Vector[Data, L1].refined(RowBound(L1, c), NonNegative), "L2") == root(num(2)) * c
    )
    assert diameter(Vector[Real, L1].refined(Bounds(-1, 2)).named("x"), "L1") == size * 3
    assert diameter(Vector[Real, L1], "L1") == INF
    assert diameter(Scalar("Data").refined(Bounds(-1, 2))) == num(3)
    assert diameter(Records[float].refined(Bounds(0, 20))) == num(20)
    assert diameter(Records[float]) == INF
    assert diameter(Scalar("Bool")) == num(1)
    two = TupleSpace((Scalar("Bool"), Scalar("Bool")))
    assert diameter(two) == num(2)


def test_matrix_uses_columns() -> None:
    m = Matrix[Data, LInf].refined(Size("r", "k"), RowBound(LInf, 1))
    k = sym("k", nonneg=True, integer=True)
    assert implied_radius(m, "L1") == k
    assert implied_radius(m, "L2") == root(k)
    assert diameter(m, "L2") == root(k) * 2


def test_radius_from_bounds_and_radius() -> None:
    assert implied_radius(Scalar("Real").refined(Bounds(-3, 2))) == num(3)
    assert implied_radius(Vector[Real, L1], "L1") == INF
    v = Vector[Real, L1].refined(Size(4), Bounds(-3, 2), RowBound(L1, 5))
    assert implied_radius(v, "LInf") == num(3)
    assert implied_radius(v, "L2") == num(5)
    assert implied_radius(v, "L1") == num(5)


@pytest.mark.parametrize("q", NORMS)
@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("nonneg", [False, True])
def test_bounds_hold_on_samples(p: str, q: str, nonneg: bool) -> None:
    space = Vector[Real, norm_name(q)].refined(Size(3), RowBound(p, 2))
    if nonneg:
        space = space.refined(NonNegative)
    rng = random.Random(1)
    points = space.extremes() + [space.sample(rng) for _ in range(20)]
    widest, largest = _number(diameter(space, q)), _number(implied_radius(space, q))
    seen = max(space.distance_float(x, y) for x, y in itertools.product(points, points))
    assert seen <= widest * (1 + 1e-12)
    if p == q and not nonneg:
        assert seen == pytest.approx(widest)
    assert all(
        float(norm_of(q).length([abs(Fraction(v)) for v in x])) <= largest * (1 + 1e-12)
        for x in points
    )


def _number(e: Expr) -> float:
    return float(e.upper({}))


def test_norm_markers_are_values() -> None:
    assert [norm_name(m) for m in (L1, "L2", LInf)] == ["L1", "L2", "LInf"]
    assert norm_name(L2) == "L2"


@pytest.mark.parametrize("norm", NORM_OBJECTS.values(), ids=NORM_OBJECTS)
def test_a_norm_agrees_with_itself(norm: type[Norm]) -> None:
    for count in range(1, 10):
        ones = norm.length([Fraction(1)] * count)
        assert ones.expr() == norm.of_ones(num(count)) == norm.combined([num(1)] * count)
        widest = norm.length([Fraction(step) for step in norm.widest(Fraction(3), count)])
        assert widest.at_most(3) and float(widest) > 3 - 1e-9
        assert norm.changes(3, count) == (count if not norm.inverse else 3 ** (1 / norm.inverse))


def test_dual_norms() -> None:
    assert [dual(name) for name in NORMS] == ["LInf", "L2", "L1"]


def test_no_other_norm() -> None:
    with pytest.raises(SpaceError, match="'L3' is no norm"):
        norm_of("L3")
