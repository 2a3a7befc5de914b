"""Loss laws on a lattice, and the one that bounds a law from above, to second order in its step.

A finite measure with mass m_k at the losses t + k h and an open failure (L = +oo) of mass f.

From above (`above`): connect the dots.  The part of (P, Q) with losses in [l, l + h], of masses p
and q, is replaced by two atoms at l and l + h with the same masses: b at l + h with
b = (p - q e^l) / (1 - e^-h), p - b at l.  The profile of the part, convex in e^eps, is linear
outside the interval, where both agree, and below its chord inside it, which is the profile of the
two atoms (Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022, "Connect the dots", section 4).
Moving P-mass to a larger loss raises (1 - e^(eps - L))_+, so every rounding moves mass up, losses
below the lattice go to its first point and losses above its last point fail.

From below: `discretised_below`.  Both are bounds of the composition as well: the profiles of
products of pairs are monotone in each pair's profile (Zhu, Dong, Wang 2022, Theorem 10).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.measures.losses.loss import Loss

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Unit roundoff of doubles.
ROUNDOFF = 2.0**-53
#: Losses of cells lie within this times max(1, |edge|) of the doubles that name their edges.
SLACK = 2.0**-46
#: Masses below this are not resolved (`Cells.error`).
TINY = 1e-280


class Atoms(msgspec.Struct, frozen=True):
    """Masses on the losses shift + k step, k = first, first + 1, ...

    Attributes:
        shift, step: exact rationals; step > 0.
        first: index of the first mass.
        masses: >= 0, shape (n,).
        failure: mass of L = +oo.
    """

    shift: Fraction
    step: Fraction
    first: int
    masses: NDArray[Any]
    failure: float


class Span(msgspec.Struct, frozen=True):
    """The lattice points offset + k step, k = first, ..., first + count (count cells between)."""

    offset: float
    step: float
    first: int
    count: int

    def points(self) -> NDArray[Any]:
        """The points as doubles, each within SLACK / 32 times max(1, |point|) of the true one."""
        import numpy as np

        return self.offset + self.step * np.arange(self.first, self.first + self.count + 1.0)

    @property
    def bottom(self) -> float:
        """The first point."""
        return self.offset + self.step * self.first

    @property
    def top(self) -> float:
        """The last point."""
        return self.offset + self.step * (self.first + self.count)

    def slack(self) -> float:
        """How far losses of cells with these edges may lie outside them."""
        ends = abs(self.offset), self.step * abs(self.first), self.step * (self.first + self.count)
        return 2 * SLACK * (1 + sum(abs(x) for x in ends))


def above(loss: Loss, span: Span, thin: bool = False) -> Atoms:
    """A law whose profile is at least that of `loss`.

    Args:
        thin: take what lies within a rounding of a lattice point to lie there, which matters if
            the law consists of atoms on the lattice and the step is large.
    """
    import numpy as np

    points = span.points()
    near = span.slack() if thin else 0.0
    edges = np.stack((points - near, points + near), axis=1).ravel() if thin else points
    cells = loss.cells(edges)
    # The lattice is so much above the edges that losses of a cell are below its upper point, and
    # raising losses to the lower point changes them by at most twice as much.
    slack = span.slack() + near
    errors = np.broadcast_to(cells.error, cells.p.shape)
    heavy = cells.p * (1 + errors + 8 * ROUNDOFF)
    inner = slice(2, -1, 2) if thin else slice(1, -1)
    p, q, error = cells.p[inner], cells.q[inner], errors[inner]
    known = (p > TINY) & (q > TINY) & (np.abs(points[:-1]) < 600)
    with np.errstate(all="ignore"):
        ratio = q / p * np.exp(points[:-1])
        doubt = 2 * error + 2 * slack + 16 * ROUNDOFF
        share = (1 - ratio * (1 - doubt)) / -np.expm1(-span.step) * (1 + 8 * ROUNDOFF)
    up = heavy[inner] * np.where(known, np.clip(share, 0.0, 1.0), 1.0)
    masses = np.zeros(span.count + 1)
    masses[1:] = up
    masses[:-1] += np.maximum(heavy[inner] - up, 0.0)
    masses[0] += heavy[0]
    if thin:
        masses += heavy[1::2]
    masses *= 1 + 4 * ROUNDOFF
    lost = masses < TINY
    failure = float(heavy[-1] + masses[lost].sum() + float(loss.infinite[1])) * (1 + 1e-14)
    failure += TINY * 1e-8 * span.count
    masses[lost] = 0.0
    shift = Fraction(span.offset) + Fraction(slack)
    return Atoms(shift, Fraction(span.step), span.first, masses, failure)
