"""Scalars: reals, integers, Booleans, and any scalar under the discrete metric."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.expr import INF, ONE, ZERO, Expr
from metricdp.spaces.base import NEG_INF, Space

if TYPE_CHECKING:
    from random import Random

    from metricdp.spaces.lengths import Length

#: Python type of the values -> element.
KINDS = {"float": "Real", "int": "Int", "bool": "Bool", "str": "Data"}


class Scalar(Space, frozen=True):
    """One number, Boolean or datum.

    Attributes:
        element: "Real", "Int", "Bool" or "Data".
        lo, hi: bounds of the value (of its R value, also under Data); -oo and oo if none.
        kind: Python type of the value, "float", "int", "bool" or "str"; "" if the element says
            it, or any.  Fields of records are Data with a kind.
    """

    element: str
    lo: Expr = NEG_INF
    hi: Expr = INF
    kind: str = ""

    def __post_init__(self) -> None:
        if self.element == "Bool" or self.kind == "bool":
            if self.lo == NEG_INF:
                msgspec.structs.force_setattr(self, "lo", ZERO)
            if self.hi == INF:
                msgspec.structs.force_setattr(self, "hi", ONE)

    def __str__(self) -> str:
        return self.element

    @property
    def unit(self) -> str:
        return "one value replaced" if self.element in ("Data", "Bool") else "distance 1"

    def _facts(self) -> list[str]:
        from metricdp.spaces.words import range_words

        return range_words(self.lo, self.hi) if self.element != "Bool" else []

    def contains(self, value: Any) -> bool:
        from metricdp.spaces.cells import cell_contains

        return cell_contains(self, value)

    def length(self, x: Any, y: Any) -> Length:
        from metricdp.spaces.cells import cell_distance
        from metricdp.spaces.lengths import rational

        return rational(cell_distance(self, x, y))

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        from metricdp.spaces.cells import sample_cell

        return sample_cell(self, rng)

    def extremes(self) -> list[Any]:
        from metricdp.spaces.cells import cell_extremes

        return cell_extremes(self)

    def neighbours(self, x: Any, d: int | Fraction, rng: Random) -> Any:
        from metricdp.spaces.cells import move_cell

        return move_cell(self, x, d, rng)

    def shrink(self, x: Any) -> Iterator[Any]:
        from metricdp.spaces.cells import shrink_cell

        return shrink_cell(self, x)
