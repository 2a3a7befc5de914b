"""The exact masses of a law on finitely many outcomes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from metricdp.laws.finite import FiniteLaw
from metricdp.laws.mixture import ProductLaw

Masses = dict[Hashable, Fraction]


def masses(law: Any) -> Masses | None:
    """Positive probabilities by outcome, exact; None for a law that has no such list.

    A mapping outcome -> number is a law.  Raises ParameterError for weights that are negative or do
    not sum to 1.
    """
    match law:
        case FiniteLaw(probability=probability):
            return {x: Fraction(m) for x, m in probability.items() if m}
        case Mapping():
            return masses(FiniteLaw(law))
        case ProductLaw(parts=parts):
            factors = [masses(part) for part in parts]
            if any(f is None for f in factors):
                return None
            found: Masses = {}
            for choice in product(*(f.items() for f in factors if f is not None)):
                mass = Fraction(1)
                for _, factor in choice:
                    mass *= factor
                found[tuple(x for x, _ in choice)] = mass
            return found
    return None


def both(p: Any, q: Any) -> tuple[Masses, Masses] | None:
    """The masses of two laws; None when one of them has no such list."""
    left, right = masses(p), masses(q)
    return None if left is None or right is None else (left, right)


def outcomes(p: Masses, q: Masses) -> tuple[Hashable, ...]:
    """Outcomes of either law, each once, in the order of the laws."""
    return tuple(dict.fromkeys([*p, *q]))
