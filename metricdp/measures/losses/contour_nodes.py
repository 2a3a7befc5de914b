"""Which nodes of a contour are worth their evaluation, and a bound of what the others add.

Composed losses of few values come back into phase far up the line: 500 Laplace mechanisms have
nodes up to the 14th such resonance, and nearly nothing between them.  At a node z = c + iy the
integrand of delta(e) has the modulus |M(z)| e^(-c e) / (|z| |z + 1|) <= M(c) e^(-c e) t, with
    t = e^b / (c^2 + y^2),  b = sum n_i b_i,  b_i >= ln |M_i(z) / M_i(c)|,
b_i of `PointwiseLoss.log_moduli` for the parts that have one and 0 for the others.  So nodes that
are left out on both sides of the real line add at most 2 (h / 2 pi) M(c) e^(-c e) sum t.

Doubles: the true y is k 2 pi / T for a double T, and k (2 pi / T) as computed is within four
roundings of it, below 1e-15 y.  All b_i are at most 0, so the sum b is off by at most (number of
parts + 2) roundings of itself; `_SAFE` allows 10^5 parts.  ln t is off by a few roundings of b and
ln (c^2 + y^2), each below 1500 in modulus where t is above e^-745; `_SLACK` allows that, and
`_TINY` what underflows.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, pi
from typing import TYPE_CHECKING, Any

from metricdp.measures.losses.contour_plan import Plan
from metricdp.measures.losses.pointwise import PointwiseLoss
from metricdp.measures.losses.saddle import Parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SAFE, _SLACK, _TINY = 1 - 1e-10, 1e-9, 1e-300
#: Nodes that are evaluated at most.
_MOST_KEPT = 8_000


def worthwhile(parts: Parts, plan: Plan) -> tuple[Sequence[int], float]:
    """(nodes that are to be evaluated, 0 among them; a bound of the sum of t over the others)."""
    import numpy as np

    every = range(plan.last + 1)
    falling = [(loss, n) for loss, n in parts if isinstance(loss, PointwiseLoss)]
    if not falling or plan.room > 700:
        return every, 0.0
    heights = np.arange(1, plan.last + 1) * (2 * pi / plan.period)
    logs: NDArray[Any] = np.zeros(plan.last)
    for loss, n in falling:
        logs += n * loss.log_moduli(plan.c, heights)
    with np.errstate(under="ignore", over="ignore"):
        terms = np.exp(logs * _SAFE - 2 * np.log(np.hypot(plan.c, heights)))
    # Together they may take e^room of M(c) e^(-c e): h / pi times their sum, h = 2 pi / T.
    left = terms <= exp(plan.room) * plan.period / (2 * max(1, plan.last))
    # The farthest of too many add little each, and are bounded as well.
    left |= np.cumsum(~left) > _MOST_KEPT
    if not left.any():
        return every, 0.0
    kept = [0, *(int(k) + 1 for k in np.flatnonzero(~left))]
    return kept, float(terms[left].sum()) * (1 + _SLACK) + _TINY * plan.last
