"""Vectors with discrete Gaussian noise of which two or three entries move: certified and exact."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest

from metricdp.accounting.renyi import DiscreteGaussianCurve
from metricdp.check.source.program import Project
from metricdp.check.verdicts.api import outcomes
from metricdp.expr import num
from metricdp.families.discrete_gaussian import DISCRETE_GAUSSIAN
from metricdp.families.spent import SpentNoise

F = Fraction
SOURCE = """
import metricdp as dp

@dp.measurement
def counts(rows: dp.Records[int]):
    found = [dp.count(rows, lambda v: v > k) for k in range({size})]
    return dp.discrete_gaussian(found, scale=2)
"""


def loss(moves: tuple[int, ...], sigma: float, epsilon: float) -> float:
    """The hockey-stick divergence of noise on a vector that moves by these whole numbers."""
    near = range(-18, 22)
    weights = {z: math.exp(-z * z / (2 * sigma * sigma)) for z in range(-24, 25)}
    total = sum(weights.values())
    laws = [{z: weights.get(z - m, 0.0) / total for z in near} for m in moves]
    center = {z: weights.get(z, 0.0) / total for z in near}
    found = 0.0
    for at in product(near, repeat=len(moves)):
        p = math.prod(law[z] for law, z in zip(laws, at, strict=True))
        q = math.prod(center[z] for z in at)
        found += max(0.0, p - math.exp(epsilon) * q)
    return found


@pytest.mark.parametrize("size", [2, 3])
def test_several_counts_cost_what_their_laws_do(size: int) -> None:
    (found,) = outcomes(Project().parse("counts.py", SOURCE.format(size=size)))
    assert found.guarantee is not None
    delta = F(1, 1000)
    epsilon = float(found.guarantee.certified("rows", delta, {}).epsilon)
    worst = loss((1,) * size, 2.0, epsilon)
    assert 0.999 * float(delta) < worst <= float(delta) * 1.0001
    # One entry that moves, and entries that move either way, cost no more.
    for moves in ((1,), (-1, 1), (1,) * (size - 1)):
        assert loss(moves, 2.0, epsilon) <= worst + 1e-12


def test_what_may_move_one_entry_by_two_is_not_taken_for_four_entries() -> None:
    """Squares that add up to 4 are those of (1, 1, 1, 1) or of (2,)."""

    def curve(moved: Fraction, norm: str = "L2") -> object:
        privacy = {"zcdp": (num(1),)}
        spent = SpentNoise(norm, moved, {"sigma": num(2)}, privacy, {})
        return DISCRETE_GAUSSIAN.rho_curve(F(1), spent)

    several = curve(F(17321, 10000))  # a bit above the root of 3
    assert isinstance(several, DiscreteGaussianCurve) and several.numbers == 3
    for moved, norm in ((F(2), "L2"), (F(9, 10), "L2"), (F(3, 2), ""), (F(1), "L1")):
        assert not isinstance(curve(moved, norm), DiscreteGaussianCurve)
    one = curve(F(3), "")
    assert isinstance(one, DiscreteGaussianCurve) and (one.ticks, one.numbers) == (3, 1)
