"""`x += y` where Python changes the object of x: only if nothing else holds that object."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from metricdp.check.language.evaluator import OPERATORS
from metricdp.check.values.findings import Stop, stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Obj, Value
from metricdp.check.values.public import is_number
from metricdp.spaces import Scalar

if TYPE_CHECKING:
    from metricdp.check.language.interpreter import Interpreter

#: Longest text of an edit that is written out.
_SHOWN = 60


def owned_alone(
    calls: Interpreter, node: ast.AugAssign, name: str, held: Obj, frame: Frame
) -> None:
    """An in-place operator on a value that a run replaces: nobody may see the difference.

    Args:
        name: of the target; "" for an entry of a list, whose object may have other names.
        held: its value.

    Raises:
        Stop: the value may be an array or a list, and another name, an entry of a list, or the
            caller may hold it.
    """
    if not _may_be_changed(held) or name.startswith("."):  # a sum that a generator stands for
        return
    around: set[str] = set()
    parent = frame.parent
    while parent is not None:
        around |= parent.names.keys()
        parent = parent.parent
    function = calls.active[-1]
    assert isinstance(function, ast.FunctionDef | ast.Lambda)
    if name in calls.ownership.names(function, calls.module, around):
        return
    target, value = calls.text(node.target), calls.text(node.value)
    operator = OPERATORS[type(node.op)]
    edit = f"{target} = {target} {operator} ({value})"
    if isinstance(node.value, ast.Name | ast.Constant | ast.Call | ast.Subscript):
        edit = f"{target} = {target} {operator} {value}"
    raise stop(
        calls.module, node, "in-place-operator",
        f"`{operator}=` changes the array or list of `{target}` in Python, and another name, a "
        "list or the caller may hold it",
        "a new value", edit if len(edit) <= _SHOWN else f"{target} = {target} {operator} ...",
    )  # fmt: skip


def stored_into(calls: Interpreter, target: ast.Subscript) -> Stop:
    """The rejection of `x[i] = v` in a private container."""
    return stop(
        calls.module, target, "private-escape",
        "an entry of a private container is stored into, and other names, a row or the "
        "caller's array may be that container too",
        "a new container, made entry by entry, or a list at a position that is known",
        _entry_by_entry(calls, target),
    )  # fmt: skip


def _entry_by_entry(calls: Interpreter, target: ast.Subscript) -> str:
    """The list with a new entry, which takes the place of a store into the old one."""
    base, at = calls.text(target.value), calls.text(target.slice)
    if isinstance(target.slice, ast.Tuple | ast.Slice):
        return f"a new container, with dp.map_rows(f, {base}) for example"
    statement = calls.here
    new = "f(x)"
    if isinstance(statement, ast.Assign):
        new = calls.text(statement.value)
    elif isinstance(statement, ast.AugAssign):
        operator = OPERATORS[type(statement.op)]
        new = f"{base}[{at}] {operator} {calls.text(statement.value)}"
    return f"{base} = [{new} if at == {at} else {base}[at] for at in range(len({base}))]"


def _may_be_changed(held: Obj) -> bool:
    """Whether a value may be an object that in-place operators change."""
    if not isinstance(held, Value):
        return True
    if isinstance(held.space, Scalar) or is_number(held):
        return False
    return held.private or not isinstance(held.literal, str | bytes | int | float | complex | None)
