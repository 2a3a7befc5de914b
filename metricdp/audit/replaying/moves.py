"""How far an input moved between two runs, in the mechanism's norm; and the loss along a path.

Additive noise of density proportional to exp(-|z| / b): at the outputs o the log of the ratio of
the two densities is the sum of (|o - v'| - |o - v|) / b over the entries, at most the L1 movement
over b, which it attains where every o lies beyond v as seen from v'.  Discrete Laplace: the same on
the integers.  Gaussian noise: rho = (L2 movement)^2 / (2 sigma^2) (Bun and Steinke 2016, Lemma
2.5).  Randomised response with parameter epsilon: +-epsilon at the two inputs, 0 elsewhere.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.audit.replaying.placed import exactly, near
from metricdp.audit.replaying.tape import Entry, Tape
from metricdp.run.grid import to_ticks
from metricdp.run.samplers import ADDED, ANSWERED, SELECTIONS
from metricdp.spaces.lengths import Length, rational, root_of

LAPLACE = tuple(name for name, noise in ADDED.items() if noise.family == "laplace")
GAUSSIAN = tuple(name for name, noise in ADDED.items() if noise.family == "gaussian")
#: Mechanisms that add noise to every number of their input.
ADDITIVE = (*LAPLACE, *GAUSSIAN, "gumbel", "logistic", "exponential", "cauchy")


def numbers_of(entry: Entry) -> list[tuple[Fraction, Fraction, Fraction]] | None:
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
    if entry.asked.mechanism not in ADDITIVE:
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


def moved(first: Entry, second: Entry) -> Length | None:
    """The distance of the two inputs in the norm of the mechanism; None where it is not known."""
    if first.draw is not None and first.draw.mechanism in ANSWERED:
        return rational(int(first.value != second.value))
    a, b = _inputs(first), _inputs(second)
    if a is None or b is None or len(a) != len(b):
        return None
    inexact = first.draw is None or _floats(first.value) or _floats(second.value)
    steps = []
    for x, y in zip(a, b, strict=True):
        step = x - y
        steps.append(abs(near(step, max(abs(x), abs(y))) if inexact else step))
    if first.norm == "L2":
        return root_of(sum((s * s for s in steps), Fraction(0)))
    if first.norm in ("", "L1"):
        return rational(sum(steps, Fraction(0)))
    if first.norm == "LInf":
        return rational(max(steps, default=Fraction(0)))
    return None


def _inputs(entry: Entry) -> list[Fraction] | None:
    if entry.draw is not None and entry.draw.mechanism in SELECTIONS:
        known = [exactly(v) for v in _flat(entry.value)]
        return None if None in known else known  # type: ignore[return-value]
    found = numbers_of(entry)
    return None if found is None else [value for value, _, _ in found]


def log_ratio(first: Entry, second: Entry) -> Fraction | None:
    """ln of the ratio of the densities of the output on x and on x'; None where it is not known."""
    if first.draw is not None and first.draw.mechanism in ANSWERED:
        epsilon = Fraction(first.draw.extra["epsilon"])
        chosen = int(first.output)
        return epsilon * (int(first.value == chosen) - int(second.value == chosen))
    if first.asked.mechanism not in LAPLACE:
        return None
    a, b = numbers_of(first), numbers_of(second)
    scale = exactly(first.asked.public.get("scale"))
    if a is None or b is None or len(a) != len(b) or scale is None:
        return None
    total = Fraction(0)
    for (v, o, factor), (w, _, _) in zip(a, b, strict=True):
        step = _step(first, v, w)
        if step and not scale * factor:
            return None
        w = v - step
        total += (abs(o - w) - abs(o - v)) / (scale * factor) if step else Fraction(0)
    return total


def largest_loss(first: Entry, second: Entry) -> Fraction | None:
    """The largest `log_ratio` over all outputs; None where it is not known."""
    if first.draw is not None and first.draw.mechanism in ANSWERED:
        return Fraction(first.draw.extra["epsilon"]) * int(first.value != second.value)
    steps = _in_scales(first, second, LAPLACE)
    return None if steps is None else sum((abs(step) for step in steps), Fraction(0))


def rho(first: Entry, second: Entry) -> Fraction | None:
    """rho between the two laws of one draw; None where it is not known."""
    steps = _in_scales(first, second, GAUSSIAN)
    return None if steps is None else sum((step**2 for step in steps), Fraction(0)) / 2


def _in_scales(first: Entry, second: Entry, among: tuple[str, ...]) -> list[Fraction] | None:
    """How far each number of a draw moved, in scales of its noise.

    None where that is not known: another mechanism, or a number that moved beside no noise.
    """
    if first.asked.mechanism not in among:
        return None
    a, b = numbers_of(first), numbers_of(second)
    scale = exactly(first.asked.public.get("scale"))
    if a is None or b is None or len(a) != len(b) or not scale:
        return None
    found = []
    for (v, _, factor), (w, _, _) in zip(a, b, strict=True):
        step = _step(first, v, w)
        if step and not factor:
            return None
        found.append(step / (scale * factor) if step else Fraction(0))
    return found


def _step(entry: Entry, v: Fraction, w: Fraction) -> Fraction:
    """v - w, as the noise sees it."""
    if entry.asked.mechanism in ADDED and ADDED[entry.asked.mechanism].whole:
        return Fraction(to_ticks(v, 0) - to_ticks(w, 0))
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
