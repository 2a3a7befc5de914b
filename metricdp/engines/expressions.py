"""The columnar language in SQL: exactly the values that `columns.reference` gives.

What the SQL of an operator is, `forms` says; here operators are put together to one query.  What is
used several times is a column of an inner query, and so is what Python computes (`mapped`).  What
has no form is refused by its name, before the engine is asked for anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import count
from typing import Any, Final, Protocol

from metricdp.columns.graphs import in_order
from metricdp.columns.grids import Bound
from metricdp.columns.language import OPERATORS, Node
from metricdp.columns.reference import value_of
from metricdp.engines import elementary
from metricdp.engines.dialect import NoForm
from metricdp.engines.entries import EntryNodes
from metricdp.engines.forms import (
    FORMS,
    NAMES,
    REPEATING,
    clamped,
    form_of_text,
    holds_saturated,
    saturates,
)
from metricdp.engines.mapped import Mapping
from metricdp.engines.sources import EngineSource, answered
from metricdp.engines.steps import steps


class StoredColumn(Protocol):
    """A stored column of an engine."""

    @property
    def clean(self) -> str:
        """The expression of its clean values."""

    def clamped(self, low: Any, high: Any) -> str | None:
        """The expression of its values, moved between two numbers; None where there is none."""


class _Layer:
    """One query around another: columns that it adds."""

    def __init__(self) -> None:
        self.named: list[str] = []
        self.mapped: list[Mapping] = []


class Expressions:
    """The SQL of some nodes over one table.

    Args:
        columns: the stored columns.
        source: where their rows lie.

    Raises:
        NoForm: an operation has none.
    """

    def __init__(
        self, columns: Sequence[StoredColumn], source: EngineSource, nodes: Sequence[Node]
    ) -> None:
        self._columns, self._rows, self._sql = columns, source, source.dialect
        self._prefix = _fresh(source.schema)
        self._text: dict[int, str] = {}
        self._level: dict[int, int] = {}
        self._layers: list[_Layer] = []
        self._held: list[Node] = []  # so that no `id` is used again
        self._names = count()
        self._public: dict[int, Any] = {}
        made, flat = EntryNodes(), []
        self._flat: dict[int, Node | list[Node]] = {}
        for node in nodes:
            self._held.append(node)
            self._flat[id(node)] = found = made.of(node)
            flat.extend(found if isinstance(found, list) else [found])
        ordered, _ = in_order(flat)
        self._uses = Counter(id(a) for node in ordered for a in node.arguments)
        self._uses.update(map(id, flat))
        for node in ordered:
            if node.operator in REPEATING | self._sql.repeating:
                self._uses.update(map(id, node.arguments))
        for node in ordered:
            self._add(node)

    def of(self, node: Node) -> str:
        """The expression of one of the nodes, in the outermost query.

        Raises:
            NoForm: whole numbers that are right up to 62 bits only.
        """
        flat = self._flat[id(node)]
        if isinstance(flat, list):
            raise NoForm("vectors that are no sums")
        if saturates(flat):
            raise NoForm("whole numbers that have no bound")
        return self._text[id(flat)]

    def steps(self, node: Node, bound: Bound) -> list[str]:
        """What rows add of a number or a vector, in steps of its grid: integers of 64 bits, or
        products of two of these.

        Raises:
            NoForm: a grid whose steps do not fit.
        """
        flat = self._flat[id(node)]
        entries = flat if isinstance(flat, list) else [flat]
        made = [(self._text[id(each)], each) for each in entries]
        return steps(self._sql, made, bound, self.kept)

    def kept(self, texts: Sequence[str]) -> list[str]:
        """Expressions as columns of one more inner query: their names."""
        names = [self._new_name() for _ in texts]
        layer = _Layer()
        layer.named += [f"{text} AS {name}" for text, name in zip(texts, names, strict=True)]
        self._layers.append(layer)
        return names

    def source(self) -> str:
        """What stands behind FROM of the outermost query; the engine is asked for values of which
        Python computes functions."""
        found = self._rows.rows
        for layer in self._layers:
            for mapping in layer.mapped:
                found = mapping.joined(found, lambda text: answered(self._rows, text, []))
            if layer.named:
                found = f"(SELECT *, {', '.join(layer.named)} FROM {found})"
        return found

    def _add(self, node: Node) -> None:
        self._held.append(node)
        given = node.arguments
        public = node.operator in OPERATORS and all(id(a) in self._public for a in given)
        if public and node.operator != "stored":
            value = value_of(node, *[self._public[id(a)] for a in given])
            self._public[id(node)] = value
            self._text[id(node)] = self._sql.literal(value, node)
            self._level[id(node)] = 0
            return
        if node.operator == "stored":
            self._name(node, self._columns[node.public].clean, 0)
            return
        level = max((self._level[id(a)] for a in given), default=0)
        text = self._made(node)
        if text is None:
            self._map(node, level)
            return
        self._name(node, self._sql.collated(text) if node.base == "text" else text, level)

    def _name(self, node: Node, text: str, level: int) -> None:
        """Keep an expression, by a name where it is used more than once."""
        if self._uses[id(node)] > 1 and not text.isidentifier():
            name = self._new_name()
            self._layer(level).named.append(f"{text} AS {name}")
            text, level = name, level + 1
        self._text[id(node)], self._level[id(node)] = text, level

    def _map(self, node: Node, level: int) -> None:
        """Leave a function to Python."""
        given: list[list[Any] | str] = [
            [self._public[id(a)]] if id(a) in self._public else self._text[id(a)]
            for a in node.arguments
        ]
        mapping = Mapping(self._sql, node, given, self._new_name())
        self._layer(level).mapped.append(mapping)
        self._text[id(node)], self._level[id(node)] = mapping.name, level

    def _new_name(self) -> str:
        return f"{self._prefix}{next(self._names)}"

    def _layer(self, level: int) -> _Layer:
        while len(self._layers) <= level:
            self._layers.append(_Layer())
        return self._layers[level]

    def _made(self, node: Node) -> str | None:
        """The form of an operator; None where Python computes it of the different values."""
        sql, operator = self._sql, node.operator
        given = [self._text[id(a)] for a in node.arguments]
        if operator == "by_value":
            return None
        if operator == "text":
            return form_of_text(sql, node, *given)
        if operator in elementary.FORMS:
            return elementary.FORMS[operator](sql, node, *given)
        if operator != "clamp" and operator not in FORMS:
            raise NoForm(NAMES.get(operator, f"`{operator}`"))
        if any(map(saturates, node.arguments)) and not holds_saturated(node):
            raise NoForm("whole numbers that have no bound")
        return self._clamped(node) if operator == "clamp" else FORMS[operator](sql, node, *given)

    def _clamped(self, node: Node) -> str:
        (x,) = node.arguments
        low, high = node.public
        if x.operator == "stored" and x.base == "double":
            found: str | None = self._columns[x.public].clamped(low, high)
            if found is not None:
                return found
        return clamped(self._sql, self._text[id(x)], low, high, node)


_PREFIX: Final = "metricdp_"


def _fresh(schema: dict[str, str]) -> str:
    """What names of our own begin with: no column's does, in capitals or not."""
    there = [column.lower() for column in schema]
    prefix = _PREFIX
    while any(column.startswith(prefix) for column in there):
        prefix += "_"
    return prefix
