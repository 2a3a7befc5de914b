"""The functions inside constructed maps: small objects, so that maps pickle and compare."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.record import REGISTRY
from metricdp.run.draws import Draw
from metricdp.run.samplers import sampler_of
from metricdp.spaces import Keyed, Maybe, Records, Scalar, Space
from metricdp.spaces.vectors import Entries


class Rule(msgspec.Struct, frozen=True):
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


class Noise(msgspec.Struct, frozen=True):
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
