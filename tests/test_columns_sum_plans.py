"""How a pass over rows is planned changes how long it takes, and no sum."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan, nextafter
from typing import Any

import numpy as np
import pytest
from column_graphs import evaluated_by

from metricdp.columns import flat, sums
from metricdp.columns.grids import GridRange, range_of
from metricdp.columns.language import Node, both, clamp, lt, mul
from metricdp.columns.products import ROWS
from metricdp.columns.stored import Stored
from metricdp.columns.sum_plans import sum_plan
from metricdp.columns.sums import COMPUTED, UNCLAMPED
from metricdp.columns.table import Table, bound_of

TENTH = nextafter(0.1, 1)
#: Numbers at, near and far beyond the ends of what they are clamped to, and no numbers.
CELLS = (0.0, -0.0, 0.1, TENTH, -TENTH, 0.05, 10.0, nextafter(10, 11), 3.3, 1e300, inf, -inf, nan)
#: Ends of a number, and whether its square is known to be hardly larger than 1/100, or than 100.
SQUARED = (
    (0, 0.1, True, True),
    (0, 10, False, True),
    (-0.1, 0.1, True, True),
    (-10, 10, False, True),
)


def doubles(*cells: float) -> Table:
    column = Stored("double", np.array(cells))
    return Table((column,), column.node(0))


def squares(made: Table, low: float, high: float, to: Fraction) -> tuple[Node, GridRange]:
    """The square of a clamped number, moved to what it may be at most."""
    x = clamp(made.row, low, high)
    bound = range_of(Fraction(0), to)
    assert bound is not None
    return clamp(mul(x, x), 0, float(to)), bound


@pytest.mark.parametrize("low, high, small, large", SQUARED)
@pytest.mark.parametrize("to", (Fraction(1, 100), Fraction(100)))
def test_squares_are_moved_into_their_bound_where_they_are_not_inside(
    low: float, high: float, small: bool, large: bool, to: Fraction
) -> None:
    """The square of the double 0.1 is larger than the number 1/100."""
    for cells in ([0.1, 0.05], CELLS, [*CELLS, *[0.05] * 200], [10.0] * 3):
        made = doubles(*cells)
        asked = squares(made, low, high, to)
        known = sum_plan([asked[0]], [asked[1]], [], False).known
        assert known[0] == (COMPUTED if (small if to < 1 else large) else UNCLAMPED)
        with evaluated_by("reference"):
            expected = made.with_row(made.row).sums([asked], [0], [(0, 0)])
        found = made.sums([asked], [0], [(0, 0)])
        assert found == expected
        assert found[0][0] <= to * len(cells)
        assert made.sums([asked], [0], [])[0] == expected[0]


def test_a_look_that_sees_nothing_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    made = doubles(*[0.1] * 50)
    asked = squares(made, -0.1, 0.1, Fraction(1, 100))
    (right,), _ = made.sums([asked], [0], [])
    assert right == sum([Fraction(asked[1].last)] * 50) * Fraction(2) ** asked[1].exponent
    asked = squares(doubles(*[10.0] * 50), 0, 10, Fraction(99_999_999_999, 10**9))
    for module in (sums, flat):
        monkeypatch.setattr(module, "all_inside", lambda x, small: True)
    (wrong,), _ = doubles(*[10.0] * 50).sums([asked], [0], [])
    assert wrong > 50 * Fraction(99_999_999_999, 10**9)


def test_many_rows_of_truth_values() -> None:
    """Their pieces are longer, but for those of products."""
    random = np.random.default_rng(5)
    a, b = (random.random(600_000) < share for share in (0.25, 0.5))
    x = random.uniform(0, 1, 600_000)
    columns = (Stored("boolean", a), Stored("boolean", b), Stored("double", x))
    first, second, third = (column.node(at) for at, column in enumerate(columns))
    made = Table(columns, (first, second, third))
    truth = GridRange(0, 0, 1)
    asked = [(first, truth), (second, truth)]
    plans = [sum_plan([first, second], [truth] * 2, pairs, False) for pairs in ([], [(0, 1)])]
    assert plans[0].rows > ROWS >= plans[1].rows
    assert made.sums(asked, [0, 1], [(0, 1), (0, 0)]) == (
        [a.sum(), b.sum()],
        [(a & b).sum(), a.sum()],
    )
    assert made.sums(asked, [0, 1], []) == ([a.sum(), b.sum()], [])
    kept = made.filtered(both(first, lt(third, 0.5)))
    right = a & (x < 0.5)
    assert kept.size() == right.sum()
    assert kept.sums(asked, [1], [(0, 1)]) == ([(right & b).sum()], [(right & b).sum()])


@pytest.mark.parametrize("ends", ((0, 1), (0.0, 1.0), (-0.0, True), (False, 1), (Fraction(0), 1.0)))
def test_equal_ends_have_one_grid(ends: tuple[Any, Any]) -> None:
    node = Node("stored", (), "double", None, 0)
    node.range = ends
    assert bound_of(node) == range_of(Fraction(0), Fraction(1))
    whole = Node("stored", (), "integer", None, 0)
    whole.range = ends
    assert bound_of(whole) == GridRange(0, 0, 1) != bound_of(node)
