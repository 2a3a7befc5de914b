"""Loss laws rounded to a lattice from above and from below, both to second order in its step.

A finite measure with mass m_k at the losses t + k h and an open failure (L = +oo) of mass f.

From above (`above`): connect the dots.  The part of (P, Q) with losses in [l, l + h], of masses p
and q, is replaced by two atoms at l and l + h with the same masses: b at l + h with
b = (p - q e^l) / (1 - e^-h), p - b at l.  The profile of the part, convex in e^eps, is linear
outside the interval, where both agree, and below its chord inside it, which is the profile of the
two atoms (Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022, "Connect the dots", section 4).
Moving P-mass to a larger loss raises (1 - e^(eps - L))_+, so every rounding moves mass up, losses
below the lattice go to its first point and losses above its last point fail.

From below (`below`): merging the outcomes of a cell is post-processing, after which the cell is one
atom of loss ln(p / q), and moving it to a smaller loss lowers the profile.  So every atom goes to
the nearest lattice point that is not above ln(p / q).  The cells are such that hardly anything is
lost: around each lattice point, with boundaries shifted until ln(p / q) is that point, and the
whole lattice is a little lower (by `shift`), which costs less than what it keeps from falling to
the next point.

Both are bounds of the composition as well: the profiles of products of pairs are monotone in each
pair's profile (Zhu, Dong, Wang 2022, Theorem 10).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.measures.losses.loss import Cells, Loss

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

    def slack(self) -> float:
        """How far losses of cells with these edges may lie outside them."""
        ends = abs(self.offset), self.step * abs(self.first), self.step * (self.first + self.count)
        return 2 * SLACK * (1 + sum(abs(x) for x in ends))


def above(loss: Loss, span: Span, thin: bool = False) -> tuple[Atoms, NDArray[Any]]:
    """A law whose profile is at least that of `loss`, and the P-masses between its points.

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
    slack, error = span.slack() + near, cells.error
    p, q = (cells.p[2:-1:2], cells.q[2:-1:2]) if thin else (cells.p[1:-1], cells.q[1:-1])
    known = (p > TINY) & (q > TINY) & (np.abs(points[:-1]) < 600)
    with np.errstate(all="ignore"):
        ratio = q / p * np.exp(points[:-1])
        doubt = 2 * error + 2 * slack + 16 * ROUNDOFF
        share = (1 - ratio * (1 - doubt)) / -np.expm1(-span.step) * (1 + 8 * ROUNDOFF)
    up = p * np.where(known, np.clip(share, 0.0, 1.0), 1.0)
    masses = np.zeros(span.count + 1)
    masses[1:] = up
    masses[:-1] += np.maximum(p - up, 0.0)
    masses[0] += cells.p[0]
    if thin:
        masses += cells.p[1::2]
    lost = masses < TINY
    grow = 1 + error + 8 * ROUNDOFF
    failure = float(cells.p[-1] + masses[lost].sum() + float(loss.infinite[1])) * grow
    failure += TINY * 1e-8 * span.count
    masses[lost] = 0.0
    shift = Fraction(span.offset) + Fraction(slack)
    return Atoms(shift, Fraction(span.step), span.first, masses * grow, failure), p


