"""A query before it is asked: its programs, what is proved of them, and what engines would do."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from metricdp.answers.asked import ExplainedPlan
from metricdp.sql.asking import PreparedQuery, made_up_keys, noise_of


class ExplainedQuery(msgspec.Struct, frozen=True):
    """A query, explained from declared columns alone.

    Attributes:
        shares: which part of the budget each draw has, in words.
        noise: output -> half the width of its interval (95%), of those that are one draw.
        programs: the source of each program, the one that finds keys first.
        plans: what is proved of each, and what engines would be asked.  In place of keys that are
            found stands one that is made up.
    """

    shares: tuple[str, ...]
    noise: Mapping[str, float]
    programs: tuple[str, ...]
    plans: tuple[ExplainedPlan, ...]

    def __str__(self) -> str:
        noise = [f"   {name}: ± {width:.3g} (95%)" for name, width in self.noise.items()]
        lines = ["shares", *(f"   {each}" for each in self.shares)]
        lines += ["", "noise of outputs", *noise] if noise else []
        return "\n".join([*lines, "", "\n\n".join(map(str, self.plans))])

    __repr__ = __str__


def explained(asked: PreparedQuery) -> ExplainedQuery:
    """What a query means, without data."""
    found = asked.lowered
    unit, amount = found.budget
    plans, sources = [], []
    if asked.keys is not None and found.keys is not None:
        plans.append(asked.keys.explain(**{unit: amount}, delta=found.delta))
        sources.append(found.keys.source)
    if asked.main is not None and found.main is not None:
        plans.append(asked.main.explain(**{unit: amount}, **made_up_keys(found)))
        sources.append(found.main.source)
    return ExplainedQuery(found.shares, noise_of(asked), tuple(sources), tuple(plans))
