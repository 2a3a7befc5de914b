"""staircase: adds staircase noise to a whole number, of the least error at a sensitivity.

Privacy.  With D the sensitivity, the masses are equal on stairs and fall by e^-epsilon from one
stair to the next, so that two centres at most K D apart, K whole, have stairs that differ by at
most K everywhere (`metricdp.families.staircase`): epsilon K, and rho = K epsilon tanh(K epsilon/2).
At d < D the cost of D is charged: epsilon is met there, too.
Tight: far out, an outcome on whose way every begun sensitivity crosses a stair.
Noise: `sensitivity=D`, a whole number (rounded up); when left out, the largest single-input
movement at distance 1.  `stair=r` is the width of the first stair; when left out,
ceil(D / (1 + e^(epsilon/2))), next to the one of the least mean absolute error; it costs nothing.
Laplace noise of the same epsilon has more error, the more the larger epsilon is.
Source: Geng, Kairouz, Oh, Viswanath (2015), section VI; Geng and Viswanath (2014), Theorem 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.accounting.costs import pure_to_zcdp
from metricdp.expr import ONE, ceil, exp
from metricdp.families.staircase import STAIRCASE
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._noise import (
    NONE,
    given,
    integer_argument,
    positive,
    public_number,
)
from metricdp.record import (
    BOUND,
    MOVED,
    ONE_METRIC,
    RATIO,
    Arg,
    Conclusion,
    Instance,
    Requirement,
    refuse,
)
from metricdp.spaces import Scalar

example = "x: dp.Int = 7; dp.staircase(x, epsilon=1)"

NAME = "staircase"
family = STAIRCASE


def rule(x: Arg, *, epsilon: Arg, sensitivity: Arg = NONE, stair: Arg = NONE) -> Conclusion:
    """A whole number; public `epsilon` > 0, `sensitivity` and `stair`."""
    if integer_argument(x, NAME, "L1") != ONE_METRIC:
        raise refuse(
            "wrong-norm",
            f"`{NAME}` adds noise to one number, and {x.text} lies in {x.space}",
            need="a whole number",
            help=f"dp.{NAME}(entry, epsilon=eps) for every entry, or dp.discrete_laplace",
        )
    e = public_number(epsilon, NAME, "epsilon")
    requires = positive(e, "bad-noise", epsilon.chosen)
    width, steps = ceil(BOUND), ceil(RATIO)
    if given(sensitivity):
        stated = public_number(sensitivity, NAME, "sensitivity")
        width = ceil(stated)
        steps = ceil(MOVED / width)
        requires += positive(stated, "bad-noise", sensitivity.chosen)
    first = ceil(width / (1 + exp(e / 2)))
    if given(stair):
        first = ceil(public_number(stair, NAME, "stair"))
        requires += (
            Requirement(first, ">=", ONE, "bad-noise", f"choose {stair.chosen} >= 1"),
            Requirement(first, "<=", width, "bad-noise", f"choose {stair.chosen} <= {width}"),
        )
    cost = e * steps
    privacy = {"pure": (cost,), "zcdp": (pure_to_zcdp(cost),)}
    noise = {"sensitivity": width, "epsilon": e, "stair": first}
    event = Event(NAME, family, ONE_METRIC, noise, privacy)
    return Conclusion(None, requires=requires, events=(event,))


def run(x: Any, sensitivity: Any, epsilon: Fraction, stair: Any, source: Any = None) -> int:
    """x plus one draw."""
    extra = {"epsilon": Fraction(epsilon), "stair": int(stair)}
    return int(x) + family.noise(Fraction(sensitivity), extra, 1, source)[0]


def law(x: Any, sensitivity: Any, epsilon: Fraction, stair: Any) -> Any:
    """Exact output law."""
    extra = {"epsilon": Fraction(epsilon), "stair": int(stair)}
    return family.law_around(Fraction(x), Fraction(sensitivity), extra)


def instances() -> Iterable[Instance]:
    number = Scalar("Int")
    yield Instance({"x": number}, {"epsilon": Fraction(1, 2)})
    yield Instance({"x": number}, {"epsilon": Fraction(3), "sensitivity": Fraction(2)})
    for stair in (1, 2):
        public = {"epsilon": Fraction(1), "sensitivity": Fraction(2), "stair": Fraction(stair)}
        yield Instance({"x": number}, public)


def tight(instance: Instance, d: int, tol: Fraction) -> tuple[dict[str, Any], dict[str, Any]]:
    """Centres at distance d."""
    return {"x": 0}, {"x": d}
