"""Loss laws that are known by the masses of their cells alone.

The symmetric loss law whose profile at epsilon >= 0 is that of a given pair.

With (P, Q) a pair that bounds HS_x(A, B) for x >= 1 for all pairs (A, B) of a symmetric class,
HS_x(A, B) = sum (A - x B)_+, the identity HS_x(A, B) = 1 - x + x HS_1/x(B, A) bounds it for x < 1
too: by the pair (Q, P).  The law of both halves has the part L > 0 of L = ln dP/dQ under P, at -l
the mass that L = l > 0 has under Q, and the rest, 1 - P(L > 0) - Q(L > 0), at 0.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from metricdp.accounting.losses.balls import Ball
from metricdp.accounting.losses.loss import CellMasses, Lattice
from metricdp.errors import UncertifiedError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CellsLoss:
    """What follows from cells: such a law has no contour, only the lattice engine takes it."""

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """See `Loss`."""
        raise NotImplementedError

    @property
    def span(self) -> tuple[float, float]:
        """Where every M is finite."""
        return -1.0, 0.0

    @property
    def lattice(self) -> Lattice | None:
        """None: not known to be one."""
        return None

    def log_moment(self, c: float) -> float:
        """ln M(c) from a picture of the law."""
        from metricdp.accounting.lattice.sketch import Cumulant, sketch

        whole: Any = self  # with the masses of infinite losses, which those who inherit have
        picture = sketch(whole)
        return Cumulant([(picture, 1)]).of(picture, c)[0]

    def on_line(self, c: float, step: float, count: int) -> list[Ball]:
        """UncertifiedError, always."""
        raise UncertifiedError(
            "the moments of this law are not enclosed",
            place=type(self).__name__,
            remedy="ask the discretised engine",
        )

    def log_decay(self, c: float, t: float) -> float:
        """0: nothing is known."""
        return 0.0

    def log_decay_in_period(self, c: float, t: float) -> float:
        """0: no lattice."""
        return 0.0


#: Losses nearer to 0 than this count as 0.
_ZERO = 1e-300


class Half(Protocol):
    """What is asked of the pair: see `Loss`."""

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """P(L = +oo)."""
        ...

    @property
    def largest(self) -> tuple[Fraction, Fraction] | None:
        """The essential supremum of the finite values."""
        ...

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """Masses of cells; only those above 0 count."""
        ...


class SymmetricLoss(CellsLoss, msgspec.Struct, frozen=True):
    """See the module.

    Attributes:
        forward: the loss of (P, Q); its largest value is above 0.
    """

    forward: Half

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """That of the pair."""
        return self.forward.infinite

    @property
    def largest(self) -> tuple[Fraction, Fraction] | None:
        """That of the pair."""
        return self.forward.largest

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """The cells of the pair above 0, mirrored, and the atom."""
        import numpy as np

        above = edges[edges > _ZERO]
        # An atom on an edge is in the cell above it, on either side of 0.
        below = np.sort(np.nextafter(-edges[edges < -_ZERO], inf))
        sides = np.unique(np.concatenate(([_ZERO], above, below)))
        found = self.forward.cells(sides)
        error = np.broadcast_to(found.error, found.p.shape)[1:]
        p, q = found.p[1:], found.q[1:]
        leak = float(self.forward.infinite[1])
        atom = max(0.0, 1 - float(p.sum() + q.sum()) - leak)
        doubt = float(error @ (p + q)) + 4e-16 * (1 + len(p)) + leak
        places = (
            np.searchsorted(edges, sides, side="right"),
            len(below) - np.searchsorted(below, sides, side="right"),
        )
        # Masses and their absolute errors: a thin cell may be known badly and weigh nothing.
        out, doubts = np.zeros((2, len(edges) + 1)), np.zeros((2, len(edges) + 1))
        for where, sides_of in zip(places, ((p, q), (q, p)), strict=True):
            for k, masses in enumerate(sides_of):
                np.add.at(out[k], where, masses)
                np.add.at(doubts[k], where, masses * error)
        middle = int(np.searchsorted(edges, 0.0, side="right"))
        out[:, middle] += atom
        doubts[:, middle] += doubt
        with np.errstate(all="ignore"):
            worst = np.where(out > 0, doubts / out, 0.0).max(axis=0)
        return CellMasses(out[0], out[1], worst + 2e-15)

    def reversed(self) -> SymmetricLoss:
        """Itself."""
        return self
