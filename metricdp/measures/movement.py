"""A composition tree seen through a stable map: the movements of its events, composed."""

from __future__ import annotations

import msgspec

from metricdp.errors import SpaceError
from metricdp.expr import D, Expr, compose
from metricdp.measures.events import Parallel, Sampled, Spent, Tree, parts, with_parts


def movable(tree: Tree, stability: Expr) -> bool:
    """Whether `moved_by` applies: nothing in the tree counts rows, or none of them move more."""
    if stability == D:
        return True
    if isinstance(tree, Parallel | Sampled):
        return False
    return all(movable(part, stability) for part in parts(tree))


def moved_by(tree: Tree, stability: Expr) -> Tree:
    """The tree of "a map with this stability, then the mechanisms of `tree`".

    Every source of movement moves by `stability` in place of d_in.

    Raises:
        SpaceError: events per row or per sample: their movement is that of rows, not of a distance.
    """
    if stability == D:
        return tree
    if isinstance(tree, Spent):
        moved = {source: compose(move, stability) for source, move in tree.moved.items()}
        return msgspec.structs.replace(tree, moved=moved)
    if isinstance(tree, Parallel | Sampled):
        raise SpaceError(
            "a measurement that runs per row or on a sample reads the rows themselves",
            remedy="chain row-wise maps inside the function that samples or partitions",
        )
    return with_parts(tree, lambda part: moved_by(part, stability))
