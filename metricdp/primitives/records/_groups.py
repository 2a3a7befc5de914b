"""What the rules of groups of a person share: the columns of a group, and which groups are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metricdp.primitives.records._ids import owner
from metricdp.primitives.records._keys import row_key
from metricdp.record import Arg, refuse
from metricdp.spaces import Maybe, Moment, Owned
from metricdp.spaces.scalars import canonical


def columns_of(by: Arg, x: Arg, space: Owned, call: str) -> tuple[str, ...]:
    """The columns that a group is equal in.

    Args:
        call: a right call, in which the column is called "group".

    Raises:
        Refusal: nothing that is written out, no column, or one of doubles, which are no groups.
    """
    names = (by.literal,) if isinstance(by.literal, str) else by.literal
    known = isinstance(names, tuple) and bool(names) and all(type(n) is str for n in names)
    fields = [space.row.field(name) for name in names] if known and not by.private else [None]
    others = [name for name in space.row.names if name != space.column]
    if known and None not in fields and len({*names}) == len(names):
        if all(map(_tells_groups_apart, fields)):
            return tuple(names)
        raise refuse(
            "unsupported-call",
            f"{by.text} holds decimal numbers, two of which may print alike: they make no groups",
            need="columns of whole numbers, texts, truth values or dates",
            help=f"a column of whole numbers in place of {by.text}",
        )
    raise refuse(
        "unsupported-call",
        f"the groups of {x.text} are by {by.text}, and its columns are {', '.join(others)}",
        need="the columns that the rows of a group are equal in, written out",
        help=call.replace('"group"', f'"{others[0]}"' if others else '"group"'),
    )


def _tells_groups_apart(field: Any) -> bool:
    field = field.inner if isinstance(field, Maybe) else field
    return isinstance(field, Moment) or getattr(field, "kind", "") in ("int", "str", "bool")


def names_of(by: Any) -> Sequence[str]:
    """The names of one column or of several."""
    return (by,) if isinstance(by, str) else tuple(by)


def first_groups(table: Sequence[Any], per: str, by: Sequence[str], most: Any) -> list[list[int]]:
    """The places of the rows of so many groups of every id, group by group: of an id those that
    come first in the order of a hash of the id and the group, and of these values themselves."""
    found: dict[Any, dict[Any, list[int]]] = {}
    for place, row in enumerate(table):
        group = tuple(canonical(owner(row, name)) for name in by)
        found.setdefault(owner(row, per), {}).setdefault(group, []).append(place)
    kept: list[list[int]] = []
    for theirs in found.values():
        first = sorted(
            theirs.values(),
            key=lambda at: row_key([owner(table[at[0]], name) for name in (per, *by)]),
        )
        kept += first[: max(0, int(most))]
    return kept
