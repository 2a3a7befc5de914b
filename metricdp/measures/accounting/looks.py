"""A look at a profile: whether it is proved to be at most a delta, at the least cost."""

from __future__ import annotations

from fractions import Fraction

from metricdp.errors import MissingExtraError, UncertifiedError
from metricdp.measures.accounting.engines import delta_of
from metricdp.measures.accounting.event import Parts

#: Relative width of the first look: one direction is usually the larger one by far.
_ROUGH = 0.05


def at_most(parts: Parts, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether the profile of the composed laws at epsilon >= 0 is proved to be at most delta."""
    from metricdp.measures.losses import contour

    if not parts:
        return True
    try:
        found = contour.delta(parts, epsilon, _ROUGH)
    except (MissingExtraError, UncertifiedError):
        return delta_of(parts, epsilon, False).upper <= delta
    if found.lower <= delta < found.upper:
        return delta_of(parts, epsilon, False).upper <= delta
    return found.upper <= delta
