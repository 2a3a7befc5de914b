"""Values that may be missing, where the program has asked whether they are there."""

from __future__ import annotations

import ast
from math import ceil
from typing import Any

from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.values import moments, public
from metricdp.check.values.facts import THERE, Fact
from metricdp.check.values.objects import Obj, Value
from metricdp.expr import compare, num
from metricdp.record import REGISTRY
from metricdp.spaces import Maybe, Moment
from metricdp.spaces.base import bound_value

#: What stands for a value that is never missing, where nothing of its range is known.
_NOTHING: dict[str, Any] = {"str": "", "bool": False, "float": 0.0, "int": 0}


def may_be_missing(value: Obj) -> bool:
    """Whether a value is one that may be missing."""
    return isinstance(value, Value) and isinstance(value.space, Maybe)


def is_there(value: Obj, facts: frozenset[Fact] | tuple[Fact, ...]) -> bool:
    """Whether facts say of a value that may be missing that it is not."""
    return (
        isinstance(value, Value)
        and isinstance(value.space, Maybe)
        and value.form is not None
        and Fact(value.form, THERE) in facts
    )


def instead(value: Value) -> Any:
    """What stands for a value that is there, and no run sees: of a date or a time, its kind in a
    tuple; else a literal inside its range, where that has ends that are known."""
    assert isinstance(value.space, Maybe)
    space = value.space.inner
    if isinstance(space, Moment):
        return (space.kind,)
    nothing = _NOTHING[space.kind]
    low = bound_value(space.lo, False) if space.lo.is_number else None
    if space.kind in ("str", "bool") or low is None or low <= 0:
        return nothing
    inside = compare(num(ceil(low)), "<=", space.hi) is True
    return type(nothing)(ceil(low)) if inside else nothing


def present(domain: PrivacyDomain, value: Value, module: Any, node: ast.AST, text: str) -> Value:
    """The value that is there."""
    assert isinstance(value.space, Maybe)
    inner = value.space.inner
    known = inner.nearest_zero() if isinstance(inner, Moment) else instead(value)
    constant = moments.known(known) if isinstance(inner, Moment) else public.literal(known)
    given, record = {"x": value, "constant": constant}, REGISTRY["fill_missing"]
    return domain.apply(record, given, module, node, {"x": text})
