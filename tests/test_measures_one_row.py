"""One row with all of the distance: against every allocation, and forms that are refused."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest

from metricdp.expr import INF, D, Expr, exp, maximum, minimum, num, root, sym, tanh
from metricdp.maps import Measurement, make
from metricdp.maps.partitions import partitioned
from metricdp.measures.one_row import one_row_is_worst
from metricdp.measures.readings import over_rows
from metricdp.spaces import Records, Scalar

SCALE = sym("b", nonneg=True)
SHARE = sym("eps")


def laplace(m: Expr) -> Expr:
    return m - 1 + exp(-m)


def pure(m: Expr) -> Expr:
    return m * tanh(m / 2)


def allocations(total: int, rows: int) -> Iterator[tuple[int, ...]]:
    if rows == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in allocations(total - first, rows - 1):
            yield (first, *rest)


WORST = [
    laplace(D),
    laplace(D / 3),
    laplace(5 * D / 2),
    pure(D),
    pure(D / 4),
    pure(3 * D),
    D**2 / 2 + laplace(D),
    laplace(2 * D) + pure(D) + D,
    D**2 + D**3,
    D**2 * tanh(D),
    maximum(laplace(D / 2), pure(D / 4), D / 5),
    minimum(D**2, D) + D / 2,
    maximum(pure(D / 2), pure(D / 3), D**2 / 9),
    minimum(laplace(D), pure(D / 2)) + D / 2,
]


@pytest.mark.parametrize("cost", WORST, ids=str)
def test_no_allocation_costs_more_than_one_row(cost: Expr) -> None:
    """Every split of 6 quarters of a distance over up to 4 rows, with certified enclosures."""
    assert one_row_is_worst(cost)
    assert over_rows(cost, unit=False) == cost
    unit = Fraction(1, 4)

    def above(d: int) -> Fraction:
        return Fraction(cost.upper({"d_in": d * unit})) if d else Fraction(0)

    most, tolerance = above(6), Fraction(1, 10**12)
    for rows in (2, 3, 4):
        assert all(sum(map(above, split)) <= most + tolerance for split in allocations(6, rows))


@pytest.mark.parametrize("cost", [laplace(D / SCALE), pure(D / SCALE), pure(SHARE * D)], ids=str)
def test_scales_and_targets_may_be_symbols(cost: Expr) -> None:
    assert over_rows(cost, unit=False) == cost


REFUSED = [
    tanh(D),
    root(D),
    D + 1 - exp(-D),
    1 - exp(-D),
    exp(D),
    D - 1 + 2 * exp(-D),
    pure(D) + 1,
    minimum(root(D), D),
    D * minimum(root(D), 1 / D),
    D**-1 * maximum(D, num(1)),
    -maximum(D**2, D),
    maximum(D**2, D) ** 2,
    maximum(D, num(1)),
    D * tanh(D) ** -1,
    D * tanh(D + 1),
    SHARE * D * tanh(D),
    D**2 * SHARE,
    exp(-(D**2)) - 1 + D,
    D * exp(-D),
]


@pytest.mark.parametrize("cost", REFUSED, ids=str)
def test_other_forms_are_not_taken(cost: Expr) -> None:
    assert not one_row_is_worst(cost)


def test_small_rows_may_cost_more_together_where_the_form_is_refused() -> None:
    """tanh(1) + tanh(1) > tanh(2): the refusal is needed."""
    one, two = (tanh(D).upper({"d_in": d}) for d in (1, 2))
    assert 2 * one > two
    assert over_rows(tanh(D), unit=False) == INF


@pytest.mark.parametrize("keys", [("a", "b"), ("a", "b", "c", "d")])
def test_rho_of_parallel_laplace_noise_is_that_of_one_part(keys: tuple[str, ...]) -> None:
    """Was infinite: parts pay at distances that add up, and one part with all of it is worst."""
    table = Records(Scalar("Data", kind="str"))
    for scales in ((2,), (2, 3, 5, 7)[: len(keys)]):
        noisy = [noisy_count(table, scale) for scale in scales]
        parts = partitioned(table, None, keys, noisy if len(noisy) > 1 else noisy[0])
        for d in (1, 2, 5):
            assert parts.map(d, "zcdp") == pytest.approx(float(noisy[0].map(d, "zcdp")), rel=1e-12)
            assert parts.map(d, "zcdp") >= noisy[0].map(d, "zcdp")
            assert parts.map(d, "pure") == noisy[0].map(d, "pure")


def noisy_count(table: Records, scale: int) -> Measurement:
    count = make("count", table)
    return count >> make("discrete_laplace", count.output_space, scale=scale)
