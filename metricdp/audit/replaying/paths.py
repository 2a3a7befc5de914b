"""Paths: which outputs the mechanisms give on the recorded run.

Every output that a mechanism can give may be chosen, whatever its chance: the same outputs come on
the other input with a positive chance too.  Beside outputs as the mechanism draws them, far ones,
equal ones and zeros make a program take the branches that it takes on released values.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

import msgspec

from metricdp.families.containers import flatten
from metricdp.families.family import Draw
from metricdp.noise.grid import power
from metricdp.run.draws import perform

#: Far, in scales of the noise.
_FAR = 1000
KINDS = ("drawn", "high", "low", "zero", "mixed")


class OutputPath(msgspec.Struct, frozen=True):
    """One choice of all outputs.

    Attributes:
        kind: one of `KINDS`, or "steered".
        seed: of the noise, and of the choices among candidates.
        signs: (draw, entry) -> side on which the output of a steered path lies of its input.
    """

    kind: str
    seed: int = 0
    signs: Mapping[tuple[int, int], int] = {}

    def side(self, draw: int, entry: int) -> int:
        """-1 or 1 for a far output, 0 for one as drawn or for zero."""
        if self.kind == "steered":
            return self.signs.get((draw, entry), 1)
        if self.kind == "mixed":
            return 1 if Random(f"{self.seed} {draw} {entry}").random() < 0.5 else -1
        return {"high": 1, "low": -1}.get(self.kind, 0)

    def noise(self, draw: int, entry: int, scale: Any) -> Any:
        """Far noise of a scale, another one for every number; None where it is drawn."""
        side = self.side(draw, entry)
        return side * scale * (_FAR + 7 * draw + entry / 16) if side else None

    def answer(self, draw: Draw, value: Any, position: int) -> Any:
        """The output of one draw.

        Args:
            draw: what is asked for.
            value: what entered.
            position: how many draws came before.
        """
        from metricdp.noise import SeededSource

        drawn = perform(draw, value, SeededSource(f"replay {self.seed} {position}"))
        if self.kind == "drawn":
            return drawn
        options = draw.family.outcomes(draw, value)
        if options is not None:
            turn = self.seed
            if self.kind in KINDS:
                turn += position + KINDS.index(self.kind)
            chosen = options[turn % len(options)]
            return bool(chosen) if isinstance(drawn, bool) else chosen
        if not draw.family.adds or not draw.scale:
            return drawn
        centres = iter(list(flatten(value)))
        count = iter(range(1 << 60))
        step = power(draw.grid().exponent)

        def instead(number: Any) -> Any:
            index, centre = next(count), next(centres)
            side = self.side(position, index)
            if not side:
                return 0 if isinstance(number, int) else 0.0
            far = side * draw.scale * Fraction(16 * (_FAR + 7 * position) + index, 16)
            ticks = round((centre + far) / step)
            return ticks if isinstance(number, int) else float(ticks * step)

        return _replaced(drawn, instead)


def _replaced(drawn: Any, instead: Any) -> Any:
    """Other numbers in a released value of the same kind."""
    if isinstance(drawn, tuple):
        return tuple(_replaced(part, instead) for part in drawn)
    if not hasattr(drawn, "dtype") or getattr(drawn, "ndim", 0) == 0:
        return instead(drawn.item() if hasattr(drawn, "dtype") else drawn)
    import numpy as np

    numbers = [instead(x) for x in drawn.ravel().tolist()]
    return np.array(numbers, drawn.dtype).reshape(drawn.shape)
