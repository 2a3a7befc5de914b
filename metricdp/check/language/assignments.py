"""Assignments: what a name, the names of a tuple, or an entry of a list is bound to.

`x += y` changes the object of x in Python, and a run makes a new one: so it may be written only
where nothing else holds that object.
"""

from __future__ import annotations

import ast

from metricdp.check.language import dictionaries, totality
from metricdp.check.language.appending import starts_empty
from metricdp.check.language.displays import parts_of, unpack
from metricdp.check.language.growing import as_list, extended
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.operators import OPERATORS, binary
from metricdp.check.language.scattering import scattered
from metricdp.check.values import total
from metricdp.check.values.findings import Stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import (
    UNKNOWN,
    ListRef,
    Numbered,
    Obj,
    TupleValue,
    Value,
    View,
    Zip,
)
from metricdp.check.values.public import FLOAT, is_number
from metricdp.run.addresses import noted_at
from metricdp.spaces import Scalar

#: What a released value holds that may be a number.
_NUMBERS = frozenset({"", "int", "exact", "bool", FLOAT})


def assign(interpreter: Interpreter, node: ast.Assign, frame: Frame) -> None:
    """`a = b = value`."""
    value = as_list(interpreter, node, interpreter.evaluate(node.value, frame))
    for target in node.targets:
        bind(interpreter, target, value, frame, noted=True)
    starts_empty(interpreter, node, value, frame)


def annotated(interpreter: Interpreter, node: ast.AnnAssign, frame: Frame) -> None:
    """`a: T = value`."""
    if node.value is not None:
        bind(interpreter, node.target, interpreter.evaluate(node.value, frame), frame, noted=True)


def augmented(interpreter: Interpreter, node: ast.AugAssign, frame: Frame) -> None:
    """`a += value`."""
    target = node.target
    if isinstance(target, ast.Subscript):
        if scattered(interpreter, node, target, frame):
            return
        if _added_to_item(interpreter, node, target, frame):
            return
        held = interpreter.evaluate(target.value, frame)
        if isinstance(held, Value) and held.private:
            raise _stored_into(interpreter, target)
    if not isinstance(target, ast.Name):
        raise _no_store(interpreter, target)
    if target.id in frame.outside:
        raise outside(interpreter, target)
    if extended(interpreter, node, target.id, frame):
        return
    if isinstance(frame.names.get(target.id), ListRef | TupleValue):
        raise interpreter.stop(
            node, "unsupported-syntax",
            "`+=` on a list or tuple changes or rebinds it",
            "append, extend, or a new value", f"{target.id}.extend(...) for a list",
        )  # fmt: skip
    if target.id not in frame.names:
        raise interpreter.stop(
            target, "unknown-name", f"`{target.id}` has no value here yet",
            "an assignment before this line", f"{target.id} = 0 before this line",
        )  # fmt: skip
    known = interpreter.resolve(target.id, frame)
    assert known is not None
    owned_alone(interpreter, node, target.id, known, frame)
    value = interpreter.evaluate(node.value, frame)
    result = binary(interpreter, node.op, known, value, node, target, node.value)
    bind(interpreter, target, result, frame)


def _added_to_item(
    interpreter: Interpreter, node: ast.AugAssign, target: ast.Subscript, frame: Frame
) -> bool:
    """`values[0] += v`, in a list that the function made; names are read twice."""
    index = target.slice.operand if isinstance(target.slice, ast.UnaryOp) else target.slice
    if not isinstance(target.value, ast.Name) or not isinstance(index, ast.Name | ast.Constant):
        return False
    base = frame.lookup(target.value.id)
    if not isinstance(base, ListRef):
        return False
    if interpreter.domain.of_rows or dictionaries.held(interpreter, base) is None:
        _is_known(interpreter, base, interpreter.evaluate(target.slice, frame), target)
    held = interpreter.evaluate(target, frame)
    if isinstance(held, ListRef | TupleValue):
        return False
    owned_alone(interpreter, node, "", held, frame)
    value = interpreter.evaluate(node.value, frame)
    result = binary(interpreter, node.op, held, value, node, target, node.value)
    return _stored(interpreter, target, result, frame)


