"""Sums over regions of which some overlap: the bound is the largest sum that one row makes.

Cells 0 to 5 are rows of six kinds.  A region is a set of kinds, written as comparisons with a
constant per kind, so that two of them are shown disjoint where they share none.
"""

from __future__ import annotations

import random
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest
from checked_modules import load
from test_filters import loss

from metricdp.check.domain.movements import added, together
from metricdp.check.values.regions import Literal, Region
from metricdp.expr import D, Expr, compare, maximum, num, sym

KINDS = range(6)


def region(kinds: frozenset[int]) -> Region:
    return frozenset(
        frozenset({Literal(("row", 0, 0), "==", ("number", num(kind)))}) for kind in kinds
    )


def bound(parts: list[tuple[frozenset[int], Expr]]) -> Expr:
    return together([(region(kinds), {"": weight * D}) for kinds, weight in parts], added)[""]


def test_the_bound_is_at_least_what_one_row_moves_and_mostly_equal() -> None:
    dice, equal = random.Random(7), 0
    for _ in range(150):
        parts = [
            (frozenset(dice.sample(KINDS, dice.randint(1, 3))), dice.randint(1, 9))
            for _ in range(dice.randint(2, 8))
        ]
        largest = max(sum(w for kinds, w in parts if kind in kinds) for kind in KINDS)
        found = bound([(kinds, num(w)) for kinds, w in parts]).subs({"d_in": num(1)})
        assert compare(found, ">=", num(largest)) is True, parts
        equal += found == num(largest)
    # Three sets may meet two by two, and none in common: then the bound is above.
    assert equal >= 100


def test_four_halves_of_which_three_pairs_share_no_row() -> None:
    low, high = frozenset({0}), frozenset({1, 2, 3})
    lower, upper = frozenset({0, 1}), frozenset({2, 3})
    assert bound([(each, num(1)) for each in (low, high, lower, upper)]) == 2 * D


def test_weights_that_are_public_parameters() -> None:
    a, b = sym("a", positive=True), sym("b", positive=True)
    low, high = frozenset({0}), frozenset({1, 2, 3})
    lower, upper = frozenset({0, 1}), frozenset({2, 3})
    found = bound([(low, a), (high, b), (lower, a), (upper, b)])
    assert compare(found, "<=", maximum(2 * a, a + b, 2 * b) * D) is True


def test_what_is_not_linear_adds_up() -> None:
    sets = ({0}, {1, 2, 3}, {0, 1}, {2, 3})
    parts = [(region(frozenset(each)), {"": D**2}) for each in sets]
    assert together(parts, added)[""] == 4 * D**2


COUNTS = """
from dataclasses import dataclass

@dataclass(frozen=True)
class R:
    x: int
    k: int

@dp.measurement
def by_key(rows: dp.Records[R], n: int, eps: float):
    return dp.laplace([sum(min(max(r.x, 0), 3) for r in rows if r.k == k) for k in range(n)],
                      epsilon=eps)

@dp.measurement
def widest(rows: dp.Records[R], n: int, eps: float):
    return dp.laplace([sum(min(max(r.x, 0), k) for r in rows if r.k == k) for k in range(n)],
                      epsilon=eps)

@dp.measurement
def replaced(rows: dp.Records[R, dp.ChangeOne], n: int, eps: float):
    return dp.laplace([sum(1 for r in rows if k <= r.x < k + 1) for k in range(n)], epsilon=eps)
"""


@pytest.mark.parametrize("name", ("by_key", "widest", "replaced"))
def test_one_vector_of_counts_loses_what_was_proved(name: str, tmp_path: Path) -> None:
    module, dice, most = load(tmp_path, COUNTS), random.Random(5), Fraction(0)
    function = partial(getattr(module, name), n=4)
    for seed in range(15):
        table = [module.R(dice.randint(0, 4), dice.randint(0, 4)) for _ in range(4)]
        fresh = [module.R(dice.choice((0, 3)), dice.choice((0, 3))) for _ in range(2)]
        d = dice.choice((1, 2))
        kept = table[d:] if name == "replaced" else table
        found = loss(function, table, [*fresh[:d], *kept], seed)
        assert found <= d, (table, fresh)
        most = max(most, found / d)
    assert most == 1
