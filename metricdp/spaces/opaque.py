"""Spaces of which only a name is known: public values, and domains of the user.

No rule knows a domain of the user, so every rule refuses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from metricdp.errors import SpaceError
from metricdp.spaces.base import Space
from metricdp.spaces.lengths import INFINITE, Length, rational

if TYPE_CHECKING:
    from random import Random


class Public(Space, frozen=True):
    """A parameter with a plain Python type; its metric is 0 if equal and infinite otherwise.

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
        return rational(0) if x == y else INFINITE


class Opaque(Space, frozen=True):
    """A domain and a metric of which nothing but their names is known.

    Attributes:
        type: printed name of the domain.
        metric: printed name of the metric.
    """

    type: str
    metric: str

    def __str__(self) -> str:
        return f"{self.type} under {self.metric}"

    @property
    def unit(self) -> str:
        return "distance 1"

    def _unknown(self) -> NoReturn:
        raise SpaceError(
            f"nothing is known of {self} but its name",
            remedy="use a domain and a metric of the library to have them checked",
        )

    def contains(self, value: Any) -> bool:
        return True

    def length(self, x: Any, y: Any) -> Length:
        self._unknown()

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        self._unknown()

    def extremes(self) -> list[Any]:
        self._unknown()

    def neighbours(self, x: Any, d: int, rng: Random) -> Any:
        self._unknown()

    def shrink(self, x: Any) -> Iterator[Any]:
        self._unknown()
