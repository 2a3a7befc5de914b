"""Cells of the loss laws of sampled mechanisms, from those of what reads the sample.

For a pair (P, Q) with loss L and a rate q the mixture pair is ((1 - q) Q + q P, Q), with loss
    L' = ln(1 - q + q e^L),
which grows with L, so cells of L' are cells of L with other edges, and their masses are
(1 - q) Q-mass + q P-mass and Q-mass: no differences, so relative errors stay.  What has L = -oo
(P-mass 0) has L' = ln(1 - q).

Poisson samples, one row added or removed: with (P, Q) the dominating pair of the base for data
with and without the row, that mixture pair dominates removal and its reverse addition, exactly
(Zhu, Dong, Wang 2022, Theorem 11; Balle, Barthe, Gaboardi 2018, Theorem 8).  The direction is
fixed by the two data sets, so laws of one direction are composed with laws of that direction only,
and the directions are compared after composing.

Without replacement, m of n rows, q = m/n, one row replaced: with (P, Q) dominating for the base on
m rows of which one is replaced (in either order, as the relation is symmetric),
    delta(eps) <= that of ((1 - q) Q + q P, Q)   for eps >= 0,
    delta(eps) <= that of (P, (1 - q) P + q Q)   for eps < 0
(Zhu, Dong, Wang 2022, Theorem 11).  Proof: eps >= 0 is Balle, Barthe, Gaboardi 2018, Theorem 9,
    HS_x'(M(D), M(D')) <= q HS_x(P, Q),  x' = 1 + q (x - 1),  HS_x(A, B) = sum (A - x B)_+,
and HS_x(A, B) = 1 - x + x HS_1/x(B, A) turns it into the second line, because (Q, P) dominates as
well.  `WithoutReplacementLoss` is the law whose profile is the two halves: its part L > 0 is that
of the first pair, its part L < 0 that of the second, and the rest is an atom at 0.  With the first
pair's L > 0 where the base has L > 0, and T = P(L > 0) - Q(L > 0) the total variation of the base,
the rest has P-mass 1 - (1 - q) Q(L > 0) - q P(L > 0) - P(L < 0) = P(L = 0) + (1 - q) T >= 0, and
the same Q-mass.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.losses.by_cells import CellsLoss
from metricdp.accounting.losses.loss import CellMasses, Loss
from metricdp.accounting.rounded import exp_down, exp_up, ln_down, ln_up
from metricdp.errors import ParameterError
from metricdp.noise.enclose import Bounds

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Relative error of sums and products of a few masses.
_SUMMED = 2e-15


def mixture_cells(base: Loss, rate: Fraction, edges: NDArray[Any]) -> CellMasses:
    """Cells of the loss of ((1 - q) Q + q P, Q), 0 < q < 1."""
    import numpy as np

    q, rest = float(rate), float(1 - rate)
    inner = _pulled_back(edges, q, rest)
    kept, place = np.unique(inner[np.isfinite(inner)], return_inverse=True)
    skipped = len(edges) - len(place)
    p_mass, q_mass = np.zeros(len(edges) + 1), np.zeros(len(edges) + 1)
    error = np.full(len(edges) + 1, _SUMMED)
    if len(kept):
        found = base.cells(kept)
        # Edges that round to one double have nothing between them.
        first = np.concatenate(([True], place[1:] != place[:-1]))
        where = np.append(skipped + np.flatnonzero(first), len(edges))
        p_mass[where] = rest * found.q + q * found.p
        q_mass[where] = found.q
        error[where] += np.broadcast_to(found.error, found.p.shape)
    else:
        p_mass[-1], q_mass[-1] = 1 - q * float(base.infinite[0]), 1.0
    alone = base.reversed().infinite
    if alone[1] and len(kept):
        # Where P is 0: an atom at ln(1 - q), which is below the first edge that is pulled back.
        low, high = float(alone[0]), float(alone[1])
        p_mass[skipped] += rest * (low + high) / 2
        q_mass[skipped] += (low + high) / 2
        error[skipped] += (high - low) / (low + high) + _SUMMED
    return CellMasses(p_mass, q_mass, error)


def _pulled_back(edges: NDArray[Any], q: float, rest: float) -> NDArray[Any]:
    """ln((e^edge - 1 + q) / q), -inf where there is none.

    An error of the result counts times 1 - (1 - q) e^-edge in the edge, so every branch moves the
    edge by a few roundings of max(1, |edge|) only.
    """
    import numpy as np

    with np.errstate(all="ignore"):
        grown = np.expm1(np.minimum(edges, 1.0)) / q
        near = np.log1p(grown)
        far = edges - np.log(q) + np.log1p(-rest * np.exp(-np.maximum(edges, 0.5)))
        below = np.log((np.exp(np.minimum(edges, 0.0)) - rest) / q)
        found = np.where(edges > 0.5, far, np.where(grown > -0.5, near, below))
    return np.where(np.isfinite(found), found, -inf)


def reversed_cells(loss: Loss, edges: NDArray[Any]) -> CellMasses:
    """Cells of -L under Q: an atom on an edge stays in the cell above it."""
    import numpy as np

    found = loss.cells(np.nextafter(-edges[::-1], inf))
    error = np.broadcast_to(found.error, found.p.shape)[::-1]
    return CellMasses(found.q[::-1], found.p[::-1], error)


class SampledLoss(CellsLoss, msgspec.Struct, frozen=True):
    """A base at a rate q: its largest losses are the images of the base's under ln(1 - q + q e^l).

    Attributes:
        base: loss of (P, Q).
        rate: q, in (0, 1); ParameterError otherwise.
    """

    base: Loss
    rate: Fraction

    def __post_init__(self) -> None:
        checked_rate(self.rate)

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """q times the base's."""
        low, high = self.base.infinite
        return self.rate * low, self.rate * high

    @property
    def largest(self) -> tuple[Fraction, Fraction] | None:
        """The image of the base's."""
        top = self.base.largest
        return None if top is None else (image(top[0], self.rate)[0], image(top[1], self.rate)[1])


