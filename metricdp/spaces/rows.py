"""Rows: one record with several fields."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Hashable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from metricdp.spaces.base import Space
from metricdp.spaces.lengths import Length, rational
from metricdp.spaces.missing import Maybe
from metricdp.spaces.moments import Moment
from metricdp.spaces.scalars import Scalar, canonical

if TYPE_CHECKING:
    from random import Random


class Row(Space, frozen=True):
    """One record under the discrete metric.

    Attributes:
        names: field names; "0", "1", ... for a tuple.
        fields: space of each field: `Scalar` with element Data and a kind, a `Moment`, a `Maybe` of
            one of these, or a row of kind "tuple" where a field of a class holds several values.
        name: printed name ("Visit", "tuple[float, int]").
        kind: "tuple", "attributes" (dataclass) or "items" (TypedDict): how a program reads a field.
            The reference value is a tuple, a named tuple or a dictionary.
    """

    names: tuple[str, ...]
    fields: tuple[Field, ...]
    name: str
    kind: str = "tuple"

    def __str__(self) -> str:
        return self.name

    @property
    def unit(self) -> str:
        return "one record replaced"

    def _facts(self) -> list[str]:
        return [
            f"{name} {fact}"
            for name, field in zip(self.names, self.fields, strict=True)
            for fact in field._facts()
        ]

    def field(self, name: str) -> Field | None:
        """The space of a field, or None."""
        return self.fields[self.names.index(name)] if name in self.names else None

    def parts(self, value: Any) -> tuple[Any, ...]:
        """The values of the fields, in order."""
        if isinstance(value, dict):
            return tuple(value[name] for name in self.names)
        if isinstance(value, tuple):
            return value
        return tuple(getattr(value, name) for name in self.names)

    def build(self, parts: Any) -> Any:
        """A reference value from the values of its fields, in order."""
        if self.kind == "items":
            return dict(zip(self.names, parts, strict=True))
        if self.kind == "attributes":
            return _named_tuple(self.name, self.names)(*parts)
        return tuple(parts)

    def contains(self, value: Any) -> bool:
        try:
            parts = self.parts(value)
        except (AttributeError, KeyError):
            return False
        return len(parts) == len(self.fields) and all(
            field.contains(part) for field, part in zip(self.fields, parts, strict=True)
        )

    def row_key(self, value: Any) -> Hashable:
        pairs = zip(self.fields, self.parts(value), strict=True)
        return tuple(f.row_key(p) if isinstance(f, Row) else canonical(p) for f, p in pairs)

    def length(self, x: Any, y: Any) -> Length:
        return rational(0 if self.row_key(x) == self.row_key(y) else 1)

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        return self.build([field.sample(rng) for field in self.fields])

    def extremes(self) -> list[Any]:
        columns = [field.extremes() for field in self.fields]
        longest = max((len(column) for column in columns), default=0)
        return [self.build([c[i % len(c)] for c in columns]) for i in range(longest)]

    def neighbours(self, x: Any, d: int, rng: Random) -> Any:
        if d < 1:
            return x
        parts = list(self.parts(x))
        for i in [i for i in range(len(parts)) if rng.random() < 0.5] or range(len(parts)):
            parts[i] = self.fields[i].neighbours(parts[i], 1, rng)
        return self.build(parts)

    def shrink(self, x: Any) -> Iterator[Any]:
        parts = self.parts(x)
        for i, field in enumerate(self.fields):
            for simpler in field.shrink(parts[i]):
                yield self.build([*parts[:i], simpler, *parts[i + 1 :]])


#: What a field of a row lies in: of one value, and of any.
Single = Scalar | Moment | Maybe
Field = Single | Row


@cache
def _named_tuple(name: str, names: tuple[str, ...]) -> Any:
    return namedtuple(name if name.isidentifier() else "Row", names)


def tuple_of(fields: tuple[Field, ...]) -> Row:
    """The row of these fields that is read as a tuple."""
    name = f"tuple[{', '.join(map(_name, fields))}]"
    return Row(tuple(map(str, range(len(fields)))), fields, name)


def _name(field: Field) -> str:
    return field.kind or field.element if isinstance(field, Scalar) else str(field)
