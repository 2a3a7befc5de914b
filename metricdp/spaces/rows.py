"""Rows: one record with several fields, from a dataclass, a TypedDict or a tuple type."""

from __future__ import annotations

import re
from ast import literal_eval
from collections import namedtuple
from collections.abc import Hashable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from metricdp.errors import SpaceError
from metricdp.expr import INF
from metricdp.spaces.base import NEG_INF, Space
from metricdp.spaces.lengths import Length, rational
from metricdp.spaces.markers import is_marker, show
from metricdp.spaces.missing import Maybe, optional_part
from metricdp.spaces.moments import Moment, field_moment
from metricdp.spaces.scalars import KINDS, Scalar, canonical
from metricdp.spaces.vectors import Vector

if TYPE_CHECKING:
    from random import Random


class Row(Space, frozen=True):
    """One record under the discrete metric.

    Attributes:
        names: field names; "0", "1", ... for a tuple.
        fields: space of each field: `Scalar` with element Data and a kind, a `Moment`, or a
            `Maybe` of one of these.
        name: printed name ("Visit", "tuple[float, int]").
        kind: "tuple", "attributes" (dataclass) or "items" (TypedDict): how a program reads a field.
            The reference value is a tuple, a named tuple or a dictionary.
    """

    names: tuple[str, ...]
    fields: tuple[Scalar | Moment | Maybe, ...]
    name: str
    kind: str = "tuple"

    def __str__(self) -> str:
        return self.name

    @property
    def unit(self) -> str:
        return "one record replaced"

    def field(self, name: str) -> Scalar | Moment | Maybe | None:
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
        return tuple(canonical(part) for part in self.parts(value))

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


@cache
def _named_tuple(name: str, names: tuple[str, ...]) -> Any:
    return namedtuple(name if name.isidentifier() else "Row", names)


def field_space(item: Any) -> Scalar | Moment | None:
    """The space of a field of a record: Data of the kind that the type says; None if it is none."""
    if (moment := field_moment(item)) is not None:
        return moment
    if isinstance(item, Scalar):
        held = "int" if item.in_float else item.kind
        kind = held or next((k for k, e in KINDS.items() if e == item.element), "")
        return Scalar("Data", item.lo, item.hi, kind if item.element != "Data" else item.kind)
    if isinstance(item, str):
        item = {k.__name__: k for k in (float, int, bool, str)}.get(item, item)
    if isinstance(item, str) and (written := _LITERAL.fullmatch(item)):
        item = _only(literal_eval(f"({written[1]},)"))
    elif get_origin(item) is Literal:
        item = _only(get_args(item))
    if isinstance(item, type) and item in (float, int, bool, str):
        return Scalar("Data", NEG_INF, INF, item.__name__)
    if is_marker(item) and item.name in ("Real", "Int", "Bool", "Data"):
        return field_space(Scalar(item.name))
    if hasattr(item, "__metadata__"):
        field = field_space(item.__origin__)
        refined = field.refined(*item.__metadata__) if field else None
        return refined if isinstance(refined, Scalar | Moment) else None
    return None


def _only(values: tuple[Any, ...]) -> type | None:
    """The one type of the values of a `Literal`, which are not asked for: rows may hold others."""
    kinds = {type(value) for value in values}
    return kinds.pop() if len(kinds) == 1 else None


#: In the annotations of a file that does not evaluate them: written values, and a type that may be
#: missing.
_VALUES = r"(?:'[^'\\]*'|-?\d+|True|False|, )+"
_LITERAL = re.compile(rf"(?:typing\.)?Literal\[({_VALUES})\]")
_ONE = rf"([\w.]+|(?:typing\.)?Literal\[{_VALUES}\])"
_OPTIONAL = re.compile(rf"(?:typing\.)?Optional\[{_ONE}\]|{_ONE} \| None")


def field_of(item: Any) -> Scalar | Moment | Maybe | None:
    """The space of a field that may be missing where its type says so."""
    written = _OPTIONAL.fullmatch(item) if isinstance(item, str) else None
    part = written[1] or written[2] if written else optional_part(item)
    if part is None:
        return field_space(item)
    inner = field_space(part)
    return None if inner is None else Maybe(inner)


def row_space(item: Any) -> Scalar | Moment | Maybe | Row | Vector:
    """The space of one record from the argument of `Records[...]`.

    Raises:
        SpaceError: the type is no scalar type and no row of scalar types.
    """
    if isinstance(item, Row | Maybe):
        return item
    if (part := optional_part(item)) is not None and (inner := field_space(part)) is not None:
        return Maybe(inner)
    if (vector := _vector(item)) is not None:
        return vector
    if (scalar := field_space(item)) is not None:
        return scalar
    if get_origin(item) is tuple:
        parts = get_args(item)
        fields = _fields({str(i): part for i, part in enumerate(parts)}, show(item))
        name = f"tuple[{', '.join(map(_name, fields))}]"
        return Row(tuple(map(str, range(len(fields)))), fields, name)
    if isinstance(item, type) and hasattr(item, "__dataclass_fields__"):
        hints = {name: field.type for name, field in item.__dataclass_fields__.items()}
        return Row(tuple(hints), _fields(hints, item.__name__), item.__name__, "attributes")
    if isinstance(item, type) and issubclass(item, tuple) and hasattr(item, "_fields"):
        hints = {name: _unwrap(hint) for name, hint in item.__annotations__.items()}
        return Row(tuple(hints), _fields(hints, item.__name__), item.__name__, "attributes")
    if isinstance(item, type) and issubclass(item, dict) and hasattr(item, "__total__"):
        hints = {name: _unwrap(hint) for name, hint in item.__annotations__.items()}
        return Row(tuple(hints), _fields(hints, item.__name__), item.__name__, "items")
    raise SpaceError(
        f"{show(item)} is no type of a record",
        remedy="write float, int, bool, str, date, datetime, a tuple of these, a dataclass or a "
        "TypedDict",
    )


def _vector(item: Any) -> Vector | None:
    """A record of several numbers under one discrete metric, or None."""
    if hasattr(item, "__metadata__"):
        inner = _vector(item.__origin__)
        refined = None if inner is None else inner.refined(*item.__metadata__)
        return refined if isinstance(refined, Vector) else None
    if not isinstance(item, Vector):
        return None
    if (item.element, item.norm) != ("Data", "LInf"):
        raise SpaceError(
            f"a record is replaced as a whole, and {item} counts its entries",
            remedy="write Records[Vector[Data, LInf]]",
        )
    return item


def _unwrap(hint: Any) -> Any:
    return getattr(hint, "__forward_arg__", hint)


def _name(field: Scalar | Moment | Maybe) -> str:
    return str(field) if isinstance(field, Maybe | Moment) else field.kind or field.element


def _fields(hints: dict[str, Any], owner: str) -> tuple[Scalar | Moment | Maybe, ...]:
    fields = []
    for name, hint in hints.items():
        field = field_of(hint)
        if field is None:
            raise SpaceError(
                f"field {name} of {owner} has type {show(hint)}, which is no scalar type",
                remedy="write float, int, bool, str, date or datetime, or one of these | None",
            )
        fields.append(field)
    if not fields:
        raise SpaceError(f"{owner} has no fields", remedy="name at least one scalar field")
    return tuple(fields)
