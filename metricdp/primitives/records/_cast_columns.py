"""Casts of values of rows in the columnar language; what is read or written is each value once."""

from __future__ import annotations

from functools import partial
from typing import Any

from metricdp.columns import language
from metricdp.columns.language import Node
from metricdp.columns.nullable import Nullable, parts
from metricdp.primitives.records._casting import OTHERS, RANGES, converted, default_of, type_name


def cast_value(x: Any, to: Any) -> Nullable:
    """The value of a row in the type `to`, missing where it has none; see `_casting`."""
    name = type_name(to)
    name = OTHERS.get(name, name)
    value, there = parts(x)
    if name == "bool":
        return Nullable(language.condition(value), there)
    if name == "str":
        return Nullable(value if value.base == "text" else _written(value, name), there)
    if value.base == "text":
        known = language.by_value(partial(_has_value, name), "boolean", value)
        return Nullable(_written(value, name), language.both(there, known))
    if name == "float":
        return Nullable(language.as_double(value), there)
    low, high = (0, 1) if value.base == "boolean" else RANGES[name]
    whole = language.trunc(value)
    inside = language.both(language.ge(whole, low), language.le(whole, high))
    return Nullable(language.clamp(whole, low, high), language.both(there, inside))


def _written(value: Node, to: str) -> Node:
    base = {"str": "text", "float": "double"}.get(to, "integer")
    return language.by_value(partial(_in_type, to), base, value)


def _has_value(to: str, value: Any) -> bool:
    return converted(value, to) is not None


def _in_type(to: str, value: Any) -> Any:
    """The value in the type, its default where it has none, as rows hold it."""
    found = converted(value, to)
    found = default_of(to) if found is None else found
    return float(found) if to == "float" else found
