"""Radius and diameter of balls and boxes: never exceeded by points of a grid, attained by some.

Sizes are those at which the extremal points exist: for values of one sign two vectors of disjoint
support need an even number of entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest

from metricdp.expr import INF, Expr, num
from metricdp.spaces import Vector, diameter, implied_radius
from metricdp.spaces.base import NEG_INF

NORMS = ("L1", "L2", "LInf")
SIGNS = {"any": (NEG_INF, INF), "nonnegative": (num(0), INF), "nonpositive": (NEG_INF, num(0))}
BOXES = [(Fraction(-1, 4), Fraction(1)), (Fraction(1, 2), Fraction(1)), (Fraction(-1), Fraction(1))]


def length(norm: str, x: list[float]) -> float:
    """The norm of a vector."""
    sizes = [abs(v) for v in x]
    return {"L1": sum(sizes), "L2": sum(v * v for v in sizes) ** 0.5, "LInf": max(sizes)}[norm]


def on_sphere(p: str, n: int, sign: str) -> Iterator[list[float]]:
    """Vectors of norm 1 with entries 0 and one size; and the zero vector."""
    values = {"any": (-1.0, 0.0, 1.0), "nonnegative": (0.0, 1.0), "nonpositive": (-1.0, 0.0)}[sign]
    for x in product(values, repeat=n):
        size = length(p, list(x))
        yield [v / size for v in x] if size else list(x)


def upper(bound: Expr) -> float:
    """The bound as a float, rounded upwards."""
    return float(bound.upper({}))


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("sign", sorted(SIGNS))
@pytest.mark.parametrize("p", NORMS)
def test_balls(p: str, sign: str, n: int) -> None:
    space = Vector("Real", p, num(n), *SIGNS[sign], ((p, num(1)),))
    points = list(on_sphere(p, n, sign))
    for q in NORMS:
        far = max(length(q, [a - b for a, b in zip(x, y, strict=True)]) for x in points
                  for y in points)  # fmt: skip
        assert far == pytest.approx(upper(diameter(space, q)), rel=1e-9)
        assert max(length(q, x) for x in points) == pytest.approx(
            upper(implied_radius(space, q)), rel=1e-9
        )


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("box", BOXES)
def test_boxes(box: tuple[Fraction, Fraction], n: int) -> None:
    """Without a radius both bounds are attained at corners."""
    space = Vector("Real", "L2", num(n), num(box[0]), num(box[1]))
    corners = [list(map(float, x)) for x in product(box, repeat=n)]
    for q in NORMS:
        far = max(length(q, [a - b for a, b in zip(x, y, strict=True)]) for x in corners
                  for y in corners)  # fmt: skip
        assert far == pytest.approx(upper(diameter(space, q)), rel=1e-9)
        assert max(length(q, x) for x in corners) == pytest.approx(
            upper(implied_radius(space, q)), rel=1e-9
        )


@pytest.mark.parametrize("radius", [("L1",), ("L2",), ("L1", "L2")])
@pytest.mark.parametrize("box", BOXES)
def test_a_ball_inside_a_box_is_never_exceeded(
    box: tuple[Fraction, Fraction], radius: tuple[str, ...]
) -> None:
    balls = tuple((p, num(1)) for p in radius)
    space = Vector("Real", "L2", num(2), num(box[0]), num(box[1]), balls)
    steps = [Fraction(i, 8) for i in range(-8, 9) if box[0] <= Fraction(i, 8) <= box[1]]
    points = [
        list(map(float, x))
        for x in product(steps, repeat=2)
        if all(length(p, list(map(float, x))) <= 1 for p in radius)
    ]
    for q in NORMS:
        longest, widest = upper(implied_radius(space, q)), upper(diameter(space, q))
        for x in points:
            assert length(q, x) <= longest + 1e-12
            for y in points:
                apart = length(q, [a - b for a, b in zip(x, y, strict=True)])
                assert apart <= widest + 1e-12
