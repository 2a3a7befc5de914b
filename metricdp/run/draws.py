"""One draw of noise: how it is made, and what may be shown of it, in an interruption too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.families.family import Draw, Family

if TYPE_CHECKING:
    from metricdp.noise import BitSource


class Drawn(msgspec.Struct, frozen=True, gc=False):
    """A draw that was made, as a release may show it: no private value.

    Attributes:
        site, family, norm, scale: as in `Draw`.
        noise_scale: scale of the noise as drawn: `scale`, widened in selections (`noise.grid`).
        exponent: the output is a multiple of 2**exponent (before conversion to a double).
        rounding: of selections, see `noise.grid`; 0 when the printed cost needs no remark.
        value: the released value.
        extra, bound: as in `Draw`; a bound of 0 is not known.
    """

    site: str
    family: Family
    norm: str
    scale: Fraction
    noise_scale: Fraction
    exponent: int
    rounding: Fraction
    value: Any
    extra: Mapping[str, Any] = {}
    bound: Fraction = Fraction(0)

    @property
    def mechanism(self) -> str:
        """The name of the family."""
        return self.family.name

    def half_width(self, confidence: float = 0.95) -> float | None:
        """Half-width of the central interval of each entry's error; None for categories.

        The rounding to the grid is included; the last rounding, to a double, is not.

        Raises:
            ParameterError: confidence outside (0, 1).
        """
        if not 0 < confidence < 1:
            raise ParameterError("confidence lies between 0 and 1", remedy="use confidence=0.95")
        return self.family.half_width(self.noise_scale, self.extra, 1 - Fraction(str(confidence)))

    def as_dict(self) -> dict[str, Any]:
        """The fields, with the family's name as `mechanism`."""
        names = ("mechanism" if name == "family" else name for name in self.__struct_fields__)
        return {name: getattr(self, name) for name in names}


def drawn(draw: Draw, value: Any) -> Drawn:
    """What may be shown of a draw with this released value."""
    (found,) = drawn_each(draw, (value,))
    return found


def drawn_each(draw: Draw, values: Sequence[Any]) -> list[Drawn]:
    """What may be shown of several draws that were asked for alike, each with its value."""
    grid = draw.grid()
    noise, exponent, rounding = grid.scale, grid.exponent, grid.rounding
    site, family, norm, scale = draw.site, draw.family, draw.norm, draw.scale
    extra, bound = draw.extra, draw.bound
    return [
        Drawn(site, family, norm, scale, noise, exponent, rounding, value, extra, bound)
        for value in values
    ]


def perform(draw: Draw, value: Any, source: BitSource) -> Any:
    """Draw the noise and add it, or choose.

    Args:
        draw: the request.
        value: number, vector, matrix, or tuple of these; private.
        source: random bits.

    Returns:
        A float (an int for the discrete mechanisms, a bool for randomized response on a Boolean)
        for a number, a NumPy array for a vector or matrix, a tuple for a tuple; a position (or
        None) for the mechanisms that choose.
    """
    return draw.family.perform(draw, value, source)


def interrupted(error: BaseException, drawn: tuple[Drawn, ...]) -> BaseException:
    """A fresh interruption of the same kind, with the attribute `releases`."""
    fresh = type(error)() if type(error).__module__ == "builtins" else KeyboardInterrupt()
    fresh.releases = drawn  # type: ignore[attr-defined]
    fresh.add_note(f"metricdp: {counted(len(drawn))} had been made, see `releases` of this error")
    return fresh


def counted(count: int) -> str:
    """A number of releases in words."""
    return "1 release" if count == 1 else f"{count} releases"
