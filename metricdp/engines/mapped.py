"""Functions of values that Python computes: asked once for the different ones of all rows.

An engine is asked for the different values of the arguments, Python computes, and the results go
back as a small table that every row finds its own in.  So a function of a text means the same as in
arrays, whatever the engine would make of `lower`, of `strip` or of the order of texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from metricdp.columns.language import Node
from metricdp.columns.reference import value_of
from metricdp.engines.dialect import NOTHING, Dialect, NoForm, encoded
from metricdp.engines.forms import WHOLE, saturates

#: Kinds of arguments of which a table has few different values, and equal ones are the same.
_KEYS: Final = frozenset(("integer", "boolean", "text"))


class Mapping:
    """One function of values, over one query.

    Args:
        sql: how the engine writes.
        node: of the operator "by_value" or "text".
        given: for every argument a public value, in a list of one, or its expression.
        name: of the result; names of the small table's columns begin with it.

    Attributes:
        name: of the result.

    Raises:
        NoForm: a function of doubles, or of whole numbers that have no bound.
    """

    def __init__(
        self, sql: Dialect, node: Node, given: Sequence[list[Any] | str], name: str
    ) -> None:
        self._sql, self._node, self._given, self.name = sql, node, given, name
        self._asked = [
            (a, text) for a, text in zip(node.arguments, given, strict=True)
            if isinstance(text, str)
        ]  # fmt: skip
        for a, _ in self._asked:
            if a.base not in _KEYS or a.width is not None:
                raise NoForm("a function of doubles that Python computes")
            if saturates(a):
                raise NoForm("a function of whole numbers that have no bound")
        for public in node.public if node.operator == "text" else ():
            encodable(public)

    def joined(self, source: str, ask: Callable[[str], list[tuple[Any, ...]]]) -> str:
        """The rows of a query, beside which the result stands; the engine is asked."""
        name = self.name
        listed = ", ".join(text for _, text in self._asked)
        keys = ask(f"SELECT DISTINCT {listed} FROM {source}")
        if not keys:
            return f"(SELECT *, {self._nothing} AS {name} FROM {source})"
        columns = [list(column) for column in zip(*keys, strict=True)]
        made = [*columns, [self._value(key) for key in keys]]
        bases = [*(a.base for a, _ in self._asked), self._node.base]
        named = [*(f"{name}_{at}" for at in range(len(columns))), f"{name}_r"]
        same = " AND ".join(
            f"{text} = {each}" for (_, text), each in zip(self._asked, named, strict=False)
        )
        # Of a relation that changed meanwhile a value may be new: no result may be missing.
        found = f"coalesce({name}_r, {self._nothing}) AS {name}"
        small = self._sql.small_table([*zip(named, made, bases, strict=True)])
        return f"(SELECT *, {found} FROM {source} LEFT JOIN {small} AS {name}_t ON {same})"

    @property
    def _nothing(self) -> str:
        text = NOTHING[self._node.base]
        return self._sql.collated(text) if self._node.base == "text" else text

    def _value(self, key: tuple[Any, ...]) -> Any:
        values = iter(key)
        found = value_of(
            self._node,
            *(next(values) if isinstance(text, str) else text[0] for text in self._given),
        )
        if self._node.base == "integer":
            return max(min(int(found), WHOLE), -WHOLE)
        return found


def encodable(public: Any) -> None:
    """Raises:
    NoForm: a text that an engine does not hold, which would come out of some rows' texts.
    """
    for each in public if isinstance(public, tuple | frozenset) else (public,):
        if isinstance(each, str):
            encoded(each)
        elif isinstance(each, tuple | frozenset):
            encodable(each)
