"""What functions of rows make of a row, kept with a program from one run to the next.

A node says how a value comes from stored columns, and holds nothing of the data.  A function that
is nothing but records of its row (`closed`) makes the same nodes of the same row whenever it is
called.  So rows that enter alike are one object in every run, and so is what such functions make of
them; what was planned for nodes is then found by who they are, and not by all that they say
(`planned`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from metricdp.columns.closed import is_closed
from metricdp.columns.language import Node

#: Rows, results and nodes of one program; beyond that nothing more is kept.
_MOST: Final = 1024


class TracedRows:
    """The rows of one program, and what was made of them; all of it lives as long as this.

    Attributes:
        nodes: `id` of a node that is the same in every run -> the node.
    """

    __slots__ = ("_entered", "_made", "_rows", "nodes")

    def __init__(self) -> None:
        self._entered: dict[Any, Any] = {}
        self._rows: dict[int, Any] = {}
        self._made: dict[Any, tuple[Any, Any]] = {}
        self.nodes: dict[int, Node] = {}

    @property
    def full(self) -> bool:
        """Whether there are too many, and nothing more is kept."""
        return len(self.nodes) > _MOST or len(self._rows) > _MOST or len(self._made) > _MOST

    def row(self, row: Any) -> Any:
        """The row that is the same in every run in place of one like it; None where there is none.

        Rows of single columns have one as they enter, and what is kept of them has.
        """
        if id(row) in self._rows:
            return row
        key = _of_columns(row)
        if key is None:
            return None
        found = self._entered.get(key)
        if found is None and self.hold(row):
            found = self._entered[key] = row
        return found

    def hold(self, row: Any) -> bool:
        """Have a row that was made of a kept one live as long as this; False, and it does not,
        where there are too many."""
        if self.full:
            return False
        self._rows[id(row)] = row
        for node in _nodes(row):
            self.nodes[id(node)] = node
        return True

    def traced(self, function: Any, row: Any, make: Callable[[Any, Any], Any]) -> Any:
        """`make(function, row)`, or what that gave before."""
        same = self.row(row) if is_closed(function) else None
        if same is None:
            return make(function, row)
        code = function.__code__
        return self.once((id(code), id(same)), code, lambda: make(function, same))

    def once(self, key: Any, held: Any, make: Callable[[], Any]) -> Any:
        """What a function makes, or made before of the same.

        Args:
            key: tells it from anything else, as long as `held` lives and the rows that it names.
        """
        found = self._made.get(key)
        if found is None:
            found = held, make()
            if self.hold(found[1]):
                self._made[key] = found
        return found[1]


def _nodes(row: Any) -> list[Node]:
    """The nodes that a row is, or has as its parts."""
    if isinstance(row, Node):
        return [row]
    parts = row.values() if isinstance(row, dict) else row if isinstance(row, tuple) else ()
    return [node for part in parts for node in _nodes(part)]


def _of_columns(row: Any) -> Any:
    """What tells rows of single columns apart; None of any other row."""
    if isinstance(row, Node):
        if row.operator != "stored":
            return None
        return row.public, row.base, row.width, row.most, row.range
    if isinstance(row, dict):
        parts, names = tuple(map(_of_columns, row.values())), tuple(row)
    elif isinstance(row, tuple):
        parts, names = tuple(map(_of_columns, row)), ()
    else:
        return None
    return None if None in parts else (type(row), names, parts)
