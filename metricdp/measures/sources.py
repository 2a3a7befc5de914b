"""Sources of movement in a composition tree: which a node reads from outside, and which it makes.

A node that runs per row, or on a sample, makes a source of its own, one row, and maps it to the
source whose rows these are.  Every cost is read through these maps, so a source that no node maps
to a parameter is charged to nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from metricdp.errors import InternalError
from metricdp.measures.events import (
    Choice,
    Parallel,
    Repeat,
    Sampled,
    Selected,
    Sequence,
    Spent,
    Tree,
    no_node,
    parts,
)


def made(tree: Tree) -> Mapping[Any, Any]:
    """The sources that a node makes for its parts: each with the source outside that it is of.

    Raises:
        InternalError: no node of a composition tree.
    """
    if isinstance(tree, Parallel | Sampled):
        return {tree.row: tree.parent}
    if isinstance(tree, Spent | Sequence | Repeat | Choice | Selected):
        return {}
    raise no_node(tree)


def own(tree: Tree) -> frozenset[Any]:
    """The sources that a node itself reads, without its parts."""
    return frozenset(tree.moved) if isinstance(tree, Spent) else frozenset(made(tree).values())


def consumed(tree: Tree) -> frozenset[Any]:
    """The sources from outside whose movement reaches an event of the tree."""
    inside: frozenset[Any] = frozenset().union(*(consumed(part) for part in parts(tree)))
    return (inside - made(tree).keys()) | own(tree)


def mentioned(tree: Tree) -> frozenset[Any]:
    """Every source that the tree names, also those that it makes itself."""
    inside = (mentioned(part) for part in parts(tree))
    return own(tree).union(made(tree), *inside)


def traced(
    tree: Tree, outside: Mapping[Any, Any] | None = None
) -> Iterator[tuple[Spent, Mapping[Any, Any]]]:
    """Every event with its sources, each with the one from outside of the tree that it stands for.

    Args:
        outside: what sources stand for that nodes around the tree make.
    """
    known = dict(outside or {})
    for row, parent in made(tree).items():
        known[row] = known.get(parent, parent)
    if isinstance(tree, Spent):
        yield tree, {source: known.get(source, source) for source in tree.moved}
    for part in parts(tree):
        yield from traced(part, known)


def require_from(tree: Tree, sources: Iterable[Any], place: str) -> None:
    """Nothing in a tree is charged to nobody.

    Raises:
        InternalError: the tree reads a source that is none of these.
    """
    left = consumed(tree) - frozenset(sources)
    if left:
        names = ", ".join(sorted(map(str, left)))
        raise InternalError(f"nobody is charged for what is read of {names}", place=place)
