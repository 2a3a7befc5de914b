"""Rough pictures of loss laws and of the query: where to put tilt, lattice and window.

Nothing here is proved and nothing that is proved rests on it: a bad choice makes brackets wide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from math import ceil, exp, inf, log, pi, sqrt
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.losses.loss import Loss

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Cells per octave of |L|, smallest and largest exponent of two of the first look.
_FINE, _LEAST, _MOST = 2, -45, 14
#: The same for laws that lie beyond it, of mechanisms that hardly add noise.
_FARTHEST = 36
#: From so many parts on they are summed together.
_SEVERAL = 4
#: Halvings of the distance to an end of the support.
_BESIDE = 40
#: Relative accuracy of searched tilts.
_NEAR = 1e-6
#: The steepest slope that is tried, in units of 1 / (spread of the law).
_STEEPEST = 1e4
#: Cells on which the exponent of the tilt varies by more are refined, where it is within so much of
#: the largest, by at most so many points.
_COARSE, _MATTERS, _FINEST = 1.0, 40.0, 1500
#: Points of each of the two even looks.
_EVEN = 300
#: Pictures that are kept, of some 40 kilobytes: an account asks about the same laws many times.
_KEPT = 64


class Sketch(msgspec.Struct, frozen=True):
    """Cells of one loss, each as one atom.

    Attributes:
        edges: of the cells, shape (n + 1,).
        losses: ln(P / Q) of the cells, shape (n,).
        logs: ln P-mass, shape (n,).
    """

    edges: NDArray[Any]
    losses: NDArray[Any]
    logs: NDArray[Any]

    def tail(self, logs: NDArray[Any], mass: float) -> float:
        """The least edge with at most `mass` above it, of masses e^logs."""
        import numpy as np

        above = np.cumsum(np.exp(logs)[::-1])[::-1]
        heavy = np.flatnonzero(above > mass)
        return float(self.edges[heavy[-1] + 1] if len(heavy) else self.edges[0])

    def below(self, mass: float) -> Sketch:
        """Without the largest losses, of this mass together at most."""
        import numpy as np

        above = np.cumsum(np.exp(self.logs)[::-1])[::-1]
        heavy = np.flatnonzero(above > mass)
        kept = heavy[-1] + 1 if len(heavy) else len(self.logs)
        if kept == len(self.logs):
            return self
        return Sketch(self.edges[: kept + 1], self.losses[:kept], self.logs[:kept])

    def doubt(self) -> float:
        """The width of the widest heavy cell whose Q-mass is below every double."""
        import numpy as np

        vague = np.flatnonzero((self.logs - self.losses < -640.0) & (self.logs > -20.0))
        return float(np.diff(self.edges)[vague].max(initial=0.0))

    def head(self, logs: NDArray[Any], mass: float) -> float:
        """The largest edge with at most `mass` below it."""
        import numpy as np

        below = np.cumsum(np.exp(logs))
        heavy = np.flatnonzero(below > mass)
        return float(self.edges[heavy[0]] if len(heavy) else self.edges[-1])


def sketch(loss: Loss) -> Sketch:
    """A picture on cells that are fine near 0, in the bulk, and on the whole range."""
    known: Any = loss  # whose type does not say that it has a hash
    return _sketch(known)


@lru_cache(maxsize=_KEPT)
def _sketch(loss: Any) -> Sketch:
    import numpy as np

    for most in (_MOST, _FARTHEST):
        side = 2.0 ** np.linspace(_LEAST, most, (most - _LEAST) * _FINE + 1)
        first = _look(loss, np.concatenate((-side[::-1], [0.0], side)))
        if np.exp(first.logs).sum() > 0.5:
            break
    all_of_it = first.head(first.logs, 1e-30), first.tail(first.logs, 1e-270)
    bulk = first.head(first.logs, 1e-14), first.tail(first.logs, 1e-14)
    inside = first.edges[(first.edges >= all_of_it[0]) & (first.edges <= all_of_it[1])]
    looks = [np.linspace(*ends, _EVEN) for ends in (all_of_it, bulk)]
    # Mass may pile up at the ends of the support, and steep tilts see nothing else.
    for law, sign in ((loss, 1), (loss.reversed(), -1)):
        if law.largest is not None:
            end = sign * float(law.largest[1])
            other = all_of_it[0] if sign > 0 else all_of_it[1]
            beside = end + (other - end) * 2.0 ** -np.arange(1.0, _BESIDE)
            looks.append(beside[np.abs(beside - end) < np.abs(other - end)])
    return _look(loss, np.unique(np.concatenate((inside, *looks))))


def refined(loss: Loss, whole: Sketch, near: Sketch, tilt: float) -> Sketch:
    """The whole picture with cells on which e^(tilt L) varies little, where it matters.

    Args:
        near: what is left of `whole` without losses that count as failures.
    """
    import numpy as np

    terms = near.logs + tilt * near.losses
    heavy = np.flatnonzero(terms > terms.max() - _MATTERS)
    if not (tilt * np.diff(near.edges)[heavy] > _COARSE).any():
        return whole
    low, high = float(near.edges[heavy[0]]), float(near.edges[heavy[-1] + 1])
    count = min(_FINEST, ceil(2 * tilt * (high - low) / _COARSE))
    return _look(loss, np.unique(np.concatenate((whole.edges, np.linspace(low, high, count)))))


def _look(loss: Loss, edges: NDArray[Any]) -> Sketch:
    import numpy as np

    cells = loss.cells(edges)
    p, q = cells.p[1:-1], cells.q[1:-1]
    with np.errstate(all="ignore"):
        losses = np.clip(np.log(p) - np.log(q), edges[:-1], edges[1:])
        logs = np.log(p)
    middle = (edges[1:] + edges[:-1]) / 2
    return Sketch(edges, np.where(np.isfinite(losses), losses, middle), logs)


class Cumulant:
    """K(z) = sum n_i ln M_i(z) of the sketches, and its derivatives."""

    def __init__(self, parts: Sequence[tuple[Sketch, int]]) -> None:
        self.parts = parts

    def of(self, part: Sketch, z: float) -> tuple[float, float, float]:
        """ln M, its first and second derivative, of one part."""
        import numpy as np

        terms = part.logs + z * part.losses
        top = float(terms.max())
        weights = np.exp(terms - top)
        total = float(weights.sum())
        mean = float(weights @ part.losses) / total
        spread = float(weights @ (part.losses - mean) ** 2) / total
        return top + log(total), mean, spread

    def __call__(self, z: float) -> tuple[float, float, float]:
        if len(self.parts) >= _SEVERAL:
            return self._together(z)
        found = [(self.of(part, z), n) for part, n in self.parts]
        return (
            sum(n * k[0] for k, n in found),
            sum(n * k[1] for k, n in found),
            sum(n * k[2] for k, n in found),
        )

    def _together(self, z: float) -> tuple[float, float, float]:
        """The same in one go, for many parts."""
        import numpy as np

        logs, losses, copies = self._table
        terms = logs + z * losses
        top = terms.max(axis=1)
        terms -= top[:, None]
        weights = np.exp(terms)
        total = weights.sum(axis=1)
        mean = (weights * losses).sum(axis=1) / total
        spread = (weights * (losses - mean[:, None]) ** 2).sum(axis=1) / total
        values = top + np.log(total)
        return float(copies @ values), float(copies @ mean), float(copies @ spread)

    @cached_property
    def _table(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """ln of masses and losses, one row a part, and copies; rows are filled up with mass 0."""
        import numpy as np

        shape = len(self.parts), max(len(part.logs) for part, _ in self.parts)
        logs, losses = np.full(shape, -inf), np.zeros(shape)
        for row, (part, _) in enumerate(self.parts):
            logs[row, : len(part.logs)] = part.logs
            losses[row, : len(part.losses)] = part.losses
        return logs, losses, np.array([float(n) for _, n in self.parts])


def crossing(f: Callable[[float], float], low: float, high: float) -> float:
    """Where the falling f crosses 0, in (low, high) on a scale of ratios; an end if it does not.

    Chandrupatla (1997): inverse quadratic steps where three values allow them, else halves.
    """
    a, b = log(low), log(high)
    fa, fb = f(low), f(high)
    if not fa > 0:
        return low
    if fb > 0:
        return high
    c, fc, share = a, fa, 0.5
    for _ in range(60):
        x = a + share * (b - a)
        fx = f(exp(x))
        if (fx > 0) == (fa > 0):
            c, fc = a, fa
        else:
            c, fc, b, fb = b, fb, a, fa
        a, fa = x, fx
        least = _NEAR / abs(b - a) if b != a else 1.0
        if least > 0.5:
            break
        place, slope = (a - b) / (c - b), (fa - fb) / (fc - fb) if fc != fb else inf
        share = 0.5
        if slope * slope < place and (1 - slope) ** 2 < 1 - place:
            share = fa / (fb - fa) * fc / (fb - fc)
            share += (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        share = min(max(share, least), 1 - least)
    return exp(a)


class Aim(msgspec.Struct, frozen=True):
    """The saddle point c > 0 of a query, and roughly epsilon, ln delta and the spread of L."""

    tilt: float
    epsilon: float
    log_delta: float
    spread: float


def aim(cumulant: Cumulant, epsilon: float | None, log_delta: float | None) -> Aim:
    """The saddle point of K(c) - c eps - ln c - ln(1 + c), given eps or ln delta."""
    _, centre, square = cumulant(0.0)
    # A law that is one atom for doubles: steeper tilts would be all rounding.
    scale = max(sqrt(max(square, 1e-280)), 1e-10 * abs(centre))
    ends = 1e-3 * min(1.0, 1 / scale), 1e3 * max(1.0, 1 / scale)

    def at(c: float) -> Aim:
        value, mean, spread = cumulant(c)
        place = mean - 1 / c - 1 / (1 + c)
        bend = spread + 1 / c**2 + 1 / (1 + c) ** 2
        height = value - c * place - log(c * (1 + c)) - log(2 * pi * bend) / 2
        return Aim(c, place, height, sqrt(spread))

    if epsilon is not None:
        wanted = epsilon
        return at(crossing(lambda c: wanted - at(c).epsilon, *ends))
    assert log_delta is not None
    return at(crossing(lambda c: at(c).log_delta - log_delta, *ends))


def reach(cumulant: Cumulant, c: float, log_mass: float, sign: int) -> tuple[float, float, bool]:
    """(loss, slope, piled): beyond the loss the law tilted by c has about e^log_mass, by Chernoff.

    Where masses pile up at an end of the support no slope brings the bound down so far: then the
    loss is nearly that end, and `piled` is true.

    sign: 1 above, -1 below.
    """
    value, _, spread = cumulant(c)
    unit = 1 / sqrt(max(spread, 1e-280))

    def left(s: float) -> float:
        moved = cumulant(c + sign * s)
        return moved[0] - value - sign * s * moved[1] - log_mass

    s = crossing(left, 1e-3 * unit, _STEEPEST * unit)
    return cumulant(c + sign * s)[1], sign * s, s > 0.99 * _STEEPEST * unit
