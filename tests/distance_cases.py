"""Small random laws and metric spaces, and distances by enumeration, for the tests of distances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from hypothesis import strategies as st

from metricdp.laws.distances import FiniteSpace

Masses = dict[Any, Fraction]


@st.composite
def laws(draw: st.DrawFn, points: Sequence[Any]) -> Masses:
    """A law on some of the points."""
    weights = draw(st.lists(st.integers(0, 6), min_size=len(points), max_size=len(points)))
    if not any(weights):
        weights[draw(st.integers(0, len(points) - 1))] = 1
    return {x: Fraction(w, sum(weights)) for x, w in zip(points, weights, strict=True) if w}


LENGTHS = st.fractions(Fraction(1, 6), 5, max_denominator=6)


@st.composite
def spaces(draw: st.DrawFn) -> FiniteSpace:
    """A line, a cycle, a tree, a discrete space, or lattice points under the L1 distance."""
    size = draw(st.integers(2, 6))
    match draw(st.sampled_from(["line", "cycle", "tree", "discrete", "lattice"])):
        case "line":
            return FiniteSpace.line(draw(st.lists(LENGTHS, min_size=1, max_size=6, unique=True)))
        case "cycle":
            arcs = draw(st.lists(LENGTHS, min_size=size, max_size=size))
            return FiniteSpace.cycle(range(size), arcs)
        case "tree":
            parents = [draw(st.integers(0, i - 1)) for i in range(1, size)]
            return FiniteSpace.tree(
                (i + 1, parent, draw(LENGTHS)) for i, parent in enumerate(parents)
            )
        case "discrete":
            return FiniteSpace.discrete("abcdef"[:size])
    at = st.tuples(st.integers(0, 3), st.integers(0, 3))
    points = draw(st.lists(at, min_size=2, max_size=6, unique=True))
    return FiniteSpace.from_function(points, taxi)


def taxi(x: tuple[int, int], y: tuple[int, int]) -> Fraction:
    return Fraction(abs(x[0] - y[0]) + abs(x[1] - y[1]), 3)


@st.composite
def situated(draw: st.DrawFn, count: int = 2) -> tuple[Any, ...]:
    """A space and laws on it."""
    space = draw(spaces())
    return space, *(draw(laws(space.points)) for _ in range(count))


def events(points: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """All subsets."""
    for size in range(len(points) + 1):
        yield from combinations(points, size)


def mass(law: Masses, event: Sequence[Any]) -> Fraction:
    return sum((law.get(x, Fraction(0)) for x in event), Fraction(0))


def excess_by_events(p: Masses, q: Masses, t: Fraction) -> Fraction:
    """sup over all events of P(S) - t Q(S)."""
    return max(mass(p, s) - t * mass(q, s) for s in events([*{**p, **q}]))


def prokhorov_by_events(p: Masses, q: Masses, space: FiniteSpace) -> Fraction:
    """inf of eps with P(A) <= Q(A^eps) + eps, over all events, from the definition.

    Between two distances that occur, A^eps stays what it is: the least eps that serves all events
    there is the largest gap, if that lies there.
    """
    found = []
    for radius in space.radii:
        gap = Fraction(0)
        for s in events(space.points):
            near = [y for y in space.points if any(space.distance(x, y) <= radius for x in s)]
            gap = max(gap, mass(p, s) - mass(q, near))
        found.append(max(radius, gap))
    return min(found)
