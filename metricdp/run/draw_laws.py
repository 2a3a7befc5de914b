"""The exact law of a draw: what `draws.perform` releases, as a distribution.

Outcomes are those that are released, on the public grid of the draw, except where a docstring says
otherwise: lists and arrays are tuples (laws of vectors are products), and a real number is the grid
point before it becomes the nearest double (the same number below 2**53 steps, some 2**22 scales).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from metricdp.errors import ParameterError
from metricdp.laws import (
    DiscreteGaussianLaw,
    DiscreteLaplaceLaw,
    FiniteLaw,
    GridLaw,
    ProductLaw,
    RandomizedResponseLaw,
    RoundedGaussianLaw,
    RoundedLaplaceLaw,
    above_threshold_law,
    exponential_law,
    noisy_max_law,
    permute_and_flip_law,
    push,
)
from metricdp.laws.selection import positions_above_law
from metricdp.run.draws import Draw, flatten
from metricdp.run.grid import power, to_ticks
from metricdp.run.samplers import is_laplace, no_choice, way_of
from metricdp.values.exact import exact


def draw_law(draw: Draw, value: Any) -> Any:
    """The law of the release of a draw around a private value.

    Args:
        draw: as for `emit`.
        value: number, vector, matrix, or tuple of these.

    Returns:
        A law of a number, position or answer; a `ProductLaw` for several numbers.  Of keys that
        nobody listed, a `ThresholdedLaw`, for which all values above the threshold are one
        outcome, or a `ThresholdedNumbersLaw` of real values; of randomized response, the position
        of the answer.

    Raises:
        ParameterError: a mechanism without an exact law on its grid.
    """
    way = way_of(draw.mechanism, draw.site)
    if way == "by its record":
        return _extended(draw, value)
    if way == "chosen":
        return _choice(draw, list(flatten(value)))
    if way == "answered":
        return _each(value, lambda x: _response(draw, exact(x)))
    return _each(value, lambda x: _noisy(draw, exact(x)))


def _each(value: Any, law: Callable[[Any], Any]) -> Any:
    if hasattr(value, "__len__") and not isinstance(value, str):
        return ProductLaw(tuple(_each(entry, law) for entry in value))
    return law(value)


def _noisy(draw: Draw, x: Fraction) -> Any:
    """Noise around a number, on the grid of the draw."""
    scale, laplace = Fraction(draw.scale), is_laplace(draw.mechanism, draw.site)
    if draw.is_discrete:
        center = to_ticks(x, 0)
        if not scale:
            return FiniteLaw.sure(center)
        if laplace:
            return DiscreteLaplaceLaw(center, scale)
        return DiscreteGaussianLaw(center, scale**2)
    if not scale:
        return FiniteLaw.sure(Fraction(x))
    step = power(draw.grid().exponent)
    kind = RoundedLaplaceLaw if laplace else RoundedGaussianLaw
    return GridLaw(kind(Fraction(x) / step, scale / step), step)


def _response(draw: Draw, x: Fraction) -> RandomizedResponseLaw:
    k = int(draw.extra["k"])
    index = min(max(x.numerator // x.denominator, 0), k - 1)
    return RandomizedResponseLaw(index, k, Fraction(exact(draw.extra["epsilon"])))


#: Choices that take the scores as they are.
_WEIGHING: Mapping[str, Callable[..., Any]] = {
    "exponential_mechanism": exponential_law,
    "permute_and_flip": permute_and_flip_law,
}


def _choice(draw: Draw, scores: Sequence[Fraction]) -> Any:
    """The position that is chosen; see `run.selections.choose`."""
    if draw.mechanism in _WEIGHING:
        return _WEIGHING[draw.mechanism](scores, draw.scale)
    if draw.mechanism not in ("report_noisy_max", "above_threshold"):
        raise no_choice(draw.mechanism, draw.site)
    if not draw.scale:
        from metricdp.run.selections import without_noise

        return FiniteLaw.sure(_hashable(without_noise(draw, scores)))
    grid = draw.grid()
    if draw.mechanism == "report_noisy_max":
        ticks = [to_ticks(score - scores[0], grid.exponent) for score in scores]
        return noisy_max_law(ticks, grid.tick_scale)
    ticks = [to_ticks(score, grid.exponent) for score in scores]
    level = to_ticks(exact(draw.extra["threshold"]), grid.exponent)
    each = grid.tick_scale * Fraction(draw.extra["query_scale"]) / draw.scale
    reports = draw.extra.get("reports")
    if reports is None:
        return above_threshold_law(ticks, grid.tick_scale, each, level)
    return positions_above_law(ticks, grid.tick_scale, each, level, int(reports))


def _extended(draw: Draw, value: Any) -> Any:
    """The law that the record states, on the answers that it releases."""
    from metricdp.primitives import load
    from metricdp.record import REGISTRY

    load()
    extra = dict(draw.extra)
    record = REGISTRY[draw.mechanism]
    if record.law is None:
        raise ParameterError("what is released has no law in closed form", place=draw.mechanism)
    law = record.law(value, **extra)
    if draw.mechanism == "private_quantile":
        options = list(extra["candidates"])
        return push(law, lambda position: options[position])
    return law


def _hashable(answer: Any) -> Any:
    return tuple(answer) if isinstance(answer, list) else answer
