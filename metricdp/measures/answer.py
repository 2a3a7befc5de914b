"""A certified answer: an interval that holds the true number, and where it came from."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec

from metricdp.accounting.rounded import double_up
from metricdp.expr.decimals import decimal_down, decimal_up
from metricdp.measures.accounted import UNIT, Relation


class Answer(msgspec.Struct, frozen=True):
    """lower <= the number <= upper, both rounded outwards.

    `float(answer)` is the safe side, rounded to it: what may be promised.  For epsilon, delta, mu
    and attack rates that is the upper end; for an error that an attacker makes, the lower one.

    Attributes:
        quantity: what it is: "epsilon", "delta", "beta", "mu", ...
        lower: no analysis that knows only the events can prove less.
        upper: proved for every mechanism that the events describe.
        at: the argument of the query in words, "delta = 1e-05", or "".
        relation: the neighbouring relation.
        engines: what computed it.
        safe: which end may be promised, "upper" or "lower".
        notes: what else a reader has to know, sentences.
    """

    quantity: str
    lower: Fraction
    upper: Fraction
    at: str
    relation: Relation
    engines: tuple[str, ...] = ()
    safe: str = "upper"
    notes: tuple[str, ...] = ()

    @property
    def error(self) -> Fraction:
        """upper - lower: how far either end may be from the truth."""
        return self.upper - self.lower

    def __float__(self) -> float:
        if self.safe == "upper":
            return double_up(self.upper)
        return -double_up(-self.lower)

    def __str__(self) -> str:
        where = ", ".join(part for part in (self.at, UNIT[self.relation]) if part)
        return f"{self.quantity} {self.interval}  ({where}; {self.origin})"

    def __repr__(self) -> str:
        return f"<{self}>"

    def _repr_html_(self) -> str:
        from metricdp.report.cards import card

        facts = [("at", self.at), ("neighbours", UNIT[self.relation]), ("computed by", self.origin)]
        facts += [("note", note) for note in self.notes]
        return card(self.quantity, self.interval, facts=facts)

    @property
    def origin(self) -> str:
        """What computed it, in words."""
        return " and ".join(self.engines) or "nothing to compute"

    @property
    def interval(self) -> str:
        """The interval with as many digits as it is certain to, "in [low, high]" or "= value"."""
        if self.lower == self.upper and decimal_up(self.upper, 12) == decimal_down(self.lower, 12):
            return f"= {decimal_up(self.upper, 12)}"
        if not self.lower and self.safe == "upper":
            return f"<= {decimal_up(self.upper, 6)}"
        digits = 6
        if self.lower > 0:
            digits = min(16, max(6, _digits(self.error / self.upper) + 2))
        return f"in [{decimal_down(self.lower, digits)}, {decimal_up(self.upper, digits)}]"

    def to_dict(self) -> dict[str, Any]:
        """The answer for JSON: the ends are doubles on their outer sides and exact texts."""
        return {
            "lower": 0.0 - double_up(-self.lower),
            "upper": double_up(self.upper),
            "safe": self.safe,
            "at": self.at,
            "relation": self.relation,
            "engines": list(self.engines),
            "notes": list(self.notes),
        }


def _digits(relative: Fraction) -> int:
    """Number of decimals that a relative width leaves."""
    if not relative:
        return 16
    size = relative.denominator.bit_length() - relative.numerator.bit_length()
    return max(0, int(size * 0.30103))
