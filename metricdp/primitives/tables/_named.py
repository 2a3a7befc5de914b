"""What rules on texts, lines of cells and rows by name share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from metricdp.primitives.records._columns import tables
from metricdp.record import Arg, Instance, refuse
from metricdp.spaces import Records
from metricdp.spaces.texts import Named

EXAMPLE = {"a": "1", "b": "x"}


def named_rows(x: Arg, verb: str) -> Records:
    """The table, if its rows are dictionaries.

    Raises:
        Refusal: any other argument.
    """
    if isinstance(x.space, Records) and isinstance(x.space.row, Named):
        return x.space
    raise refuse(
        "unsupported-call",
        f"`{verb}` finds cells by name, and rows of {x.text} have no names",
        need="rows made by `create_dataframe`",
        help=f"[row.field for row in {x.text}] for rows of a declared class",
    )


def written(given: Arg, verb: str, example: str) -> str:
    """A public text that is written out.

    Raises:
        Refusal: anything else.
    """
    if isinstance(given.literal, str) and not (given.private or given.released):
        return given.literal
    raise refuse(
        "wrong-arguments",
        f"`{verb}` needs {given.text} as a public text",
        need="a text in quotes",
        help=example,
    )


def names(given: Arg, verb: str, example: str) -> list[str]:
    """Public names, all different.

    Raises:
        Refusal: anything else.
    """
    listed = given.literal if isinstance(given.literal, list | tuple) else ()
    right = all(isinstance(name, str) for name in listed) and len({*listed}) == len(listed)
    if given.private or given.released or not listed or not right:
        raise refuse(
            "wrong-arguments",
            f"`{verb}` needs different public names of columns",
            need="a list of different texts",
            help=example,
        )
    return list(listed)


def instances_of(public: dict[str, Any]) -> Iterator[Instance]:
    """Tables of rows by name under every metric."""
    for _, space in tables(Named()):
        yield Instance({"x": space}, public)
