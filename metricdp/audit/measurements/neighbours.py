"""Neighbouring inputs to try: those of a space, from its extremes on, or those of the user.

Either are widened: pairs with unusual values are made of them.  Of a pair of the user without a
space only tables are known: an input with one row more than the other, or rows of texts or of
several fields of which one is replaced.  That row may be any row of its type.  One number that is
replaced in a list may be a score as well as a row, so it is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import is_dataclass
from fractions import Fraction
from itertools import chain, islice, zip_longest
from math import inf, isinf, nan
from random import Random
from typing import Any

import msgspec

from metricdp.audit.unusual import UNSEEN, Beyond, holds, places
from metricdp.audit.values import plain
from metricdp.errors import MetricdpError, ParameterError
from metricdp.spaces import Space

#: Pairs of usual values of which unusual ones are made, and those of them that come first.
_FIRST, _PLAIN = 16, 6
#: Pairs of the user that are widened, and pairs that are made of them, where the space is known.
_WIDENED, _MADE = 3, 12
#: Pairs of the user that are widened, and pairs that each of them gives at most.
_GIVEN, _EACH = 3, 6
#: What a row of the user may hold instead: nothing of another size, since only its type is known.
_NUMBERS, _TEXTS = (nan, inf, -inf), (UNSEEN, "")

Two = tuple[Any, Any]


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


def widened(space: Space, ordinary: Iterable[Two], allowed: Beyond, most: Any) -> Iterator[Two]:
    """Neighbours that differ in an unusual value or share one.

    Args:
        ordinary: neighbours of the space, as data, simple ones first.
        most: largest distance.
    """
    seen: set[str] = set()
    for x, y in ordinary:
        for a, b in _changed(space, x, y, allowed):
            key = repr((a, b))
            if key in seen:
                continue
            seen.add(key)
            distance = apart(space, a, b, allowed)
            if distance is not None and 0 < distance <= most:
                yield a, b


def apart(space: Space, x: Any, y: Any, allowed: Beyond) -> Any:
    """The exact distance of two inputs; None where they are no inputs, or infinitely far apart."""
    exact = plain(x), plain(y)
    try:
        if not all(holds(space, each, allowed) for each in exact):
            return None
        found = space.distance(*exact).upper({})
    except (ArithmeticError, TypeError, ValueError, LookupError, MetricdpError):
        return None
    return None if found == inf else found


def _changed(space: Space, x: Any, y: Any, allowed: Beyond) -> Iterator[Two]:
    """Two inputs with unusual values: in one place of one of them, of both, and everywhere."""
    cells = [cell for cell, _, _ in places(space, y)]
    common = range(min(len(cells), len(list(places(space, x)))))
    for turn in range(max((len(allowed.of(cell)) for cell in cells), default=0)):
        usable = [i for i, cell in enumerate(cells) if turn < len(allowed.of(cell))]
        for i in reversed(usable):
            yield x, _put(space, y, i, turn, allowed)
        for i in usable:
            if i in common:
                yield _put(space, x, i, turn, allowed), _put(space, y, i, turn, allowed)
        a, b = x, y
        for i in usable:
            a = _put(space, a, i, turn, allowed) if i in common else a
            b = _put(space, b, i, turn, allowed)
        yield a, b


def _put(space: Space, value: Any, i: int, turn: int, allowed: Beyond) -> Any:
    found = list(places(space, value))
    if i >= len(found):
        # Two keys became one.
        return value
    cell, _, put = found[i]
    instead = allowed.of(cell)
    return put(instead[turn]) if turn < len(instead) else value


def of_given(pairs: Iterable[Two], allowed: Beyond) -> Iterator[Two]:
    """Pairs of the user with another row where the two inputs differ."""
    for number, (x, y) in enumerate(pairs):
        if number == _GIVEN:
            return
        seen: set[str] = set()
        for a, b, swapped in ((x, y, False), (y, x, True)):
            for other in _other_rows(a, b, allowed):
                if len(seen) < _EACH and repr(other) not in seen:
                    seen.add(repr(other))
                    yield (other, a) if swapped else (a, other)


def _other_rows(x: Any, y: Any, allowed: Beyond) -> Iterator[Any]:
    """y with another row in the place of the one that x lacks."""
    first, second = _rows(x), _rows(y)
    if first is None or second is None:
        return
    (before, _), (after, build) = first, second
    place = _place(before, after)
    if place is None:
        return
    for row in _instead(after[place], allowed):
        try:
            other = build(place, row)
        except (TypeError, ValueError, OverflowError):
            continue
        yield other


def _rows(value: Any) -> tuple[list[Any], Callable[[int, Any], Any]] | None:
    """The rows of a table, and what gives it with another row; None for what is no table."""
    if isinstance(value, list):
        return value, lambda i, row: [*value[:i], row, *value[i + 1 :]]
    if hasattr(value, "iloc") and hasattr(value, "columns"):
        rows = [tuple(row) for row in value.itertuples(index=False)]
        return rows, lambda i, row: _with_row(value, i, row)
    if hasattr(value, "dtype") and hasattr(value, "shape") and len(value.shape) in (1, 2):
        if value.dtype.kind not in "fU":
            return None
        return value.tolist(), lambda i, row: _with_entry(value, i, row)
    return None


def _with_row(table: Any, i: int, row: tuple[Any, ...]) -> Any:
    changed = table.copy()
    for column, entry in enumerate(row):
        if repr(entry) != repr(table.iloc[i, column]):
            changed.isetitem(column, [*table.iloc[:i, column], entry, *table.iloc[i + 1 :, column]])
    return changed


def _with_entry(array: Any, i: int, row: Any) -> Any:
    import numpy as np

    rows = array.tolist()
    return np.array([*rows[:i], row, *rows[i + 1 :]])


def _place(before: list[Any], after: list[Any]) -> int | None:
    """Where the second table has a row that the first one lacks, or another one."""
    if len(after) not in (len(before), len(before) + 1) or not after:
        return None
    first, second = [repr(row) for row in before], [repr(row) for row in after]
    if len(after) > len(before):
        left = list(first)
        found = [i for i, row in enumerate(second) if not _taken(left, row)]
        return found[0] if len(found) == 1 and not left else None
    found = [i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a != b]
    if len(found) != 1 or isinstance(after[found[0]], bool | int | float | complex):
        return None
    return found[0]


def _taken(left: list[str], row: str) -> bool:
    if row not in left:
        return False
    left.remove(row)
    return True


def _instead(row: Any, allowed: Beyond) -> Iterator[Any]:
    """Other rows of the same type: an unusual value in one field."""
    if isinstance(row, str):
        yield from _TEXTS
    elif isinstance(row, float):
        yield from _NUMBERS if allowed.missing else _NUMBERS[1:]
    elif isinstance(row, dict):
        for key, entry in row.items():
            for other in _instead(entry, allowed):
                yield {**row, key: other}
    elif isinstance(row, list | tuple):
        for i, entry in enumerate(row):
            for other in _instead(entry, allowed):
                parts = [*row[:i], other, *row[i + 1 :]]
                yield type(row)(*parts) if hasattr(row, "_fields") else type(row)(parts)
    elif is_dataclass(row) or isinstance(row, msgspec.Struct):
        fields: Any = getattr(row, "__dataclass_fields__", getattr(row, "__struct_fields__", ()))
        for name in fields:
            for other in _instead(getattr(row, name), allowed):
                changed = copy(row)
                object.__setattr__(changed, name, other)
                yield changed
