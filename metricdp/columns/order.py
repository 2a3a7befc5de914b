"""The numbers of a table in order of size, and how many lie on either side of a public number."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, isfinite, nextafter
from typing import Any

import numpy as np

from metricdp.columns.language import nearest


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

    def below(self, number: Fraction) -> int:
        """How many lie below a number."""
        return int(self.values.searchsorted(self._neighbours(number)[1], "left"))

    def above(self, number: Fraction) -> int:
        """How many lie above a number."""
        return len(self) - int(self.values.searchsorted(self._neighbours(number)[0], "right"))

    def sides(self, numbers: Sequence[Any]) -> list[tuple[int, int]]:
        """`below` and `above` of each of several numbers."""
        ends = [
            (t, t) if type(t) is float and self.values.dtype.kind == "f" and isfinite(t)
            else self._neighbours(Fraction(t))
            for t in numbers
        ]  # fmt: skip
        if self.values.dtype.kind == "f":
            ups, downs = np.array([end for _, end in ends]), np.array([end for end, _ in ends])
            below = self.values.searchsorted(ups, "left").tolist()
            above = self.values.searchsorted(downs, "right").tolist()
        else:
            below = [int(self.values.searchsorted(up, "left")) for _, up in ends]
            above = [int(self.values.searchsorted(down, "right")) for down, _ in ends]
        return [(b, len(self) - a) for b, a in zip(below, above, strict=True)]

    def doubles(self) -> Any:
        """The numbers as doubles; None where some are none."""
        if self.values.dtype.kind == "f":
            return self.values
        if len(self) and max(abs(int(self.values[0])), abs(int(self.values[-1]))) > 1 << 53:
            return None
        return self.values.astype(np.float64)

    def _neighbours(self, number: Fraction) -> tuple[Any, Any]:
        """The greatest value that a row could have at or below a number, the least at or above."""
        if self.values.dtype.kind != "f":
            low = number.numerator // number.denominator
            high = -(-number.numerator // number.denominator)
            if self.values.dtype == object:
                return low, high
            return _word(low), _word(high)
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
