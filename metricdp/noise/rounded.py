"""Real-valued noise: the continuous mechanism, rounded to a public grid.

Released is RN(f + Z), Z continuous Laplace or normal, RN the nearest multiple floor(y / h + 1/2) h
of a public step h.  Rounding is post-processing, so every privacy cost of the ideal mechanism on
real numbers holds for what is released, for every movement of f and any number of entries.

floor(f/h + 1/2 + Z/h) is computed exactly: f/h is rational and split into an integer and a part in
[0, 1); part + 1/2 + Z/h is computed in float64 with a proved bound on its error (`certified`),
and when an integer lies within the bound, or U is tiny, the same uniforms are extended
and the floor is decided in integers.  Every grid point is reachable.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from metricdp.noise.parameters import Number, nonnegative
from metricdp.noise.rounded_scalar import (
    one_gaussian,
    one_laplace,
    statistic,
    step_exponent,
    to_double,
)
from metricdp.noise.source import BitSource, system_source

if TYPE_CHECKING:
    from numpy.typing import NDArray


def laplace_ticks(
    x: Number | Sequence[Number] | NDArray[Any],
    scale: Number,
    exponent: int | None = None,
    source: BitSource | None = None,
) -> Any:
    """floor((x + Z) / 2**exponent + 1/2), Z continuous Laplace noise, exactly.

    Args:
        x: a number (exact rational; a float is the rational that it denotes), or a sequence or
            float64 array of shape (n,) of them, each with noise of its own.  Private: no value
            of it raises; NaN counts as 0 and infinities as the largest double.
        scale: exact rational >= 0; 0 adds no noise.
        exponent: of the public step; `step_exponent(scale)` when omitted.
        source: random bits; the operating system's when omitted.

    Returns:
        An int, or an array of shape (n,) of int64, or of Python ints (dtype object) where they
        need more than 64 bits.

    Raises:
        ParameterError: a scale that is negative or not finite.
    """
    return _ticks(x, nonnegative(scale, "scale"), exponent, source, laplace=True)


def gaussian_ticks(
    x: Number | Sequence[Number] | NDArray[Any],
    sigma: Number,
    exponent: int | None = None,
    source: BitSource | None = None,
) -> Any:
    """Like `laplace_ticks`, Z normal with mean 0 and standard deviation `sigma` >= 0."""
    return _ticks(x, nonnegative(sigma, "sigma"), exponent, source, laplace=False)


def laplace(
    x: Number | Sequence[Number] | NDArray[Any], scale: Number, source: BitSource | None = None
) -> Any:
    """x plus Laplace noise, rounded to a multiple of a public step, then to the nearest double.

    Arguments and errors as for `laplace_ticks`; a float, or a float64 array of shape (n,).
    """
    return _floats(x, nonnegative(scale, "scale"), source, laplace=True)


def gaussian(
    x: Number | Sequence[Number] | NDArray[Any], sigma: Number, source: BitSource | None = None
) -> Any:
    """x plus normal noise of standard deviation `sigma`; see `laplace`."""
    return _floats(x, nonnegative(sigma, "sigma"), source, laplace=False)


def _ticks(
    x: Any, scale: Fraction, exponent: int | None, source: BitSource | None, *, laplace: bool
) -> Any:
    if exponent is None:
        exponent = step_exponent(scale) if scale else 0
    source = source or system_source()
    if hasattr(x, "__len__"):
        from metricdp.noise import vector_rounded

        return vector_rounded.ticks(x, scale, exponent, source, laplace=laplace)
    number = statistic(x)
    if exponent >= 0:
        top, bottom = number.numerator, number.denominator << exponent
        steps = Fraction(scale.numerator, scale.denominator << exponent)
    else:
        top, bottom = number.numerator << -exponent, number.denominator
        steps = Fraction(scale.numerator << -exponent, scale.denominator)
    whole, rest = divmod(top, bottom)
    if not steps:
        return whole + (2 * rest >= bottom)
    return whole + (one_laplace if laplace else one_gaussian)(rest, bottom, steps, source)


def _floats(x: Any, scale: Fraction, source: BitSource | None, *, laplace: bool) -> Any:
    if hasattr(x, "__len__"):
        from metricdp.noise import vector_rounded

        return vector_rounded.floats(x, scale, source or system_source(), laplace=laplace)
    if not scale:
        return to_double(statistic(x), 0)
    exponent = step_exponent(scale)
    return to_double(_ticks(x, scale, exponent, source, laplace=laplace), exponent)
