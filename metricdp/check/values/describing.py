"""Bounds as they are printed in steps, and the tighter of two ends of a range."""

from __future__ import annotations

from collections.abc import Mapping

from metricdp.check.values.forms import Source
from metricdp.effort import MOST_BITS_OF_FACTOR, no_longer
from metricdp.expr import ZERO, Expr, compare
from metricdp.expr.core import digits
from metricdp.spaces import Space


def describe_bounds(bounds: Mapping[Source, Mapping[str, Expr]], space: Space) -> str:
    """Movement per source in the printed norm, for steps."""
    norm = getattr(space, "norm", "")
    parts = []
    for source, movement in sorted(bounds.items(), key=lambda item: item[0]):
        bound = movement.get(norm, next(iter(movement.values()), ZERO))
        no_longer(digits(bound), MOST_BITS_OF_FACTOR, "the movement of a private value")
        if source.kind != "state":
            parts.append(f"{bound}" if source.kind == "param" else f"{bound} per row")
    return ", ".join(dict.fromkeys(parts)) or "0"


def show(expr: Expr, hidden: str) -> str:
    """Text of a noise parameter, with the movement spelled `bound`."""
    return str(expr).replace(hidden, "bound")


def best_lo(a: Expr, b: Expr) -> Expr:
    """A lower bound, the larger of two where that is certain."""
    return b if compare(a, "<=", b) is True else a


def best_hi(a: Expr, b: Expr) -> Expr:
    """An upper bound, the smaller of two where that is certain."""
    return b if compare(b, "<=", a) is True else a
