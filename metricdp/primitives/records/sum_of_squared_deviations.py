"""sum_of_squared_deviations: the sum of (x - mean)^2 over the rows of a table.

Stability.  Rows in [L, U], R = U - L.  Known size n (change-one, Hamming): k replaced rows move it
by at most R^2 j(n - j)/n, j = min(k, floor(n/2)); proof in `_deviations`.
Unknown size: a row added to n >= 1 rows adds n/(n + 1) (x - mean)^2 < R^2, and the first row adds
0: R^2 under the symmetric and insert-delete distances.
Tight: rows at L replaced by U, all others at L; for unknown size approached by adding a U to many
rows at L.
Source: leave-one-out form of the sum of squares; rules of tables.  OpenDP's constant R^2 (n - 1)/n
per row is loose for k > 1, and its mean was rounded in between; here the sum is exact.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.columns.language import Untraceable
from metricdp.expr import INF, ZERO, D, num
from metricdp.primitives.records._deviations import bounded, ends, sized, squares_moved
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, scalar_moves
from metricdp.spaces import Records, Scalar
from metricdp.spaces.metrics import PRIVATE_SIZE

example = (
    "visits: Annotated[dp.Records[float, dp.ChangeOne], dp.Size(3)] = [3.0, 4.0, 120.0]; "
    "dp.sum_of_squared_deviations(dp.clamp(visits, 0, 20))"
)

spelling = Spelling(opendp=("make_sum_of_squared_deviations",))

_MANY = 400


def rule(x: Arg) -> Conclusion:
    """A table with one column of bounded numbers."""
    if isinstance(x.space, Records) and not x.space.sized:
        lo, hi = bounded(x, x.space, "sum_of_squared_deviations")
        rows = x.space.row_metric.moved()
        return Conclusion(Scalar("Real", ZERO, INF), {"x": scalar_moves((hi - lo) ** 2 * rows * D)})
    space, n = sized(x, "sum_of_squared_deviations")
    lo, hi = bounded(x, space, "sum_of_squared_deviations")
    square = (hi - lo) ** 2
    result = Scalar("Real", ZERO, square * n / 4)
    return Conclusion(result, {"x": scalar_moves(square * squares_moved(n))})


def run(x: Any) -> Any:
    """Exact sum of squared deviations; 0 for no rows."""
    from metricdp.values import exact_sum

    if not len(x):
        return 0
    total = exact_sum(x)
    return exact_sum(Fraction(v) * Fraction(v) for v in x) - total * total / Fraction(len(x))


def tabular(x: Any) -> Any:
    """The same of a table, each row moved to the grid of its bounds: the proof reads rows as real
    numbers, and the sums of grid points and of their squares are exact."""
    bound = x.bound()
    if bound is None:
        raise Untraceable("rows without bounds")
    (total,), (square,) = x.sums([(x.row, bound)], [0], [(0, 0)])
    return square - total * total / len(x) if len(x) else 0


def instances() -> Iterable[Instance]:
    row = Scalar("Data", num(-3), num(5), "float")
    for metric, size in (("ChangeOne", 6), ("Hamming", 5)):
        yield Instance({"x": Records(row, metric, num(size))})
    for metric in PRIVATE_SIZE:
        yield Instance({"x": Records(row, metric)}, tight="approached")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows at one end, some of which go to, or are joined by rows at, the other end."""
    space = instance.private["x"]
    assert isinstance(space, Records)
    lo, hi = ends(space.row)
    if space.size is None:
        return {"x": [lo] * _MANY}, {"x": [lo] * _MANY + [hi] * d}
    n = int(str(space.size))
    return {"x": [lo] * n}, {"x": [hi] * min(d, n // 2) + [lo] * (n - min(d, n // 2))}
