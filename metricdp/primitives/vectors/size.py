"""size: the public number of entries of a container, or its length along one axis.

Stability.  Containers of different shapes are infinitely far apart, so shapes are public: 0.
Tables under symmetric and insert-delete distance have a private size and are refused.
Tight: nothing moves.
Source: definition of the distances.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import Expr, num
from metricdp.primitives._witnesses import step_all
from metricdp.primitives.scalars.len import rule as length
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, refuse
from metricdp.spaces import Matrix, Records, Vector

example = "v: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(3)] = [1, 2, 3]; v[0] + dp.size(v)"

spelling = Spelling(numpy=("numpy.size",), seed=("size",))

#: An unknown public value has no literal, so the default needs one of its own.
ALL = Arg(literal="all")


def rule(x: Arg, axis: Arg = ALL) -> Conclusion:
    """Of a matrix: rows * cols, rows with axis 0, cols with axis 1."""
    space = x.space
    if axis.private or isinstance(axis.literal, bool) or axis.literal not in ("all", 0, 1):
        raise _no_axis(x, axis)
    if x.private and isinstance(space, Matrix):
        assert space.rows is not None and space.cols is not None
        shape: dict[Any, Expr] = {0: space.rows, 1: space.cols}
        return Conclusion(value=shape.get(axis.literal, space.rows * space.cols))
    if axis.literal == 1:
        raise _no_axis(x, axis)
    if isinstance(space, Records) and not space.sized:
        raise refuse(
            "private-length",
            f"the size of {x.text} is private: adding one row changes it",
            need="a private count, which a mechanism hides",
            help=f"len({x.text})",
        )
    return length(x)


def _no_axis(x: Arg, axis: Arg) -> Exception:
    return refuse(
        "wrong-arguments",
        f"{x.text} has no axis {axis.text}",
        need="axis 0, or axis 1 of a matrix",
        help=f"dp.size({x.text})",
    )


def run(x: Any, axis: Any = None) -> int:
    """As numpy.size."""
    matrix = bool(len(x)) and isinstance(x[0], (list, tuple))
    if axis == 1:
        return len(x[0]) if matrix else 0
    return len(x) * len(x[0]) if matrix and axis is None else len(x)


def columnar(x: Any, axis: Any = None) -> int:
    """The length of the vector of a row."""
    from metricdp.columns.language import Untraceable, vector

    if axis is not None:
        raise Untraceable("the length of a vector along an axis")
    return len(vector(x))


def instances() -> Iterable[Instance]:
    yield Instance({"x": Vector("Real", "L2", num(3))})
    yield Instance({"x": Matrix("Data", "LInf", num(3), num(2))})
    for axis in (0, 1):
        yield Instance({"x": Matrix("Data", "LInf", num(3), num(2))}, {"axis": axis})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Any pair: the bound is 0."""
    return step_all(instance.private, d) if d == 1 else None
