"""How far the noise of a measurement strays, at a confidence."""

from __future__ import annotations

from typing import Any

from metricdp.errors import ParameterError
from metricdp.maps.measurement import Measurement
from metricdp.measures.readings import leaves
from metricdp.record import REGISTRY


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
    noise = {} if event is None else {n: e.as_fraction() for n, e in event.noise.items()}
    stated = {name: number for name, number in noise.items() if number is not None}
    if event is None or not event.family.released:
        raise _without(measurement)
    if len(stated) < len(noise):
        raise ParameterError(
            "the noise is not fixed by its arguments",
            place="accuracy",
            remedy="give `sensitivity`" if "sensitivity" in noise else "give `scale`",
        )
    scale, extra = event.family.request(stated, stated.__getitem__)
    width = event.family.half_width(scale, extra, alpha)
    if width is None:
        raise _without(measurement)
    return width


def _without(measurement: Measurement) -> ParameterError:
    names = [n for n, r in sorted(REGISTRY.items()) if r.family is not None and r.family.released]
    return ParameterError(
        f"`{measurement.name}` releases no number with noise of one scale",
        place="accuracy",
        remedy=f"ask it of {', '.join(names)}",
    )
