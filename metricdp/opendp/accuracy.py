"""Noise scale to accuracy and back, at a confidence: certified, never on the wrong side.

The accuracy a of a scale at `alpha` is the least number with P(|noise| >= a) <= alpha: a released
value is within a of the truth with probability 1 - alpha.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, nextafter
from typing import Any

from metricdp.errors import ParameterError
from metricdp.expr import exp, log, num
from metricdp.noise.accuracy import discrete_gaussian_interval, gaussian_interval, laplace_interval
from metricdp.noise.enclose import ln_below
from metricdp.noise.parameters import nonnegative


def laplacian_scale_to_accuracy(scale: Any, alpha: Any, T: Any = None) -> float:
    """scale * ln(1 / alpha), rounded up."""
    return laplace_interval(scale, alpha)


def accuracy_to_laplacian_scale(accuracy: Any, alpha: Any, T: Any = None) -> float:
    """accuracy / ln(1 / alpha), rounded down."""
    return _down(_accuracy(accuracy) / -ln_below(_alpha(alpha)))


def discrete_laplacian_scale_to_accuracy(scale: Any, alpha: Any, T: Any = None) -> float:
    """scale * ln(2 / (alpha (1 + e^(-1/scale)))), rounded up: real-valued, as OpenDP's."""
    width, error = nonnegative(scale, "scale"), _alpha(alpha)
    if not width:
        return 1.0
    # Below e^-700 the exponential is left out, which rounds up.
    tail = exp(-1 / num(width)) if width * 700 > 1 else num(0)
    exact = num(width) * log(2 / (num(error) * (1 + tail)))
    return max(0.0, _up(Fraction(exact.upper({}))))


def accuracy_to_discrete_laplacian_scale(accuracy: Any, alpha: Any, T: Any = None) -> float:
    """The largest scale with that accuracy, to the last double."""
    return _largest(discrete_laplacian_scale_to_accuracy, accuracy, alpha)


def gaussian_scale_to_accuracy(scale: Any, alpha: Any, T: Any = None) -> float:
    """The central interval of N(0, scale^2), rounded up."""
    return gaussian_interval(scale, alpha)


def accuracy_to_gaussian_scale(accuracy: Any, alpha: Any, T: Any = None) -> float:
    """The largest scale with that accuracy, rounded down."""
    return _down(_accuracy(accuracy) / Fraction(gaussian_interval(1, alpha)))


def discrete_gaussian_scale_to_accuracy(scale: Any, alpha: Any, T: Any = None) -> float:
    """The least whole a with P(|noise| >= a) <= alpha."""
    width = nonnegative(scale, "scale")
    return float(discrete_gaussian_interval(width**2, alpha) + 1)


def accuracy_to_discrete_gaussian_scale(accuracy: Any, alpha: Any, T: Any = None) -> float:
    """The largest scale with that accuracy, to twelve digits, rounded down."""
    return _largest(discrete_gaussian_scale_to_accuracy, accuracy, alpha, 45)


def _largest(
    accuracy_of: Callable[[Any, Any], float], accuracy: Any, alpha: Any, steps: int = 200
) -> float:
    """The largest scale whose accuracy is at most the given one."""
    wanted = float(_accuracy(accuracy))
    if wanted < 1:
        raise ParameterError(
            "whole noise has an accuracy of at least 1", place="accuracy", remedy="accuracy >= 1"
        )
    low, high = 0.0, 2 * wanted
    while accuracy_of(high, alpha) <= wanted:
        low, high = high, 2 * high
    for _ in range(steps):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if accuracy_of(middle, alpha) <= wanted:
            low = middle
        else:
            high = middle
    return low


def _accuracy(accuracy: Any) -> Fraction:
    return nonnegative(accuracy, "accuracy")


def _alpha(alpha: Any) -> Fraction:
    error = nonnegative(alpha, "alpha")
    if not 0 < error < 1:
        raise ParameterError("must lie between 0 and 1", place="alpha", remedy="alpha=0.05")
    return error


def _up(x: Fraction) -> float:
    value = float(x)
    return value if Fraction(value) >= x else nextafter(value, inf)


def _down(x: Fraction) -> float:
    value = float(x)
    return value if Fraction(value) <= x else nextafter(value, -inf)
