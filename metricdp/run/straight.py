"""Rounds over rows that are nothing but records, one after the other: what they read from outside.

Such a round asks the same of every row whenever it runs, but for the numbers that it reads.  A
public vector that it gives to inner products with values of the row, and to nothing else, enters
what is asked as one constant (`run.traced_once`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

#: Records whose form for a row computes with the values it is given and asks for nothing else:
#: of a value of the row they make another one.
RECORDS: Final = frozenset(
    {
        "abs", "add", "clamp", "clip", "div", "dot", "exp", "log", "maximum", "minimum", "mul",
        "neg", "relu", "sigmoid", "softplus", "sqrt", "sub", "tanh", "undisc",
    }
)  # fmt: skip
#: The one that reads a public vector as one constant.
_PRODUCT: Final = "dot"


class Outside(NamedTuple):
    """Names that a round reads from outside.

    Attributes:
        vectors: those that only inner products with values of the row are given.
        others: all others.
    """

    vectors: tuple[str, ...]
    others: tuple[str, ...]


class _Other(Exception):
    """A round does something else."""


def read_from_outside(round_: ast.FunctionDef) -> Outside | None:
    """What a round reads from outside; None of one that is more than records of its row."""
    reading = _Reading(arg.arg for arg in round_.args.args)
    try:
        for statement in round_.body:
            reading.statement(statement)
    except _Other:
        return None
    vectors = reading.vectors - reading.others
    return Outside(tuple(sorted(vectors)), tuple(sorted(reading.others)))


class _Reading:
    """What the statements that were read so far say.

    Args:
        given: the parameters of the round, its row and its sums.

    Attributes:
        own: name that the round has made -> whether its value is certainly one of the row.
    """

    def __init__(self, given: Iterable[str]) -> None:
        self.own = dict.fromkeys(given, True)
        self.vectors: set[str] = set()
        self.others: set[str] = set()

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Return) and node.value is not None:
            self._items(node.value)
        elif isinstance(node, ast.Assign):
            of_row = self._value(node.value)
            for target in node.targets:
                self._target(target, of_row)
        else:
            raise _Other

    def _items(self, node: ast.expr) -> None:
        for item in node.elts if isinstance(node, ast.Tuple) else [node]:
            self._value(item)

    def _target(self, node: ast.expr, of_row: bool) -> None:
        if isinstance(node, ast.Tuple):
            for item in node.elts:
                self._target(item, of_row)
        elif isinstance(node, ast.Name):
            self.own[node.id] = of_row
        else:
            raise _Other

    def _value(self, node: ast.expr) -> bool:
        """Whether a value is certainly one of the row."""
        if _is_number(node):
            return False
        if isinstance(node, ast.Name):
            if node.id not in self.own:
                self.others.add(node.id)
            return self.own.get(node.id, False)
        if not isinstance(node, ast.Call) or any(isinstance(a, ast.Starred) for a in node.args):
            raise _Other
        if isinstance(node.func, ast.Name) and node.func.id == "_Exact":
            if all(map(_is_number, node.args)) and not node.keywords:
                return False
            raise _Other
        return self._record(node)

    def _record(self, node: ast.Call) -> bool:
        called: Any = node.func
        machine = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name)
        if not machine or (called.value.id, called.attr) != ("_machine", "primitive"):
            raise _Other
        name, _, *given = node.args
        if not isinstance(name, ast.Constant) or name.value not in RECORDS:
            raise _Other
        given = [*given, *(keyword.value for keyword in node.keywords)]
        vector = self._vector(given) if name.value == _PRODUCT else None
        if vector is not None:
            self.vectors.add(vector)
            return True
        of_row = [self._value(each) for each in given]  # all of them are read
        return any(of_row)

    def _vector(self, given: list[ast.expr]) -> str | None:
        """The name from outside that is multiplied with a value of the row."""
        outside = [each for each in given if isinstance(each, ast.Name) and each.id not in self.own]
        if len(given) != 2 or len(outside) != 1:
            return None
        (other,) = (each for each in given if each is not outside[0])
        return outside[0].id if self._value(other) else None


def _is_number(node: ast.expr) -> bool:
    """Whether an expression is a literal: -1 is one in Python's tree only nearly."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        return isinstance(node.operand, ast.Constant)
    return isinstance(node, ast.Constant)
