"""What a session charges for a unit that moves several tables at once, each by its own distance."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import metricdp as dp
from attack.following import TooMany
from attack.oracle import KINDS, Hole, Proved, compare, exactly, plain, small
from metricdp.errors import InternalError, MetricdpError
from metricdp.spaces import Owned

#: Measure -> a budget that holds everything.
BUDGETS: dict[str, Any] = {
    "pure": dp.Budget(epsilon=10**9),
    "approx": dp.Budget(epsilon=10**9, delta=Fraction(999, 1000)),
    "zcdp": dp.Budget(rho=10**9),
}
#: Pairs of neighbours that are compared for one unit.
PAIRS = 3


def undercharged(proved: Proved, rng: Random) -> Hole | None:
    """Neighbours of one unit that the draws tell apart by more than a session charges."""
    inputs = proved.guarantee.private()
    spaces = {i.name: i.space.at(proved.numbers) for i in inputs}
    measure = rng.choice([*BUDGETS])
    unit: dict[str, Any] = {name: rng.choice((0, 1, 1, 2, 3)) for name in spaces}
    if any(isinstance(space, Owned) for space in spaces.values()):  # perhaps the same persons
        unit = dict.fromkeys(unit, rng.choice((1, 1, 2, 3)))
    given = {name: _some(space, rng) for name, space in spaces.items()}
    try:
        data = {i.name: (i.space, plain(given[i.name])) for i in inputs}
        session = dp.Session(data, budget=BUDGETS[measure], unit=unit)
        cost = session.cost(proved.function, **proved.public).cost
    except InternalError:
        raise
    except MetricdpError:  # a cost that the budget does not know, or a unit that moves nothing
        return None
    paid = measure, {name: float(amount) for name, amount in cost.items()}
    for trial in range(PAIRS):
        moved = {name: _moved(spaces[name], given[name], unit[name], rng) for name in given}
        if any(value is None for value in moved.values()):
            continue
        x, y = {**given, **proved.public}, {**moved, **proved.public}
        kind, seed = rng.choice(KINDS), f"{trial} {rng.random()}"
        try:
            found = compare(proved, inputs[0], Fraction(1), x, y, kind, seed, paid=paid)
        except TooMany:
            continue
        if found:
            return Hole(f"a session charges {dict(cost)}: {found}", str(unit), repr(x), repr(y))
    return None


def _some(space: Any, rng: Random) -> Any:
    return exactly(small(space, space.sample(rng, rng.randint(0, 3))))


def _moved(space: Any, value: Any, distance: int, rng: Random) -> Any:
    """A value at this distance at most; None where what was made is further away."""
    if not distance:
        return value
    moved = exactly(small(space, space.neighbours(value, distance, rng)))
    apart = space.distance(value, moved).as_fraction()
    return None if apart is None or apart > distance else moved
