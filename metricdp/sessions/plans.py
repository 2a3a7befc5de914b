"""A question before it is asked: what it would cost here, and what is proved and done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from metricdp.sessions.previews import CostPreview

if TYPE_CHECKING:
    from metricdp.answers.asked import ExplainedPlan
    from metricdp.sql.explained import ExplainedQuery


class SessionPlan(msgspec.Struct, frozen=True):
    """What a session would do for a program or a query, from declared columns alone.

    Attributes:
        costs: of each program, in the session's budget and for its unit.
        plan: what is proved, how large the noise is, and what engines would be asked.
    """

    costs: tuple[CostPreview, ...]
    plan: ExplainedPlan | ExplainedQuery

    def __str__(self) -> str:
        return "\n".join([*map(str, self.costs), "", str(self.plan)])

    __repr__ = __str__
