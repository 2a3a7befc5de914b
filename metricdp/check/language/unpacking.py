"""`*` before a value: the items of a tuple or list of known length, in a call or a target."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from metricdp.check.values.findings import stop
from metricdp.check.values.objects import Aligned, Obj, Tuple, Value
from metricdp.check.values.public import unknown_values

if TYPE_CHECKING:
    from metricdp.check.language.base import Base


def starred(calls: Base, value: Obj, node: ast.AST) -> tuple[Obj, ...]:
    """The items of `*value` in a call or a display.

    Raises:
        Stop: their number is not known while checking.
    """
    opened = calls.heap.opened(value)
    if isinstance(opened, Aligned):
        opened = Tuple(opened.parts)
    if isinstance(opened, Tuple):
        return calls.items(opened, node)
    raise stop(
        calls.module, node, "unsupported-syntax",
        "the number of items behind this `*` is not known while checking",
        "a tuple or list whose length is written in the program", "pass the container itself",
    )  # fmt: skip


def parts_of(calls: Base, targets: list[ast.expr], value: Obj, node: ast.AST) -> list[Obj] | None:
    """What each target of `a, *rest = value` is bound to; None if there is no `*`.

    Raises:
        Stop: the number of items is not known, or too small.
    """
    at = next((i for i, target in enumerate(targets) if isinstance(target, ast.Starred)), None)
    if at is None:
        return None
    opened = calls.heap.opened(value)
    if isinstance(opened, Value) and not opened.private:
        return [*unknown_values(opened.origin, len(targets))]
    items, after = starred(calls, value, node), len(targets) - at - 1
    if len(items) < len(targets) - 1:
        raise stop(
            calls.module, node, "unsupported-syntax",
            f"{len(items)} values do not unpack into {len(targets) - 1} names and more",
            f"at least {len(targets) - 1} values", "name fewer of them",
        )  # fmt: skip
    end = len(items) - after
    return [*items[:at], calls.heap.new(items[at:end]), *items[end:]]
