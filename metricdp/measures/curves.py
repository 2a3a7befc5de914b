"""Events that are known by a Renyi curve alone: no loss law dominates them tightly."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from metricdp.accounting.renyi import Curve, Grouped, LinearCurve, checked_order
from metricdp.accounting.rounded import root_up, short_down
from metricdp.errors import ParameterError
from metricdp.measures.accounted import CONTRIBUTION, AccountedStep, Case, PathEvent, Pieces
from metricdp.measures.parameters import exact, nonnegative
from metricdp.noise.enclose import Bounds


class Points(Curve, frozen=True):
    """A Renyi curve known at some orders.

    Between two orders (alpha - 1) D_alpha, which is convex and 0 at 1, is at most its chord.
    Source: van Erven and Harremoes (2014), Theorem 3 and Corollary 2.

    Attributes:
        known: (order, bound) with increasing orders above 1.
    """

    known: tuple[tuple[Fraction, Fraction], ...]

    @property
    def largest(self) -> Fraction | None:
        """The largest order."""
        return self.known[-1][0]

    def divergence(self, alpha: Fraction) -> Bounds:
        """(0, upper bound)."""
        checked_order(self, alpha)
        at = bisect_left(self.known, (alpha, Fraction(-1)))
        order, bound = self.known[at]
        if order == alpha:
            return Fraction(0), bound
        before, low = self.known[at - 1] if at else (Fraction(1), Fraction(0))
        share = (alpha - before) / (order - before)
        chord = (1 - share) * (before - 1) * low + share * (order - 1) * bound
        # Every bound at a larger order is one at this order.
        return Fraction(0), min(chord / (alpha - 1), min(b for _, b in self.known[at:]))


class ZCDP(PathEvent, frozen=True):
    """Any rho-zCDP mechanism: D_alpha <= rho alpha.

    Only upper bounds; the lower end is the Gaussian mechanism with this rho, which is in the class.
    k steps cost k^2 rho (Bun and Steinke 2016, Proposition 1.9).

    Args:
        rho: >= 0, of one step.
        per: "contribution" or "replace": what one step is (`measures.accounted`).

    Raises:
        ParameterError: a parameter outside its range.
    """

    rho: Any
    per: str = CONTRIBUTION

    def __post_init__(self) -> None:
        PathEvent.__post_init__(self)
        self._put("rho", nonnegative(self.rho, "rho", self.place))

    def _total(self, case: Case) -> Fraction:
        rho: Fraction = self.rho
        return self.length(case) ** 2 * rho

    def pieces(self, case: Case) -> Pieces:
        from metricdp.accounting.losses.gaussian import GaussianLoss

        total = self._total(case)
        if not total:
            return Pieces((), ())
        # The root is rounded down: 1 - 2^-100 of a root rounded up by a relative 2^-120 is below.
        ratio = short_down(root_up(2 * total) * (1 - Fraction(1, 1 << 100)))
        return Pieces(None, ((GaussianLoss(ratio), 1),) if ratio > 0 else ())

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        return (AccountedStep(LinearCurve(self._total(case))),)


class Renyi(PathEvent, frozen=True):
    """Any mechanism with these Renyi divergences; only upper bounds.

    k steps follow a path (Mironov 2017, Proposition 11; `accounting.renyi`).

    Args:
        bounds: order above 1 -> bound of D_alpha, >= 0, of one step.
        per: "contribution" or "replace": what one step is (`measures.accounted`).

    Raises:
        ParameterError: no order, or one outside its range.
    """

    bounds: Any
    per: str = CONTRIBUTION

    def __post_init__(self) -> None:
        PathEvent.__post_init__(self)
        given = self.bounds
        if isinstance(given, tuple):
            given = dict(given)
        if not isinstance(given, Mapping) or not given:
            raise ParameterError(
                "has no orders", place=self.place, remedy="write Renyi({2: 0.1, 8: 0.5})"
            )
        found = sorted(
            (exact(a, "order", self.place), nonnegative(d, f"bound at order {a}", self.place))
            for a, d in given.items()
        )
        if found[0][0] <= 1:
            raise ParameterError(
                f"order is {found[0][0]}", place=self.place, remedy="choose orders above 1"
            )
        self._put("bounds", tuple(found))

    def pieces(self, case: Case) -> Pieces:
        return Pieces(None, ())

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        units, curve = self.length(case), Points(self.bounds)
        far: Curve = curve if units == 1 else Grouped(curve, units)
        return (AccountedStep(far),)
