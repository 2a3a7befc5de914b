"""What most loss laws have in common: no mass at infinity, moments everywhere, no lattice."""

from __future__ import annotations

from fractions import Fraction
from math import inf

from metricdp.measures.losses.loss import Lattice


class PlainLoss:
    """P and Q have the same null sets and M is finite on the whole line; see `Loss`."""

    @property
    def span(self) -> tuple[float, float]:
        """All of the line."""
        return -inf, inf

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """0: the null sets agree."""
        return Fraction(0), Fraction(0)

    @property
    def lattice(self) -> Lattice | None:
        """None: no lattice."""
        return None

    @property
    def places(self) -> tuple[float, ...] | None:
        """The losses of all atoms, where they are known without a search; None: not known."""
        return None

    def log_decay_in_period(self, c: float, t: float) -> float:
        """0: no lattice."""
        return 0.0
