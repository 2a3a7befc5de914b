"""slice_cols: some columns of a matrix, between public ends.

Stability.  Every row loses entries, so its distance shrinks in every norm: 1 in every row-summed
norm, from the same norm, over R and over discrete entries.  Bounds of entries and of rows stay.
Tight: move an entry that is kept.
Source: projection of every row.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import D, num
from metricdp.primitives._common import discrete
from metricdp.primitives._witnesses import step_all
from metricdp.primitives.vectors._ends import OMITTED, kept, plain
from metricdp.record import Arg, Conclusion, Instance, Moves, Witness, refuse
from metricdp.spaces import Matrix
from metricdp.spaces.norms import NORM_NAMES

example = (
    "m: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 3)] = [[1, 2, 3], [4, 5, 6]]; m[:, 0:2]"
)


def rule(m: Arg, start: Arg, stop: Arg, step: Arg) -> Conclusion:
    """`m[:, start:stop:step]` with public ends; `...` stands for an end that is left out."""
    space = m.space
    if not m.private or not isinstance(space, Matrix):
        raise refuse(
            "unsupported-call",
            f"`slice_cols` reads a private matrix, and {m.text} is none",
            need="a Matrix argument",
            help="m[:, :2]",
        )
    assert space.cols is not None
    length, requires = kept(space.cols, start, stop, step)
    result = msgspec.structs.replace(space, cols=length)
    norms = (space.norm,) if discrete(space) else NORM_NAMES
    moves: Moves = {(p, p): D for p in norms}
    return Conclusion(result, {"m": moves}, requires=requires)


def run(m: Any, start: Any, stop: Any, step: Any) -> Any:
    """Python's slice of every row."""
    part = plain(start, stop, step)
    return [row[part] for row in m]


def instances() -> Iterable[Instance]:
    first_two = {"start": OMITTED, "stop": 2, "step": OMITTED}
    for norm in NORM_NAMES:
        yield Instance({"m": Matrix("Real", norm, num(2), num(3))}, first_two)
        yield Instance({"m": Matrix("Data", norm, num(2), num(3))}, {**first_two, "step": 2})
        box = Matrix("Int", norm, num(2), num(2), num(0), num(5))
        yield Instance({"m": box}, {"start": 0, "stop": -1, "step": 1})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """The first entry of the first row moves."""
    if d > 1 and discrete(instance.private["m"]):
        return None
    return step_all(instance.private, d)
