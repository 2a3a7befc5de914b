"""Two ledger files beside each other: copies, copies that were both continued, strangers."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import chain

import msgspec

from metricdp.sessions.budget import costs
from metricdp.sessions.ledger import Ledger
from metricdp.sessions.rows import SPEND


class Compared(msgspec.Struct, frozen=True):
    """What two ledgers have in common.

    Attributes:
        common: how many rows, from the first one on.
        first, second: how many rows each has beyond them.
        together: data set of both -> unit -> what was spent in either; empty unless they parted.
    """

    common: int
    first: int
    second: int
    together: Mapping[str, Mapping[str, Fraction]]

    @property
    def parted(self) -> bool:
        """Whether each has rows that the other lacks."""
        return bool(self.first and self.second)

    def lines(self) -> list[str]:
        """As text."""
        if not self.parted:
            if not self.first and not self.second:
                return [f"the same {self.common} rows"]
            longer = "the first" if self.first else "the second"
            return [f"the same {self.common} rows; {longer} has {self.first + self.second} more"]
        if not self.common:
            return ["two ledgers: no row in common"]
        spent = [f"{name}: spent in either {costs(total)}" for name, total in self.together.items()]
        return [f"parted after row {self.common}: {self.first} rows and {self.second} rows", *spent]


def compare(first: Ledger, second: Ledger) -> Compared:
    """Hold two ledgers against each other.

    Raises:
        LedgerError: one of them is not whole.
    """
    one, other = first.hashes(), second.hashes()
    common = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    lengths = len(one) - common, len(other) - common
    together: dict[str, dict[str, Fraction]] = {}
    if common and all(lengths):
        for row in chain(first.rows(), (r for r in second.rows() if r.number > common)):
            if row.kind == SPEND:
                total = together.setdefault(row.dataset, {})
                for unit, cost in row.numbers("cost").items():
                    total[unit] = total.get(unit, Fraction(0)) + cost
    return Compared(common, *lengths, together)
