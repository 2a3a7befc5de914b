"""One step that covers each of several branches, chosen by public or released values."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from metricdp.measures.facts import gaussian_rho
from metricdp.measures.renyi import Composed, Curve, Gaussian, Linear, Worst
from metricdp.measures.step import Step

Option = Sequence[Step]


def worst(options: Sequence[Option]) -> list[Step]:
    """Steps that cover every option; samples inside stay to be paid (`paid`)."""
    filled = [tuple(option) for option in options if option]
    if not filled or all(list(option) == list(options[0]) for option in options):
        return list(options[0])
    if not all(step.whole for option in filled for step in option):
        return [Step(Linear(Fraction(0)), options=tuple(filled))]
    if all(
        gaussian_rho(step.curve) is not None for option in filled for step in option
    ) and not any(step.leak for option in filled for step in option):
        rounds = max(sum(step.count for step in option) for option in filled)
        rho = max(gaussian_total(option) for option in filled)
        return [Step(Gaussian(rho / rounds), rounds)]
    curves: list[Curve] = [
        Composed(tuple((step.curve, step.count) for step in option)) for option in filled
    ]
    leak = max(sum((step.count * step.leak for step in option), Fraction(0)) for option in filled)
    return [Step(curves[0] if len(curves) == 1 else Worst(tuple(curves)), 1, leak)]


def gaussian_total(option: Option) -> Fraction:
    """Sum of the rhos of Gaussian steps."""
    rhos = ((gaussian_rho(step.curve) or Fraction(0), step.count) for step in option)
    return sum((count * rho for rho, count in rhos), Fraction(0))
