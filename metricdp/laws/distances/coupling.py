"""Evidence for distances that move mass: couplings, potentials, neighbourhoods."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction

import msgspec

Moved = Mapping[tuple[Hashable, Hashable], Fraction]


class Transport(msgspec.Struct, frozen=True):
    """An optimal plan with the proof that no plan is cheaper (Kantorovich and Rubinstein 1958).

    Attributes:
        coupling: (x, y) -> mass moved from x to y; its marginals are P and Q.
        potential: point -> f, with |f(x) - f(y)| <= d(x, y); the sum of f (P - Q) is the cost.
    """

    coupling: Moved
    potential: Mapping[Hashable, Fraction]


class Neighbourhood(msgspec.Struct, frozen=True):
    """A Prokhorov distance eps from both sides (Strassen 1965).

    Attributes:
        coupling: a coupling under which a move is farther than eps with probability <= eps.
        event: a set A with P(A) >= Q(points at distance <= s from A) + eps for every s < eps; empty
            when eps is 0.
    """

    coupling: Moved
    event: tuple[Hashable, ...]
