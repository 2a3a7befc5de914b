"""What every event of accounting answers: its loss laws and its Renyi curves in one direction.

An event is a description that a whole class of mechanisms meets.  `Pieces.upper` are loss laws that
dominate every mechanism of the class, so what they give is a guarantee; `Pieces.lower` are loss
laws that some mechanism of the class has on some pair of data sets, so no proof that knows only the
events can give less.  Where both are the same laws the answer of an engine is two-sided.

Composition is adaptive: the profile of adaptively composed mechanisms is at most that of the
product of dominating pairs, direction by direction (Zhu, Dong, Wang 2022, Theorem 10); the
directions are compared after composing, never inside.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from metricdp.measures.accounting.errors import RelationError
from metricdp.measures.accounting.relations import UNIT, Case
from metricdp.measures.step import Step

if TYPE_CHECKING:
    from metricdp.measures.losses.loss import Loss

Parts = tuple[tuple["Loss", int], ...]


class Pieces(msgspec.Struct, frozen=True):
    """One round of an event in one direction.

    Attributes:
        upper: (loss law, count) that dominate it together; None: none is known, only curves.
        lower: (loss law, count) that some mechanism of this description has; () is always right.
        gap: total variation by which the mechanism may differ from the one of the laws, on each of
            the two data sets.
    """

    upper: Parts | None
    lower: Parts
    gap: Fraction = Fraction(0)


#: Something that reads no private data.
FREE = Pieces((), ())


def exactly(*losses: Loss) -> Pieces:
    """Pieces whose loss laws are attained."""
    parts = tuple((loss, 1) for loss in losses)
    return Pieces(parts, parts)


class Event(msgspec.Struct, frozen=True):
    """A description of a mechanism; see the module."""

    def pieces(self, case: Case) -> Pieces:
        """Loss laws of one round.  RelationError: no theorem under this relation."""
        raise NotImplementedError

    def steps(self, case: Case) -> tuple[Step, ...]:
        """Renyi curves of one round, for cheap bounds; NoCurve where none is known."""
        raise NotImplementedError

    @property
    def place(self) -> str:
        """Name in messages."""
        return type(self).__name__


class NoCurve(Exception):
    """An event for which no Renyi curve is kept; the cheap bounds then do not exist."""


def refuse(event: Event, case: Case, reason: str, remedy: str) -> RelationError:
    """The error that no theorem covers the event under this relation."""
    unit = UNIT[case.kind]
    return RelationError(f'no theorem for "{unit}": {reason}', place=event.place, remedy=remedy)
