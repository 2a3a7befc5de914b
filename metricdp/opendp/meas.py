"""`opendp.meas` of 2021."""

from __future__ import annotations

from metricdp.opendp.era2021 import MEASUREMENTS, functions

_FOUND = functions(MEASUREMENTS)
globals().update(_FOUND)
__all__ = sorted(_FOUND)  # pyright: ignore[reportUnsupportedDunderAll]
