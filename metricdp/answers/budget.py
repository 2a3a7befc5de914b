"""A privacy budget, and the ways in which a proved cost can meet it.

A way is a list of constraints `cost <= limit`, one per private input and part of its cost.  For a
budget in (epsilon, delta) a cost in rho meets it below the largest rho whose certified conversion
stays below epsilon; see `accounting.orders`.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import msgspec

from metricdp.answers.errors import WrongBudget
from metricdp.check.verdicts.guarantee import FunctionGuarantee
from metricdp.expr import ONE, Expr, num
from metricdp.measures.implications import zcdp_epsilon
from metricdp.measures.readings import available

_STEPS = 80


class CostTarget(msgspec.Struct, frozen=True):
    """Either epsilon (pure, or at delta) or rho; each >= 0.

    Raises:
        WrongBudget: neither or both, a negative number, a delta beside rho or outside (0, 1).
    """

    epsilon: Fraction | None = None
    rho: Fraction | None = None
    delta: Fraction | None = None

    def __post_init__(self) -> None:
        size = self.rho if self.epsilon is None else self.epsilon
        if size is None or (self.epsilon is not None and self.rho is not None):
            raise WrongBudget("the budget is either epsilon or rho", remedy="--epsilon 1")
        if size < 0:
            raise WrongBudget(f"a budget of {size} is negative", remedy="a budget of at least 0")
        if self.delta is not None and self.epsilon is None:
            raise WrongBudget("a budget in rho has no delta", remedy="leave out --delta")
        if self.delta is not None and not 0 < self.delta < 1:
            raise WrongBudget(f"delta = {self.delta} is not between 0 and 1", remedy="--delta 1e-6")

    def parts(self) -> dict[str, Fraction]:
        """Measure -> limit, as asked for."""
        named = {"epsilon": self.epsilon, "rho": self.rho, "delta": self.delta}
        return {name: value for name, value in named.items() if value is not None}


class Constraint(msgspec.Struct, frozen=True):
    """`cost <= limit` for one private input."""

    input: str
    cost: Expr
    limit: Fraction


class Way(msgspec.Struct, frozen=True):
    """One measure in which all inputs may meet the budget."""

    measure: str
    constraints: tuple[Constraint, ...]


def ways(
    guarantee: FunctionGuarantee,
    budget: CostTarget,
    distances: Mapping[str, Fraction] | None = None,
) -> list[Way]:
    """Every way in which the budget can be met.

    Raises:
        WrongBudget: the program has no bound in a measure of the budget.
    """
    assert guarantee.tree is not None
    known = available(guarantee.tree)
    limits: dict[str, tuple[Fraction, ...]] = {}
    if budget.rho is not None:
        limits["zcdp"] = (budget.rho,)
    else:
        assert budget.epsilon is not None
        limits["pure"] = (budget.epsilon,)
        if budget.delta is not None:
            limits["approx"] = (budget.epsilon, budget.delta)
            if "zcdp" in known:
                limits["zcdp"] = (largest_rho(budget.epsilon, budget.delta),)
    found = []
    for measure, limit in limits.items():
        # Pure costs are (epsilon, delta) costs too: nothing new to try.
        if measure not in known or (measure == "approx" and "pure" in known):
            continue
        constraints = []
        far = guarantee.far(distances or {})
        for entry in guarantee.units():
            distance = far.get(entry.name)
            cost = guarantee.cost(entry.name, ONE if distance is None else num(distance), measure)
            parts = list(cost.values())[: len(limit)]
            constraints += [
                Constraint(entry.label, e, m) for e, m in zip(parts, limit, strict=True)
            ]
        found.append(Way(measure, tuple(constraints)))
    if not found:
        raise WrongBudget(
            f"`{guarantee.name}` has a cost in {' and '.join(_SPOKEN[m] for m in known)} only",
            place=guarantee.name,
            remedy="choose the noise; `metricdp check --delta D` says what it costs"
            if known == ["approx_zcdp"]
            else "--epsilon E --delta D"
            if budget.rho is None
            else "--epsilon E",
        )
    return found


_SPOKEN = {
    "pure": "epsilon", "zcdp": "rho", "approx": "(epsilon, delta)", "approx_zcdp": "(rho, delta)",
}  # fmt: skip


def largest_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """A rho whose certified (epsilon, delta) stays within the budget; nearly the largest."""
    low, high = Fraction(0), Fraction(1)
    while zcdp_epsilon(high, delta).value <= epsilon:
        low, high = high, 2 * high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if zcdp_epsilon(middle, delta).value <= epsilon:
            low = middle
        else:
            high = middle
        if low and (high - low) * 2**60 < low:
            break
    return low
