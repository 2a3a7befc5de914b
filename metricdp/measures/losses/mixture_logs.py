"""ln of a mixture of likelihood ratios, sum w_j e^(e_j) with weights that sum to 1, in doubles."""

from __future__ import annotations

from fractions import Fraction
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

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
