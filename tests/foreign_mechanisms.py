"""Mechanisms that nobody has told the readers of the registry about: copies under other names."""

from __future__ import annotations

import inspect
from typing import Any

import msgspec

from metricdp.checked.path import the_path
from metricdp.families.family import Family
from metricdp.measures.events import Event
from metricdp.primitives import load
from metricdp.record import REGISTRY, Arg, Conclusion, Record, Spelling

load()
MECHANISMS = tuple(sorted(n for n, r in REGISTRY.items() if r.kind == "mechanism"))
_NOT_GIVEN = Arg(literal=None)


def foreign(name: str, new: str, family: Family | None = None) -> Record:
    """The record of a mechanism under a new name, which its events bear, too.

    Args:
        family: that its events carry; the original's when left out.
    """
    the_path()  # as it is without the copy, which is registered for one test
    record = REGISTRY[name]
    carried = family or record.family
    assert carried is not None

    def renamed(**given: Any) -> Conclusion:
        found = record.rule(**{k: v for k, v in given.items() if v is not _NOT_GIVEN})
        events = tuple(
            msgspec.structs.replace(e, mechanism=new, family=carried) for e in found.events
        )
        return msgspec.structs.replace(found, events=events)

    parameters = inspect.signature(record.rule).parameters.values()
    spelt = ", ".join(p.name if p.default is p.empty else f"{p.name}=_NOT" for p in parameters)
    handed = ", ".join(f"{p.name}={p.name}" for p in parameters)
    scope: dict[str, Any] = {"_NOT": _NOT_GIVEN, "_renamed": renamed}
    exec(f"def rule({spelt}):\n    return _renamed({handed})\n", scope)
    return msgspec.structs.replace(
        record, name=new, rule=scope["rule"], spelling=Spelling(), reorder=None, family=carried
    )


def family(name: str) -> Family:
    """The family of a mechanism; one that nothing draws for a name that is not known."""
    found = REGISTRY[name].family if name in REGISTRY else None
    return Family(name) if found is None else found


def an_event(name: str, *parts: Any) -> Event:
    """The event of a mechanism, with its family: norm, noise, privacy, and the site."""
    return Event(name, family(name), *parts)
