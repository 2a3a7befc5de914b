"""The tape of one run: every draw in order, with what entered it and what came out.

A run is recorded on one input; on another input it follows the tape: every draw is answered with
the output that was recorded.  What the second run may not do is to ask differently: another
mechanism, other noise, another shape, more draws or fewer.  A difference between the two runs
tells the inputs apart only where the outputs show it: draws may be summed, or not used at all.

A line such as `total + rng.laplace(scale=b)` is the Laplace mechanism at `total`, but the sampler
only sees the scale.  So the number that a raw draw returns waits: when it is first added to
something, that something is the mechanism's input, and the sum its output.  On the second input the
same sum is returned; the noise is then what is left, and every further use of it is computed with
that.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isfinite
from typing import Any

import msgspec

from metricdp.families.family import Draw, Family


class DrawRequest(msgspec.Struct, frozen=True):
    """The public side of a draw.

    Attributes:
        site: "file:line" of the code that asks, or the address in a checked program.
        mechanism: name of the mechanism or of the sampler.
        public: parameter -> value: noise, shape, number of candidates.
        additive: the output is the input plus noise that does not depend on it.
        family: of the mechanism, where it is known.
    """

    site: str
    mechanism: str
    public: Mapping[str, Any] = {}
    additive: bool = True
    family: Family | None = None


class NoiseCell(msgspec.Struct):
    """One number of a raw draw after its first use.

    Attributes:
        value: input of the mechanism.
        factor: the noise was multiplied by it before.
        output: value + factor * noise.
        read: the noise was used as a number, and not added to one.
        later: (value, factor, result) of further additions, in order.
    """

    value: Any
    factor: Any
    output: Any
    read: bool = False
    later: list[tuple[Any, Any, Any]] = []


class NoiseBlock(msgspec.Struct):
    """One call of a sampler: its noise before any use, and the cells that were used.

    Attributes:
        noise: the draws, in order; centred, before location.
        cells: position -> what became of it.
        recorded: the same call of the recorded run; None while recording.
    """

    noise: list[float]
    cells: dict[int, NoiseCell] = {}
    recorded: NoiseBlock | None = None
    site: str = ""


class TapedDraw(msgspec.Struct):
    """One draw of one run.

    Attributes:
        asked: its public side.
        norm: in which its input is measured ("" for one number or one category).
        draw: the request, for the mechanisms of this package.
        value: what entered; private.  None while a raw draw waits for it.
        output: what was released.
        block: the cells of a raw draw.
        charged: largest movement of the input that is paid for; None where nothing says so.
    """

    asked: DrawRequest
    norm: str = ""
    draw: Draw | None = None
    value: Any = None
    output: Any = None
    block: NoiseBlock | None = None
    charged: Any = None


class Break(msgspec.Struct, frozen=True):
    """A difference in how two runs ask for noise.

    Attributes:
        what: one line, public facts only.
        site: where the second run stands.
        during: the second run was stopped there; else it ended, with too few draws.
        counted: the number, kind or shape of the draws differs, which outputs need not show.
        certain: the difference is one of the program, not of noise whose use was not followed.
    """

    what: str
    site: str
    certain: bool = True
    during: bool = True
    counted: bool = True


class Diverged(BaseException):
    """Stops a run that no longer follows its tape; no `except Exception` of a program sees it."""


class Tape:
    """The draws of one run.

    Args:
        recorded: the tape to follow; None while recording.
    """

    def __init__(self, recorded: Tape | None = None) -> None:
        self.recorded = recorded
        self.followed = None if recorded is None else recorded.entries
        self.entries: list[TapedDraw] = []
        self.broken: Break | None = None
        #: Inside a function that is on the tape as a whole, its own draws are not.
        self.paused = False
        #: Sites of raw draws that both runs used for something else than being added.
        self.unplaced: list[str] = []
        #: Sites of raw draws that were used again around an input that moved differently.
        self.reused: list[str] = []
        #: Samples of rows, in order: (every row as text, positions that were taken).
        self.samples: list[tuple[list[str], list[int]]] = []
        #: Seeds that the program chose for its own generators.
        self.seeds: list[str] = []
        #: What the program does with noise that is not followed; "" if all of it is.
        self.lost = ""

    def undecided(self, what: str) -> Diverged:
        """Noise is used in a way that is not followed: nothing can be said of this run."""
        self.lost = self.lost or what
        return Diverged()

    def add(self, entry: TapedDraw) -> TapedDraw | None:
        """Put a draw on the tape; the recorded one at its place, None while recording.

        Raises:
            Diverged: there is none, or it asks differently.
        """
        position = len(self.entries)
        self.entries.append(entry)
        if self.followed is None:
            return None
        if position >= len(self.followed):
            raise self.stop(
                f"x asks for {_times(position)}, x' for one more ({entry.asked.mechanism})",
                entry.asked,
            )
        earlier = self.followed[position]
        difference = _difference(earlier.asked, entry.asked)
        if difference:
            raise self.stop(
                difference,
                entry.asked,
                earlier.asked,
                counted=not _as_many(earlier.asked, entry.asked),
            )
        return earlier

    def asked_of(self, block: NoiseBlock) -> DrawRequest:
        """The public side of the draw that a block belongs to."""
        return next(entry.asked for entry in self.entries if entry.block is block)

    def stop(
        self, what: str, *asked: DrawRequest, during: bool = True, counted: bool = True
    ) -> Diverged:
        """The run no longer follows; the first reason counts."""
        if self.broken is None:
            certain = all(each.additive for each in asked)
            self.broken = Break(what, asked[0].site if asked else "", certain, during, counted)
        return Diverged()

    def finish(self) -> None:
        """The run has ended: were all recorded draws asked for?"""
        if self.followed is None or self.broken is not None:
            return
        made, recorded = len(self.entries), len(self.followed)
        if made < recorded:
            missing = [entry.asked for entry in self.followed[made:]]
            self.stop(
                f"x asks for {_times(recorded)}, x' for {made} (without {missing[0].mechanism})",
                *missing,
                during=False,
            )


def _times(count: int) -> str:
    return "1 draw" if count == 1 else f"{count} draws"


def _difference(first: DrawRequest, second: DrawRequest) -> str:
    """Why two draws are not the same question; "" if they are.

    The line that asks is no difference: the same noise from another line looks the same.
    """
    if first.mechanism != second.mechanism:
        return f"the mechanism is {first.mechanism} on x and {second.mechanism} on x'"
    names = dict.fromkeys([*first.public, *second.public])
    for name in names:
        a, b = first.public.get(name), second.public.get(name)
        if a != b:
            return f"the {name} of {first.mechanism} is {_shown(a)} on x and {_shown(b)} on x'"
    return ""


def _as_many(first: DrawRequest, second: DrawRequest) -> bool:
    """Whether two draws are of one mechanism and hold as many numbers."""
    return (first.mechanism, first.public.get("shape")) == (
        second.mechanism,
        second.public.get("shape"),
    )


def _shown(value: Any) -> str:
    from metricdp.audit.measurements.verdicts import brief

    return brief(value)


def placed(block: NoiseBlock, index: int, factor: Any, value: Any, read: bool, tape: Tape) -> Any:
    """value + factor * noise, with the noise as the tape has it.

    Args:
        value: what the noise is added to, location included.
        factor: by which the noise was multiplied.
        read: nothing was added: the noise is used as a number.
    """
    if exactly(factor) == 0:
        return value + factor * block.noise[index]
    cell = block.cells.get(index)
    if cell is not None:
        return _again(block, index, cell, factor, value, tape)
    # With a value of 0 nothing says that this is the mechanism's input.
    read = read and exactly(value) == 0
    output = value + factor * block.noise[index]
    earlier = None if block.recorded is None else block.recorded.cells.get(index)
    if earlier is not None and earlier.read and read:
        tape.unplaced.append(block.site)
    elif earlier is None and block.recorded is not None and not read:
        raise tape.stop("noise is added on x' that is not used on x", tape.asked_of(block))
    if earlier is not None:
        if exactly(earlier.factor) != exactly(factor):
            raise tape.stop(
                f"the noise is multiplied by {earlier.factor!r} on x and by {factor!r} on x'",
                tape.asked_of(block),
                counted=False,
            )
        if hides(block.noise[index], earlier.value, value):
            output = earlier.output
    block.cells[index] = NoiseCell(value, factor, output, read, [])
    return output


def hides(noise: Any, *values: Any) -> bool:
    """Whether the same output may come of all these inputs: there is noise, and it is added to
    numbers.  NaN and infinities stay what they are, and so does a number beside no noise."""
    return exactly(noise) != 0 and None not in [exactly(value) for value in values]


def _again(
    block: NoiseBlock, index: int, cell: NoiseCell, factor: Any, value: Any, tape: Tape
) -> Any:
    """A further use: the noise is known from the first one."""
    held = [exactly(v) for v in (cell.value, cell.factor, cell.output, value, factor)]
    first, scale, output, now, times = (v if v is not None else Fraction(0) for v in held)
    if None in held or not scale:
        result = value + factor * block.noise[index]
    else:
        result = float(now + times * (output - first) / scale)
    number = len(cell.later)
    cell.later.append((value, factor, result))
    earlier = None if block.recorded is None else block.recorded.cells.get(index)
    if earlier is None or number >= len(earlier.later):
        return result
    before, factor_before, recorded = earlier.later[number]
    base, then = exactly(earlier.value), exactly(before)
    if None not in held and base is not None and then is not None:
        apart, size = (now - first) - (then - base), max(abs(now), abs(first), abs(base), abs(then))
        if exactly(factor_before) == times and not near(apart, size):
            return recorded
    tape.reused.append(block.site)
    return result


def near(difference: Fraction, size: Fraction) -> Fraction:
    """A difference of floats of some size, 0 where it may be rounding."""
    return Fraction(0) if abs(difference) <= size * Fraction(1, 2**40) else difference


def exactly(value: Any) -> Fraction | None:
    """A finite number as a rational; None for anything else."""
    if type(value) is Fraction:
        return value
    if isinstance(value, (int, Fraction)):
        return Fraction(value)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return Fraction(number) if isfinite(number) else None
