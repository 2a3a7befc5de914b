"""Arguments that must be gradients."""

from __future__ import annotations

from metricdp.record import Arg, refuse
from metricdp.spaces import Gradient


def gradient_of(x: Arg, verb: str) -> Gradient:
    """The space of a private gradient.

    Raises:
        Refusal: the argument is none.
    """
    if not x.private or not isinstance(x.space, Gradient):
        raise refuse(
            "unsupported-call",
            f"`{verb}` works on gradients, and {x.text} is no private gradient",
            need="a Gradient argument",
            help="declare it as dp.Gradient[Real, L2], or use + - * on vectors",
        )
    return x.space
