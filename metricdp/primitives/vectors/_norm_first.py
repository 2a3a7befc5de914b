"""Norms as arguments: their names, and the seeds' order `clip(L2, x)`, `norm_convert(L1, x)`."""

from __future__ import annotations

from metricdp.errors import SpaceError
from metricdp.record import Arg, refuse
from metricdp.spaces import norm_name


def is_norm(x: Arg) -> bool:
    """Whether a public argument is L1, L2 or LInf (the marker or its name)."""
    if x.private or x.literal is None:
        return False
    try:
        norm_name(x.literal)
    except SpaceError:
        return False
    return True


def norm_first(args: tuple[Arg, ...]) -> tuple[int, ...] | None:
    """The order of the arguments with the data first, when the norm stands first; else None."""
    if len(args) >= 2 and is_norm(args[0]) and not is_norm(args[1]):
        return (1, 0, *range(2, len(args)))
    return None


def norm_argument(x: Arg, verb: str) -> str:
    """The norm that an argument names.

    Raises:
        Refusal: it is no norm that is known when checking.
    """
    if not is_norm(x):
        raise refuse(
            "wrong-arguments",
            f"`{verb}` needs a norm, and {x.text} is none",
            need="L1, L2 or LInf",
            help=f"dp.{verb}(x, dp.L2)",
        )
    return str(norm_name(x.literal))
