"""Laws on the line with a density that is constant on pieces, of masses that are only enclosed."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from metricdp.errors import ParameterError
from metricdp.laws.interval import ONE, ZERO, add, over, point, times
from metricdp.laws.line import LineLaw
from metricdp.laws.numbers import positive, real, settle
from metricdp.noise.enclose import Bounds, exp_bounds


class WeightedPiecesLaw(LineLaw, frozen=True):
    """Mass `masses[i]` spread evenly between `edges[i]` and `edges[i + 1]`.

    Args:
        edges: rationals that increase; one more than masses.
        masses: enclosures of nonnegative numbers of which some have the sum 1.

    Raises:
        ParameterError: anything else.
    """

    edges: tuple[Fraction, ...]
    masses: tuple[Bounds, ...]

    def __post_init__(self) -> None:
        edges = tuple(real(x, "edges") for x in self.edges)
        if len(edges) != len(self.masses) + 1 or any(a >= b for a, b in pairwise(edges)):
            raise ParameterError(
                f"{len(edges)} edges that increase need {len(edges) - 1} masses", place="edges"
            )
        low, high = add(*self.masses)
        if any(not 0 <= a <= b for a, b in self.masses) or not low <= 1 <= high:
            raise ParameterError(
                "masses are enclosures of nonnegative numbers that sum to 1", place="masses"
            )
        settle(self, edges=edges)

    @classmethod
    def exponential(
        cls, edges: Sequence[Any], scores: Sequence[Any], scale: Any
    ) -> WeightedPiecesLaw:
        """Density proportional to e**(scores[i] / scale) between edges[i] and edges[i + 1].

        Args:
            edges: in order; a piece of no length has no mass, and is left out.
            scores: rationals, one per piece.
            scale: > 0.

        Raises:
            ParameterError: edges that do not fit the scores, a scale that is not positive.
        """
        width, ends = positive(scale, "scale"), [real(x, "edges") for x in edges]
        if len(ends) != len(scores) + 1 or any(a > b for a, b in pairwise(ends)):
            raise ParameterError(
                f"{len(ends)} edges in order need {len(ends) - 1} scores", place="edges"
            )
        pairs = zip(pairwise(ends), scores, strict=True)
        kept = [(a, b, real(s, "scores")) for (a, b), s in pairs if a < b]
        if not kept:
            raise ParameterError("the interval has no length", place="edges")
        best = max(score for _, _, score in kept)
        weights = [
            times(point(b - a), exp_bounds((score - best) / width, 256)) for a, b, score in kept
        ]
        total = add(*weights)
        masses = [ONE] if len(weights) == 1 else [over(weight, total) for weight in weights]
        return cls((*(a for a, _, _ in kept), kept[-1][1]), tuple(masses))

    @property
    def pieces(self) -> WeightedPiecesLaw:
        """The law itself."""
        return self

    def between(self, first: Any, last: Any) -> Bounds:
        """P(first <= X <= last): the shares of the pieces, with their relative accuracy."""
        a, b = real(first, "first"), real(last, "last")
        low = high = Fraction(0)
        for (start, end), mass in zip(pairwise(self.edges), self.masses, strict=True):
            inside = min(b, end) - max(a, start)
            if inside > 0:
                share = inside / (end - start)
                low, high = low + share * mass[0], high + share * mass[1]
        return low, min(Fraction(1), high)

    def cdf(self, x: Any) -> Bounds:
        """P(X <= x)."""
        at = real(x, "x")
        if at >= self.edges[-1]:
            return ONE
        return self.between(self.edges[0], at) if at > self.edges[0] else ZERO

    def tail(self, x: Any) -> Bounds:
        """P(X >= x)."""
        at = real(x, "x")
        if at <= self.edges[0]:
            return ONE
        return self.between(at, self.edges[-1]) if at < self.edges[-1] else ZERO

    def density(self, x: Any) -> Bounds:
        """The density at x, from the right where it jumps."""
        at = real(x, "x")
        for (start, end), mass in zip(pairwise(self.edges), self.masses, strict=True):
            if start <= at < end:
                return over(mass, point(end - start))
        return ZERO
