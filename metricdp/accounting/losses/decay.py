"""Upper bounds of characteristic functions from uniform parts of a density.

If the law of X is a mixture of uniform laws on intervals of lengths l_j with weights w_j and of
something else with the remaining weight, then |E e^(i y X)| <= 1 - sum w_j (1 - |sinc(y l_j / 2)|),
because the characteristic function of the uniform law on an interval of length l has the modulus
|sinc(y l / 2)|, sinc x = sin(x) / x.  That falls on [0, pi], and beyond it is below 0.21724 and
below 1/x, so the bound with sup over y >= t of each term is explicit.

Uniform parts are read off a lower bound of the density on cells by slicing it at its levels
v_1 < v_2 < ...: the run of cells around the highest one whose bound is at least v_j carries the
uniform part of density v_j - v_(j-1).  What the first pass leaves (a second hump) is sliced again.
"""

from __future__ import annotations

from math import log1p, pi
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: sup of |sin x / x| over x >= pi, rounded up (attained near x = 4.4934).
_BEYOND = 0.2172336283
#: Doubles in this module, and the bounds handed to it, have relative errors far below this.
_SLACK = 1e-9
_PASSES = 2
#: Tilts c l beyond this are too large for weights e^(c l) / M(c) in doubles of that accuracy.
LARGEST_TILT = 1e5


class UniformParts:
    """Uniform parts of the law of a real variable.

    Args:
        edges: increasing, shape (n + 1,).
        density: lower bounds of the density on the cells, >= 0, shape (n,); relative errors of its
            rounding, and of the widths, at most 1e-10.
    """

    def __init__(self, edges: NDArray[Any], density: NDArray[Any]) -> None:
        import numpy as np

        lengths: list[Any] = []
        masses: list[Any] = []
        rest = density
        for _ in range(_PASSES):
            top = int(rest.argmax())
            if not rest[top] > 0:
                break
            # Running minima away from the highest cell: what lies under one hill.
            right = np.minimum.accumulate(rest[top:])
            left = np.minimum.accumulate(rest[: top + 1][::-1])
            levels = np.unique(np.concatenate((left, right)))
            levels = levels[levels > 0]
            first = top + 1 - np.searchsorted(-left, -levels, side="right")
            last = top + np.searchsorted(-right, -levels, side="right")
            lengths.append(edges[last] - edges[first])
            masses.append(np.diff(levels, prepend=0.0) * lengths[-1])
            rest = np.maximum(rest - np.concatenate((left[:0:-1], right)), 0.0)
        self.lengths = np.concatenate(lengths) if lengths else np.zeros(0)
        self.masses = np.concatenate(masses) if masses else np.zeros(0)

    def lost(self, t: float) -> float:
        """A lower bound of 1 - sup over y >= t of |E e^(i y X)|, in [0, 1); t > 0."""
        import numpy as np

        if not len(self.lengths):
            return 0.0
        x = self.lengths * (t / 2)
        # 1 - sin(x)/x >= x^2/6 - x^4/120, where the difference would cancel.
        small = x * x / 6 * (1 - x * x / 20)
        with np.errstate(invalid="ignore", divide="ignore"):
            beyond = np.minimum(_BEYOND, 1 / x)
            exact = 1 - np.where(x < pi, np.maximum(np.sin(x) / x, _BEYOND), beyond)
        lost = float(np.dot(self.masses, np.where(x < 1e-2, small, exact)))
        return min(max(lost * (1 - _SLACK), 0.0), 1 - 1e-9)

    def log_decay(self, t: float) -> float:
        """An upper bound, <= 0, of ln sup over y >= t of |E e^(i y X)|; t > 0."""
        return log1p(-self.lost(t))
