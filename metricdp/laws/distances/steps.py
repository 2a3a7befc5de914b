"""Laws on the line made of atoms and of pieces of constant density, in rationals.

Everything that compares two of them is exact: on the common refinement of their pieces the ratio of
the densities is constant, so whatever compares masses only (d_DP, total variation, the profile)
is that of two finite laws, whose outcomes are the pieces (`Piece`) and the atoms.

Finite laws on numbers, uniform and piecewise constant laws are laws of steps.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import lcm
from typing import Any

import msgspec

from metricdp.laws.distances.finite import Masses, both, masses
from metricdp.laws.mixture import MixtureLaw, MixtureLineLaw
from metricdp.laws.numbers import real
from metricdp.laws.piecewise import PiecewiseLaw, UniformLaw


class Piece(msgspec.Struct, frozen=True):
    """The open interval between two numbers."""

    start: Fraction
    end: Fraction

    def __repr__(self) -> str:
        return f"({self.start}, {self.end})"


class Steps(msgspec.Struct, frozen=True, dict=True, eq=False):
    """Mass `inside[i]` spread evenly between `edges[i]` and `edges[i + 1]`, and `at[i]` on edge i.

    Edges increase; masses are nonnegative and sum to 1.
    """

    edges: tuple[Fraction, ...]
    inside: tuple[Fraction, ...]
    at: tuple[Fraction, ...]

    @cached_property
    def _up_to(self) -> tuple[Fraction, ...]:
        """P(X <= edge), for every edge."""
        return tuple(
            accumulate(a + b for a, b in zip((Fraction(0), *self.inside), self.at, strict=True))
        )

    def cdf(self, x: Fraction) -> Fraction:
        """P(X <= x)."""
        return self._cdf(x, bisect_right(self.edges, x))

    def below(self, x: Fraction) -> Fraction:
        """P(X < x)."""
        i = bisect_left(self.edges, x)
        on_edge = i < len(self.edges) and self.edges[i] == x
        return self._up_to[i] - self.at[i] if on_edge else self._cdf(x, i)

    def _cdf(self, x: Fraction, i: int) -> Fraction:
        if i == 0:
            return Fraction(0)
        start = self.edges[i - 1]
        if x == start or i == len(self.edges):
            return self._up_to[i - 1]
        if not self.inside[i - 1]:
            return self._up_to[i - 1]
        share = Fraction(x - start, self.edges[i] - start)
        return self._up_to[i - 1] + share * self.inside[i - 1]

    def stretched(self, factor: int) -> Steps:
        """The same masses on edges that many times as far from 0."""
        return Steps(tuple(x * factor for x in self.edges), self.inside, self.at)

    def refined(self, edges: Sequence[Fraction]) -> Masses:
        """Masses of the edges and of the pieces between them; its own edges are among them."""
        found: Masses = {}
        for x in edges:
            if mass := self.cdf(x) - self.below(x):
                found[x] = mass
        for a, b in pairwise(edges):
            if mass := self.below(b) - self.cdf(a):
                found[Piece(a, b)] = mass
        return found


def from_atoms(masses: Mapping[Fraction, Fraction]) -> Steps:
    """A finite law on numbers."""
    edges = tuple(sorted(masses))
    return Steps(edges, (Fraction(0),) * (len(edges) - 1), tuple(masses[x] for x in edges))


def from_pieces(pieces: Iterable[tuple[Fraction, Fraction, Fraction]]) -> Steps:
    """(start, end, mass) of pieces that do not overlap."""
    given = sorted(pieces)
    edges = tuple(sorted({x for a, b, _ in given for x in (a, b)}))
    masses = {(a, b): m for a, b, m in given}
    inside = tuple(masses.get((a, b), Fraction(0)) for a, b in pairwise(edges))
    return Steps(edges, inside, (Fraction(0),) * len(edges))


def mixed(parts: Iterable[tuple[Fraction, Steps]]) -> Steps:
    """A mixture: weights that sum to 1, and laws."""
    given = [(w, law) for w, law in parts if w]
    edges = tuple(sorted({x for _, law in given for x in law.edges}))
    inside = [
        sum((w * (law.below(b) - law.cdf(a)) for w, law in given), Fraction(0))
        for a, b in pairwise(edges)
    ]
    at = [sum((w * (law.cdf(x) - law.below(x)) for w, law in given), Fraction(0)) for x in edges]
    return Steps(edges, tuple(inside), tuple(at))


def refined(p: Steps, q: Steps) -> tuple[Masses, Masses]:
    """Both as finite laws on the pieces and edges of their common refinement."""
    edges = sorted({*p.edges, *q.edges})
    return p.refined(edges), q.refined(edges)


def in_integers(p: Steps, q: Steps) -> tuple[int, int, Steps, Steps]:
    """Units of length and mass in which both laws have integers only, and the laws in them."""
    length = lcm(*(x.denominator for x in (*p.edges, *q.edges)))
    mass = lcm(*(x.denominator for x in (*p.inside, *p.at, *q.inside, *q.at)))

    def scaled(law: Steps) -> Steps:
        # Integers take the place of fractions: every operation on them is exact.
        numbers: Any = (
            tuple(int(x * length) for x in law.edges),
            tuple(int(m * mass) for m in law.inside),
            tuple(int(m * mass) for m in law.at),
        )
        return Steps(*numbers)

    return length, mass, scaled(p), scaled(q)


def area_between(p: Steps, q: Steps) -> Fraction:
    """The earth mover's distance on the line: the integral of |F - G| (Vallender 1974)."""
    length, mass, p, q = in_integers(p, q)
    total = Fraction(0)
    for a, b in pairwise(sorted({*p.edges, *q.edges})):
        start, end = p.cdf(a) - q.cdf(a), p.below(b) - q.below(b)
        if start * end >= 0:
            total += Fraction((b - a) * abs(start + end)) / 2
        else:
            # Linear with a change of sign: two triangles.
            both = Fraction(abs(start) + abs(end))
            total += (b - a) * (start * start + end * end) / (2 * both)
    return total / (length * mass)


def steps_of(law: Any) -> Steps | None:
    """The law as steps on the line, or None.

    Outcomes that are numbers stand for the exact numbers that they are; a bool is none.
    """
    if isinstance(law, Steps):
        return law
    if isinstance(law, UniformLaw | PiecewiseLaw):
        pieces = law.pieces
        ends = pairwise(pieces.edges)
        return from_pieces((a, b, m) for (a, b), m in zip(ends, pieces.masses, strict=True))
    if isinstance(law, MixtureLaw | MixtureLineLaw):
        parts = [steps_of(part) for part in law.parts]
        known = [(w, s) for w, s in zip(law.weights, parts, strict=True) if s is not None]
        return mixed(known) if len(known) == len(parts) else None
    finite = masses(law)
    if finite is not None:
        return from_atoms(_numbers(finite)) if _are_numbers(finite) else None
    return None


def _are_numbers(finite: Mapping[Any, Fraction]) -> bool:
    return all(isinstance(x, Fraction | int | float) and not isinstance(x, bool) for x in finite)


def _numbers(finite: Mapping[Any, Fraction]) -> dict[Fraction, Fraction]:
    return {real(x, "outcome"): mass for x, mass in finite.items()}


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
