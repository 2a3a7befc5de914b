"""What the steps of gradient descent on private rows share: arguments, constants, exact means.

A row holds the features, then the label; features are scaled into the unit ball, labels clamped.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from metricdp.errors import SpaceError
from metricdp.expr import ONE, D, Expr, absolute, maximum, minimum, num
from metricdp.primitives import _exact
from metricdp.primitives._common import discrete
from metricdp.primitives.vectors.clip import run as clipped
from metricdp.record import Arg, Conclusion, Requirement, refuse
from metricdp.spaces import Matrix, Vector
from metricdp.spaces.vectors import Entries

#: Absolute error of one residual, the rounding to `GRID` included.
ROUNDING = num(Fraction(1, 2**97))
#: Residuals are multiples of this, so that sums over rows stay short.
GRID = 2**110

Point = list[Fraction]


def step(
    verb: str,
    theta: Arg,
    rows: Arg,
    numbers: dict[str, Arg],
    curvature: Fraction,
    widest: Expr,
    trust: str,
) -> Conclusion:
    """The conclusion of theta - rate * (mean gradient + decay * theta).

    Args:
        numbers: the public numbers by name, `rate` and `decay` among them.
        curvature: largest eigenvalue of the Hessian of one row's loss, without the decay.
        widest: largest distance of the gradients of two rows at one theta, in L2.
    """
    space = rows.space
    if not rows.private or not isinstance(space, Matrix) or not discrete(space):
        raise refuse(
            "unsupported-call",
            f"`{verb}` reads rows of any numbers, of which whole rows are replaced, and "
            f"{rows.text} is no such matrix",
            need="Matrix[Data, LInf], the label in the last column",
            help=f"declare {rows.text} as dp.Matrix[dp.Data, dp.LInf]",
        )
    for name, arg in numbers.items():
        if arg.private or arg.value is None:
            raise refuse(
                "private-argument",
                f"the {name} {arg.text} is no public number",
                need=f"a public {name}",
                help=f"pass a literal or a public parameter as `{name}`",
            )
    assert space.rows is not None and space.cols is not None
    size, rate = space.cols - 1, _value(numbers["rate"])
    requires = [
        Requirement(space.rows, ">=", ONE, remedy="give at least one row"),
        Requirement(space.cols, ">=", num(2), remedy="give a feature and a label"),
    ]
    change = minimum(absolute(rate) / space.rows * D, absolute(rate)) * widest
    maps = {"rows": {(space.norm, "L2"): change}}
    if theta.private:
        if not isinstance(theta.space, Entries) or discrete(theta.space):
            raise refuse(
                "unsupported-call",
                f"`{verb}` moves a vector of real weights, and {theta.text} lies in {theta.space}",
                need="a vector over the reals, or a public start",
                help=f"dp.{verb}(0.0, ...)",
            )
        assert theta.space.size is not None
        if theta.space.size != size:
            requires.append(_same_size(theta.space.size, size, theta, rows))
        maps["theta"] = {("L2", "L2"): contraction(rate, _value(numbers["decay"]), curvature) * D}
    elif isinstance(theta.literal, (tuple, list)) and num(len(theta.literal)) != size:
        requires.append(_same_size(num(len(theta.literal)), size, theta, rows))
    rounding = absolute(rate) * size * ROUNDING
    return Conclusion(
        Vector("Real", "L2", size),
        maps,
        requires=tuple(r for r in requires if not (r.op == "==" and r.left == r.right)),
        rounding=rounding,
        rests_on=(trust,),
    )


def contraction(rate: Expr, decay: Expr, curvature: Fraction) -> Expr:
    """max |1 - rate * e| over the eigenvalues decay <= e <= decay + curvature of the Hessian."""
    return maximum(absolute(1 - rate * decay), absolute(1 - rate * (decay + num(curvature))))


def _value(arg: Arg) -> Expr:
    assert arg.value is not None
    return arg.value


def _same_size(given: Expr, size: Expr, theta: Arg, rows: Arg) -> Requirement:
    remedy = f"give {theta.text} one weight for every column of {rows.text} but the last"
    return Requirement(given, "==", size, "size-mismatch", remedy)


def descended(
    theta: Any,
    rows: Any,
    rate: Any,
    decay: Any,
    residual: Callable[[Fraction, Fraction], Fraction],
    project: Callable[[Point], Point] = lambda point: point,
) -> Point:
    """theta - rate * (mean of residual(theta.x, y) * x + decay * theta), residuals on the grid.

    Raises:
        SpaceError: the (public) sizes do not fit.
    """
    width = len(rows[0]) - 1 if rows else 0
    point = project(weights(theta, width))
    total = [Fraction(0)] * width
    for row in rows:
        x = [Fraction(v) for v in clipped([_exact.rational(v) for v in row[:-1]], "L2")]
        inner = sum((a * b for a, b in zip(x, point, strict=True)), Fraction(0))
        found = residual(inner, Fraction(_exact.rational(row[-1])))
        short = Fraction(round(found * GRID), GRID)
        total = [a + short * b for a, b in zip(total, x, strict=True)]
    speed, shrink = Fraction(rate), Fraction(decay)
    mean = [_exact.divide(v, len(rows)) for v in total]
    return [w - speed * (g + shrink * w) for w, g in zip(point, mean, strict=True)]


def weights(theta: Any, width: int) -> Point:
    """A point of `width` weights; a number stands for all of them."""
    if isinstance(theta, (int, float, Fraction)):
        return [Fraction(theta)] * width
    if len(theta) != width:
        raise SpaceError(f"{len(theta)} weights do not fit {width} columns of features")
    return [Fraction(_exact.rational(v)) for v in theta]
