"""The functions inside constructed maps: small objects, so that maps pickle and compare.

A transformation applies the reference function of its record; a measurement makes one draw, at the
noise that the mechanism's event states.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.errors import ParameterError, SpaceError
from metricdp.expr import Expr
from metricdp.measures.events import Event
from metricdp.record import REGISTRY, Record
from metricdp.run.draws import Draw
from metricdp.run.extended import split
from metricdp.run.samplers import sampler_of, way_of
from metricdp.spaces import Keyed, Maybe, Records, Scalar, Space
from metricdp.spaces.vectors import Entries

#: They compare scores on a grid, and the widened noise pays for a least movement (`run.grid`).
_COMPARING = ("report_noisy_max", "above_threshold")


class AppliedRule(msgspec.Struct, frozen=True):
    """The reference function of a record at public arguments, on reference values."""

    record: str
    argument: str
    public: Mapping[str, Any]

    def __hash__(self) -> int:
        return hash((self.record, self.argument))

    def __call__(self, value: Any) -> Any:
        from metricdp.primitives import load
        from metricdp.values import wrap

        load()
        found = REGISTRY[self.record]
        run = found.array or found.run
        return wrap(run(**{self.argument: value, **self.public}))


class NoiseDraw(msgspec.Struct, frozen=True):
    """One draw of a mechanism around its argument."""

    record: str
    norm: str
    scale: Fraction

    def __call__(self, value: Any) -> Any:
        from metricdp.run.emit import emit

        return emit(self.draw(), value)

    def draw(self) -> Draw:
        """What is asked for."""
        return Draw(self.record, sampler_of(self.record), self.norm, self.scale)

    def law(self, value: Any) -> Any:
        """The law of what is released; see `run.draw_laws`."""
        from metricdp.run.draw_laws import draw_law

        return draw_law(self.draw(), value)


class MechanismDraw(msgspec.Struct, frozen=True):
    """One draw of a mechanism that has more parameters than a scale."""

    record: str
    norm: str
    scale: Fraction
    extra: Mapping[str, Any]
    least: Fraction | None = None

    def __hash__(self) -> int:
        return hash((self.record, self.norm, self.scale))

    def __call__(self, value: Any) -> Any:
        from metricdp.run.emit import emit
        from metricdp.run.machine import plain

        answer = plain(emit(self.draw(), value))
        # A public candidate that was given as a float.
        return float(answer) if type(answer) is Fraction else answer

    def draw(self) -> Draw:
        """What is asked for."""
        return Draw(
            self.record, self.record, self.norm, self.scale, least=self.least, extra=self.extra
        )

    def law(self, value: Any) -> Any:
        """The law of what is released; see `run.draw_laws`."""
        from metricdp.run.draw_laws import draw_law

        return draw_law(self.draw(), value)


def drawing(record: Record, space: Space, public: Mapping[str, Any], event: Event) -> Any:
    """The function that draws.

    Raises:
        ParameterError: noise that the public arguments do not fix.
        SpaceError: real scores that would have to be rounded before the noise.
    """
    way = way_of(sampler_of(record.name), record.name)
    noise = {name: fixed(value, record.name) for name, value in event.noise.items()}
    if way == "by its record":
        _, extra = split(record.name, noise, public)
        scale = noise.get("scale", noise.get("sigma", Fraction(0)))
        return MechanismDraw(record.name, event.norm, scale, extra)
    if record.name in _COMPARING:
        if getattr(space, "element", "") not in ("Int", "Bool"):
            raise SpaceError(
                f"`{record.name}` compares scores on a grid, and {space.describe()} has scores "
                "between its points",
                place=record.name,
                remedy="integer scores, or `permute_and_flip`, which takes scores as they are",
            )
        scale = noise.get("scale", noise.get("threshold_scale", Fraction(0)))
        extra = {name: value for name, value in noise.items() if name != "threshold_scale"}
        extra |= {name: public[name] for name in ("threshold", "reports") if name in public}
        return MechanismDraw(record.name, event.norm, scale, extra, Fraction(1))
    number = noise.get("scale", noise.get("sigma"))
    if number is None:
        raise _open(record.name)
    return NoiseDraw(record.name, event.norm, number)


def fixed(value: Expr, name: str) -> Fraction:
    """A parameter of the noise as a number, rounded up where it is irrational.

    Raises:
        ParameterError: it depends on a bound that is not known here.
    """
    if value.symbols:
        raise _open(name)
    number = value.upper({})
    if isinstance(number, float):
        raise _open(name)
    return Fraction(number)


def _open(name: str) -> ParameterError:
    return ParameterError(
        f"the noise of `{name}` is not fixed by its arguments",
        place=name,
        remedy="give `scale`; targets belong to checked functions and to `calibrate`",
    )


class Enter(msgspec.Struct, frozen=True):
    """Data of the caller as reference values of a space; see `run.guards.admit`."""

    space: Space

    def __call__(self, value: Any) -> Any:
        from metricdp.run.guards import admit

        return admit("data", self.space, value)


class Leave(msgspec.Struct, frozen=True):
    """Reference values of a space as plain Python values."""

    space: Space

    def __call__(self, value: Any) -> Any:
        from metricdp.run.machine import natural, plain

        if isinstance(self.space, Keyed):
            from metricdp.values import wrap

            keys, values = Leave(self.space.key), Leave(self.space.value)
            return {keys(wrap(k)): values(wrap(v)) for k, v in value.items()}
        return natural(value) if whole(self.space) else plain(value)


def whole(space: Space) -> bool:
    """Whether the numbers of a space are integers."""
    if isinstance(space, Records):
        return whole(space.row)
    if isinstance(space, Maybe):
        return whole(space.inner)
    if isinstance(space, Scalar):
        return space.kind == "int" or space.element == "Int"
    return isinstance(space, Entries) and space.element == "Int"
