"""The numbers of a table in order of size, and how many lie on either side of a public number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import inf, isfinite, nextafter
from typing import Any, NamedTuple

import numpy as np

from metricdp.columns.itself import Itself
from metricdp.columns.language import nearest


class Between(NamedTuple):
    """The rows between two numbers, neither of which is among them.

    Attributes:
        size: how many rows there are in all.
        below: how many lie at or below the first number.
        rows: doubles in order of size: an array, or what gives parts of it (`Ranked`).
    """

    size: int
    below: int
    rows: Any


class Ordered:
    """Numbers in order of size.

    Attributes:
        values: array of shape (rows,): doubles, or integers of 64 bits or of Python.
    """

    __slots__ = ("values",)

    def __init__(self, values: Any) -> None:
        values = values.astype(np.int64) if values.dtype == bool else values
        own = values.base is None and values.flags.writeable and values.flags.owndata
        if own:
            values.sort()
        self.values = values if own else np.sort(values)

    def __len__(self) -> int:
        return len(self.values)

    def sides(self, ends: Ends) -> Any:
        """How many rows lie below, and how many above, each number: int64 array (2, numbers)."""
        low, high = ends.of(self.values.dtype)
        below = self._places(high, "left")
        return np.array([below, len(self) - self._places(low, "right")], np.int64)

    def _places(self, ends: Any, side: Any) -> Any:
        if self.values.dtype.kind == "f":
            return self.values.searchsorted(ends, side)
        return np.array([int(self.values.searchsorted(end, side)) for end in ends], np.int64)

    def between(self, low: Fraction, high: Fraction) -> Between | None:
        """The rows between two numbers; None where some are no doubles."""
        doubles = self._doubles()
        if doubles is None:
            return None
        below = int(self.values.searchsorted(neighbours(low, self.values.dtype)[0], "right"))
        stop = int(self.values.searchsorted(neighbours(high, self.values.dtype)[1], "left"))
        return Between(len(self), below, doubles[below : max(below, stop)])

    def _doubles(self) -> Any:
        """The numbers as doubles; None where some are none."""
        if self.values.dtype.kind == "f":
            return self.values
        if len(self) and max(abs(int(self.values[0])), abs(int(self.values[-1]))) > 1 << 53:
            return None
        return self.values.astype(np.float64)


class Ends:
    """Public numbers, each between the values of a dtype that are nearest to it."""

    def __init__(self, numbers: Sequence[Any]) -> None:
        self._numbers = numbers
        self._known: dict[Any, tuple[Any, Any]] = {}

    def of(self, dtype: Any) -> tuple[Any, Any]:
        """The greatest value at or below each number, and the least at or above."""
        if dtype not in self._known:
            pairs = [
                (t, t) if type(t) is float and dtype.kind == "f" and isfinite(t)
                else neighbours(Fraction(t), dtype)
                for t in self._numbers
            ]  # fmt: skip
            low, high = [low for low, _ in pairs], [high for _, high in pairs]
            if dtype.kind == "f":
                self._known[dtype] = np.array(low, np.float64), np.array(high, np.float64)
            else:
                self._known[dtype] = low, high
        return self._known[dtype]


@lru_cache(maxsize=64)
def _kept(numbers: Itself) -> Ends:
    """Candidates of a choice are the same tuple in every call."""
    return Ends(numbers.held)


def _ends(numbers: Sequence[Any]) -> Ends:
    return _kept(Itself(numbers)) if type(numbers) is tuple else Ends(numbers)


def sides(pieces: Iterable[Any], numbers: Sequence[Any]) -> list[tuple[int, int]]:
    """How many numbers of all pieces lie below, and how many above, each of several numbers.

    Each piece is put in order by itself: no more is held at once, and short ones are sorted in the
    processor's cache.
    """
    total, ends = np.zeros((2, len(numbers)), np.int64), _ends(numbers)
    for piece in pieces:
        total += Ordered(piece).sides(ends)
    return list(zip(*total.tolist(), strict=True))


def neighbours(number: Fraction, dtype: Any) -> tuple[Any, Any]:
    """The greatest value of a dtype at or below a number, and the least at or above."""
    if dtype.kind != "f":
        low = number.numerator // number.denominator
        high = -(-number.numerator // number.denominator)
        return (low, high) if dtype.kind == "O" else (_word(low), _word(high))
    near = nearest(number)
    exact = Fraction(near)
    return (
        near if exact <= number else nextafter(near, -inf),
        near if exact >= number else nextafter(near, inf),
    )


def _word(x: int) -> Any:
    """An integer of 64 bits; beyond them every row lies on one side."""
    words = np.iinfo(np.int64)
    return np.int64(x) if words.min <= x <= words.max else inf if x > 0 else -inf
