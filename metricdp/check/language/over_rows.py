"""Operators and functions of numbers on tables of numbers: NumPy's way to write a comprehension.

Stability.  Nothing is claimed here: the comprehension that the expression means (`run.over_rows`)
is read in its place, by the rules of `map`, `filter` and `zip`, and a run executes that very tree.
Operands are evaluated once, before it.  Two tables stand side by side where both were made of the
rows of one table, none left out (`zipping`).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

import msgspec

from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.zipping import zipped
from metricdp.check.values import public
from metricdp.check.values.findings import Stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Builtin, Library, Obj, Value, Zip
from metricdp.run.over_rows import ROWS, name_of, operands, over_rows
from metricdp.spaces import Matrix, Owned, Records, Row, Scalar

#: What a run does at such a node; its name says which operands are tables.
ACTION = "over_rows"
#: Operators that Python's lists have themselves, where they mean something else.
_OF_LISTS = (ast.Add, ast.Mult, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_LOGIC = (ast.BitAnd, ast.BitOr, ast.Invert)
#: Functions of numbers that NumPy applies to every entry of an array, and `abs` of Python.
_OF_NUMBERS = frozenset(
    "abs absolute ceil cos exp floor log maximum minimum power rint round sin sqrt tanh "
    "trunc".split()
)
#: Those that are written in other words for one row, by the name behind the dot.
_IN_OTHER_WORDS = {"where": 3, "square": 1, "log1p": 1}
#: What `Value.holds` says of a table that the program made as a list.
LIST = "list"


def is_column(value: Obj) -> bool:
    """Whether a value is a private table with one value in each row."""
    space = value.space if isinstance(value, Value) and value.private else None
    return isinstance(space, Records) and isinstance(space.row, Scalar)


def is_of_numbers(callee: Obj, node: ast.Call) -> bool:
    """Whether a call is one of a function of numbers that NumPy applies to every entry."""
    if isinstance(callee, Builtin):
        return callee.name == "abs"
    numpy, _, name = callee.dotted.rpartition(".") if isinstance(callee, Library) else ("", "", "")
    dotted = isinstance(node.func, ast.Attribute) and node.func.attr == name
    if numpy == "numpy" and dotted and _IN_OTHER_WORDS.get(name) == len(node.args):
        return True
    return (numpy == "numpy" and name in _OF_NUMBERS) or (numpy, name) == ("scipy.special", "expit")


def as_list(value: Obj) -> Obj:
    """A table that Python holds in a list: `+` and `*` of it are no arithmetic."""
    if isinstance(value, Value) and is_column(value):
        return msgspec.structs.replace(value, holds=LIST)
    return value


def as_array(value: Obj) -> Obj:
    """The table of what was a list."""
    if isinstance(value, Value) and value.holds == LIST:
        return msgspec.structs.replace(value, holds="")
    return value


def in_each_row(
    interpreter: Interpreter, node: ast.AST, values: Sequence[Obj], frame: Frame
) -> Obj | None:
    """What an operator, or a function of numbers, gives for every row; None where no operand is a
    column, or another one is neither a column nor a single value."""
    columns = tuple(at for at, value in enumerate(values) if is_column(value))
    given = operands(node)
    if not columns or len(given) != len(values) or not isinstance(node, ast.expr):
        return None
    if not all(at in columns or _is_single(value) for at, value in enumerate(values)):
        return None
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        return None
    if isinstance(node, ast.Subscript) and not (len(columns) == 2 and _is_truth(values[1])):
        return None
    if isinstance(getattr(node, "op", None), _LOGIC) and not all(map(_is_truth, values)):
        return None
    if len(values) == 3 and not _is_truth(values[0]):
        return None
    _no_list(interpreter, node, values)
    source = values[columns[0]]
    if len(columns) > 1:
        beside = zipped(interpreter, Zip(tuple(values[at] for at in columns)), node)
        if beside is None:
            raise _other_rows(interpreter, [given[at] for at in columns], node)
        source = beside
    assert isinstance(source, Value)
    return _read(interpreter, node, columns, source, values, frame)


def field_of_each(
    interpreter: Interpreter, node: ast.Subscript | ast.Attribute, table: Obj, frame: Frame
) -> Obj | None:
    """`t["x"]` or `t.x` of a table whose rows have this attribute; None of anything else."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node.slice, "value", None)
    space = table.space if isinstance(table, Value) and table.private else None
    row = space.row if isinstance(space, Records | Owned) else None
    kinds = ("attributes",) if isinstance(node, ast.Attribute) else ("attributes", "items")
    if not isinstance(row, Row) or row.kind not in kinds or name not in row.names:
        return None
    assert isinstance(table, Value)
    return _read(interpreter, node, (0,), table, [table], frame)


