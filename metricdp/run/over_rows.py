"""Operators on tables of numbers, as the comprehensions that they mean.

`a ** 2` of a table is `[v ** 2 for v in a]`, `a - b` of two columns is
`[x - y for x, y in zip(a, b)]`, `a[b]` of a table and truth values is
`[x for x, y in zip(a, b) if y]`, `where(a, x, y)` is `[x if v else y for v in a]`, `t["x"]` is
`[row.x for row in t]`, and `norm(m, axis=1)` of a matrix `[norm(row) for row in m]`.  Check says of
a node which of its operands are tables, and reads the comprehension in its place; a run executes
the same.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Final

from metricdp.run.frames import as_column
from metricdp.run.grouping import WRITTEN

#: What the comprehension goes through: a table, or several side by side.
ROWS: Final = ".rows"
_KEPT: Final = "_metricdp_over_rows"
#: `&`, `|` and `~` of truth values, one row at a time.
_CONNECTIVES: Final[Mapping[type, Callable[[], ast.boolop]]] = {
    ast.BitAnd: ast.And,
    ast.BitOr: ast.Or,
}


def operands(node: ast.AST) -> list[ast.expr]:
    """What stands on the sides of an operator, in brackets, or between parentheses."""
    match node:
        case ast.BinOp():
            return [node.left, node.right]
        case ast.UnaryOp():
            return [node.operand]
        case ast.Compare(comparators=[right]):
            return [node.left, right]
        case ast.Subscript():
            return [node.value, node.slice]
        case ast.Attribute():
            return [node.value]
        case ast.Call():
            return node.args
    return []


def name_of(at: int) -> str:
    """The name of an operand, which no program can write."""
    return f".operand_{at}"


def _row_of(at: int) -> str:
    """The name of what one row has of an operand."""
    return f".row_{at}"


def over_rows(node: ast.expr, tables: tuple[int, ...]) -> ast.ListComp:
    """The comprehension that a node means; its one loop goes through the operands at `tables`."""
    kept: dict[tuple[int, ...], ast.ListComp] = vars(node).setdefault(_KEPT, {})
    if tables not in kept:
        made = _comprehension(node, tables)
        place = _place_of(node)
        for part in ast.walk(made):
            if isinstance(part, ast.expr) and not hasattr(part, "lineno"):
                for name, value in place.items():
                    setattr(part, name, value)
        for at, operand in enumerate(operands(node)):
            _say(made, (name_of(at), _row_of(at)), ast.unparse(operand))
        _say(made, (ROWS,), ast.unparse(operands(node)[tables[0]]))
        # The first one stays: another thread may read the same tree, and keys are its nodes.
        kept.setdefault(tables, made)
    return kept[tables]


def is_meant(node: ast.ListComp) -> bool:
    """Whether a comprehension was made here."""
    source = node.generators[0].iter
    return isinstance(source, ast.Name) and source.id == ROWS


def _say(made: ast.AST, names: tuple[str, ...], text: str) -> None:
    """Messages name an operand as it is written."""
    for part in ast.walk(made):
        if isinstance(part, ast.Name) and part.id in names:
            setattr(part, WRITTEN, text)


def _comprehension(node: ast.expr, tables: tuple[int, ...]) -> ast.ListComp:
    given = [ast.Name(_row_of(at) if at in tables else name_of(at), ast.Load())
             for at in range(len(operands(node)))]  # fmt: skip
    targets = [ast.Name(given[at].id, ast.Store()) for at in tables]
    target: ast.expr = targets[0] if len(targets) == 1 else ast.Tuple([*targets], ast.Store())
    tests: list[ast.expr] = (
        [given[1]] if len(tables) == 2 and isinstance(node, ast.Subscript) else []
    )
    element = _of_one_row(node, [*given])
    return ast.ListComp(element, [ast.comprehension(target, ast.Name(ROWS, ast.Load()), tests, 0)])


def _of_one_row(node: ast.expr, given: list[ast.expr]) -> ast.expr:
    match node:
        case ast.BinOp() if type(node.op) in _CONNECTIVES:
            return ast.BoolOp(_CONNECTIVES[type(node.op)](), given)
        case ast.BinOp():
            return ast.BinOp(given[0], node.op, given[1])
        case ast.UnaryOp():
            op = ast.Not() if isinstance(node.op, ast.Invert) else node.op
            return ast.UnaryOp(op, given[0])
        case ast.Compare():
            return ast.Compare(given[0], node.ops, [given[1]])
        case ast.Subscript(slice=ast.Constant()):
            return as_column(ast.Subscript(given[0], node.slice, ast.Load()))
        case ast.Attribute():
            return ast.Attribute(given[0], node.attr, ast.Load())
        case ast.Subscript():
            return given[0]
        case ast.Call(ast.Attribute(_, "where"), [_, _, _]):
            return ast.IfExp(*given)
        case ast.Call(ast.Attribute(_, "square"), [_]):
            return ast.BinOp(given[0], ast.Pow(), ast.Constant(2))
        case ast.Call(ast.Attribute(numpy, "log1p"), [_]):
            more = ast.BinOp(ast.Constant(1), ast.Add(), given[0])
            return ast.Call(ast.Attribute(numpy, "log", ast.Load()), [more], [])
        case ast.Call():
            return ast.Call(node.func, given, [])
    raise TypeError(type(node).__name__)


def _place_of(node: ast.expr) -> dict[str, int | None]:
    """An address that no other node has: `a * b` begins where `a * b + c` does."""
    if isinstance(node, ast.BinOp | ast.Compare | ast.Subscript | ast.Attribute):
        first = operands(node)[0]
        return {"lineno": first.end_lineno, "col_offset": first.end_col_offset,
                "end_lineno": node.end_lineno, "end_col_offset": node.end_col_offset}  # fmt: skip
    return {"lineno": node.lineno, "col_offset": node.col_offset,
            "end_lineno": node.end_lineno, "end_col_offset": node.end_col_offset}  # fmt: skip
