"""What an engine asks of a privacy loss law: the law of L = ln dP/dQ under P.

(P, Q) is a dominating pair of a mechanism under one direction of one neighbouring relation: the
mechanism's hockey-stick profile is at most that of the pair, E_P[(1 - e^(eps - L))_+], for every
eps, and profiles of adaptive compositions are at most those of the product pairs (Zhu, Dong, Wang
2022, "Optimal accounting of differential privacy via characteristic function", Theorem 10).

The moment function is M(z) = E_P[e^(z L); L finite].  M(0) <= 1 and M(-1) <= 1 (both are 1 when P
and Q have the same null sets), so it is analytic in a strip that contains -1 < Re z < 0.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from metricdp.errors import InternalError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metricdp.measures.losses.balls import Ball


class Cells(msgspec.Struct, frozen=True):
    """Masses of the cells between consecutive edges, computed without cancellation.

    For n edges there are n + 1 cells: (-oo, e_0), [e_0, e_1), ..., [e_(n-1), +oo).  An atom whose
    loss is, rounded to a double, equal to an edge belongs to the cell above that edge.  The mass of
    L = +oo under P is in no cell (see `Loss.infinite`), nor is the Q-mass where P is 0.

    Edges are honoured up to 2^-46 max(1, |edge|): an interval may begin or end that far from where
    its edge says, as roundings of edges and of parameters move it.

    Attributes:
        p, q: masses under P and Q, shape (n + 1,).
        error: relative error of every entry, or of each, shape (n + 1,); entries below 1e-290 have
            that absolute error.

    Raises:
        InternalError: a mass that is negative or not finite: it would count for nothing.
    """

    p: NDArray[Any]
    q: NDArray[Any]
    error: float | NDArray[Any]

    def __post_init__(self) -> None:
        for name, masses in (("P", self.p), ("Q", self.q)):
            # NaN compares as false, and is kept by sums and minima.
            if not (masses.min() >= 0 and masses.sum() < inf):
                raise InternalError(
                    f"a mass of a cell under {name} is negative or no finite number",
                    place="cells of a loss law",
                    remedy="no answer is given; please report the events and the query",
                )


class Lattice(msgspec.Struct, frozen=True):
    """Every finite value of L is offset + k step for an integer k, exactly; step > 0."""

    offset: Fraction
    step: Fraction


class Loss(Protocol):
    """The privacy loss law of one dominating pair in one direction."""

    @property
    def span(self) -> tuple[float, float]:
        """An open interval that contains (-1, 0), where M is finite: (-inf, inf) for most laws."""
        ...

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """Lower and upper bound of P(L = +oo)."""
        ...

    @property
    def largest(self) -> tuple[Fraction, Fraction] | None:
        """Bounds of the essential supremum of the finite values of L under P; None: infinite."""
        ...

    @property
    def lattice(self) -> Lattice | None:
        """The lattice of the losses, when all of them lie on one with rational step."""
        ...

    def log_moment(self, c: float) -> float:
        """ln M(c) as a double, for searches only: nothing that is proved rests on it."""
        ...

    def on_line(self, c: float, step: float, count: int) -> list[Ball]:
        """Enclosures (acb) of M(c + i k step) for k = 0, ..., count - 1; c inside the span.

        At the current precision of python-flint: call it inside `balls.precision`.
        """
        ...

    def log_decay(self, c: float, t: float) -> float:
        """An upper bound, <= 0, of ln sup over y >= t of |M(c + iy)| / M(c); 0 is always valid."""
        ...

    def log_decay_in_period(self, c: float, t: float) -> float:
        """The same for a lattice law over t <= y <= pi / step, half of its period; else 0."""
        ...

    def cells(self, edges: NDArray[Any]) -> Cells:
        """Masses of the cells between increasing edges (finite doubles, at least one)."""
        ...

    def reversed(self) -> Loss:
        """The loss of (Q, P): the law of -L under Q."""
        ...
