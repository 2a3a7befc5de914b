"""Readings of a composition tree: what one input pays under a measure.

Sequential composition adds epsilon, rho, (epsilon, delta) and (rho, delta); a choice made by public
or released values charges the worst branch; parallel composition over rows charges one row per
changed row.
Source: basic and parallel composition (Dwork and Roth 2014, sections 3.5 and 3.16; McSherry 2009),
zCDP composition (Bun and Steinke 2016, Lemma 1.7).

Approximate zCDP, (rho, delta), is for trees without a rho of which some event states one beside a
delta.  There every event counts: a rho is (rho, 0), and an (epsilon, delta) is
(epsilon tanh(epsilon / 2), delta), since but for an open failure of probability delta it is a
post-processing of randomized response (Kairouz, Oh, Viswanath 2015, Theorem 3.4).  Both parts add
(Bun and Steinke 2016, Lemma 8.2).
"""

from __future__ import annotations

from typing import Any

from metricdp.expr import (
    INF,
    ONE,
    ZERO,
    D,
    Expr,
    ceil,
    compose,
    linear_coefficient,
    maximum,
    sum_over,
)
from metricdp.measures.events import (
    Choice,
    Event,
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
from metricdp.measures.group import group_approx
from metricdp.measures.pure_rho import pure_to_zcdp

#: rho beside a delta.
APPROX_ZCDP = "approx_zcdp"
#: measure -> number of expressions in its cost.
MEASURES = {"pure": 1, "zcdp": 1, "approx": 2, APPROX_ZCDP: 2}
#: Measures whose costs imply a (rho, delta), the closest first.
_IMPLYING = (APPROX_ZCDP, "zcdp", "pure", "approx")
MOVED, RATIO, BOUND = "_moved", "_ratio", "_bound"

Cost = tuple[Expr, ...]


def available(tree: Tree) -> list[str]:
    """Measures under which every event of the tree has a cost, the strongest first."""
    found = [measure for measure in MEASURES if _available(tree, measure)]
    if APPROX_ZCDP in found and ("zcdp" in found or not _states_rho_and_delta(tree)):
        found.remove(APPROX_ZCDP)
    return found


def _states_rho_and_delta(tree: Tree) -> bool:
    return any(APPROX_ZCDP in leaf.event.privacy for leaf in leaves(tree))


def _available(tree: Tree, measure: str) -> bool:
    if isinstance(tree, Spent):
        return _has(tree.event, measure)
    # The best of several rounds has no rho of its own, only that of its epsilon.
    if isinstance(tree, Selected):
        measure = {"zcdp": "pure", APPROX_ZCDP: "approx"}.get(measure, measure)
    return all(_available(part, measure) for part in parts(tree))


def _has(event: Event, measure: str) -> bool:
    # A pure cost has a rho (`implications.pure_to_zcdp`) and is an (epsilon, 0).
    return measure == APPROX_ZCDP or measure in event.privacy or "pure" in event.privacy


def leaves(tree: Tree) -> list[Spent]:
    """Every event with its movement, in order."""
    if isinstance(tree, Spent):
        return [tree]
    return [leaf for part in parts(tree) for leaf in leaves(part)]


def noise_bound(leaf: Spent) -> Expr:
    """The largest single-input movement at distance 1: what a target's noise is calibrated to."""
    ends = [moved.subs({"d_in": ONE}) for moved in dict.fromkeys(leaf.moved.values())]
    return maximum(*ends) if ends else ZERO


def spent(tree: Tree, measure: str, source: Any, distance: Expr) -> Cost:
    """What `source` pays when it moves by `distance`.

    Args:
        tree: the composition tree of a program.
        measure: "pure" (epsilon,), "zcdp" (rho,), "approx" (epsilon, delta) or "approx_zcdp"
            (rho, delta).
        source: a source of movement, as the events name it.
        distance: an expression; `d_in` itself gives the whole map.
    """
    nothing: Cost = (ZERO,) * MEASURES[measure]
    if isinstance(tree, Spent):
        return _event(tree, measure, source, distance)
    if isinstance(tree, Sequence):
        total = nothing
        for item in tree.items:
            cost = spent(item, measure, source, distance)
            total = _add(total, cost) if any(not part.is_zero for part in cost) else total
        return total
    if isinstance(tree, Choice):
        costs = [spent(item, measure, source, distance) for item in tree.items]
        return tuple(maximum(*column) for column in zip(*costs, strict=True))
    if isinstance(tree, Repeat):
        return tuple(
            over_rounds(tree, part) for part in spent(tree.body, measure, source, distance)
        )
    if isinstance(tree, Sampled):
        from metricdp.measures.sampled_cost import sampled_cost

        return sampled_cost(tree, measure, source, distance)
    if isinstance(tree, Selected):
        from metricdp.measures.selected import selected_cost

        return selected_cost(tree, measure, source, distance)
    if isinstance(tree, Parallel):
        return _parallel(tree, measure, source, distance)
    raise no_node(tree)


def _event(leaf: Spent, measure: str, source: Any, distance: Expr) -> Cost:
    moved = leaf.moved.get(source)
    if moved is None or moved.is_zero:
        return (ZERO,) * MEASURES[measure]
    bound = noise_bound(leaf)
    here = moved if distance == D else compose(moved, distance)
    names = {MOVED: here, RATIO: _ratio(moved, here, bound, distance), BOUND: bound}
    known = _IMPLYING if measure == APPROX_ZCDP else (measure, "pure")
    stated = next(m for m in known if m in leaf.event.privacy)
    cost = tuple(part.subs(names) for part in leaf.event.privacy[stated])
    return cost if stated == measure else implied(cost, stated, measure)


def implied(cost: Cost, stated: str, measure: str) -> Cost:
    """What a cost in one measure implies in a weaker one; see the module."""
    if measure == "approx":
        return (*cost, ZERO)
    rho = cost[0] if stated == "zcdp" else pure_to_zcdp(cost[0])
    delta = cost[1] if len(cost) > 1 else ZERO
    return (rho,) if measure == "zcdp" else (rho, delta)


def _ratio(moved: Expr, here: Expr, bound: Expr, distance: Expr) -> Expr:
    """here / bound, where a linear movement simplifies to the distance."""
    if here == bound:
        return ONE
    slope = linear_coefficient(moved)
    if slope is not None and slope == bound:
        return distance
    return here / bound


def _parallel(tree: Parallel, measure: str, source: Any, distance: Expr) -> Cost:
    rest = spent(tree.body, measure, source, distance)
    if source != tree.parent:
        return rest
    total = tree.factor * distance
    if tree.whole and measure == "approx":
        return _add(rest, _steps_of_one(spent(tree.body, measure, tree.row, ONE), total))
    rows = spent(tree.body, measure, tree.row, D)
    if tree.whole and measure == "pure" and over_rows(rows[0], tree.unit).is_infinite:
        # Of a cost that is no map of this kind, what one step costs is enough.
        (one,) = spent(tree.body, measure, tree.row, ONE)
        return _add(rest, (one * total,))
    if tree.whole and measure == APPROX_ZCDP:
        # At most `total` rows move, each by at most `total`.
        rho, delta = rows
        return _add(rest, (compose(over_rows(rho, False), total), total * compose(delta, total)))
    return _add(rest, tuple(compose(over_rows(part, tree.unit), total) for part in rows))


def over_rounds(tree: Repeat, part: Expr) -> Expr:
    """A cost of one round, over all rounds."""
    if tree.index and tree.index in part.symbols:
        return sum_over(part, tree.index, ZERO, tree.count - 1)
    return tree.count * part


def _steps_of_one(one: Cost, total: Expr) -> Cost:
    """A path of `total` steps, each of which moves one row by 1: group privacy along it."""
    epsilon, delta = one
    if delta.is_zero:
        return epsilon * total, delta
    return group_approx(epsilon, delta, total if total.is_integer() else ceil(total))


def over_rows(cost: Expr, unit: bool) -> Expr:
    """Largest total over rows whose distances add up to d_in."""
    if unit:
        return cost.subs({"d_in": ONE}) * D
    if cost.is_zero or linear_coefficient(cost) is not None:
        return cost
    # Superadditive powers are largest when one row carries all of the distance.
    if linear_coefficient(cost / D) is not None:
        return cost
    from metricdp.measures.one_row import one_row_is_worst

    return cost if one_row_is_worst(cost) else INF


def _add(a: Cost, b: Cost) -> Cost:
    return tuple(x + y for x, y in zip(a, b, strict=True))
