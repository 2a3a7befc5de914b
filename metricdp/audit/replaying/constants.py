"""What no draw changes: a piece of what a program shows that all runs on one input have, and none
on the other; and noise that is not fresh.

Two runs along one path differ, but the path may have no probability, or the draws may not be the
same ones.  A piece that all runs on x have, whatever is drawn, and no run on x' has, is an event of
probability about 1 on x and about 0 on x', which breaks every claim with a delta below 1.  And a
generator that the program seeds itself draws the same noise again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import ceil, exp
from typing import Any

from metricdp.audit.measurements.verdicts import PrivacyClaim
from metricdp.audit.replaying.findings import Finding
from metricdp.audit.replaying.outcomes import PublicOutcome
from metricdp.audit.replaying.paths import KINDS, OutputPath
from metricdp.errors import ReplayError

#: Drawn runs on each input: at least, and at most.
_LEAST, _MOST = 100, 400
#: Rounds of outputs of every other kind, which take the branches that drawn ones rarely take.
_FAR = 8
#: An event of probability p is in none of n runs with a chance of at most exp(-p n), which is below
#: 1e-9 where p n is this; one that any run may lack is in all of them with no more.
_SURE = 21.5
#: First seed of these paths.
_SEED = 7_000_000

Run = Callable[[Any, OutputPath, Any], tuple[Any, PublicOutcome]]
Place = tuple[Any, ...]
#: No piece stands at a place; equal to none.
_NONE = object()


def never_alike(run: Run, x: Any, y: Any, claim: PrivacyClaim) -> str:
    """How the outputs themselves tell the two inputs apart; "" where noise may cover it.

    Args:
        run: one run on an input along a path, recorded.
    """
    runs = ([dict(_pieces(run(v, path, None)[1].parts)) for v in (x, y)] for path in _paths(claim))
    # Pieces of each side that all its runs have so far, and none of the other side's.
    apart: list[dict[Place, Any]] = []
    count = 0
    for left, right in runs:
        count += 1
        sides = ((left, right), (right, left))
        apart = apart or [own for own, _ in sides]
        # A piece that an earlier run of the other side had has gone by then.
        apart = [
            {k: v for k, v in kept.items() if own.get(k, _NONE) == v != other.get(k, _NONE)}
            for kept, (own, other) in zip(apart, sides, strict=True)
        ]
        if not any(apart):
            return ""
    return _said(apart, count)


def _said(apart: list[dict[Place, Any]], count: int) -> str:
    for pieces, names in zip(apart, (("x", "x'"), ("x'", "x")), strict=True):
        if pieces:
            return (
                f"a piece of the {next(iter(pieces))[0]} is the same in all of {count} runs on "
                f"{names[0]}, and in none on {names[1]}: no draw changes it"
            )
    return ""


def _paths(claim: PrivacyClaim) -> Iterator[OutputPath]:
    """One of every kind, then drawn ones, whose number the claim needs where it can be had."""
    epsilon = min(float(claim.bounds[0]), 10.0)
    room = max(1 - float(claim.delta), 1e-3)
    count = min(max(ceil(2 * _SURE * exp(epsilon) / room), _LEAST), _MOST)
    for number in range(_FAR):
        for kind in KINDS:
            yield OutputPath(kind, _SEED + number)
    for number in range(_FAR, count):
        yield OutputPath("drawn", _SEED + number)


def _pieces(parts: Mapping[str, Any]) -> Iterator[tuple[Place, Any]]:
    for name, part in parts.items():
        yield from _flat((name,), part)


def _flat(place: Place, part: Any) -> Iterator[tuple[Place, Any]]:
    """Every leaf of a comparable form by its place, and how long every tuple is."""
    if not isinstance(part, tuple):
        yield place, part
        return
    yield (*place, "length"), len(part)
    for position, each in enumerate(part):
        yield from _flat((*place, position), each)


def not_decided(name: str, found: Finding) -> ReplayError:
    """Two runs differ along one path, which says nothing of the claim by itself."""
    why = (
        "the outputs need not show which draws were made"
        if found.counted
        else "one path of outputs is less probable than the claimed delta may allow"
    )
    return ReplayError(
        f"not decided by replay: {found.why}; but {why}", place=name,
        remedy="audit by samples: audit.audited, or audit.sampled",
    )  # fmt: skip


def repeated_noise(attack: Any, x: Mapping[str, Any], y: Mapping[str, Any]) -> Finding | None:
    """A seed that the program chooses itself: two runs draw the same noise, and the difference of
    their results is exact.  So is a seed that depends on the data."""
    first = attack.run(x, OutputPath("drawn", attack.seed), None)[0]
    if not first.seeds:
        return None
    second = attack.run(y, OutputPath("drawn", attack.seed), None)[0]
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
