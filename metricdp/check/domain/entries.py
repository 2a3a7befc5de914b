"""Public arrays that stand where gradients do."""

from __future__ import annotations

import msgspec

from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.values.objects import Value
from metricdp.spaces import Gradient, Space, Vector


def as_gradient(domain: PrivacyDomain, value: Value, other: Space | None) -> Value | None:
    """A vector that does not move as the gradient of its entries, where `other` is the space of a
    gradient without axes; None in every other case."""
    held = value.space
    if not (type(held) is Vector and isinstance(other, Gradient) and not other.shape):
        return None
    if domain.movement(value):
        return None
    space = msgspec.structs.replace(
        other, element=held.element, size=held.size, lo=held.lo, hi=held.hi, radius=()
    )
    return domain.private(space, domain.state.atom(space, {}), value.step)
