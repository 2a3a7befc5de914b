"""Loss laws on a lattice that bound a law, from above and from below, to second order in its step.

On a lattice: a finite measure with mass m_k at the losses t + k h and an open failure (L = +oo) of
mass f.

From above (`above`): connect the dots.  The part of (P, Q) with losses in [l, l + h], of masses p
and q, is replaced by two atoms at l and l + h with the same masses: b at l + h with
b = (p - q e^l) / (1 - e^-h), p - b at l.  The profile of the part, convex in e^eps, is linear
outside the interval, where both agree, and below its chord inside it, which is the profile of the
two atoms (Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022, "Connect the dots", section 4).
Moving P-mass to a larger loss raises (1 - e^(eps - L))_+, so every rounding moves mass up, losses
below the lattice go to its first point and losses above its last point fail.

Both are bounds of the composition as well: the profiles of products of pairs are monotone in each
pair's profile (Zhu, Dong, Wang 2022, Theorem 10).

From below (`below`).  The cell around lattice point l_i has masses (p_i, q_i).  Merging outcomes is
post-processing, and so is sending an outcome at random to one of several merged ones; hence, if of
cell i the share a_i goes to the bin of point i + 1, b_i to that of i - 1 and the rest k_i to that
of i, the law with one atom for each bin, of loss ln(P / Q) of the bin, has a profile that is at
most the law's.  Moving an atom to a smaller loss lowers the profile again.

The shares are such that bins fall on their points.  Let s_ij = p_j - e^(l_i) q_j, so that bin i
lies at or above l_i when k_i s_ii + b_(i+1) s_i(i+1) + a_(i-1) s_i(i-1) >= 0.  A cell below its
point (s_ii < 0) takes b_(i+1) = -k_i s_ii / s_i(i+1) from above; a cell above its point gives what
it has too much: a_(i-1) = -k_i s_ii / s_i(i-1) comes from below.  What a cell gives away its own
bin need not make up for, so the shares solve a linear system (`_balanced`).  Where the lowest cell
with mass is above its point, a part of it goes up first (`_raise_first`).  All keep the mean of
e^-L, so what is lost is variance of the order of the square of the step.  Bins that are still below
their point, for want of mass next to them, fall to the next point, and the whole lattice is lowered
a little where that costs less than what it keeps from falling.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import floor, inf
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.losses.loss import CellMasses, Loss

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


class LatticeSpan(msgspec.Struct, frozen=True):
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


def above(loss: Loss, span: LatticeSpan, thin: bool = False) -> Atoms:
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


#: The largest share of a cell that goes up, and that goes down.
_MOST = 0.45
#: The share of a cell that may go down to make up for what the first cell gave.
_LIFTED = 0.4
#: Rounds of balancing shares, and what kept shares may still change.
_SWEEPS, _CLOSE = 40, 1e-7


def bins(loss: Loss, span: LatticeSpan) -> CellMasses:
    """Masses of the cells around the points, and of what lies below and above them."""
    import numpy as np

    points, h = span.points(), span.step
    return loss.cells(np.append(points - h / 2, points[-1] + h / 2))


def below(
    loss: Loss, span: LatticeSpan, tilt: float, far: float = inf, known: CellMasses | None = None
) -> Atoms:
    """A law whose profile is at most that of `loss`.

    Args:
        tilt: the masses that matter are those of p e^(tilt L); any value is valid.
        far: all that lies above the lattice is put on its last point, or on this one if that is
            lower: rare losses raised by a tilt would need a window of their own.
        known: the `bins` of the span, where they are at hand.
    """
    import numpy as np

    points = span.points()
    h = span.step
    cells = bins(loss, span) if known is None else known
    errors = np.broadcast_to(cells.error, cells.p.shape)[1:-1] + 8 * ROUNDOFF
    p = np.where(cells.p[1:-1] > TINY, cells.p[1:-1], 0.0)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        scaled = np.exp(points) * np.where(cells.q[1:-1] > TINY, cells.q[1:-1], np.inf)
    # A cell whose q is not resolved lies above its lower edge, at least.
    scaled = np.where(np.isfinite(scaled), scaled, p * np.exp(0.51 * h))
    with np.errstate(all="ignore"):
        _raise_first(p, scaled, errors, h, (tilt + 1) * h * h)
        masses, low = _exchanged(p, scaled, errors, h)
    # What steps of hundreds overflow is given away.
    low = np.where(np.isnan(low), -np.inf, low)
    with np.errstate(all="ignore"):
        high = -np.log1p(-low / masses)
    doubt = 16 * ROUNDOFF * (1 + np.abs(points)) + SLACK / 16 * (1 + np.abs(points))
    spare = np.where(masses > 0, high - doubt, np.inf)
    drop = _shift(spare, masses, points, tilt, h)
    fallen = np.zeros(span.count + 1)
    # At most two points down; what would fall deeper is given away.
    steps = np.ceil(np.maximum(-(spare + drop), 0.0) / h * (1 + 4 * ROUNDOFF))
    for down in (0, 1, 2):
        here = np.flatnonzero((steps == down) & (masses > 0))
        here = here[here >= down]
        fallen[here - down] += masses[here]
    if cells.p[-1] > TINY:
        # All that lies above the lattice is at least at its last point, and at any lower one.
        place = floor(min(max((far - span.offset) / h - span.first, 0.0), float(span.count)))
        fallen[place] += cells.p[-1] * max(0.0, 1 - float(np.max(cells.error)))
    shift = Fraction(span.offset) - Fraction(drop) - Fraction(span.slack())
    failure = float(loss.infinite[0]) * (1 - 4 * ROUNDOFF)
    return Atoms(shift, Fraction(h), span.first, fallen * (1 - 16 * ROUNDOFF), failure)


def _raise_first(
    p: NDArray[Any], scaled: NDArray[Any], errors: NDArray[Any], h: float, worth: float
) -> None:
    """Give of the first cell with mass to the next one, in place, if it is above its point.

    There is nothing below it that could lower its bin, and the next bin can take what pulls it down
    as long as the cell above that one lifts it again.  All of them are shares of outcomes.

    Args:
        worth: how far the first cell is above its point, about, if that costs as much as spreading
            it by a step does.
    """
    import numpy as np

    k = int(np.argmax(p > 0))
    if k + 2 >= len(p) or not (p[k] - scaled[k] > worth * p[k] and p[k + 1] > p[k]):
        return
    own, upper = p[k + 1] - scaled[k + 1], p[k + 2] - scaled[k + 2] * np.exp(-h)
    pull = scaled[k] * np.exp(h) - p[k]
    share = min(1.0, (own + _LIFTED * max(upper, 0.0)) / pull) if pull > 0 else 0.0
    if not share > 0:
        return
    p[k + 1] += share * p[k]
    scaled[k + 1] += share * (scaled[k] * np.exp(h))
    errors[k + 1] = max(errors[k], errors[k + 1]) + 8 * ROUNDOFF
    errors[k] += 8 * ROUNDOFF
    p[k] *= 1 - share
    scaled[k] *= 1 - share


def _exchanged(
    p: NDArray[Any], scaled: NDArray[Any], errors: NDArray[Any], h: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """(mass, lower bound of the sum of p - e^(l_i) q) of each bin.

    Args:
        p: P-masses of the cells.
        scaled: e^(l_i) times their Q-masses.
        errors: relative errors of both.
    """
    import numpy as np

    own = p - scaled
    # Surplus of the cell above, and of the cell below, at the level of this point.
    upper, lower = np.zeros(len(p)), np.zeros(len(p))
    upper[:-1] = p[1:] - scaled[1:] * np.exp(-h)
    lower[1:] = p[:-1] - scaled[:-1] * np.exp(h)
    with np.errstate(all="ignore"):
        wanted = np.where((own < 0) & (upper > 0), -own / upper, 0.0)
        spare = np.where((own > 0) & (lower < 0), -own / lower, 0.0)
    taken = np.where(wanted <= _MOST, wanted, 0.0)
    given = np.minimum(spare, _MOST)
    # down[j]: share of cell j that goes to the bin of j - 1; up[j]: to that of j + 1.
    down, up = _balanced(taken, given)
    kept = 1 - down - up
    mass, low = kept * p, kept * own
    doubt = kept * (p + scaled) * errors
    mass[:-1] += down[1:] * p[1:]
    low[:-1] += down[1:] * upper[:-1]
    doubt[:-1] += down[1:] * (p + scaled)[1:] * errors[1:]
    mass[1:] += up[:-1] * p[:-1]
    low[1:] += up[:-1] * lower[1:]
    doubt[1:] += up[:-1] * ((p + scaled * np.exp(h)) * errors)[:-1]
    light = mass * (
        1 - np.maximum.reduce([errors, np.append(errors[1:], 0.0), np.append(0.0, errors[:-1])])
    )
    return np.maximum(light, 0.0), low - doubt


def _balanced(taken: NDArray[Any], given: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """(down, up): the shares of each cell that go to the bin below it, and above it.

    A bin needs `taken` of the cell above it and `given` of the cell below it, each times what its
    own cell keeps, k = 1 - down - up.  More shares leave less to keep, and the other way round, so
    that from k <= 1 on bounds of k from above and from below take turns and close in on the
    solution.  What lifts a bin is taken from the upper ones, what lowers it from the lower ones.

    Args:
        taken, given: in [0, _MOST].
    """
    import numpy as np

    most = np.ones(len(taken))
    least, following = most.copy(), most.copy()
    for _ in range(_SWEEPS):
        # Inner slices only: the first cell goes to no bin below it, the last to none above it.
        for shares, kept in ((most, least), (least, following)):
            kept[:] = 1.0
            kept[1:] -= taken[:-1] * shares[:-1]
            kept[:-1] -= given[1:] * shares[1:]
        done = float((most - following).max()) < _CLOSE
        most, following = following, most
        if done:
            break
    down, up = np.zeros(len(taken)), np.zeros(len(taken))
    down[1:], up[:-1] = taken[:-1] * most[:-1], given[1:] * least[1:]
    return down, up


@lru_cache(maxsize=16)
def _tries(step: float) -> NDArray[Any]:
    """Lowerings that are tried: a lattice is laid out some thirty times with one step."""
    import numpy as np

    return np.concatenate(([0.0], np.geomspace(min(1e-16, step / 2), step, 100)))


def _shift(
    spare: NDArray[Any], p: NDArray[Any], points: NDArray[Any], tilt: float, step: float
) -> float:
    """The lowering of the lattice that costs least: itself, and a step for what still falls.

    Args:
        spare: how far ln(P / Q) of each bin is known to be above its point.
    """
    import numpy as np

    if not p.max(initial=0.0) > 0:
        return 0.0
    with np.errstate(all="ignore"):
        weight = np.log(p) + tilt * points
    weight = np.exp(weight - weight.max())
    weight /= weight.sum()
    tries = _tries(step)
    # The sum of the weights that need more than each try.
    place = np.searchsorted(tries, np.maximum(-spare, 0.0))
    needs = np.bincount(place, weights=weight, minlength=len(tries) + 1)
    falls = 1.0 - np.cumsum(needs)[: len(tries)]
    return float(tries[np.argmin(tries + step * np.maximum(falls, 0.0))])
