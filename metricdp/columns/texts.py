"""Texts of many rows: the different ones once, and for every row which of them it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

#: Facts that are kept about the values of a column: each takes memory for every different one.
_MOST_KNOWN: Final = 64
#: As many texts have codes of 32 bits.
_SHORT_CODES: Final = 1 << 31


class Texts:
    """Values of a column that repeat.

    Attributes:
        codes: for every row a position in `values`; shape (rows,).
        values: the texts, or what a function made of them; the same one may stand twice.
        known: what was found out about the values, shared by all pieces of a column.
    """

    __slots__ = ("codes", "known", "values")
    __array_ufunc__ = None

    def __init__(
        self,
        codes: NDArray[Any],
        values: Sequence[Any],
        known: dict[Any, Any] | None = None,
    ) -> None:
        self.codes, self.values = codes, values
        self.known = {} if known is None else known

    def once(self, key: Any, made: Callable[[], Any]) -> Any:
        """Something about the values, which is found out for the first piece that asks."""
        if key not in self.known:
            if len(self.known) >= _MOST_KNOWN:
                return made()
            self.known[key] = made()
        return self.known[key]

    @classmethod
    def of(cls, cells: Sequence[str]) -> Texts:
        """The texts of a list."""
        values = list(dict.fromkeys(cells))
        places = {value: place for place, value in enumerate(values)}
        codes = np.fromiter(map(places.__getitem__, cells), np.int32, len(cells))
        return cls(codes, values)

    @classmethod
    def constant(cls, value: str, rows: int) -> Texts:
        """The same text in every row."""
        return cls(np.zeros(rows, np.int64), [value])

    @classmethod
    def chosen(cls, test: NDArray[Any], x: Texts, y: Texts) -> Texts:
        """x where the condition holds, else y."""
        other = y.codes.astype(np.int64) + len(x.values)
        return cls(np.where(test, x.codes, other), [*x.values, *y.values])

    def placed(self, places: dict[Any, int]) -> Any:
        """The codes of the rows among texts that were met before and are now.

        Args:
            places: text -> its code; new ones are added.
        """
        here = [places.setdefault(value, len(places)) for value in self.values]
        kind = np.int32 if len(places) <= _SHORT_CODES else np.int64
        return np.array(here or [0], kind)[self.codes]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, index: Any) -> Texts:
        return Texts(self.codes[index], self.values, self.known)

    def equal(self, other: Any) -> Any:
        """Which rows hold a public text, or the text of the same row of another column."""
        if isinstance(other, str):
            return self.marked(("equal", other), lambda each: each == other)
        if not isinstance(other, Texts):
            return np.zeros(len(self), bool)
        known: dict[Any, int] = {}
        left, right = (
            np.array([known.setdefault(v, len(known)) for v in each.values] or [0])
            for each in (self, other)
        )
        return left[self.codes] == right[other.codes] if len(self) else np.zeros(0, bool)

    def marked(self, key: Any, test: Callable[[Any], Any]) -> Any:
        """A truth value per row, found once per different text.

        Args:
            key: tells the test from others.
        """
        values = self.values
        table = self.once(
            ("marked", key), lambda: np.array([bool(test(v)) for v in values] or [False])
        )
        return table[self.codes]

    def mapped(self, key: Any, f: Callable[[str], str]) -> Texts:
        """A text made of every text, once per different one.

        Args:
            key: tells the function from others.
        """
        made, known = self.once(("mapped", key), lambda: ([f(v) for v in self.values], {}))
        return Texts(self.codes, made, known)

    def among(self, places: Mapping[str, int], other: int) -> Any:
        """For every row the place of its text, or that of all others."""
        # What is known by its identity has to live.
        _, table = self.once(
            ("among", id(places)),
            lambda: (places, np.array([places.get(v, other) for v in self.values] or [other])),
        )
        return table[self.codes]

    def tolist(self) -> list[Any]:
        """The texts, row by row."""
        values = list(self.values)
        return [values[code] for code in self.codes.tolist()]
