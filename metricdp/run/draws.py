"""One draw of noise: what it is asked for, how it is made, and what may be shown of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.noise import rounded as noises
from metricdp.noise.rounded_scalar import step_exponent
from metricdp.run.extended import draw_extended
from metricdp.run.grid import Grid, choose_grid, power, to_ticks
from metricdp.run.samplers import ADDED, is_laplace, way_of
from metricdp.values import Column, PackedVector
from metricdp.values.exact import exact, to_float

if TYPE_CHECKING:
    from metricdp.noise import BitSource


#: They compare scores on a grid.
_COMPARING = ("report_noisy_max", "above_threshold")


class Draw(msgspec.Struct, frozen=True):
    """A request for noise; every field is public.

    Attributes:
        site: address of the call in the checked program.
        mechanism: a sampler of `run.samplers`.
        norm: norm in which the movement is measured ("" scalar, "L1", "L2").
        scale: Laplace scale (of the threshold, above a threshold), Gaussian standard deviation or
            temperature of exponential weights, >= 0; 0 adds no noise.  Unused by randomized
            response.
        bound: largest proved movement at distance 1, >= 0.
        least: least positive movement that the guarantee covers at distance 1 (of all inputs);
            None: `bound`.  Only selections pay for rounding (`run.grid`).
        extra: randomized response: "k" categories and "epsilon"; above a threshold: the
            "threshold" and the "query_scale".

    Raises:
        ParameterError: a scale or bound that is negative, NaN or infinite, bad k or epsilon.
        InternalError: a mechanism without a sampler.
    """

    site: str
    mechanism: str
    norm: str = ""
    scale: Fraction = Fraction(0)
    bound: Fraction = Fraction(0)
    least: Fraction | None = None
    extra: Mapping[str, Any] = {}

    def __post_init__(self) -> None:
        way_of(self.mechanism, self.site)
        for name in ("scale", "bound", "least"):
            value = getattr(self, name)
            if value is not None:
                value = _nonnegative(value, f"the {name} of {self.mechanism}", self.site)
                msgspec.structs.force_setattr(self, name, value)
        if self.mechanism == "randomized_response":
            _nonnegative(self.extra.get("epsilon", -1), "epsilon", self.site)
            if not isinstance(k := self.extra.get("k"), int) or k < 1:
                raise ParameterError(
                    f"{k} categories", place=self.site, remedy="give k >= 1 categories"
                )

    @property
    def is_discrete(self) -> bool:
        """Whether the argument is integer, or taken as it is: no grid is chosen."""
        if self.mechanism in ADDED:
            return ADDED[self.mechanism].whole
        return self.mechanism not in _COMPARING

    def grid(self) -> Grid:
        """The grid of the draw: integers for the discrete mechanisms; `noise.rounded` and
        `run.grid` otherwise."""
        if self.is_discrete or not self.scale:
            return Grid(0, self.scale, Fraction(0))
        if self.mechanism in _COMPARING:
            return choose_grid(self.scale, self.bound if self.least is None else self.least)
        exponent = step_exponent(self.scale)
        return Grid(exponent, self.scale / power(exponent), Fraction(0))


class Drawn(msgspec.Struct, frozen=True):
    """A draw that was made, as a release may show it: no private value.

    Attributes:
        site, mechanism, norm, scale: as in `Draw`.
        noise_scale: scale of the noise as drawn: `scale`, widened in selections (`run.grid`).
        exponent: the output is a multiple of 2**exponent (before conversion to a double).
        rounding: of selections, see `run.grid`; 0 when the printed cost needs no remark.
        value: the released value.
        extra, bound: as in `Draw`; a bound of 0 is not known.
    """

    site: str
    mechanism: str
    norm: str
    scale: Fraction
    noise_scale: Fraction
    exponent: int
    rounding: Fraction
    value: Any
    extra: Mapping[str, Any] = {}
    bound: Fraction = Fraction(0)

    def half_width(self, confidence: float = 0.95) -> float | None:
        """Half-width of the central interval of each entry's error; None for categories.

        The rounding to the grid is included; the last rounding, to a double, is not.

        Raises:
            ParameterError: confidence outside (0, 1).
        """
        from metricdp import noise

        if not 0 < confidence < 1:
            raise ParameterError("confidence lies between 0 and 1", remedy="use confidence=0.95")
        alpha, scale = 1 - Fraction(str(confidence)), self.noise_scale
        if self.mechanism == "canonical_noise":
            return _canonical_width(self.extra, alpha)
        if way_of(self.mechanism, self.site) != "added":
            return None
        if not scale:
            return 0.0
        # Of continuous noise, and half a step for the rounding of the sum.
        half = to_float(power(self.exponent) / 2)
        whole = ADDED[self.mechanism].whole
        if is_laplace(self.mechanism, self.site):
            if whole:
                return noise.double_up(noise.discrete_laplace_interval(scale, alpha))
            return noise.laplace_interval(scale, alpha) + half
        if whole:
            return noise.double_up(noise.discrete_gaussian_interval(scale**2, alpha))
        return noise.gaussian_interval(scale, alpha) + half


def _canonical_width(extra: Mapping[str, Any], alpha: Fraction) -> float:
    """As `Drawn.half_width`, from the parameters of canonical noise."""
    from metricdp import noise

    width, epsilon = exact(extra["sensitivity"]), exact(extra["epsilon"])
    delta = exact(extra.get("delta", 0))
    if not width:
        return 0.0
    if extra.get("whole", 1):
        return noise.double_up(noise.rounded_canonical_interval(width, epsilon, delta, alpha))
    step = to_float(power(step_exponent(width)) / 2)
    return noise.canonical_interval(width, epsilon, delta, alpha) + step


def drawn(draw: Draw, value: Any) -> Drawn:
    """What may be shown of a draw with this released value."""
    grid = draw.grid()
    return Drawn(
        draw.site,
        draw.mechanism,
        draw.norm,
        draw.scale,
        grid.scale,
        grid.exponent,
        grid.rounding,
        value,
        draw.extra,
        draw.bound,
    )


def perform(draw: Draw, value: Any, source: BitSource) -> Any:
    """Draw the noise and add it.

    Args:
        draw: the request.
        value: number, vector, matrix, or tuple of these; private.
        source: random bits.

    Returns:
        A float (an int for the discrete mechanisms, a bool for randomized response on a Boolean)
        for a number, a NumPy array for a vector or matrix, a tuple for a tuple; a position (or
        None) for the mechanisms that choose.
    """
    way = way_of(draw.mechanism, draw.site)
    if way == "by its record":
        return draw_extended(draw, value, source)
    if way == "answered":
        return _mapped(value, lambda x: _respond(draw, x, source))
    if way == "chosen":
        from metricdp.run.selections import choose

        return choose(draw, list(flatten(value)), source)
    if not draw.is_discrete and isinstance(value, PackedVector | Column):
        return _packed(draw, value, source)
    numbers = list(flatten(value))
    released: Iterable[Any]
    if draw.is_discrete:
        noise = _noise(draw, draw.scale, len(numbers), source)
        released = [to_ticks(x, 0) + z for x, z in zip(numbers, noise, strict=True)]
    else:
        add = noises.laplace if is_laplace(draw.mechanism, draw.site) else noises.gaussian
        if len(numbers) == 1:
            released = [add(numbers[0], draw.scale, source)]
        else:
            released = add(numbers, draw.scale, source).tolist()
    answers = iter(released)
    return _mapped(value, lambda _: next(answers))


def _packed(draw: Draw, value: PackedVector | Column, source: BitSource) -> Any:
    """Noise on numbers that are held as an array."""
    from metricdp.noise import vector_rounded
    from metricdp.noise.places import places_of_ticks

    exponent = draw.grid().exponent
    if value.ticks is not None and draw.scale:
        places: Any = places_of_ticks(value.ticks, value.exponent, exponent)
    elif value.ticks is not None:
        places = list(value)
    else:
        places = value.floats
    laplace = is_laplace(draw.mechanism, draw.site)
    if not draw.scale:
        return vector_rounded.floats(places, draw.scale, source, laplace=laplace)
    found = vector_rounded.ticks(places, draw.scale, exponent, source, laplace=laplace)
    return vector_rounded.to_floats(found, exponent)


def flatten(value: Any) -> Iterable[Fraction]:
    """The numbers in a private value, in order."""
    if _is_container(value):
        for part in value:
            yield from flatten(part)
    else:
        yield exact(value)


def _noise(draw: Draw, scale: Fraction, size: int, source: BitSource) -> list[int]:
    from metricdp import noise

    if is_laplace(draw.mechanism, draw.site):
        if size == 1:
            return [noise.discrete_laplace(scale, None, source)]
        return [int(z) for z in noise.discrete_laplace(scale, size, source).tolist()]
    if size == 1:
        return [noise.discrete_gaussian(scale**2, None, source)]
    return [int(z) for z in noise.discrete_gaussian(scale**2, size, source).tolist()]


def _respond(draw: Draw, x: Any, source: BitSource) -> int | bool:
    from metricdp.noise import randomized_response_epsilon

    k, number = draw.extra["k"], exact(x)
    # Out of range is clamped: an exception would tell the value.
    index = min(max(number.numerator // number.denominator, 0), k - 1)
    answer = randomized_response_epsilon(index, k, exact(draw.extra["epsilon"]), source)
    return bool(answer) if isinstance(x, bool) and k == 2 else answer


def _is_container(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str)


def _mapped(value: Any, entry: Callable[[Any], Any]) -> Any:
    if isinstance(value, tuple):
        return tuple(_mapped(part, entry) for part in value)
    if not _is_container(value):
        return entry(value)
    import numpy as np

    rows = [[entry(x) for x in row] if _is_container(row) else entry(row) for row in value]
    if not rows:
        return np.zeros((0,), np.float64)
    integers = not isinstance(_first(rows), float)
    try:
        return np.array(rows, None if integers else np.float64)
    except OverflowError:
        return np.array(rows, object)


def _first(rows: list[Any]) -> Any:
    return _first(rows[0]) if isinstance(rows[0], list) and rows[0] else rows[0]


def _nonnegative(value: Any, what: str, site: str) -> Fraction:
    if isinstance(value, float) and not isfinite(value):
        raise ParameterError(f"{what} is {value}", place=site, remedy="choose a finite number >= 0")
    number = exact(value)
    if number < 0:
        raise ParameterError(f"{what} is negative", place=site, remedy="choose a number >= 0")
    return Fraction(number)
