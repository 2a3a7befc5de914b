"""laplace: adds Laplace noise to a real number, or to every entry of a vector.

Privacy.  On the grid the output law at k is proportional to exp(-|k - x|/b), so the log-ratio of
two outputs moves by at most |x - x'|_1 / b: epsilon = d_1 / b, in the L1 norm and not in L2.
Tight: any outcome beyond both centres.  zCDP: an epsilon-DP mechanism has rho at most
epsilon * tanh(epsilon / 2), exact for the worst case (two-point laws).
Noise: `scale=b`, or the target `epsilon=`, and then b is the largest single-input movement at
distance 1 divided by epsilon.
Source: Dwork, McSherry, Nissim, Smith (2006), Theorem 1; Bun and Steinke (2016) for rho.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import num, tanh
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._noise import positive, real_argument
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
from metricdp.spaces import Scalar, Vector

NONE = Arg(literal=None)


def rule(x: Arg, scale: Arg = NONE, epsilon: Arg = NONE) -> Conclusion:
    """Real scalar or vector; exactly one of `scale` (public) and `epsilon` (target)."""
    norm = real_argument(x, "laplace", "L1")
    if (scale.value is None) == (epsilon.value is None):
        raise refuse(
            "bad-noise",
            "`laplace` takes its noise either as `scale=` or as a target `epsilon=`",
            need="exactly one public number",
            help=f"dp.laplace({x.text}, epsilon=eps)",
        )
    if scale.value is not None:
        cost, width = MOVED / scale.value, scale.value
        requires = positive(scale.value, "bad-noise", scale.text)
    else:
        assert epsilon.value is not None
        cost, width = epsilon.value * RATIO, BOUND / epsilon.value
        requires = positive(epsilon.value, "bad-noise", epsilon.text)
    event = Event(
        "laplace", norm, {"scale": width}, {"pure": (cost,), "zcdp": (cost * tanh(cost / 2),)}
    )
    return Conclusion(None, requires=requires, events=(event,))


def run(x: Any, scale: Fraction, source: Any = None) -> Any:
    """One draw around x (integer ticks) with tick scale `scale`; see `run.emit` for the grid."""
    from metricdp.noise import SystemSource, discrete_laplace

    return x + discrete_laplace(scale, None, source or SystemSource())


def law(x: int, scale: Fraction) -> Any:
    """Exact output law on the integer grid."""
    from metricdp.laws import DiscreteLaplaceLaw

    return DiscreteLaplaceLaw(x, scale)


def instances() -> Iterable[Instance]:
    for scale in (Fraction(1, 3), Fraction(1), Fraction(10)):
        yield Instance({"x": Scalar("Int")}, {"scale": scale})
        yield Instance({"x": Vector("Int", "L1", num(3))}, {"scale": scale})


def tight(instance: Instance, d: int, tol: Fraction) -> tuple[dict[str, Any], dict[str, Any]]:
    """Centres at distance d; every outcome below both has log-ratio d / scale."""
    if isinstance(instance.private["x"], Vector):
        return {"x": [0, 0, 0]}, {"x": [d, 0, 0]}
    return {"x": 0}, {"x": d}


record = register(
    Record(
        name="laplace",
        kind="mechanism",
        rule=rule,
        run=run,
        instances=instances,
        tight=tight,
        proof=__doc__ or "",
        spelling=Spelling(opendp=("make_laplace", "make_base_laplace")),
        law=law,
    )
)
