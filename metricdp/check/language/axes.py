"""`numpy.sum` and `numpy.mean` of a private matrix, along an axis or of all entries.

Each is written with the records of its parts: the sum along axis 0 is `sum_rows`, along axis 1
`sum_cols`, and a mean divides by the public number of rows or of columns.  Bounded discrete entries
are read as numbers first (`undisc`).
"""

from __future__ import annotations

import ast
from typing import Any

from metricdp.check.language.applying import apply
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.values import public
from metricdp.check.values.findings import Stop
from metricdp.check.values.objects import UNKNOWN, Obj, Value
from metricdp.expr import Expr
from metricdp.spaces import Matrix

#: What goes along an axis.
ALONG = frozenset({"sum", "mean"})
_AXIS = "axis"


def is_matrix(value: Obj) -> bool:
    """Whether a value is a private matrix."""
    return isinstance(value, Value) and value.private and isinstance(value.space, Matrix)


def along(
    interpreter: Interpreter, name: str, value: Value, arguments: list[Obj],
    keywords: dict[str, Obj], node: ast.Call, kind: str,
) -> Obj:  # fmt: skip
    """The sum or the mean of a matrix.

    Args:
        arguments: those after the matrix.
        kind: "along" for a function that is given the matrix, "along_method" for a method of it.

    Raises:
        Stop: an axis that is not written out, or another argument.
    """
    axis = _axis(interpreter, name, arguments, keywords, node)
    assert isinstance(value.space, Matrix)
    rows, cols = value.space.rows, value.space.cols
    assert rows is not None and cols is not None
    steps = {0: ["sum_rows"], 1: ["sum_cols"], None: ["sum_rows", "sum"]}[axis]
    bounded = not (value.space.lo.is_infinite or value.space.hi.is_infinite)
    if value.space.element == "Data":
        if not bounded:
            raise _unclipped(interpreter, name, node, kind)
        steps = ["undisc", *steps]
    found: Obj = value
    for step in steps:
        record = interpreter.named(step, node)
        found = apply(interpreter, record, [found], {}, node, [None], {})
    counts: dict[Any, Expr] = {0: rows, 1: cols, None: rows * cols}
    if name == "mean":
        given = [found, public.public_count(counts[axis])]
        found = apply(
            interpreter, interpreter.named("div", node), given, {}, node, [None, None], {}
        )
        steps = [*steps, "div"]
    interpreter.act(node, kind, f"{'' if axis is None else axis}:{','.join(steps)}")
    return found


def _unclipped(interpreter: Interpreter, name: str, node: ast.Call, kind: str) -> Stop:
    """The rejection of discrete entries without bounds."""
    given = node.func.value if kind == "along_method" else node.args[0]  # type: ignore[attr-defined]
    text = ast.unparse(given)
    return interpreter.stop(
        node, "unclipped-rows",
        f"the entries of {text} are discrete, so one row can move `{name}` without limit",
        "entries between public bounds, or rows of bounded norm",
        f"dp.clamp({text}, lower, upper)   or   "
        f"dp.map_rows(lambda row: dp.undisc(dp.clip(row, dp.L2)), {text})",
    )  # fmt: skip


def _axis(
    interpreter: Interpreter, name: str, arguments: list[Obj], keywords: dict[str, Obj],
    node: ast.Call,
) -> int | None:  # fmt: skip
    """0, 1, or None for all entries."""
    given = [*arguments, *(v for k, v in keywords.items() if k == _AXIS)]
    others = sorted(keywords.keys() - {_AXIS})
    if others or len(given) > 1:
        raise interpreter.stop(
            node, "unsupported-keyword",
            f"`{name}` of a private matrix has no rule for `{others[0]}=`" if others
            else f"`{name}` of a private matrix takes one axis",
            "one axis", "axis=0 adds up the rows, axis=1 the columns",
        )  # fmt: skip
    axis = getattr(given[0], "literal", UNKNOWN) if given else None
    if axis is not None and (type(axis) is not int or axis not in (0, 1, -1, -2)):
        raise interpreter.stop(
            node, "unsupported-call", "which axis this goes along is not known while checking",
            "an axis that is written out", "axis=0",
        )  # fmt: skip
    return None if axis is None else axis % 2


def summed_rows_of(node: ast.Call) -> ast.ListComp | None:
    """The comprehension in `numpy.sum([f(row) for row in rows], axis=0)`, which adds vectors up."""
    alone = len(node.args) == 1 and len(node.keywords) == 1
    made = node.args[0] if alone else None
    if not isinstance(made, ast.ListComp) or node.keywords[0].arg != _AXIS:
        return None
    axis = node.keywords[0].value
    return made if isinstance(axis, ast.Constant) and axis.value == 0 else None
