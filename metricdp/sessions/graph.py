"""What a tracked value is made of: operations on tables, kept as data and run at a release.

Nothing is computed before a release is paid for, so a tracked value holds no private number; and a
function that was given to `count` or `map` runs as the operations it was seen to make, whatever it
would do if it were called again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metricdp.maps.steps import shown
from metricdp.run.machine import Machine
from metricdp.run.rewrite import MAP
from metricdp.run.rowwise import ProvedBounds
from metricdp.sessions.asking import canonical, is_plain
from metricdp.spaces import Space


class Operation:
    """A source of values: a table by name, a formal argument, or an operation on operands.

    Args:
        rows: the space in which the rows of a map were proved to lie.
    """

    __slots__ = ("arguments", "keywords", "kind", "name", "rows")

    def __init__(
        self,
        kind: str,
        name: Any,
        arguments: Sequence[Any] = (),
        keywords: Mapping[str, Any] | None = None,
        rows: Space | None = None,
    ) -> None:
        self.kind, self.name, self.rows = kind, name, rows
        self.arguments, self.keywords = tuple(arguments), dict(keywords or {})

    def operands(self) -> list[Any]:
        """Everything that it is applied to."""
        return [*self.arguments, *self.keywords.values()]


class RowFunction:
    """A function of rows: its formal arguments and the node of its result."""

    __slots__ = ("formals", "result")

    def __init__(self, formals: Sequence[Operation], result: Any) -> None:
        self.formals, self.result = tuple(formals), result


def evaluate(node: Any, tables: Mapping[str, Any], machine: Machine) -> Any:
    """The exact value of a node.

    Args:
        tables: admitted values by name; private.
        machine: applies the reference functions; it is told what was proved of the rows of maps.
    """
    return _value(node, tables, machine, {})


def _value(node: Any, tables: Mapping[str, Any], machine: Machine, known: dict[int, Any]) -> Any:
    if isinstance(node, RowFunction):
        _captured(node.result, tables, machine, known)

        def function(*rows: Any) -> Any:
            inner = {**known, **{id(f): r for f, r in zip(node.formals, rows, strict=True)}}
            return _value(node.result, tables, machine, inner)

        return function
    if not isinstance(node, Operation):
        return node
    if id(node) in known:
        return known[id(node)]
    if node.kind == "table":
        found = tables[node.name]
    else:
        arguments = [_value(a, tables, machine, known) for a in node.arguments]
        keywords = {k: _value(v, tables, machine, known) for k, v in node.keywords.items()}
        if node.kind == "field":
            found = _field(arguments[0], node.name)
        elif node.name == MAP:
            place = f"{MAP} {id(node)}"
            machine.bounds = ProvedBounds({place: node.rows}, {})
            found = machine.placed(place, MAP, None, *arguments, **keywords)
        else:
            found = machine.primitive(node.name, None, *arguments, **keywords)
    known[id(node)] = found
    return found


def _captured(
    node: Any, tables: Mapping[str, Any], machine: Machine, known: dict[int, Any]
) -> bool:
    """Compute once what a function of rows reads besides its rows; whether all of it was."""
    if isinstance(node, RowFunction):
        return _captured(node.result, tables, machine, known)
    if not isinstance(node, Operation):
        return True
    if node.kind == "formal":
        return False
    parts = [_captured(operand, tables, machine, known) for operand in node.operands()]
    if all(parts):
        _value(node, tables, machine, known)
    return all(parts)


def _field(row: Any, name: Any) -> Any:
    if isinstance(name, int) or isinstance(row, Mapping):
        return row[name]
    return getattr(row, name)


def described(node: Any, seen: dict[int, int] | None = None) -> Any:
    """The operations as plain lists, the same for the same operations: what a key is made of."""
    seen = {} if seen is None else seen
    if isinstance(node, RowFunction):
        formals = [described(formal, seen) for formal in node.formals]
        return ["function", formals, described(node.result, seen)]
    if not isinstance(node, Operation):
        if is_plain(node):
            return canonical(node)
        return [type(node).__name__, repr(node)]
    if id(node) in seen:
        return ["again", seen[id(node)]]
    seen[id(node)] = len(seen)
    arguments = [described(a, seen) for a in node.arguments]
    keywords = [[k, described(v, seen)] for k, v in sorted(node.keywords.items())]
    return [node.kind, node.name, arguments, keywords]


def written(node: Any) -> list[str]:
    """One line per operation, innermost first."""
    names: dict[int, str] = {}
    lines: list[str] = []

    def visit(item: Any) -> str:
        if isinstance(item, RowFunction):
            return f"row -> {visit(item.result)}"
        if not isinstance(item, Operation):
            return shown(item)
        if item.kind == "table":
            return str(item.name)
        if item.kind == "formal":
            return "row"
        if item.kind == "field":
            return f"{visit(item.arguments[0])}.{item.name}"
        if id(item) not in names:
            parts = [*map(visit, item.arguments)]
            parts += [f"{k}={visit(v)}" for k, v in item.keywords.items()]
            name = f"v{len(names) + 1}"
            lines.append(f"{name} = {item.name}({', '.join(parts)})")
            names[id(item)] = name
        return names[id(item)]

    visit(node)
    return lines


def tables_of(node: Any) -> set[str]:
    """Names of the tables that a node reads."""
    found: set[str] = set()
    pending, seen = [node], set()
    while pending:
        item = pending.pop()
        if isinstance(item, RowFunction):
            pending.append(item.result)
        elif isinstance(item, Operation) and id(item) not in seen:
            seen.add(id(item))
            if item.kind == "table":
                found.add(item.name)
            pending += item.operands()
    return found
