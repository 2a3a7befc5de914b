"""logistic_step: one step of gradient descent on the l2-regularised logistic loss of private rows.

theta' = theta - rate * (mean over rows (x, y) of (sigmoid(theta.x) - y) x + decay * theta), with x
scaled into the unit ball and y clamped to [0, 1].

Stability.  In theta, L2: the Hessian of the mean loss is mean s (1 - s) x x^T, whose eigenvalues
lie in [0, 1/4]; the Jacobian of the step is symmetric with eigenvalues 1 - rate * (decay + e), so
its norm is at most max(|1 - rate*decay|, |1 - rate*(decay + 1/4)|) (mean value theorem).
Approached: rows of zeros attain the first, equal unit rows near theta = 0 the second.
In the rows, k of n replaced: two gradients of one row differ by less than 2, since both are shorter
than 1; so |rate| * 2 k/n.  Approached by (e, f) against (e, -f) under a long theta along e.
Source: Chaudhuri, Monteleoni and Sarwate (2011); Wu et al. (2017), "Bolt-on Differential Privacy",
whose constant is 2 rate / n per step: a bound without the rate is none.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import num
from metricdp.primitives.scalars.sigmoid import reference
from metricdp.primitives.vectors import _descent
from metricdp.record import Arg, Conclusion, Instance, Witness
from metricdp.spaces import Matrix, Vector

TRUST = "`logistic_step` of private rows is a real vector (residuals computed to 2**-97)"


def rule(theta: Arg, rows: Arg, rate: Arg, decay: Arg) -> Conclusion:
    """Weights (private, public, or a number for all), rows with the label last, public numbers."""
    numbers = {"rate": rate, "decay": decay}
    return _descent.step(
        "logistic_step", theta, rows, numbers, Fraction(1, 4), num(2), TRUST,
        in_residual=_descent.ROUNDING,
    )  # fmt: skip


def run(theta: Any, rows: Any, rate: Any, decay: Any) -> list[Fraction]:
    """The step in rationals; residuals are rounded to 2**-110.

    Raises:
        SpaceError: the (public) sizes do not fit.
    """
    return _descent.descended(
        theta,
        rows,
        rate,
        decay,
        lambda inner, y: reference(inner) - min(max(y, Fraction(0)), Fraction(1)),
    )


ROWS = Matrix("Data", "LInf", num(3), num(3))
#: A changed row is at distance 1 or more here too.
EUCLID = Matrix("Data", "L2", num(3), num(3))


def instances() -> Iterable[Instance]:
    weights = Vector("Real", "L2", num(2))
    slow = {"rate": Fraction(1), "decay": Fraction(1, 2)}
    fast = {"rate": Fraction(10), "decay": Fraction(1, 100)}
    yield Instance({"theta": weights, "rows": EUCLID}, slow, tight="attained")
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