def below(loss: Loss, span: Span, between: NDArray[Any], tilt: float) -> Atoms:
    """A law whose profile is at most that of `loss`.

    Args:
        between: P-masses between the points of `span`, from `above`: where to put boundaries.
        tilt: the masses that matter are those of p e^(tilt L); any value is valid.
    """
    import numpy as np

    points = span.points()
    edges = _boundaries(span, points, between)
    for tries in (2, 1, 0):
        cells = loss.cells(edges)
        high = _merged(cells, edges[:-1] - span.slack())
        moved = _moves(high - points, span.step)
        if not tries or float(np.abs(moved).max(initial=0.0)) < 1e-4 * span.step:
            break
        edges[1:-1] -= moved
    shrink = 1 - cells.error - 8 * ROUNDOFF
    p = np.where(cells.p[1:-1] > TINY, cells.p[1:-1], 0.0) * shrink
    doubt = 2 * cells.error + 8 * ROUNDOFF * (1 + np.abs(high)) + SLACK / 16 * (1 + np.abs(points))
    spare = np.where(p > 0, high - doubt - points, np.inf)
    drop = _shift(spare, p, points, tilt, span.step)
    masses = np.zeros(span.count + 1)
    # Exactly representable multiples of the step below the point: 0, 1, 2; the rest is given away.
    steps = np.ceil(np.maximum(-(spare + drop), 0.0) / span.step * (1 + 4 * ROUNDOFF))
    for down in (0, 1, 2):
        here = np.flatnonzero((steps == down) & (p > 0))
        here = here[here >= down]
        masses[here - down] += p[here]
    # The last cell: all that lies above the lattice is at least at its last point.
    masses[-1] += float(cells.p[-1]) * shrink if cells.p[-1] > TINY else 0.0
    shift = Fraction(span.offset) - Fraction(drop) - Fraction(span.slack())
    failure = float(loss.infinite[0]) * (1 - 4 * ROUNDOFF)
    return Atoms(shift, Fraction(span.step), span.first, masses * (1 - 4 * ROUNDOFF), failure)


def _merged(cells: Cells, least: NDArray[Any]) -> NDArray[Any]:
    """ln(p / q) of the inner cells; `least` where q is not resolved, nan where p is not."""
    import numpy as np

    p, q = cells.p[1:-1], cells.q[1:-1]
    with np.errstate(all="ignore"):
        found = np.log(p / q)
    return np.where(p > TINY, np.where(q > TINY, found, least), np.nan)


def _boundaries(span: Span, points: NDArray[Any], p: NDArray[Any]) -> NDArray[Any]:
    """Edges of cells around the points: the middles, shifted by -(h^2/12) (ln f)' + h^2/24.

    With density f of L under P, ln(p / q) of a cell [l - h/2 + s, l + h/2 + s) is
    l + s + (h^2/12) (ln f)' - h^2/24 + O(h^4).
    """
    import numpy as np

    h = span.step
    edges = np.append(points - h / 2, points[-1] + h / 2)
    with np.errstate(all="ignore"):
        slope = np.log(p[2:] / p[:-2]) / (2 * h)
        move = h * h / 24 - h * h / 12 * slope
    # Where the density jumps, or there is none, the middles stay.
    edges[2:-2] += np.where(np.isfinite(move) & (np.abs(slope) * h < 1), move, 0.0)
    return edges


def _moves(miss: NDArray[Any], step: float) -> NDArray[Any]:
    """How much to lower each inner boundary: the mean of what its two cells are too high."""
    import numpy as np

    both = (miss[1:] + miss[:-1]) / 2
    return np.where(np.isfinite(both) & (np.abs(both) < step / 8), both, 0.0)


def _shift(
    spare: NDArray[Any], p: NDArray[Any], points: NDArray[Any], tilt: float, step: float
) -> float:
    """The lowering of the lattice that costs least: itself, and a step for what still falls.

    Args:
        spare: how far ln(p / q) of each cell is known to be above its point.
    """
    import numpy as np

    with np.errstate(all="ignore"):
        weight = np.log(p) + tilt * points
    weight = np.exp(weight - weight.max()) if len(p) and p.max() > 0 else np.ones(len(p))
    weight = weight / weight.sum()
    tries = np.concatenate(([0.0], np.geomspace(min(1e-16, step / 2), step, 100)))
    lost = np.maximum(-spare, 0.0)
    # The sum of the weights that need more than each try.
    place = np.searchsorted(tries, lost)
    needs = np.bincount(place, weights=weight, minlength=len(tries) + 1)
    falls = 1.0 - np.cumsum(needs)[: len(tries)]
    return float(tries[np.argmin(tries + step * np.maximum(falls, 0.0))])
