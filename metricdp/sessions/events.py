"""What logs and metrics are told of a session: public facts of every question, and nothing else.

No event has a value, a running time or the kind of an error of the data: all of these may depend on
somebody's row.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.sessions.budget import amounts, costs


class SessionEvent(msgspec.Struct, frozen=True):
    """What happened to a question.

    Attributes:
        kind: "answered": an answer was paid for; "again": it was given again for nothing;
            "refused": nothing was spent; "waits": for an approval; "failed": the run failed after
            its spend was written.
        name: of the function, measurement or mechanism.
        dataset: name of the data set.
        analyst, purpose: who asked, and for what; None where no name was given.
        cost: unit of the budget -> what was spent, or would have been; exact.
        left: unit -> what the budget leaves after it, or what would have been allowed; exact.
        row: of the spend, or of the request that waits; 0 where there is none.
    """

    kind: str
    name: str
    dataset: str
    analyst: str | None
    purpose: str | None
    cost: Mapping[str, Fraction]
    left: Mapping[str, Fraction]
    row: int

    def __str__(self) -> str:
        who = "" if self.analyst is None else f" by {self.analyst}"
        who += "" if self.purpose is None else f" for {self.purpose}"
        where = f", row {self.row}" if self.row else ""
        text = f"{self.kind}: {self.name} on {self.dataset}{who}{where}: {costs(self.cost)}"
        return f"{text}; left {amounts(self.left)}" if self.left else text


#: Is told of every event.
Hook = Callable[[SessionEvent], Any]


def hook_of(given: Any) -> Hook | None:
    """A hook that was given, or None.

    Raises:
        ParameterError: nothing that can be called.
    """
    if given is None or callable(given):
        hook: Hook | None = given
        return hook
    raise ParameterError(
        f"a {type(given).__name__} cannot be called", place="events",
        remedy="events=print, or lambda event: logging.info('%s', event)",
    )  # fmt: skip


def tell(hook: Hook | None, event: SessionEvent) -> None:
    """Tell a hook, whose own failure stops no answer that was paid for: it is shown as Python
    shows errors that nobody can catch."""
    if hook is None:
        return
    try:
        hook(event)
    except Exception as error:
        error.__traceback__ = None
        sys.unraisablehook(
            SimpleNamespace(
                exc_type=type(error), exc_value=error, exc_traceback=None,
                err_msg="a hook of a session failed", object=None,
            )
        )  # fmt: skip