def norms_of_rows(
    interpreter: Interpreter, node: ast.Call, matrix: Obj, keywords: Mapping[str, Obj], frame: Frame
) -> Obj | None:
    """`numpy.linalg.norm(m, axis=1)` of a private matrix; None where no axis is named.

    Raises:
        Stop: other axes and keywords, or discrete entries, which have no norm that is bounded.
    """
    if not keywords or not isinstance(matrix, Value) or not isinstance(matrix.space, Matrix):
        return None
    text, called = interpreter.text(node.args[0]), ast.unparse(node.func)
    axis = getattr(keywords.get("axis"), "literal", None)
    if keywords.keys() != {"axis"} or axis not in (1, -1) or len(node.args) > 1:
        raise interpreter.stop(
            node, "unsupported-keyword",
            f"`{called}` of a private matrix has a rule for `axis=1` alone, the norm of each row",
            "one norm for each row", f"{called}({text}, axis=1)",
        )  # fmt: skip
    if matrix.space.element == "Data":
        raise interpreter.stop(
            node, "wrong-norm", f"the rows of {text} are discrete, and have norms over the reals",
            "rows of bounded norm",
            f"dp.map_rows(lambda row: dp.undisc(dp.clip(row, dp.L2)), {text})",
        )  # fmt: skip
    return _read(interpreter, node, (0,), matrix, [matrix], frame)


def _read(
    interpreter: Interpreter, node: ast.expr, tables: tuple[int, ...], source: Value,
    values: Sequence[Obj], frame: Frame,
) -> Obj:  # fmt: skip
    """What the comprehension gives; it is the one that a run executes at this node."""
    interpreter.act(node, ACTION, ",".join(map(str, tables)))
    names = {name_of(at): value for at, value in enumerate(values)}
    return interpreter.evaluate(over_rows(node, tables), Frame({**names, ROWS: source}, frame))


def _is_single(value: Obj) -> bool:
    """Whether a value is one number, text or truth value."""
    if isinstance(value, Value) and value.private:
        return isinstance(value.space, Scalar)
    return public.is_number(value) or public.kind(value) in ("bool", "text", "int", "exact")


def _is_truth(value: Obj) -> bool:
    row = value.space.row if isinstance(value, Value) and isinstance(value.space, Records) else None
    return isinstance(row, Scalar) and row.kind == "bool"


def _no_list(interpreter: Interpreter, node: ast.expr, values: Sequence[Obj]) -> None:
    """Raises:
    Stop: an operator that lists have themselves, of a list.
    """
    op = node.ops[0] if isinstance(node, ast.Compare) else getattr(node, "op", None)
    if not isinstance(op, _OF_LISTS):
        return
    for value, operand in zip(values, operands(node), strict=True):
        if isinstance(value, Value) and value.holds == LIST:
            text = interpreter.text(operand)
            raise interpreter.stop(
                node, "unsupported-call",
                f"{text} is a list, for which Python gives this operator another meaning",
                "an array", f"np.array({text})",
            )  # fmt: skip


def _other_rows(interpreter: Interpreter, columns: list[ast.expr], node: ast.AST) -> Stop:
    """The rejection of columns that are not known to be of the same rows."""
    left, right = (interpreter.text(each) for each in columns)
    return interpreter.stop(
        node, "size-mismatch",
        f"nothing says that {left} and {right} have a value for each of the same rows",
        "columns of one table, with the same rows left out of both",
        "keep rows first, and take both columns of them: [row.x * row.y for row in rows if ...]",
    )  # fmt: skip
