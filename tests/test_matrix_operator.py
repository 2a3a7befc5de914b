"""Operator norms of public matrices: never below the truth, equal to it where a form is exact."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest

from metricdp.primitives.matrices._operator import Rows, column_sums, operator_norm

ORDER = {"L1": 1, "L2": 2, "LInf": np.inf}


def matrices() -> list[Rows]:
    rng = Random(11)
    found = []
    for n, m in ((1, 1), (1, 4), (4, 1), (2, 2), (3, 2), (2, 5), (5, 5)):
        for low in (-4, 0):
            found.append(
                tuple(
                    tuple(Fraction(rng.randint(low, 4), rng.choice((1, 2, 3))) for _ in range(m))
                    for _ in range(n)
                )
            )
    return [*found, ((Fraction(0),) * 3,) * 2, ((Fraction(1), Fraction(2)),) * 3]


def truth(b: Rows, p: str, q: str) -> float:
    """Largest |vB|_q over extreme points of the unit ball of p; p = L2 by duality or SVD."""
    a = np.array([[float(x) for x in row] for row in b])
    if p == "L2":
        if q == "L2":
            return float(np.linalg.norm(a, 2))
        ball = np.eye(a.shape[1]) if q == "LInf" else list(product((1, -1), repeat=a.shape[1]))
        return max(float(np.linalg.norm(a @ np.array(t), 2)) for t in ball)
    ball = np.eye(a.shape[0]) if p == "L1" else list(product((1, -1), repeat=a.shape[0]))
    return max(float(np.linalg.norm(np.array(v) @ a, ORDER[q])) for v in ball)


@pytest.mark.parametrize("p", ORDER)
@pytest.mark.parametrize("q", ORDER)
def test_norms_of_small_matrices_are_exact(p: str, q: str) -> None:
    for b in matrices():
        found = float(operator_norm(b, p, q).upper({}))
        assert truth(b, p, q) * (1 - 1e-12) <= found <= truth(b, p, q) * (1 + 1e-8) + 1e-12, b


@pytest.mark.parametrize(("p", "q"), [("L2", "L1"), ("LInf", "L1"), ("LInf", "L2"), ("L2", "L2")])
def test_bounds_of_large_matrices_are_above(p: str, q: str) -> None:
    rng = Random(5)
    b = tuple(tuple(Fraction(rng.randint(-3, 3)) for _ in range(14)) for _ in range(14))
    found = float(operator_norm(b, p, q).upper({}))
    a = np.array(b, dtype=float)
    signs = np.array([[rng.choice((-1.0, 1.0)) for _ in range(14)] for _ in range(2000)])
    unit = {"L2": np.sqrt(14), "LInf": 1.0}[p]
    seen = max(float(np.linalg.norm(v @ a, ORDER[q])) / unit for v in signs)
    assert seen <= found and truth(b, "L2", "L2") <= float(operator_norm(b, "L2", "L2").upper({}))


def test_a_large_nonnegative_matrix_is_exact_from_linf() -> None:
    b = tuple(tuple(Fraction(i + j) for j in range(15)) for i in range(15))
    assert operator_norm(b, "LInf", "L1") == sum(sum(row) for row in b)


def test_products_from_the_left_cost_the_largest_column() -> None:
    assert column_sums(((Fraction(1), Fraction(-2)), (Fraction(3), Fraction(1)))) == 4
