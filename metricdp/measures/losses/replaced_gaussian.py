"""Gaussian noise on a Poisson sample, one row replaced.

With q the rate and u the largest contribution of one row divided by the standard deviation, the
pair is the antipodal one,
    P = (1 - q) N(0, 1) + q N(u, 1),   Q = (1 - q) N(0, 1) + q N(-u, 1),
with loss L(x) = ln((1 - q + s e^(ux)) / (1 - q + s e^(-ux))), s = q e^(-u^2/2): odd and increasing.

Proof that it dominates.  Fix the sample of the other rows (joint convexity of (p - x q)_+), so that
the laws are (1 - q) N(0) + q N(g) and (1 - q) N(0) + q N(g') with vectors |g|, |g'| <= u.  For
x >= 1, with x' = 1 + q (x - 1) and b = x'/x, advanced joint convexity (Balle, Barthe, Gaboardi
2018, Theorem 2) gives
    HS_x' = q HS_x(N(g), (1 - b) N(0) + b N(g')) = q E (1 - x Y)_+,
    Y = (1 - b) e^(X_0 - |g|^2/2) + b e^(X_1 - |g' - g|^2/2),
with X_0 = -<g, Z>, X_1 = <g' - g, Z>, Z standard normal.  That is the mean of a convex function of
a mixture of exponential martingales, which grows with every entry of the covariance of (X_0, X_1)
(Kahane 1985, "Sur le chaos multiplicatif", the convexity inequality), and the entries are at most
u^2, 2 u^2 and 4 u^2: those of g = u, g' = -u on a line.  Several Gaussian releases of one sample,
each chosen after the ones before, are the same with u^2 the sum of the squares: the shifts are then
processes b, c with |b|, |c| <= 1 and |c - b| <= 2 on a clock of length u^2, and with V(t, y_0, y_1)
the mean under antipodal shifts from weights y_0, y_1 on, V_00, V_01, V_11 >= 0 (the function is
convex in Y, and Y is linear in the weights with positive factors), so that
    y_0^2 |b|^2 V_00 - 2 y_0 y_1 <b, c - b> V_01 + y_1^2 |c - b|^2 V_11
is largest at |b| = 1, c = -b: V only falls along other shifts (verification).

For x < 1 the curve follows from the one above 1 of the two data sets exchanged, and the antipodal
pair is symmetric.  (For dimension reduction of Gaussian mixtures: Choquette-Choo, Ganesh, Steinke,
Thakurta 2024.)
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, log
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.measures.losses.cells_loss import CellsLoss
from metricdp.measures.losses.loss import Cells
from metricdp.measures.losses.sampled_cells import checked_rate

if TYPE_CHECKING:
    from numpy.typing import NDArray


class ReplacedGaussianLoss(CellsLoss, msgspec.Struct, frozen=True):
    """One row replaced under Poisson samples and Gaussian noise; see the module.

    Attributes:
        ratio: u > 0, the largest contribution of a row / standard deviation (half of what a
            replaced row can move the sum of the whole data).
        rate: q, in (0, 1).

    Raises:
        ParameterError: a parameter outside its range.
    """

    ratio: Fraction
    rate: Fraction

    def __post_init__(self) -> None:
        checked_rate(self.rate)
        if not self.ratio > 0:
            raise ParameterError(f"is {self.ratio}, must be positive", place="ratio")

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """0: mutually absolutely continuous."""
        return Fraction(0), Fraction(0)

    @property
    def largest(self) -> None:
        """None: unbounded."""
        return

    def cells(self, edges: NDArray[Any]) -> Cells:
        """Masses of normal laws between the x with L(x) = edge.

        L(x) = e means u x = e/2 + asinh(((1 - q)/s) sinh(e/2)); an error of x counts at most twice
        as much in e / u, as dL/dx <= 2 u.
        """
        import numpy as np

        u, q, rest = float(self.ratio), float(self.rate), float(1 - self.rate)
        half = np.abs(edges) / 2
        log_odds = log(rest) - log(q) + u * u / 2
        with np.errstate(over="ignore"):
            # ln of ((1 - q)/s) sinh(|e|/2); beyond e^30, asinh x = ln 2x to a double.
            logs = (
                log_odds
                + half
                + np.log(-np.expm1(-2 * half) / 2, where=half > 0, out=np.full(len(half), -inf))
            )
            turned = np.where(logs > 30, logs + log(2), np.arcsinh(np.exp(np.minimum(logs, 30.0))))
        x = np.sign(edges) * (half + turned) / u
        middle, p_moved, q_moved = (normal_cells(x, mean) for mean in (0.0, u, -u))
        farthest = np.minimum(np.abs(np.append(x[:1], x)) + u, 40.0 + u) + 1
        error = 1.2e-13 + 1e-15 * farthest * (farthest + u)
        return Cells(rest * middle + q * p_moved, rest * middle + q * q_moved, error)

    def reversed(self) -> ReplacedGaussianLoss:
        """Itself, by symmetry."""
        return self


def normal_cells(x: NDArray[Any], mean: float) -> NDArray[Any]:
    """Masses of N(mean, 1) between the x, outer cells included."""
    import numpy as np

    from metricdp.measures.losses.normal_cells import normal_masses

    gaps = np.diff(x)
    apart = np.append(gaps > 0, True)
    starts = np.append(-inf, x - mean)
    widths = np.concatenate(([inf], np.where(apart[:-1], gaps, 1.0), [inf]))
    found = normal_masses(starts, widths)
    found[1:-1][~apart[:-1]] = 0.0
    found[0] = normal_masses(np.array([mean - x[0]]), np.array([inf]))[0]
    return found
