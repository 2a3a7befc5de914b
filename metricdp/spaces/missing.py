"""Values that may be missing: a value of a domain, or None.

NaN among data that enter is a missing value.  Rules test for the spaces that they know, so a rule
that does not speak of missing values refuses this one.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any

from metricdp.spaces.base import Space
from metricdp.spaces.lengths import Length, rational
from metricdp.spaces.moments import Moment
from metricdp.spaces.scalars import Scalar

if TYPE_CHECKING:
    from random import Random

#: How often a sample is missing.
_SHARE = 0.3


class Maybe(Space, frozen=True):
    """A value of `inner`, or None, under the discrete metric.

    Attributes:
        inner: space of a value that is there: element Data with a kind, or a `Moment`.
    """

    inner: Scalar | Moment

    def __str__(self) -> str:
        inner = self.inner
        one = inner if isinstance(inner, Moment) else inner.kind or inner.element
        return f"{one} | None"

    @property
    def unit(self) -> str:
        return self.inner.unit

    def _facts(self) -> list[str]:
        return self.inner._facts()

    def contains(self, value: Any) -> bool:
        return value is None or self.inner.contains(value)

    def row_key(self, value: Any) -> Hashable:
        return self.inner.row_key(value)

    def length(self, x: Any, y: Any) -> Length:
        if x is None or y is None:
            return rational(int(x is not y))
        return self.inner.length(x, y)

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        return None if rng.random() < _SHARE else self.inner.sample(rng)

    def extremes(self) -> list[Any]:
        return [None, *self.inner.extremes()]

    def neighbours(self, x: Any, d: int, rng: Random) -> Any:
        if d < 1:
            return x
        if x is None:
            return self.inner.sample(rng)
        return None if rng.random() < _SHARE else self.inner.neighbours(x, d, rng)

    def shrink(self, x: Any) -> Iterator[Any]:
        if x is not None:
            yield None
            yield from self.inner.shrink(x)


def optional_part(item: Any) -> Any:
    """T in `T | None` or `Optional[T]`; None if the annotation is no such union."""
    if typing.get_origin(item) not in (typing.Union, types.UnionType):
        return None
    parts = [part for part in typing.get_args(item) if part is not type(None)]
    return parts[0] if len(parts) == 1 and len(typing.get_args(item)) == 2 else None
