"""What is claimed of a mechanism on one pair of inputs: epsilon, (epsilon, delta), rho or (rho,
delta)."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isnan
from typing import Any

import msgspec

from metricdp.errors import ParameterError

Number = Fraction | float

#: measure -> names of its numbers.
_NAMES = {
    "pure": ("epsilon",), "approx": ("epsilon", "delta"), "zcdp": ("rho",),
    "approx_zcdp": ("rho", "delta"),
}  # fmt: skip


class PrivacyClaim(msgspec.Struct, frozen=True):
    """A bound on the privacy loss between the laws on one pair of inputs, in both directions.

    Attributes:
        measure: "pure", "approx", "zcdp" or "approx_zcdp".
        bounds: epsilon; epsilon and delta; rho; rho and delta.  Rationals, or infinity.
    """

    measure: str
    bounds: tuple[Number, ...]

    @staticmethod
    def of(epsilon: Any, delta: Any = 0) -> PrivacyClaim:
        """The claim of (epsilon, delta)-privacy; floats are the decimals that they print as.

        Raises:
            ParameterError: epsilon below 0 or NaN, or delta outside [0, 1).

        >>> str(PrivacyClaim.of(0.1, 1e-6))
        'epsilon 1/10, delta 1e-06'
        """
        e, d = _number(epsilon, "epsilon"), _number(delta, "delta")
        if e < 0:
            raise ParameterError("must not be negative", place="epsilon", remedy="epsilon=1.0")
        if not 0 <= d < 1:
            raise ParameterError("lies in [0, 1)", place="delta", remedy="delta=1e-6")
        return PrivacyClaim("approx", (e, d)) if d else PrivacyClaim("pure", (e,))

    @property
    def epsilon(self) -> Number:
        """The claimed epsilon.  ParameterError for a claim in rho."""
        if self.measure in ("zcdp", "approx_zcdp"):
            raise ParameterError("a claim in rho has no epsilon", place="claim")
        return self.bounds[0]

    @property
    def delta(self) -> Fraction:
        """The claimed delta; 0 for a pure claim."""
        return Fraction(self.bounds[1]) if len(self.bounds) > 1 else Fraction(0)

    def __str__(self) -> str:
        return ", ".join(
            f"{name} {short(value)}"
            for name, value in zip(_NAMES[self.measure], self.bounds, strict=True)
        )


def short(value: Number) -> str:
    """A number in a verdict: exact where short, else six digits."""
    if isinstance(value, Fraction):
        if value.denominator <= 1000 and value.numerator < 10**9:
            return str(value)
        value = float(value)
    return "oo" if value == inf else f"{value:.6g}"


def _number(value: Any, place: str) -> Number:
    if isinstance(value, bool) or not isinstance(value, (int, float, Fraction)) or isnan(value):
        raise ParameterError("must be a number", place=place, remedy=f"{place}=0.5")
    if isinstance(value, float):
        return inf if value == inf else Fraction(repr(float(value)))
    return Fraction(value)
