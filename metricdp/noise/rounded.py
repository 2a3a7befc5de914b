"""Real-valued noise: the continuous mechanism, rounded to a public grid.

Released is RN(f + Z), Z continuous Laplace or normal, RN the nearest multiple floor(y / h + 1/2) h
of a public step h.  Rounding is post-processing, so every privacy cost of the ideal mechanism on
real numbers holds for what is released, for every movement of f and any number of entries.

floor(f/h + 1/2 + Z/h) is computed exactly: f/h is rational and split into an integer and a part in
[0, 1); part + 1/2 + Z/h is computed in float64 with a proved bound on its error (`certified`,
`margins`), and when an integer lies within the bound, or U is tiny, the same uniforms are extended
and the floor is decided in integers (`continuous`).  Every grid point is reachable.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite, sqrt
from sys import float_info
from typing import TYPE_CHECKING, Any

from metricdp.noise import certified, margins
from metricdp.noise.continuous import gaussian_floor, laplace_floor
from metricdp.noise.lazy import LazyUniform
from metricdp.noise.parameters import Number, nonnegative
from metricdp.noise.source import BitSource, system_source

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The scale spans 2**30 to 2**31 steps: finer than any use, and coarse enough for float64.
FINE = 30
_HALF = Fraction(1, 2)


def step_exponent(scale: Fraction) -> int:
    """Exponent j of the public step 2**j for noise of a scale > 0: scale / 2**31 < 2**j <=
    scale / 2**30."""
    e = scale.numerator.bit_length() - scale.denominator.bit_length()
    below = (
        scale.numerator < scale.denominator << e
        if e >= 0
        else scale.numerator << -e < scale.denominator
    )
    return e - below - FINE


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


def statistic(x: Number) -> Fraction:
    """The rational that a private number stands for: total on floats."""
    if isinstance(x, float) and not isfinite(x):
        return Fraction(0) if x != x else Fraction(float_info.max) * (1 if x > 0 else -1)
    return Fraction(x)


def to_double(x: int | Fraction, exponent: int) -> float:
    """x * 2**exponent as the nearest double, the largest one beyond it."""
    top = x.numerator << max(exponent, 0)
    try:
        return top / (x.denominator << max(-exponent, 0))
    except OverflowError:
        return float_info.max if top > 0 else -float_info.max


def one_laplace(rest: int, bottom: int, scale: Fraction, source: BitSource) -> int:
    """floor(rest / bottom + 1/2 + scale L), 0 <= rest < bottom, L standard Laplace."""
    word = source.randbits(64)
    if word >= certified.LEAST_WORD and scale < margins.WIDEST:
        width = float(scale)
        # The last bit of the word is the sign: E is read off the others.
        reach = width * certified.log_scalar(word & -2)
        part = rest / bottom + 0.5
        y = part - reach if word & 1 else part + reach
        found = margins.proved_floor(y, margins.laplace_margin(reach, width))
        if found is not None:
            return found
    centre = Fraction(rest, bottom) + _HALF
    return laplace_floor(centre, scale, bool(word & 1), LazyUniform(source, word >> 1, 63))


def one_gaussian(rest: int, bottom: int, sigma: Fraction, source: BitSource) -> int:
    """floor(rest / bottom + 1/2 + sigma N), 0 <= rest < bottom, N standard normal."""
    word, angle = source.randbits(64), source.randbits(64)
    if word >= certified.LEAST_WORD and sigma < margins.WIDEST:
        width = float(sigma)
        radius = sqrt(2.0 * max(certified.log_scalar(word), margins.LEAST_E))
        quarter = angle >> 62
        turn = ((angle & ((1 << 62) - 1)) - (1 << 61)) * 2.0**-62
        cosine, sine = certified.cos_sin(turn)
        z = (cosine, -sine, -cosine, sine)[quarter] * radius
        y = rest / bottom + 0.5 + width * z
        found = margins.proved_floor(y, margins.gaussian_margin(radius, width))
        if found is not None:
            return found
    centre = Fraction(rest, bottom) + _HALF
    uniforms = LazyUniform(source, word, 64), LazyUniform(source, angle, 64)
    return gaussian_floor(centre, sigma, False, *uniforms)
