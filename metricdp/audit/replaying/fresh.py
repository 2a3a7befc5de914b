"""Noise that is not fresh: a generator that the program seeds draws the same noise again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metricdp.audit.replaying.findings import Finding
from metricdp.audit.replaying.paths import Path


def repeated_noise(attack: Any, x: Mapping[str, Any], y: Mapping[str, Any]) -> Finding | None:
    """A seed that the program chooses itself: two runs draw the same noise, and the difference of
    their results is exact.  So is a seed that depends on the data."""
    first = attack.run(x, Path("drawn", attack.seed), None)[0]
    if not first.seeds:
        return None
    second = attack.run(y, Path("drawn", attack.seed), None)[0]
    if second.seeds != first.seeds:
        return Finding(
            "reuse",
            "the seed of the noise depends on the data",
            first.seeds[0].split(" ")[0],
            (f"seeded at {first.seeds[0]} on x", f"seeded at {second.seeds[:1]} on x'"),
        )
    return Finding(
        "reuse",
        "the program seeds its noise, so every run draws the same",
        first.seeds[0].split(" ")[0],
        (f"seeded at {first.seeds[0]}: whoever knows the seed subtracts the noise",),
    )
