"""Draws that choose: a position among public candidates is released, never a score.

Scores are rounded to the grid of `run.grid`, where each one moves by at most D/h + 1 ticks when it
moves by D, however many there are: the proofs of these mechanisms use the largest movement of one
score.  Scores that are compared with each other are rounded as differences from the first one: what
all of them share then cancels exactly, and differences of ticks still move by at most 2 (D/h + 1).
Exponential weights and permute-and-flip take the exact rationals and need no grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from metricdp.run.grid import to_ticks
from metricdp.run.samplers import no_choice
from metricdp.values.exact import exact

if TYPE_CHECKING:
    from metricdp.noise import BitSource
    from metricdp.run.draws import Draw


def choose(draw: Draw, scores: Sequence[Fraction], source: BitSource) -> Any:
    """The position that one draw chooses; None or a list only above a threshold."""
    from metricdp.noise.selection import (
        exponential_choice,
        noisy_max,
        permuted_flips,
        positions_above,
    )

    if draw.mechanism == "exponential_mechanism":
        return exponential_choice(scores, draw.scale, source)
    if draw.mechanism == "permute_and_flip":
        return permuted_flips(scores, draw.scale, source)
    if draw.mechanism not in ("report_noisy_max", "above_threshold"):
        raise no_choice(draw.mechanism, draw.site)
    if not draw.scale:
        return without_noise(draw, scores)
    grid = draw.grid()
    if draw.mechanism == "report_noisy_max":
        ticks = [to_ticks(score - scores[0], grid.exponent) for score in scores]
        return noisy_max(ticks, grid.tick_scale, source)
    ticks = [to_ticks(score, grid.exponent) for score in scores]
    threshold = to_ticks(exact(draw.extra["threshold"]), grid.exponent)
    each = grid.tick_scale * Fraction(draw.extra["query_scale"]) / draw.scale
    found = positions_above(ticks, threshold, grid.tick_scale, each, _reports(draw), source)
    return _answer(draw, found)


def without_noise(draw: Draw, scores: Sequence[Fraction]) -> Any:
    """What a bound of 0 needs: all scores move together or not at all."""
    if draw.mechanism == "report_noisy_max":
        return max(range(len(scores)), key=scores.__getitem__)
    threshold = exact(draw.extra["threshold"])
    found = [i for i, score in enumerate(scores) if score >= threshold]
    return _answer(draw, found[: _reports(draw)])


def _reports(draw: Draw) -> int:
    return int(draw.extra.get("reports") or 1)


def _answer(draw: Draw, found: list[int]) -> Any:
    """One position or None, unless the call says how many it may report."""
    if draw.extra.get("reports") is not None:
        return found
    return found[0] if found else None
