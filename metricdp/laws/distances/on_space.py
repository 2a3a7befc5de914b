"""Two laws on one finite metric space, as integers: what transport works on."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import msgspec

from metricdp.laws.distances.coupling import Moved
from metricdp.laws.distances.masses import Masses
from metricdp.laws.space import FiniteSpace


class OnSpace(msgspec.Struct, frozen=True):
    """Masses in units of 1 / `unit`, by position in the space."""

    space: FiniteSpace
    unit: int
    p: tuple[int, ...]
    q: tuple[int, ...]

    @property
    def excess(self) -> list[int]:
        """P - Q at every point."""
        return [a - b for a, b in zip(self.p, self.q, strict=True)]

    def moved(self, flow: dict[tuple[int, int], int]) -> Moved:
        """The flow as masses between points."""
        points = self.space.points
        return {(points[i], points[j]): Fraction(x, self.unit) for (i, j), x in flow.items() if x}


def on_space(p: Masses, q: Masses, space: FiniteSpace) -> OnSpace:
    """Both laws by position; ParameterError for an outcome that is no point of the space."""
    unit = lcm(*(m.denominator for m in (*p.values(), *q.values())))
    left, right = [0] * len(space.points), [0] * len(space.points)
    for masses, into in ((p, left), (q, right)):
        for x, mass in masses.items():
            into[space.place(x)] = int(mass * unit)
    return OnSpace(space, unit, tuple(left), tuple(right))
