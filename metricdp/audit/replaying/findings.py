"""What two runs along one tape show: a leak, a movement that was not paid for, a loss too large."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import inf, isqrt
from typing import Any

import msgspec

from metricdp.accounting.gaussian import profile_bounds
from metricdp.audit.contents import parts_of, table_of
from metricdp.audit.measurements.verdicts import Number, PrivacyClaim, brief, ratio, short
from metricdp.audit.replaying.moves import (
    by_rho,
    largest_loss,
    log_ratio,
    moved,
    numbers_of,
    rho,
)
from metricdp.audit.replaying.outcomes import PublicOutcome, difference
from metricdp.audit.replaying.programs import Distances, ReplayedProgram
from metricdp.audit.replaying.tape import Tape, TapedDraw
from metricdp.spaces.lengths import Length

#: Objects in one another that are looked through for numbers.
_DEEP = 20


class Finding(msgspec.Struct, frozen=True):
    """Why a pair refutes.

    Attributes:
        kind: "leak", "sensitivity", "loss" or "reuse".
        why: one line.
        site: "file:line".
        details: further lines.
        loss: of the pair, in the first number of the claim, where it is known.
        counted: the two runs ask for other draws; nothing is known of what they release.
    """

    kind: str
    why: str
    site: str = ""
    details: tuple[str, ...] = ()
    loss: Number | None = None
    counted: bool = False


class Seen(msgspec.Struct):
    """What all pairs together showed.

    Attributes:
        closest: largest moved / charged of one draw, or loss / claim.
        loss: largest loss shown.
        draws: draws compared.
        unsure: site and difference where two runs differ, but noise was used as a number there.
        claim: at the distance of `loss`.
        unmeasured: mechanisms whose inputs have no movement that is known here.
        failed: runs that ended with an error, and the last one; `ended` are the others.
        hidden: a total above the claim, of draws that are not all in the result.
        coins: noise was used as a number somewhere.
        undecided: a difference along one path of outputs which does not refute the claim by itself.
    """

    closest: float = 0.0
    loss: Number | None = None
    claim: PrivacyClaim | None = None
    draws: int = 0
    unmeasured: set[str] = set()
    ended: int = 0
    failed: int = 0
    error: str = ""
    unsure: tuple[str, str] | None = None
    hidden: tuple[Number, str] | None = None
    coins: bool = False
    undecided: Finding | None = None


def compare(
    program: ReplayedProgram, apart: Distances,
    first: tuple[Tape, PublicOutcome], second: tuple[Tape, PublicOutcome], seen: Seen,
) -> Finding | None:  # fmt: skip
    """The first thing that refutes, or None; `seen` is brought up to date."""
    (tape, outcome), (follower, other) = first, second
    seen.coins = seen.coins or bool(follower.unplaced)
    found = _moves(program, apart, tape.entries, follower.entries, seen)
    if found is not None:
        return found
    if follower.broken is not None:
        if outcome.parts["error"] == other.parts["error"] or follower.broken.during:
            return _broken(tape, follower, outcome, seen)
        found = _leak("error", outcome, other, tape, follower, seen)
        return found and msgspec.structs.replace(found, counted=follower.broken.counted)
    part = difference(outcome, other)
    if part is not None:
        return _leak(part, outcome, other, tape, follower, seen)
    return None


def _moves(
    program: ReplayedProgram,
    apart: Distances,
    first: list[TapedDraw],
    second: list[TapedDraw],
    seen: Seen,
) -> Finding | None:
    for position, (a, b) in enumerate(zip(first, second, strict=False)):
        seen.draws += 1
        length = moved(a, b)
        if length is None:
            seen.unmeasured.add(a.asked.mechanism)
            continue
        charged = program.charge(a, position, apart)
        if charged is None:
            continue
        if not length.at_most(charged):
            where = f" in {a.norm}" if a.norm else ""
            return Finding(
                "sensitivity",
                f"the input of {a.asked.mechanism} is charged for {short(charged)} and moved "
                f"{_short(length)}{where}",
                b.asked.site or a.asked.site,
                (f"it is {_text(a)} on x and {_text(b)} on x'",),
            )
        if charged:
            seen.closest = max(seen.closest, float(length) / float(charged))
    return None


def _broken(tape: Tape, follower: Tape, outcome: PublicOutcome, seen: Seen) -> Finding | None:
    broken = follower.broken
    assert broken is not None
    if not broken.certain:
        seen.unsure = seen.unsure or (broken.site, broken.what)
        return None
    details = ["how noise is asked for may depend on released values only"]
    error = outcome.parts["error"]
    if error is not None:
        details.insert(0, f"the run on x ends with {error[0]}: {error[1]}")
    return Finding(
        "leak", f"along the same released values, {broken.what}", broken.site, tuple(details),
        counted=broken.counted or _unused(tape, follower),
    )  # fmt: skip


def _unused(tape: Tape, follower: Tape) -> bool:
    """Whether the draw that is asked for differently is left unused on x."""
    position = len(follower.entries) - 1
    earlier, latest = tape.entries[position], follower.entries[position]
    return earlier.asked.public != latest.asked.public and numbers_of(earlier) == []


def _leak(
    part: str, outcome: PublicOutcome, other: PublicOutcome, tape: Tape, follower: Tape, seen: Seen
) -> Finding | None:
    what = f"the {part} is {outcome.shown[part]} on x and {other.shown[part]} on x'"
    if part == "error" or "None" in (outcome.shown[part], other.shown[part]):
        what = f"the {part} differs: {outcome.shown[part]} on x, {other.shown[part]} on x'"
    if follower.unplaced:
        seen.unsure = seen.unsure or (follower.unplaced[0], what)
        return None
    if follower.reused:
        return Finding(
            "reuse",
            f"the same noise is added twice, so the difference of the two is exact: {what}",
            follower.reused[0],
        )
    site = tape.entries[-1].asked.site if tape.entries else ""
    note = "every mechanism released the same values in both runs" if site else "no noise was drawn"
    return Finding("leak", what, "", (note,))


def total(
    claim: PrivacyClaim,
    tape: Tape,
    follower: Tape,
    outcome: PublicOutcome,
    steady: bool,
    seen: Seen,
) -> Finding | None:
    """Compare the loss of all draws together with the claim.

    Only where every output is part of the result: otherwise the loss along a path is no loss of
    the result.

    Args:
        steady: inputs were the same along other outputs, so that the moves are those of every path.
    """
    pairs = list(zip(tape.entries, follower.entries, strict=True))
    # The loss along one choice of rows is not that of the secret choice.
    secret = bool(follower.unplaced or tape.samples)
    if secret or not _visible(tape.entries, outcome.result):
        return None
    lost, name = _lost(pairs, claim, steady)
    if lost is None:
        return None
    bound = claim.bounds[0]
    share = ratio(lost, bound)
    if seen.loss is None or share >= ratio(seen.loss, (seen.claim or claim).bounds[0]):
        seen.loss, seen.claim = lost, claim
    if lost > bound:
        return Finding(
            "loss",
            f"{name} is at least {short(lost)}",
            _largest(pairs),
            tuple(_line(a, b) for a, b in pairs if _line(a, b)),
            lost,
        )
    seen.closest = max(seen.closest, share)
    return None


def composed(
    claim: PrivacyClaim, tape: Tape, follower: Tape, strict: bool, seen: Seen
) -> Finding | None:
    """The costs of all draws together, by composition, where they exceed the claim.

    Args:
        strict: the claim says that composition is its proof, so this refutes it; else it is noted.
    """
    pairs = list(zip(tape.entries, follower.entries, strict=False))
    if follower.unplaced or tape.samples or claim.measure == "approx_zcdp":
        return None
    if claim.measure == "pure" and not any(by_rho(a) for a, _ in pairs):
        costs = [largest_loss(a, b) for a, b in pairs]
    else:
        costs = [rho(a, b) for a, b in pairs]
    if None in costs:
        return None
    moves = sum((c for c in costs if c is not None), Fraction(0))
    if claim.measure == "approx" and _within(moves, claim):
        return None
    together: Number | None = moves
    if claim.measure in ("pure", "approx") and any(by_rho(a) for a, _ in pairs):
        together = _gaussian(moves, claim)
    if together is None or together <= claim.bounds[0]:
        return None
    name = "rho" if claim.measure == "zcdp" else "epsilon"
    what = f"the draws cost {name} {short(together)} or more by composition"
    if strict:
        lines = tuple(line for a, b in pairs if (line := _line(a, b)))
        return Finding("loss", what, _largest(pairs), lines[:8], together)
    if seen.hidden is None or together > seen.hidden[0]:
        seen.hidden = (together, what)
    return None


def _lost(
    pairs: list[tuple[TapedDraw, TapedDraw]], claim: PrivacyClaim, steady: bool
) -> tuple[Number | None, str]:
    """The loss in the first number of the claim, and its name."""
    if claim.measure == "approx_zcdp":
        return None, ""
    gaussian = [rho(a, b) for a, b in pairs if by_rho(a)]
    if claim.measure == "zcdp":
        if len(gaussian) < len(pairs) or None in gaussian or not steady:
            return None, ""
        return sum((r for r in gaussian if r is not None), Fraction(0)), "rho"
    if gaussian:
        if len(gaussian) < len(pairs) or None in gaussian or not steady:
            return None, ""
        moves = sum((r for r in gaussian if r is not None), Fraction(0))
        return _gaussian(moves, claim), f"epsilon at delta {short(claim.delta)}"
    losses = [log_ratio(a, b) for a, b in pairs]
    if None in losses or claim.delta:
        return None, ""
    return abs(sum((x for x in losses if x is not None), Fraction(0))), "epsilon"


@lru_cache(256)
def _gaussian(moves: Fraction, claim: PrivacyClaim) -> Number | None:
    """A lower bound of epsilon at the claimed delta for Gaussian noise of a rho, from its profile
    (Balle and Wang 2018, Theorem 8); infinite at delta 0."""
    if not moves:
        return Fraction(0)
    if not claim.delta:
        return inf
    u = _shift(moves)
    low, high = Fraction(0), Fraction(1)
    if not u or profile_bounds(low, u)[0] <= claim.delta:
        return Fraction(0)
    # The grid on which noise is drawn changes the profile by a relative 1e-15.
    wanted = claim.delta * (1 + Fraction(1, 10**9))
    while profile_bounds(high, u)[0] > wanted and high < 2**20:
        low, high = high, 2 * high
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if profile_bounds(middle, u)[0] > wanted else (low, middle)
    return low


def _shift(moves: Fraction) -> Fraction:
    """The movement in standard deviations at a rho, rounded down."""
    square, scale = 2 * moves, 1 << 60
    return Fraction(isqrt(square.numerator * scale * scale // square.denominator), scale)


def _within(moves: Fraction, claim: PrivacyClaim) -> bool:
    """Whether Gaussian noise of a rho may keep a claim of (epsilon, delta)."""
    u, epsilon = _shift(moves), claim.bounds[0]
    return not u or epsilon == inf or profile_bounds(Fraction(epsilon), u)[0] <= claim.delta


def _visible(entries: list[TapedDraw], result: Any) -> bool:
    """Whether every output is part of the result, digit by digit."""
    shown = list(_numbers(result))
    if len(entries) == 1 and numbers_of(entries[0]) is None:
        return shown == list(_numbers(entries[0].output))
    for entry in entries:
        numbers = numbers_of(entry)
        if numbers is None or any(float(o) not in shown for _, o, _ in numbers):
            return False
    return True


def _numbers(value: Any, depth: int = 0) -> Any:
    if type(value).__qualname__ == "Release":
        value = value.value
    table = table_of(value)
    if table is None and hasattr(value, "tolist"):
        value = value.tolist()
    inside: Any = ()
    if isinstance(value, int | float | Fraction):
        yield float(value)
    elif isinstance(value, list | tuple | set | frozenset):
        inside = value
    elif isinstance(value, dict):
        inside = [*value, *value.values()]
    elif value is not None and not isinstance(value, str | bytes):
        # The type of a column and the like may be numbers, but are no output.
        found = table or (parts_of(value) or ("", []))[1]
        inside = [part for name, part in found if name not in ("dtype", "dtypes", "schema")]
    if depth < _DEEP:
        for each in inside:
            yield from _numbers(each, depth + 1)


def _largest(pairs: list[tuple[TapedDraw, TapedDraw]]) -> str:
    """Where the input moved furthest in scales of its noise."""
    best, site = Fraction(-1), ""
    for a, b in pairs:
        share = log_ratio(a, b)
        share = rho(a, b) if share is None else abs(share)
        if share is not None and share > best:
            best, site = share, b.asked.site
    return site


def _line(a: TapedDraw, b: TapedDraw) -> str:
    length = moved(a, b)
    if length is None or float(length) == 0:
        return ""
    scale = a.asked.public.get("scale")
    noise = (
        f" of scale {short(Fraction(scale))}" if isinstance(scale, int | float | Fraction) else ""
    )
    return f"{a.asked.mechanism}{noise} at {a.asked.site}: moved {_short(length)}"


def _short(length: Length) -> str:
    number = length.expr().as_fraction()
    return short(number) if number is not None else f"{float(length):.6g}"


def _text(entry: TapedDraw) -> str:
    if entry.block is None:
        return brief(entry.value)
    values = [cell.value for _, cell in sorted(entry.block.cells.items())]
    return brief(values[0] if len(values) == 1 else values)
