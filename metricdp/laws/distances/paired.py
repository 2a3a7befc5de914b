"""Two laws as finite laws whose ratios are those of the laws, where there is such a pair."""

from __future__ import annotations

from typing import Any

from metricdp.laws.distances.masses import Masses, both
from metricdp.laws.distances.steps import Steps, refined
from metricdp.laws.distances.steps_of import steps_of


def compared(p: Any, q: Any) -> tuple[Masses, Masses] | None:
    """Both as finite laws whose ratios are those of the laws; None when there is no such pair."""
    finite = both(p, q)
    if finite:
        return finite
    steps = steps_of_both(p, q)
    return refined(*steps) if steps else None


def steps_of_both(p: Any, q: Any) -> tuple[Steps, Steps] | None:
    left = steps_of(p)
    right = steps_of(q) if left is not None else None
    return None if left is None or right is None else (left, right)
