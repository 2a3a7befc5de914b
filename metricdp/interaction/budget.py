"""A budget: exact amounts under one measure."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.interaction.costs import names_of, shown_cost
from metricdp.maps.distances import Number, typed

Cost = tuple[Number, ...]


class Budget(msgspec.Struct, frozen=True):
    """The most that may be spent.  Make one with `Budget.of`.

    Attributes:
        measure: "pure", "zcdp", "approx", "approx_zcdp" or "renyi:ALPHA".
        amounts: one number per part of the measure: (epsilon,), (rho,), (epsilon, delta) ...
    """

    measure: str
    amounts: Cost

    @classmethod
    def of(cls, measure: str, amounts: Any) -> Budget:
        """A budget from the numbers that a person types: 0.1 is one tenth.

        Raises:
            ParameterError: another number of amounts than the measure has, an amount that is
                negative or NaN, or a delta above 1.
        """
        names = names_of(measure)
        given = tuple(amounts) if isinstance(amounts, Sequence) else (amounts,)
        if len(given) != len(names) or isinstance(amounts, str):
            raise ParameterError(
                f"a budget in {measure} has {len(names)} parts",
                place="budget",
                remedy=f"give ({', '.join(names)})" if len(names) > 1 else f"give {names[0]}",
            )
        exact = tuple(typed(value, name) for value, name in zip(given, names, strict=True))
        if names[-1] == "delta" and exact[-1] > 1:
            raise ParameterError(f"delta is {given[-1]}", place="delta", remedy="choose delta < 1")
        return cls(measure, exact)

    def covers(self, cost: Cost) -> bool:
        """Whether a cost is within the budget, part by part."""
        return all(c <= a for c, a in zip(cost, self.amounts, strict=True))

    def left(self, spent: Cost) -> Budget:
        """What remains after a cost; never below 0."""
        rest: list[Number] = []
        for amount, gone in zip(self.amounts, spent, strict=True):
            if amount == inf:
                rest.append(inf)
            else:
                rest.append(Fraction(0) if gone >= amount else Fraction(amount) - Fraction(gone))
        return Budget(self.measure, tuple(rest))

    def __str__(self) -> str:
        return shown_cost(self.measure, self.amounts, down=True)
