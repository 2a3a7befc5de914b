"""Rows in a ball: the array form of clip equals its row form, and never leaves the ball."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import metricdp as dp
from metricdp.errors import SchemaError
from metricdp.run.guards import admit
from metricdp.run.machine import Machine
from metricdp.spaces import Records, Vector
from metricdp.values import ExactVector, Numbers
from metricdp.values.balls import FINENESS, clip_discrete, clip_row

RADII = [Fraction(1), Fraction(7, 3), Fraction(1, 10**6), Fraction(3) * 2**70]
RNG = np.random.default_rng(17)


def vectors() -> list[np.ndarray]:
    """Ordinary, tiny, huge, mixed, flat and empty ones, and ones on the sphere."""
    found = [RNG.normal(size=n) * scale for n in (1, 3, 40) for scale in (1e-9, 1, 50)]
    found += [np.zeros(4), np.zeros(0), np.array([1.0, 0.0]), np.array([-0.6, 0.8])]
    found += [np.array([5e-324, -1e-300, 0.25]), np.array([1.7e308, -1.7e308, 1e-5])]
    return [*found, RNG.normal(size=30) * 10.0 ** RNG.integers(-12, 12, 30)]


@pytest.mark.parametrize("radius", RADII)
def test_array_form_equals_row_form_and_stays_in_the_ball(radius: Fraction) -> None:
    for x in vectors():
        packed = clip_discrete(Numbers(x), radius)
        assert packed is not None
        row = clip_row(x.tolist(), radius)
        assert list(packed) == row
        assert sum(v * v for v in row) <= radius * radius
        assert all(abs(t) <= packed.most for t in packed.array.tolist())


@pytest.mark.parametrize("radius", RADII[:3])
def test_clip_is_the_exact_clip_up_to_its_grid(radius: Fraction) -> None:
    for x in vectors():
        exact = dp.clip([Fraction(v) for v in x.tolist()], dp.L2, radius=radius)
        largest = max((abs(Fraction(v)) for v in exact), default=Fraction(0))
        # 24 bits of the largest entry, 38 bits of the factor at 40 entries, one step of the grid.
        allowed = largest / 2**20 + radius / 2 ** (FINENESS - 2)
        for a, b in zip(clip_row(x.tolist(), radius), exact, strict=True):
            assert abs(a - b) <= allowed
            assert a * b >= 0


def discrete(*entries: float) -> Numbers:
    return Numbers(np.array(entries), discrete=True)


def test_sums_are_exact() -> None:
    a = clip_discrete(discrete(3.0, -4.0), Fraction(1))
    b = clip_discrete(discrete(0.25, 0.5), Fraction(1))
    other = clip_discrete(discrete(0.25, 0.5), Fraction(1000))
    machine = Machine(None)  # type: ignore[arg-type]
    for x, y in ((a, b), (a, 0), (0, a), (a, other), (a, 1), (discrete(1.0, 1.0), a)):
        total = machine.primitive("add", None, x, y)
        left, right = (list(v) if isinstance(v, Numbers) else [v] * 2 for v in (x, y))
        assert list(total) == [p + q for p, q in zip(left, right, strict=True)]
    assert isinstance(machine.primitive("add", None, a, b), Numbers)
    near = Numbers(np.array([1 << 62, 0]), Fraction(1, 8), most=1 << 62, discrete=True)
    assert machine.primitive("add", None, near, near) == [1 << 60, 0]


def test_doubles_of_rows_are_rounded_as_data_only() -> None:
    machine = Machine(None)  # type: ignore[arg-type]
    packed = clip_discrete(discrete(3.0, -4.0), Fraction(1))
    # Doubles as real numbers meet rules that are not for any function of a row.
    assert isinstance(machine.primitive("undisc", None, discrete(1.0, 1.0)), ExactVector)
    assert machine.primitive("undisc", None, packed) is packed
    again = machine.primitive("clip", None, packed, dp.L2, Fraction(1, 2))
    assert again == machine.primitive("clip", None, packed.vector(), dp.L2, Fraction(1, 2))
    real = Numbers(np.array([3.0, -4.0]))
    exact = machine.primitive("clip", None, real.vector(), dp.L2, Fraction(1))
    assert machine.primitive("clip", None, real, dp.L2, Fraction(1)) == exact


def test_tables_of_vectors_enter_clean() -> None:
    space = Records(Vector("Data", "LInf")).named("rows")
    assert str(space) == "Records[Vector[Data, LInf]]"
    rows = admit("rows", space, np.array([[np.nan, np.inf], [-0.0, 2.5]]))
    assert rows.cols == 2 and [list(row) for row in rows][1] == [0, Fraction(5, 2)]
    assert all(np.isfinite(row.doubles).all() for row in rows)
    assert admit("rows", space, np.zeros((0, 7))).cols == 7
    for wrong in ([[1.0, 2.0]], np.zeros(3), np.array([["a"]])):
        with pytest.raises(SchemaError):
            admit("rows", space, wrong)
    with pytest.raises(dp.errors.SpaceError):
        dp.Records[dp.Vector[dp.Data, dp.L2]]


def test_distances_of_tables_of_vectors_count_rows() -> None:
    space = dp.Records[dp.Vector[dp.Data, dp.LInf]]
    x = [[Fraction(1), Fraction(2)], [Fraction(3), Fraction(4)]]
    y = [[Fraction(1), Fraction(2)], [Fraction(3), Fraction(5)]]
    assert space.length(x, y) == space.length(y, x)
    assert float(space.length(x, y)) == 2 and float(space.length(x, x[:1])) == 1
