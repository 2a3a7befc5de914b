"""A closed guarantee: every source of movement in its tree is one that a parameter is charged for.

Costs are read per parameter, through the nodes that map rows to it.  A source that none of them
reaches would be charged to nobody, and noise that hides it would look free.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from metricdp.check.values.findings import stop
from metricdp.measures.events import Tree, consumed, traced


def require_closed(
    tree: Tree,
    private: Iterable[Any],
    places: Mapping[str, tuple[Any, ast.AST]],
    module: Any,
    node: ast.AST,
) -> None:
    """Every source that the tree reads from outside is a private parameter.

    Args:
        private: the sources of the private parameters.
        places: address of a mechanism call -> its module and node.
        module, node: of the function.

    Raises:
        Stop: a source is left over.
    """
    left = consumed(tree) - frozenset(private)
    if not left:
        return
    found = (
        places[leaf.event.site]
        for leaf, sources in traced(tree)
        if leaf.event.site in places and not left.isdisjoint(sources.values())
    )
    raise stop(
        *next(found, (module, node)), "uncharged-source",
        "this noise hides a value whose movement no private parameter is charged for",
        "noise on values that are computed from private parameters where the noise is added",
        "compute the value from the parameter in the round, or the part, that releases it",
    )  # fmt: skip
