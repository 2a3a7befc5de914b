"""Events made of events: in sequence, repeated, for several rows, the best of a random number."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.accounting.losses.loss import Parts
from metricdp.errors import ParameterError
from metricdp.measures.accounted import FREE, AccountedEvent, AccountedStep, Case, NoCurve, Pieces
from metricdp.measures.parameters import exact, share, whole


class Composed(AccountedEvent, frozen=True):
    """Events one after the other, each chosen after the answers before it.

    Args:
        events: the events, in any order.

    Raises:
        ParameterError: something that is no event.
    """

    events: Any

    def __post_init__(self) -> None:
        given = self.events
        if isinstance(given, AccountedEvent) or not isinstance(given, Iterable):
            raise ParameterError(
                "needs a sequence of events", place=self.place, remedy="write Composed([a, b])"
            )
        msgspec.structs.force_setattr(self, "events", tuple(checked(e, self.place) for e in given))

    def pieces(self, case: Case) -> Pieces:
        return together((event.pieces(case), 1) for event in self.events)

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        return tuple(step for event in self.events for step in event.steps(case))


class Repeated(AccountedEvent, frozen=True):
    """An event that happens `count` times, with fresh noise and fresh samples each time.

    Args:
        event: the event.
        count: >= 0, a whole number.

    Raises:
        ParameterError: an infinite, negative or fractional count.
    """

    event: Any
    count: Any

    def __post_init__(self) -> None:
        checked(self.event, self.place)
        msgspec.structs.force_setattr(self, "count", whole(self.count, "count", self.place))

    def pieces(self, case: Case) -> Pieces:
        return together([(self.event.pieces(case), self.count)])

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        replace = msgspec.structs.replace
        return tuple(
            replace(step, count=step.count * self.count)
            for step in (self.event.steps(case) if self.count else ())
        )


class Group(AccountedEvent, frozen=True):
    """An event seen by a group of rows: the mechanism's own cost at that distance.

    Additive noise pays `units` movements, which is less than the general rule for groups; events
    known by an epsilon, a rho or a curve follow a path of that many steps.

    Args:
        event: the event.
        units: how many rows of the group, >= 1.

    Raises:
        ParameterError: a number of rows that is no whole number of at least 1.
    """

    event: Any
    units: Any

    def __post_init__(self) -> None:
        checked(self.event, self.place)
        msgspec.structs.force_setattr(
            self, "units", whole(self.units, "units", self.place, least=1)
        )

    def _far(self, case: Case) -> Case:
        return msgspec.structs.replace(case, units=case.units * self.units)

    def pieces(self, case: Case) -> Pieces:
        found: Pieces = self.event.pieces(self._far(case))
        return found

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        found: tuple[AccountedStep, ...] = self.event.steps(self._far(case))
        return found


class Selection(AccountedEvent, frozen=True):
    """The best of a random number of private rounds, by a score that each round releases.

    A pure round costs `costs.selected`, attained in the limit of rare results; otherwise the Renyi
    curve of Papernot and Steinke (2022), Theorem 2, an upper bound (`measures.readings`).

    Args:
        event: one round.
        stop: the parameter of the number of rounds, in (0, 1]: 1 / stop rounds on average for
            shape 1.
        shape: in (-1, 1]: 1 geometric, 0 logarithmic.

    Raises:
        ParameterError: a parameter outside its range.
    """

    event: Any
    stop: Any
    shape: Any = 1

    def __post_init__(self) -> None:
        checked(self.event, self.place)
        put = msgspec.structs.force_setattr
        put(self, "stop", share(self.stop, "stop", self.place))
        if not self.stop:
            raise ParameterError("stop is 0", place=self.place, remedy="choose stop > 0")
        put(self, "shape", exact(self.shape, "shape", self.place))
        if not -1 < self.shape <= 1:
            raise ParameterError(
                f"shape is {self.shape}", place=self.place, remedy="choose -1 < shape <= 1"
            )

    def pieces(self, case: Case) -> Pieces:
        from metricdp.accounting.losses.atomic import ResponseLoss
        from metricdp.measures.renyi_selected import selected_epsilon

        try:
            rounds = self.event.steps(case)
        except NoCurve:
            return Pieces(None, ())
        spent = Fraction(0)
        for step in rounds:
            pure = step.curve.pure_epsilon if step.whole and not step.leak else None
            if pure is None:
                return Pieces(None, ())
            spent += step.count * pure
        if not spent:
            return FREE
        return Pieces(((ResponseLoss(selected_epsilon(spent, self.stop, self.shape)), 1),), ())

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        from metricdp.measures.renyi_selected import selected_step

        return tuple(selected_step(list(self.event.steps(case)), self.stop, self.shape))


def checked(event: Any, place: str) -> AccountedEvent:
    """The event; ParameterError if it is none."""
    if isinstance(event, AccountedEvent):
        return event
    raise ParameterError(
        f"{type(event).__name__} is no event", place=place, remedy="write an event: Gaussian(1.1)"
    )


def together(pieces: Iterable[tuple[Pieces, int]]) -> Pieces:
    """Pieces of all, each taken so many times; equal laws are one entry."""
    upper: dict[Any, int] | None = {}
    lower: dict[Any, int] = {}
    gap = Fraction(0)
    for each, count in pieces:
        if not count:
            continue
        gap += count * each.gap
        for loss, k in each.lower:
            lower[loss] = lower.get(loss, 0) + k * count
        if each.upper is None:
            upper = None
        elif upper is not None:
            for loss, k in each.upper:
                upper[loss] = upper.get(loss, 0) + k * count
    known: Parts | None = None if upper is None else tuple(upper.items())
    return Pieces(known, tuple(lower.items()), gap)
