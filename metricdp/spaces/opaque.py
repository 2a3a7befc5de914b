"""Spaces of the user that are only names: no rule knows them, so every rule refuses them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from metricdp.errors import SpaceError
from metricdp.spaces.base import Space

if TYPE_CHECKING:
    from random import Random

    from metricdp.spaces.lengths import Length


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
