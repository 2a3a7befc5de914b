"""A release with its place in a ledger: what its filed record says under "composition"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from metricdp.expr import decimal_up
from metricdp.run.about import About
from metricdp.run.release import Release
from metricdp.sessions.budget import Budget, amounts, costs, left_of
from metricdp.sessions.encoding import number_of
from metricdp.sessions.ledger import Ledger
from metricdp.sessions.rows import Row

_RULE = {
    "pure": "epsilons add, for steps chosen from earlier answers (filter)",
    "approx": "epsilons and deltas add, for steps chosen from earlier answers (filter)",
    "zcdp": "rhos add, for steps chosen from earlier answers (filter); converted at the limit only",
    "renyi": "Renyi divergences at one fixed order add (filter); converted at the limit only",
}


def composition(ledger: Ledger, spend: Row) -> dict[str, str]:
    """What a spend is part of, from the rows alone.

    Raises:
        LedgerError: rows that say something else.
    """
    opened = ledger.opened(spend.dataset)
    limits, total = ledger.limits(spend.dataset), spend.numbers("total")
    return {
        "ledger": ledger.path or "in memory",
        "data set": spend.dataset,
        "unit of the session": str(opened.get("unit", "")),
        "row": str(spend.number),
        "hash": spend.hash,
        "budget": str(opened.get("counted", "")),
        "this release cost": costs(spend.numbers("cost")),
        "spent so far": costs(total),
        "left": amounts(left_of(limits, total)),
        "composition": spend.read(lambda: _RULE[_budget(opened["budget"]).kind]),
    }


def placed(release: Release, spend: Row, place: Mapping[str, str]) -> Release:
    """A release with its composition, the time of its spend, and its cost at the session's unit.

    What a function costs at distance 1 is not what a person is charged who moves several rows or
    tables: a record states what its row does.
    """
    about = msgspec.structs.replace(
        release.about or About(), composition=place, time=str(spend.data().get("time", ""))
    )
    return msgspec.structs.replace(
        release, about=about, unit=place["unit of the session"], privacy=charged(spend)
    )


def charged(spend: Row) -> dict[str, str]:
    """The cost of a row as a release states it, rounded up."""
    names = {"renyi": "Rényi divergence"}
    found = {names.get(u, u): decimal_up(v) for u, v in spend.numbers("cost").items()}
    return {**found, "delta": "0"} if found.keys() == {"epsilon"} else found


def unplaced(release: Release) -> Release:
    """A release without what the rows of its ledger say already."""
    bare = msgspec.structs.replace(release, privacy={}, unit="")
    if release.about is None:
        return bare
    about = msgspec.structs.replace(release.about, composition={}, time="")
    return msgspec.structs.replace(bare, about=about)


def _budget(found: Mapping[str, str]) -> Budget:
    given: dict[str, Any] = {k: v for k, v in found.items() if not k.startswith("limit_")}
    numbers: dict[str, Any] = {k: v if k == "by" else number_of(v) for k, v in given.items()}
    return Budget(**numbers)
