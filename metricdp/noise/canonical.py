"""Canonical noise around a number, rounded to a public grid; see `tulap` for its law."""

from __future__ import annotations

from fractions import Fraction

from metricdp.errors import ParameterError
from metricdp.noise.parameters import Number, nonnegative
from metricdp.noise.rounded_scalar import statistic
from metricdp.noise.source import BitSource, system_source
from metricdp.noise.tulap import Tulap, canonical_floor

_HALF = Fraction(1, 2)
#: Of epsilon: e^-1000 is nothing that noise could tell from 0.
LARGEST = 1000


def tulap(epsilon: Number, delta: Number) -> Tulap:
    """The law of the noise at sensitivity 1.

    Raises:
        ParameterError: an epsilon that is not positive or above `LARGEST`, a delta outside [0, 1).
    """
    e, d = nonnegative(epsilon, "epsilon"), nonnegative(delta, "delta")
    if not e:
        raise ParameterError("must be positive", place="epsilon", remedy="choose epsilon > 0")
    if e > LARGEST:
        raise ParameterError(f"above {LARGEST}", place="epsilon", remedy="a smaller epsilon")
    if d >= 1:
        raise ParameterError("must be below 1", place="delta", remedy="choose 0 <= delta < 1")
    return Tulap(e, d)


def canonical_ticks(
    x: Number,
    sensitivity: Number,
    epsilon: Number,
    delta: Number = 0,
    exponent: int = 0,
    source: BitSource | None = None,
) -> int:
    """floor((x + sensitivity N) / 2**exponent + 1/2), N the canonical noise of (epsilon, delta).

    Args:
        x: private; no value of it raises: NaN counts as 0, infinities as the largest double.
        sensitivity: exact rational >= 0; 0 adds no noise.
        exponent: of the public step.
        source: random bits; the operating system's when omitted.

    Raises:
        ParameterError: parameters out of range; see `tulap`.
    """
    law, step = tulap(epsilon, delta), Fraction(2) ** exponent
    scale = nonnegative(sensitivity, "sensitivity")
    centre = statistic(x) / step + _HALF
    return canonical_floor(centre, scale / step, law, source or system_source())
