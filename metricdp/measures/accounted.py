"""Neighbouring relations: which two data sets a guarantee is about.

One unit of the relation, in words:
- "add": the second data set has one row more; "remove": one row less; the guarantee bounds
  P(M(x) in E) <= e^eps P(M(x') in E) + delta for x the first and x' the second.
- "add or remove": both; the larger of the two curves.
- "replace": one row has another value; the number of rows is public.
- "zero out": one row contributes nothing any more, as if it were absent, while the number of rows
  stays public; both directions.
They are different statements: a replacement is a removal and an addition, so its cost is larger,
and a number for one says nothing about another until a theorem joins them.

What every event of accounting answers: its loss laws and its Renyi curves in one direction.

An event is a description that a whole class of mechanisms meets.  `Pieces.upper` are loss laws that
dominate every mechanism of the class, so what they give is a guarantee; `Pieces.lower` are loss
laws that some mechanism of the class has on some pair of data sets, so no proof that knows only the
events can give less.  Where both are the same laws the answer of an engine is two-sided.

Composition is adaptive: the profile of adaptively composed mechanisms is at most that of the
product of dominating pairs, direction by direction (Zhu, Dong, Wang 2022, Theorem 10); the
directions are compared after composing, never inside.

Events whose cost is stated for one step, and data sets that are several steps apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, get_args

import msgspec

from metricdp.accounting.losses.loss import Loss, Parts
from metricdp.errors import ParameterError
from metricdp.measures.step import Step

Relation = Literal["add", "remove", "add or remove", "replace", "zero out"]
#: The relations in which rows differ; a direction says which of the two data sets comes first.
Kind = Literal["add or remove", "replace", "zero out"]

UNIT: dict[Relation, str] = {
    "add": "one row added",
    "remove": "one row removed",
    "add or remove": "one row added or removed",
    "replace": "one row replaced",
    "zero out": "one row zeroed out",
}


class RelationError(ParameterError):
    """An event under a neighbouring relation for which no theorem is known, or none is used here.

    There is no fallback: a number for another relation would be a number about other data sets.
    """


class Case(msgspec.Struct, frozen=True):
    """One direction of a relation, between data sets that differ in `units` rows.

    Attributes:
        kind: how they differ.
        forward: the first data set has the rows and the second lacks them ("replace": holds the
            rows of the one side).
        units: how many rows differ; >= 1.
    """

    kind: Kind
    forward: bool = True
    units: int = 1


def relation(value: Any) -> Relation:
    """The relation of this name ("add-or-remove" and "zero_out" are accepted spellings).

    Raises:
        ParameterError: no relation; there is no default.
    """
    name = " ".join(str(value).replace("-", " ").replace("_", " ").split()).lower()
    known: Sequence[Relation] = get_args(Relation)
    for each in known:
        if each == name:
            return each
    listed = ", ".join(f'"{each}"' for each in known)
    raise ParameterError(
        f"{value!r} is no neighbouring relation", place="relation", remedy=f"choose one of {listed}"
    )


def cases(which: Relation) -> tuple[Case, ...]:
    """The directions whose largest curve is the relation's."""
    if which == "add":
        return (Case("add or remove", False),)
    if which == "remove":
        return (Case("add or remove", True),)
    return Case(which, True), Case(which, False)


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


CONTRIBUTION, REPLACE = "contribution", "replace"


class PathEvent(Event, frozen=True):
    """An event with a cost per step; the field `per` says what one step is.

    per="contribution" (the default): one row added, removed or zeroed out; a replaced row is two
    steps, out and in.  per="replace": one row replaced; nothing is then known about data sets with
    another number of rows.
    """

    def __post_init__(self) -> None:
        if self._of("per") not in (CONTRIBUTION, REPLACE):
            raise ParameterError(
                f"per is {self._of('per')!r}",
                place=self.place,
                remedy='choose "contribution" (one row added, removed or zeroed out) or "replace"',
            )

    def _of(self, name: str) -> Any:
        return getattr(self, name)

    def _put(self, name: str, value: Any) -> None:
        msgspec.structs.force_setattr(self, name, value)

    def length(self, case: Case) -> int:
        """Number of steps between the two data sets.

        Raises:
            RelationError: the step is a replacement and the data sets differ otherwise.
        """
        if self._of("per") == REPLACE:
            if case.kind != "replace":
                raise refuse(
                    self, case, "its cost is stated for one replaced row",
                    'ask for relation="replace", or state the cost of one row added or removed',
                )  # fmt: skip
            return case.units
        return case.units * (2 if case.kind == "replace" else 1)
