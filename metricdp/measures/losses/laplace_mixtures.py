"""The loss law of two mixtures of Laplace noise on a line, whose shifts go opposite ways.

    P = sum a_i Lap(s_i, 1),   Q = sum c_j Lap(-t_j, 1),   s_i, t_j >= 0.

These are the worst laws of rows that are sampled by chance (`accounting.sampled_groups` has the
proof).  Between -T and S, the largest shifts, L = ln dP/dQ increases; beyond them it is constant:
two atoms.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from metricdp.measures.losses.cells_loss import CellsLoss
from metricdp.measures.losses.loss import Cells
from metricdp.measures.losses.mixture_logs import Columns, Mixture, farthest, mixture_logs
from metricdp.measures.losses.mixture_pair import MixturePair
from metricdp.measures.losses.monotone_cells import placed
from metricdp.measures.rounded import exp_down, exp_up, ln_down, ln_up

if TYPE_CHECKING:
    from numpy.typing import NDArray


class LaplaceMixtureLoss(CellsLoss, MixturePair, frozen=True, dict=True):
    """See the module; shifts are in scales."""

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """0: the supports agree."""
        return Fraction(0), Fraction(0)

    @property
    def largest(self) -> tuple[Fraction, Fraction]:
        """Right of all shifts: ln sum a_i e^(s_i) - ln sum c_j e^(-t_j), attained."""
        return largest_loss(self.first, self.second)

    def cells(self, edges: NDArray[Any]) -> Cells:
        """Masses of Laplace laws between the x with L(x) = edge, and the two atoms."""
        import numpy as np

        low, high = -farthest(self.second), farthest(self.first)
        x, doubt = placed(self.along, edges, low, high)
        ends = self.along(np.array([low, high])).losses
        where = np.searchsorted(edges, ends, side="right")
        found = []
        for mixture, sign in ((self.first, 1), (self.second, -1)):
            masses = np.zeros(len(edges) + 1)
            for w, s in mixture:
                centre, share = sign * float(s), float(w)
                masses += share * _between(np.concatenate(([low], x, [high])) - centre)
                masses[where[0]] += share * np.exp(low - centre) / 2
                masses[where[1]] += share * np.exp(centre - high) / 2
            found.append(masses)
        p, q = found
        return Cells(p, q, 1e-14 * (1 + high - low) + doubt)

    @staticmethod
    def logs(mixture: Columns, x: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """See `MixturePair`."""
        import numpy as np

        shifts = mixture.shifts
        slopes = np.where((x > 0) & (x < shifts), 2.0, 0.0)
        return mixture_logs(mixture, np.clip(2 * x - shifts, -shifts, shifts), slopes)


def largest_loss(first: Mixture, second: Mixture) -> tuple[Fraction, Fraction]:
    """ln sum a_i e^(s_i) - ln sum c_j e^(-t_j), enclosed."""
    up, down = (sum((w * e(s) for w, s in first), Fraction(0)) for e in (exp_up, exp_down))
    less, more = (sum((w * e(-t) for w, t in second), Fraction(0)) for e in (exp_down, exp_up))
    return ln_down(down) - ln_up(more), ln_up(up) - ln_down(less)


def _between(x: NDArray[Any]) -> NDArray[Any]:
    """Masses of Lap(0, 1) between increasing points; nothing is subtracted."""
    import numpy as np

    left, right = x[:-1], x[1:]
    gap = -np.expm1(left - right) / 2
    across = -(np.expm1(np.minimum(left, 0.0)) + np.expm1(-np.maximum(right, 0.0))) / 2
    one_side = np.exp(-np.minimum(np.abs(left), np.abs(right))) * gap
    found: NDArray[Any] = np.where((left < 0) & (right > 0), across, one_side)
    return found
