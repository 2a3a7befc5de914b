"""Cheap looks at a profile: whether it is at most a delta, and its values at many epsilons."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from metricdp.errors import MissingExtraError, UncertifiedError
from metricdp.measures.accounting.engines import Found, delta_of
from metricdp.measures.accounting.event import Parts

if TYPE_CHECKING:
    from metricdp.measures.losses.contour_profile import Profile

#: Relative width of the first look: one direction is usually the larger one by far.
_ROUGH = 0.05
#: Relative width that is narrow enough.
_NARROW = Fraction(1, 10**5)


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


def delta_nearby(parts: Parts, epsilon: Fraction) -> Found:
    """As `delta_of`, unchecked, for questions that ask one profile at many epsilons >= 0."""
    if not parts:
        return Found(Fraction(0), Fraction(0), ())
    try:
        found = _profile(parts).delta(epsilon)
    except (MissingExtraError, UncertifiedError):
        return delta_of(parts, epsilon, False)
    if found.width > _NARROW * found.upper:
        # Here the second engine helps.
        return delta_of(parts, epsilon, False)
    return Found(found.lower, found.upper, (found.engine,))


@lru_cache(maxsize=16)
def _profile(parts: Parts) -> Profile:
    from metricdp.measures.losses.contour_profile import Profile

    return Profile(parts)
