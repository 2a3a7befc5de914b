"""report_noisy_max: the position of the largest score after Laplace noise on every score.

Privacy.  Fix the noise of all other scores.  Candidate i wins when its own noise is at least some
r*.  When no score moves by more than d, 2d more is enough for the other input, and one Laplace tail
is at most e^(2d/b) times the tail 2d further out: epsilon = 2 d_LInf / b, for any number of
candidates, also with ties and on a grid.  Only the position is released: the noisy score itself
would be a second release.  What all scores share moves no position, so check leaves it out of d.
rho = epsilon tanh(epsilon / 2), since epsilon-DP implies it; the eps^2/8 of exponential weights
does not hold here.  Approached by a candidate far below two others.
Source: Dwork and Roth (2014), Claim 3.9, with 2 d in place of 1 for scores that are not monotone.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import num
from metricdp.measures.events import Event
from metricdp.measures.pure_rho import pure_to_zcdp
from metricdp.primitives.mechanisms._noise import NONE, given, positive, public_number
from metricdp.primitives.mechanisms._selection import INDEX, far_pair, score_vector
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

NAME = "report_noisy_max"


def rule(scores: Arg, scale: Arg = NONE, epsilon: Arg = NONE) -> Conclusion:
    """A vector of scores; exactly one of `scale` (public) and `epsilon` (target)."""
    requires = score_vector(scores, NAME)
    if given(scale) == given(epsilon):
        raise refuse(
            "bad-noise",
            f"`{NAME}` takes its noise either as `scale=` or as a target `epsilon=`",
            need="exactly one public number",
            help=f"dp.{NAME}({scores.text}, epsilon=eps)",
        )
    if given(scale):
        width = public_number(scale, NAME, "scale")
        cost = 2 * MOVED / width
        requires += positive(width, "bad-noise", scale.text)
    else:
        target = public_number(epsilon, NAME, "epsilon")
        width, cost = 2 * BOUND / target, target * RATIO
        requires += positive(target, "bad-noise", epsilon.text)
    privacy = {"pure": (cost,), "zcdp": (pure_to_zcdp(cost),)}
    event = Event(NAME, "LInf", {"scale": width}, privacy)
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


record = register(
    Record(
        name=NAME,
        kind="mechanism",
        rule=rule,
        run=run,
        instances=instances,
        tight=tight,
        proof=__doc__ or "",
        spelling=Spelling(opendp=("make_report_noisy_max_gumbel",)),
        law=law,
    )
)
