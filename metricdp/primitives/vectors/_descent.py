"""What the steps of gradient descent on private rows share: arguments, constants, exact points.

A row holds the features, then the label; features are scaled into the unit ball, labels clamped.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.errors import SpaceError
from metricdp.expr import ONE, ZERO, D, Expr, absolute, maximum, minimum, num, root
from metricdp.expr.roots import BITS
from metricdp.primitives import _exact
from metricdp.primitives._common import discrete
from metricdp.record import Arg, Conclusion, Requirement, refuse
from metricdp.spaces import Matrix, Vector
from metricdp.spaces.vectors import Entries

if TYPE_CHECKING:
    from metricdp.columns.table import Table
    from metricdp.values import Numbers

#: Rows lie on a grid of so many places after the point.
TICKS = 39


def step(
    verb: str,
    theta: Arg,
    rows: Arg,
    numbers: dict[str, Arg],
    curvature: Fraction,
    widest: Expr,
    trust: tuple[str, ...] = (),
    at_point: Expr = ZERO,
    in_gradient: Fraction = Fraction(0),
) -> Conclusion:
    """The conclusion of theta - rate * (mean gradient + decay * theta).

    Args:
        numbers: the public numbers by name, `rate` and `decay` among them.
        curvature: largest eigenvalue of the Hessian of one row's loss, without the decay.
        widest: largest distance of the gradients of two rows at one theta, in L2.
        at_point: how far the point that the step starts from may lie from the true one, in L2.
        in_gradient: how far an entry of the gradient of a row may.  Two runs with other weights are
            further apart by both errors; with the same weights, other rows have the same errors.
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
        error = absolute(rate) * root(size) * num(in_gradient)
        maps["theta"] = {("L2", "L2"): growth * D + 2 * error}
    elif isinstance(theta.literal, (tuple, list)) and num(len(theta.literal)) != size:
        requires.append(_same_size(num(len(theta.literal)), size, theta, rows))
    return Conclusion(
        Vector("Real", "L2", size),
        maps,
        requires=tuple(r for r in requires if not (r.op == "==" and r.left == r.right)),
        rounding=growth * at_point,
        rests_on=trust,
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


def _weights(theta: Any, width: int) -> list[Fraction]:
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


def features_and_label(rows: Table, low: Fraction) -> tuple[Any, Any]:
    """Of every row, as nodes: features scaled into the unit ball, the label moved into [low, 1]."""
    from metricdp.columns import language

    x = language.scaled_into(language.part(rows.row, 0, rows.cols - 1), "L2", Fraction(1))
    return x, language.clamp(language.entry(rows.row, rows.cols - 1), low, Fraction(1))


def unit_ball() -> Any:
    """The unit ball on its grid of 2**-39."""
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
    from metricdp.columns.grids import BallBeside, GridRange, Squares, scaled

    x, y = features_and_label(rows, low)
    labels = GridRange(-TICKS, int(scaled(low, TICKS)), 1 << TICKS)
    (found,) = rows.ticks([(language.concat([x, [y]]), Squares(BallBeside(unit_ball(), labels)))])
    side = rows.cols
    ticks = [0] * side**2 if found is None else [int(v) for v in found]
    lines = [tuple(ticks[i * side : (i + 1) * side]) for i in range(side - 1)]
    return Moments(len(rows), tuple(v[:-1] for v in lines), tuple(v[-1] for v in lines))


class GridPoint(msgspec.Struct, frozen=True):
    """A point of rationals: the vector of `ticks` / `bottom`."""

    ticks: tuple[int, ...]
    bottom: int


def point(theta: Any, width: int) -> GridPoint:
    """A point of `width` weights; a number stands for all of them.

    Raises:
        SpaceError: the (public) sizes do not fit.
    """
    from metricdp.values import Numbers

    if isinstance(theta, Numbers) and len(theta) == width:
        whole = theta.whole()
        top, bottom = whole.unit.numerator, whole.unit.denominator
        return GridPoint(tuple(int(v) * top for v in whole.array.tolist()), bottom)
    found = _weights(theta, width)
    bottom = lcm(*(v.denominator for v in found))
    return GridPoint(tuple(v.numerator * (bottom // v.denominator) for v in found), bottom)


def upper(at: GridPoint, bits: int) -> GridPoint:
    """Sizes at or above those of the entries, by some 2**-bits and a share of it, in short numbers.

    Weights get longer by some hundred bits a round, and squares of them take their time.
    """
    cut = max(0, at.bottom.bit_length() - bits - 1)
    if not cut:
        return at
    return GridPoint(tuple((abs(v) >> cut) + 1 for v in at.ticks), at.bottom >> cut)


def into_ball(at: GridPoint, radius: Fraction) -> GridPoint:
    """The point scaled into the L2 ball: as it is inside, else to 2**-120.

    A point just below the sphere may count as outside; it is scaled by next to nothing.
    """
    top, bottom = radius.numerator.bit_length(), radius.denominator.bit_length()
    short = upper(at, 2 * BITS + 2 * abs(top - bottom))
    square = sum(v * v for v in short.ticks)
    if square * radius.denominator**2 <= (radius.numerator * short.bottom) ** 2:
        return at
    size = _exact.root_above(Fraction(square, short.bottom**2), BITS + 1 + max(0, bottom - top))
    scale = radius / size
    return GridPoint(tuple(v * scale.numerator for v in at.ticks), at.bottom * scale.denominator)


def moved(
    at: GridPoint, gradient: Sequence[int], places: int, rows: int, rate: Fraction, decay: Fraction
) -> Numbers:
    """at - rate * (gradient / rows + decay * at), exactly: whole numbers over one bottom.

    Args:
        gradient: the sum over the rows, times at.bottom * 2**places; of no rows it is 0.
    """
    import numpy as np

    from metricdp.values import Numbers

    share = max(rows, 1) << places
    slow, fast = rate.denominator * decay.denominator, rate.numerator * decay.denominator
    kept = share * (slow - rate.numerator * decay.numerator)
    array = np.empty(len(gradient), object)
    array[:] = [kept * v - fast * g for v, g in zip(at.ticks, gradient, strict=True)]
    return Numbers(array, Fraction(1, share * slow * at.bottom))
