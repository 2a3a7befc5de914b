"""Matrices under the row-sum metric: the sum over rows of the norm of the rows' distance."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import msgspec

from metricdp.expr import INF, ONE, ZERO, Expr, num
from metricdp.spaces.base import NEG_INF, Space, size_value
from metricdp.spaces.lengths import INFINITE, Length, total
from metricdp.spaces.markers import element_name
from metricdp.spaces.norms import norm_name, split
from metricdp.spaces.scalars import Scalar
from metricdp.spaces.vectors import Radius, Vector
from metricdp.spaces.words import entries_words, pair, radius_words, size_symbol, size_words

if TYPE_CHECKING:
    from random import Random


class Matrix(Space, frozen=True):
    """A matrix, `Matrix[E, N]`; different shapes are at distance oo.

    Attributes:
        element: "Real", "Int", "Bool" or "Data".
        norm: norm of a row's distance; `(Data, LInf)` counts the rows that differ.
        rows, cols: shape; None in an annotation that no parameter has named yet.
        lo, hi: bounds of every entry (R values, also under Data); `lo >= 0` is the sign.
        radius: pairs (norm, bound) on the R norm of every row, also under Data.
    """

    element: str
    norm: str
    rows: Expr | None = None
    cols: Expr | None = None
    lo: Expr = NEG_INF
    hi: Expr = INF
    radius: Radius = ()

    def __post_init__(self) -> None:
        if self.element == "Bool":
            if self.lo == NEG_INF:
                msgspec.structs.force_setattr(self, "lo", ZERO)
            if self.hi == INF:
                msgspec.structs.force_setattr(self, "hi", ONE)

    def __class_getitem__(cls, item: Any) -> Self:
        element, norm = pair("Matrix", item)
        return cls(element_name(element), norm_name(norm))

    def __str__(self) -> str:
        return f"Matrix[{self.element}, {self.norm}]"

    @property
    def entry(self) -> Scalar:
        """The space of one entry."""
        return Scalar(self.element, self.lo, self.hi)

    @property
    def row(self) -> Vector:
        """The space of one row."""
        return Vector(self.element, self.norm, self.cols, self.lo, self.hi, self.radius)

    @property
    def unit(self) -> str:
        if not self.entry.discrete:
            return f"one unit of {self.norm} distance, added over rows"
        return "one entry replaced" if self.row.geometry.inverse else "one row replaced"

    def _facts(self) -> list[str]:
        return [
            *size_words(self.rows, "rows", "row"),
            *size_words(self.cols, "columns", "column"),
            *entries_words(self.element, self.lo, self.hi),
            *radius_words(self.radius, "every row has "),
        ]

    def named(self, parameter: str) -> Self:
        rows = size_symbol("rows", parameter) if self.rows is None else self.rows
        cols = size_symbol("cols", parameter) if self.cols is None else self.cols
        return msgspec.structs.replace(self, rows=rows, cols=cols)

    def contains(self, value: Any) -> bool:
        """Whether the value is a list of rows of one length, each within the bounds of a row."""
        if not isinstance(value, (list, tuple)):
            return False
        rows = size_value(self.rows)
        if rows is not None and len(value) != rows:
            return False
        if not all(isinstance(row, (list, tuple)) for row in value):
            return False
        row_space = self.row
        return len({len(row) for row in value}) <= 1 and all(map(row_space.contains, value))

    def length(self, x: Any, y: Any) -> Length:
        """The sum of the rows' lengths; infinite for different shapes."""
        if len(x) != len(y):
            return INFINITE
        row_space = self.row
        return total(row_space.length(a, b) for a, b in zip(x, y, strict=True))

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        """Independent rows, or one row repeated."""
        rows, cols = size_value(self.rows), size_value(self.cols)
        r = rng.randint(0, size_hint) if rows is None else rows
        c = rng.randint(1, max(1, size_hint)) if cols is None else cols
        row_space = msgspec.structs.replace(self.row, size=num(c))
        if rng.random() < 0.15:
            return [list(row) for row in [row_space.sample(rng)] * r]
        return [row_space.sample(rng) for _ in range(r)]

    def extremes(self) -> list[Any]:
        """Every extreme row repeated, extreme rows in turn, and no rows where that is free."""
        rows = size_value(self.rows)
        r = 2 if rows is None else rows
        edges = [row for row in self.row.extremes() if row or size_value(self.cols) == 0]
        found = [[list(row) for _ in range(r)] for row in edges]
        if edges and r:
            found.append([list(edges[i % len(edges)]) for i in range(r)])
            found.append([list(edges[-1]), *[list(edges[0]) for _ in range(r - 1)]])
        return found if rows is not None else [*found, []]

    def neighbours(self, x: Any, d: int | Fraction, rng: Random) -> Any:
        """A matrix of the domain at distance at most `d`: the distance is split over rows."""
        whole = self.element != "Real"
        row_space = self.row
        if whole and rng.random() < 0.5 and d >= 1 and x:
            chosen = set(rng.sample(range(len(x)), min(int(d), len(x))))
            shares: list[int | Fraction] = [int(i in chosen) for i in range(len(x))]
        else:
            shares = split(int(d) if whole else d, len(x), rng, whole=whole)
        return [
            row_space.neighbours(list(row), share, rng) if share else list(row)
            for row, share in zip(x, shares, strict=True)
        ]

    def shrink(self, x: Any) -> Iterator[Any]:
        """Fewer rows and columns where these are free, rows of zeros, then simpler rows."""
        x = [list(row) for row in x]
        candidates: list[list[list[Any]]] = []
        if size_value(self.rows) is None and x:
            candidates += [x[: len(x) // 2], *(x[:i] + x[i + 1 :] for i in range(len(x)))]
        if size_value(self.cols) is None and x and len(x[0]) > 1:
            candidates += [[row[:j] + row[j + 1 :] for row in x] for j in range(len(x[0]))]
        for i, row in enumerate(x):
            simpler = [[self.entry.zeroed(value) for value in row], *self.row.shrink(row)]
            candidates += [[*x[:i], y, *x[i + 1 :]] for y in simpler if len(y) == len(row)]
        for y in candidates:
            if y != x and self.contains(y):
                yield y
