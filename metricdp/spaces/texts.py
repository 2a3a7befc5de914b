"""Texts by their lines, lines by their cells, and rows whose cells are found by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any

from metricdp.spaces.base import Space
from metricdp.spaces.lengths import Length, rational
from metricdp.spaces.scalars import canonical

if TYPE_CHECKING:
    from random import Random

_LINES = ("", "a", "1,2", "1,2", "x, 3,", ",", "7", "b,é")
_NAMES = ("a", "b", "x")
_CELLS = ("", "1", "2", "ab", 0, 1, Fraction(1, 2), True, False)


def lines_of(text: str) -> list[str]:
    """The lines of a text; a line break at its end begins no other line."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


class Lines(Space, frozen=True):
    """A text under the symmetric distance of its lines; the reference value is a `str`."""

    def __str__(self) -> str:
        return "Lines"

    @property
    def unit(self) -> str:
        return "one line added or removed"

    def contains(self, value: Any) -> bool:
        return isinstance(value, str)

    def length(self, x: Any, y: Any) -> Length:
        left, right = Counter(lines_of(x)), Counter(lines_of(y))
        return rational((left - right).total() + (right - left).total())

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        return _text([rng.choice(_LINES) for _ in range(rng.randint(0, size_hint))])

    def extremes(self) -> list[Any]:
        return ["", "\n", "a", "a\n", _text(list(_LINES))]

    def neighbours(self, x: Any, d: int, rng: Random) -> Any:
        lines = lines_of(x)
        for _ in range(int(d)):
            if lines and rng.random() < 0.5:
                lines.pop(rng.randrange(len(lines)))
            else:
                lines.insert(rng.randint(0, len(lines)), rng.choice(_LINES))
        return _text(lines)

    def shrink(self, x: Any) -> Iterator[Any]:
        lines = lines_of(x)
        for i in range(len(lines)):
            yield _text(lines[:i] + lines[i + 1 :])


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


class Cells(Space, frozen=True):
    """A line of any number of cells under the discrete metric; a tuple of `str`.

    Attributes:
        least: how many cells there certainly are.
        different: whether they are a set, which has no positions; the tuple has no cell twice.
        most: how many cells there are at most, where that is known.
    """

    least: int = 0
    different: bool = False
    most: int | None = None

    def __str__(self) -> str:
        return "Cells"

    @property
    def unit(self) -> str:
        return "one line replaced"

    def contains(self, value: Any) -> bool:
        if not isinstance(value, tuple) or len(value) < self.least:
            return False
        if self.most is not None and len(value) > self.most:
            return False
        once = not self.different or len(set(value)) == len(value)
        return once and all(isinstance(cell, str) for cell in value)

    def row_key(self, value: Any) -> Hashable:
        return (frozenset(value) if self.different else value,)

    def length(self, x: Any, y: Any) -> Length:
        return rational(int(self.row_key(x) != self.row_key(y)))

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        most = self.least + 3 if self.most is None else self.most
        if self.different:
            most = min(5 if self.most is None else most, 5)
            return tuple(rng.sample(["", "a", "b", "1", ","], rng.randint(self.least, most)))
        return tuple(rng.choice(_LINES) for _ in range(rng.randint(self.least, most)))

    def extremes(self) -> list[Any]:
        found: list[Any] = [(), ("",), ("1", "2", "3"), ("a",) * (self.least + 1)]
        return [cells for cells in found if self.contains(cells)]

    def neighbours(self, x: Any, d: int, rng: Random) -> Any:
        return self.sample(rng) if d >= 1 else x

    def shrink(self, x: Any) -> Iterator[Any]:
        for i in range(len(x) if len(x) > self.least else 0):
            yield x[:i] + x[i + 1 :]


class Named(Space, frozen=True):
    """A row whose cells are found by name, under the discrete metric; a dictionary of scalars.

    Which names there are is not declared, so rules have to be total: a cell that is not there
    counts as empty.
    """

    def __str__(self) -> str:
        return "Named"

    @property
    def unit(self) -> str:
        return "one row replaced"

    def row_key(self, value: Any) -> Hashable:
        # The order of the cells is not observed.
        return tuple((name, canonical(value[name])) for name in sorted(value))

    def contains(self, value: Any) -> bool:
        return isinstance(value, dict) and all(
            isinstance(name, str) and _is_cell(cell) for name, cell in value.items()
        )

    def length(self, x: Any, y: Any) -> Length:
        return rational(int(self.row_key(x) != self.row_key(y)))

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        names = rng.sample(_NAMES, rng.randint(0, len(_NAMES)))
        return {name: rng.choice(_CELLS) for name in names}

    def extremes(self) -> list[Any]:
        return [{}, {"a": ""}, {"a": "1", "b": 1, "x": True}, {"x": False, "a": "2"}]

    def neighbours(self, x: Any, d: int, rng: Random) -> Any:
        return self.sample(rng) if d >= 1 else x

    def shrink(self, x: Any) -> Iterator[Any]:
        for name in x:
            yield {other: cell for other, cell in x.items() if other != name}


def _is_cell(cell: Any) -> bool:
    if isinstance(cell, float):
        return isfinite(cell)
    return isinstance(cell, str | int | Fraction)
