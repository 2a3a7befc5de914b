"""Calls: what is called, its arguments from left to right, and who takes it from there."""

from __future__ import annotations

import ast

from metricdp.check.language.applying import apply
from metricdp.check.language.builtin_calls import call_builtin
from metricdp.check.language.comprehensions import comprehension, summed
from metricdp.check.language.displays import starred
from metricdp.check.language.functions import enter
from metricdp.check.language.interpreter import Interpreter, Nodes, place
from metricdp.check.language.libraries import call_library, no_functions
from metricdp.check.language.methods import DATA, call_method
from metricdp.check.language.names import attribute_of, public_constant
from metricdp.check.language.ordering import ORDERING, by_key
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import (
    BlackBox,
    Builtin,
    Closure,
    External,
    Library,
    Obj,
    Primitive,
    RecordClass,
    TupleValue,
)

#: Builtins that read their argument later than they are called.
_LAZY = frozenset({"enumerate", "filter", "map", "reversed", "zip"})


def call(interpreter: Interpreter, node: ast.Call, frame: Frame) -> Obj:
    """`f(x)`: a method of data, or an object that is called."""
    if isinstance(node.func, ast.Attribute):
        base = interpreter.evaluate(node.func.value, frame)
        if isinstance(base, DATA):
            return call_method(interpreter, node, node.func, base, frame)
        callee = attribute_of(interpreter, base, node.func)
    else:
        callee = interpreter.evaluate(node.func, frame)
    if any(k.arg is None for k in node.keywords):
        raise interpreter.stop(
            node, "unsupported-syntax", "`**` in a call is not part of the checked language",
            "explicit arguments", "write the arguments out",
        )  # fmt: skip
    if isinstance(callee, Builtin) and callee.name == "sum":
        added = summed(interpreter, node, frame)
        if added is not None:
            return added
    eager = isinstance(callee, Primitive | Library | Builtin)
    eager = eager and getattr(callee, "name", "") not in _LAZY
    arguments: list[Obj] = []
    nodes: list[ast.expr] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            items = starred(interpreter, interpreter.evaluate(argument.value, frame), argument)
        else:
            items = (_argument(interpreter, argument, frame, eager),)
        arguments += items
        shown = argument.value if isinstance(argument, ast.Starred) else argument
        nodes += [shown] * len(items)
    named = {k.arg: k.value for k in node.keywords if k.arg is not None}
    keywords = {name: interpreter.evaluate(value, frame) for name, value in named.items()}
    return _dispatch(interpreter, callee, arguments, keywords, node, nodes, named)


def _argument(interpreter: Interpreter, node: ast.expr, frame: Frame, eager: bool) -> Obj:
    """An argument; a generator only where the callee consumes it at once."""
    if not (eager and isinstance(node, ast.GeneratorExp)):
        return interpreter.evaluate(node, frame)
    lists = dict(interpreter.heap.lists)
    made = comprehension(interpreter, node, frame)
    # Python may stop a generator early, or run it between other statements.
    interpreter.unchanged(lists, node, "a generator")
    return made


def _dispatch(
    interpreter: Interpreter, callee: Obj, arguments: list[Obj], keywords: dict[str, Obj],
    node: ast.AST, nodes: Nodes, keyword_nodes: dict[str, ast.expr],
) -> Obj:  # fmt: skip
    """Call an object."""
    if isinstance(callee, Closure):
        return _call_closure(interpreter, callee, arguments, keywords, node)
    if isinstance(callee, Primitive):
        return apply(interpreter, callee.record, arguments, keywords, node, nodes, keyword_nodes)
    if isinstance(callee, BlackBox):
        from metricdp.check.language.black_boxes import call_box  # few programs have one

        return call_box(interpreter, callee, arguments, keywords, node)
    if isinstance(callee, RecordClass):
        interpreter.act(node, "call", place(node))
        return _made(interpreter, callee, arguments, keywords, node)
    if isinstance(callee, Builtin) and callee.name in ORDERING and "key" in keywords and arguments:
        return by_key(interpreter, callee.name, arguments, keywords, node)
    if isinstance(callee, Builtin):
        no_functions(interpreter, callee.name, arguments, keywords, node)
        return call_builtin(
            interpreter, callee.name, arguments, keywords, node, nodes, keyword_nodes
        )
    if isinstance(callee, Library):
        return call_library(
            interpreter, callee.dotted, arguments, keywords, node, nodes, keyword_nodes
        )
    if isinstance(callee, External):
        raise interpreter.stop(
            node, callee.code, callee.reason, "a function that can be read",
            "use a function of metricdp or of this project",
        )  # fmt: skip
    raise interpreter.stop(
        node, "unsupported-call", "this value is not a function", "a function",
        "call a function by its name",
    )  # fmt: skip


def _call_closure(
    interpreter: Interpreter,
    callee: Closure,
    arguments: list[Obj],
    keywords: dict[str, Obj],
    node: ast.AST,
) -> Obj:
    """A function of the program, called where it is written."""
    if isinstance(node, ast.Call):
        interpreter.act(node, "call", place(node))
    return enter(interpreter, callee, arguments, keywords, node)


def _made(
    interpreter: Interpreter,
    cls: RecordClass,
    arguments: list[Obj],
    keywords: dict[str, Obj],
    node: ast.AST,
) -> TupleValue:
    """An instance of a class of plain fields."""
    given = dict(zip(cls.fields, arguments, strict=False))
    wrong = len(arguments) > len(cls.fields) or any(
        name in given or name not in cls.fields for name in keywords
    )
    given |= keywords
    missing = [n for n in cls.fields if n not in given and n not in cls.defaults]
    if wrong or missing:
        raise interpreter.stop(
            node, "wrong-arguments",
            f"`{cls.node.name}` has the fields {', '.join(cls.fields)}", "one value per field",
            f"{cls.node.name}({', '.join(f'{n}=...' for n in cls.fields)})",
        )  # fmt: skip
    items = [given[n] if n in given else public_constant(cls.defaults[n]) for n in cls.fields]
    kind = f"{cls.module.path}:{cls.node.name}"
    return TupleValue(tuple(items), names=cls.fields, kind=kind)
