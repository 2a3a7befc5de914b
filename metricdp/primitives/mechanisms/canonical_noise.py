"""canonical_noise: adds noise to a number that spends exactly (epsilon, delta), and no less.

Privacy.  With s the sensitivity, x + s N is released, N the Tulap law of (epsilon, delta)
(`noise.canonical`): a density that is constant on unit cells, falls by e^-epsilon from cell to
cell, and is cut off at +-c.  Two centres at most K s apart, K whole, have cells that differ by at
most K everywhere, so where both densities are positive their ratio is at most e^(K epsilon); and
one is positive alone with probability at most P(N < K - c).  For K = 1 that is delta: the cut is
made so.  Group privacy for K = ceil(d / s) steps then gives
(K epsilon, delta (e^(K epsilon) - 1) / (e^epsilon - 1)), which P(N < K - c) equals while K <= c.
Without delta: epsilon K, exactly, and rho = K epsilon tanh(K epsilon / 2).
At d < s the cost of s is charged: epsilon is met there, too.
At one sensitivity the trade-off between the errors of every test is that of (epsilon, delta),
nowhere above: so the noise is canonical.
Whole numbers are released as whole numbers, others on a public grid; rounding comes after the
noise.  Tight: centres one sensitivity apart, and the outcomes that only one of them has.
Noise: `sensitivity=s`; when left out, the largest single-input movement at distance 1.
Source: Awan and Slavkovic (2018), for the Tulap law; Awan and Vadhan (2023), for what is canonical.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.accounting.costs import pure_to_zcdp
from metricdp.expr import ONE, ZERO, Expr, ceil, exp, num, sum_over, sym
from metricdp.families.canonical import CanonicalNoise
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._noise import (
    NONE,
    below_one,
    given,
    positive,
    public_argument,
    public_number,
)
from metricdp.primitives.mechanisms.randomized_response_kept import exactly
from metricdp.record import (
    BOUND,
    MOVED,
    ONE_METRIC,
    RATIO,
    Arg,
    Conclusion,
    Instance,
    Requirement,
    Spelling,
    Witness,
    refuse,
)
from metricdp.spaces import Scalar

example = "x: dp.Real = 7; dp.canonical_noise(x, epsilon=1, delta=0.001)"

spelling = Spelling(opendp=("make_canonical_noise",))

NAME = "canonical_noise"
#: As `noise.canonical.LARGEST`, which the sampler checks.
_LARGEST = 1000


def rule(x: Arg, *, epsilon: Arg, delta: Arg = NONE, sensitivity: Arg = NONE) -> Conclusion:
    """A real number; public epsilon > 0 and 0 <= delta < 1, exact; `sensitivity` > 0 is public."""
    if not x.private or x.space is None:
        raise public_argument(x, NAME)
    if not isinstance(x.space, Scalar) or x.space.element not in ("Real", "Int", "Bool"):
        raise refuse(
            "wrong-norm",
            f"`{NAME}` adds noise to one number, and {x.text} lies in {x.space}",
            need="a real number",
            help=f"dp.{NAME}(entry, epsilon=eps, delta=delta) for every entry, or dp.gaussian",
        )
    e = exactly(public_number(epsilon, NAME, "epsilon"), epsilon)
    requires: tuple[Requirement, ...] = (
        *positive(e, "bad-noise", epsilon.chosen),
        Requirement(e, "<=", num(_LARGEST), "bad-noise", f"choose {epsilon.chosen} <= {_LARGEST}"),
    )
    share = ZERO
    if given(delta) and not (delta.value is not None and delta.value.is_zero):
        share = exactly(public_number(delta, NAME, "delta"), delta)
        requires += (
            Requirement(share, ">=", ZERO, "bad-noise", f"choose {delta.chosen} >= 0"),
            *below_one(share, "vacuous-guarantee", delta.chosen),
        )
    steps, width = ceil(RATIO), BOUND
    if given(sensitivity):
        width = public_number(sensitivity, NAME, "sensitivity")
        steps = ceil(MOVED / width)
        requires += positive(width, "bad-noise", sensitivity.chosen)
    whole = num(int(x.space.element != "Real"))
    noise = {"sensitivity": width, "epsilon": e, "delta": share, "whole": whole}
    event = Event(NAME, family, ONE_METRIC, noise, _costs(e, share, steps))
    return Conclusion(None, requires=requires, events=(event,))


def _costs(epsilon: Expr, delta: Expr, steps: Expr) -> dict[str, tuple[Expr, ...]]:
    if delta.is_zero:
        return {"pure": (epsilon * steps,), "zcdp": (pure_to_zcdp(epsilon * steps),)}
    step = sym("_step", nonneg=True, integer=True)
    grown = sum_over(exp(epsilon * step), "_step", ZERO, steps - ONE)
    return {"approx": (epsilon * steps, delta * grown)}


def run(
    x: Any,
    sensitivity: Fraction,
    epsilon: Fraction,
    delta: Any = 0,
    whole: Any = 1,
    source: Any = None,
) -> int | float:
    """x plus noise: a whole number, or a double on a grid of about 2**-30 sensitivities."""
    from metricdp.noise.canonical import canonical_ticks
    from metricdp.noise.rounded_scalar import step_exponent, to_double

    exponent = 0 if whole or not sensitivity else step_exponent(Fraction(sensitivity))
    tick = canonical_ticks(x, sensitivity, epsilon, delta, exponent, source)
    return tick if whole else to_double(tick, exponent)


def law(x: Any, sensitivity: Fraction, epsilon: Fraction, delta: Any = 0, whole: Any = 1) -> Any:
    """Exact law of the number, before it becomes a double."""
    from metricdp.laws import FiniteLaw, GridLaw, RoundedTulapLaw
    from metricdp.noise.rounded_scalar import statistic, step_exponent

    centre, width = statistic(x), Fraction(sensitivity)
    if not width:
        return FiniteLaw.sure(centre)
    if whole:
        return RoundedTulapLaw(centre, width, Fraction(epsilon), Fraction(delta))
    step = Fraction(2) ** step_exponent(width)
    noise = RoundedTulapLaw(centre / step, width / step, Fraction(epsilon), Fraction(delta))
    return GridLaw(noise, step)


family = CanonicalNoise(NAME, run, law)


def instances() -> Iterable[Instance]:
    number = Scalar("Int")
    for s in (Fraction(1), Fraction(2)):
        yield Instance({"x": number}, {"sensitivity": s, "epsilon": Fraction(1, 2)})
    for epsilon, delta in ((Fraction(1), Fraction(1, 100)), (Fraction(1, 5), Fraction(1, 10**6))):
        yield Instance({"x": number}, {"epsilon": epsilon, "delta": delta, "sensitivity": 1})
    yield Instance({"x": number}, {"epsilon": Fraction(3), "delta": Fraction(1, 2)})
    yield Instance({"x": Scalar("Real")}, {"epsilon": Fraction(1, 2)}, {}, "approached")
    targets = {"epsilon": Fraction(1, 2), "delta": Fraction(1, 10**5)}
    yield Instance({"x": Scalar("Real")}, targets, {}, "approached")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Centres at distance d."""
    return {"x": 0}, {"x": d}
