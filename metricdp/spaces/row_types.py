"""Rows of a table from the argument of `Records[...]`: a dataclass, a TypedDict, a tuple type."""

from __future__ import annotations

from typing import Any, get_args, get_origin

from metricdp.errors import SpaceError
from metricdp.spaces.fields import field_of, field_of_class, field_space, fields_of
from metricdp.spaces.markers import show
from metricdp.spaces.missing import Maybe, optional_part
from metricdp.spaces.moments import Moment
from metricdp.spaces.rows import Row, tuple_of
from metricdp.spaces.scalars import Scalar
from metricdp.spaces.vectors import Vector


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
        parts = {str(i): part for i, part in enumerate(get_args(item))}
        return tuple_of(fields_of(parts, show(item), field_of))
    if isinstance(item, type) and hasattr(item, "__dataclass_fields__"):
        hints = {name: field.type for name, field in item.__dataclass_fields__.items()}
        return Row(tuple(hints), fields_of(hints, item.__name__), item.__name__, "attributes")
    if isinstance(item, type) and issubclass(item, tuple) and hasattr(item, "_fields"):
        hints = {name: _unwrap(hint) for name, hint in item.__annotations__.items()}
        return Row(tuple(hints), fields_of(hints, item.__name__), item.__name__, "attributes")
    if isinstance(item, type) and issubclass(item, dict) and hasattr(item, "__total__"):
        hints = {name: _unwrap(hint) for name, hint in item.__annotations__.items()}
        return Row(tuple(hints), fields_of(hints, item.__name__), item.__name__, "items")
    if get_origin(getattr(item, "__origin__", None)) in (list, tuple):
        several = field_of_class(item)
        if isinstance(several, Row):
            return several
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


def _of_class(name: str, hints: dict[str, Any], kind: str) -> Row:
    return Row(tuple(hints), fields_of(hints, name), name, kind)
