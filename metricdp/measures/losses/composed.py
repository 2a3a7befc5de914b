"""Several losses composed: what every engine needs to know about them together.

Losses of an adaptive composition add (independent copies of dominating pairs: Zhu, Dong, Wang 2022,
Theorem 10).  The composition's P(L = +oo) is 1 - prod (1 - leak_i)^(n_i), and
    delta(eps) = leak + E_P[(1 - e^(eps - L))_+; all losses finite].
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from metricdp.errors import ParameterError
from metricdp.measures.losses.balls import ball, ends, precision
from metricdp.measures.losses.loss import Loss

Bounds = tuple[Fraction, Fraction]


class Composed(msgspec.Struct, frozen=True):
    """Losses with counts, merged.

    Attributes:
        parts: distinct losses with counts >= 1.
        leak: bounds of P(L = +oo).
        largest: bounds of the essential supremum of the finite losses; None when it is infinite.
    """

    parts: tuple[tuple[Loss, int], ...]
    leak: Bounds
    largest: Bounds | None


def composed(parts: Sequence[tuple[Loss, int]]) -> Composed:
    """Merge equal losses and compose their leaks and suprema.

    Raises:
        ParameterError: a count that is no integer, or is negative.
    """
    merged = counted(parts)
    return Composed(merged, _leak(merged), _largest(merged))


def counted(parts: Sequence[tuple[Loss, int]]) -> tuple[tuple[Loss, int], ...]:
    """Distinct losses with their counts, those with count 0 left out.

    Raises:
        ParameterError: a count that is no integer, or is negative.
    """
    counts: dict[Loss, int] = {}
    for loss, count in parts:
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise ParameterError(
                f"a mechanism is repeated {count!r} times",
                place="count",
                remedy="count rounds with an integer, at least 0",
            )
        if count:
            counts[loss] = counts.get(loss, 0) + count
    return tuple(counts.items())


def _leak(parts: Sequence[tuple[Loss, int]]) -> Bounds:
    leaks = [(loss.infinite, count) for loss, count in parts if loss.infinite[1]]
    if not leaks:
        return Fraction(0), Fraction(0)
    if len(leaks) == 1 and leaks[0][1] == 1:
        return leaks[0][0]
    if any(leak[0] == 1 for leak, _ in leaks):
        return Fraction(1), Fraction(1)
    with precision(160):
        low, high = (
            -sum(((1 - ball(leak[side])).log() * count for leak, count in leaks), ball(0))
            for side in (0, 1)
        )
        return (
            max(Fraction(0), ends(-(-low).expm1())[0]),
            min(Fraction(1), ends(-(-high).expm1())[1]),
        )


def _largest(parts: Sequence[tuple[Loss, int]]) -> Bounds | None:
    low, high = Fraction(0), Fraction(0)
    for loss, count in parts:
        if loss.largest is None:
            return None
        low, high = low + count * loss.largest[0], high + count * loss.largest[1]
    return low, high
