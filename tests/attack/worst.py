"""Of some neighbours of one input the two whose draws differ most for their distance."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

from attack.following import Drawn, Outputs, follow, record
from attack.losses import has_formula, is_laplace, pure, squares, steps

#: Neighbours that are looked at.
MANY = 14


def worst_pair(
    function: Any, space: Any, name: str, given: Mapping[str, Any], made: Any, rng: Random
) -> tuple[Any, Any, Fraction] | None:
    """Two inputs and their distance; None where draws do not differ, or rows are sampled.

    Args:
        made: (value of the space) -> a value of few small numbers, and what a caller types.
    """
    base = space.sample(rng, rng.choice((0, 1, 1, 2)))
    found: dict[str, tuple[Any, Any]] = {}
    for turn in range(MANY):
        moved = base if turn == 0 else space.neighbours(base, 1, rng)
        exact, typed = made(moved)
        found.setdefault(repr(typed), (exact, typed))
    tape: list[Drawn] | None = None
    drawn = []
    for exact, typed in found.values():
        inputs = {**given, name: typed}
        if tape is None:
            tape = record(function, inputs, Outputs("drawn", f"{rng.random()}"), []).drawn
        runs = list(follow(function, inputs, tape))
        if len(runs) != 1 or len(runs[0].drawn) != len(tape):
            return None
        drawn.append((exact, runs[0].drawn))
    best, most = None, 0.0
    for (x, one), (y, two) in combinations(drawn, 2):
        lost = sum(_lost(a, b) for a, b in zip(one, two, strict=True))
        if lost > most:
            apart = space.distance(x, y).as_fraction()
            if apart is not None and 0 < apart <= 3 and lost / float(apart) > most:
                best, most = (x, y, apart), lost / float(apart)
    return best


def _lost(a: Drawn, b: Drawn) -> float:
    if not has_formula(a.draw) or not a.draw.scale:
        return min(pure(a.draw, a.value, b.value), 1e6)
    if not is_laplace(a.draw):
        return squares(a.draw, a.value, b.value)
    moved = steps(a.draw, a.value, b.value)
    return 1e6 if moved is None else float(sum(map(abs, moved), Fraction(0)) / a.draw.scale)
