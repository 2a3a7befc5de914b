"""What the mechanisms that choose share: scores, their requirements, their noise."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.expr import ONE
from metricdp.primitives.mechanisms._noise import given, public_argument
from metricdp.record import Arg, Instance, Requirement, refuse
from metricdp.spaces import Scalar, Space, Vector

#: The result: a position, whatever the scores are.
INDEX = Scalar("Int")
#: How far the tight pairs put the candidates apart, in noise scales.
_FAR = 40


def score_vector(scores: Arg, mechanism: str) -> tuple[Requirement, ...]:
    """At least one number per candidate; check makes a vector of a list of private numbers.

    Raises:
        Refusal: public scores, or no vector of real numbers.
    """
    space: Space | None = scores.space
    if not scores.private or space is None:
        raise public_argument(scores, mechanism)
    if not isinstance(space, Vector) or space.element not in ("Real", "Int", "Bool"):
        raise refuse(
            "wrong-norm",
            f"`{mechanism}` compares real numbers, and {scores.text} lies in {space}",
            need="one real number per candidate, with a bound for each",
            help=_bounded(scores.text),
        )
    if space.size is None:
        return ()
    return (Requirement(space.size, ">=", ONE, "size-mismatch", "give at least one candidate"),)


def _bounded(text: str) -> str:
    """Scores as bounded real numbers."""
    head, colon, body = text.partition(": ")
    if head.startswith("lambda") and colon:
        return f"{head}: dp.undisc(dp.clamp({body}, lower, upper))"
    return f"dp.undisc(dp.clamp(score, lower, upper)) for every score of {text}"


def directions(monotone: Arg, mechanism: str) -> int:
    """2; 1 for scores of which check proved that all move in one direction, record by record.

    Raises:
        Refusal: `monotone` is no literal True or False.
    """
    if not given(monotone):
        return 2
    if not isinstance(monotone.literal, bool):
        raise refuse(
            "wrong-arguments",
            f"`monotone` of `{mechanism}` is {monotone.text}, which is no literal",
            need="True or False",
            help="monotone=True",
        )
    return 1 if monotone.literal else 2


def far_pair(name: str, instance: Instance, scale: Fraction, d: int) -> Any:
    """One candidate far below two others; it falls and they rise by d each.

    It stays where it is where all scores move in one direction.
    """
    d *= int(instance.public.get("s", 1))
    far = d * int(_FAR * (scale // d + 1))
    if instance.public.get("monotone"):
        return {name: [0, far, far]}, {name: [0, far + d, far + d]}
    return {name: [d, far, far]}, {name: [0, far + d, far + d]}
