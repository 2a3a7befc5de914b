"""What spends in the parts of a divided table cost together: the largest of their sums, not all.

Parallel composition, for steps that are chosen from all earlier answers.  Fix two neighbours.  A
part k of a divided table moves by d_k between them, and what one division moves in all is bounded:
every d_k is at most d, and they add up to at most K d, for K = `most` parts (`divided` says why).
A step in part k costs these two data sets c(d_k), and c is charged as if c(a) <= (a / d) c(d) for
all a <= d (`costs.star` makes it so).  So whatever was asked in the parts, in any order and with
any answers, costs them at most the sum over k of (d_k / d) S_k, where S_k is the sum of what was
charged in part k; and under the bounds on d_k this is at most the sum of the K largest S_k.
Divisions by other columns, and what reads whole tables, add.  Along every transcript the charges
of the ledger therefore bound the sum of what the steps cost these two data sets, which is all that
a filter asks for: its proofs go pair by pair, the costs of a pair being those of an individual
(Feldman and Zrnic 2021, Theorem 3.1 at a fixed order; Rogers, Roth, Ullman, Vadhan 2016 and
Whitehouse, Ramdas, Rogers, Wu 2023 for epsilon and delta).  Steps are answered one at a time, so
adaptivity over all parts is that of one sequence, and no theorem on concurrent mechanisms is used.
Epsilon and delta are bounded unit by unit, each by its own largest parts.

Tight: one row in the part that was asked most.
Source: McSherry 2009, Theorem 4; OpenDP and Tumult state it for parts that are asked one after the
other; rules of tables for replaced rows and for persons.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from metricdp.sessions.part_names import PartName
from metricdp.sessions.shares import short

Amounts = Mapping[str, Fraction]


class PartSums:
    """The sums of all parts of one data set.

    Args:
        units: of the budget.
    """

    def __init__(self, units: Any) -> None:
        self._units = tuple(units)
        self._sums: dict[PartName, dict[str, dict[str, Fraction]]] = {}

    def spend(self, part: PartName, cost: Amounts) -> None:
        """Add a spend in a part up."""
        sums = self._sums.setdefault(part.division, {})
        before = sums.get(part.key) or self._nothing()
        sums[part.key] = {unit: short(before[unit] + cost[unit]) for unit in self._units}

    def due(self, part: PartName, cost: Amounts) -> dict[str, Fraction]:
        """What a spend in a part adds to the largest sums."""
        found = {}
        for unit in self._units:
            own, beside = self._place(part, unit)
            found[unit] = max(own + cost[unit], beside) - max(own, beside)
        return found

    def free(self, part: PartName) -> dict[str, Fraction]:
        """What may be spent in a part before anything is due."""
        found = {}
        for unit in self._units:
            own, beside = self._place(part, unit)
            found[unit] = max(own, beside) - own
        return found

    def _place(self, part: PartName, unit: str) -> tuple[Fraction, Fraction]:
        """The sum of a part, and the smallest that still counts among those of the others: the sum
        of the largest is that of the larger of both and of others that do not change."""
        sums = self._sums.get(part.division, {})
        others = sorted((s[unit] for key, s in sums.items() if key != part.key), reverse=True)
        own = sums.get(part.key, self._nothing())[unit]
        return own, others[part.most - 1] if len(others) >= part.most else Fraction(0)

    def _nothing(self) -> dict[str, Fraction]:
        return dict.fromkeys(self._units, Fraction(0))
