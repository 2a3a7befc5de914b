"""What one step costs one unit of privacy, in the units in which a budget is counted.

A unit may move every table at once, each by its own distance.  Triangle inequality: for fixed
released values, going from (x, y) over (x', y) to (x', y') moves the argument of every mechanism by
at most the sum of what either step moves it.  So the sources of an event become one, whose movement
is that sum at the distances of the unit.  Events per row, or on a sample, have no such sum; there
the path counts in pure epsilon, which adds along it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.accounting.rounded import short_up
from metricdp.errors import BudgetError, MetricdpError, ParameterError
from metricdp.expr import D, Expr, compose, decimal_up, num, sym
from metricdp.measures.events import (
    Event,
    Parallel,
    Sampled,
    Spent,
    Tree,
    all_apart,
    consumed,
    nodes,
    noise_bound,
    require_from,
    with_parts,
)
from metricdp.measures.readings import BOUND, MOVED, RATIO, available, spent
from metricdp.sessions.budget import UNITS, Budget
from metricdp.spaces import Space
from metricdp.spaces.records import adjacency

#: Sums of costs stay short: each is rounded up to this many bits where it is longer.
_BITS = 200
#: The one source of a joint tree; its distance is 1.
UNIT = "unit"
Numbers = Mapping[str, Fraction]


class Asked(msgspec.Struct, frozen=True):
    """A step before it runs: its events, and what one unit moves.

    Attributes:
        tree: composition tree.
        distances: source of movement -> distance of the unit there, > 0.
        spaces: source -> its space.
        slack: delta given up for advanced composition, or None.
        part: whether the one table that moves is a part of a divided one.
    """

    tree: Tree
    distances: Mapping[Any, Fraction]
    spaces: Mapping[Any, Space]
    slack: Expr | None = None
    part: bool = False


def cost(asked: Asked, budget: Budget, numbers: Numbers, place: str) -> dict[str, Fraction]:
    """Unit of the budget -> cost of the step, exact or rounded up.

    Raises:
        BudgetError: the step has no cost in the budget's measure.
        ParameterError: an infinite cost, or a public number that is not known.
        InternalError: the step reads a source that is no table of the session.
    """
    if not asked.part:
        return _cost(asked, budget, numbers, place)

    def at(distance: Fraction) -> dict[str, Fraction]:
        moved = {source: d and distance for source, d in asked.distances.items()}
        return _cost(msgspec.structs.replace(asked, distances=moved), budget, numbers, place)

    return star(at, max(asked.distances.values()))


def star(
    at: Callable[[Fraction], Mapping[str, Fraction]], distance: Fraction
) -> dict[str, Fraction]:
    """The least cost at a distance d whose share a / d covers the cost at every distance a <= d: a
    unit that moves a part by a, and others by the rest, pays that share of what it would pay."""
    found: dict[str, Fraction] = {}
    for a in range(1, int(distance) + 1):
        for unit, value in at(Fraction(a)).items():
            found[unit] = max(found.get(unit, Fraction(0)), value * distance / a)
    return found


def _cost(asked: Asked, budget: Budget, numbers: Numbers, place: str) -> dict[str, Fraction]:
    require_from(asked.tree, asked.distances, place)
    reached = consumed(asked.tree)
    moving = [s for s, d in asked.distances.items() if d and s in reached]
    if not moving:
        return {unit: Fraction(0) for unit in UNITS[budget.kind]}
    if len(moving) == 1:
        (source,) = moving
        at = asked.distances[source]
        values = _one(asked, asked.tree, source, at, asked.spaces[source], budget, numbers, place)
    elif not reads_rows(in_order := all_apart(asked.tree)):
        distances = {source: asked.distances[source] for source in moving}
        tree = joined(in_order, distances)
        values = _one(asked, tree, UNIT, Fraction(1), None, budget, numbers, place)
    else:
        values = _along_path(asked, moving, budget, numbers, place)
    for value in values:
        if isinstance(value, float):
            raise ParameterError("the cost is infinite", place=place, remedy="bound what is added")
    return {
        unit: short_up(Fraction(v), _BITS)
        for unit, v in zip(UNITS[budget.kind], values, strict=True)
    }


def _one(
    asked: Asked,
    tree: Tree,
    source: Any,
    distance: Fraction,
    space: Space | None,
    budget: Budget,
    numbers: Numbers,
    place: str,
) -> tuple[Fraction | float, ...]:
    known = available(tree)
    if budget.kind == "renyi":
        return (_renyi(tree, source, distance, space, budget, numbers, place),)
    if budget.kind == "approx" and asked.slack is not None and source is not UNIT:
        from metricdp.measures.mixed import with_slack

        found = with_slack(tree, source, num(distance), asked.slack)
        return tuple(part.upper(numbers) for part in (found.epsilon, found.delta))
    if budget.kind in known:
        parts = spent(tree, budget.kind, source, num(distance))
        return tuple(part.upper(numbers) for part in parts)
    if budget.kind == "approx" and budget.step_delta is not None:
        from metricdp.measures.accountant import certified
        from metricdp.measures.steps import steps

        found_steps = steps(tree, source, distance, numbers)
        best = certified(found_steps, budget.step_delta, adjacency(space))
        return best.epsilon, best.delta
    raise _other_measure(budget, known, place)


def _renyi(
    tree: Tree,
    source: Any,
    distance: Fraction,
    space: Space | None,
    budget: Budget,
    numbers: Numbers,
    place: str,
) -> Fraction:
    """The divergence at the budget's order; curves add at equal order."""
    from metricdp.measures.accountant import unsampled
    from metricdp.measures.steps import steps

    found = steps(tree, source, distance, numbers)
    if not all(step.whole for step in found):
        found = unsampled(found, adjacency(space))
    if any(step.leak for step in found):
        raise _other_measure(budget, ["approx"], place)
    total = Fraction(0)
    for step in found:
        if step.curve.largest is not None and step.curve.largest < budget.alpha:
            raise _other_measure(budget, ["approx"], place)
        total += step.count * step.curve.divergence(budget.alpha)[1]
    return total


