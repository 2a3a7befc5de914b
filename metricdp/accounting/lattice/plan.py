"""Where to put tilt, lattice and window for a query: choices only, no bounds.

The saddle point is found where it is not that of losses that do not matter.  Losses so rare that
they will count as failures may have high moments that drown all others: of a million rounds sampled
at rate 1e-6, those that occur with probability e^-50.  Such losses are left out of the pictures
first, and where that is not enough, more of them, up to a small share of the wanted width.  These
are choices: nothing that is proved rests on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, exp, floor, log, sqrt
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from metricdp.accounting.lattice.atoms import aligned, atoms, best_offset, only_atoms
from metricdp.accounting.lattice.laws import LatticeSpan
from metricdp.accounting.lattice.sketch import Aim, Cumulant, Sketch, aim, reach, refined
from metricdp.accounting.losses.loss import Loss
from metricdp.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Points of one lattice: with their spectra and masses, about 100 MB at a time.
LARGEST = 1 << 21
#: Points that cost next to nothing: an exact lattice may have so many.
_CHEAP = 1 << 15
#: Natural logarithm of the share of the answer that truncation and wrapping may each add.
NEGLIGIBLE = -30.0
#: Wider brackets are checks only, and wanted fast.
ROUGH = 0.01
#: Where 1 - e^(eps - L) is 1 for all that matters of the rarest losses.
_PASSED = 10.0
#: How much longer a window may become on a side where masses pile up, as a share of itself.
_MARGIN = 0.25
#: The tilt over the whole window where the aim is vague.
_MILD = 20.0


class LossPart(msgspec.Struct, frozen=True):
    """One loss of the query, its sketch and its copies (>= 1)."""

    loss: Loss
    picture: Sketch
    copies: int


class LatticePlan(msgspec.Struct, frozen=True):
    """Choices for one query.

    Attributes:
        tilt: c, per unit of loss.
        spans: the lattice of each part; all of one step.
        thin: whether each part consists of atoms.
        low, high: the composed losses that the window holds.
        far: a loss of one round at which the query is passed for sure, or nearly.
        slopes: arguments of the Chernoff bounds below and above, per unit of loss.
    """

    tilt: float
    spans: tuple[LatticeSpan, ...]
    thin: tuple[bool, ...]
    low: float
    high: float
    far: float
    slopes: tuple[float, float]


def plan(
    parts: Sequence[LossPart],
    goal: Aim,
    width: float,
    step: float | None,
    share: float = NEGLIGIBLE,
) -> LatticePlan:
    """The plan whose brackets of epsilon are about `width` wide, or with the step that is given.

    Args:
        share: ln of the share of delta that the largest losses may take by counting as failures.
    """
    pictures = [(part.picture, part.copies) for part in parts]
    cumulant = Cumulant(pictures)
    high, up, piled_up = reach(cumulant, goal.tilt, NEGLIGIBLE, 1)
    low, down, piled_down = reach(cumulant, goal.tilt, NEGLIGIBLE, -1)
    log_share = NEGLIGIBLE - 1 - log(sum(n for _, n in pictures))
    leak = negligible(goal, parts, share)
    ranges = []
    for picture, _ in pictures:
        bottom = _bottom(picture, goal.tilt, cumulant.of(picture, goal.tilt)[0], log_share)
        ranges.append((bottom, picture.tail(picture.logs, leak)))
    doubt = sum(n * picture.doubt() for picture, n in pictures)
    high, low = max(high, goal.epsilon) + doubt, min(low, goal.epsilon) - doubt
    # Where masses pile up at an end of the support there is no slope that brings Chernoff's bound
    # down: the window goes to the end of all sums, as far as a margin allows.
    margin = _MARGIN * (high - low)
    found = [(atoms(part.loss, part.picture, goal.tilt), part.copies) for part in parts]
    smooth = sum(n for heavy, n in found if not only_atoms(heavy)) or sum(n for _, n in found)
    widest = max(top - bottom for bottom, top in ranges)
    least = max(
        1.01 * widest / LARGEST,
        (1.01 + _MARGIN * (piled_down + piled_up)) * (high - low) / (LARGEST - 64),
    )
    if step is None:
        # From above, cells add h^2/12 c (c + 1) n to ln delta; from below they take half of that.
        scale = _scale(cumulant, goal) or widest
        wanted = sqrt(8 * width * min(1.0, scale) / ((goal.tilt + 1) * smooth))
        wanted = max(min(wanted, scale / 8), least)
    elif step < least:
        raise ParameterError(
            f"a step of {step} needs more than {LARGEST} points",
            place="step",
            remedy=f"choose at least {least:.3g}",
        )
    else:
        wanted = step
    finest = max(least, min(wanted, max(widest, high - low) / _CHEAP))
    chosen, offsets = aligned(found, wanted, finest, least)
    for k, (part, (heavy, _)) in enumerate(zip(parts, found, strict=True)):
        _, mean, square = cumulant.of(part.picture, goal.tilt)
        if not heavy and sqrt(square) < chosen / 4:
            # Nearly one atom, for this step.
            offsets[k] = mean % chosen
        elif not heavy:
            offsets[k] = best_offset(part.loss, chosen, goal.tilt, width > ROUGH)
    spans = tuple(_span(ends, offset, chosen) for ends, offset in zip(ranges, offsets, strict=True))
    ends = ((x.bottom, x.top, part.copies) for x, part in zip(spans, parts, strict=True))
    first, last = (sum(x) for x in zip(*((a * n, b * n) for a, b, n in ends), strict=True))
    if piled_down:
        low = max(low - margin, min(low, first))
    if piled_up:
        high = min(high + margin, max(high, last))
    thin = tuple(only_atoms(heavy) for heavy, _ in found)
    # A strong tilt leaves only noise far from where it is aimed at, which is not known so well.
    tilt = min(goal.tilt, _MILD / (high - low)) if doubt > chosen else goal.tilt
    far = goal.epsilon - low + _PASSED
    return LatticePlan(tilt, spans, thin, low, high, far, (down, up))


def negligible(goal: Aim, parts: Sequence[LossPart], share: float) -> float:
    """The mass of each law that may fail: together e^share of delta."""
    log_share = share - 1 - log(sum(part.copies for part in parts))
    return exp(min(0.0, max(goal.log_delta + log_share, -640.0)))


def _scale(cumulant: Cumulant, goal: Aim) -> float:
    """The spread on which the lattice has to be fine: of the tilted law, and in the bulk also that
    of the law itself, which may be much smaller (rare samples)."""
    _, mean, square = cumulant(0.0)
    bulk = sqrt(square)
    if bulk and abs(goal.epsilon - mean) < 10 * bulk:
        return min(goal.spread, bulk) or bulk
    return goal.spread or bulk


def _span(ends: tuple[float, float], offset: float, step: float) -> LatticeSpan:
    """A point to spare on both sides: what is on an edge belongs to the cell above it."""
    first = floor((ends[0] - offset) / step) - 1
    # Ends in no order are those of a law none of which counts: one cell is enough.
    return LatticeSpan(offset, step, first, max(ceil((ends[1] - offset) / step) + 1 - first, 1))


def _bottom(part: Sketch, c: float, log_moment: float, log_share: float) -> float:
    """The largest edge to which the mass below it may be raised, tilted, at that share."""
    import numpy as np

    with np.errstate(divide="ignore"):
        raised = np.log(np.cumsum(np.exp(part.logs))) + c * part.edges[1:] - log_moment
    heavy: NDArray[Any] = np.flatnonzero(raised > log_share)
    return float(part.edges[heavy[0]] if len(heavy) else part.edges[-2])


#: Looks at what matters for a query.
_AIMS = 5
#: A tilted variance so much above that of the law is made of rare losses.
_DROWNED, _STRAYED = 4.0, 10.0
#: What is left out moves epsilon by this share of the width, and takes at most e^_MOST_SHARE.
_LITTLE, _MOST_SHARE = 1e-3, -6.0


def aimed(
    seen: list[LossPart], epsilon: float | None, log_delta: float | None, width: float
) -> tuple[list[LossPart], Aim, float]:
    """The parts as far as they matter, the saddle point of the query, and ln of the share of delta
    that all that is left out may take.

    Args:
        seen: the parts in full.
        epsilon, log_delta: one of them.
        width: wanted, as a shift of epsilon.
    """

    near, goal, share = _aimed(seen, epsilon, log_delta, width)
    if width > ROUGH:
        return near, goal, share
    finer = [
        replace(part, picture=refined(part.loss, part.picture, rest.picture, goal.tilt))
        for part, rest in zip(seen, near, strict=True)
    ]
    if all(new.picture is old.picture for new, old in zip(finer, seen, strict=True)):
        return near, goal, share
    return _aimed(finer, epsilon, log_delta, width)


def _aimed(
    seen: list[LossPart], epsilon: float | None, log_delta: float | None, width: float
) -> tuple[list[LossPart], Aim, float]:
    """The same with the pictures as they are."""

    def at(parts: list[LossPart]) -> Aim:
        return aim(Cumulant([(part.picture, part.copies) for part in parts]), epsilon, log_delta)

    share, near = NEGLIGIBLE, seen
    goal = at(seen) if log_delta is None else Aim(0.0, 0.0, log_delta, 0.0)
    for _ in range(_AIMS):
        before, rare = goal, negligible(goal, seen, share)
        near = [replace(part, picture=part.picture.below(rare)) for part in seen]
        goal = at(near)
        if width > ROUGH and share > NEGLIGIBLE:
            # Good enough for a check.
            break
        if _drowned(Cumulant([(part.picture, part.copies) for part in near]), goal):
            # A delta that is off by this share moves epsilon by little of the width.
            wanted = min(log(_LITTLE * width * goal.tilt), _MOST_SHARE)
            if wanted < share + 0.5:
                break
            share = wanted
        elif log_delta is not None or goal.log_delta > before.log_delta - 1:
            break
    return near, goal, share


def _drowned(law: Cumulant, goal: Aim) -> bool:
    """Whether rare losses make up the tilted law, or its tail as far as the window goes."""
    top, slope, _ = reach(law, goal.tilt, NEGLIGIBLE, 1)
    if goal.spread**2 > _DROWNED * law(0.0)[2]:
        return True
    return law(goal.tilt + slope)[2] > _STRAYED * goal.spread**2 and top > goal.epsilon
