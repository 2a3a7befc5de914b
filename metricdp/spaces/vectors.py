"""Vectors and gradients: lists of entries under a norm of the entries' distances."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import msgspec

from metricdp.expr import INF, ONE, ZERO, Expr
from metricdp.spaces.base import NEG_INF, Space
from metricdp.spaces.scalars import Scalar

if TYPE_CHECKING:
    from random import Random

    from metricdp.spaces.lengths import Length

#: Pairs (norm, bound): the R norm of the value is at most the bound.
Radius = tuple[tuple[str, Expr], ...]


class Entries(Space, frozen=True):
    """What vectors and gradients share: a list of entries of one element under one norm.

    Attributes:
        element: "Real", "Int", "Bool" or "Data".
        norm: "L1", "L2" or "LInf", over the distances of the entries.
        size: number of entries; None in an annotation that no parameter has named yet.
        lo, hi: bounds of every entry (R values, also under Data); `lo >= 0` is the sign.
        radius: pairs (norm, bound) on the R norm of the whole value.
    """

    element: str
    norm: str
    size: Expr | None = None
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

        element, norm = pair(cls.__name__, item)
        return cls(element_name(element), norm_name(norm))

    def __str__(self) -> str:
        return f"{type(self).__name__}[{self.element}, {self.norm}]"

    @property
    def entry(self) -> Scalar:
        """The space of one entry."""
        return Scalar(self.element, self.lo, self.hi)

    @property
    def unit(self) -> str:
        from metricdp.spaces.words import entries_unit

        return entries_unit(self.element, self.norm)

    def _facts(self) -> list[str]:
        from metricdp.spaces.words import entries_words, radius_words, size_words

        return [
            *size_words(self.size, "entries", "entry"),
            *entries_words(self.element, self.lo, self.hi),
            *radius_words(self.radius),
        ]

    def named(self, parameter: str) -> Self:
        from metricdp.spaces.words import size_symbol

        if self.size is not None:
            return self
        return msgspec.structs.replace(self, size=size_symbol("len", parameter))

    def contains(self, value: Any) -> bool:
        from metricdp.spaces.entries import contains_entries

        return contains_entries(self, value)

    def length(self, x: Any, y: Any) -> Length:
        from metricdp.spaces.entries import entries_length

        return entries_length(self, x, y)

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        from metricdp.spaces.entries import sample_entries

        return sample_entries(self, rng, size_hint)

    def extremes(self) -> list[Any]:
        from metricdp.spaces.entries import extreme_entries

        return extreme_entries(self)

    def neighbours(self, x: Any, d: int | Fraction, rng: Random) -> Any:
        from metricdp.spaces.moves import move_entries

        return move_entries(self, x, d, rng)

    def shrink(self, x: Any) -> Iterator[Any]:
        from metricdp.spaces.entries import shrink_entries

        return shrink_entries(self, x)


class Vector(Entries, frozen=True):
    """A vector, `Vector[E, N]`; unequal lengths are at distance oo.  Fields: see `Entries`."""


class Gradient(Entries, frozen=True):
    """A gradient or tensor, `Gradient[E, N]`, under the metric of its flattening.

    Its reference value is the flat list of its entries; the shape is public.
    """
