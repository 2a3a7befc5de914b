"""permute_and_flip: candidates in random order, each taken with chance e^((score - max)/T).

Privacy.  Equal in law to the largest score after exponential noise of scale T on each score (Ding
and others 2021).  Fix the noise of all other candidates: candidate i wins when its noise is at
least some r*, which moves by at most 2d when no score moves by more than d, and by d when all
scores move in one direction (`monotone=True`, which check proves); an exponential tail moves by
e^(2d/T), or e^(d/T).  epsilon = 2 d_LInf / T, or d_LInf / T, one record after the other.  With
`epsilon=` alone, T comes from the inferred bound.  What all scores share cancels, so check takes
half of how far they move apart as d.
Its expected error is never above that of exponential weights with the same epsilon.
rho = epsilon tanh(epsilon / 2), since epsilon-DP implies it; the epsilon^2/8 of exponential weights
is false here (scores (0, 0) against (1, -1)).
Attained by a candidate far below two others, which falls while they rise.
Source: McKenna and Sheldon (2020), Theorem 1 and Proposition 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, num
from metricdp.families.chosen import PERMUTE_AND_FLIP
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._choices import FLIP, costs, law_of, noise_of, pick
from metricdp.primitives.mechanisms._noise import NONE
from metricdp.primitives.mechanisms._selection import INDEX, directions, far_pair, score_vector
from metricdp.record import Arg, Conclusion, Instance
from metricdp.spaces import Vector

example = (
    "visits: dp.Records[float] = [3.0, 9.0, 12.0]; "
    "dp.permute_and_flip(candidates=(5, 10), score=lambda c: dp.count(visits, lambda v: v > "
    "c), epsilon=1)"
)

NAME = "permute_and_flip"

family = PERMUTE_AND_FLIP


def rule(
    candidates: Arg = NONE,
    score: Arg = NONE,
    *,
    epsilon: Arg = NONE,
    scale: Arg = NONE,
    monotone: Arg = NONE,
) -> Conclusion:
    """Public `candidates`; `score`, a function of one of them, read as the vector of all scores;
    one of `scale` (T) and `epsilon`.
    """
    spread, help = num(directions(monotone, NAME)), f"dp.{NAME}(..., epsilon=eps)"
    width, cost, positive = noise_of(NAME, spread, scale, epsilon, ONE, help)
    requires = (*score_vector(score, NAME), *positive)
    event = Event(NAME, family, "LInf", {"scale": width}, costs(FLIP, cost, ONE))
    return Conclusion(INDEX, requires=requires, events=(event,))


def run(score: Any, scale: Fraction, source: Any = None) -> int:
    """The position of the chosen candidate; `scale` is T."""
    return pick([Fraction(x) for x in score], scale, FLIP, source)


def law(score: Any, scale: Fraction) -> Any:
    """Exact law of the position."""
    return law_of(score, Fraction(scale), FLIP)


def instances() -> Iterable[Instance]:
    three = Vector("Int", "LInf", num(3))
    for scale in (Fraction(1, 3), Fraction(4)):
        yield Instance({"score": three}, {"scale": scale}, tight="approached")
    for monotone in (False, True):
        public = {"epsilon": Fraction(3, 4), "monotone": monotone}
        yield Instance({"score": three}, public, tight="approached")


def tight(instance: Instance, d: int, tol: Fraction) -> Any:
    """The low candidate: its coin shows heads more rarely the further it is below the best."""
    public = instance.public
    sides = 1 if public.get("monotone") else 2
    scale = public["scale"] if "scale" in public else sides / public["epsilon"]
    return far_pair("score", instance, Fraction(scale), d)
