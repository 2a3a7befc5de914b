"""Events whose cost is stated for one step, and data sets that are several steps apart."""

from __future__ import annotations

from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.measures.accounting.event import Event, refuse
from metricdp.measures.accounting.relations import Case

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
