"""Fields of rows from their types: one value, one that may be missing, or several."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, get_args, get_origin

from metricdp.errors import SpaceError
from metricdp.expr import INF
from metricdp.spaces.base import NEG_INF
from metricdp.spaces.markers import is_marker, show
from metricdp.spaces.missing import Maybe, optional_part
from metricdp.spaces.moments import Moment, field_moment
from metricdp.spaces.refinements import Size
from metricdp.spaces.rows import Field, tuple_of
from metricdp.spaces.scalars import KINDS, Scalar
from metricdp.spaces.zones import Zone

#: Most values of one field.
MOST = 256
#: What a field may be, in messages.
FIELDS = (
    "write float, int, bool, str, date or datetime, or one of these | None; for several values "
    "tuple[float, float, float] or Annotated[list[float], dp.Size(3)]"
)


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


#: In the annotations of a file that does not evaluate them: written values, a clock, and a type
#: that may be missing.
_VALUES = r"(?:'[^'\\]*'|-?\d+|True|False|, )+"
_LITERAL = re.compile(rf"(?:typing\.)?Literal\[({_VALUES})\]")
_ONE = rf"([\w.]+|(?:typing\.)?Literal\[{_VALUES}\])"
_ZONED = re.compile(r"(?:\w+\.)*Annotated\[([^\[\]]+), (?:\w+\.)*Zone\('([^'\\]*)'\)\]( \| None)?")
_OPTIONAL = re.compile(rf"(?:typing\.)?Optional\[{_ONE}\]|{_ONE} \| None")


def field_of(item: Any) -> Scalar | Moment | Maybe | None:
    """The space of a field of one value, which may be missing where its type says so."""
    if isinstance(item, str) and (zoned := _ZONED.fullmatch(item)):
        return _on_clock(zoned[1], zoned[2], zoned[3] is not None)
    written = _OPTIONAL.fullmatch(item) if isinstance(item, str) else None
    part = written[1] or written[2] if written else _optional(item)
    if part is None:
        return field_space(item)
    inner = field_space(part)
    return None if inner is None else Maybe(inner)


def _on_clock(item: str, zone: str, missing: bool) -> Moment | Maybe | None:
    """A field that names a zone, as a file writes it."""
    held = field_of(item)
    inner = held.inner if isinstance(held, Maybe) else held
    if inner is None:
        return None
    refined = inner.refined(Zone(zone))
    assert isinstance(refined, Moment)
    return Maybe(refined) if missing or isinstance(held, Maybe) else refined


def _optional(item: Any) -> Any:
    """T in `T | None`, with the refinements that stand around the union; None of anything else."""
    if hasattr(item, "__metadata__"):
        part = optional_part(item.__origin__)
        return None if part is None else Annotated[part, *item.__metadata__]
    return optional_part(item)


def field_of_class(item: Any) -> Field | None:
    """The space of a field of a class, which may hold several values; None if it is none.

    `tuple[float, float]` and `Annotated[list[float], Size(2)]` hold two, and are read as a tuple.

    Raises:
        SpaceError: a list whose length is no written number, or too large a one.
    """
    if (one := field_of(item)) is not None:
        return one
    written = _TUPLE.fullmatch(item) if isinstance(item, str) else None
    parts = written[1].split(", ") if written else _parts(item)
    if not parts:
        return None
    fields = tuple(field_of(part) for part in parts)
    return None if None in fields else tuple_of(fields)  # type: ignore[arg-type]


def fields_of(
    types: Mapping[str, Any], owner: str, read: Callable[[Any], Field | None] = field_of_class
) -> tuple[Field, ...]:
    """The fields of one row.

    Args:
        types: the type of each field, by its name.
        owner: whose fields they are, in messages.
        read: what a type means; fields of tuples are `field_of`.

    Raises:
        SpaceError: there are none, or the type of one holds no scalar.
    """
    fields: list[Field] = []
    for name, item in types.items():
        field = read(item)
        if field is None:
            raise SpaceError(
                f"field {name} of {owner} has type {show(item)}, which is no scalar type",
                remedy=FIELDS,
            )
        fields.append(field)
    if not fields:
        raise SpaceError(f"{owner} has no fields", remedy="name at least one scalar field")
    return tuple(fields)


def _parts(item: Any) -> list[Any]:
    """The types of the values of a field of several; empty for any other."""
    refinements: tuple[Any, ...] = ()
    if hasattr(item, "__metadata__"):
        item, refinements = item.__origin__, item.__metadata__
    origin, parts = get_origin(item), list(get_args(item))
    if origin is tuple and ... not in parts:
        return [] if refinements else parts
    if origin not in (list, tuple):
        return []
    sizes = [each for each in refinements if isinstance(each, Size)]
    count = _count(sizes)
    others = tuple(each for each in refinements if not isinstance(each, Size))
    part = Annotated[parts[0], *others] if others else parts[0]
    return [part] * count


def _count(sizes: list[Size]) -> int:
    if len(sizes) != 1 or len(sizes[0].sizes) != 1:
        raise SpaceError("nothing says how many values a list of a row holds", remedy=FIELDS)
    number = sizes[0].sizes[0].as_fraction()
    if number is None or not 1 <= number <= MOST:
        raise SpaceError(
            f"a list of {sizes[0].sizes[0]} values in a row: a field holds 1 to {MOST}",
            remedy=f"{FIELDS}; rows of as many numbers as a name says are Records[Annotated["
            'Vector[Data, LInf], dp.Size("d")]]',
        )
    return int(number)


#: In the annotations of a file that does not evaluate them.
_PLAIN = "(?:float|int|bool|str)"
_TUPLE = re.compile(rf"(?:typing\.)?[tT]uple\[({_PLAIN}(?:, {_PLAIN})*)\]")
