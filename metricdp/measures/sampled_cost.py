"""What a source pays for mechanisms on a secret sample of its rows.

Everything that reads one sample is composed first and amplified once, by `sampling.amplified`; the
sample is independent of the data, so it may be thought of as drawn before all of it.

When the body also reads the unsampled rows, write F(A, B) for the body on a sample of A and on B
itself.  F(A, B) and F(A', B) differ by the amplified cost (e1, d1) for every fixed B, and F(A', B)
and F(A', B') by the cost (e2, d2) for every fixed sample, hence also on average, because
hockey-stick divergences are jointly convex.  Together (e1 + e2, d1 + e^e1 d2).

rho-zCDP is not amplified.  Coupled samples of neighbours differ by at most one row (two under
Poisson inclusion when a row is replaced, all draws with replacement), and Renyi divergences are
jointly quasi-convex, so rho is that of the base at this distance.  Where an event reads sample and
data at once, F(A, B), F(A', B), F(A', B') is a path, and sqrt(rho) adds along paths (`renyi_paths`
with the best p).  For (rho, delta) the same holds but for an open failure, whose chances add; where
an event reads both, nothing is stated: the failures of the two halves of the path are not one.
"""

from __future__ import annotations

from typing import Any

from metricdp.expr import INF, ONE, ZERO, Expr, exp, num, root
from metricdp.measures.events import Sampled
from metricdp.measures.group import group_approx, group_pure
from metricdp.measures.readings import APPROX_ZCDP, Cost, spent
from metricdp.measures.sampling import Poisson, WithReplacement, amplified
from metricdp.measures.sources import traced


def sampled_cost(tree: Sampled, measure: str, source: Any, distance: Expr) -> Cost:
    """What `source` pays for the body; see `readings.spent`."""
    direct = spent(tree.body, measure, source, distance)
    if source != tree.parent:
        return direct
    if measure in ("zcdp", APPROX_ZCDP):
        base = spent(tree.body, measure, tree.row, distance * moved_rows(tree))
        if all(part.is_zero for part in direct) or not read_together(tree):
            return tuple(a + b for a, b in zip(base, direct, strict=True))
        if measure == APPROX_ZCDP:
            return INF, ONE
        return ((root(base[0]) + root(direct[0])) ** 2,)
    base = spent(tree.body, measure, tree.row, ONE)
    epsilon, delta = base if len(base) == 2 else (base[0], ZERO)
    found = amplified(tree.scheme, _adjacency(tree), epsilon, delta)
    if measure == "pure":
        return (group_pure(found.epsilon, distance) + direct[0],)
    e, d = found.epsilon, found.delta
    if distance != ONE:
        e, d = (group_pure(e, distance), ZERO) if d.is_zero else group_approx(e, d, distance)
    if direct[1].is_zero:
        return e + direct[0], d
    return e + direct[0], d + exp(e) * direct[1]


def _adjacency(tree: Sampled) -> Any:
    return tree.adjacency


def moved_rows(tree: Sampled) -> Expr:
    """In how many rows coupled samples of data at distance 1 differ, at most."""
    if isinstance(tree.scheme, WithReplacement):
        return tree.scheme.draws
    if isinstance(tree.scheme, Poisson) and tree.adjacency == "replace":
        return num(2)
    return ONE


def read_together(tree: Sampled) -> bool:
    """Whether one event reads the parent's rows in two ways: samples of them, or themselves."""
    same = (tree.parent, tree.row)
    return any(
        sum(outside in same for outside in sources.values()) > 1 for _, sources in traced(tree.body)
    )
