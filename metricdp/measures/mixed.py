"""Programs whose steps have costs in rho, in epsilon and in (epsilon, delta), as one guarantee.

Steps without a rho are (e, d); the others add up to rho.  For every slack in (0, 1) the program is
(sum of e + epsilon(rho, slack), sum of d + slack)-private, with epsilon(rho, slack) =
rho + 2 sqrt(rho ln(1/slack)).

Proof.  An (e, d) step is a post-processing of one that fails openly with probability d and else has
privacy loss at most e (Kairouz, Oh, Viswanath 2015, Theorem 3.4).  Without a failure the loss L of
the whole run is at most sum e + Z with Z the loss of the other steps, whose moment generating
function is that of rho-zCDP whatever the steps between them do (it is bounded step by step given
the past).  So E (1 - exp(sum e + x - L))_+ <= E (1 - exp(x - Z))_+, which Bun and Steinke (2016),
Proposition 1.3, bound by the slack at x = epsilon(rho, slack).

A step in (rho, d) fails openly as well, with probability d, and else belongs to the others.

A pure step may stand on either side: as e, or as rho = e tanh(e / 2).  Both are tried.

On a sample of the rows nothing is amplified here: given coupled samples the statement holds for
each pair, and hockey-stick divergences are jointly convex.

Advanced composition of a whole tree, for a delta that is given up (`with_slack`).  Every event,
every block of private rows and every block on one sample is one step with its own (epsilon, delta);
a choice by public or released values counts with the largest of each sum.  See `accounting.costs`
for the theorem and for what it requires.
"""

from __future__ import annotations

from typing import Any

from metricdp.accounting.costs import Approx, advanced_sums, better_of, pure_to_zcdp
from metricdp.expr import INF, ONE, ZERO, D, Expr, compose, maximum, minimum
from metricdp.measures.events import (
    Choice,
    Parallel,
    Repeat,
    Sampled,
    Sequence,
    Tree,
    apart,
    no_node,
)
from metricdp.measures.implications import zcdp_to_approx
from metricdp.measures.readings import (
    APPROX_ZCDP,
    available,
    over_reach,
    over_rounds,
    over_rows,
    read_together,
    spent,
)
from metricdp.measures.replaced import coupled

#: rho, epsilon, delta.
Parts = tuple[Expr, Expr, Expr]
_NOTHING: Parts = (ZERO, ZERO, ZERO)


def mixes(tree: Tree) -> bool:
    """Whether the tree has a cost of this kind, and none in one measure alone."""
    return not available(tree) and _covered(tree)


def _covered(tree: Tree) -> bool:
    if available(tree):
        return True
    if isinstance(tree, Sequence | Choice):
        return all(map(_covered, tree.items))
    return isinstance(tree, Repeat | Parallel | Sampled) and _covered(tree.body)


def mixed(tree: Tree, source: Any, distance: Expr, slack: Expr) -> Approx:
    """(epsilon, delta) of one input at a slack; see the module.

    Args:
        tree: for which `mixes` holds.
        source, distance: see `readings.spent`.
        slack: required to lie in (0, 1).
    """
    found = []
    for pure_as_rho in (False, True):
        rho, epsilon, delta = parts(tree, source, distance, pure_as_rho)
        if rho.is_zero:
            return Approx(epsilon, delta)
        found.append((epsilon + zcdp_to_approx(rho, slack), delta + slack))
    # Both groups give up the same deltas.
    least = minimum(found[0][0], found[1][0])
    return Approx(least, found[0][1], (), "zCDP and basic composition")


def given_up(tree: Tree, sources: list[Any]) -> Expr:
    """The largest delta that the (epsilon, delta) steps cost an input: the slack by default."""
    found = [parts(tree, source, ONE, False)[2] for source in sources]
    return maximum(*{delta: None for delta in found if not delta.is_zero} or [ZERO])


