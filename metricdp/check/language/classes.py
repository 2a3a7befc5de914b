"""Instances of classes, and rows of classes: which class they have, and what it gives them.

A function of a class is found by the class of what stands before the dot, while checking.  The run
calls the very function that was found, whatever object stands there; so one place that means two
classes is rejected (`Interpreter.act`).  A row has the class that its annotation names.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

import msgspec

from metricdp.check.language.interpreter import Interpreter
from metricdp.check.values.findings import Stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import (
    ROW,
    Closure,
    Member,
    Obj,
    RecordClass,
    TupleValue,
)

#: What the compiled program does at a place that was given a function of a class.
MEMBERS = frozenset({"member", "static", "of_class", "property"})
_ACTIONS = {"method": "member", "static": "static", "class": "of_class"}


class CalledMember(msgspec.Struct, frozen=True):
    """A function of a class that is called: what it is given first, and the place of the call."""

    function: Closure
    first: tuple[Obj, ...]
    place: str


def class_of(interpreter: Interpreter, base: Obj) -> RecordClass | None:
    """The class of an instance or of a row; None for anything else."""
    if not isinstance(base, TupleValue) or base.is_list or not base.kind:
        return None
    if base.kind not in interpreter.classes:
        interpreter.classes[base.kind] = _of_row(interpreter, base)
    return interpreter.classes[base.kind]


def _of_row(interpreter: Interpreter, base: TupleValue) -> RecordClass | None:
    """The one class of the project that has the name of a row's class, and its fields."""
    name = base.kind.removeprefix(ROW)
    found = {
        id(statement): (module, statement)
        for module in interpreter.home.reached()
        for statement in module.bindings.get(name, ())
        if isinstance(statement, ast.ClassDef)
    }
    if not base.kind.startswith(ROW) or len(found) != 1:
        return None
    ((module, _),) = found.values()
    cls = module.lookup(name)
    fits = isinstance(cls, RecordClass) and cls.made is None and cls.fields == base.names
    return cls if fits and isinstance(cls, RecordClass) else None


def place_of(node: ast.Attribute) -> str:
    """The place of a call through an attribute: its end, since `a.f().g()` begins twice at one."""
    return f"{node.end_lineno}:{node.end_col_offset}"


def called(
    interpreter: Interpreter, base: Obj, node: ast.Call, frame: Frame
) -> CalledMember | None:
    """The function of a class that `base.name(...)` calls; None where the name is none of it.

    Raises:
        Stop: a method that is called through the class, or a property; one that stores into `self`,
            on an instance that something else may hold.
    """
    func = node.func
    assert isinstance(func, ast.Attribute)
    cls = base if isinstance(base, RecordClass) else class_of(interpreter, base)
    member = None if cls is None else cls.members.get(func.attr)
    if cls is None or member is None:
        return None
    if member.kind == "property" or (member.kind == "method" and base is cls):
        raise _no_value(interpreter, member, func)
    if member.stores and not _is_made_here(interpreter, func.value, frame):
        raise _kept(interpreter, cls, func)
    interpreter.act(node, _ACTIONS[member.kind], label(cls, func.attr))
    first = {"method": (base,), "static": (), "class": (cls,)}[member.kind]
    return CalledMember(member.function, first, place_of(func))


def label(cls: RecordClass, name: str) -> str:
    """The name under which the compiled program holds a function of a class."""
    return f".{cls.kind}.{name}"


def _is_made_here(interpreter: Interpreter, node: ast.expr, frame: Frame) -> bool:
    """Whether an expression makes an instance, `Plan(...)`, which nothing else can hold."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    return isinstance(interpreter.evaluate(node.func, frame), RecordClass)


def _kept(interpreter: Interpreter, cls: RecordClass, node: ast.Attribute) -> Stop:
    name = cls.node.name
    return interpreter.stop(
        node, "private-escape",
        f"`{node.attr}` stores into `{ast.unparse(node.value)}`, an object that is made already, "
        "and an object that other code can see never changes",
        "a call on the instance where it is made",
        f"{name}(...).{node.attr}(...), with `return self` at the end of `{node.attr}`",
    )  # fmt: skip


def with_field(interpreter: Interpreter, node: ast.Call, frame: Frame) -> Obj:
    """An instance with another value of one field, as `source.stores` writes it."""
    base, name, value = (interpreter.evaluate(each, frame) for each in node.args)
    field = getattr(name, "literal", None)
    assert isinstance(base, TupleValue) and field in base.names
    interpreter.act(node, "with_field", "")
    items = list(base.items)
    items[base.names.index(field)] = value
    return msgspec.structs.replace(base, items=tuple(items))


def attribute(
    interpreter: Interpreter, base: Obj, node: ast.Attribute
) -> tuple[RecordClass, Member | None] | None:
    """The property or the constant of a class that `base.name` reads; None for anything else.

    Raises:
        Stop: a method that is not called.
    """
    cls = base if isinstance(base, RecordClass) else class_of(interpreter, base)
    if cls is None:
        return None
    member = cls.members.get(node.attr)
    if member is not None:
        if member.kind != "property" or base is cls:
            raise _no_value(interpreter, member, node)
        if interpreter.building:
            raise interpreter.stop(
                node, "unknown-name",
                f"the property `{node.attr}` is computed at the top of the file",
                "constants that are built from literals", "read it in the function",
            )  # fmt: skip
        interpreter.act(node, "property", label(cls, node.attr))
        return cls, member
    return (cls, None) if node.attr in cls.attributes else None


def no_attribute(interpreter: Interpreter, cls: RecordClass, node: ast.Attribute) -> Stop:
    """The rejection of a name that a class does not have."""
    known: Sequence[str] = [*cls.fields, *cls.members, *cls.attributes]
    return interpreter.stop(
        node, "unsupported-call", f"`{cls.node.name}` has no `{node.attr}` that can be read here",
        f"one of {', '.join(known)}" if known else "a class with fields",
        "check the spelling",
    )  # fmt: skip


def plain(interpreter: Interpreter, node: ast.Call | ast.Attribute, kind: str) -> None:
    """Note that a place means no function of a class.

    Raises:
        Stop: it means one for other arguments.
    """
    known = interpreter.actions.get(node)
    if known is None or known[0] in MEMBERS:
        interpreter.act(node, kind, "")


def _no_value(interpreter: Interpreter, member: Member, node: ast.Attribute) -> Stop:
    text = ast.unparse(node)
    if member.kind == "property":
        return interpreter.stop(
            node, "unsupported-call", f"`{text}` is a property, and is called",
            "its value by its name", text,
        )  # fmt: skip
    if member.kind == "method":
        return interpreter.stop(
            node, "unsupported-call",
            f"`{text}` is a method, and is not called on an instance or a row",
            "an instance before the dot, and arguments behind it", f"{text}(...) of an instance",
        )  # fmt: skip
    return interpreter.stop(
        node, "unsupported-call", f"`{text}` is a function of a class, and is not called here",
        "a call", f"lambda *values: {text}(*values)",
    )  # fmt: skip
