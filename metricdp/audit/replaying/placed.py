"""The cells of a raw draw: noise that becomes a mechanism once it is added to a number.

A line such as `total + rng.laplace(scale=b)` is the Laplace mechanism at `total`, but the sampler
only sees the scale.  So the number that it returns waits: when it is first added to something, that
something is the mechanism's input, and the sum its output.  On the second input the same sum is
returned; the noise is then what is left, and every further use of it is computed with that.
"""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from typing import Any

import msgspec


class Cell(msgspec.Struct):
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


class Block(msgspec.Struct):
    """One call of a sampler: its noise before any use, and the cells that were used.

    Attributes:
        noise: the draws, in order; centred, before location.
        cells: position -> what became of it.
        recorded: the same call of the recorded run; None while recording.
    """

    noise: list[float]
    cells: dict[int, Cell] = {}
    recorded: Block | None = None
    site: str = ""


def placed(block: Block, index: int, factor: Any, value: Any, read: bool, tape: Any) -> Any:
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
    block.cells[index] = Cell(value, factor, output, read, [])
    return output


def hides(noise: Any, *values: Any) -> bool:
    """Whether the same output may come of all these inputs: there is noise, and it is added to
    numbers.  NaN and infinities stay what they are, and so does a number beside no noise."""
    return exactly(noise) != 0 and None not in [exactly(value) for value in values]


def _again(block: Block, index: int, cell: Cell, factor: Any, value: Any, tape: Any) -> Any:
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
    if isinstance(value, (int, Fraction)):
        return Fraction(value)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return Fraction(number) if isfinite(number) else None
