"""Questions that a proved guarantee answers: inverse, difference, derivation."""

from __future__ import annotations

from metricdp.answers.solution import Solution
from metricdp.answers.solve import solve

__all__ = ["Solution", "solve"]
