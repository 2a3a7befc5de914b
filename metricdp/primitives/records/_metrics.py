"""What maps from one metric on tables to another share, when they leave the rows as they are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec

from metricdp.expr import D
from metricdp.primitives.records._columns import tables
from metricdp.record import Arg, Conclusion, Instance, refuse, scalar_moves
from metricdp.spaces import Maybe, Records, Scalar


def reread(
    name: str, x: Arg, after: Mapping[str, str], otherwise: str, factor: int, **changes: Any
) -> Conclusion:
    """The table under the metric that follows its own in `after`, `factor` times as far.

    Args:
        otherwise: what is true of tables under the other metrics.
        changes: what else is new in the space.

    Raises:
        Refusal: no table, or one whose metric is not in `after`.
    """
    space = x.space
    if not isinstance(space, Records) or space.metric not in after:
        raise refuse(
            "wrong-metric",
            f"the {otherwise.format(x.text)} already",
            need=f"Records under {' or '.join(after)} distance",
            help=f"leave `{name}` out: {x.text}",
        )
    result = msgspec.structs.replace(space, metric=after[space.metric], **changes)
    return Conclusion(result, {"x": scalar_moves(factor * D)})


def rows(x: Any) -> list[Any]:
    """The rows."""
    return list(x)


def as_it_is(x: Any) -> Any:
    """A column, or a table, as it is."""
    return x


def under(metrics: Collection[str]) -> Iterator[Instance]:
    """Tables under these metrics, of numbers and of numbers that may be missing."""
    for row in (Scalar("Data", kind="int"), Maybe(Scalar("Data", kind="float"))):
        for metric, space in tables(row):
            if metric in metrics:
                yield Instance({"x": space})
