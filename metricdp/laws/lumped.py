"""Infinitely many outcomes as finitely many, where the ratio of two laws is constant on each lump.

What is not told apart by the ratio of two laws changes no distance that compares masses: lumps are
a sufficient statistic for the pair (Blackwell 1953).  So these are exact:

- mixtures of discrete or rounded Laplace laws of one scale: below all centres, and above them,
  every mass falls by the same factor from one integer to the next;
- densities that are constant on pieces, in cells of one grid: on cells inside one piece of both.

A law of another kind that has lumps with its like says so itself, by a method `lumped_with`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Any

import msgspec

from metricdp.laws.discrete import DiscreteLaplaceLaw
from metricdp.laws.finite import EnclosedLaw
from metricdp.laws.grid import CellsLaw, GridLaw
from metricdp.laws.interval import add, point, times
from metricdp.laws.mixture import MixtureLaw
from metricdp.laws.piecewise import PiecewiseLaw, UniformLaw, WeightedPiecesLaw
from metricdp.laws.rounded import RoundedLaplaceLaw
from metricdp.noise.enclose import Bounds

#: Integers between the outermost centres that are looked at one by one.
_MANY = 4_000
_HALF = Fraction(1, 2)
_Part = tuple[Fraction, Any]


class Lump(msgspec.Struct, frozen=True):
    """The integers from `first` to `last`, None for an end that is infinite."""

    first: int | None
    last: int | None

    def __repr__(self) -> str:
        return in_words((self,), Fraction(1))


def in_words(lumps: Sequence[Any], step: Fraction) -> str:
    """Lumps in multiples of a step, neighbours together: '3 to 8 or at least 12'."""
    runs: list[Lump] = []
    for lump in sorted(lumps, key=lambda each: (each.first is not None, each.first)):
        if runs and runs[-1].last is not None and lump.first == runs[-1].last + 1:
            runs[-1] = Lump(runs[-1].first, lump.last)
        else:
            runs.append(lump)
    return " or ".join(_run(run, step) for run in runs)


def _run(run: Lump, step: Fraction) -> str:
    first, last = (None if k is None else f"{float(k * step):.12g}" for k in (run.first, run.last))
    if first is None:
        return f"at most {last}"
    if last is None:
        return f"at least {first}"
    return first if first == last else f"{first} to {last}"


def lumped(p: Any, q: Any, alone: bool = False) -> tuple[EnclosedLaw, EnclosedLaw] | None:
    """Both laws on lumps; None for other pairs.

    Args:
        alone: also for two laws that are no mixtures, which have closed forms.
    """
    own = getattr(p, "lumped_with", None)
    if own is not None:
        found: tuple[EnclosedLaw, EnclosedLaw] | None = own(q)
        return found
    left, right = _parts(p), _parts(q)
    if left is None or right is None or left[0] != right[0]:
        return None
    laws = [law for _, law in (*left[1], *right[1])]
    if all(isinstance(law, CellsLaw) for law in laws):
        lumps = _of_pieces(laws)
    elif alone or isinstance(p, MixtureLaw) or isinstance(q, MixtureLaw):
        lumps = _of_laplace(laws)
    else:
        return None
    return None if lumps is None else (_masses(left[1], lumps), _masses(right[1], lumps))


def _parts(law: Any) -> tuple[Fraction, list[_Part]] | None:
    """The step of the grid (1 for integers), and weights and laws in units of it."""
    weighted = (
        list(zip(law.weights, law.parts, strict=True))
        if isinstance(law, MixtureLaw)
        else [(Fraction(1), law)]
    )
    steps = {part.step if isinstance(part, GridLaw) else Fraction(1) for _, part in weighted}
    if len(steps) != 1:
        return None
    parts = [(w, part.law if isinstance(part, GridLaw) else part) for w, part in weighted if w]
    return steps.pop(), parts


def _of_laplace(laws: list[Any]) -> list[Lump] | None:
    if not all(isinstance(law, DiscreteLaplaceLaw | RoundedLaplaceLaw) for law in laws):
        return None
    first, last = min(map(_below, laws)), max(map(_above, laws))
    if len({law.scale for law in laws}) != 1 or last - first > _MANY:
        return None
    inner = [Lump(k, k) for k in range(first + 1, last)]
    return [Lump(None, first), *inner, Lump(max(last, first + 1), None)]


def _below(law: Any) -> int:
    """An integer up to which the masses grow by one factor."""
    return law.center if isinstance(law, DiscreteLaplaceLaw) else floor(law.center - _HALF)


def _above(law: Any) -> int:
    """An integer from which they fall by it."""
    return law.center if isinstance(law, DiscreteLaplaceLaw) else ceil(law.center + _HALF)


def _of_pieces(laws: list[CellsLaw]) -> list[Lump] | None:
    kinds = PiecewiseLaw | UniformLaw | WeightedPiecesLaw
    cuts = {(law.step, law.shift) for law in laws}
    if len(cuts) != 1 or not all(isinstance(law.law, kinds) for law in laws):
        return None
    step, shift = cuts.pop()
    # A cell with an edge inside stands alone; an edge between two cells divides lumps.
    places = {edge / step + shift for law in laws for edge in law.law.pieces.edges}
    starts = sorted({y for x in places for y in (floor(x), ceil(x))})
    return [Lump(a, b - 1) for a, b in pairwise(starts)]


def _masses(parts: list[_Part], lumps: list[Lump]) -> EnclosedLaw:
    def mass(law: Any, lump: Lump) -> Bounds:
        found: Bounds
        if lump.first is None:
            found = law.cdf(lump.last)
        elif lump.last is None:
            found = law.tail(lump.first)
        else:
            found = law.between(lump.first, lump.last)
        return found

    return EnclosedLaw(
        {lump: add(*(times(point(w), mass(law, lump)) for w, law in parts)) for lump in lumps}
    )
