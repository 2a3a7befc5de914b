"""Costs of a measurement as one event, where they are not the reading of a tree of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metricdp.expr import D, Expr
from metricdp.maps import DistanceMap
from metricdp.maps.measurement import SOURCE
from metricdp.measures.events import Event, Spent
from metricdp.record import MOVED


def as_event(name: str, costs: Mapping[str, tuple[DistanceMap, ...]]) -> Spent | None:
    """One event with these costs; None if one of them is no formula.

    Args:
        name: of the mechanism, none whose noise the accountant knows.
        costs: measure -> maps of the distance of the input.
    """
    privacy: dict[str, tuple[Expr, ...]] = {}
    for measure, maps in costs.items():
        found: list[Any] = [part.expr for part in maps]
        if None in found:
            return None
        privacy[measure] = tuple(part.subs({"d_in": MOVED}) for part in found)
    return Spent(Event(name, "", {}, privacy), {SOURCE: D})
