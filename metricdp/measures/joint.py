"""One noise on several samples of the same rows, or on a sample and the rows themselves.

A row that is added moves what reads all rows, and what reads the samples that it is in.  Where one
more row of a source moves a number by t with -down <= t <= up (`Spent.ways`), rows added to several
sources at once move it by sums of such t, so by at most the larger of the sum of their up and the
sum of their down: 1 for the count of the rows less that of a sample, where either alone moves by 1.

With B whether Poisson inclusion takes the row, M the law without the row and P_0, P_1 those with it
given B, the law with the row is P = (1 - q) P_0 + q P_1.  If the body costs e_0 when the data gain
the row alone, and e_1 when the sample gains it too, then P <= ((1 - q) e^e_0 + q e^e_1) M; and
((1 - q) e^-e_0 + q e^-e_1) M <= P, which is the weaker factor, as 1 / E e^-c <= E e^c.  So
  epsilon = ln((1 - q) e^e_0 + q e^e_1),
which is e_0 + ln(1 + q (e^e - 1)) for e_1 = e_0 + e.  The body may sample again: its costs are
those of trees in which the row has been added to all that now move, by the same rule.
"""

from __future__ import annotations

from typing import Any

import msgspec

from metricdp.expr import ZERO, D, Expr, compare, exp, linear_coefficient, log, maximum
from metricdp.measures.events import (
    Parallel,
    Sampled,
    Spent,
    Tree,
    noise_bound,
    traced,
    with_parts,
)
from metricdp.measures.sampling import PoissonSampling


def cancels(tree: Sampled) -> bool:
    """Whether rows of one table, or of its samples, move some noise against each other."""
    if not isinstance(tree.scheme, PoissonSampling) or tree.adjacency != "add or remove":
        return False
    for leaf, outside in traced(tree):
        family = [source for source, origin in outside.items() if origin == tree.parent]
        if len(family) < 2:
            continue
        less, whole = (linear_coefficient(each) for each in _moved(leaf, family))
        if less is not None and whole is not None and compare(less, "<", whole) is True:
            return True
    return False


def with_row(tree: Sampled) -> Tree:
    """The body as it moves with `parent` when its new row is in the sample as well."""
    return _as_one(tree.body, tree.parent, tree.row)


def mixture(tree: Sampled, alone: Expr, both: Expr) -> Expr:
    """epsilon of the module, from e_0 and e_1."""
    assert isinstance(tree.scheme, PoissonSampling)
    rate = tree.scheme.rate
    if alone == both or alone.is_infinite or both.is_infinite:
        return maximum(alone, both)
    return log((1 - rate) * exp(alone) + rate * exp(both))


def _as_one(tree: Tree, parent: Any, row: Any) -> Tree:
    if not isinstance(tree, Spent):
        found = with_parts(tree, lambda part: _as_one(part, parent, row))
        counts = isinstance(found, Parallel | Sampled) and found.parent == row
        return msgspec.structs.replace(found, parent=parent) if counts else found
    if row not in tree.moved:
        return tree
    both = [source for source in (parent, row) if source in tree.moved]
    moved = {source: move for source, move in tree.moved.items() if source not in both}
    ways = {source: way for source, way in tree.ways.items() if source not in both}
    moved[parent], _ = _moved(tree, both)
    if any(source in tree.ways for source in both):
        ways[parent] = _ways(tree, both)
    return msgspec.structs.replace(tree, moved=moved, ways=ways, bound=noise_bound(tree))


def _ways(leaf: Spent, sources: list[Any]) -> tuple[Expr, Expr]:
    """How far up and down rows of all these sources move the argument together."""
    known = [leaf.ways.get(source, (leaf.moved[source],) * 2) for source in sources]
    return sum((up for up, _ in known), ZERO), sum((down for _, down in known), ZERO)


def _moved(leaf: Spent, sources: list[Any]) -> tuple[Expr, Expr]:
    """How far they move it, and what their movements add up to."""
    whole = sum((leaf.moved[source] for source in sources), ZERO)
    up, down = (linear_coefficient(each) for each in _ways(leaf, sources))
    if up is None or down is None:
        return whole, whole
    return maximum(up, down) * D, whole
