"""A table of a session divided by public keys: the parts, and how far one unit moves them.

Rows.  A row is in the part whose key its columns equal, and in no other, since keys are different.
So one row that is added or removed moves one part by 1, and one that is replaced takes a row out of
one part and puts one into the same or another: what `filter` concludes for one part, d rows or 2 d,
is also the most that all parts move together.  One part counts: `most` is 1.

Persons.  The rows of one person may lie in many parts, so only so many are kept, `max_parts`, by
`limit_groups` without a bound on rows.  Whoever has the same rows in both tables keeps the same
ones.  A person who is added or removed moves `max_parts` parts, each by 1; one whose rows differ is
2 under add or remove, and moves as many parts before as after, each by 2 at most: in both cases the
parts move by at most `max_parts` times the distance together, and each by the distance.  Where one
unit changes a person that distance is 1, and the parts are twice as many.  Which groups are kept is
decided by a public hash of person and key, so all questions in all parts see the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

import msgspec

from metricdp.check.values.hashing import content_hash
from metricdp.errors import InternalError, MetricdpError, ParameterError, bare
from metricdp.expr import compose, num
from metricdp.plain import plain
from metricdp.record import REGISTRY
from metricdp.run.machine import Machine
from metricdp.run.pins import present
from metricdp.sessions.asking import canonical
from metricdp.sessions.data import HeldTable
from metricdp.sessions.graph import evaluate
from metricdp.sessions.part_names import PartName
from metricdp.sessions.tracked import Tracked
from metricdp.spaces import Owned, Records, Row, Scalar

#: Costs are computed at every distance up to that of the unit.
_FARTHEST = 64
#: More rows than any person has in one group.
_ALL_ROWS = 1 << 62
_KINDS = {"str": str, "int": int, "bool": bool}
_CALL = 'session.partition("visits", by="plan", keys=["gold", "basic"])'


class SessionPart(msgspec.Struct, frozen=True):
    """One part.

    Attributes:
        name: of the part.
        table: its rows; private.
        distance: what one unit moves it by.
    """

    name: PartName
    table: HeldTable
    distance: Fraction


def divided(
    held: HeldTable, tracked: Tracked, distance: Fraction, by: Any, keys: Any, max_parts: Any,
    data: str,
) -> dict[Any, SessionPart]:  # fmt: skip
    """Key -> its part.

    Args:
        tracked: the whole table.
        distance: of the unit, in it.
        data: see `PartName`.

    Raises:
        ParameterError: a table that has no such parts, keys that are none of its columns, or
            persons without a bound.
        TrackedError: a column that is not compared with keys.
        EngineError: an engine failed.
    """
    columns, row = _columns(held, by)
    known = _keys(columns, row, keys)
    if not 0 < distance <= _FARTHEST or distance.denominator != 1:
        raise _wrong(f"one unit moves {held.name} by {distance} rows, and parts are for up to "
                     f"{_FARTHEST}", "ask the whole table")  # fmt: skip
    most, among = _most(held, known, max_parts), ""
    whole: Any = held.admitted
    if isinstance(held.space, Owned):
        among = content_hash(canonical([held.space.column, most, *map(list, known)]), 32)
        whole = _bounded(held, tracked, columns, known, most)
        most *= 2 if held.space.replaces else 1
    found = {}
    for each in known:
        part = _filtered(tracked, columns, [each])
        table = _evaluated(part, held.name, whole)
        moved = compose(part.bound, num(distance)).as_fraction()
        if moved is None or not 0 < moved <= 2 * distance:
            raise InternalError("a part that moves otherwise than its table", place=held.name)
        found[each if len(columns) > 1 else each[0]] = SessionPart(
            PartName(held.name, columns, _text(each), most, among, data),
            HeldTable.entered(held.name, msgspec.structs.replace(part.space, row=row), table),
            moved,
        )
    return found


def _columns(held: HeldTable, by: Any) -> tuple[tuple[str, ...], Row]:
    """The columns that a part is equal in, and the row that they belong to."""
    space, given = held.space, plain(by, "by")
    row = space.row if isinstance(space, Records | Owned) else None
    if not isinstance(row, Row) or row.kind == "tuple":
        raise _wrong(f"{held.name} has no columns with names", "declare its rows as a dataclass")
    names = (given,) if isinstance(given, str) else given
    if not isinstance(names, tuple | list) or not names or len({*names}) < len(names):
        raise _wrong("parts are equal in one column, or in several different ones", _CALL)
    for name in names:
        field = row.field(name) if isinstance(name, str) else None
        if not isinstance(field, Scalar) or field.kind not in _KINDS:
            able = [n for n, f in zip(row.names, row.fields, strict=True) if _divides(f)]
            raise _wrong(
                f"{held.name} has no parts by {name}",
                f"columns of texts, whole numbers or truth values that are never missing: "
                f"{', '.join(able) or 'there are none'}",
            )
    return tuple(names), row


def _divides(field: Any) -> bool:
    return isinstance(field, Scalar) and field.kind in _KINDS


def _keys(columns: tuple[str, ...], row: Row, given: Any) -> list[tuple[Any, ...]]:
    """Different keys, each with a value for every column, of its kind."""
    found = plain(given, "keys")
    if not isinstance(found, tuple | list) or not found:
        raise _wrong("keys are a list of some", _CALL)
    kinds = [_KINDS[row.field(name).kind] for name in columns]  # type: ignore[union-attr]
    keys = [key if len(columns) > 1 else (key,) for key in found]
    for key in keys:
        fits = isinstance(key, tuple) and [type(value) for value in key] == kinds
        if not fits:
            wanted = ", ".join(kind.__name__ for kind in kinds)
            raise _wrong(f"keys are values of {', '.join(columns)} ({wanted}), and one is not",
                         _CALL)  # fmt: skip
    if len({*keys}) < len(keys):
        raise _wrong("a key stands twice", "give every key once")
    return keys


def _most(held: HeldTable, keys: Sequence[Any], given: Any) -> int:
    """How many parts one unit of distance moves, before it is said what a unit does to a person."""
    if not isinstance(held.space, Owned):
        if given is not None:
            raise _wrong(f"{held.name} is about rows, and a row is in one part",
                         "leave max_parts out")  # fmt: skip
        return 1
    found = plain(given, "max_parts")
    if type(found) is not int or found < 1:
        raise _wrong(
            f"the rows of one {held.space.whose} may lie in all {len(keys)} parts",
            f"max_parts=1: rows in one part of each {held.space.whose} are kept, and parts cost "
            "what the most expensive one does",
        )
    return min(found, len(keys))


def _filtered(
    tracked: Tracked, columns: tuple[str, ...], keys: Sequence[tuple[Any, ...]]
) -> Tracked:
    """The rows that have one of some keys, as the rule of `filter` reads them."""

    def test(row: Any) -> Any:
        read = [_field(row, name) for name in columns]
        tests = [
            reduce(lambda x, y: x & y, [c == v for c, v in zip(read, key, strict=True)])
            for key in keys
        ]
        while len(tests) > 1:  # a tree that is not deep
            pairs = [tests[i : i + 2] for i in range(0, len(tests), 2)]
            tests = [pair[0] if len(pair) == 1 else pair[0] | pair[1] for pair in pairs]
        return tests[0]

    found: Tracked = tracked.__metricdp_apply__(REGISTRY["filter"], (test, tracked), {})
    return found


def _field(row: Any, name: str) -> Any:
    return getattr(row, name) if name in row._names else row[name]


def _bounded(
    held: HeldTable, tracked: Tracked, columns: tuple[str, ...], keys: Sequence[tuple[Any, ...]],
    most: int,
) -> Any:  # fmt: skip
    """The rows with one of the keys, in so many parts of each person; private."""
    space: Any = held.space
    rows = _evaluated(_filtered(tracked, columns, keys), held.name, held.admitted)
    if most == len(keys):
        return rows
    return _made(
        lambda machine: machine.primitive(
            "limit_groups", None, rows, space.column, columns, most, _ALL_ROWS
        )
    )


def _evaluated(tracked: Tracked, name: str, table: Any) -> Any:
    return _made(lambda machine: evaluate(tracked._node, {name: table}, machine))


def _made(action: Any) -> Any:
    """What is made of private rows; no frame of an error holds them."""
    failed: BaseException
    try:
        return action(Machine(_no_noise, present()))
    except MetricdpError as error:
        failed = bare(error)
    except Exception as error:
        failed = InternalError(f"rows were not divided ({type(error).__name__})", place="parts")
    action = None
    raise failed from None


def _no_noise(*args: Any) -> Any:
    raise InternalError("a part drew noise of its own")


def _text(key: tuple[Any, ...]) -> str:
    """A key as a text that no other one has."""
    return canonical(key if len(key) > 1 else key[0])


def _wrong(fact: str, remedy: str) -> ParameterError:
    return ParameterError(fact, place="session.partition", remedy=remedy)
