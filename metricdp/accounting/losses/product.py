"""Loss laws of several mechanisms on the same data: atoms, or a lattice law above or below.

Losses of an adaptive composition add (Zhu, Dong, Wang 2022, Theorem 10), and composing before a
sample is drawn is for mechanisms that read one and the same sample: with (P, Q) the product of
their pairs, the laws of samples are those of one mechanism with that pair.

Each factor is rounded to one lattice, from above (`lattice.laws.above`) or from below
(`lattice.laws.below`), and masses are convolved by sums of positive terms, which keeps their
relative accuracy.  Profiles of products are monotone in the profiles of their factors.  What comes
out, masses m_k at losses l_k and a failure f, becomes a pair of probability laws with Q-masses
m_k e^(-l_k):
- from above, the excess of the m_k and f over 1 is taken from the smallest losses.  The tails of
  the m_k stay at least those of the exact rounded law, and the profile is the P-mean of a function
  that grows with the loss.  What Q lacks to 1 is where P is 0.
- from below, the smallest losses are left out until what P and Q lack to 1, as one more outcome,
  has a ratio r below those of the others.  At e^x >= r the profile has fewer terms; below that it
  is 1 - e^x, the least that any pair has.
Both orders of a pair are not equally accurate: masses are relatively accurate under P alone, so
added rows take the product of the reversed pairs (`sampled_losses`).

Mechanisms with finitely many losses have sums of losses: no lattice (`ProductAtomsLoss`).
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, comb, floor
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.contour.finite_sums import shared
from metricdp.accounting.lattice.atoms import Heavy, aligned
from metricdp.accounting.lattice.laws import ROUNDOFF, Atoms, LatticeSpan, above, below
from metricdp.accounting.lattice.sketch import sketch
from metricdp.accounting.losses.atomic import AtomicLoss
from metricdp.accounting.losses.balls import Ball, ball
from metricdp.accounting.losses.by_cells import CellsLoss
from metricdp.accounting.losses.laplace import LaplaceLoss
from metricdp.accounting.losses.loss import CellMasses, Loss
from metricdp.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Points of the whole lattice, its smallest step, masses that are cut at its ends, and copies.
_POINTS, _FINEST, _CUT, _MOST_COPIES = 1 << 15, 2.0**-14, 1e-60, 64
#: Laws with at most so many atoms are added atom by atom.
_SPARSE = 256
#: Relative room for roundings of masses.
_ROOM = 1e-11


class ProductLoss(CellsLoss, msgspec.Struct, frozen=True):
    """A lattice law above or below a product of pairs; see the module.

    Attributes:
        factors: (loss, copies), copies >= 1.
        upper: whether the law is a bound from above.
        flipped: the pair (Q, P) of the lattice law.

    Raises:
        ParameterError: no factors, or more than 64 mechanisms.
    """

    factors: tuple[tuple[Loss, int], ...]
    upper: bool
    flipped: bool = False

    def __post_init__(self) -> None:
        copies = sum(n for _, n in self.factors)
        if not 1 <= copies <= _MOST_COPIES:
            raise ParameterError(
                f"{copies} mechanisms that are not all Gaussian read one sample",
                place="sample",
                remedy="describe them as one event, such as Pure(epsilon) of all of them, or draw a"
                " sample for each",
            )

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """Of the lattice law, exactly."""
        pair = _pair(self.factors, self.upper)
        leak = Fraction(pair.alone if self.flipped else pair.failure)
        return leak, leak

    @property
    def largest(self) -> tuple[Fraction, Fraction] | None:
        """The last point of the lattice with mass, within roundings."""
        losses = _pair(self.factors, self.upper).losses
        top = Fraction(float(-losses[0] if self.flipped else losses[-1]))
        room = Fraction(1, 1 << 40) * (1 + abs(top))
        return top - room, top + room

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """Sums of atoms."""
        import numpy as np

        pair = _pair(self.factors, self.upper)
        losses, p, q = pair.losses, pair.p, pair.q
        if self.flipped:
            losses, p, q = -losses, q, p
        where = np.searchsorted(edges, losses, side="right")
        p_mass, q_mass = (np.bincount(where, mass, len(edges) + 1) for mass in (p, q))
        return CellMasses(p_mass, q_mass, _ROOM)

    def reversed(self) -> ProductLoss:
        """The lattice law the other way round."""
        return ProductLoss(self.factors, self.upper, not self.flipped)


class _Pair(msgspec.Struct, frozen=True):
    """Losses in ascending order with their masses, P(L = +oo), and the Q-mass where P is 0."""

    losses: NDArray[Any]
    p: NDArray[Any]
    q: NDArray[Any]
    failure: float
    alone: float


@lru_cache(maxsize=16)
def _pair(factors: tuple[tuple[Loss, int], ...], upper: bool) -> _Pair:
    import numpy as np

    law = _lattice(factors, upper)
    points = float(law.shift) + float(law.step) * (law.first + np.arange(len(law.masses)))
    kept = law.masses > 0
    losses, p = points[kept], law.masses[kept]
    with np.errstate(under="ignore"):
        q = p * np.exp(-losses)
    if upper:
        return _filled(losses, p, q, law.failure)
    # Left out the first k: what is lacking under P and Q, and its ratio.
    lack_p = np.maximum(1 - law.failure - np.append(np.cumsum(p[::-1])[::-1], 0.0), 0.0)
    lack_q = 1 - np.append(np.cumsum(q[::-1])[::-1], 0.0)
    with np.errstate(over="ignore"):
        fits = (lack_q[:-1] > 0) & (lack_p[:-1] <= lack_q[:-1] * np.exp(losses))
    k = int(np.argmax(fits)) if fits.any() else len(p)
    if not lack_p[k] > 0:
        return _Pair(losses[k:], p[k:], q[k:], law.failure, float(lack_q[k]))
    low = np.log(lack_p[k]) - np.log(lack_q[k])
    return _Pair(
        np.concatenate(([low], losses[k:])),
        np.concatenate(([lack_p[k]], p[k:])),
        np.concatenate(([lack_q[k]], q[k:])),
        law.failure,
        0.0,
    )


def _filled(losses: NDArray[Any], p: NDArray[Any], q: NDArray[Any], failure: float) -> _Pair:
    """The law from above: no more than 1 under P, and what Q lacks."""
    import numpy as np

    excess = float(p.sum()) + failure - 1
    kept = np.minimum(p, np.maximum(np.cumsum(p) - max(excess, 0.0), 0.0))
    with np.errstate(invalid="ignore", divide="ignore"):
        q = np.where(kept > 0, q * (kept / p), 0.0)
    total = float(q.sum())
    if total > 1:
        q = q / (total * (1 + _ROOM / 8))
    some = kept > 0
    lacking = max(0.0, 1 - float(q.sum()))
    return _Pair(losses[some], kept[some], q[some], failure + max(-excess, 0.0), lacking)


def _lattice(factors: tuple[tuple[Loss, int], ...], upper: bool) -> Atoms:
    """The convolution of the rounded factors."""
    ends = []
    for loss, _ in factors:
        picture = sketch(loss)
        ends.append((picture.head(picture.logs, _CUT), picture.tail(picture.logs, _CUT)))
    whole = sum(n * (high - low) for (low, high), (_, n) in zip(ends, factors, strict=True))
    wanted = max(whole / _POINTS, _FINEST)
    heavy = [(_heavy(loss), n) for loss, n in factors]
    step, offsets = aligned(heavy, wanted, wanted / 4, wanted / 4)
    law = None
    for (low, high), (loss, n), offset in zip(ends, factors, offsets, strict=True):
        first = floor((low - offset) / step) - 2
        span = LatticeSpan(offset, step, first, ceil((high - offset) / step) + 2 - first)
        one = above(loss, span) if upper else below(loss, span, 1.0)
        power = _power(one, n, upper)
        law = power if law is None else _convolved(law, power, upper)
    assert law is not None
    return law


def _heavy(loss: Loss) -> list[Heavy]:
    """The atoms that the lattice should go through."""
    if isinstance(loss, LaplaceLoss):
        return [Heavy(float(loss.ratio), 0.5), Heavy(-float(loss.ratio), 0.25)]
    if isinstance(loss, AtomicLoss) and loss.size <= 64:
        return [Heavy(place, p) for place, p, _ in loss.doubles]
    return []


def _power(law: Atoms, copies: int, upper: bool) -> Atoms:
    if copies == 1:
        return law
    half = _power(law, copies // 2, upper)
    twice = _convolved(half, half, upper)
    return _convolved(twice, law, upper) if copies % 2 else twice


def _convolved(one: Atoms, other: Atoms, upper: bool) -> Atoms:
    """The law of the sum, rounded to the side of the bound, with negligible ends cut."""
    import numpy as np

    masses = _sums(one.masses, other.masses)
    room = (min(len(one.masses), len(other.masses)) + 8) * 2 * ROUNDOFF
    masses = masses * (1 + room if upper else 1 - room)
    failure = one.failure + other.failure if upper else max(one.failure, other.failure)
    first = one.first + other.first
    # From above the cut ends fail, or move up to the first point; from below they are given away.
    bottom = int(np.searchsorted(np.cumsum(masses), _CUT))
    top = len(masses) - int(np.searchsorted(np.cumsum(masses[::-1]), _CUT))
    bottom, top = min(bottom, len(masses) - 1), max(top, min(bottom, len(masses) - 1) + 1)
    if upper:
        failure += float(masses[top:].sum()) * (1 + room)
        masses[bottom] += masses[:bottom].sum() * (1 + room)
    return Atoms(one.shift + other.shift, one.step, first + bottom, masses[bottom:top], failure)


def _sums(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """The convolution by sums of products, without those with a factor of 0 where few are not."""
    import numpy as np

    if np.count_nonzero(one) > np.count_nonzero(other):
        one, other = other, one
    places = np.flatnonzero(one)
    if len(places) > _SPARSE:
        return np.convolve(one, other)
    found = np.zeros(len(one) + len(other) - 1)
    for k in places:
        found[k : k + len(other)] += one[k] * other
    return found


_ONE = Fraction(1)


class ProductAtomsLoss(AtomicLoss, msgspec.Struct, frozen=True, dict=True):
    """The product of independent pairs of finitely many losses.

    Attributes:
        factors: (law of atoms, copies >= 1); at least one (ParameterError otherwise).
    """

    factors: tuple[tuple[Any, int], ...]

    def __post_init__(self) -> None:
        if not self.factors or any(copies < 1 for _, copies in self.factors):
            raise ParameterError("there is no factor, or none of one", place="factors")

    @property
    def size(self) -> int:
        """The number of ways to share the copies among the atoms of each factor."""
        return atoms_of(self.factors)

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """1 - prod (1 - leak)^copies."""
        low = high = _ONE
        for loss, copies in self.factors:
            low *= (1 - loss.infinite[0]) ** copies
            high *= (1 - loss.infinite[1]) ** copies
        return 1 - low, 1 - high

    @property
    def largest(self) -> tuple[Fraction, Fraction]:
        """The sum."""
        tops = [(loss.largest, copies) for loss, copies in self.factors]
        return tuple(  # type: ignore[return-value]
            sum((copies * top[side] for top, copies in tops), Fraction(0)) for side in (0, 1)
        )

    def atoms(self) -> list[tuple[Ball, Ball]]:
        """Sums of losses, with products of masses."""
        found = [(ball(0), ball(1))]
        for loss, copies in self.factors:
            atoms = [(s, p, p) for s, p in loss.atoms()]
            power = [(s, p) for s, p, _ in shared(atoms, copies)]
            found = [(s + t, p * w) for s, p in found for t, w in power]
        return found

    def reversed(self) -> ProductAtomsLoss:
        """The factors reversed."""
        return ProductAtomsLoss(tuple((loss.reversed(), copies) for loss, copies in self.factors))


def atoms_of(factors: tuple[tuple[Any, int], ...]) -> int:
    """The number of atoms of a product."""
    found = 1
    for loss, copies in factors:
        found *= comb(copies + loss.size - 1, loss.size - 1)
    return found
