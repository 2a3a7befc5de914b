"""unbounded: the same rows, whose number is no longer taken as public.

Stability.  A replaced row is one removed and one added: 2 from change-one to symmetric distance; at
its position one deleted and one inserted: 2 from Hamming to insert-delete distance.
Tight: replace rows by other values.
Source: conversions between metrics on tables; OpenDP make_metric_unbounded.
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

_AFTER = {"ChangeOne": "Symmetric", "Hamming": "InsertDelete"}


def rule(x: Arg) -> Conclusion:
    """A table under the change-one or the Hamming distance."""
    space = x.space
    if not isinstance(space, Records) or space.metric not in _AFTER:
        raise refuse(
            "wrong-metric",
            f"the number of rows of {x.text} is private already",
            need="Records under ChangeOne or Hamming distance",
            help=f"leave `unbounded` out: {x.text}",
        )
    result = msgspec.structs.replace(space, metric=_AFTER[space.metric], size=None)
    return Conclusion(result, {"x": scalar_moves(2 * D)})


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
    """Rows replaced by another value."""
    return replaced(instance.private["x"], 1, 2, d)


record = register(
    Record(
        name="unbounded",
        kind="transformation",
        rule=rule,
        run=run,
        array=array,
        instances=instances,
        tight=tight,
        proof=__doc__ or "",
        spelling=Spelling(opendp=("make_metric_unbounded",)),
    )
)
