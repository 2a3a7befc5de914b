"""A public value: its metric is 0 if equal and infinite otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metricdp.spaces.base import Space

if TYPE_CHECKING:
    from metricdp.spaces.lengths import Length


class Public(Space, frozen=True):
    """A parameter with a plain Python type.

    Attributes:
        type: the printed type ("float", "numpy.ndarray", "Callable").
    """

    type: str

    def __str__(self) -> str:
        return self.type

    @property
    def unit(self) -> str:
        return "public"

    def contains(self, value: Any) -> bool:
        return True

    def length(self, x: Any, y: Any) -> Length:
        from metricdp.spaces.lengths import INFINITE, rational

        return rational(0) if x == y else INFINITE
