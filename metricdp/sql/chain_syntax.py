"""Methods of data frames on a table of a session, as syntax, and what they are of one row.

A chain is written down with `_` for the table so far.  What a method of a column means is said
once, for checked programs (`run.frame_columns`), and written into the program of a chain.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from copy import deepcopy
from datetime import date, datetime
from fractions import Fraction
from math import isfinite
from typing import Any, NamedTuple

from metricdp.errors import ParameterError, TrackedError
from metricdp.plain import plain, type_name
from metricdp.run.frame_columns import is_condition, method_of

#: The table so far, in syntax.
TABLE = "_"


class ChainPart(NamedTuple):
    """A number of a table.

    Attributes:
        kind: "count", "sum", "mean", "quantile", "nunique", "var" or "std".
        value: what it is of, one row each; None of a count.
        where: which rows count; None: all do.
        share: which quantile.
    """

    kind: str
    value: ast.expr | None
    where: ast.expr | None
    share: Any = None


def leaf(name: str) -> ast.expr:
    """A column of the table so far."""
    if name.isidentifier():
        return ast.Attribute(ast.Name(TABLE, ast.Load()), name, ast.Load())
    return ast.Subscript(ast.Name(TABLE, ast.Load()), ast.Constant(name), ast.Load())


def name_of(node: ast.AST) -> str | None:
    """The name of a column; None of any other expression."""
    if isinstance(node, ast.Attribute | ast.Subscript) and getattr(node.value, "id", "") == TABLE:
        if isinstance(node, ast.Attribute):
            return node.attr
        return str(getattr(node.slice, "value", ""))
    return None


def columns_of(node: ast.AST) -> set[str]:
    """Names of the columns that an expression reads."""
    return {name for each in ast.walk(node) if (name := name_of(each)) is not None}


def shown(node: ast.AST) -> str:
    """Syntax as text."""
    return ast.unparse(ast.fix_missing_locations(node))


def literal(given: Any) -> ast.expr:
    """A public value as syntax, written anew.

    Raises:
        TrackedError: no plain value.
    """
    try:
        found = plain(given, "a column")
    except ParameterError:
        found = given
    if found is None or type(found) in (bool, str):
        return ast.Constant(found)
    if type(found) is int or (type(found) is float and isfinite(found)):
        size = ast.Constant(abs(found))
        return ast.UnaryOp(ast.USub(), size) if found < 0 else size
    if type(found) in (date, datetime) and getattr(found, "tzinfo", None) is None:
        parts = list(found.timetuple()[: 3 if type(found) is date else 6])
        parts += [found.microsecond] if getattr(found, "microsecond", 0) else []
        name = ast.Name(type(found).__name__, ast.Load())
        return ast.Call(name, [ast.Constant(each) for each in parts], [])
    if isinstance(found, tuple | list | range):
        return ast.Tuple([literal(each) for each in found], ast.Load())
    raise TrackedError(
        f"a {type_name(given)} next to a column of a session has no rule",
        remedy="columns of the same table, and public numbers, texts, dates and lists of them",
    )


#: Methods of texts that are true or false.
_TESTS = frozenset({"startswith", "endswith"})
_LOGIC: Mapping[type, Callable[[], ast.boolop]] = {ast.BitAnd: ast.And, ast.BitOr: ast.Or}


class RowColumns:
    """What columns of the table so far are of one row.

    Args:
        columns: name -> its expression.
        conditions: which of these are true or false, as syntax.
    """

    def __init__(self, columns: Mapping[str, ast.expr], conditions: frozenset[str]) -> None:
        self.columns, self.conditions = columns, conditions

    def with_columns(self, more: Mapping[str, ast.expr]) -> RowColumns:
        """The same and some more; those of a known name are replaced."""
        return RowColumns({**self.columns, **more}, self.conditions)

    def only(self, names: tuple[str, ...]) -> RowColumns:
        """Some of them."""
        return RowColumns({name: self.columns[name] for name in names}, self.conditions)

    def is_true_or_false(self, node: ast.expr) -> bool:
        """Whether the expression of a row is a truth value."""
        called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        test = called and node.func.attr in _TESTS  # type: ignore[attr-defined]
        return is_condition(node) or test or ast.dump(node) in self.conditions

    def of(self, node: ast.expr) -> ast.expr:
        """What an expression of columns is of one row.

        Raises:
            TrackedError: a column that there is not, or bits of numbers.
        """
        name = name_of(node)
        if name is not None:
            if name not in self.columns:
                raise TrackedError(f"the table has no column {name} here",
                                   remedy=f"its columns: {', '.join(self.columns)}")  # fmt: skip
            return deepcopy(self.columns[name])
        if isinstance(node, ast.BinOp) and type(node.op) in _LOGIC:
            sides = [self.truth(node.left), self.truth(node.right)]
            return ast.BoolOp(_LOGIC[type(node.op)](), sides)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            return ast.UnaryOp(ast.Not(), self.truth(node.operand))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of = node.func.value
            found = method_of(node.func.attr, node, lambda: self.of(of), self.of)
            if found is not None:
                return found
            func = ast.Attribute(self.of(of), node.func.attr, ast.Load())
            named = [ast.keyword(each.arg, self.of(each.value)) for each in node.keywords]
            return ast.Call(func, [self.of(each) for each in node.args], named)
        return self._rebuilt(node)

    def truth(self, node: ast.expr) -> ast.expr:
        """A condition of one row, a side of `&`, `|` and `~`.

        Raises:
            TrackedError: what may be a number, whose bits these would join.
        """
        found = self.of(node)
        if not self.is_true_or_false(found):
            raise TrackedError(
                f"{shown(node)} is not known to be a condition",
                remedy="&, | and ~ join conditions: (t.n > 0) & (t.m == 1)",
            )
        return found

    def _rebuilt(self, node: ast.expr) -> ast.expr:
        fields: dict[str, Any] = {}
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                fields[field] = [self.of(e) if isinstance(e, ast.expr) else e for e in value]
            else:
                fields[field] = self.of(value) if isinstance(value, ast.expr) else value
        made: ast.expr = type(node)(**fields)
        return made


def ends_of(node: ast.expr) -> tuple[Fraction, Fraction] | None:
    """The bounds of what was clipped: `min(max(x, low), high)`; None of anything else."""
    match node:
        case ast.Call(
            ast.Name("min"), [ast.Call(ast.Name("max"), [_, low], []), high], []
        ):  # fmt: skip
            ends = _number(low), _number(high)
            if ends[0] is not None and ends[1] is not None and ends[0] <= ends[1]:
                return ends[0], ends[1]
    return None


def _number(node: ast.expr) -> Fraction | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        found = _number(node.operand)
        return None if found is None else -found
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return Fraction(node.value)  # type: ignore[arg-type]
    return None
