"""Which laws are laws of steps: finite laws on numbers, uniform and piecewise constant ones."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from metricdp.laws.distances.masses import masses
from metricdp.laws.distances.steps import Steps, from_atoms, from_pieces, mixed
from metricdp.laws.mixture import MixtureLaw, MixtureLineLaw
from metricdp.laws.numbers import real
from metricdp.laws.piecewise import PiecewiseLaw, UniformLaw


def steps_of(law: Any) -> Steps | None:
    """The law as steps on the line, or None.

    Outcomes that are numbers stand for the exact numbers that they are; a bool is none.
    """
    if isinstance(law, Steps):
        return law
    if isinstance(law, UniformLaw | PiecewiseLaw):
        pieces = law.pieces
        ends = pairwise(pieces.edges)
        return from_pieces((a, b, m) for (a, b), m in zip(ends, pieces.masses, strict=True))
    if isinstance(law, MixtureLaw | MixtureLineLaw):
        parts = [steps_of(part) for part in law.parts]
        known = [(w, s) for w, s in zip(law.weights, parts, strict=True) if s is not None]
        return mixed(known) if len(known) == len(parts) else None
    finite = masses(law)
    if finite is not None:
        return from_atoms(_numbers(finite)) if _are_numbers(finite) else None
    return None


def _are_numbers(finite: Mapping[Any, Fraction]) -> bool:
    return all(isinstance(x, Fraction | int | float) and not isinstance(x, bool) for x in finite)


def _numbers(finite: Mapping[Any, Fraction]) -> dict[Fraction, Fraction]:
    return {real(x, "outcome"): mass for x, mass in finite.items()}
