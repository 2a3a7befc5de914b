"""Matrices under the row-sum metric: the sum over rows of the norm of the rows' distance."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import msgspec

from metricdp.expr import INF, ONE, ZERO, Expr
from metricdp.spaces.base import NEG_INF, Space
from metricdp.spaces.scalars import Scalar
from metricdp.spaces.vectors import Radius, Vector

if TYPE_CHECKING:
    from random import Random

    from metricdp.spaces.lengths import Length


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
        from metricdp.spaces.markers import element_name, norm_name
        from metricdp.spaces.words import pair

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
        from metricdp.spaces.words import matrix_unit

        return matrix_unit(self.element, self.norm)

    def _facts(self) -> list[str]:
        from metricdp.spaces.words import entries_words, radius_words, size_words

        return [
            *size_words(self.rows, "rows", "row"),
            *size_words(self.cols, "columns", "column"),
            *entries_words(self.element, self.lo, self.hi),
            *radius_words(self.radius, "every row has "),
        ]

    def named(self, parameter: str) -> Self:
        from metricdp.spaces.words import size_symbol

        rows = size_symbol("rows", parameter) if self.rows is None else self.rows
        cols = size_symbol("cols", parameter) if self.cols is None else self.cols
        return msgspec.structs.replace(self, rows=rows, cols=cols)

    def contains(self, value: Any) -> bool:
        from metricdp.spaces.grids import contains_rows

        return contains_rows(self, value)

    def length(self, x: Any, y: Any) -> Length:
        from metricdp.spaces.grids import rows_length

        return rows_length(self, x, y)

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        from metricdp.spaces.grids import sample_rows

        return sample_rows(self, rng, size_hint)

    def extremes(self) -> list[Any]:
        from metricdp.spaces.grids import extreme_rows

        return extreme_rows(self)

    def neighbours(self, x: Any, d: int | Fraction, rng: Random) -> Any:
        from metricdp.spaces.grids import move_rows

        return move_rows(self, x, d, rng)

    def shrink(self, x: Any) -> Iterator[Any]:
        from metricdp.spaces.grids import shrink_rows

        return shrink_rows(self, x)
