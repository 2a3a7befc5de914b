"""Canonical noise: the Tulap law of (epsilon, delta) at one sensitivity (`noise.canonical`)."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from metricdp.families.family import Extra
from metricdp.families.recorded import Recorded


class CanonicalNoise(Recorded, frozen=True):
    """Around one number: rounded to whole numbers, or to a public grid."""

    released: ClassVar[bool] = True

    def half_width(self, scale: Fraction, extra: Extra, alpha: Fraction) -> float:
        """From the parameters of the draw."""
        from metricdp import noise
        from metricdp.noise.grid import power
        from metricdp.noise.rounded_scalar import step_exponent
        from metricdp.values.exact import exact, to_float

        width, epsilon = exact(extra["sensitivity"]), exact(extra["epsilon"])
        delta = exact(extra.get("delta", 0))
        if not width:
            return 0.0
        if extra.get("whole", 1):
            return noise.double_up(noise.rounded_canonical_interval(width, epsilon, delta, alpha))
        step = to_float(power(step_exponent(width)) / 2)
        return noise.canonical_interval(width, epsilon, delta, alpha) + step
