"""randomized_response: tells the truth with weight e^epsilon against 1 for every other answer.

Privacy.  Of k answers the true one has probability p = e^epsilon / (e^epsilon + k - 1) and every
other one q = 1 / (e^epsilon + k - 1), so for two inputs every answer has a probability ratio in
{e^epsilon, 1, e^-epsilon}: epsilon when the input moved, 0 when not.  A value that is none of the
answers counts as the first of them.  Tight: the answer that is the truth of one input.
rho = epsilon tanh(epsilon / 2) bounds it, exactly for k = 2.
Source: Warner (1965); Kairouz, Oh, Viswanath (2014).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from metricdp.accounting.costs import pure_to_zcdp
from metricdp.expr import ONE, minimum, num
from metricdp.families.answered import RANDOMIZED_RESPONSE
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._noise import (
    NONE,
    given,
    positive,
    public_argument,
    public_number,
)
from metricdp.record import MOVED, ONE_METRIC, Arg, Conclusion, Instance, Witness, refuse
from metricdp.spaces import Scalar

example = "smokes: dp.Bool = True; dp.randomized_response(smokes, epsilon=1)"

__all__ = ["BOOLS", "answers_of", "index_of"]

NAME = "randomized_response"
BOOLS = (False, True)

family = RANDOMIZED_RESPONSE


def rule(x: Arg, *, epsilon: Arg = NONE, choices: Arg = NONE) -> Conclusion:
    """Bool, or Data or Int with `choices`: a public tuple of at least two different answers."""
    if not x.private or x.space is None:
        raise public_argument(x, NAME)
    if not isinstance(x.space, Scalar) or x.space.element == "Real":
        raise refuse(
            "wrong-norm",
            f"`{NAME}` answers from a list, and {x.text} lies in {x.space}",
            need="one discrete value",
            help=f"dp.{NAME}(value, epsilon=eps, choices=('no', 'yes'))",
        )
    answers = answers_of(x, choices, NAME)
    eps = public_number(epsilon, NAME, "epsilon")
    cost = eps * minimum(ONE, MOVED)
    noise = {"epsilon": eps, "answers": num(len(answers))}
    privacy = {"pure": (cost,), "zcdp": (pure_to_zcdp(cost),)}
    return Conclusion(
        None,
        requires=positive(eps, "bad-noise", epsilon.chosen),
        events=(Event(NAME, family, ONE_METRIC, noise, privacy),),
    )


def answers_of(x: Arg, choices: Arg, mechanism: str) -> Sequence[Any]:
    """The public list of answers; (False, True) for a Boolean.

    Raises:
        Refusal: no list of at least two different values.
    """
    if not given(choices) and getattr(x.space, "element", "") == "Bool":
        return BOOLS
    literal = choices.literal
    if isinstance(literal, (tuple, list)) and len(set(literal)) == len(literal) >= 2:
        return literal
    raise refuse(
        "wrong-arguments",
        f"`{mechanism}` needs the public list of possible answers of {x.text}",
        need="`choices=`, a tuple of at least two different values",
        help=f"dp.{mechanism}({x.text}, ..., choices=('no', 'yes'))",
    )


def index_of(x: Any, choices: Sequence[Any]) -> int:
    """Position of the value among the answers; 0 for any other value."""
    return next((i for i, choice in enumerate(choices) if choice == x), 0)


def run(x: Any, epsilon: Fraction, choices: Sequence[Any] | None = None, source: Any = None) -> Any:
    """One of the answers; the truth with probability e^epsilon / (e^epsilon + k - 1), exactly."""
    from metricdp.noise import randomized_response_epsilon

    answers = choices or BOOLS
    index = index_of(x, answers)
    return answers[randomized_response_epsilon(index, len(answers), epsilon, source)]


def law(x: Any, epsilon: Fraction, choices: Sequence[Any] | None = None) -> Any:
    """Exact law of the answer's position."""
    from metricdp.laws import RandomizedResponseLaw

    answers = choices or BOOLS
    return RandomizedResponseLaw(index_of(x, answers), len(answers), Fraction(epsilon))


def instances() -> Iterable[Instance]:
    for epsilon in (Fraction(1, 4), Fraction(3)):
        yield Instance({"x": Scalar("Bool")}, {"epsilon": epsilon})
        public = {"epsilon": epsilon, "choices": ("a", "b", "ab")}
        yield Instance({"x": Scalar("Data", kind="str")}, public)


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Two values that are different answers; the answer that is the first one's truth."""
    if d != 1:
        return None
    first, second = instance.public.get("choices", BOOLS)[:2]
    return {"x": first}, {"x": second}
