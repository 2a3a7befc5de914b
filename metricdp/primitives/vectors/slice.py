"""slice: some entries of a vector, some rows of a matrix or a table, a part of a text, or some of
its parts, between public ends.

Stability.  Leaving entries out moves no entry: 1 in every norm, from the same norm; the rows of a
matrix likewise, over R and over discrete entries (so a slice of the rows of an (LInf, Data) matrix
is 1-stable).  A negative step permutes.  Bounds of entries and of norms stay.  A part of a text is
another text, and some of the parts of one are other parts: 1 under the discrete metric.
A table of n rows under Hamming distance: two tables that differ at k positions differ at no more of
those that are kept, 1; how many are kept is public.  Under any other metric of tables a row may
change its position, which nobody promises, and there is no rule.
Tight: move an entry that is kept; a slice that keeps nothing does not move.
Source: projection.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.columns.language import Node, Untraceable, between, text
from metricdp.columns.words import TextPieces
from metricdp.expr import ZERO, D, num
from metricdp.primitives._common import discrete
from metricdp.primitives._witnesses import step_all
from metricdp.primitives.texts._texts import MOVES, TEXT, is_text
from metricdp.primitives.vectors._ends import OMITTED, kept, plain
from metricdp.record import (
    Arg,
    Conclusion,
    Instance,
    Moves,
    Requirement,
    Witness,
    refuse,
    scalar_moves,
)
from metricdp.spaces import Matrix, Records, Scalar, Space, Vector
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.texts import Cells

example = "v: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(4)] = [1, 2, 3, 4]; v[1:3]"


def rule(x: Arg, start: Arg, stop: Arg, step: Arg) -> Conclusion:
    """A private vector or matrix and public ends; `...` stands for an end that is left out."""
    space = x.space
    if is_text(x):
        return _of_text(x.text, start, stop, step)
    if x.private and isinstance(space, Cells):
        return _of_parts(x.text, space, start, stop, step)
    if x.private and isinstance(space, Records):
        return _of_table(x.text, space, start, stop, step)
    if not x.private or not isinstance(space, Vector | Matrix):
        raise refuse(
            "unsupported-call",
            f"{x.text} is no private vector, matrix or text",
            need="a vector, a matrix or a text",
            help="[f(row) for row in rows]",
        )
    n = space.rows if isinstance(space, Matrix) else space.size
    assert n is not None
    length, requires = kept(n, start, stop, step)
    result: Space
    if isinstance(space, Matrix):
        result = msgspec.structs.replace(space, rows=length)
    else:
        result = msgspec.structs.replace(space, size=length)
    norms = (space.norm,) if discrete(space) else NORM_NAMES
    moves: Moves = {(p, p): D for p in norms}
    return Conclusion(result, {"x": moves}, requires=requires)


def _of_table(text: str, space: Records, start: Arg, stop: Arg, step: Arg) -> Conclusion:
    """A table whose rows keep their positions; every k-th one of them from a number that is known,
    so that it can be told apart from every k-th from another one."""
    if not (space.row_metric.ordered and space.row_metric.replaces) or space.size is None:
        raise refuse(
            "unsupported-call",
            f"which rows stand in a part of {text} depends on the order of all rows, and one row "
            "more or less would shift it",
            need="a table of public size whose rows keep their positions: "
            'Annotated[dp.Records[float, dp.Hamming], dp.Size("n")]',
            help=f"dp.sample({text}, q=0.1)",
        )
    length, requires = kept(space.size, start, stop, step)
    known = start.literal is OMITTED or (start.value is not None and not start.value.symbols)
    if not known and step.literal is not OMITTED:
        raise refuse(
            "private-index",
            f"{start.text}, from which every so many rows of {text} are read, is no number that "
            "is known while checking",
            need="a number, or a loop over a range that is written out",
            help=f"write a number for {start.text}",
        )
    result = msgspec.structs.replace(space, size=length)
    return Conclusion(result, {"x": scalar_moves(D)}, requires=requires)


def _of_text(text: str, *ends: Arg) -> Conclusion:
    """A part of a text: public whole numbers, or ends that are left out; no step of 0."""
    requires = []
    for name, end in zip(("start", "stop", "step"), ends, strict=True):
        if end.literal is OMITTED:
            continue
        if end.private or end.value is None or not end.value.is_integer():
            raise refuse(
                "unsupported-call",
                f"{end.text} is not known as a public whole number",
                need="ends that are whole numbers",
                help=f"{text}[:3]",
            )
        if name == "step":
            requires.append(Requirement(end.value, "!=", ZERO, remedy=f"choose {end.chosen} != 0"))
    return Conclusion(TEXT, {"x": MOVES}, requires=tuple(requires))


def _of_parts(text: str, space: Cells, start: Arg, stop: Arg, step: Arg) -> Conclusion:
    """Some of the parts of a text; from the first on, there are as many as were sure to be there,
    or as many as are taken."""
    if space.different:
        raise refuse(
            "unsupported-call",
            f"{text} is a set, which has no positions",
            need="the parts in their order",
            help="a slice of the parts first, and the set of that",
        )
    part = _of_text(text, start, stop, step)
    first = start.literal is OMITTED or (start.value is not None and start.value.is_zero)
    most = space.least if stop.literal is OMITTED else None
    if most is None and stop.value is not None and (known := stop.value.as_fraction()) is not None:
        most = int(known) if known >= 0 else None
    plain = first and step.literal is OMITTED and most is not None
    least = min(space.least, most or 0) if plain else 0
    there = Cells(least, False, _most(space, start, stop, step))
    return Conclusion(there, {"x": MOVES}, requires=part.requires)


def _most(space: Cells, start: Arg, stop: Arg, step: Arg) -> int | None:
    """How many parts a slice has at most; None where that is not known."""
    ends = [_end(end) for end in (start, stop, step)]
    if any(end is not None and end.denominator != 1 for end in ends):
        return space.most
    first, last = (None if end is None else int(end) for end in ends[:2])
    options = [] if space.most is None else [space.most]
    if (last is not None and last >= 0) and step.literal is OMITTED:
        if start.literal is OMITTED:
            options.append(last)
        elif first is not None and first >= 0:
            options.append(max(last - first, 0))
    if stop.literal is OMITTED and step.literal is OMITTED and first is not None and first < 0:
        options.append(-first)
    return min(options) if options else None


def _end(end: Arg) -> Fraction | None:
    return None if end.literal is OMITTED or end.value is None else end.value.as_fraction()


def run(x: Any, start: Any, stop: Any, step: Any) -> Any:
    """Python's slice."""
    return x[plain(start, stop, step)]


