"""unordered: the same rows, whose order is no longer observed.

Stability.  A row that is inserted or deleted is a row added or removed: 1 from insert-delete to
symmetric distance.  A row that differs at one position is one row replaced: 1 from Hamming to
change-one distance.
Tight: insert a row; replace one by another value.
Source: conversions between metrics on tables; OpenDP make_unordered.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import D
from metricdp.primitives.records._columns import replaced, tables
from metricdp.record import (
    Arg,
    Conclusion,
    Instance,
    Record,
    Spelling,
    refuse,
    register,
    scalar_moves,
)
from metricdp.spaces import Maybe, Records, Scalar

_AFTER = {"InsertDelete": "Symmetric", "Hamming": "ChangeOne"}


def rule(x: Arg) -> Conclusion:
    """A table under the insert-delete or the Hamming distance."""
    space = x.space
    if not isinstance(space, Records) or space.metric not in _AFTER:
        raise refuse(
            "wrong-metric",
            f"the order of {x.text} is not observed already",
            need="Records under InsertDelete or Hamming distance",
            help=f"leave `unordered` out: {x.text}",
        )
    result = msgspec.structs.replace(space, metric=_AFTER[space.metric])
    return Conclusion(result, {"x": scalar_moves(D)})


def run(x: Any) -> list[Any]:
    """The rows."""
    return list(x)


def array(x: Any) -> Any:
    """A column as it is."""
    return x


def instances() -> Iterable[Instance]:
    for row in (Scalar("Data", kind="int"), Maybe(Scalar("Data", kind="float"))):
        for metric, space in tables(row):
            if metric in _AFTER:
                yield Instance({"x": space})


def tight(
    instance: Instance, d: int, tol: Fraction
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Rows inserted, or replaced."""
    return replaced(instance.private["x"], 1, 2, d)


record = register(
    Record(
        name="unordered",
        kind="transformation",
        rule=rule,
        run=run,
        array=array,
        instances=instances,
        tight=tight,
        proof=__doc__ or "",
        spelling=Spelling(opendp=("make_unordered",)),
    )
)
