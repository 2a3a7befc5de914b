"""Several tables about the same persons, as one argument: what one unit of distance changes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from metricdp.spaces.base import Space
from metricdp.spaces.ids import Owned
from metricdp.spaces.lengths import Length, rational

if TYPE_CHECKING:
    from random import Random


class SamePersons(Space, frozen=True):
    """Tables whose ids tell the same persons apart; the reference value is a tuple of tables.

    The distance is that of the one table that holds all their rows: the persons who have rows on
    one side only, and 2 for each other person whose rows differ somewhere; or, where one unit
    changes a person, the persons whose rows differ somewhere.

    Attributes:
        parts: tables of one unit, with ids of one kind.
    """

    parts: tuple[Owned, ...]

    def __str__(self) -> str:
        return f"tables about the same persons: {', '.join(map(str, self.parts))}"

    @property
    def unit(self) -> str:
        return self.parts[0].unit

    def contains(self, value: Any) -> bool:
        return (
            isinstance(value, tuple)
            and len(value) == len(self.parts)
            and all(part.contains(x) for part, x in zip(self.parts, value, strict=True))
        )

    def _held(self, x: Any) -> dict[Hashable, dict[int, Any]]:
        """Person -> position of a table -> their rows in it."""
        found: dict[Hashable, dict[int, Any]] = {}
        for i, (part, table) in enumerate(zip(self.parts, x, strict=True)):
            for owner, rows in part.rows_of_each(table).items():
                found.setdefault(owner, {})[i] = rows
        return found

    def length(self, x: Any, y: Any) -> Length:
        left, right = self._held(x), self._held(y)
        shared = sum(left[owner] != right[owner] for owner in left.keys() & right.keys())
        apart = len(left.keys() ^ right.keys())
        return rational(apart + (1 if self.parts[0].replaces else 2) * shared)

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        """The tables one after the other; persons of one are met again in the next."""
        found: list[Any] = []
        for part in self.parts:
            known = [row for other, rows in zip(self.parts, found, strict=False)
                     for row in map(other.person, rows)]  # fmt: skip
            found.append(part.sample(rng, size_hint, known))
        return tuple(found)

    def extremes(self) -> list[Any]:
        columns = [part.extremes() for part in self.parts]
        longest = max(map(len, columns))
        return [tuple(c[i % len(c)] for c in columns) for i in range(longest)]

    def neighbours(self, x: Any, d: int, rng: Random) -> Any:
        """One person after the other leaves all tables or enters some of them."""
        tables = [list(table) for table in x]
        for _ in range(int(d)):
            everybody = [p.person(row) for p, rows in zip(self.parts, tables, strict=True)
                         for row in rows]  # fmt: skip
            one = self.parts[0].somebody(everybody, rng)
            for i, part in enumerate(self.parts):
                tables[i] = part.without(tables[i], one)
            there = len(everybody) != sum(map(len, tables))
            if there and not self.parts[0].replaces:
                continue
            for i, part in enumerate(self.parts):
                if rng.random() < 0.7:
                    tables[i] += part.rows_for(one, rng)
        for table in tables:
            rng.shuffle(table)
        return tuple(tables)

    def shrink(self, x: Any) -> Iterator[Any]:
        for i, part in enumerate(self.parts):
            for simpler in part.shrink(x[i]):
                yield (*x[:i], simpler, *x[i + 1 :])


def side_by_side(
    spaces: Mapping[str, Space], together: Mapping[str, tuple[str, ...]]
) -> dict[str, Space]:
    """Arguments that an auditor moves on their own: tables about the same persons are one.

    Args:
        spaces: parameter -> its space.
        together: name of such an argument -> the parameters that it holds, one or several.
    """
    found: dict[str, Space] = {}
    for name, parameters in together.items():
        tables = [spaces[each] for each in parameters]
        if len(tables) == 1:
            found[name] = tables[0]
        else:
            found[name] = SamePersons(tuple(t for t in tables if isinstance(t, Owned)))
    return found


def taken_apart(
    values: Mapping[str, Any], together: Mapping[str, tuple[str, ...]]
) -> dict[str, Any]:
    """Parameter -> value, of arguments as `side_by_side` makes them."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        parameters = together[name]
        found.update(zip(parameters, value if len(parameters) > 1 else (value,), strict=True))
    return found
