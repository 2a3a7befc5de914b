"""report_noisy_max: the position of the largest score after Laplace noise on every score.

Privacy.  Fix the noise of all other scores.  Candidate i wins when its own noise is at least some
r*.  When no score moves by more than d, 2d more is enough for the other input, and one Laplace tail
is at most e^(2d/b) times the tail 2d further out: epsilon = 2 d_LInf / b, for any number of
candidates, also with ties and on a grid.  Only the position is released: the noisy score itself
would be a second release.  What all scores share moves no position, so check takes half of how far
they move apart as d (`check.domain.apart`): d_LInf / b for counts of records that are added or
removed, which all rise or all fall.
rho = epsilon tanh(epsilon / 2), since epsilon-DP implies it; the eps^2/8 of exponential weights
does not hold here.  Approached by a candidate far below two others.
Source: Dwork and Roth (2014), Claim 3.9, which is about counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, num
from metricdp.families.chosen import NOISY_MAX
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._choices import costs, noise_of
from metricdp.primitives.mechanisms._noise import NONE
from metricdp.primitives.mechanisms._selection import INDEX, far_pair, score_vector
from metricdp.record import Arg, Conclusion, Instance
from metricdp.spaces import Vector

example = (
    "towns: dp.Records[str] = ['Rome', 'Oslo', 'Rome']; "
    "dp.report_noisy_max(dp.histogram(towns, categories=('Oslo', 'Rome')), epsilon=1)"
)

NAME = "report_noisy_max"

family = NOISY_MAX


def rule(scores: Arg, *, scale: Arg = NONE, epsilon: Arg = NONE) -> Conclusion:
    """A vector of scores; exactly one of `scale` (public) and `epsilon` (target)."""
    help = f"dp.{NAME}(..., epsilon=eps)"
    width, cost, positive = noise_of(NAME, num(2), scale, epsilon, ONE, help)
    requires = (*score_vector(scores, NAME), *positive)
    event = Event(NAME, family, "LInf", {"scale": width}, costs(NAME, cost, ONE))
    return Conclusion(INDEX, requires=requires, events=(event,))


def run(scores: Any, scale: Fraction, source: Any = None) -> int:
    """The position of the largest of integer scores (ticks) with noise of tick scale `scale`."""
    from metricdp.noise.selection import noisy_max

    return noisy_max(list(scores), scale, source)


def law(scores: Any, scale: Fraction) -> Any:
    """Exact law of the position, for integer scores."""
    from metricdp.laws.selection import noisy_max_law

    return noisy_max_law(scores, Fraction(scale))


def instances() -> Iterable[Instance]:
    three = Vector("Int", "LInf", num(3))
    for scale in (Fraction(1, 3), Fraction(1), Fraction(6)):
        yield Instance({"scores": three}, {"scale": scale}, tight="approached")
    yield Instance({"scores": three}, {"epsilon": Fraction(3, 4)}, tight="approached")


def tight(instance: Instance, d: int, tol: Fraction) -> Any:
    """The low candidate: its noise must beat two that have risen, from a place that has fallen."""
    public = instance.public
    scale = public["scale"] if "scale" in public else 2 / public["epsilon"]
    return far_pair("scores", instance, Fraction(scale), d)
