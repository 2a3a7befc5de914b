"""permute_and_flip: candidates in random order, each taken with chance e^((score - max)/T).

Privacy.  Equal in law to the largest score after exponential noise of scale T on each score (Ding
and others 2021).  Fix the noise of all other candidates: candidate i wins when its noise is at
least some r*, which moves by at most 2d when no score moves by more than d, and by d when all
scores move in one direction (`monotone=True`, which check proves); an exponential tail moves by
e^(2d/T), or e^(d/T).  epsilon = 2 d_LInf / T, or d_LInf / T, one record after the other.  With
`epsilon=` alone, T comes from the inferred bound.  What all scores share cancels.
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

from metricdp.expr import num
from metricdp.measures.events import Event
from metricdp.measures.pure_rho import pure_to_zcdp
from metricdp.primitives.mechanisms._noise import NONE, given, positive, public_number
from metricdp.primitives.mechanisms._selection import (
    INDEX,
    directions,
    far_pair,
    score_vector,
)
from metricdp.record import (
    BOUND,
    MOVED,
    RATIO,
    Arg,
    Conclusion,
    Instance,
    Record,
    Spelling,
    refuse,
    register,
)
from metricdp.spaces import Vector

NAME = "permute_and_flip"


def rule(
    candidates: Arg = NONE,
    score: Arg = NONE,
    epsilon: Arg = NONE,
    scale: Arg = NONE,
    monotone: Arg = NONE,
) -> Conclusion:
    """`score` is the vector of the candidates' scores; one of `scale` (T) and `epsilon`."""
    if given(scale) == given(epsilon):
        raise refuse(
            "bad-noise",
            f"`{NAME}` takes its noise either as `scale=` or as a target `epsilon=`",
            need="exactly one public number",
            help=f"dp.{NAME}(candidates, score, epsilon=eps)",
        )
    sides = directions(monotone, NAME)
    requires = score_vector(score, NAME)
    if given(scale):
        width = public_number(scale, NAME, "scale")
        cost = sides * MOVED / width
        requires += positive(width, "bad-noise", scale.text)
    else:
        target = public_number(epsilon, NAME, "epsilon")
        width, cost = sides * BOUND / target, target * RATIO
        requires += positive(target, "bad-noise", epsilon.text)
    privacy = {"pure": (cost,), "zcdp": (pure_to_zcdp(cost),)}
    event = Event(NAME, "LInf", {"scale": width}, privacy)
    return Conclusion(INDEX, requires=requires, events=(event,))


def run(score: Any, scale: Fraction, source: Any = None) -> int:
    """The position of the chosen candidate; `scale` is T."""
    from metricdp.noise.selection import permuted_flips

    return permuted_flips([Fraction(x) for x in score], scale, source)


def law(score: Any, scale: Fraction) -> Any:
    """Exact law of the position."""
    from metricdp.laws.selection import permute_and_flip_law

    return permute_and_flip_law(score, Fraction(scale))


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


record = register(
    Record(
        name=NAME,
        kind="mechanism",
        rule=rule,
        run=run,
        instances=instances,
        tight=tight,
        proof=__doc__ or "",
        spelling=Spelling(),
        law=law,
    )
)
