"""The loss laws and curves of a list of events under a relation, direction by direction."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import msgspec

from metricdp.accounting.losses.loss import Parts
from metricdp.errors import ParameterError
from metricdp.measures.accounted import (
    AccountedEvent,
    AccountedStep,
    Case,
    NoCurve,
    Pieces,
    Relation,
    cases,
)
from metricdp.measures.combined import Composed, together


class Side(msgspec.Struct, frozen=True):
    """One direction.

    Attributes:
        case: which.
        upper: loss laws that dominate; None where only curves are known.
        lower: loss laws that are attained.
        back: upper and lower of the other direction, for negative epsilons.
    """

    case: Case
    upper: Parts | None
    lower: Parts
    back: tuple[Parts | None, Parts]

    @property
    def exact(self) -> bool:
        """Whether one engine answers for both ends."""
        return self.upper == self.lower


class Reading(msgspec.Struct, frozen=True):
    """What the queries of a guarantee work with.

    Attributes:
        sides: the directions; one where both have the same laws.
        gap: total variation by which each of the two laws may differ, over all rounds.
    """

    sides: tuple[Side, ...]
    gap: Fraction

    @property
    def known(self) -> bool:
        """Whether every event has a loss law that dominates it."""
        return all(side.upper is not None for side in self.sides)

    @property
    def exact(self) -> bool:
        """Whether the laws are attained, so that both ends of an answer come from them."""
        return all(side.exact for side in self.sides)


@lru_cache(maxsize=256)
def read(event: AccountedEvent, which: Relation) -> Reading:
    """The loss laws of the event in every direction of the relation.

    Raises:
        RelationError: an event that has no theorem under the relation.
    """
    both = {forward: event_pieces(event, forward, which) for forward in (True, False)}
    sides: list[Side] = []
    for case in cases(which):
        here, back = both[case.forward], both[not case.forward]
        side = Side(case, here.upper, here.lower, (back.upper, back.lower))
        if not any((side.upper, side.lower) == (s.upper, s.lower) for s in sides):
            sides.append(side)
    return Reading(tuple(sides), max(each.gap for each in both.values()))


def event_pieces(event: AccountedEvent, forward: bool, which: Relation) -> Pieces:
    """Pieces of the event in one direction, equal laws together."""
    return together([(event.pieces(Case(cases(which)[0].kind, forward)), 1)])


def curves(event: AccountedEvent, which: Relation) -> list[AccountedStep] | None:
    """Steps of the Renyi accountant, or None where an event has no curve."""
    try:
        return list(event.steps(cases(which)[0]))
    except NoCurve:
        return None


def one_event(events: Any) -> AccountedEvent:
    """The event, or a composition of a list of events.

    Raises:
        ParameterError: neither.
    """
    if isinstance(events, AccountedEvent):
        return events
    if isinstance(events, Iterable) and not isinstance(events, str | bytes):
        return Composed(tuple(events))
    what = f"the class {events.__name__}" if isinstance(events, type) else type(events).__name__
    raise ParameterError(
        f"{what} is no event", place="account",
        remedy="write an event or a list of events: account(Gaussian(1.1), \"replace\")",
    )  # fmt: skip
