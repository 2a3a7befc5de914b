"""The tree of one round seen from outside of its loop: every source as what it stands for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from metricdp.check.values.findings import Stop, report
from metricdp.expr import ONE, D, Expr, linear_coefficient
from metricdp.measures.events import Parallel, Sampled, Spent, Tree, made, no_node, with_parts

#: What sources stand for, and the map of each in what the given one was a map of.
Resolve = Callable[[Mapping[Any, Expr]], dict[Any, Expr]]


def from_outside(tree: Tree, resolve: Resolve, module: Any, node: ast.AST) -> Tree:
    """The tree with the sources of its events, and those whose rows its nodes read, resolved.

    Raises:
        Stop: the rows of an inner loop, or of a sample, are those of no single source outside.
    """
    if isinstance(tree, Spent):
        return Spent(tree.event, resolve(tree.moved))
    found = with_parts(tree, lambda part: from_outside(part, resolve, module, node))
    if not made(found):
        return found
    if not isinstance(found, Parallel | Sampled):
        raise no_node(found)
    stands_for = resolve({found.parent: D})
    if stands_for == {found.parent: D}:
        return found
    parent = next(iter(stands_for), None)
    slope = linear_coefficient(stands_for[parent]) if len(stands_for) == 1 else None
    if slope is not None and isinstance(found, Parallel):
        return msgspec.structs.replace(found, parent=parent, factor=found.factor * slope)
    if slope == ONE:
        return msgspec.structs.replace(found, parent=parent)
    raise Stop(
        report(
            module, node, "uncharged-source",
            "the rows that noise is added to here were computed in earlier rounds, so one person"
            " may move several of them",
            "rows of a private parameter, or rows of which no round makes more",
            "sample, or part, the parameter itself in every round",
        )
    )  # fmt: skip
