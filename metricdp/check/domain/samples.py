"""Samples of rows that are open, and where what reads a sample is amplified.

A sample is a fresh source of movement: one row of the sample.  It lives for one round of the loop,
or one run of the function, that draws it; at the end everything that was spent on it is put under
one `Sampled` node, whose reading amplifies once (`measures.readings`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

import msgspec

from metricdp.check.domain.state import CheckState
from metricdp.check.values.findings import stop
from metricdp.check.values.forms import Source
from metricdp.check.values.objects import AlignedParts, ListRef, Obj, TupleValue, Value
from metricdp.measures.events import Sampled, consumed
from metricdp.measures.events import Sequence as Composition


class Open(msgspec.Struct, frozen=True):
    """A sample whose round has not ended: its source, and the source whose rows it is of."""

    row: Source
    parent: Source
    scheme: Any
    adjacency: str
    site: str


def close_samples(state: CheckState, mark: tuple[int, ...]) -> None:
    """Put what was spent on every sample drawn since `mark` under one node; the last drawn first.

    What lies between the first and the last event that read the sample stays between them.
    """
    first, opened = mark[2], state.samples[mark[6] :]
    del state.samples[mark[6] :]
    for each in reversed(opened):
        items = state.trace[first:]
        reading = [i for i, tree in enumerate(items) if each.row in consumed(tree)]
        # What nobody reads costs nothing; a run draws it, and finds it here.
        low, high = (reading[0], reading[-1] + 1) if reading else (len(items), len(items))
        inside = tuple(items[low:high])
        body = inside[0] if len(inside) == 1 else Composition(inside)
        node = Sampled(body, each.row, each.parent, each.scheme, each.adjacency, each.site)
        state.trace[first + low : first + high] = [node]


def refuse_escapes(
    domain: Any, mark: tuple[int, ...], states: Iterable[Obj], module: Any, node: ast.AST
) -> None:
    """No state of a loop may keep rows of a sample for a later round, where it is not amplified.

    Raises:
        Stop: one does.
    """
    rows = {each.row for each in domain.state.samples[mark[6] :]}
    if rows and any(_moves_with(domain, value, rows) for value in states):
        raise stop(
            module, node, "sample-kept",
            "a later round would read the sample of an earlier one, which is not secret then",
            "every sample read in the round that draws it",
            "release what is needed of the sample inside the round",
        )  # fmt: skip


def _moves_with(domain: Any, value: Obj, rows: set[Source]) -> bool:
    if isinstance(value, TupleValue):
        return any(_moves_with(domain, item, rows) for item in value.items)
    if isinstance(value, AlignedParts):
        return any(_moves_with(domain, item, rows) for item in value.parts)
    if isinstance(value, ListRef):
        return False
    return isinstance(value, Value) and not rows.isdisjoint(domain.movement(value))
