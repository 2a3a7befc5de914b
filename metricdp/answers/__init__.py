"""Questions that a proved guarantee answers: inverse, difference, derivation."""

from __future__ import annotations

from metricdp.answers.solve import Solution, solve

__all__ = ["Solution", "solve"]