class MixtureLoss(SampledLoss, frozen=True):
    """The loss of ((1 - q) Q + q P, Q): one row removed under Poisson samples at rate q."""

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """See `mixture_cells`."""
        return mixture_cells(self.base, self.rate, edges)

    def reversed(self) -> Loss:
        """One row added."""
        return ReversedLoss(self)


class ReversedLoss(CellsLoss, msgspec.Struct, frozen=True):
    """The loss of (Q, (1 - q) Q + q P): one row added under Poisson samples at rate q.

    Attributes:
        forward: the law of the reversed pair.
    """

    forward: MixtureLoss

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """0: Q is at most 1 / (1 - q) times the mixture."""
        return Fraction(0), Fraction(0)

    @property
    def largest(self) -> tuple[Fraction, Fraction] | None:
        """-ln(1 - q + q e^l) with l the least loss of the base."""
        base, rate = self.forward.base.reversed(), self.forward.rate
        limit = -ln_up(1 - rate), -ln_down(1 - rate)
        if base.infinite[0] or base.largest is None:
            return limit
        low, high = (image(-base.largest[side], rate) for side in (0, 1))
        return -low[1], limit[1] if base.infinite[1] else -high[0]

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """See `reversed_cells`."""
        return reversed_cells(self.forward, edges)

    def reversed(self) -> Loss:
        """One row removed."""
        return self.forward


def image(loss: Fraction, rate: Fraction) -> Bounds:
    """ln(1 - q + q e^loss), enclosed."""
    low, high = (1 + rate * (grown - 1) for grown in (exp_down(loss), exp_up(loss)))
    return ln_down(low), ln_up(high)


def checked_rate(rate: Fraction) -> None:
    """ParameterError unless 0 < rate < 1."""
    if not 0 < rate < 1:
        raise ParameterError(
            f"is {rate}, must be between 0 and 1",
            place="rate",
            remedy="at rate 1 the law is that of the base; at rate 0 nothing is read",
        )


#: Losses nearer to 0 than this count as 0.
_ZERO = 1e-300


class WithoutReplacementLoss(SampledLoss, frozen=True):
    """m of n rows without replacement, one row replaced, at rate m/n; see the module.

    The base is the loss of a pair that dominates under replacement of one of the m rows, in either
    order; the largest loss is at least 0.
    """

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """Both halves, and the atom at 0."""
        import numpy as np

        zero = np.array([-_ZERO, _ZERO])
        fine = np.unique(np.concatenate((edges[np.abs(edges) > _ZERO], zero)))
        high = mixture_cells(self.base, self.rate, fine)
        low = reversed_cells(MixtureLoss(self.base.reversed(), self.rate), fine)
        middle = int(np.searchsorted(fine, 0.0))
        index = np.arange(len(fine) + 1)
        p = np.where(index > middle, high.p, np.where(index < middle, low.p, 0.0))
        q = np.where(index > middle, high.q, np.where(index < middle, low.q, 0.0))
        errors = [np.broadcast_to(half.error, p.shape) for half in (high, low)]
        error = np.where(index > middle, errors[0], errors[1])
        atom, doubt = self._atom()
        p[middle] = q[middle] = atom
        error[middle] = doubt / atom if atom > 0 else 0.0
        # Several fine cells make one: those next to 0 that the asked edges do not separate.
        where = np.append(0, np.searchsorted(edges, fine, side="right"))
        where[middle] = np.searchsorted(edges, 0.0, side="right")
        masses = np.zeros((2, len(edges) + 1))
        np.add.at(masses[0], where, p)
        np.add.at(masses[1], where, q)
        worst = np.zeros(len(edges) + 1)
        np.maximum.at(worst, where, error)
        return CellMasses(masses[0], masses[1], worst + 1e-15)

    def _atom(self) -> tuple[float, float]:
        """P(L = 0) + (1 - q) T of the base, and its absolute error."""
        import numpy as np

        found = self.base.cells(np.array([-_ZERO, _ZERO]))
        error = float(np.max(found.error))
        rest = float(1 - self.rate)
        leak = float(self.base.infinite[1])
        spread = float(found.p[2] - found.q[2]) + leak
        atom = float(found.p[1]) + rest * spread
        doubt = error * (float(found.p[1]) + rest * float(found.p[2] + found.q[2])) + 4e-16
        return max(0.0, atom), doubt

    def reversed(self) -> Loss:
        """The same for the reversed base."""
        return WithoutReplacementLoss(self.base.reversed(), self.rate)
