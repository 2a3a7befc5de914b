"""A composition tree when every table of a session moves at once, by its own distance.

Triangle inequality: for fixed released values, going from (x, y) over (x', y) to (x', y') moves the
argument of every mechanism by at most the sum of what either step moves it.  So the sources of an
event become one, whose movement is that sum at the distances of the unit.  Events per row, or on a
sample, have no such sum; there the path counts in pure epsilon, which adds along it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import D, compose, num
from metricdp.measures.events import Event, Parallel, Sampled, Spent, Tree, nodes, with_parts
from metricdp.measures.readings import BOUND, MOVED, RATIO, noise_bound

#: The one source of a joint tree; its distance is 1.
UNIT = "unit"


def reads_rows(tree: Tree) -> bool:
    """Whether some event runs per row, or on a sample of the rows."""
    return any(isinstance(node, Parallel | Sampled) for node in nodes(tree))


def joined(tree: Tree, distances: Mapping[Any, Fraction]) -> Tree:
    """The tree over the one source `UNIT`; a tree for which `reads_rows` is false."""
    if isinstance(tree, Spent):
        total = num(0)
        for source, moved in tree.moved.items():
            if source in distances:
                total = total + compose(moved, num(distances[source]) * D)
        return Spent(_at_bound(tree), {UNIT: total})
    assert not isinstance(tree, Parallel | Sampled)
    return with_parts(tree, lambda part: joined(part, distances))


def _at_bound(leaf: Spent) -> Event:
    """The event with its noise as it is: calibrated to the single sources, at distance 1."""
    bound = noise_bound(leaf)
    names = {BOUND: bound}
    if not bound.is_zero:
        from metricdp.expr import sym

        names[RATIO] = sym(MOVED, nonneg=True) / bound
    privacy = {
        measure: tuple(part.subs(names) for part in parts)
        for measure, parts in leaf.event.privacy.items()
    }
    noise = {name: part.subs({BOUND: bound}) for name, part in leaf.event.noise.items()}
    return msgspec.structs.replace(leaf.event, noise=noise, privacy=privacy)
