"""ln of a mixture of likelihood ratios, sum w_j e^(e_j) with weights that sum to 1, in doubles.

Where an increasing loss takes given values: Newton's method in doubles, and what is in doubt.

Two mixtures of one noise on a line: P moves to the right, Q to the left.

What their loss laws share, whatever the noise: L = ln dP/dQ increases with x, and the pair (Q, P)
is, mirrored, that of the two mixtures exchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import msgspec

from metricdp.accounting.lattice.laws import SLACK
from metricdp.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: (weight, shift >= 0) of the components of a mixture; the weights sum to 1.
Mixture = tuple[tuple[Fraction, Fraction], ...]


class Columns(NamedTuple):
    """Doubles of a mixture, each of shape (components, 1)."""

    weights: NDArray[Any]
    shifts: NDArray[Any]
    logs: NDArray[Any]


def mixture_logs(
    mixture: Columns, exponents: NDArray[Any], slopes: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """ln of the sum, its derivative, and the size of the numbers that are rounded on the way.

    Args:
        mixture: its weights are used.
        exponents: e_j at n points, shape (components, n).
        slopes: their derivatives, the same shape or one column.
    """
    import numpy as np

    weights, _, logs = mixture
    excess, moved = np.zeros((2, exponents.shape[1]))
    small = exponents.max(axis=0) < 1
    grown = weights * np.expm1(exponents[:, small])
    excess[small], moved[small] = grown.sum(axis=0), np.abs(grown).sum(axis=0)
    terms = logs + exponents
    top = terms.max(axis=0)
    shares = np.exp(terms - top)
    total = shares.sum(axis=0)
    # Near 1 the weights sum to 1 exactly, and what is left of it keeps its digits.
    near = small & (excess > -0.5)
    found = np.where(near, np.log1p(np.where(near, excess, 0.0)), top + np.log(total))
    shares /= total
    rough = 3 * np.abs(exponents) - logs
    size = (shares * np.where(near, np.abs(exponents), rough)).sum(axis=0) + near * moved
    return found, (shares * slopes).sum(axis=0), size


def columns(mixture: Mixture) -> Columns:
    """Weights, shifts and ln of weights."""
    import numpy as np

    rows = [(float(w), float(s), _log(w)) for w, s in mixture]
    return Columns(*(np.array(column)[:, None] for column in zip(*rows, strict=True)))


def farthest(mixture: Mixture) -> float:
    """The largest shift."""
    return float(max(s for _, s in mixture))


def _log(weight: Fraction) -> float:
    """ln of a rational of any size, to a few roundings of it."""
    power = weight.numerator.bit_length() - weight.denominator.bit_length()
    return log(float(weight / Fraction(2) ** power)) + power * log(2)


_TABLE, _STEPS = 4097, 60
#: Unit roundoff, with room for a few operations.
_ROUNDED = 4 * 2.0**-53


class CellPlaces(msgspec.Struct, frozen=True):
    """At points x: the loss, its slope >= 0, and the size of the numbers rounded on the way."""

    losses: NDArray[Any]
    slopes: NDArray[Any]
    sizes: NDArray[Any]


class PlaceTable(NamedTuple):
    """Points of the range in which edges are placed, and losses at most and not decreasing there:
    where the search of each edge begins."""

    points: NDArray[Any]
    losses: NDArray[Any]


def place_table(at: Callable[[NDArray[Any]], CellPlaces], ends: tuple[float, float]) -> PlaceTable:
    """On equidistant points between the ends."""
    import numpy as np

    points = np.linspace(*ends, _TABLE)
    return PlaceTable(points, np.maximum.accumulate(at(points).losses))


def placed(
    at: Callable[[NDArray[Any]], CellPlaces], edges: NDArray[Any], places: PlaceTable
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The x in the table's range with L(x) = edge, and a relative error of masses of cells between.

    Edges may be off by what `CellMasses` allows; only what rounding moves them beyond that is
    charged: a cell of width g in x whose ends are off by dx, at densities whose logarithms have
    slopes of at most k = |x| + max(|low|, |high|) + 1, is off by 8 dx max(1 / g, k).

    Args:
        places: of the law; low and high are its ends.

    Returns:
        x, shape (n,), not decreasing; error, shape (n + 1,).
    """
    import numpy as np

    table, known = places
    low, high = table[0], table[-1]
    above = np.clip(np.searchsorted(known, edges), 1, _TABLE - 1)
    left, right = table[above - 1], table[above]
    inside = (edges > known[0]) & (edges < known[-1])
    x = np.clip(np.interp(edges, known, table), left, right)
    near = SLACK / 16 * np.maximum(1.0, np.abs(edges))
    for _ in range(_STEPS):
        found = at(x)
        gap = found.losses - edges
        left, right = np.where(gap <= 0, x, left), np.where(gap >= 0, x, right)
        with np.errstate(all="ignore"):
            moved = x - gap / found.slopes
        wild = ~((moved >= left) & (moved <= right))
        moved = np.where(wild, (left + right) / 2, moved)
        moved = np.where(inside, moved, x)
        moved = np.where(np.abs(gap) <= near, x, moved)
        still = np.abs(moved - x) <= 2.0**-52 * np.abs(x)
        x = moved
        if still.all():
            break
    x = np.maximum.accumulate(x)
    found = at(x)
    off = np.abs(found.losses - edges) + _ROUNDED * (found.sizes + np.abs(found.losses))
    off += _ROUNDED * np.abs(x) * found.slopes - SLACK * np.maximum(1.0, np.abs(edges))
    with np.errstate(all="ignore"):
        dx = np.where(inside & (off > 0), off / found.slopes, 0.0)
    ends = np.concatenate(([0.0], dx)) + np.concatenate((dx, [0.0]))
    gaps = np.concatenate(([np.inf], np.diff(x), [np.inf]))
    size = np.abs(x)
    steep = np.maximum(np.append(size[:1], size), np.append(size, size[-1:])) + 1
    steep += max(abs(low), abs(high))
    with np.errstate(all="ignore"):
        error = 8 * ends * np.maximum(1 / gaps, steep)
    return x, np.where(ends > 0, np.where(gaps > 0, error, 1.0), 0.0)


