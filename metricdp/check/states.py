"""States of a loop: their spaces, their movements, and the tuples that they are parts of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from metricdp.check.forms import Source, all_norms
from metricdp.check.objects import Obj, Tuple, Value
from metricdp.expr import INF, Expr
from metricdp.spaces import NEG_INF, Scalar, Space

#: source -> norm -> movement.
Known = dict[Source, dict[str, Expr]]


def widened(space: Space) -> Space:
    """The space without the facts that a round may break."""
    if isinstance(space, Scalar):
        return Scalar(space.element, kind=space.kind)
    if hasattr(space, "radius"):
        return msgspec.structs.replace(space, lo=NEG_INF, hi=INF, radius=())
    return space


def list_or_computed(value: Value) -> str:
    """The source of a value that a loop makes."""
    return "list" if value.source == "list" else "computed"


def is_constant(value: Value) -> bool:
    """Whether nothing private is in a value that is treated as private."""
    return value.form is not None and not value.form.terms


def total_movement(space: Space, parts: list[Known]) -> Known:
    """Sum of movements, each completed to every norm first."""
    out: Known = {}
    for part in parts:
        for source, movement in part.items():
            if not movement:
                continue
            into = out.setdefault(source, {})
            for norm, bound in all_norms(space, movement).items():
                into[norm] = into[norm] + bound if norm in into else bound
    return out


def named_state(begin: Mapping[str, Obj], name: str) -> Value:
    """The state of a name such as `pair[0]`."""
    stem, *positions = name.replace("]", "").split("[")
    value: Any = begin[stem]
    for position in positions:
        value = value.items[int(position)]
    assert isinstance(value, Value)
    return value


def rebuilt(name: str, value: Obj, values: Mapping[str, Value]) -> Obj:
    """The state with every part replaced by its value after the loop."""
    if isinstance(value, Tuple):
        return msgspec.structs.replace(
            value,
            items=tuple(rebuilt(f"{name}[{i}]", v, values) for i, v in enumerate(value.items)),
        )
    if isinstance(value, Value) and value.private and value.form is None:
        return values[value.step]
    return value
