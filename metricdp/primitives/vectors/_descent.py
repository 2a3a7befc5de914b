"""What the steps of gradient descent on private rows share: arguments, constants, exact means.

A row holds the features, then the label; features are scaled into the unit ball, labels clamped.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.errors import SpaceError
from metricdp.expr import ONE, ZERO, D, Expr, absolute, maximum, minimum, num
from metricdp.expr.roots import BITS
from metricdp.primitives import _exact
from metricdp.primitives._common import discrete
from metricdp.primitives.vectors.clip import run as clipped
from metricdp.record import Arg, Conclusion, Requirement, refuse
from metricdp.spaces import Matrix, Vector
from metricdp.spaces.vectors import Entries

if TYPE_CHECKING:
    from metricdp.columns.table import Table
    from metricdp.values import Numbers

#: Rows lie on a grid of so many places after the point.
TICKS = 39
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
    at_point: Expr = ZERO,
    in_residual: Expr = ZERO,
) -> Conclusion:
    """The conclusion of theta - rate * (mean gradient + decay * theta).

    Args:
        numbers: the public numbers by name, `rate` and `decay` among them.
        curvature: largest eigenvalue of the Hessian of one row's loss, without the decay.
        widest: largest distance of the gradients of two rows at one theta, in L2.
        at_point: how far the point that the step starts from may lie from the true one, in L2.
        in_residual: how far the residual of a row may.
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
    growth = contraction(rate, _value(numbers["decay"]), curvature)
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
        maps["theta"] = {("L2", "L2"): growth * D}
    elif isinstance(theta.literal, (tuple, list)) and num(len(theta.literal)) != size:
        requires.append(_same_size(num(len(theta.literal)), size, theta, rows))
    return Conclusion(
        Vector("Real", "L2", size),
        maps,
        requires=tuple(r for r in requires if not (r.op == "==" and r.left == r.right)),
        rounding=growth * at_point + absolute(rate) * size * in_residual,
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


def table(rows: Any, theta: Any) -> Table:
    """Rows of a list as a table of the doubles that they are nearest to; text counts as 0."""
    import numpy as np

    from metricdp.columns.language import nearest
    from metricdp.columns.stored import Stored
    from metricdp.columns.table import Table

    none = getattr(rows, "cols", 1 + (len(theta) if hasattr(theta, "__len__") else 0))
    width = len(rows[0]) if len(rows) else none
    flat = [nearest(_exact.rational(v)) for row in rows for v in row]
    held = Stored("double", np.array(flat, np.float64).reshape(-1, width))
    return Table((held,), held.node(0))


def _unit_ball() -> Any:
    from metricdp.columns.grids import ball_of

    return ball_of(None, None, [("L2", Fraction(1))])


class Moments(msgspec.Struct, frozen=True):
    """Sums over n rows (x, y), in ticks: `squares` of x x^T, line by line, `mixed` of y x."""

    rows: int
    squares: tuple[tuple[int, ...], ...]
    mixed: tuple[int, ...]


def moments(rows: Table, low: Fraction) -> Moments:
    """The second moments of features in the unit ball and labels in [low, 1]."""
    from metricdp.columns import language
    from metricdp.columns.grids import Beside, GridRange, Squares, scaled

    width = rows.cols - 1
    x = language.scaled_into(language.part(rows.row, 0, width), "L2", Fraction(1))
    y = language.clamp(language.entry(rows.row, width), low, Fraction(1))
    labels = GridRange(-TICKS, int(scaled(low, TICKS)), 1 << TICKS)
    (found,) = rows.ticks([(language.concat([x, [y]]), Squares(Beside(_unit_ball(), labels)))])
    ticks = [0] * (width + 1) ** 2 if found is None else [int(v) for v in found]
    lines = [tuple(ticks[i * (width + 1) : (i + 1) * (width + 1)]) for i in range(width)]
    return Moments(len(rows), tuple(v[:width] for v in lines), tuple(v[width] for v in lines))


class Place(msgspec.Struct, frozen=True):
    """A point of rationals: the vector of `ticks` / `bottom`."""

    ticks: tuple[int, ...]
    bottom: int


def point(theta: Any, width: int) -> Place:
    """A point of `width` weights; a number stands for all of them.

    Raises:
        SpaceError: the (public) sizes do not fit.
    """
    from metricdp.values import Numbers

    if isinstance(theta, Numbers) and len(theta) == width:
        whole = theta.whole()
        top, bottom = whole.unit.numerator, whole.unit.denominator
        return Place(tuple(int(v) * top for v in whole.array.tolist()), bottom)
    found = weights(theta, width)
    bottom = lcm(*(v.denominator for v in found))
    return Place(tuple(v.numerator * (bottom // v.denominator) for v in found), bottom)


def into_ball(at: Place, radius: Fraction) -> Place:
    """The point scaled into the L2 ball, as `clip` does it: exact inside, else to 2**-120."""
    square = sum(v * v for v in at.ticks)
    if square * radius.denominator**2 <= (radius.numerator * at.bottom) ** 2:
        return at
    bits = BITS + max(0, radius.denominator.bit_length() - radius.numerator.bit_length())
    scale = radius / _exact.root_above(Fraction(square, at.bottom**2), bits)
    return Place(tuple(v * scale.numerator for v in at.ticks), at.bottom * scale.denominator)


def moved(at: Place, given: Moments, rate: Fraction, decay: Fraction) -> Numbers:
    """at - rate * ((G at - b) / n + decay * at), exactly: whole numbers over one bottom."""
    import numpy as np

    from metricdp.values import Numbers

    # 1 / (n 2**78), the unit of a mean of products of ticks; of no rows everything is 0.
    share = max(given.rows, 1) << 2 * TICKS
    bottom = share * rate.denominator * decay.denominator
    slow, fast = rate.denominator * decay.denominator, rate.numerator * decay.denominator
    kept = share * (slow - rate.numerator * decay.numerator)
    pairs = zip(at.ticks, given.squares, given.mixed, strict=True)
    found = [
        kept * v - fast * (sum(g * w for g, w in zip(line, at.ticks, strict=True)) - b * at.bottom)
        for v, line, b in pairs
    ]
    array = np.empty(len(found), object)
    array[:] = found
    return Numbers(array, Fraction(1, bottom * at.bottom))