class MixturePair(msgspec.Struct, frozen=True, dict=True):
    """P with shifts s_i >= 0 and Q with shifts -t_j <= 0.

    Attributes:
        first: (a_i, s_i), weights > 0 that sum to 1 and shifts >= 0 in units of the noise.
        second: (c_j, t_j), likewise.

    Raises:
        ParameterError: weights or shifts outside their range, or no shift above 0.
    """

    first: Mixture
    second: Mixture

    def __post_init__(self) -> None:
        checked_mixtures(self.first, self.second)

    def reversed(self) -> Self:
        """The mixtures exchanged, mirrored."""
        return type(self)(self.second, self.first)

    @staticmethod
    def logs(mixture: Columns, x: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """ln of the mixture over noise at 0, its slope, and the size of what is rounded, at x."""
        raise NotImplementedError

    def along(self, x: NDArray[Any]) -> CellPlaces:
        """L at x (Q is a mixture to the right at -x)."""
        one, slope_one, size_one = self.logs(self.doubles[0], x)
        two, slope_two, size_two = self.logs(self.doubles[1], -x)
        return CellPlaces(one - two, slope_one + slope_two, size_one + size_two)

    @property
    def ends(self) -> tuple[float, float]:
        """Between them edges of cells are placed."""
        raise NotImplementedError

    @cached_property
    def start(self) -> PlaceTable:
        """Made once: cells are asked for many times, and few at a time."""
        return place_table(self.along, self.ends)

    @cached_property
    def doubles(self) -> tuple[Columns, Columns]:
        """Both mixtures in doubles."""
        return columns(self.first), columns(self.second)


def checked_mixtures(first: Mixture, second: Mixture) -> None:
    """ParameterError unless both are mixtures of shifts >= 0, some above 0."""
    for name, mixture in (("first", first), ("second", second)):
        if any(w <= 0 or s < 0 for w, s in mixture) or sum(w for w, _ in mixture) != 1:
            raise ParameterError("is no mixture of shifts >= 0", place=name)
    if not max(s for _, s in (*first, *second)):
        raise ParameterError("nothing moves", place="first")
