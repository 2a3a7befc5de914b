"""softmax: e^x_i / sum of e^x_j; the entries of the result are nonnegative with sum 1.

Stability.  The derivative at a result s is S = diag(s) - s s^T, symmetric.  Its operator norms,
over all s, for at least two entries:
    |           | to L1     | to L2     | to LInf   |
    | from L1   | 1/2       | sqrt(2)/4 | 1/4       |
    | from L2   | sqrt(2)/2 | 1/2       | sqrt(2)/4 |
    | from LInf | 1         | sqrt(2)/2 | 1/2       |
Columns of S: 2 s (1 - s), at most sqrt(2) s (1 - s), s (1 - s).  L2 to L2: half the spread of
the unit coordinates (Popoviciu).  LInf to L_q: at sign vectors with mass a on the plus side, where
the L2 norm squared is at most 8 a^2 (1 - a)^2.  The rest by duality.
Approached by small steps from two equal entries far above the others.
Source: covariance of the softmax law; mean value theorem.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, ZERO, D, num, root
from metricdp.primitives.vectors.logsumexp import TRUST, UNIT, numbers, weights
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Vector
from metricdp.spaces.norms import NORM_NAMES

example = "v: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(2)] = [0, 0]; dp.softmax(v)"

columnar = "shares"
spelling = Spelling(numpy=("scipy.special.softmax",))

_ROOT = root(num(2))
CONSTANTS = {
    ("L1", "L1"): num(Fraction(1, 2)),
    ("L1", "L2"): _ROOT / 4,
    ("L1", "LInf"): num(Fraction(1, 4)),
    ("L2", "L1"): _ROOT / 2,
    ("L2", "L2"): num(Fraction(1, 2)),
    ("L2", "LInf"): _ROOT / 4,
    ("LInf", "L1"): ONE,
    ("LInf", "L2"): _ROOT / 2,
    ("LInf", "LInf"): num(Fraction(1, 2)),
}


def rule(x: Arg) -> Conclusion:
    """A private vector of numbers to probabilities of the same size."""
    space, n = numbers(x, "softmax")
    result = Vector("Real", space.norm, n, ZERO, ONE, (("L1", ONE),))
    moves = {pair: constant * D for pair, constant in CONSTANTS.items()}
    return Conclusion(result, {"x": moves}, rests_on=(TRUST,), rounding=n * UNIT)


def run(x: Any) -> Any:
    """Rational probabilities with sum exactly 1."""
    if not len(x):
        return []
    _, parts = weights(x)
    total = sum(parts, Fraction(0))
    return [part / total for part in parts]


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        yield Instance({"x": Vector("Real", norm, num(2))}, tight="unknown")
        low = Fraction(-1, 100), Fraction(1, 100)
        near = Vector("Real", norm, num(2), num(low[0]), num(low[1]))
        yield Instance({"x": near}, tight="approached")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Two equal entries that part; under L1 only one of them moves."""
    if instance.tight == "unknown":
        return None
    step = Fraction(1, 200)
    space = instance.private["x"]
    assert isinstance(space, Vector)
    down = Fraction(0) if space.norm == "L1" else -step
    return {"x": [Fraction(0)] * 2}, {"x": [step, down]}
