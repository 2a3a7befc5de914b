"""Upper bounds of characteristic functions from pieces of density: how fast moments fall."""

from __future__ import annotations

from collections.abc import Iterable
from math import log1p, pi, sin

#: sup of |sin x / x| over x >= pi, rounded up (attained near x = 4.4934).
_BEYOND = 0.2172336283


def log_decay_of_pieces(pieces: Iterable[tuple[float, float]], t: float) -> float:
    """An upper bound of ln sup over y >= t of |E e^(i y X)|.

    Args:
        pieces: (length, mass): on disjoint intervals of that length the law of X has at least a
            uniform part of that mass.  Masses are lower bounds and sum to at most 1.
        t: > 0.

    Proof: X is a mixture of the uniform parts and a rest, and the characteristic function of a
    uniform law on an interval of length l has modulus |sinc(y l / 2)|.  That falls on [0, pi] and
    is at most 0.21724 beyond.
    """
    lost = 0.0
    for length, mass in pieces:
        x = t * length / 2
        if x < 1e-2:
            # 1 - sin(x)/x >= x^2/6 - x^4/120.
            gain = x * x / 6 * (1 - x * x / 20)
        else:
            gain = 1 - max(sin(x) / x if x < pi else 0.0, _BEYOND)
        lost += mass * gain
    # Masses and gains are doubles of relative error below 1e-12.
    return log1p(-min(lost, 1 - 1e-15) * (1 - 1e-11))
