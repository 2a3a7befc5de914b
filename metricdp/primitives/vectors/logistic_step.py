"""logistic_step: one step of gradient descent on the l2-regularised logistic loss of private rows.

theta' = theta - rate * (mean over rows (x, y) of (sigmoid(theta.x) - y) x + decay * theta), with x
scaled into the unit ball and y clamped to [0, 1]: rows hold doubles, and what a row adds to the sum
is moved into the unit ball on a grid of 2**-39.  From there on the step is exact.

Stability.  In the rows, k of n replaced: two gradients of one row differ by at most 2, since both
lie in the unit ball, and those of the other rows are the same; so |rate| * 2 k/n.  Approached by
(e, f) against (e, -f) under a long theta along e.
In theta, L2: the Hessian of the mean loss is mean s (1 - s) x x^T, whose eigenvalues lie in
[0, 1/4]; the Jacobian of the step is symmetric with eigenvalues 1 - rate * (decay + e), so its norm
is at most max(|1 - rate*decay|, |1 - rate*(decay + 1/4)|) (mean value theorem).  Approached: rows
of zeros attain the first, equal unit rows near theta = 0 the second.
The gradient of a row is computed to within sqrt(w) 2**-37 for w features (below), so two runs with
other weights are further apart by twice that error, |rate| sqrt(w) 2**-36 in all.

Error of a gradient, in L2, with u = 2**-52 and b the bits of w.  Sums of w doubles are made in
halves, at most 2 b additions deep, so the scaled features x are at most 1 + (2 b + 8) u long, and
z = (1 - (2 b + 8) 2 u) x lies in the unit ball: the loss is that of z.  theta.z is computed as
theta.x in doubles while |theta| (4 b + 16) <= 2**14, to (5 b + 17) u |theta| < 2**-37.6, and from
integers beyond, to 2**-48; the sigmoid, 1/4-stable, to 2**-50 (`columns.logistic`).  z in place of
x makes (2 b + 8) 2 u, products 2 u, the grid sqrt(w) 2**-39, and a vector that is out of the ball
by rounding is scaled by at most sqrt(w) 2**-39 + 2**-39 + (2 b + 8) u: in all below sqrt(w) 2**-37.
Source: Chaudhuri, Monteleoni and Sarwate (2011); Wu et al. (2017), "Bolt-on Differential Privacy",
whose constant is 2 rate / n per step: a bound without the rate is none.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from metricdp.expr import num
from metricdp.primitives.vectors import _descent
from metricdp.record import Arg, Conclusion, Instance, Witness
from metricdp.spaces import Matrix, Vector

if TYPE_CHECKING:
    from metricdp.columns.table import Table
    from metricdp.primitives.vectors._descent import GridPoint
    from metricdp.values import Numbers

example = (
    "theta: Annotated[dp.Vector[dp.Real, dp.L2], dp.Size(2)] = [0, 0]; "
    "rows: Annotated[dp.Matrix[dp.Data, dp.L2], dp.Size(3, 3)] = [[1, 0, 1], [0, 1, 0], [1, "
    "1, 1]]; "
    "dp.logistic_step(theta, rows, rate=0.5, decay=0.1)"
)

#: Error of the gradient of a row, over the root of its number of features.
ERROR = Fraction(1, 2**37)
#: Weights so long times the depth of a sum have inner products in doubles.
_NEAR = 2**14
#: Beyond it the sigmoid is as good as 0 or 1.
_FAR = 64


def rule(theta: Arg, rows: Arg, rate: Arg, decay: Arg) -> Conclusion:
    """Weights (private, public, or a number for all), rows with the label last, public numbers."""
    numbers = {"rate": rate, "decay": decay}
    return _descent.step(
        "logistic_step", theta, rows, numbers, Fraction(1, 4), num(2), in_gradient=ERROR
    )


def run(theta: Any, rows: Any, rate: Any, decay: Any) -> list[Fraction]:
    """The step, of the doubles that the rows are nearest to.

    Raises:
        SpaceError: the (public) sizes do not fit.
    """
    return list(of_rows(theta, _descent.table(rows, theta), rate, decay).vector())


def of_rows(theta: Any, rows: Table, rate: Any, decay: Any) -> Numbers:
    """The step from what every row adds, as doubles go and then in whole numbers."""
    from metricdp.columns import language

    width = rows.cols - 1
    at = _descent.point(theta, width)
    x, y = _descent.features_and_label(rows, Fraction(0))
    if _is_near(at, width):
        inner = language.dot(x, [v / at.bottom for v in at.ticks])
    else:
        rows, inner = _with_inner(at, rows, x)
    gradient = language.mul(language.sub(language.sigmoid(inner), y), x)
    (found,) = rows.ticks([(gradient, _descent.unit_ball())])
    total = [0] * width if found is None else [int(v) * at.bottom for v in found]
    return _descent.moved(at, total, _descent.TICKS, len(rows), Fraction(rate), Fraction(decay))


def _is_near(at: GridPoint, width: int) -> bool:
    """Whether inner products of rows of the ball are near enough in doubles."""
    short = _descent.upper(at, 64)
    most = Fraction(_NEAR * short.bottom, 2 * _depth(width))
    return sum(v * v for v in short.ticks) <= most * most


def _depth(width: int) -> int:
    """Rounding errors on the way to a scaled vector's length, and more."""
    return 2 * width.bit_length() + 8


