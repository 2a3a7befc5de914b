"""Calls of functions decorated with `@dp.black_box`: only their declared result space is known."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from metricdp.check.source.program import stop
from metricdp.check.values.objects import Aligned, BlackBox, Obj, Tuple, Value
from metricdp.check.values.public import literal
from metricdp.record import REGISTRY

if TYPE_CHECKING:
    from metricdp.check.language.base import Base


def call_box(
    calls: Base, box: BlackBox, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST
) -> Obj:
    """The result of a black box: a value of its `returns` space."""
    given = [calls.seen(a) for a in (*arguments, *keywords.values())]
    values = [v for each in given for v in _flat(calls, each, node)]
    space = returned_space(box)
    if isinstance(node, ast.Call):
        calls.act(node, "box", box.node.name)
    names = tuple(str(i) for i in range(len(values)))
    bound: dict[str, Obj] = dict(zip(names, values, strict=True))
    bound["name"] = literal(box.node.name)
    bound["returns"] = Value("public", space=space)
    if not any(v.private for v in values):
        # Without private arguments the result is some public value.
        return Value("released" if any(v.origin == "released" for v in values) else "public",
                     source="computed")  # fmt: skip
    return calls.domain.apply(REGISTRY["black_box"], bound, calls.module, node, {}, names)


def _flat(calls: Base, value: Obj, node: ast.AST) -> list[Value]:
    if isinstance(value, Value):
        return [value]
    if isinstance(value, Aligned):
        return list(value.parts)
    if isinstance(value, Tuple):
        return [v for item in value.items for v in _flat(calls, item, node)]
    raise stop(
        calls.module, node, "unsupported-call", "a black box is given a function or a module",
        "numbers, rows and containers", "pass the data that the function needs",
    )  # fmt: skip


def returned_space(box: BlackBox) -> Any:
    """The space of `returns=` in the decorator of a black box."""
    from metricdp.check.source.declared import annotation, resolver

    for decorator in box.node.decorator_list:
        if isinstance(decorator, ast.Call):
            for keyword in decorator.keywords:
                if keyword.arg == "returns":
                    name = f"{box.node.name}_result"
                    return annotation(box.module, keyword.value, resolver(box.module), name)
    raise stop(
        box.module, box.node, "wrong-arguments", f"`{box.node.name}` does not say what it returns",
        "the space of its result", "@dp.black_box(returns=dp.Vector[Data, LInf])",
    )  # fmt: skip