def _along_path(
    asked: Asked, moving: list[Any], budget: Budget, numbers: Numbers, place: str
) -> tuple[Fraction | float, ...]:
    """One table after the other: pure epsilons add along the path."""
    if budget.kind not in ("pure", "approx") or "pure" not in available(asked.tree):
        raise BudgetError(
            "one unit moves several tables at once, and this program runs per row or on a sample",
            place=place,
            remedy="give it one table, or declare the tables together as Aligned[A, B]",
        )
    total: Fraction | float = Fraction(0)
    for source in moving:
        (part,) = spent(asked.tree, "pure", source, num(asked.distances[source]))
        total = total + part.upper(numbers)
    return (total, Fraction(0)) if budget.kind == "approx" else (total,)


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
        names[RATIO] = sym(MOVED, nonneg=True) / bound
    privacy = {
        measure: tuple(part.subs(names) for part in parts)
        for measure, parts in leaf.event.privacy.items()
    }
    noise = {name: part.subs({BOUND: bound}) for name, part in leaf.event.noise.items()}
    return msgspec.structs.replace(leaf.event, noise=noise, privacy=privacy)


def _other_measure(budget: Budget, known: list[str], place: str) -> BudgetError:
    remedies = {
        "pure": "open the session with a delta: Budget(epsilon=1, delta=1e-6)",
        "approx": 'Gaussian noise by rho or scale needs Budget(..., by="rho") or a step_delta',
        "zcdp": "noise by epsilon and delta needs a budget that adds epsilons and deltas",
        "renyi": "a step with a delta of its own needs Budget(epsilon=1, delta=1e-6)",
    }
    names = {"pure": "epsilon", "approx": "(epsilon, delta)", "zcdp": "rho", "renyi": "Renyi"}
    names["approx_zcdp"] = "(rho, delta)"
    has = " and ".join(names[k] for k in known) or "none that the tree knows"
    return BudgetError(
        f"the step has a cost in {has}, and the budget is counted in {names[budget.kind]}",
        place=place,
        remedy=remedies[budget.kind],
    )


def readings(asked: Asked, numbers: Numbers) -> dict[str, list[str]]:
    """The step's cost at the unit in every measure that it has, as decimals rounded up."""
    found: dict[str, list[str]] = {}
    for measure in available(asked.tree):
        budget = {"pure": Budget(epsilon=1), "zcdp": Budget(rho=1)}.get(
            measure, Budget(epsilon=1, delta=Fraction(1, 2))
        )
        try:
            values = cost(asked, budget, numbers, "")
        except MetricdpError:
            continue
        found[measure] = [decimal_up(value) for value in values.values()]
    return found
