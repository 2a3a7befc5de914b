"""top_k: the positions of the k largest scores, one after the other, each chosen privately.

Privacy.  k rounds of permute-and-flip (`by="exponential"`: of exponential weights) at temperature
T, each among the candidates that are left.  Given the positions so far, one round costs
2 d_LInf / T when no score moves by more than d, and d_LInf / T when all scores move in one
direction (`monotone=True`); rounds are adaptive, so k of them cost k times that, and k times the
rho of one: (2 d_LInf / T)^2 / 8 for exponential weights, epsilon tanh(epsilon / 2) for
permute-and-flip, which has no bounded range.  With `epsilon=` for all rounds together, T comes from
the inferred bound.  What all scores share cancels, so check takes half of how far they move apart
as d.  k rounds of exponential weights are one round
of Gumbel noise on every score, and the k largest.
Where nothing says how many candidates there are, fewer than k may come back.
Approached by k candidates far below two others, which fall while those rise.
Source: Durfee and Rogers (2019), Lemma 4.2 (peeling is Gumbel noise); McKenna and Sheldon (2020).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, ClassVar

from metricdp.expr import ONE, num
from metricdp.families.recorded import Recorded
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._choices import (
    FLIP,
    WEIGHTS,
    costs,
    law_of,
    noise_of,
    pick,
    way,
)
from metricdp.primitives.mechanisms._noise import NONE, public_number
from metricdp.primitives.mechanisms._selection import directions, score_vector
from metricdp.record import Arg, Conclusion, Instance, Requirement, Spelling, refuse
from metricdp.spaces import Vector
from metricdp.values.forms import numbers_of
from metricdp.values.numbers import LIMIT

example = (
    "towns: dp.Records[str] = ['Rome', 'Oslo', 'Rome']; "
    "dp.top_k(dp.histogram(towns, categories=('Lima', 'Oslo', 'Rome')), 2, epsilon=1)"
)

spelling = Spelling(opendp=("make_noisy_top_k",))

NAME = "top_k"
#: How far the tight pairs put the candidates apart, in temperatures.
_FAR = 60
#: From so many candidates on, coins are flipped in arrays.
_MANY = 64


def rule(
    scores: Arg,
    k: Arg,
    *,
    scale: Arg = NONE,
    epsilon: Arg = NONE,
    monotone: Arg = NONE,
    by: Arg = NONE,
) -> Conclusion:
    """A vector of scores; k >= 1 is public, as is one of `scale` (T) and `epsilon` (of all k)."""
    requires = score_vector(scores, NAME)
    rounds = public_number(k, NAME, "k")
    if rounds.is_integer() is not True:
        raise refuse(
            "bad-noise",
            f"`k` of `{NAME}` is {rounds}, which is no whole number",
            need="how many positions to return",
            help=f"dp.{NAME}({scores.text}, 3, epsilon=eps)",
        )
    requires += (Requirement(rounds, ">=", ONE, "bad-noise", "choose `k` >= 1"),)
    chosen, sides = way(by, NAME), num(directions(monotone, NAME))
    help = f"dp.{NAME}(..., epsilon=eps)"
    width, one, positive = noise_of(NAME, sides, scale, epsilon, rounds, help)
    event = Event(NAME, family, "LInf", {"scale": width, "k": rounds}, costs(chosen, one, rounds))
    size = scores.space.size  # type: ignore[union-attr]
    if size is not None:
        requires += (Requirement(size, ">=", rounds, "size-mismatch", f"choose `k` <= {size}"),)
    positions = Vector("Int", "LInf", rounds)
    return Conclusion(positions, requires=requires + positive, events=(event,))


def run(scores: Any, scale: Fraction, k: Any, by: str = FLIP, source: Any = None) -> list[int]:
    """At most k different positions in the order of the rounds; `scale` is T >= 0."""
    if len(scores) >= _MANY and by == FLIP and scale:
        numbers = numbers_of(scores)
        whole = None if numbers is None else numbers.whole()
        if whole is not None and whole.array.dtype == "int64" and whole.most < LIMIT:
            from metricdp.noise.flips import flipped_in_turn

            rounds = int(min(k, len(scores)))
            return flipped_in_turn(whole.array, whole.unit / scale, rounds, source)
    left = [(Fraction(x), i) for i, x in enumerate(scores)]
    found: list[int] = []
    while left and len(found) < k:
        taken = pick([x for x, _ in left], scale, by, source)
        found.append(left.pop(taken)[1])
    return found


def law(scores: Any, scale: Fraction, k: Any, by: str = FLIP) -> Any:
    """Exact law of the tuple of positions."""
    from metricdp.laws.finite import EnclosedLaw
    from metricdp.laws.interval import point, times

    reached: dict[Any, Any] = {(): point(1)}
    for _ in range(min(int(k), len(scores))):
        grown: dict[Any, Any] = {}
        for before, chance in reached.items():
            left = [i for i in range(len(scores)) if i not in before]
            one = law_of([scores[i] for i in left], Fraction(scale), by)
            for place, i in enumerate(left):
                grown[(*before, i)] = times(chance, one.pmf(place))
        reached = grown
    return EnclosedLaw(reached)


class _TopK(Recorded, frozen=True):
    chooses: ClassVar[str] = "scores"
    relative: ClassVar[bool] = True

    def shown(self, draw: Any, value: Any) -> Any:
        """The positions are a list."""
        return list


family = _TopK(NAME, run, law)


def instances() -> Iterable[Instance]:
    four = Vector("Int", "LInf", num(4))
    for by in (FLIP, WEIGHTS):
        public = {"k": 2, "scale": Fraction(3), "by": by}
        yield Instance({"scores": four}, public, tight="approached")
        public = {"k": 2, "epsilon": Fraction(3, 2), "monotone": True, "by": by}
        yield Instance({"scores": four}, public, tight="approached")
    yield Instance({"scores": four}, {"k": 1, "epsilon": Fraction(1, 2)}, tight="approached")


def tight(instance: Instance, d: int, tol: Fraction) -> Any:
    """Two low candidates, taken in a row, fall (or stay) while the two high ones rise."""
    public = instance.public
    sides = 1 if public.get("monotone") else 2
    scale = public["scale"] if "scale" in public else public["k"] * sides / public["epsilon"]
    far = d * int(_FAR * (scale // d + 1))
    low = d if sides == 2 else 0
    return {"scores": [low, low, far, far]}, {"scores": [0, 0, far + d, far + d]}
