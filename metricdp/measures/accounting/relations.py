"""Neighbouring relations: which two data sets a guarantee is about.

One unit of the relation, in words:
- "add": the second data set has one row more; "remove": one row less; the guarantee bounds
  P(M(x) in E) <= e^eps P(M(x') in E) + delta for x the first and x' the second.
- "add or remove": both; the larger of the two curves.
- "replace": one row has another value; the number of rows is public.
- "zero out": one row contributes nothing any more, as if it were absent, while the number of rows
  stays public; both directions.
They are different statements: a replacement is a removal and an addition, so its cost is larger,
and a number for one says nothing about another until a theorem joins them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import msgspec

from metricdp.errors import ParameterError

Relation = Literal["add", "remove", "add or remove", "replace", "zero out"]
#: The relations in which rows differ; a direction says which of the two data sets comes first.
Kind = Literal["add or remove", "replace", "zero out"]

UNIT: dict[Relation, str] = {
    "add": "one row added",
    "remove": "one row removed",
    "add or remove": "one row added or removed",
    "replace": "one row replaced",
    "zero out": "one row zeroed out",
}


class Case(msgspec.Struct, frozen=True):
    """One direction of a relation, between data sets that differ in `units` rows.

    Attributes:
        kind: how they differ.
        forward: the first data set has the rows and the second lacks them ("replace": holds the
            rows of the one side).
        units: how many rows differ; >= 1.
    """

    kind: Kind
    forward: bool = True
    units: int = 1


def relation(value: Any) -> Relation:
    """The relation of this name ("add-or-remove" and "zero_out" are accepted spellings).

    Raises:
        ParameterError: no relation; there is no default.
    """
    name = " ".join(str(value).replace("-", " ").replace("_", " ").split()).lower()
    known: Sequence[Relation] = get_args(Relation)
    for each in known:
        if each == name:
            return each
    listed = ", ".join(f'"{each}"' for each in known)
    raise ParameterError(
        f"{value!r} is no neighbouring relation", place="relation", remedy=f"choose one of {listed}"
    )


def cases(which: Relation) -> tuple[Case, ...]:
    """The directions whose largest curve is the relation's."""
    if which == "add":
        return (Case("add or remove", False),)
    if which == "remove":
        return (Case("add or remove", True),)
    return Case(which, True), Case(which, False)
