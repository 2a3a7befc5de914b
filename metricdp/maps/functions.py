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
from metricdp.families.family import Draw, Family
from metricdp.measures.events import Event
from metricdp.record import REGISTRY, Record
from metricdp.spaces import Keyed, Maybe, Records, Scalar, Space
from metricdp.spaces.vectors import Entries


class AppliedRule(msgspec.Struct, frozen=True):
    """The reference function of a record at public arguments, on reference values."""

    record: str
    argument: str
    public: Mapping[str, Any]

    def __hash__(self) -> int:
        return hash((self.record, self.argument))

    def __call__(self, value: Any) -> Any:
        from metricdp.primitives import load
        from metricdp.run.applied import applied
        from metricdp.run.pins import pinned

        load()
        given = {self.argument: value, **self.public}
        return applied(self.record, pinned(REGISTRY[self.record]), (), given)


class NoiseDraw(msgspec.Struct, frozen=True):
    """One draw of a mechanism around its argument."""

    record: str
    family: Family
    norm: str
    scale: Fraction
    extra: Mapping[str, Any] = {}

    def __hash__(self) -> int:
        return hash((self.record, self.norm, self.scale))

    def __call__(self, value: Any) -> Any:
        from metricdp.run.emit import emit

        return emit(self.draw(), value)

    def draw(self) -> Draw:
        """What is asked for."""
        return Draw(self.record, self.family, self.norm, self.scale, extra=self.extra)

    def law(self, value: Any) -> Any:
        """The law of what is released."""
        return self.family.law(self.draw(), value)


class MechanismDraw(msgspec.Struct, frozen=True):
    """One draw of a mechanism that has more parameters than a scale."""

    record: str
    family: Family
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
            self.record, self.family, self.norm, self.scale, least=self.least, extra=self.extra
        )

    def law(self, value: Any) -> Any:
        """The law of what is released."""
        return self.family.law(self.draw(), value)


def drawing(record: Record, space: Space, public: Mapping[str, Any], event: Event) -> Any:
    """The function that draws.

    Raises:
        ParameterError: noise that the public arguments do not fix.
        SpaceError: real scores that would have to be rounded before the noise.
    """
    family, name = event.family, record.name
    noise = {parameter: fixed(value, name) for parameter, value in event.noise.items()}
    stated = family.fixed(noise, public)
    if stated is None:
        raise _open(name)
    scale, extra = stated
    if not family.compares:
        kind = NoiseDraw if family.adds else MechanismDraw
        return kind(name, family, event.norm, scale, extra)
    if getattr(space, "element", "") not in ("Int", "Bool"):
        raise SpaceError(
            f"`{name}` compares scores on a grid, and {space.describe()} has scores "
            "between its points",
            place=name,
            remedy="integer scores, or `permute_and_flip`, which takes scores as they are",
        )
    return MechanismDraw(name, family, event.norm, scale, extra, Fraction(1))


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
        from metricdp.plain import refuse_spent
        from metricdp.run.guards import admit

        refuse_spent({"data": value})
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
