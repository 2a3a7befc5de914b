"""What the noise-adding mechanisms share: their argument, and requirements on their parameters."""

from __future__ import annotations

from metricdp.expr import ZERO, Expr
from metricdp.record import ONE_METRIC, Arg, Requirement, refuse
from metricdp.spaces import Gradient, Scalar, Vector


def real_argument(x: Arg, mechanism: str, norm: str) -> str:
    """The norm in which `x` enters: "" for a scalar, `norm` for a container over the reals.

    A public or released argument is refused: noise on it would hide nothing.
    """
    space = x.space
    if not x.private or space is None:
        raise refuse(
            "private-argument",
            f"`{mechanism}` hides a private value, and {x.text} is public",
            need="a private argument",
            help=f"use {x.text} as it is",
        )
    if isinstance(space, Scalar) and space.element in ("Real", "Int", "Bool"):
        return ONE_METRIC
    if isinstance(space, (Vector, Gradient)) and space.element in ("Real", "Int", "Bool"):
        return norm
    raise refuse(
        "wrong-norm",
        f"`{mechanism}` adds noise to real numbers, and {x.text} lies in {space}",
        need=f"a real number, or a vector over the reals (measured in {norm})",
        help=f"dp.undisc(dp.clip({x.text}, {norm})) before the noise",
    )


def positive(value: Expr, code: str, text: str) -> tuple[Requirement, ...]:
    """The requirement value > 0."""
    return (Requirement(value, ">", ZERO, code, f"choose {text} > 0"),)
