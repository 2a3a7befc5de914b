"""Concrete maps between spaces: `Transformation`, `Measurement`, and chaining with `>>`.

A map made by hand is labelled "asserted": nothing was proved about it, and `metricdp audit` can
attack it.  Maps that come from a checked function or from a rule carry the label "proved".
"""

from __future__ import annotations

from metricdp.maps.distances import DistanceMap
from metricdp.maps.measurement import Measurement
from metricdp.maps.steps import Explanation, Reliance, Step
from metricdp.maps.transformation import Transformation

__all__ = [
    "DistanceMap",
    "Explanation",
    "Measurement",
    "Reliance",
    "Step",
    "Transformation",
]