def _with_inner(at: GridPoint, rows: Table, x: Any) -> tuple[Table, Any]:
    """The table with theta.z of every row in one more column, and the node that reads it."""
    import numpy as np

    from metricdp.columns.stored import Stored
    from metricdp.columns.table import Table

    # So many places of x that what is cut off, times the weights, is nothing.
    longest = max(map(abs, at.ticks)) // at.bottom
    places = longest.bit_length() + len(at.ticks).bit_length() + 50
    bottom = at.bottom << places + 51
    inward = (1 << 51) - _depth(len(at.ticks))
    found: list[float] = []
    for _, (piece,) in rows.pieces(x):
        for row in piece.T.tolist():
            top = inward * sum(w * _cut(v, places) for w, v in zip(at.ticks, row, strict=True))
            found.append(top / bottom if abs(top) < _FAR * bottom else _FAR if top > 0 else -_FAR)
    column = Stored("double", np.array(found, np.float64))
    return Table((*rows.columns, column), rows.row), column.node(len(rows.columns))


def _cut(x: float, places: int) -> int:
    top, bottom = x.as_integer_ratio()
    return (top << places) // bottom


version = 2

ROWS = Matrix("Data", "LInf", num(3), num(3))
#: A changed row is at distance 1 or more here too.
EUCLID = Matrix("Data", "L2", num(3), num(3))


def instances() -> Iterable[Instance]:
    weights = Vector("Real", "L2", num(2))
    slow = {"rate": Fraction(1), "decay": Fraction(1, 2)}
    fast = {"rate": Fraction(10), "decay": Fraction(1, 100)}
    yield Instance({"theta": weights, "rows": EUCLID}, slow, tight="approached")
    yield Instance({"theta": weights, "rows": EUCLID}, fast, tight="approached")
    far = {"theta": (Fraction(1000), Fraction(0)), "rate": Fraction(-1, 2), "decay": Fraction(1)}
    yield Instance({"rows": ROWS}, far, tight="approached")
    yield Instance({"rows": ROWS}, {**slow, "theta": 0}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows of zeros; a small step among equal rows near 0; rows that turn under a long theta."""
    if instance.tight == "unknown":
        return None
    zero, one = Fraction(0), Fraction(1)
    if "theta" in instance.public:
        rows = [[one / 20, one, zero] for _ in range(3)]
        turned = [[one / 20, -one, zero] for _ in range(d)]
        return {"rows": rows}, {"rows": turned + rows[d:]}
    attained = instance.public["rate"] == 1
    rows = [[zero if attained else one, zero, zero] for _ in range(3)]
    end = [Fraction(d) if attained else Fraction(1, 100), zero]
    return {"theta": [zero, zero], "rows": rows}, {"theta": end, "rows": rows}
