"""A budget: what all spends of a ledger together may cost, and the filter that enforces it.

A filter lets a next step run while the sum of what was declared stays within the budget; steps may
be chosen from earlier answers.  It is valid for sums of epsilon, of (epsilon, delta), of rho, and
of Renyi divergences at one fixed order (Rogers, Roth, Ullman, Vadhan 2016; Feldman and Zrnic 2021;
Whitehouse, Ramdas, Rogers, Wu 2023).  A budget in (epsilon, delta) that is counted in rho or at an
order fixes its limit before the first step: the filter holds at that limit, and its conversion to
(epsilon, delta) is made once, for the limit and never for a running sum at a time that the answers
choose.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.expr import decimal_down, decimal_up
from metricdp.plain import scalar
from metricdp.sessions.encoding import text_of

#: How a budget is counted -> its units.
UNITS = {
    "pure": ("epsilon",),
    "approx": ("epsilon", "delta"),
    "zcdp": ("rho",),
    "renyi": ("renyi",),
}
SIGNS = {"epsilon": "ε", "delta": "δ", "rho": "ρ", "renyi": "Rényi divergence"}


class Budget(msgspec.Struct, frozen=True):
    """What a session may spend in all.

    Args:
        epsilon: >= 0; alone, every step needs a pure epsilon.
        delta: in (0, 1), with epsilon.
        rho: >= 0, alone: zero-concentrated privacy.
        by: for (epsilon, delta): "sum" adds the epsilons and the deltas of the steps; "rho" adds
            rhos up to the largest rho that implies (epsilon, delta).
        alpha: for (epsilon, delta): add Renyi divergences at this order, above 1.
        step_delta: for by="sum": delta in (0, 1) at which a step that has only a rho is converted,
            alone, before it runs.

    Numbers are the decimals that are typed: 0.1 is 1/10.

    Raises:
        ParameterError: a number outside its range, or a combination that means nothing.
    """

    epsilon: Any = None
    delta: Any = None
    rho: Any = None
    by: str = "sum"
    alpha: Any = None
    step_delta: Any = None

    def __post_init__(self) -> None:
        for name in ("epsilon", "delta", "rho", "alpha", "step_delta"):
            value = getattr(self, name)
            if value is not None:
                msgspec.structs.force_setattr(self, name, number(name, value, "Budget"))
        if (self.epsilon is None) == (self.rho is None):
            raise _wrong("a budget has either an epsilon or a rho")
        if self.delta is None and (self.by != "sum" or self.alpha is not None):
            raise _wrong("counting in rho or at an order needs an epsilon and a delta")
        if self.delta is not None and self.epsilon is None:
            raise _wrong("delta belongs to epsilon")
        if self.by not in ("sum", "rho") or (self.by == "rho" and self.alpha is not None):
            raise _wrong(f"by={self.by!r} is no way to count", 'by="sum", by="rho" or alpha=8')
        if self.step_delta is not None and (self.delta is None or self.kind != "approx"):
            raise _wrong('step_delta belongs to a budget in (epsilon, delta) with by="sum"')

    @property
    def kind(self) -> str:
        """The measure in which steps are counted: "pure", "approx", "zcdp" or "renyi"."""
        if self.alpha is not None:
            return "renyi"
        if self.rho is not None or self.by == "rho":
            return "zcdp"
        return "pure" if self.delta is None else "approx"

    def limits(self) -> dict[str, Fraction]:
        """Unit -> what all steps together may sum to.

        Raises:
            ParameterError: no rho, or no divergence at this order, implies (epsilon, delta).
        """
        if self.kind == "renyi":
            return {"renyi": _renyi_limit(self)}
        if self.kind == "zcdp" and self.rho is None:
            return {"rho": _rho_limit(self)}
        return {unit: getattr(self, unit) for unit in UNITS[self.kind]}

    def describe(self) -> str:
        """ "ε = 1, δ = 1e-06", with how it is counted where that is not plain addition."""
        given = ((u, getattr(self, u)) for u in ("epsilon", "delta", "rho"))
        text = ", ".join(f"{SIGNS[u]} = {decimal_down(v)}" for u, v in given if v is not None)
        if self.kind == "renyi":
            return f"{text}, counted as Rényi divergence of order {decimal_down(self.alpha)}"
        if self.kind == "zcdp" and self.rho is None:
            return f"{text}, counted in ρ up to {decimal_down(self.limits()['rho'])}"
        if self.step_delta is not None:
            return f"{text}, steps in ρ at δ = {decimal_down(self.step_delta)} each"
        return text

    def as_json(self) -> dict[str, str]:
        """Its numbers as texts, exact, and the limits that they imply."""
        fields = {f: getattr(self, f) for f in self.__struct_fields__}
        limits = {f"limit_{unit}": text_of(value) for unit, value in self.limits().items()}
        return {
            **{f: v if f == "by" else text_of(v) for f, v in fields.items() if v is not None},
            **limits,
        }


def left_of(limits: Mapping[str, Fraction], total: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """What the sums leave of the limits."""
    return {unit: limit - total.get(unit, Fraction(0)) for unit, limit in limits.items()}


def amounts(values: Mapping[str, Fraction]) -> str:
    """ "ε = 0.1, δ = 0", rounded down."""
    return ", ".join(f"{SIGNS[u]} = {decimal_down(values[u])}" for u in SIGNS if u in values)


def costs(values: Mapping[str, Fraction]) -> str:
    """ "ε = 0.1, δ = 0", rounded up."""
    return ", ".join(f"{SIGNS[u]} = {decimal_up(values[u])}" for u in SIGNS if u in values)


def number(name: str, value: Any, place: str) -> Fraction:
    """A number as it is typed: 0.1 is 1/10.

    Raises:
        ParameterError: no number, or one outside the range of such a parameter.
    """
    value = scalar(value)
    if isinstance(value, bool):
        raise ParameterError(f"{name} is no number", place=place)
    try:
        found = Fraction(float.__repr__(value)) if isinstance(value, float) else Fraction(value)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} is no number", place=place) from None
    ranges = {"delta": (0, 1), "step_delta": (0, 1), "alpha": (1, None)}
    low, high = ranges.get(name, (None, None))
    if found < 0 or (low is not None and found <= low) or (high is not None and found >= high):
        asked = f"between {low} and {high}" if high else "above 1" if low else "at least 0"
        raise ParameterError(f"{name} is {value}", place=place, remedy=f"choose {name} {asked}")
    return found


def _wrong(fact: str, remedy: str = "Budget(epsilon=1, delta=1e-6) or Budget(rho=0.5)") -> Any:
    return ParameterError(fact, place="Budget", remedy=remedy)


@lru_cache(maxsize=64)
def _rho_limit(budget: Budget) -> Fraction:
    """The largest rho, to 2**-40 of itself, whose conversion at delta is at most epsilon."""
    from metricdp.accounting.orders import epsilon_at
    from metricdp.accounting.renyi import LinearCurve

    def fits(rho: Fraction) -> bool:
        return bool(epsilon_at(LinearCurve(rho), budget.delta).value <= budget.epsilon)

    # rho-zCDP has an epsilon above rho for every delta that is used: epsilon bounds the search.
    low, high = Fraction(0), Fraction(budget.epsilon) + 1
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    if not low:
        raise _none(budget)
    return low


@lru_cache(maxsize=64)
def _renyi_limit(budget: Budget) -> Fraction:
    """The divergence at the fixed order that implies (epsilon, delta): the rest is a constant."""
    from metricdp.accounting.orders import epsilon_of_order
    from metricdp.accounting.rounded import short_down

    high = Fraction(budget.epsilon) + 64
    constant = epsilon_of_order(budget.alpha, high, budget.delta) - high
    limit = short_down(budget.epsilon - constant, 64)
    if limit <= 0 or epsilon_of_order(budget.alpha, limit, budget.delta) > budget.epsilon:
        raise _none(budget)
    return limit


def _none(budget: Budget) -> ParameterError:
    return ParameterError(
        f"nothing that is counted this way stays within {amounts({'epsilon': budget.epsilon})}",
        place="Budget",
        remedy="choose a larger epsilon or delta, or a higher order alpha",
    )
