"""Names of libraries and literals at the top of a file, as values."""

from __future__ import annotations

import math

from metricdp.check.values import public
from metricdp.check.values.objects import Constant, Library, Obj, Tuple

_NUMBERS = {
    "math.pi": math.pi, "math.e": math.e, "math.tau": math.tau, "math.inf": math.inf,
    "numpy.pi": math.pi, "numpy.e": math.e, "numpy.inf": math.inf,
}  # fmt: skip


def public_constant(found: Obj) -> Obj:
    """A literal of the top of a file as a value."""
    if isinstance(found, Library) and found.dotted in _NUMBERS:
        return public.literal(_NUMBERS[found.dotted])
    if not isinstance(found, Constant):
        return found
    if isinstance(found.value, tuple | list):
        return Tuple(
            tuple(public.literal(item) for item in found.value), isinstance(found.value, list)
        )
    return public.literal(found.value)
