"""Discrete Laplace and discrete Gaussian noise with exact laws.

Scalars load no NumPy (`discrete_scalar`).  Arrays go through `vector_discrete`,
which draws from the same laws.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, overload

from metricdp.noise.discrete_scalar import laplace_scale, one_gaussian, one_laplace
from metricdp.noise.parameters import Number, draws, nonnegative
from metricdp.noise.source import BitSource, system_source

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Below this many draws the arrays cost more than they save.
_FEW = 8
#: Below this many draws a table of a new scale costs more than it saves.
_SOME = 64


@overload
def discrete_laplace(scale: Number, size: None = None, source: BitSource | None = None) -> int: ...
@overload
def discrete_laplace(scale: Number, size: int, source: BitSource | None = None) -> NDArray[Any]: ...


def discrete_laplace(
    scale: Number, size: int | None = None, source: BitSource | None = None
) -> Any:
    """Integers with P(k) proportional to exp(-|k| / scale), exactly, for any rational scale >= 0.

    Args:
        scale: exact rational; a float is the rational that it denotes.  0 gives zeros.
        size: None for an int; else the length of an array of int64, or of Python ints (dtype
            object) when the scale is 2**56 or more, or a draw does not fit.
        source: random bits; the operating system's when omitted.

    Exact because: |X| is the inverse of its tail at one uniform U (`invert`), and each comparison
    of U with the tail is settled by enclosures of both, drawing more bits of U when they overlap.
    No value is ever read off a rounded number.

    Raises ParameterError for a negative scale or size.
    """
    exact, source = nonnegative(scale, "scale"), source or system_source()
    if size is None:
        return one_laplace(exact, source)
    from metricdp.noise import vector_discrete

    count = draws(size)
    if not exact:
        return vector_discrete.zeros(count)
    if count < _FEW or (count < _SOME and not vector_discrete.is_ready(exact)):
        return vector_discrete.pack([one_laplace(exact, source) for _ in range(count)], exact)
    return vector_discrete.laplaces(exact, count, source)


@overload
def discrete_gaussian(
    sigma2: Number, size: None = None, source: BitSource | None = None
) -> int: ...
@overload
def discrete_gaussian(
    sigma2: Number, size: int, source: BitSource | None = None
) -> NDArray[Any]: ...


def discrete_gaussian(
    sigma2: Number, size: int | None = None, source: BitSource | None = None
) -> Any:
    """Integers with P(k) proportional to exp(-k**2 / (2 * sigma2)), exactly.

    Args:
        sigma2: the variance parameter (not the standard deviation), exact rational >= 0; 0 gives
            zeros.
        size: as for `discrete_laplace`.
        source: random bits; the operating system's when omitted.

    Exact because: a discrete Laplace draw Y of integer scale t = floor(sigma) + 1 is kept with
    probability exp(-(|Y| - sigma2 / t)**2 / (2 * sigma2)) (Canonne, Kamath and Steinke 2020,
    algorithm 3), a coin that `lazy` decides exactly.

    Raises ParameterError for a negative sigma2 or size.
    """
    exact, source = nonnegative(sigma2, "sigma2"), source or system_source()
    if size is None:
        return one_gaussian(exact, source)
    from metricdp.noise import vector_discrete

    count = draws(size)
    if not exact:
        return vector_discrete.zeros(count)
    t = Fraction(laplace_scale(exact))
    if count < _FEW or (count < _SOME and not vector_discrete.is_ready(t)):
        return vector_discrete.pack([one_gaussian(exact, source) for _ in range(count)], t)
    return vector_discrete.gaussians(exact, count, source)
