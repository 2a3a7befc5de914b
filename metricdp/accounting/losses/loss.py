"""What an engine asks of a privacy loss law: the law of L = ln dP/dQ under P.

(P, Q) is a dominating pair of a mechanism under one direction of one neighbouring relation: the
mechanism's hockey-stick profile is at most that of the pair, E_P[(1 - e^(eps - L))_+], for every
eps, and profiles of adaptive compositions are at most those of the product pairs (Zhu, Dong, Wang
2022, "Optimal accounting of differential privacy via characteristic function", Theorem 10).

The moment function is M(z) = E_P[e^(z L); L finite].  M(0) <= 1 and M(-1) <= 1 (both are 1 when P
and Q have the same null sets), so it is analytic in a strip that contains -1 < Re z < 0.

What most loss laws have in common: no mass at infinity, moments everywhere, no lattice.

Loss laws whose moments cost little each: at single nodes, and bounded there by doubles.

A certified answer: two rationals that enclose the true value, and how they were found.

Several losses composed: what every engine needs to know about them together.

Losses of an adaptive composition add (independent copies of dominating pairs: Zhu, Dong, Wang 2022,
Theorem 10).  The composition's P(L = +oo) is 1 - prod (1 - leak_i)^(n_i), and
    delta(eps) = leak + E_P[(1 - e^(eps - L))_+; all losses finite].
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from metricdp.accounting.losses.balls import Ball, ball, ends, precision
from metricdp.errors import InternalError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metricdp.accounting.losses.balls import Ball


class CellMasses(msgspec.Struct, frozen=True):
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

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """Masses of the cells between increasing edges (finite doubles, at least one)."""
        ...

    def reversed(self) -> Loss:
        """The loss of (Q, P): the law of -L under Q."""
        ...


#: Loss laws with counts, in any sequence.
Counted = Sequence[tuple[Loss, int]]
#: And as a key of what is remembered.
Parts = tuple[tuple[Loss, int], ...]


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


class PointwiseLoss(PlainLoss):
    """A closed form of the moment function, node by node; see `Loss`."""

    def on_nodes(self, c: float, step: Ball, nodes: Sequence[int]) -> list[Ball]:
        """Enclosures (acb) of M(c + i k step) for each k in `nodes`."""
        raise NotImplementedError

    def on_line(self, c: float, step: Ball, count: int) -> list[Ball]:
        """M(c + i k step) for k = 0, ..., count - 1."""
        return self.on_nodes(c, step, range(count))

    def log_moduli(self, c: float, heights: NDArray[Any]) -> NDArray[Any]:
        """Upper bounds, <= 0, of ln of |M(c + iy)| / M(c); c > 0.

        Args:
            heights: doubles, >= 0, each within 1e-15 y of the y that is meant, shape (n,).
        """
        raise NotImplementedError


class Bracket(msgspec.Struct, frozen=True):
    """lower <= truth <= upper, both rounded outwards.

    Attributes:
        lower: at least 0.
        upper: at most 1 for a delta.
        engine: which engine proved it ("contour", "closed form", ...).
        bits: working precision in bits.
        nodes: points at which moment functions were evaluated or bounded (0: a closed form).

    Raises:
        InternalError: ends that are not 0 <= lower <= upper: they are never returned.
    """

    lower: Fraction
    upper: Fraction
    engine: str
    bits: int = 53
    nodes: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.lower <= self.upper:
            raise InternalError(
                f"[{float(self.lower)!r}, {float(self.upper)!r}] encloses no answer",
                place=self.engine,
                remedy="no answer is given; please report the events and the query",
            )

    @property
    def width(self) -> Fraction:
        """upper - lower."""
        return self.upper - self.lower


Bounds = tuple[Fraction, Fraction]


class ComposedLosses(msgspec.Struct, frozen=True):
    """Losses with counts, merged.

    Attributes:
        parts: distinct losses with counts >= 1.
        leak: bounds of P(L = +oo).
        largest: bounds of the essential supremum of the finite losses; None when it is infinite.
    """

    parts: tuple[tuple[Loss, int], ...]
    leak: Bounds
    largest: Bounds | None


def composed(parts: Sequence[tuple[Loss, int]]) -> ComposedLosses:
    """Merge equal losses and compose their leaks and suprema.

    Raises:
        ParameterError: a count that is no integer, or is negative.
    """
    merged = counted(parts)
    return ComposedLosses(merged, _leak(merged), _largest(merged))


def counted(parts: Sequence[tuple[Loss, int]]) -> tuple[tuple[Loss, int], ...]:
    """Distinct losses with their counts, those with count 0 left out.

    Raises:
        ParameterError: a count that is no integer, or is negative.
    """
    counts: dict[Loss, int] = {}
    for loss, count in parts:
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise ParameterError(
                f"a mechanism is repeated {count!r} times",
                place="count",
                remedy="count rounds with an integer, at least 0",
            )
        if count:
            counts[loss] = counts.get(loss, 0) + count
    return tuple(counts.items())


def _leak(parts: Sequence[tuple[Loss, int]]) -> Bounds:
    leaks = [(loss.infinite, count) for loss, count in parts if loss.infinite[1]]
    if not leaks:
        return Fraction(0), Fraction(0)
    if len(leaks) == 1 and leaks[0][1] == 1:
        return leaks[0][0]
    if any(leak[0] == 1 for leak, _ in leaks):
        return Fraction(1), Fraction(1)
    with precision(160):
        low, high = (
            -sum(((1 - ball(leak[side])).log() * count for leak, count in leaks), ball(0))
            for side in (0, 1)
        )
        return (
            max(Fraction(0), ends(-(-low).expm1())[0]),
            min(Fraction(1), ends(-(-high).expm1())[1]),
        )


def _largest(parts: Sequence[tuple[Loss, int]]) -> Bounds | None:
    low, high = Fraction(0), Fraction(0)
    for loss, count in parts:
        if loss.largest is None:
            return None
        low, high = low + count * loss.largest[0], high + count * loss.largest[1]
    return low, high
