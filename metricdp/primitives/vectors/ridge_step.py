"""ridge_step: one projected step of gradient descent on the ridge loss of private rows.

p = theta scaled into the L2 ball of `radius`;
theta' = p - rate * (mean over rows (x, y) of (p.x - y) x + decay * p), with x scaled into the unit
ball and y clamped to [-1, 1]: rows are moved there as doubles, and onto a grid of 2**-39, inward.
From there on the step is exact: with G = sum x x^T and b = sum y x, in whole numbers of the grid,
p - rate * ((G p - b) / n + decay * p).

Stability.  In theta, L2: the projection is 1-stable; the Hessian of the mean loss is mean x x^T,
with eigenvalues in [0, 1], so max(|1 - rate*decay|, |1 - rate*(decay + 1)|).  Attained by rows of
zeros and by equal unit rows, inside the ball.
In the rows, k of n replaced: with |p| <= R the gradients g = (p.x - y) x of two rows differ by at
most h(R) = max over angles a of 2 (1 + R cos a) sin a, at cos a = 2R / (1 + sqrt(1 + 8 R^2)).
Proof: for a unit u at angle b to p, max g.u over rows is max over a of R/2 (cos b + cos(2a - b)) +
|cos(a - b)|; the sum over u and -u, maximised over b, is max R |sin(a - a')| + |cos a| + |cos a'|,
which is largest for a = -a'.  So |rate| h(R) k/n; 2 at R = 0, less than 2 (1 + R).
Tight: mirrored rows under p = R e.
Source: Wu et al. (2017), "Bolt-on Differential Privacy", with the diameter of the gradients.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from metricdp.expr import ZERO, Expr, num, root
from metricdp.primitives._common import positive
from metricdp.primitives.vectors import _descent
from metricdp.record import Arg, Conclusion, Instance, Requirement, Witness, refuse
from metricdp.spaces import Matrix, Vector

if TYPE_CHECKING:
    from metricdp.columns.table import Table
    from metricdp.values import Numbers

example = (
    "theta: Annotated[dp.Vector[dp.Real, dp.L2], dp.Size(2)] = [0, 0]; "
    "rows: Annotated[dp.Matrix[dp.Data, dp.L2], dp.Size(3, 3)] = [[1, 0, 1], [0, 1, 0], [1, "
    "1, 1]]; "
    "dp.ridge_step(theta, rows, rate=0.5, decay=0.1, radius=1)"
)

#: Error of the root of a projection, and so of the point on the sphere.
ROOT = num(Fraction(1, 2**120))
TRUST = "`ridge_step` projects onto its ball as with real roots (computed to 2**-120)"


def rule(theta: Arg, rows: Arg, rate: Arg, decay: Arg, radius: Arg) -> Conclusion:
    """Weights (private, public, or a number for all), rows with the label last, public numbers."""
    numbers = {"rate": rate, "decay": decay, "radius": radius}
    if radius.private or radius.value is None:
        raise refuse(
            "private-argument",
            f"the radius {radius.text} is no public number",
            need="a public radius",
            help="pass a literal or a public parameter as `radius`",
        )
    c = radius.value
    found = _descent.step(
        "ridge_step", theta, rows, numbers, Fraction(1), _diameter(c), (TRUST,), at_point=ROOT
    )
    if positive(c):
        return found
    import msgspec

    bounded = Requirement(c, ">", ZERO, remedy=f"choose {radius.chosen} > 0")
    return msgspec.structs.replace(found, requires=(*found.requires, bounded))


def _diameter(radius: Expr) -> Expr:
    """The largest distance of two rows' gradients at one point of the ball."""
    cosine = 2 * radius / (1 + root(1 + 8 * radius * radius))
    return 2 * (1 + radius * cosine) * root(1 - cosine * cosine)


def run(theta: Any, rows: Any, rate: Any, decay: Any, radius: Any) -> list[Fraction]:
    """The step in rationals, of the doubles that the rows are nearest to.

    Raises:
        SpaceError: the (public) sizes do not fit.
    """
    return list(of_rows(theta, _descent.table(rows, theta), rate, decay, radius).vector())


def of_rows(theta: Any, rows: Table, rate: Any, decay: Any, radius: Any) -> Numbers:
    """The step from the second moments of the rows, which are added up once, exactly."""
    known = rows.once("ridge_step", partial(_descent.moments, low=Fraction(-1)))
    at = _descent.into_ball(_descent.point(theta, rows.cols - 1), Fraction(radius))
    gradient = [
        sum(g * w for g, w in zip(line, at.ticks, strict=True)) - b * at.bottom
        for line, b in zip(known.squares, known.mixed, strict=True)
    ]
    places = 2 * _descent.TICKS
    return _descent.moved(at, gradient, places, known.rows, Fraction(rate), Fraction(decay))


version = 2

ROWS = Matrix("Data", "LInf", num(3), num(3))
#: A changed row is at distance 1 or more here too.
EUCLID = Matrix("Data", "L2", num(3), num(3))


def instances() -> Iterable[Instance]:
    weights = Vector("Real", "L2", num(2))
    slow = {"rate": Fraction(1), "decay": Fraction(1, 2), "radius": Fraction(4)}
    fast = {"rate": Fraction(3), "decay": Fraction(1, 100), "radius": Fraction(4)}
    yield Instance({"theta": weights, "rows": EUCLID}, slow, tight="attained")
    yield Instance({"theta": weights, "rows": EUCLID}, fast, tight="attained")
    for radius in (Fraction(1), Fraction(10)):
        there = {"theta": (radius, Fraction(0)), "rate": Fraction(1, 2), "decay": Fraction(1)}
        yield Instance({"rows": ROWS}, {**there, "radius": radius}, tight="approached")
    yield Instance({"rows": ROWS}, {**slow, "theta": 1}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows of zeros or equal rows inside the ball; mirrored rows at the angle of the proof."""
    if instance.tight == "unknown":
        return None
    zero, one = Fraction(0), Fraction(1)
    if "theta" in instance.public:
        # cos a = 1/2 for radius 1; 0.69 for radius 10.
        cosine = Fraction(1, 2) if instance.public["radius"] == 1 else Fraction(69, 100)
        sine = Fraction((1 - float(cosine) ** 2) ** 0.5)
        rows = [[cosine, sine, -one] for _ in range(3)]
        mirrored = [[cosine, -sine, -one] for _ in range(d)]
        return {"rows": rows}, {"rows": mirrored + rows[d:]}
    rows = [[zero if instance.public["rate"] == 1 else one, zero, zero] for _ in range(3)]
    return {"theta": [zero, zero], "rows": rows}, {"theta": [Fraction(d), zero], "rows": rows}
