"""The unit of privacy of a session: how far one person moves each table, and that in words."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from metricdp.errors import ParameterError
from metricdp.expr import decimal_up
from metricdp.maps.distances import typed
from metricdp.spaces import Aligned, Owned, Records, Space


class Unit:
    """Who is protected: `Unit("one person, at most 5 years", visits=5, poor=5)`.

    Two data sets are neighbours when every table moves by at most its distance, all of them at
    once.  Without distances every table moves by `every`.

    Attributes:
        words: the unit in words; may be "".
        every: distance of each table that is not named.
        distances: table -> distance in its metric, >= 0.
    """

    __slots__ = ("distances", "every", "words")

    def __init__(self, words: str = "", /, *, every: Any = 1, **distances: Any) -> None:
        self.words, self.every = str(words), _distance("every", every)
        self.distances: Mapping[str, Fraction] = MappingProxyType(
            {name: _distance(name, value) for name, value in distances.items()}
        )

    def of(self, spaces: Mapping[str, Space]) -> dict[str, Fraction]:
        """Table -> distance.

        Raises:
            ParameterError: a distance of a table that is not there, no distance above 0, a
                fraction of a row, or several distances of tables about the same persons.
        """
        unknown = sorted(self.distances.keys() - spaces.keys())
        if unknown:
            raise ParameterError(
                f"the unit speaks of `{unknown[0]}`, which is no table of this session",
                place="unit",
                remedy=f"tables: {', '.join(spaces)}",
            )
        found = {name: self.distances.get(name, self.every) for name in spaces}
        if not any(found.values()):
            raise ParameterError(
                "a unit that moves no table protects nobody: everything would be free",
                place="unit",
                remedy="unit=Unit(every=1), or the distance of at least one table",
            )
        for name, distance in found.items():
            if isinstance(spaces[name], Records | Owned | Aligned) and distance.denominator != 1:
                raise ParameterError(
                    f"{name} counts rows, and no tables are {distance} apart but equal ones",
                    place="unit",
                    remedy=f"give a whole number: Unit({name}=1)",
                )
        for names in _together(spaces):
            # Whose rows move in one table alone has other rows in all tables, and does not leave.
            apart = {found[name] for name in names}
            if len(apart) > 1:
                raise ParameterError(
                    f"{' and '.join(names)} are about the same persons, and move by "
                    f"{' and '.join(map(decimal_up, sorted(apart)))}",
                    place="unit",
                    remedy=f"one distance for all of them: Unit(every={decimal_up(max(apart))})",
                )
        return found

    def describe(self, spaces: Mapping[str, Space]) -> str:
        """The unit in words: the given ones, then what moves in every table."""
        distances = self.of(spaces)
        moves = [
            f"{' and '.join(names)}: {_moved(spaces[names[0]].unit, distances[names[0]])}"
            for names in _together(spaces)
        ]
        joint = "; at the same time ".join(moves)
        return f"{self.words} ({joint})" if self.words else joint


def _together(spaces: Mapping[str, Space]) -> list[list[str]]:
    """The tables, with those that are about the same persons side by side."""
    found: dict[Any, list[str]] = {}
    for name, space in spaces.items():
        about = (space.whose, space.metric, space.kind) if isinstance(space, Owned) else name
        found.setdefault(about, []).append(name)
    return [*found.values()]


def unit_of(given: Any) -> Unit:
    """A unit as `Session` takes it: None, a number, words, a mapping, or a `Unit`."""
    if given is None:
        return Unit()
    if isinstance(given, Unit):
        return given
    if isinstance(given, str):
        return Unit(given)
    if isinstance(given, Mapping):
        return Unit(**{str(name): value for name, value in given.items()})
    return Unit(every=given)


def _moved(unit: str, distance: Fraction) -> str:
    if not distance:
        return "unchanged"
    return unit if distance == 1 else f"{unit}, {decimal_up(distance)} times"


def _distance(name: str, value: Any) -> Fraction:
    found = typed(value, f"unit, {name}")
    if isinstance(found, float):
        raise ParameterError(
            f"an infinite distance of `{name}` protects nobody",
            place="unit",
            remedy=f"unit=Unit({name}=1): bound what one person contributes",
        )
    return found
