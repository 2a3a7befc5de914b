"""What reads a sample whose rows are present or not, when one of its rows is replaced by another.

Poisson inclusion decides about a row whatever the row holds: tables in which one row is replaced
have samples that are drawn by the same coins, and differ in that row or in none.  Rows of the
sample are read as added or removed, so a replaced row is one removed and one added, and moves an
argument by at most what two rows move it: `moved` at 2 d.  It may be less, and an event that knows
by how much says so (`Spent.ways`): a statistic that one more row moves by t with
-down <= t <= up, whatever the other rows are, is moved by t' - t when a row is replaced, which is
at most up + down; k replaced rows move it by k times that.  A sample of the sample is in turn drawn
by the same coins from tables in which a row is replaced.  The sum of numbers in [0, 1] has
up + down = 1, that of numbers in [-1, 1] has 2.
"""

from __future__ import annotations

from typing import Any

import msgspec

from metricdp.expr import D, Expr, compose
from metricdp.measures.events import Sampled, Spent, Tree, made, nodes, noise_bound, with_parts


def replacing_body(tree: Sampled) -> Tree | None:
    """What reads a sample, whose events move with its row as when rows of it are replaced.

    None where a unit of the data replaces no row, or the scheme replaces rows of the sample itself;
    and where some node, other than a sample of the sample, counts the rows of the sample: nothing
    is said of rows that it replaces.
    """
    if tree.adjacency != "replace" or tree.scheme.base == "replace":
        return None
    counting = (node for node in nodes(tree.body) if tree.row in made(node).values())
    if not all(isinstance(node, Sampled) and node.scheme.base != "replace" for node in counting):
        return None
    return _moved(tree.body, tree.row)


def coupled(tree: Sampled, distance: Expr) -> tuple[Tree, Expr]:
    """What reads a sample, and how far its rows move when data at `distance` have samples that are
    drawn by the same coins."""
    body = replacing_body(tree)
    if body is not None:
        return body, distance
    return tree.body, distance * tree.scheme.moved_rows(tree.adjacency)


def _moved(tree: Tree, row: Any) -> Tree:
    if not isinstance(tree, Spent):
        found = with_parts(tree, lambda part: _moved(part, row))
        inner = isinstance(found, Sampled) and found.parent == row
        return msgspec.structs.replace(found, adjacency="replace") if inner else found
    if row not in tree.moved:
        return tree
    ways = tree.ways.get(row)
    other = compose(tree.moved[row], 2 * D) if ways is None else ways[0] + ways[1]
    moved = {**tree.moved, row: other}
    return msgspec.structs.replace(tree, moved=moved, ways={}, bound=noise_bound(tree))
