"""`opendp.trans` of 2021."""

from __future__ import annotations

from metricdp.opendp.era2021 import TRANSFORMATIONS, functions

_FOUND = functions(TRANSFORMATIONS)
globals().update(_FOUND)
__all__ = sorted(_FOUND)  # pyright: ignore[reportUnsupportedDunderAll]
