"""Laws on the line with a density that is constant on pieces: rational, or of enclosed masses."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from metricdp.errors import ParameterError
from metricdp.laws.interval import ONE, ZERO, add, over, point, subtract, times
from metricdp.laws.law import LineLaw
from metricdp.laws.numbers import positive, real, settle, share, told
from metricdp.laws.outcomes import in_order
from metricdp.noise.enclose import Bounds
from metricdp.noise.kept import exp_bounds


class PiecewiseLaw(LineLaw, frozen=True):
    """Density `heights[i]` between `edges[i]` and `edges[i + 1]`, and 0 elsewhere.

    Args:
        edges: increasing; one more than heights.  A float is the rational that it denotes.
        heights: nonnegative; the masses (height times length) sum to 1.  Heights and masses are
            the decimals that were typed.

    Raises:
        ParameterError: anything else.
    """

    edges: tuple[Fraction, ...]
    heights: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        edges = tuple(real(x, "edges") for x in in_order(self.edges, "edges"))
        heights = tuple(share(h, "heights") for h in in_order(self.heights, "heights"))
        if len(edges) != len(heights) + 1 or any(a >= b for a, b in pairwise(edges)):
            raise ParameterError(
                f"{len(edges)} edges that increase need {len(edges) - 1} heights", place="edges"
            )
        if any(h < 0 for h in heights):
            raise ParameterError("a density is not negative", place="heights")
        settle(self, edges=edges, heights=heights)
        total = sum(self.masses, Fraction(0))
        if total != 1:
            raise ParameterError(
                f"the masses sum to {told(total)}, and not to 1",
                place="heights",
                remedy="PiecewiseLaw.of(edges, masses) takes masses",
            )

    @classmethod
    def of(cls, edges: Any, masses: Any) -> PiecewiseLaw:
        """The law with these masses between the edges, spread evenly; they sum to 1."""
        ends = tuple(real(x, "edges") for x in in_order(edges, "edges"))
        inside = tuple(share(m, "masses") for m in in_order(masses, "masses"))
        if len(ends) != len(inside) + 1 or any(a >= b for a, b in pairwise(ends)):
            raise ParameterError(
                f"{len(ends)} edges that increase need {len(ends) - 1} masses", place="edges"
            )
        pieces = zip(inside, pairwise(ends), strict=True)
        return cls(ends, tuple(m / (b - a) for m, (a, b) in pieces))

    @property
    def masses(self) -> tuple[Fraction, ...]:
        """The mass of each piece."""
        pieces = zip(self.heights, pairwise(self.edges), strict=True)
        return tuple(h * (b - a) for h, (a, b) in pieces)

    def cdf(self, x: Any) -> Bounds:
        """P(X <= x), exact."""
        at = real(x, "x")
        pieces = zip(self.heights, pairwise(self.edges), strict=True)
        return point(sum((h * (min(at, b) - a) for h, (a, b) in pieces if at > a), Fraction(0)))

    def tail(self, x: Any) -> Bounds:
        """P(X >= x), exact."""
        return subtract(ONE, self.cdf(x))

    def density(self, x: Any) -> Bounds:
        """The density at x, from the right where it jumps; exact."""
        place = bisect_right(self.edges, real(x, "x"))
        return point(self.heights[place - 1]) if 0 < place < len(self.edges) else ZERO

    def mix(self, other: PiecewiseLaw | UniformLaw, weight: Any) -> PiecewiseLaw:
        """The law of X with probability 1 - weight and of `other` with probability weight.

        Raises:
            ParameterError: a weight outside [0, 1].
        """
        w, second = share(weight, "weight"), other.pieces
        if not 0 <= w <= 1:
            raise ParameterError(f"{told(w)} is no share", place="weight", remedy="0 to 1")
        edges = tuple(sorted({*self.edges, *second.edges}))
        heights = tuple((1 - w) * self.density(x)[0] + w * second.density(x)[0] for x in edges[:-1])
        return PiecewiseLaw(edges, heights)

    @property
    def pieces(self) -> PiecewiseLaw:
        """The law itself."""
        return self


class UniformLaw(LineLaw, frozen=True):
    """Density 1 / (high - low) between low and high.

    Raises:
        ParameterError: low is not below high.
    """

    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        low, high = real(self.low, "low"), real(self.high, "high")
        if low >= high:
            raise ParameterError("must be below high", place="low")
        settle(self, low=low, high=high)

    @property
    def pieces(self) -> PiecewiseLaw:
        """The same law as one with a constant density on one piece."""
        return PiecewiseLaw((self.low, self.high), (1 / (self.high - self.low),))

    def cdf(self, x: Any) -> Bounds:
        """P(X <= x), exact."""
        inside = min(max(real(x, "x"), self.low), self.high)
        return point((inside - self.low) / (self.high - self.low))

    def tail(self, x: Any) -> Bounds:
        """P(X >= x), exact."""
        return subtract(ONE, self.cdf(x))

    def density(self, x: Any) -> Bounds:
        """The density at x, from the right; exact."""
        inside = self.low <= real(x, "x") < self.high
        return point(1 / (self.high - self.low)) if inside else ZERO

    def mix(self, other: PiecewiseLaw | UniformLaw, weight: Any) -> PiecewiseLaw:
        """As `PiecewiseLaw.mix`."""
        return self.pieces.mix(other, weight)


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