def bind(
    interpreter: Interpreter, target: ast.expr, value: Obj, frame: Frame, noted: bool = False
) -> None:
    """Bind a name, or the names of a tuple target.

    Args:
        noted: whether a run notes the numbers that names are given here.
    """
    if isinstance(value, Zip | Numbered | View):
        raise interpreter.stop(
            target, "unsupported-syntax", "an iterator is kept under a name",
            "zip, enumerate and views of dictionaries in a for loop",
            "loop over it at once, or make a list of it",
        )  # fmt: skip
    if isinstance(target, ast.Name):
        if target.id in frame.outside:
            raise outside(interpreter, target)
        held = _as_number(interpreter, target, value, frame) if noted else value
        frame.names[target.id] = held
        _name_step(interpreter, target.id, value)
        return
    if isinstance(target, ast.Tuple | ast.List):
        items = parts_of(interpreter, target.elts, value, target)
        if items is None:
            items = list(unpack(interpreter, value, len(target.elts), target))
        for part, item in zip(target.elts, items, strict=True):
            inner = part.value if isinstance(part, ast.Starred) else part
            bind(interpreter, inner, item, frame, noted)
        return
    if isinstance(target, ast.Subscript):
        if _stored(interpreter, target, value, frame):
            return
        held = interpreter.evaluate(target.value, frame)
        if isinstance(held, Value) and held.private:
            raise _stored_into(interpreter, target)
    raise _no_store(interpreter, target)


def _stored(interpreter: Interpreter, target: ast.Subscript, value: Obj, frame: Frame) -> bool:
    """`values[i] = v` in a list that the function made, at a position known here."""
    base = interpreter.evaluate(target.value, frame)
    index = interpreter.evaluate(target.slice, frame)
    known = getattr(index, "literal", UNKNOWN)
    if isinstance(base, ListRef) and dictionaries.held(interpreter, base) is not None:
        dictionaries.store(interpreter, base, index, value, target)
        return True
    if not isinstance(base, ListRef):
        return False
    _is_known(interpreter, base, index, target)
    if not isinstance(known, int):
        return False
    held = interpreter.heap.lists[base.number]
    if not isinstance(held, TupleValue) or not -len(held.items) <= known < len(held.items):
        return False
    if interpreter.domain.decided:
        totality.holds(interpreter, target, total.entry(held, index))
    items = list(held.items)
    items[known] = value
    interpreter.may_change(base, target)
    interpreter.heap.lists[base.number] = TupleValue(tuple(items), True)
    return True


def _is_known(interpreter: Interpreter, base: ListRef, index: Obj, target: ast.Subscript) -> None:
    """Raises:
    Stop: which entry is stored is public, and not known here, of a list or of a dictionary whose
        keys are known.
    """
    held, known = interpreter.heap.lists[base.number], getattr(index, "literal", UNKNOWN)
    if known is UNKNOWN and isinstance(held, TupleValue) and not interpreter.has_private(index):
        raise interpreter.stop(
            target, "private-index",
            f"which entry of `{interpreter.text(target.value)}` changes is not known here",
            "a position or key that is written in the program",
            "a list that grows: out.append(value)",
        )  # fmt: skip


def _as_number(interpreter: Interpreter, target: ast.Name, value: Obj, frame: Frame) -> Obj:
    """What a name is given; a number that was computed of released values, once in a run and in the
    function that is checked, has a symbol from here on: it may bound what is released after it."""
    domain, heap = interpreter.domain, interpreter.heap
    if not isinstance(value, Value) or not isinstance(value.space, Scalar | None):
        return value
    if getattr(value.space, "kind", "") == "str" or value.holds not in _NUMBERS:
        return value
    again = domain.rounds or heap.rounds or domain.decided or domain.scoring
    if again or domain.by_row.reading or interpreter.path or frame.parent is not None:
        return value
    own = domain.drawn.named(value, target.id, noted_at(interpreter.site(target)))
    if own is None:
        return value
    interpreter.noted.add(target)
    return own


def _name_step(interpreter: Interpreter, name: str, value: Obj) -> None:
    """The step that made a value is printed under the name it is given."""
    steps = interpreter.domain.state.steps
    if isinstance(value, Value) and steps and steps[-1].id == value.step and not steps[-1].name:
        steps[-1].name = name


