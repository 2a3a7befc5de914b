"""Atoms of a loss law, and a lattice that goes through them.

An atom off the lattice costs the bound from below up to a step of the lattice, to first order; one
on the lattice costs nothing.  These are choices: nothing that is proved rests on them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, log, sqrt
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.lattice.laws import TINY, LatticeSpan, below, bins
from metricdp.accounting.lattice.sketch import Sketch
from metricdp.accounting.losses.loss import Loss

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Cells that are looked at, the least share of the tilted mass, parts of a cell per level, levels.
_CELLS, _SHARE, _PARTS, _LEVELS = 12, 1e-4, 64, 8
#: A part of a cell with at least this share of its mass may hold an atom.
_KEPT = 0.3
#: Steps tried when atoms have to fit, and how far off they may be, in units of their distance.
_TRIED, _FITS = 1 << 14, 1e-12
#: Offsets tried where a support ends, cells looked at there, and sections of the best one: to 1e-4
#: of a step, where losses differ by a hundredth at most.
_OFFSETS, _BESIDE, _SECTIONS = 8, 48, 16


class Heavy(msgspec.Struct, frozen=True):
    """An atom: its loss, and its share of the tilted mass."""

    loss: float
    share: float


def atoms(loss: Loss, part: Sketch, tilt: float) -> list[Heavy]:
    """The heavy atoms of the tilted law, by looking closer and closer at heavy cells."""
    import numpy as np

    known: tuple[float, ...] | None = getattr(loss, "places", None)
    if known == ():
        return []
    logs = part.logs + tilt * part.losses
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    # Also atoms that the tilt makes light: other queries of the same law meet them.
    weights = np.maximum(shares, np.exp(part.logs))
    if known is not None:
        cells = np.searchsorted(part.edges, known, side="right") - 1
        inside = zip(known, np.clip(cells, 0, len(shares) - 1), strict=True)
        return [Heavy(place, float(shares[k])) for place, k in inside if weights[k] > _SHARE]
    heavy = np.argsort(weights)[::-1][:_CELLS]
    chosen = np.sort(heavy[weights[heavy] > _SHARE])
    places = _zoomed(loss, [(float(part.edges[k]), float(part.edges[k + 1])) for k in chosen])
    return [
        Heavy(place, float(shares[k]))
        for k, place in zip(chosen, places, strict=True)
        if place is not None
    ]


def _zoomed(loss: Loss, cells: list[tuple[float, float]]) -> list[float | None]:
    """ln(P / Q) of the atom in each [low, high), where one holds most of the mass at all scales.

    Args:
        cells: disjoint, in ascending order.
    """
    import numpy as np

    places: list[float | None] = [None] * len(cells)
    open_cells = dict(enumerate(cells))
    for _ in range(_LEVELS):
        looks = {k: np.unique(np.linspace(*ends, _PARTS + 1)) for k, ends in open_cells.items()}
        looks = {k: edges for k, edges in looks.items() if len(edges) > 2}
        if not looks:
            break
        every = np.unique(np.concatenate(list(looks.values())))
        found = loss.cells(every)
        open_cells = {}
        for k, edges in looks.items():
            first = int(np.searchsorted(every, edges[0]))
            p, q = (x[first + 1 : first + len(edges)] for x in (found.p, found.q))
            best = int(np.argmax(p))
            places[k] = None
            if p[best] > _KEPT * p.sum():
                low, high = float(edges[best]), float(edges[best + 1])
                # A quotient would overflow; where q is not resolved the cell itself is the place.
                place = log(p[best]) - log(q[best]) if q[best] > TINY else (low + high) / 2
                places[k] = min(max(place, low), high)
                open_cells[k] = low, high
    return places


def aligned(
    parts: Sequence[tuple[Sequence[Heavy], int]], wanted: float, finest: float, least: float
) -> tuple[float, list[float]]:
    """(step, offset of each part): a lattice near the wanted step through as many atoms as it can.

    Args:
        parts: (atoms, copies) of each part.
        wanted: the largest step, unless all parts are atoms that a lattice can go through.
        finest: the smallest step that is taken to have all atoms on the lattice.
        least: no smaller step is returned; at most `wanted`.
    """
    import numpy as np

    gaps, weights = [], []
    for found, copies in parts:
        top = max(found, key=lambda atom: atom.share, default=None)
        for atom in found:
            if atom is not top and top is not None:
                gaps.append(abs(top.loss - atom.loss))
                weights.append(copies * max(atom.share, _SHARE))
    pure = all(only_atoms(found) for found, _ in parts)
    step = max(least, min(1.0, wanted)) if pure else wanted
    # Atoms nearer to each other than a step are not told apart.
    near_by = [k for k, gap in enumerate(gaps) if gap > least]
    if near_by:
        distance, weight = np.array(gaps)[near_by], np.array(weights)[near_by]
        widest = float(distance[int(np.argmax(weight))])
        near = max(1, ceil(widest / wanted))
        first = 1 if pure else near
        most = max(near, min(first + _TRIED, int(widest / finest)))
        steps = widest / np.arange(first, max(first, min(most, int(widest / least))) + 1)
        missed = np.zeros(len(steps))
        for d, w in zip(distance, weight, strict=True):
            part = d / steps
            missed += w * np.abs(part - np.round(part)) * steps
        fits = np.flatnonzero(missed <= _FITS * weight.sum() * distance.max())
        if len(fits):
            step = float(steps[fits[0]])
        else:
            choice = slice(min(near - first, len(steps) - 1), 4 * near - first + 1)
            step = float(steps[choice][int(np.argmin(missed[choice]))])
    offsets = []
    for found, _ in parts:
        top = max(found, key=lambda atom: atom.share, default=None)
        offsets.append(0.0 if top is None else top.loss % step)
    return step, offsets


def best_offset(loss: Loss, step: float, tilt: float, rough: bool = False) -> float:
    """The offset at which a law without atoms loses least at the ends of its support.

    Mass piles up at a finite end, as near ln(1 - q) under sampling, and there is nothing beyond to
    help it onto the lattice.  0 where both ends are infinite.

    Args:
        rough: take the end halfway between points, usually not the worst, without a look.
    """
    top, bottom = loss.largest, loss.reversed().largest
    ends = [float(sign * end[1]) for end, sign in ((top, 1), (bottom, -1)) if end is not None]
    inside = [-1 if k == 0 and top is not None else 1 for k in range(len(ends))]
    if not ends:
        return 0.0
    tries = [ends[0] + k * step / _OFFSETS for k in range(_OFFSETS)]
    if rough:
        return (ends[0] + step / 2) % step

    def lost(offset: float) -> float:
        return sum(
            _lost(loss, _beside(end, offset, step, side), tilt)
            for end, side in zip(ends, inside, strict=True)
        )

    tried = [(lost(offset), offset) for offset in tries]
    _, best = min(tried)
    # Of several valleys the sections may go down another one.
    return min(min(tried), _least(lost, best - step / _OFFSETS, best + step / _OFFSETS))[1] % step


def _least(f: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """(f, where it is least), by golden sections: least at a kink, where an end falls on its
    point."""
    share = (sqrt(5.0) - 1) / 2
    left, right = high - share * (high - low), low + share * (high - low)
    at_left, at_right = f(left), f(right)
    for _ in range(_SECTIONS):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - share * (high - low)
            at_left = f(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + share * (high - low)
            at_right = f(right)
    return min((at_left, left), (at_right, right))


def _beside(end: float, offset: float, step: float, side: int) -> LatticeSpan:
    """Some cells on one side of the end, with a few beyond it."""
    first = round((end - offset) / step) - (_BESIDE - 3 if side < 0 else 3)
    return LatticeSpan(offset, step, first, _BESIDE)


def _lost(loss: Loss, span: LatticeSpan, tilt: float) -> float:
    """What rounding from below takes from E e^(tilt L) in these cells."""
    import numpy as np

    h, points = span.step, span.points()
    cells = bins(loss, span)
    p, q = cells.p[1:-1], cells.q[1:-1]
    whole = (p > 0) & (q > 0)

    def grown(losses: NDArray[Any]) -> NDArray[Any]:
        powers: NDArray[Any] = np.exp(np.clip(tilt * (losses - points[-1]), -700.0, 700.0))
        return powers

    true = p[whole] * grown(np.log(p[whole] / q[whole]))
    law = below(loss, span, tilt, known=cells)
    places = float(law.shift) + h * (law.first + np.arange(len(law.masses)))
    masses = law.masses * grown(places)
    masses[-1] -= cells.p[-1] * grown(places)[-1]
    return float(true.sum() - masses.sum())


def only_atoms(found: Sequence[Heavy]) -> bool:
    """Whether the atoms are all of the law, as far as doubles can tell."""
    return sum(atom.share for atom in found) > 1 - 1e-9
