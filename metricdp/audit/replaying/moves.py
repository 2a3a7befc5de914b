"""How far an input moved between two runs, in the mechanism's norm; and the loss along a path.

What one number loses its family tells; independent numbers add up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from metricdp.audit.replaying.tape import Tape, TapedDraw, exactly, near
from metricdp.families.added import Added
from metricdp.spaces.lengths import Length, rational
from metricdp.spaces.norms import L1, NORMS

#: (scale, parameters, step) -> the loss of one number.
Loss = Callable[[Fraction, Mapping[str, Any], Fraction], Fraction | None]


def numbers_of(entry: TapedDraw) -> list[tuple[Fraction, Fraction, Fraction]] | None:
    """(input, output, multiple of the scale) of every number of an additive draw.

    None where it is not additive.  Noise that was read as a number has the input 0.
    """
    if entry.block is not None:
        cells = [entry.block.cells.get(i) for i in range(len(entry.block.noise))]
        found = []
        for cell in cells:
            if cell is None:
                continue
            value, output = exactly(cell.value), exactly(cell.output)
            if value is None or output is None:
                return None
            found.append((value, output, abs(exactly(cell.factor) or Fraction(0))))
        return found
    if entry.asked.family is None or not entry.asked.family.adds:
        return None
    values, outputs = list(_flat(entry.value)), list(_flat(entry.output))
    if len(values) != len(outputs):
        return None
    found = []
    for given, released in zip(values, outputs, strict=True):
        value, output = exactly(given), exactly(released)
        if value is None or output is None:
            return None
        found.append((value, output, Fraction(1)))
    return found


def moved(first: TapedDraw, second: TapedDraw) -> Length | None:
    """The distance of the two inputs in the norm of the mechanism; None where it is not known."""
    if first.draw is not None and first.draw.family.answers:
        return rational(int(first.value != second.value))
    a, b = _inputs(first), _inputs(second)
    if a is None or b is None or len(a) != len(b):
        return None
    inexact = first.draw is None or _floats(first.value) or _floats(second.value)
    steps = []
    for x, y in zip(a, b, strict=True):
        step = x - y
        steps.append(near(step, max(abs(x), abs(y))) if inexact else step)
    if first.asked.family is not None and first.asked.family.relative and steps:
        # Half the range is what is left of the largest step after the best common shift.
        return rational((max(steps) - min(steps)) / 2)
    steps = [abs(step) for step in steps]
    # One number moves alike in every norm.
    norm = L1 if first.norm == "" else NORMS.get(first.norm)
    return None if norm is None else norm.length(steps)


def _inputs(entry: TapedDraw) -> list[Fraction] | None:
    if entry.draw is not None and entry.draw.family.reads_scores:
        known = [exactly(v) for v in _flat(entry.value)]
        return None if None in known else known  # type: ignore[return-value]
    found = numbers_of(entry)
    return None if found is None else [value for value, _, _ in found]


def log_ratio(first: TapedDraw, second: TapedDraw) -> Fraction | None:
    """ln of the ratio of the densities of the output on x and on x'; None where it is not known."""
    family = first.asked.family
    if family is not None and family.answers and first.draw is not None:
        values = Fraction(first.value), Fraction(second.value), Fraction(int(first.output))
        return family.log_ratio(Fraction(0), first.draw.extra, *values)
    if family is None or not family.is_pure:
        return None
    a, b = numbers_of(first), numbers_of(second)
    scale = exactly(first.asked.public.get("scale"))
    if a is None or b is None or len(a) != len(b) or scale is None:
        return None
    total = Fraction(0)
    for (v, o, factor), (w, _, _) in zip(a, b, strict=True):
        step = _step(first, v, w)
        if not step:
            continue
        if not scale * factor:
            return None
        ratio = family.log_ratio(scale * factor, first.asked.public, v, v - step, o)
        if ratio is None:
            return None
        total += ratio
    return total


def largest_loss(first: TapedDraw, second: TapedDraw) -> Fraction | None:
    """The largest `log_ratio` over all outputs; None where it is not known."""
    family = first.asked.family
    if family is None:
        return None
    if family.answers and first.draw is not None:
        step = Fraction(int(first.value != second.value))
        return family.largest_loss(Fraction(0), first.draw.extra, step)
    return _summed(first, second, family.largest_loss) if family.is_pure else None


def rho(first: TapedDraw, second: TapedDraw) -> Fraction | None:
    """rho between the two laws of one draw; None where it is not known."""
    return _summed(first, second, first.asked.family.rho) if by_rho(first) else None  # type: ignore[union-attr]


def by_rho(entry: TapedDraw) -> bool:
    """Whether the losses of a draw are told by their rho."""
    return entry.asked.family is not None and entry.asked.family.by_rho


def _summed(first: TapedDraw, second: TapedDraw, loss: Loss) -> Fraction | None:
    """The losses of all numbers of a draw together.

    None where that is not known: another mechanism, or a number that moved beside no noise.
    """
    a, b = numbers_of(first), numbers_of(second)
    scale = exactly(first.asked.public.get("scale"))
    if a is None or b is None or len(a) != len(b) or not scale:
        return None
    total = Fraction(0)
    for (v, _, factor), (w, _, _) in zip(a, b, strict=True):
        step = _step(first, v, w)
        if not step:
            continue
        if not factor:
            return None
        one = loss(scale * factor, first.asked.public, step)
        if one is None:
            return None
        total += one
    return total


def _step(entry: TapedDraw, v: Fraction, w: Fraction) -> Fraction:
    """v - w, as the noise sees it."""
    family = entry.asked.family
    if isinstance(family, Added) and family.whole:
        return family.step(v, w)
    return v - w if entry.draw is not None else near(v - w, max(abs(v), abs(w)))


def _flat(value: Any) -> Any:
    if hasattr(value, "ravel"):
        yield from value.ravel().tolist()
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _flat(part)
    else:
        yield value


def _floats(value: Any) -> bool:
    return any(isinstance(each, float) for each in _flat(value))


def signs(tape: Tape, follower: Tape) -> dict[tuple[int, int], int]:
    """(draw, number) -> 1 where the input on x is not below that on x', else -1."""
    found = {}
    for position, (a, b) in enumerate(zip(tape.entries, follower.entries, strict=True)):
        numbers = numbers_of(a), numbers_of(b)
        if numbers[0] is None or numbers[1] is None:
            continue
        for i, ((v, _, _), (w, _, _)) in enumerate(zip(*numbers, strict=False)):  # type: ignore[arg-type]
            found[position, i] = 1 if v >= w else -1
    return found


def steady_moves(runs: list[tuple[Tape, Tape]]) -> bool:
    """Whether every draw's inputs were the same along all paths."""

    def inputs(pair: tuple[Tape, Tape]) -> Any:
        both = []
        for tape in pair:
            for entry in tape.entries:
                numbers = numbers_of(entry)
                both.append(None if numbers is None else [(v, f) for v, _, f in numbers])
        return both

    return all(inputs(each) == inputs(runs[0]) for each in runs)