def outside(interpreter: Interpreter, target: ast.Name | ast.FunctionDef) -> Stop:
    """The rejection of binding a name that `global` or `nonlocal` gave away."""
    name = target.id if isinstance(target, ast.Name) else target.name
    return interpreter.stop(
        target, "private-escape",
        f"`{name}` belongs to code outside of this function, which would see what is "
        f"stored",
        "names of this function", "return the value instead",
    )  # fmt: skip


def _no_store(interpreter: Interpreter, target: ast.expr) -> Stop:
    """The rejection of a target that is no name, and no entry of an own list."""
    if isinstance(target, ast.Subscript) and _has_two_axes(target):
        return interpreter.stop(
            target, "unsupported-syntax", "an entry of a table with two axes changes",
            "an array that this function made, and += of numbers",
            "table = np.zeros((rows, columns)) before, and table[i, j] += value",
        )  # fmt: skip
    if isinstance(target, ast.Subscript):
        return interpreter.stop(
            target, "private-escape",
            "an entry is stored into something that is no list and no dictionary of this function",
            "a list or a dictionary that this function made",
            "out = {} before, and out[key] = value",
        )  # fmt: skip
    if isinstance(target, ast.Attribute):
        return interpreter.stop(
            target, "private-escape",
            f"`.{target.attr}` is stored into an object that is made already, and an object that "
            "other code can see never changes",
            "instances that are made with all of their values",
            f"give `{target.attr}` to the class where the instance is made, or return it",
        )  # fmt: skip
    return interpreter.stop(
        target, "private-escape",
        "storing into an object that other code can see is not part of the checked language",
        "assignment to a plain name", "build a new value and give it a name",
    )  # fmt: skip


def _has_two_axes(target: ast.Subscript) -> bool:
    return isinstance(target.slice, ast.Tuple) or isinstance(target.value, ast.Subscript)


#: Longest text of an edit that is written out.
_SHOWN = 60


def owned_alone(
    interpreter: Interpreter, node: ast.AugAssign, name: str, held: Obj, frame: Frame
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
    function = interpreter.active[-1]
    assert isinstance(function, ast.FunctionDef | ast.Lambda)
    if name in interpreter.ownership.names(function, interpreter.module, around):
        return
    target, value = interpreter.text(node.target), interpreter.text(node.value)
    operator = OPERATORS[type(node.op)]
    edit = f"{target} = {target} {operator} ({value})"
    if isinstance(node.value, ast.Name | ast.Constant | ast.Call | ast.Subscript):
        edit = f"{target} = {target} {operator} {value}"
    raise interpreter.stop(
        node, "in-place-operator",
        f"`{operator}=` changes the array or list of `{target}` in Python, and another name, a "
        "list or the caller may hold it",
        "a new value", edit if len(edit) <= _SHOWN else f"{target} = {target} {operator} ...",
    )  # fmt: skip


def _stored_into(interpreter: Interpreter, target: ast.Subscript) -> Stop:
    """The rejection of `x[i] = v` in a private container."""
    return interpreter.stop(
        target, "private-escape",
        "an entry of a private container is stored into, and other names, a row or the "
        "caller's array may be that container too",
        "a new container, made entry by entry, or a list at a position that is known",
        _entry_by_entry(interpreter, target),
    )  # fmt: skip


def _entry_by_entry(interpreter: Interpreter, target: ast.Subscript) -> str:
    """The list with a new entry, which takes the place of a store into the old one."""
    base, at = interpreter.text(target.value), interpreter.text(target.slice)
    if isinstance(target.slice, ast.Tuple | ast.Slice):
        return f"a new container, with dp.map_rows(f, {base}) for example"
    statement = interpreter.here
    new = "f(x)"
    if isinstance(statement, ast.Assign):
        new = interpreter.text(statement.value)
    elif isinstance(statement, ast.AugAssign):
        operator = OPERATORS[type(statement.op)]
        new = f"{base}[{at}] {operator} {interpreter.text(statement.value)}"
    return f"{base} = [{new} if at == {at} else {base}[at] for at in range(len({base}))]"


def _may_be_changed(held: Obj) -> bool:
    """Whether a value may be an object that in-place operators change."""
    if not isinstance(held, Value):
        return True
    if isinstance(held.space, Scalar) or is_number(held):
        return False
    return held.private or not isinstance(held.literal, str | bytes | int | float | complex | None)