def tabular(x: Any, start: Any, stop: Any, step: Any) -> Any:
    """The rows at these positions, in their order."""
    return x.taken(range(len(x))[plain(start, stop, step)])


def columnar(x: Any, start: Any, stop: Any, step: Any) -> Any:
    """Some entries of a vector of a row, or a part of a text."""
    parts = isinstance(x, TextPieces)
    if not parts and (not isinstance(x, Node) or x.base != "text"):
        return between(x, start, stop, step)
    if any(isinstance(end, Node) for end in (start, stop, step)):
        raise Untraceable("a part of a text between values of the row")
    part = plain(start, stop, step)
    if isinstance(x, TextPieces):
        return x.cut(part.start, part.stop, part.step)
    return text(x, "cut", part.start, part.stop, part.step)


def instances() -> Iterable[Instance]:
    first_two = {"start": OMITTED, "stop": 2, "step": OMITTED}
    without_last = {"start": 0, "stop": -1, "step": 1}
    every_second = {"start": OMITTED, "stop": OMITTED, "step": 2}
    reversed_ = {"start": OMITTED, "stop": OMITTED, "step": -1}
    for norm in NORM_NAMES:
        for public in (first_two, without_last, every_second, reversed_):
            yield Instance({"x": Vector("Real", norm, num(3))}, public)
        yield Instance({"x": Vector("Data", norm, num(4))}, {**first_two, "stop": 9})
        yield Instance({"x": Vector("Int", norm, num(3), num(0), num(9))}, first_two)
        yield Instance({"x": Matrix("Real", norm, num(3), num(4))}, without_last)
        yield Instance({"x": Matrix("Data", norm, num(3), num(2))}, first_two)
    for public in (first_two, without_last, every_second, reversed_):
        yield Instance({"x": TEXT}, public)
        yield Instance({"x": Cells(2)}, public)
        yield Instance({"x": Cells(0, False, 4)}, public)
        yield Instance({"x": Records(Scalar("Data", kind="int"), "Hamming", num(4))}, public)
    nothing = {"start": 5, "stop": 2, "step": OMITTED}
    yield Instance({"x": Vector("Real", "L1", num(3))}, nothing, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """The first entry or row moves."""
    if instance.tight == "unknown" or (d > 1 and discrete(instance.private["x"])):
        return None
    if instance.private["x"] == TEXT:
        return {"x": "abc"}, {"x": "bca"}
    if isinstance(instance.private["x"], Cells):
        return {"x": ("a", "b", "c")}, {"x": ("b", "c", "a")}
    if isinstance(instance.private["x"], Records):
        return ({"x": [1] * 4}, {"x": [2] + [1] * 3}) if d == 1 else None
    return step_all(instance.private, d)
