"""The saddle point of a query, found where it is not that of losses that do not matter.

Losses so rare that they will count as failures may have high moments that drown all others: of a
million rounds sampled at rate 1e-6, those that occur with probability e^-50.  Such losses are left
out of the pictures first, and where that is not enough, more of them, up to a small share of the
wanted width.  These are choices: nothing that is proved rests on them.
"""

from __future__ import annotations

from math import log

from msgspec.structs import replace

from metricdp.measures.losses.discretised_plan import NEGLIGIBLE, ROUGH, Part, negligible
from metricdp.measures.losses.discretised_sketch import Aim, Cumulant, aim, reach, refined

#: Looks at what matters for a query.
_AIMS = 5
#: A tilted variance so much above that of the law is made of rare losses.
_DROWNED, _STRAYED = 4.0, 10.0
#: What is left out moves epsilon by this share of the width, and takes at most e^_MOST_SHARE.
_LITTLE, _MOST_SHARE = 1e-3, -6.0


def aimed(
    seen: list[Part], epsilon: float | None, log_delta: float | None, width: float
) -> tuple[list[Part], Aim, float]:
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
    seen: list[Part], epsilon: float | None, log_delta: float | None, width: float
) -> tuple[list[Part], Aim, float]:
    """The same with the pictures as they are."""

    def at(parts: list[Part]) -> Aim:
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
