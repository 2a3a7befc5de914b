"""exponential_mechanism: chooses a candidate with probability proportional to e^(score / T).

Privacy.  When no score moves by more than d, a weight moves by a factor of at most e^(d/T), and so
does the sum of the weights: epsilon = 2 d_LInf / T.  `exponential_mechanism(s, eps, candidates,
score)` has T = 2 s / eps for a claimed bound s of the scores, which must be at least the inferred
one; with `epsilon=` alone, T comes from the inferred bound.  What all scores share cancels, so
check takes half of how far they move apart as d, but for a claimed bound of every score.  Scores
that all rise or all fall when a record is added (`monotone=True`, which check proves) move each
weight and the sum of weights in the same direction, so that only one of the two factors counts:
epsilon = d_LInf / T, one record after the other.
Candidates are public: they come from no private data.
The log-ratio lies in an interval of length epsilon (bounded range), so rho = epsilon^2 / 8.
A score under the discrete metric has no bound until it is read as a number (undisc).
Approached by a candidate far below all others, which rises while they fall.
Source: McSherry and Talwar (2007); Cesar and Rogers (2021), Lemma 3.2, for rho; Dong, Durfee and
Rogers (2020) for the range.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import Expr, num
from metricdp.families.chosen import EXPONENTIAL_WEIGHTS
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._noise import NONE, given, positive, public_number
from metricdp.primitives.mechanisms._selection import INDEX, directions, far_pair, score_vector
from metricdp.record import (
    BOUND,
    MOVED,
    RATIO,
    Arg,
    Conclusion,
    Instance,
    Requirement,
    Spelling,
    refuse,
)
from metricdp.spaces import Vector

example = (
    "visits: dp.Records[float] = [3.0, 9.0, 12.0]; "
    "dp.exponential_mechanism(candidates=(5, 10), score=lambda c: dp.count(visits, lambda v: "
    "v > c), epsilon=1)"
)

spelling = Spelling(seed=("exponential_mechanism",))

NAME = "exponential_mechanism"

family = EXPONENTIAL_WEIGHTS


def rule(
    s: Arg = NONE,
    eps: Arg = NONE,
    candidates: Arg = NONE,
    score: Arg = NONE,
    epsilon: Arg = NONE,
    monotone: Arg = NONE,
) -> Conclusion:
    """Public `candidates`; `score`, a function of one of them, read as the vector of all scores;
    `epsilon`, or `s` and `eps`.
    """
    if given(eps) == given(epsilon) or (given(eps) and not given(s)):
        raise refuse(
            "bad-noise",
            f"`{NAME}` takes a claimed sensitivity and a target, or a target alone",
            need="(s, eps, candidates, score), or candidates=, score=, epsilon=",
            help=f"dp.{NAME}(candidates=candidates, score=score, epsilon=eps)"
            if given(eps) or given(s)
            else f"dp.{NAME}(..., epsilon=eps)",
        )
    target_arg = eps if given(eps) else epsilon
    target = public_number(target_arg, NAME, "eps" if given(eps) else "epsilon")
    requires = (
        *score_vector(score, NAME),
        *positive(target, "bad-noise", target_arg.chosen),
    )
    cost: Expr
    sides = directions(monotone, NAME)
    if given(s):
        claimed = public_number(s, NAME, "s")
        temperature, cost = sides * claimed / target, target * MOVED / claimed
        requires += (
            *positive(claimed, "bad-noise", s.chosen),
            Requirement(BOUND, "<=", claimed, "claimed-sensitivity", "claim the inferred bound"),
        )
    else:
        temperature, cost = sides * BOUND / target, target * RATIO
    privacy = {"pure": (cost,), "zcdp": (cost**2 / 8,)}
    event = Event(NAME, family, "LInf", {"scale": temperature}, privacy)
    return Conclusion(INDEX, requires=requires, events=(event,))


def run(score: Any, scale: Fraction, source: Any = None) -> int:
    """The position of the chosen candidate; `scale` is T."""
    from metricdp.noise.selection import exponential_choice

    return exponential_choice([Fraction(x) for x in score], scale, source)


def law(score: Any, scale: Fraction) -> Any:
    """Exact law of the position."""
    from metricdp.laws.selection import exponential_law

    return exponential_law(score, Fraction(scale))


def instances() -> Iterable[Instance]:
    three = Vector("Int", "LInf", num(3))
    for eps in (Fraction(1, 4), Fraction(2)):
        yield Instance({"score": three}, {"s": Fraction(1), "eps": eps}, tight="approached")
    yield Instance({"score": three}, {"s": Fraction(5), "eps": Fraction(1)}, tight="approached")
    yield Instance({"score": three}, {"epsilon": Fraction(3, 4)}, tight="approached")
    yield Instance(
        {"score": three}, {"epsilon": Fraction(3, 4), "monotone": True}, tight="approached"
    )


def tight(instance: Instance, d: int, tol: Fraction) -> Any:
    """The low candidate, chosen with a weight that has fallen among weights that have risen."""
    public = instance.public
    sides = 1 if public.get("monotone") else 2
    scale = sides * public.get("s", 1) / (public["eps"] if "eps" in public else public["epsilon"])
    return far_pair("score", instance, Fraction(scale), d)
