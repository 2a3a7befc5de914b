"""randomized_response_kept: tells the truth with probability p, else one of the other answers.

Privacy.  Of k answers the true one has probability p and every other one q = (1 - p) / (k - 1), so
for two inputs every answer has a probability ratio in {p/q, 1, q/p}: epsilon = |ln(p/q)| when the
input moved, 0 when not.  For p < 1/k the truth is the rarest answer, and the ratio q/p counts: a
bound that takes ln(p/q) alone is negative there.  p = 0 and p = 1 tell inputs apart for certain.
A value that is none of the answers counts as the first of them.  Tight: the answer that is the
truth of one input.  rho = epsilon tanh(epsilon / 2) bounds it, exactly for k = 2.
Source: Warner (1965); Kairouz, Oh, Viswanath (2014).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from metricdp.accounting.costs import pure_to_zcdp
from metricdp.expr import ONE, ZERO, Expr, log, maximum, minimum, num
from metricdp.families.recorded import Recorded
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._noise import NONE, public_argument, public_number
from metricdp.primitives.mechanisms.randomized_response import BOOLS, answers_of, index_of
from metricdp.record import (
    MOVED,
    ONE_METRIC,
    Arg,
    Conclusion,
    Instance,
    Requirement,
    Spelling,
    refuse,
)
from metricdp.spaces import Scalar

example = "smokes: dp.Bool = True; dp.randomized_response_kept(smokes, prob=0.75)"

__all__ = ["exactly", "open_share"]

spelling = Spelling(opendp=("make_randomized_response", "make_randomized_response_bool"))

NAME = "randomized_response_kept"


def rule(x: Arg, *, prob: Arg, choices: Arg = NONE) -> Conclusion:
    """Bool, or Data or Int with `choices`: a public tuple of at least two different answers.

    `prob` is public, 0 < prob < 1.
    """
    if not x.private or x.space is None:
        raise public_argument(x, NAME)
    if not isinstance(x.space, Scalar) or x.space.element == "Real":
        raise refuse(
            "wrong-norm",
            f"`{NAME}` answers from a list, and {x.text} lies in {x.space}",
            need="one discrete value",
            help=f"dp.{NAME}(value, prob=0.75, choices=('no', 'yes'))",
        )
    k = len(answers_of(x, choices, NAME))
    p = exactly(public_number(prob, NAME, "prob"), prob)
    ratio = log(p * (k - 1) / (1 - p)) if open_share(p) else ZERO
    cost = maximum(ratio, -ratio) * minimum(ONE, MOVED)
    requires = (
        Requirement(p, ">", ZERO, "bad-noise", f"choose {prob.chosen} > 0"),
        Requirement(p, "<", ONE, "bad-noise", f"choose {prob.chosen} < 1"),
    )
    privacy = {"pure": (cost,), "zcdp": (pure_to_zcdp(cost),)}
    event = Event(NAME, family, ONE_METRIC, {"prob": p, "k": num(k)}, privacy)
    return Conclusion(None, requires=requires, events=(event,))


def open_share(p: Expr) -> bool:
    """Whether a probability may lie strictly between 0 and 1."""
    known = p.as_fraction()
    return known is None or 0 < known < 1


def exactly(p: Expr, given: Arg) -> Expr:
    """A probability that coins can have exactly: a number, or a public parameter as it stands.

    Raises:
        Refusal: an expression, whose value may be irrational.
    """
    if p.as_fraction() is not None or (len(p.symbols) == 1 and str(p) in p.symbols):
        return p
    raise refuse(
        "bad-noise",
        f"the probability {given.text} is computed, and coins are exact",
        need="a number, or a public parameter",
        help=f"a public parameter of its own for {given.text}",
    )


def run(x: Any, prob: Fraction, choices: Sequence[Any] | None = None, source: Any = None) -> Any:
    """One of the answers; the truth with probability `prob`, exactly."""
    from metricdp.noise.bernoulli import randomized_response

    answers = choices or BOOLS
    return answers[randomized_response(index_of(x, answers), len(answers), prob, source)]


def law(x: Any, prob: Fraction, choices: Sequence[Any] | None = None) -> Any:
    """Exact law of the answer."""
    from metricdp.laws import FiniteLaw

    answers = choices or BOOLS
    truth, p = index_of(x, answers), Fraction(prob)
    other = (1 - p) / (len(answers) - 1)
    return FiniteLaw({a: p if i == truth else other for i, a in enumerate(answers)})


family = Recorded(NAME, run, law)


def instances() -> Iterable[Instance]:
    for prob in (Fraction(3, 4), Fraction(1, 5)):
        yield Instance({"x": Scalar("Bool")}, {"prob": prob})
        public = {"prob": prob, "choices": ("a", "b", "ab")}
        yield Instance({"x": Scalar("Data", kind="str")}, public)


def tight(instance: Instance, d: int, tol: Fraction) -> Any:
    """Two values that are different answers; the answer that is the truth of one."""
    if d != 1:
        return None
    first, second = instance.public.get("choices", BOOLS)[:2]
    return {"x": first}, {"x": second}
