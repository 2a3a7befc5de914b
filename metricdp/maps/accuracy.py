"""How far the noise of a measurement strays, at a confidence."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from metricdp import noise
from metricdp.errors import ParameterError
from metricdp.maps.measurement import Measurement
from metricdp.measures.readings import leaves
from metricdp.noise.rounded_scalar import step_exponent


def accuracy(measurement: Measurement, alpha: Any) -> float:
    """The half-width w of the error of each number that is released: P(|error| > w) <= alpha.

    Args:
        measurement: one mechanism that adds noise to numbers, after any transformations.
        alpha: probability of a larger error, 0 < alpha < 1.

    Returns:
        w, rounded up; with the half step of the public grid that real numbers are rounded to, and
        without what transformations lose and what post-processing does.

    Raises:
        ParameterError: a choice or an answer, several mechanisms, noise that is not known.
    """
    found = leaves(measurement.tree) if measurement.tree is not None else []
    event = found[0].event if len(found) == 1 else None
    if event is not None and event.mechanism == "canonical_noise":
        return _canonical({name: part.as_fraction() for name, part in event.noise.items()}, alpha)
    scale = None if event is None else event.noise.get("scale", event.noise.get("sigma"))
    number = None if scale is None else scale.as_fraction()
    if event is None or number is None:
        raise _without(measurement)
    if event.mechanism == "discrete_laplace":
        return noise.double_up(noise.discrete_laplace_interval(number, alpha))
    if event.mechanism == "discrete_gaussian":
        return noise.double_up(noise.discrete_gaussian_interval(number**2, alpha))
    step = float(Fraction(2) ** (step_exponent(number) - 1))
    if event.mechanism == "laplace":
        return noise.laplace_interval(number, alpha) + step
    if event.mechanism == "gaussian":
        return noise.gaussian_interval(number, alpha) + step
    raise _without(measurement)


def _canonical(numbers: Mapping[str, Fraction | None], alpha: Any) -> float:
    """Canonical noise, whose width is its sensitivity's."""
    width, epsilon, delta = (numbers[name] for name in ("sensitivity", "epsilon", "delta"))
    if width is None or epsilon is None or delta is None:
        raise ParameterError(
            "the noise is not fixed by its arguments", place="accuracy", remedy="give `sensitivity`"
        )
    given = width, epsilon, delta
    if numbers["whole"]:
        return noise.double_up(noise.rounded_canonical_interval(*given, alpha))
    step = float(Fraction(2) ** (step_exponent(width) - 1))
    return noise.canonical_interval(*given, alpha) + step


def _without(measurement: Measurement) -> ParameterError:
    return ParameterError(
        f"`{measurement.name}` releases no number with noise of one scale",
        place="accuracy",
        remedy="ask it of laplace, gaussian, discrete_laplace, discrete_gaussian, canonical_noise",
    )
