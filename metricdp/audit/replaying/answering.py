"""Draws of this package on a tape: every one goes through `emit`, and this answers them.

Secret rows of a sample are the same ones in both runs.  The coins of a sample belong to its rows: a
row that both inputs have is taken in both runs or in none.  Under the scheme's law the two samples
then differ in the rows that differ, and the bound of what reads the sample is about just that.  A
row that only the second input has is taken, which happens with a positive chance.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from metricdp.audit.replaying.paths import OutputPath
from metricdp.audit.replaying.tape import DrawRequest, Tape, TapedDraw
from metricdp.audit.values import plain
from metricdp.families.family import Draw
from metricdp.noise import SeededSource
from metricdp.run.sampling import positions

PACKAGE = str(Path(__file__).resolve().parents[2])
_SITE_PACKAGES = "site-packages"


class Taping:
    """The handler of a run that is recorded, or that follows a tape."""

    test_only = True

    def __init__(
        self, tape: Tape, path: OutputPath, place: Callable[[Draw], str] | None = None
    ) -> None:
        self.tape, self.path, self._place = tape, path, place

    @cached_property
    def source(self) -> Any:
        """The bits of samples of rows and of secret rounds: the same in both runs."""
        return AlignedRows(self.tape, self.path)

    def handle(self, draw: Draw, value: Any) -> Any:
        """The output of one draw."""
        site = where() if self._place is None else self._place(draw)
        known = spelt(value)
        public = {"scale": draw.scale, **draw.extra, **draw.family.public_shape(known)}
        asked = DrawRequest(site, draw.mechanism, public, family=draw.family)
        entry = TapedDraw(asked, draw.norm, draw, known)
        position = len(self.tape.entries)
        earlier = self.tape.add(entry)
        if earlier is None:
            entry.output = self.path.answer(draw, value, position)
        else:
            entry.output = earlier.output
        return entry.output


def spelt(value: Any) -> Any:
    """A private value as lists, tuples and exact numbers; packed arrays, too."""
    if isinstance(value, str) or not hasattr(value, "__len__"):
        return plain(value)
    if hasattr(value, "items"):
        return {key: spelt(each) for key, each in value.items()}
    items = [spelt(each) for each in value]
    return tuple(items) if isinstance(value, tuple) else items


def where() -> str:
    """ "file:line" of the innermost code outside of this package and of installed ones."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = _of_user(frame.f_code.co_filename)
        if name is not None:
            return f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


@lru_cache(maxsize=1 << 10)
def _of_user(path: str) -> str | None:
    """The name of a file; None for one of this package and of installed ones."""
    foreign = _SITE_PACKAGES in path or path.startswith((PACKAGE, "<frozen"))
    return None if foreign else Path(path).name


class AlignedRows(SeededSource):
    """Bits of samples of rows and of secret rounds; see the module."""

    def __init__(self, tape: Tape, path: OutputPath) -> None:
        super().__init__(f"replay rows {path.seed}")
        self._tape, self._path = tape, path

    def positions(self, scheme: str, number: Fraction, parts: Sequence[Any]) -> list[int]:
        """Positions of the rows that are taken; arguments as for `run.sampling.positions`."""
        rows = [repr([spelt(row) for row in joint]) for joint in zip(*parts, strict=True)]
        place = len(self._tape.samples)
        recorded = self._tape.recorded
        if recorded is None or place >= len(recorded.samples):
            everything = scheme == "Poisson" and self._path.kind in ("high", "low")
            chosen = (
                list(range(len(rows))) if everything else positions(scheme, number, len(rows), self)
            )
        else:
            chosen = self._aligned(scheme, rows, *recorded.samples[place])
        self._tape.samples.append((rows, chosen))
        return chosen

    def _aligned(
        self, scheme: str, rows: list[str], earlier: list[str], taken: list[int]
    ) -> list[int]:
        partner = matched(earlier, rows)
        chosen = [partner[i] for i in taken if i in partner]
        if scheme != "Poisson":
            return chosen  # in the order of the sample
        chosen += sorted(set(range(len(rows))) - set(partner.values()))
        return sorted(chosen)


def matched(first: Sequence[str], second: Sequence[str]) -> dict[int, int]:
    """Position in `first` -> position in `second`: equal rows, then what is left in order."""
    free: dict[str, list[int]] = {}
    for position, row in enumerate(second):
        free.setdefault(row, []).append(position)
    partner: dict[int, int] = {}
    left: list[int] = []
    for position, row in enumerate(first):
        if position < len(second) and second[position] == row and position in free[row]:
            free[row].remove(position)
            partner[position] = position
        else:
            left.append(position)
    unmatched = []
    for position in left:
        same = free.get(first[position])
        if same:
            partner[position] = same.pop(0)
        else:
            unmatched.append(position)
    rest = sorted(position for positions in free.values() for position in positions)
    if len(first) == len(second):
        partner.update(zip(unmatched, rest, strict=True))
    return partner
