"""Neighbouring inputs to try: those of a space, from its extremes on, or those of the user."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain, islice, zip_longest
from math import isinf
from random import Random
from typing import Any

import msgspec

from metricdp.audit.measurements.widened import apart, of_given, widened
from metricdp.audit.unusual import Beyond
from metricdp.audit.values import plain
from metricdp.errors import ParameterError
from metricdp.spaces import Space

#: Pairs of usual values of which unusual ones are made, and those of them that come first.
_FIRST, _PLAIN = 16, 6
#: Pairs of the user that are widened, and pairs that are made of them, where the space is known.
_WIDENED, _MADE = 3, 12


class Pair(msgspec.Struct, frozen=True):
    """Two inputs.

    Attributes:
        x, x2: as the mechanism takes them.
        d: their distance; None where the user only says that they are neighbours.
    """

    x: Any
    x2: Any
    d: Fraction | None = None


def given_pairs(pairs: Iterable[Any]) -> list[Pair]:
    """The user's pairs.  ParameterError unless each is a pair and there is one."""
    found = []
    for item in pairs:
        if isinstance(item, Pair):
            found.append(item)
        elif isinstance(item, (tuple, list)) and len(item) == 2:
            found.append(Pair(*item))
        else:
            raise ParameterError(
                f"{type(item).__name__} is no pair of inputs",
                place="pairs",
                remedy="pairs=[(x, neighbour_of_x), ...]",
            )
    if not found:
        raise ParameterError("no pair of inputs", place="pairs", remedy="pairs=[(x, x2)]")
    for value in (value for pair in found for value in (pair.x, pair.x2)):
        if isinstance(value, Iterator):
            raise ParameterError(
                f"an input is a {type(value).__name__}, which the first run uses up",
                place="pairs",
                remedy="pairs=[(list(x), list(x2))]",
            )
    return found


def with_unusual(pairs: list[Pair], space: Space | None, allowed: Beyond | None) -> list[Pair]:
    """The user's pairs, then some with unusual values in the place where their inputs differ.

    Args:
        space: of the inputs, where it is known; else only rows of tables are replaced.
        allowed: what inputs may hold; None adds nothing.
    """
    if allowed is None:
        return pairs
    given = [(pair.x, pair.x2) for pair in pairs]
    if space is None:
        # As far apart as the pair that each is made of: one row is another one.
        return [*pairs, *(Pair(x, y) for x, y in of_given(given, allowed))]
    made = islice(unusual_pairs(space, given[:_WIDENED], allowed, 1), _MADE)
    return [*pairs, *made]


def distance_between(space: Space, x: Any, x2: Any, name: str) -> Fraction | float:
    """The exact distance of two inputs of the user, from above; infinite where they are apart.

    Raises:
        ParameterError: one of them is no value of the space at all.
    """
    try:
        return space.distance(plain(x), plain(x2)).upper({})
    except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError):
        kinds = " and ".join(dict.fromkeys(type(each).__name__ for each in (x, x2)))
        raise ParameterError(
            f"the two inputs ({kinds}) are no values of {space.describe()}", place=name,
            remedy="give inputs as the program takes them",
        ) from None  # fmt: skip


def malformed(fact: str, name: str) -> ParameterError:
    """The error for an input that has another form than the program takes."""
    return ParameterError(
        f"an input is malformed: {fact.splitlines()[0]}", place=name,
        remedy="give inputs as the program takes them: this shows nothing of its claim",
    )  # fmt: skip


def metric_space(given: Any) -> Space:
    """The space that an annotation or a space names.  ParameterError for anything else."""
    from metricdp.spaces import space_of
    from metricdp.spaces.opaque import Public

    found = given if isinstance(given, Space) else space_of(given)
    if found is None or isinstance(found, Public):
        raise ParameterError(
            f"{given!r} is no metric space", place="space", remedy="space=dp.Records[float]"
        )
    return found


def neighbours(
    space: Space, seed: int, distances: tuple[int, ...] = (1,), allowed: Beyond | None = None
) -> Iterator[Pair]:
    """Pairs of a concrete space at about these distances, without end, extremes first.

    Reals are doubles, and the distance is the exact one of these doubles.  Small inputs come first:
    one person weighs most there.

    Args:
        allowed: what inputs may hold beside the values of the space; pairs with such values take
            turns with the others, after the first ones.
    """
    ordinary = _ordinary(space, seed, distances)
    if allowed is None:
        yield from ordinary
        return
    first = list(islice(ordinary, _FIRST))
    yield from first[:_PLAIN]
    # Those of rows that are extreme already show nothing new.
    simple = [(pair.x, pair.x2) for pair in first]
    unusual = unusual_pairs(space, simple, allowed, max(distances))
    for pair, other in zip_longest(chain(first[_PLAIN:], ordinary), unusual):
        if other is not None:
            yield other
        if pair is not None:
            yield pair


def unusual_pairs(
    space: Space, ordinary: Iterable[tuple[Any, Any]], allowed: Beyond, most: Any
) -> Iterator[Pair]:
    """Neighbours with unusual values, made of ordinary ones, with their distances."""
    for x, y in widened(space, ordinary, allowed, most):
        yield Pair(x, y, Fraction(apart(space, x, y, allowed)))


def _ordinary(space: Space, seed: int, distances: tuple[int, ...]) -> Iterator[Pair]:
    rng = Random(f"metricdp neighbours {seed}")
    seen: set[str] = set()
    extremes = list(space.extremes())
    for x in extremes:
        for y in extremes:
            yield from _fresh(space, x, y, distances, seen)
        for d in distances:
            yield from _fresh(space, x, space.neighbours(x, d, rng), distances, seen)
    misses = 0
    while misses < 1000:
        size = rng.choice((0, 1, 1, 2, 3, 5, 8))
        x = rng.choice(extremes) if extremes and rng.random() < 0.3 else space.sample(rng, size)
        found = list(
            _fresh(space, x, space.neighbours(x, rng.choice(distances), rng), distances, seen)
        )
        misses = 0 if found else misses + 1
        yield from found


def _fresh(
    space: Space, x: Any, y: Any, distances: tuple[int, ...], seen: set[str]
) -> Iterator[Pair]:
    """The pair as data, if it is new, lies in the space and is not too far apart."""
    data = as_data(x), as_data(y)
    key = repr(data)
    if key in seen:
        return
    seen.add(key)
    exact = plain(data[0]), plain(data[1])
    if not (space.contains(exact[0]) and space.contains(exact[1])):
        return
    if isinf(space.distance_float(*exact)):
        return
    distance = space.distance(*exact).upper({})
    if 0 < distance <= max(distances):
        yield Pair(*data, Fraction(distance))


def as_data(value: Any) -> Any:
    """A reference value as data: rationals as doubles, integers and the rest as they are."""
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, tuple):
        parts = [as_data(item) for item in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, list):
        return [as_data(item) for item in value]
    if isinstance(value, dict):
        return {key: as_data(item) for key, item in value.items()}
    return value
