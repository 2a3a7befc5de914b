"""Methods of columns of data frames, in the names of Ibis, as Python says them of one row."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

#: Methods of dates that are attributes in Python.
_PARTS_OF_DATES: Final = frozenset({"year", "month", "day", "hour", "minute", "second"})
#: Types that a column may be cast to -> the function of Python.
_CASTS: Final = {"int": "int", "int64": "int", "float": "float", "float64": "float", "str": "str",
                 "string": "str"}  # fmt: skip


def method_of(
    method: str,
    node: ast.Call,
    value: Callable[[], ast.expr],
    of: Callable[[ast.expr], ast.expr],
) -> ast.expr | None:
    """What a method of a column is for one row; None for those that texts and dates have.

    Args:
        method: its name.
        node: the call.
        value: makes the expression of the row's value, anew each time.
        of: makes the expression of an argument for one row.
    """
    named = {each.arg: each.value for each in node.keywords}
    match method, node.args, named:
        case "clip", [low, high], {} if not named:
            return called("min", called("max", value(), of(low)), of(high))
        case "clip", [], {"lower": low, "upper": high} if len(named) == 2:
            return called("min", called("max", value(), of(low)), of(high))
        case "isin", [items], {} if not named:
            return ast.Compare(value(), [ast.In()], [of(items)])
        case "notin", [items], {} if not named:
            return ast.Compare(value(), [ast.NotIn()], [of(items)])
        case "between", [low, high], {} if not named:
            return ast.Compare(of(low), [ast.LtE(), ast.LtE()], [value(), of(high)])
        case "isnull", [], {} if not named:
            return ast.Compare(value(), [ast.Is()], [ast.Constant(None)])
        case "notnull", [], {} if not named:
            return ast.Compare(value(), [ast.IsNot()], [ast.Constant(None)])
        case "ifelse", [then, other], {} if not named:
            return ast.IfExp(value(), of(then), of(other))
        case "fill_null", [other], {} if not named:
            missing = ast.Compare(value(), [ast.Is()], [ast.Constant(None)])
            return ast.IfExp(missing, of(other), value())
        case "contains", [part], {} if not named:
            return ast.Compare(of(part), [ast.In()], [value()])
        case "abs", [], {} if not named:
            return called("abs", value())
        case "length", [], {} if not named:
            return called("len", value())
        case "cast", [ast.Constant(value=str(kind))], {} if not named and kind in _CASTS:
            return called(_CASTS[kind], value())
        case part, [], {} if not named and part in _PARTS_OF_DATES:
            return ast.Attribute(value(), part, ast.Load())
    return None


def is_condition(node: ast.expr) -> bool:
    """Whether an expression is true or false by how it is written."""
    if isinstance(node, ast.Compare | ast.BoolOp):
        return True
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert | ast.Not):
        return isinstance(node.op, ast.Not) or is_condition(node.operand)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr):
        return is_condition(node.left) or is_condition(node.right)
    tests = ("isin", "notin", "between", "isnull", "notnull", "contains")
    call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return call and node.func.attr in tests  # type: ignore[attr-defined]


def called(function: str, *args: ast.expr) -> ast.expr:
    """The call of a function of Python."""
    return ast.Call(read(function), [*args], [])


def read(name: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(name, ast.Load())
