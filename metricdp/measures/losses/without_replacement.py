"""The loss law of any mechanism on a sample drawn without replacement.

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

from typing import TYPE_CHECKING, Any

from metricdp.measures.losses.loss import Cells, Loss
from metricdp.measures.losses.sampled_cells import (
    MixtureLoss,
    SampledLoss,
    mixture_cells,
    reversed_cells,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Losses nearer to 0 than this count as 0.
_ZERO = 1e-300


class WithoutReplacementLoss(SampledLoss, frozen=True):
    """m of n rows without replacement, one row replaced, at rate m/n; see the module.

    The base is the loss of a pair that dominates under replacement of one of the m rows, in either
    order; the largest loss is at least 0.
    """

    def cells(self, edges: NDArray[Any]) -> Cells:
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
        return Cells(masses[0], masses[1], worst + 1e-15)

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
