"""Texts of many rows: the different ones once, and for every row which of them it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Texts:
    """Values of a column that repeat.

    Attributes:
        codes: for every row a position in `values`; shape (rows,).
        values: the texts, or what a function made of them; the same one may stand twice.
    """

    __slots__ = ("codes", "values")
    __array_ufunc__ = None

    def __init__(self, codes: NDArray[Any], values: Sequence[Any]) -> None:
        self.codes, self.values = codes, values

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

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, index: Any) -> Texts:
        return Texts(self.codes[index], self.values)

    def equal(self, other: Any) -> Any:
        """Which rows hold a public text, or the text of the same row of another column."""
        if isinstance(other, str):
            return self.marked(lambda each: each == other)
        if not isinstance(other, Texts):
            return np.zeros(len(self), bool)
        known: dict[Any, int] = {}
        left, right = (
            np.array([known.setdefault(v, len(known)) for v in each.values] or [0])
            for each in (self, other)
        )
        return left[self.codes] == right[other.codes] if len(self) else np.zeros(0, bool)

    def marked(self, test: Callable[[Any], Any]) -> Any:
        """A truth value per row, found once per different text."""
        return np.array([bool(test(v)) for v in self.values] or [False])[self.codes]

    def mapped(self, f: Callable[[Any], Any]) -> Any:
        """A function of every text, called once per different one."""
        made = [f(v) for v in self.values]
        if made and all(isinstance(v, bool) for v in made):
            return np.array(made)[self.codes]
        return Texts(self.codes, made)

    def among(self, places: Mapping[str, int], other: int) -> Any:
        """For every row the place of its text, or that of all others."""
        return np.array([places.get(v, other) for v in self.values] or [other])[self.codes]

    def tolist(self) -> list[Any]:
        """The texts, row by row."""
        values = list(self.values)
        return [values[code] for code in self.codes.tolist()]
