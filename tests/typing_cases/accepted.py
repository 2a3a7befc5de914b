"""Annotated functions that mypy --strict and pyright must accept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, assert_type

from metricdp.spaces.metrics import ChangeOne
from metricdp.spaces.norms import L1, L2, LInf
from metricdp.spaces.refinements import Bounds, RowBound, Size

if TYPE_CHECKING:
    from metricdp._typing import Aligned, Data, Gradient, Matrix, Real, Records, Vector


@dataclass
class Visit:
    cost: float


def top_minus_mean(x: Vector[Real, L1]) -> float:
    return float(max(x) - sum(x) / len(x) + abs(x[0]))


def totals(
    costs: Annotated[Records[float], Bounds(0, 20)],
    visits: Records[Visit, ChangeOne],
    pairs: Records[tuple[float, int]],
) -> float:
    total = 0.0
    for cost in costs:
        total += min(cost, 3)
    for visit in visits:
        total += visit.cost
    for value, count in pairs:
        total += value * count
    return total


def first_row(
    rows: Annotated[Matrix[Real, LInf], RowBound(L2, 1), Size("n", "m")], g: Gradient[Real, L2]
) -> Vector[Real, L1]:
    total = sum(row for row in rows)
    assert_type(rows[0, 1], float | Any)
    n, _ = rows.shape
    half = 0.5 * g - g / 3
    assert_type(half, Gradient[Any, Any])
    return 2 * rows[0] + n * total


def unpacked(z: Aligned[Vector[Real, L1], Matrix[Data, LInf]], q: Real) -> float:
    a, b = z
    assert_type(a, Vector[Real, L1])
    assert_type(b, Matrix[Data, LInf])
    return float(a[0] + b[0, 0] + q)
