"""The loss law that dominates every mechanism of bounded range: a truncated exponential law."""

from __future__ import annotations

from fractions import Fraction
from math import expm1, log
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.losses.balls import Ball, ball, flint
from metricdp.accounting.losses.loss import CellMasses, PlainLoss
from metricdp.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class BoundedRangeLoss(PlainLoss, msgspec.Struct, frozen=True):
    """L has density e^((l - r)/2) / (2 (1 - e^-r)) on (-r, r) under P, r = epsilon.

    Dominates laws P, Q whose ln dP/dQ lies in an interval [t - r, t], for any t, as the outputs of
    the exponential mechanism do.  Such a pair is a post-processing of the binary pair with losses t
    and t - r (its likelihood ratio is a mixture of the two ends; Dong, Durfee, Rogers 2020,
    section 3), whose profile at x in [t - r, t] is
      (1 - e^(t - r) - e^x (e^-t - e^-r)) / (1 - e^-r),
    largest over t at t = (x + r)/2: delta(x) = (1 - e^((x - r)/2))^2 / (1 - e^-r) for x in [-r, r].
    That is the profile of this law, as P(L > x) - e^x Q(L > x) with density delta'' - delta' shows.
    So M(z) = sinh((z + 1/2) r) / (2 (z + 1/2) sinh(r/2)); the law of the reversed pair is the same.

    Attributes:
        epsilon: r > 0 (ParameterError otherwise).
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        if not self.epsilon > 0:
            raise ParameterError(f"is {self.epsilon}, must be positive", place="epsilon")

    @property
    def largest(self) -> tuple[Fraction, Fraction]:
        """r."""
        return self.epsilon, self.epsilon

    def log_moment(self, c: float) -> float:
        """ln M(c), even in c + 1/2."""
        r, a = float(self.epsilon), abs(c + 0.5)
        return _log_sinhc(a * r) - _log_sinhc(r / 2)

    def on_line(self, c: float, step: float, count: int) -> list[Ball]:
        """M(c + i k step); a removable singularity at -1/2 is on no contour."""
        acb = flint().acb
        r, centre, width = ball(self.epsilon), ball(c) + ball(0.5), ball(step)
        scale = 1 / (2 * (r / 2).sinh())
        up, down = (centre * r).exp(), (-centre * r).exp()
        found = []
        for k in range(count):
            turn = acb(0, width * k * r).exp()
            found.append((up * turn - down / turn) / 2 / acb(centre, width * k) * scale)
        return found

    def log_decay(self, c: float, t: float) -> float:
        """|sinh((a + it) r) / (a + it)| <= cosh(a r) / t, and it is at most its value at t = 0."""
        r, a = float(self.epsilon), abs(c + 0.5)
        if a * r < 1e-8 or t <= 0:
            return 0.0
        # cosh(ar)/t over sinh(ar)/a is a / (t tanh(ar)).
        tanh = -expm1(-2 * a * r) / (1 + expm1(-2 * a * r) + 1)
        return min(0.0, log(a / (t * tanh)) + 1e-12)

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """Differences of exponentials by expm1."""
        import numpy as np

        r = float(self.epsilon)
        inner = np.clip(edges, -r, r)
        starts, stops = np.concatenate(([-r], inner)), np.concatenate((inner, [r]))
        # From the heavier end of each interval: nothing overflows.
        part = np.expm1((starts - stops) / 2) / expm1(-r)
        p = np.exp((stops - r) / 2) * part
        q = np.exp(-(starts + r) / 2) * part
        # The rounding of r moves the ends of intervals, which `CellMasses` allows.
        return CellMasses(p, q, 1e-14 * (1 + r))

    def reversed(self) -> BoundedRangeLoss:
        """Itself."""
        return self


def _log_sinhc(x: float) -> float:
    """ln(sinh(x) / x) for x >= 0."""
    if x < 1e-4:
        return x * x / 6
    return x + log(-expm1(-2 * x) / (2 * x))
