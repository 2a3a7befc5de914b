"""What a question would cost: told before it is asked, and without asking it."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.sessions.asking import Question
from metricdp.sessions.budget import amounts, costs


class CostPreview(msgspec.Struct, frozen=True):
    """What a question would cost.

    Attributes:
        name: of the function, measurement or mechanism.
        cost: unit of the budget -> cost, exact.
        left: unit -> what is left now, with the limits on names and periods.
        known: whether it was answered already, so that asking again is free.
        refused: why it would be refused, or what it would wait for; "" if it would be answered.
    """

    name: str
    cost: Mapping[str, Fraction]
    left: Mapping[str, Fraction]
    known: bool
    refused: str

    def __str__(self) -> str:
        if self.known:
            return f"{self.name}: answered already, and free"
        said = f"; refused: {self.refused}" if self.refused else ""
        return f"{self.name}: costs {costs(self.cost)}, left {amounts(self.left)}{said}"


class _Stop(BaseException):
    """Ends a question before it is asked: no error, so nothing on its way takes it for one."""


#: What is looked at and not asked in this thread: a list that takes whose question it is, or None.
_LOOKED_AT: ContextVar[list[tuple[Any, Question]] | None]
_LOOKED_AT = ContextVar("metricdp_looked_at", default=None)


def offer(session: Any, question: Question) -> None:
    """Take a question out of the hands of the session that would ask it, if it is looked at."""
    found = _LOOKED_AT.get()
    if found is not None:
        found.append((session, question))
        raise _Stop


def looked_at(asked: Any) -> tuple[Any, Question]:
    """The first question that a function without parameters asks, and the session it would ask.

    Raises:
        ParameterError: no function, or one that asks nothing.
    """
    found: list[tuple[Any, Question]] = []
    if callable(asked):
        token = _LOOKED_AT.set(found)
        try:
            asked()
        except _Stop:
            pass
        finally:
            _LOOKED_AT.reset(token)
    if not found:
        raise ParameterError(
            f"a {type(asked).__name__} that asks nothing of a session", place="session.cost",
            remedy="session.cost(f, eps=0.1), or "
            "session.cost(lambda: dp.laplace(dp.sum(x), epsilon=0.1))",
        )  # fmt: skip
    return found[0]
