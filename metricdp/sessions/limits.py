"""Limits within a budget: what one analyst, one purpose, one period or one question may cost.

A limit only ever refuses.  What the guarantee says is the budget of the data set, which adds up
the spends of all names and all periods; so a limit may be set, raised or lowered at any time, by
whoever owns the ledger, and a month that renews renews its own limit and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.sessions.budget import SIGNS, costs, number
from metricdp.sessions.encoding import number_of, text_of
from metricdp.sessions.names import person

#: What a limit is for: all spends ever, those of one period in UTC, or one question alone.
EVER, QUESTION = "ever", "question"
_FORMS = {"year": "%Y", "month": "%Y-%m", "week": "%G-W%V", "day": "%Y-%m-%d"}
PERIODS = tuple(_FORMS)


class Limit(msgspec.Struct, frozen=True):
    """What a part of the spends of a data set may sum to.

    Args:
        epsilon, delta, rho, renyi: >= 0, in the units in which the budget is counted; at least one.
        analyst, purpose: whose spends, and for what; None: all of them together.
        per: "ever", or a period in UTC: "year", "month", "week" (Monday to Sunday, ISO), "day"; or
            "question": what one question may cost.
        approvers: with per="question": who may approve a question that costs more, by name.
            Without them such a question is refused.

    Numbers are the decimals that are typed: 0.1 is 1/10.

    Raises:
        ParameterError: a number outside its range, a name that could be taken for another one, or a
            combination that means nothing.
    """

    epsilon: Any = None
    delta: Any = None
    rho: Any = None
    renyi: Any = None
    analyst: str | None = None
    purpose: str | None = None
    per: str = EVER
    approvers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for unit in SIGNS:
            value = getattr(self, unit)
            if value is not None:
                msgspec.structs.force_setattr(self, unit, number(unit, value, "Limit"))
        for field in ("analyst", "purpose"):
            name = getattr(self, field)
            if name is not None:
                msgspec.structs.force_setattr(self, field, person(name, field))
        if not isinstance(self.approvers, tuple | list):
            raise _wrong("approvers are several names", 'approvers=("ben",)')
        names = tuple(person(name, "approver") for name in self.approvers)
        msgspec.structs.force_setattr(self, "approvers", names)
        if self.per not in (EVER, QUESTION, *PERIODS):
            known = ", ".join((EVER, *PERIODS, QUESTION))
            raise _wrong(f"per={self.per!r} is no period", f"one of: {known}")
        if names and self.per != QUESTION:
            raise _wrong("approvers let a question pass", 'per="question", approvers=("ben",)')
        if not self.amounts:
            raise _wrong("a limit has a number", 'Limit(epsilon=1, per="month")')

    @property
    def amounts(self) -> dict[str, Fraction]:
        """Unit of the budget -> the most."""
        found = {unit: getattr(self, unit) for unit in SIGNS}
        return {unit: value for unit, value in found.items() if value is not None}

    @property
    def scope(self) -> tuple[str | None, str | None, str]:
        """What tells two limits apart: a later one with the same scope takes its place."""
        return self.analyst, self.purpose, self.per

    def covers(self, analyst: str | None, purpose: str | None) -> bool:
        """Whether the spends of an analyst for a purpose count."""
        return self.analyst in (None, analyst) and self.purpose in (None, purpose)

    def describe(self) -> str:
        """ "ε = 1 per month for ann, purpose audit"."""
        text = costs(self.amounts)
        text += "" if self.per == EVER else f" per {self.per}"
        text += f" for {self.analyst}" if self.analyst is not None else ""
        text += f" for the purpose {self.purpose}" if self.purpose is not None else ""
        return text + (
            f", more if {' or '.join(self.approvers)} approves" if self.approvers else ""
        )

    def as_json(self) -> dict[str, Any]:
        """Its fields for a row; numbers as texts, exact."""
        return {
            "analyst": self.analyst, "purpose": self.purpose, "per": self.per,
            "approvers": list(self.approvers),
            "limits": {unit: text_of(value) for unit, value in self.amounts.items()},
        }  # fmt: skip


def limit_of(found: Mapping[str, Any]) -> Limit:
    """The limit that `Limit.as_json` wrote.

    Raises:
        ValueError, TypeError, LookupError: anything else.
    """
    fields: dict[str, Any] = {name: found[name] for name in ("analyst", "purpose", "per")}
    fields |= {unit: number_of(text) for unit, text in found["limits"].items()}
    return Limit(**fields, approvers=tuple(found["approvers"]))


def period_of(per: str, moment: datetime) -> str:
    """The period in which a moment lies: "2026-11"; of "ever" and "question" their own name."""
    form = _FORMS.get(per)
    if form is None:
        return per
    return moment.astimezone(UTC).strftime(form)


def _wrong(fact: str, remedy: str) -> ParameterError:
    return ParameterError(fact, place="Limit", remedy=remedy)
