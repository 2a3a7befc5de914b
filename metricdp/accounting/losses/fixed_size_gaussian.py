"""Gaussian noise on a sample of fixed size in which a random number of rows is replaced.

With probability p_j the sample holds j rows that are replaced; one of them moves the statistic by d
standard deviations at most.  Fix which other rows stand at all places of the sample (joint
convexity).  P_J and P'_J are the laws with the rows of the one and of the other data set at the
places J, P_0 that with other rows there: any two of them differ by |J| replaced rows, so that for a
test t with E_0 t = Phi(a) and E_J t = Phi(a + s) one has |s| <= d |J| and
E'_J t >= Phi(a + max(s, 0) - d |J|).  Hence for x >= 1, with HS_x(A, B) = sup E_A t - x E_B t,
    HS_x <= B(x) = sup over a of p_0 (1 - x) Phi(a) + sum over j >= 1 of p_j m_j(a),
    m_j(a) = max over 0 <= s <= dj of Phi(a + s) - x Phi(a + s - dj).
With b_j = dj / 2 - ln(x) / (dj), the maximum over s is at a + s = max(a, min(a + dj, b_j)), the
one over a where
    sum of p_j (e^(-a dj - (dj)^2 / 2) - x)_+
        = p_0 (x - 1) + sum of p_j (x e^(a dj - (dj)^2 / 2) - 1)_+.
B is convex as a supremum of lines; by the envelope theorem the law with this profile has
    P(L > ln x) = p_0 Phi(a) + sum p_j Phi(max(a, min(a + dj, b_j))),
    Q(L > ln x) = p_0 Phi(a) + sum p_j Phi(max(a, min(a + dj, b_j)) - dj),
and all arguments fall as x grows, so that masses of cells are sums of normal masses.  Below 0 the
law is mirrored, as the two data sets may be exchanged (`symmetric`).

It is nearly attained: if other rows and those of the second data set all contribute the same, and
those of the first one stand at distance d from it, the pair is sum p_j N(dj), N(0), for which s is
dj always.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.lattice.laws import SLACK
from metricdp.accounting.losses.by_cells import CellsLoss
from metricdp.accounting.losses.gaussian import cells_between
from metricdp.accounting.losses.loss import CellMasses, Loss
from metricdp.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray


_STEPS = 80


class FixedSizeHalfLoss(CellsLoss, msgspec.Struct, frozen=True, dict=True):
    """The part L > 0 of the law of the module; everything else is one cell below.

    Use it inside `symmetric.SymmetricLoss`, which adds the mirrored half and the atom at 0.

    Attributes:
        ratio: d > 0.
        weights: p_0, p_1, ..., with sum at most 1; what is missing counts as L = +oo.

    Raises:
        ParameterError: no number of replaced rows above 0, or weights that are none.
    """

    ratio: Fraction
    weights: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        if not self.ratio > 0:
            raise ParameterError(f"is {self.ratio}, must be positive", place="ratio")
        if len(self.weights) < 2 or min(self.weights) < 0 or sum(self.weights) > 1:
            raise ParameterError("are no probabilities", place="weights")

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """What the weights lack."""
        leak = 1 - sum(self.weights, Fraction(0))
        return leak, leak

    @property
    def largest(self) -> None:
        """None: unbounded."""
        return

    @cached_property
    def _moved(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """dj and p_j, j >= 1, as columns."""
        import numpy as np

        found = [(float(j * self.ratio), float(w)) for j, w in enumerate(self.weights) if j and w]
        shifts, weights = (np.array(column)[:, None] for column in zip(*found, strict=True))
        return shifts, weights

    def _place(self, edges: NDArray[Any]) -> NDArray[Any]:
        """-a at ln x = edge > 0, by Newton's method for the logarithm of the equation over x.

        Its left side grows with -a, its right side falls.
        """
        import numpy as np

        shifts, weights = self._moved
        with np.errstate(divide="ignore"):
            rest = -np.expm1(-edges) * float(self.weights[0])
        kinks = edges / shifts + shifts / 2

        def side(over: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
            grown = weights * np.exp(np.clip(over, 0.0, 600.0))
            terms = np.where(over > 0, weights * np.expm1(np.clip(over, 0.0, 600.0)), 0.0)
            return terms.sum(axis=0), np.where(over > 0, shifts * grown, 0.0).sum(axis=0)

        def right(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
            total, slope = side(shifts * (kinks - shifts - y))
            return rest + np.exp(-edges) * total, np.exp(-edges) * slope

        low = kinks.min(axis=0)
        with np.errstate(all="ignore"):
            # One term alone reaches what the right side is at most.
            powers = np.log1p(right(low)[0] / weights)
            high = (powers / shifts + kinks).min(axis=0)
            y = high
            for _ in range(_STEPS):
                (one, up), (two, down) = side(shifts * (y - kinks)), right(y)
                gap = np.log(one) - np.log(two)
                step = y - gap / (up / one + down / two)
                low, high = np.where(gap < 0, y, low), np.where(gap >= 0, y, high)
                wild = ~((step >= low) & (step <= high))
                step = np.where(wild, (low + high) / 2, step)
                if (np.abs(step - y) <= 4e-16 * np.abs(y)).all():
                    break
                y = step
        return np.asarray(y)

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """Masses between thresholds; `error` holds what cutting at a rounded threshold moves."""
        import numpy as np

        start = int(np.searchsorted(edges, 0.0, side="right"))
        upper = edges[start:]
        p, q, error = (np.zeros(len(edges) + 1) for _ in range(3))
        if len(upper):
            y = self._place(upper)
            shifts, weights = self._moved
            rest = float(self.weights[0])
            here = cells_between(y, 0.0)[1:]
            p[start + 1 :] = q[start + 1 :] = rest * here
            for shift, weight in zip(shifts.ravel(), weights.ravel(), strict=True):
                bound = upper / shift + shift / 2
                far = np.clip(bound, y, y + shift)
                p[start + 1 :] += weight * cells_between(far - shift, 0.0)[1:]
                q[start + 1 :] += weight * cells_between(far, 0.0)[1:]
            most = np.minimum(y + float(shifts.max()), 40.0 + float(shifts.max())) + 1
            widths = np.append(np.diff(upper), 1.0)
            steep = 1 / np.clip(widths, 1e-200, 1.0) + most / float(shifts.min())
            cut = 8 * SLACK * np.maximum(1.0, upper) * steep
            error[start + 1 :] = 1.2e-13 + 4e-15 * most * most + cut
        leak = float(self.infinite[1])
        p[start] = max(0.0, 1 - leak - float(p.sum()))
        q[start] = max(0.0, 1 - float(q.sum()))
        return CellMasses(p, q, error)


class ByCellsLoss(CellsLoss, msgspec.Struct, frozen=True):
    """Another law, without its moments: those of many copies are of what never occurs.

    Attributes:
        law: the other one.
    """

    law: Loss

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """That of the law."""
        return self.law.infinite

    @property
    def largest(self) -> tuple[Fraction, Fraction] | None:
        """That of the law."""
        return self.law.largest

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """Those of the law."""
        return self.law.cells(edges)

    def reversed(self) -> ByCellsLoss:
        """That of the law."""
        return ByCellsLoss(self.law.reversed())
