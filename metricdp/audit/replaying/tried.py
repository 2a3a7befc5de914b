"""Pairs that a replay tries: those of the user, or neighbours of the spaces; and simpler ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from random import Random
from typing import Any

from metricdp.audit.measurements.neighbours import (
    Pair,
    as_data,
    distance_between,
    given_pairs,
    neighbours,
    with_unusual,
)
from metricdp.audit.measurements.shrinking import smaller
from metricdp.audit.replaying.findings import Finding
from metricdp.audit.replaying.paths import OutputPath
from metricdp.audit.replaying.programs import PRIVATE, Distances, ReplayedProgram
from metricdp.errors import ParameterError, ReplayError
from metricdp.spaces import Records, Space, Vector

Values = Mapping[str, Any]
#: Seconds for a simpler pair, about.
_SHRINKING = 1.0


def pairs_of(
    program: ReplayedProgram, given: Iterable[Any] | None, seed: int
) -> Iterator[tuple[Values, Values, Distances]]:
    """Pairs of the user, or made ones, in both directions, with their distances.

    Raises:
        ReplayError: two inputs of the user are infinitely far apart.
        ParameterError: they are no values of the space.
    """
    if given is not None:
        names = list(program.inputs) or [PRIVATE]
        single = next(iter(program.inputs.values()), None)
        known = [
            Pair(program.gathered(each.x), program.gathered(each.x2), each.d)
            for each in given_pairs(given)
        ]
        if len(names) == 1:
            # What stands for this package's own code says of a value that it does not take it.
            known = with_unusual(known, single, program.beyond if program.function else None)
        for each in known:
            if len(names) > 1:
                apart = _measured(program, each.x, each.x2)
                yield *_tables(program, each.x, each.x2), apart
            else:
                distances = {names[0]: _apart(program, names[0], each)}
                yield *_tables(program, {names[0]: each.x}, {names[0]: each.x2}), distances
        return
    streams = {
        name: neighbours(space, seed, program.distances, program.beyond)
        for name, space in program.inputs.items()
    }
    rng = Random(f"metricdp replay {seed}")
    while streams:
        for name in list(streams):
            pair: Pair | None = next(streams[name], None)
            if pair is None:
                del streams[name]
                continue
            others = {
                other: as_data(space.sample(rng, 3))
                for other, space in program.inputs.items() if other != name
            }  # fmt: skip
            first, second = {**others, name: pair.x}, {**others, name: pair.x2}
            yield first, second, {name: pair.d or Fraction(1)}
            yield second, first, {name: pair.d or Fraction(1)}


def _apart(program: ReplayedProgram, name: str, pair: Pair) -> Fraction:
    if pair.d is not None:
        return pair.d
    space = program.inputs.get(name)
    if space is None:
        return Fraction(1)
    return _distance(space, pair.x, pair.x2, program.name)


def _measured(program: ReplayedProgram, x: Values, y: Values) -> Distances:
    found = {n: _distance(s, x[n], y[n], program.name) for n, s in program.inputs.items()}
    return {name: distance for name, distance in found.items() if distance}


def _distance(space: Space, x: Any, y: Any, name: str) -> Fraction:
    number = distance_between(space, x, y, name)
    if isinstance(number, float):
        raise ReplayError(
            f"the two inputs are infinitely far apart in {space.describe()}", place=name,
            remedy="give neighbours",
        )  # fmt: skip
    return Fraction(number)


def _tables(program: ReplayedProgram, x: Values, y: Values) -> tuple[Values, Values]:
    """Lists of rows of numbers as arrays, which tell their width where they have no rows, too."""
    first, second = dict(x), dict(y)
    for name, space in program.inputs.items():
        row = getattr(space, "row", None)
        if not (isinstance(space, Records) and isinstance(row, Vector)):
            continue
        rows = [
            each for values in (x, y) if isinstance(values[name], list) for each in values[name]
        ]
        widths = sorted({len(each) if hasattr(each, "__len__") else -1 for each in rows})
        if len(widths) > 1 or -1 in widths:
            raise ParameterError(
                "the rows are not equally long lists of numbers", place=program.name,
                remedy="give both inputs as arrays with one row per record",
            )  # fmt: skip
        for values in (first, second):
            if widths and isinstance(values[name], list):
                import numpy as np

                given = values[name]
                values[name] = np.array(given, float).reshape(len(given), widths[0])
    return first, second


def simpler(
    attack: Any,
    found: Finding,
    x: Values,
    y: Values,
    apart: Distances,
    paths: Callable[[], list[OutputPath]],
) -> tuple[Finding, Values, Values, Distances]:
    """The same kind of finding on a simpler pair, where one private input is all there is.

    Args:
        attack: the search, whose `try_pair` looks at a pair.
        found: on the inputs x and y, which are so far apart.
        paths: along which simpler pairs are looked at.
    """
    if len(attack.program.inputs) != 1:
        return found, x, y, apart
    [(name, space)] = attack.program.inputs.items()
    best = found

    def breaks(pair: Pair) -> bool:
        nonlocal best
        distances = {name: pair.d or Fraction(1)}
        try:
            other = attack.try_pair({name: pair.x}, {name: pair.x2}, distances, paths())
        except ReplayError:
            return False
        if other is None or (other.kind, other.site) != (found.kind, found.site):
            return False
        if found.loss is not None and (other.loss is None or other.loss < found.loss):
            return False
        best = other
        return True

    simple = smaller(Pair(x[name], y[name], apart[name]), space, breaks, _SHRINKING)
    if simple is None:
        return found, x, y, apart
    return best, {name: simple.x}, {name: simple.x2}, {name: simple.d or Fraction(1)}
