"""Mechanisms that nobody has told the readers of the registry about: copies under other names."""

from __future__ import annotations

import inspect
from typing import Any

import msgspec

from metricdp.primitives import load
from metricdp.record import REGISTRY, Arg, Conclusion, Record, Spelling

load()
MECHANISMS = tuple(sorted(n for n, r in REGISTRY.items() if r.kind == "mechanism"))
_NOT_GIVEN = Arg(literal=None)


def foreign(name: str, new: str) -> Record:
    """The record of a mechanism under a new name, which its events bear, too."""
    record = REGISTRY[name]

    def renamed(**given: Any) -> Conclusion:
        found = record.rule(**{k: v for k, v in given.items() if v is not _NOT_GIVEN})
        events = tuple(msgspec.structs.replace(e, mechanism=new) for e in found.events)
        return msgspec.structs.replace(found, events=events)

    parameters = inspect.signature(record.rule).parameters.values()
    spelt = ", ".join(p.name if p.default is p.empty else f"{p.name}=_NOT" for p in parameters)
    handed = ", ".join(f"{p.name}={p.name}" for p in parameters)
    scope: dict[str, Any] = {"_NOT": _NOT_GIVEN, "_renamed": renamed}
    exec(f"def rule({spelt}):\n    return _renamed({handed})\n", scope)
    return msgspec.structs.replace(
        record, name=new, rule=scope["rule"], spelling=Spelling(), reorder=None
    )
