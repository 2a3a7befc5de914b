"""Plans of passes, kept from one run of a program to the next.

A plan is a function of what its nodes say: operators, kinds, how large numbers can be, and public
values.  Nothing of the rows is in it, nor of the columns but their kinds.  So a program that asks
for the same again takes the plan that was made.  Public values are told apart with their types and
the sign of a zero; a node that holds anything but plain values, as a function from outside, is
planned each time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from fractions import Fraction
from typing import Any, Final, TypeVar

from metricdp.columns.graphs import in_order
from metricdp.columns.kept_rows import TracedRows
from metricdp.columns.language import Node

#: Plans of one program, and entries of a public value that are compared.
_MOST, _LONGEST = 256, 64
_EXACT: Final = frozenset({int, bool, str, type(None), Fraction})

Plans = dict[Any, Any]
Made = TypeVar("Made")

_PLANS: ContextVar[Plans | None] = ContextVar("metricdp_plans", default=None)


class keeping:
    """Plans that are made inside of the block are kept here; None: nowhere."""

    __slots__ = ("_plans", "_token")

    def __init__(self, plans: Plans | None) -> None:
        self._plans = plans

    def __enter__(self) -> None:
        plans = self._plans
        if plans is not None and (TracedRows not in plans or plans[TracedRows].full):
            plans.clear()
            plans[TracedRows] = TracedRows()
        self._token = _PLANS.set(plans)

    def __exit__(self, *failure: object) -> None:
        _PLANS.reset(self._token)


def kept() -> Plans | None:
    """The plans of the program that runs; None where none are kept."""
    return _PLANS.get()


def kept_rows() -> TracedRows | None:
    """The rows of the program that runs; None where none are kept."""
    plans = _PLANS.get()
    return None if plans is None else plans.get(TracedRows)


def planned(make: Callable[..., Made], nodes: Sequence[Node], *rest: Any) -> Made:
    """`make(nodes, *rest)`, or what that gave before.

    Args:
        make: a function of a module, whose result nobody writes on.
        rest: what can be a key, of one type at each place.
    """
    plans = _PLANS.get()
    known = None if plans is None else told(nodes)
    if plans is None or known is None:
        return make(nodes, *rest)
    key = make, known, rest
    found: Made | None = plans.get(key)
    if found is None:
        if len(plans) >= _MOST:
            plans.clear()
        found = plans[key] = make(nodes, *rest)
    return found


def told(nodes: Sequence[Node]) -> Any:
    """What nodes say that a plan can depend on; None where a public value is no plain one.

    Of nodes that are the same in every run it is who they are.
    """
    rows = kept_rows()
    if rows is not None and all(id(node) in rows.nodes for node in nodes):
        return rows, *map(id, nodes)  # who has the key has the nodes
    ordered, place = in_order(nodes)
    found: list[Any] = [place[id(node)] for node in nodes]
    for node in ordered:
        public = _plainly(node.public)
        if public is None:
            return None
        given = tuple([place[id(a)] for a in node.arguments])
        found.append((node.operator, node.base, node.width, node.most, public, given))
    return tuple(found)


def _plainly(public: Any) -> Any:
    """A public value with its type and the sign of a zero; None of any other value."""
    kind = type(public)
    if kind in _EXACT:
        return kind, public
    if kind is float:
        return kind, public.hex()
    if kind is not tuple or len(public) > _LONGEST:
        return None
    parts = tuple(map(_plainly, public))
    return None if None in parts else parts