def parts(tree: Tree, source: Any, distance: Expr, pure_as_rho: bool) -> Parts:
    """What `source` pays in rho, and beside it in (epsilon, delta)."""
    known = available(tree)
    measures = ("zcdp", "pure") if pure_as_rho else ("pure", "zcdp")
    if known and not isinstance(tree, Sequence | Repeat | Choice):
        chosen = next(m for m in (*measures, "approx", APPROX_ZCDP) if m in known)
        cost = spent(tree, chosen, source, distance)
        if chosen == "zcdp":
            return cost[0], ZERO, ZERO
        if chosen == APPROX_ZCDP:
            return cost[0], ZERO, cost[1]
        return ZERO, cost[0], cost[1] if chosen == "approx" else ZERO
    if isinstance(tree, Sequence):
        total = _NOTHING
        for item in tree.items:
            total = _add(total, parts(item, source, distance, pure_as_rho))
        return total
    if isinstance(tree, Choice):
        options = [parts(item, source, distance, pure_as_rho) for item in tree.items]
        a, b, c = (maximum(*column) for column in zip(*options, strict=True))
        return a, b, c
    if isinstance(tree, Repeat):
        a, b, c = (
            over_rounds(tree, part) for part in parts(tree.body, source, distance, pure_as_rho)
        )
        return a, b, c
    if not isinstance(tree, Parallel | Sampled):
        raise no_node(tree)
    rest = parts(tree.body, source, distance, pure_as_rho)
    if source != tree.parent:
        return rest
    if isinstance(tree, Sampled):
        if read_together(tree):
            return INF, INF, ONE
        body, rows = coupled(tree, distance)
        return _add(rest, parts(body, tree.row, rows, pure_as_rho))
    moved = tree.factor * distance
    own = parts(tree.body, tree.row, D, pure_as_rho)
    if tree.reach is not None:
        a, b, c = (over_reach(tree, part, distance) for part in own)
    else:
        a, b, c = (compose(over_rows(part, tree.unit), moved) for part in own)
    if tree.each and any(part.is_infinite for part in (a, b, c)):
        return parts(apart(tree), source, distance, pure_as_rho)
    return _add(rest, (a, b, c))


def _add(first: Parts, second: Parts) -> Parts:
    return first[0] + second[0], first[1] + second[1], first[2] + second[2]


#: Sums over steps of epsilon tanh(epsilon / 2), of epsilon^2, and of delta.
Sums = tuple[Expr, Expr, Expr]


def with_slack(tree: Tree, source: Any, distance: Expr, slack: Expr) -> Approx:
    """The better of basic and advanced composition, at the delta of the advanced one; steps with a
    rho alone are converted at the slack (`mixed`).

    Args:
        tree: available in (epsilon, delta) or in (rho, delta), or one that `mixes`.
        source, distance: see `readings.spent`.
        slack: required to lie in (0, 1).
    """
    if mixes(tree) or "approx" not in available(tree):
        return mixed(tree, source, distance, slack)
    epsilon, delta = spent(tree, "approx", source, distance)
    return better_of(Approx(epsilon, delta), advanced_sums(*_sums(tree, source, distance), slack))


def _sums(tree: Tree, source: Any, distance: Expr) -> Sums:
    if isinstance(tree, Sequence):
        drift = squares = delta = ZERO
        for item in tree.items:
            a, b, c = _sums(item, source, distance)
            drift, squares, delta = drift + a, squares + b, delta + c
        return drift, squares, delta
    if isinstance(tree, Choice):
        options = [_sums(item, source, distance) for item in tree.items]
        first, second, third = (maximum(*parts) for parts in zip(*options, strict=True))
        return first, second, third
    if isinstance(tree, Repeat):
        first, second, third = (
            over_rounds(tree, part) for part in _sums(tree.body, source, distance)
        )
        return first, second, third
    if isinstance(tree, Parallel) and tree.each:
        if tree.whole and distance == ONE and source == tree.parent:  # one row, in one part
            return _sums(tree.body, tree.row, ONE)
        return _sums(apart(tree), source, distance)
    epsilon, delta = spent(tree, "approx", source, distance)
    return pure_to_zcdp(epsilon), epsilon**2, delta
