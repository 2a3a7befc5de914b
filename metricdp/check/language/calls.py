"""Calls: what is called, its arguments from left to right, and who takes it from there."""

from __future__ import annotations

import ast

import msgspec

from metricdp.check.language import axes, classes
from metricdp.check.language.applying import apply
from metricdp.check.language.builtin_calls import ITERATORS, call_builtin
from metricdp.check.language.comprehensions import consumed, summed, summed_rows
from metricdp.check.language.dictionaries import from_keys
from metricdp.check.language.displays import starred
from metricdp.check.language.functions import enter
from metricdp.check.language.interpreter import Interpreter, Nodes, place
from metricdp.check.language.libraries import call_library, no_functions
from metricdp.check.language.methods import DATA, call_method
from metricdp.check.language.names import attribute_of, constant_value
from metricdp.check.language.ordering import ORDERING, by_key
from metricdp.check.language.over_rows import in_each_row, is_of_numbers, norms_of_rows
from metricdp.check.language.sets import different
from metricdp.check.language.several_functions import of_several
from metricdp.check.language.transposing import columns
from metricdp.check.source.stores import WITH_FIELD
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import (
    BlackBox,
    Builtin,
    Closure,
    External,
    Factory,
    Library,
    Obj,
    Primitive,
    RecordClass,
    TupleValue,
    Value,
)

#: Builtins that go through an argument once, and whose result is not kept where they are lazy.
_CONSUMING = frozenset(
    {
        "all",
        "any",
        "dict",
        "enumerate",
        "frozenset",
        "list",
        "max",
        "min",
        "set",
        "sorted",
        "sum",
        "tuple",
        "zip",
    }
)
#: Builtins that read their argument later than they are called.
_LAZY = frozenset({"enumerate", "filter", "map", "reversed", "zip"})


def call(interpreter: Interpreter, node: ast.Call, frame: Frame) -> Obj:
    """`f(x)`: a method of data, or an object that is called."""
    member: classes.CalledMember | None = None
    callee: Obj
    if isinstance(node.func, ast.Name) and node.func.id == WITH_FIELD:
        return classes.with_field(interpreter, node, frame)
    if isinstance(node.func, ast.Attribute):
        base = interpreter.evaluate(node.func.value, frame)
        member = classes.called(interpreter, base, node, frame)
        if member is not None:
            callee = member.function
        elif isinstance(base, Builtin) and (base.name, node.func.attr) == ("dict", "fromkeys"):
            given = [interpreter.evaluate(argument, frame) for argument in node.args]
            if not node.keywords:
                classes.plain(interpreter, node, "plain")
                return from_keys(interpreter, given, node)
            callee = attribute_of(interpreter, base, node.func)
        elif (cls := classes.class_of(interpreter, base)) and node.func.attr not in cls.fields:
            raise classes.no_attribute(interpreter, cls, node.func)
        elif isinstance(base, DATA) and not _holds_function(base, node.func.attr):
            made = call_method(interpreter, node, node.func, base, frame)
            classes.plain(interpreter, node, "plain")
            return made
        else:
            callee = attribute_of(interpreter, base, node.func)
    elif isinstance(node.func, ast.Subscript):
        callee = of_several(interpreter, node, node.func, frame)
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
    if isinstance(callee, Library) and callee.dotted == "numpy.sum":
        vectors = axes.summed_rows_of(node)
        added = summed_rows(interpreter, node, vectors, frame) if vectors is not None else None
        if added is not None:
            return added
    if isinstance(callee, Builtin) and callee.name == "len":
        counted = different(interpreter, node, frame)
        if counted is not None:
            return counted
    if _consumes(interpreter, callee, node):
        interpreter.consumed.update(node.args)
    eager = isinstance(callee, Primitive | Library | Builtin)
    eager = eager and getattr(callee, "name", "") not in _LAZY
    eager = eager and not getattr(callee, "dotted", "").startswith("itertools.")
    arguments: list[Obj] = []
    nodes: list[ast.expr] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            if getattr(callee, "name", "") == "zip" and len(node.args) == 1 and not node.keywords:
                rows = interpreter.evaluate(argument.value, frame)
                table = columns(interpreter, rows, node) if isinstance(callee, Builtin) else None
                if table is not None:
                    return table
                items = starred(interpreter, rows, argument)
                arguments += items
                nodes += [argument.value] * len(items)
                continue
            items = starred(interpreter, interpreter.evaluate(argument.value, frame), argument)
        else:
            items = (_argument(interpreter, argument, frame, eager),)
        arguments += items
        shown = argument.value if isinstance(argument, ast.Starred) else argument
        nodes += [shown] * len(items)
    named = {k.arg: k.value for k in node.keywords if k.arg is not None}
    keywords = {name: interpreter.evaluate(value, frame) for name, value in named.items()}
    if member is not None:
        given = [*member.first, *arguments]
        result = enter(interpreter, member.function, given, keywords, node, member.place)
        interpreter.read_inside(node)
        return result
    if is_of_numbers(callee, node) and nodes == node.args:
        seen = [interpreter.seen(argument) for argument in arguments]
        per_row = None if keywords else in_each_row(interpreter, node, seen, frame)
        if per_row is not None:
            return per_row
    if getattr(callee, "dotted", "") == "numpy.linalg.norm" and nodes == node.args[:1]:
        matrix = interpreter.seen(arguments[0])
        norms = norms_of_rows(interpreter, node, matrix, keywords, frame)
        if norms is not None:
            return norms
    return _dispatch(interpreter, callee, arguments, keywords, node, nodes, named)


def _consumes(interpreter: Interpreter, callee: Obj, node: ast.Call) -> bool:
    """Whether a call goes through its arguments once, at once; `map` and `filter` do where they are
    gone through themselves."""
    if isinstance(callee, Builtin):
        lazily = callee.name in ITERATORS and node in interpreter.consumed
        return callee.name in _CONSUMING or lazily
    return isinstance(callee, Primitive) or (
        isinstance(callee, Library)
        and (callee.dotted.startswith("metricdp.") or callee.dotted == "functools.reduce")
    )


def _holds_function(base: Obj, name: str) -> bool:
    """Whether an instance or a row has a function of the program under a name."""
    if not isinstance(base, TupleValue) or base.is_list or name not in base.names:
        return False
    return isinstance(base.items[base.names.index(name)], Closure)


def _argument(interpreter: Interpreter, node: ast.expr, frame: Frame, eager: bool) -> Obj:
    """An argument; a generator only where the callee consumes it at once."""
    if eager and isinstance(node, ast.GeneratorExp):
        return consumed(interpreter, node, frame)
    return interpreter.evaluate(node, frame)


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
    if isinstance(callee, Builtin) and callee.name == "getattr":
        return _field(interpreter, arguments, keywords, node)
    if isinstance(callee, Builtin):
        no_functions(interpreter, callee.name, arguments, keywords, node)
        return call_builtin(
            interpreter, callee.name, arguments, keywords, node, nodes, keyword_nodes
        )
    if isinstance(callee, Library) and callee.dotted == "functools.partial":
        return _partial(interpreter, arguments, keywords, node)
    if isinstance(callee, Library):
        return call_library(
            interpreter, callee.dotted, arguments, keywords, node, nodes, keyword_nodes
        )
    if isinstance(callee, External):
        raise interpreter.stop(
            node, callee.code, callee.reason, "a function that can be read",
            "use a function of metricdp or of this project",
        )  # fmt: skip
    if isinstance(callee, Value) and callee.source == "parameter" and callee.expr is None:
        name = interpreter.text(getattr(node, "func", None))
        raise interpreter.stop(
            node, "unsupported-call",
            f"what `{name}` computes is known only where this function is called",
            "a function that this file names; a helper that takes one is read at each of its calls",
            "take the decorator off, and call it from a checked function that names the function",
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
    result = enter(interpreter, callee, arguments, keywords, node)
    if isinstance(node, ast.Call):
        interpreter.read_inside(node)
    return result


def _partial(
    interpreter: Interpreter, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST
) -> Obj:
    """`functools.partial(f, ...)`: the function of the program, with what it is given already."""
    function = arguments[0] if arguments else None
    if not isinstance(function, Closure):
        raise interpreter.stop(
            node, "unsupported-call", "`functools.partial` is given no function of this project",
            "a function that is defined in the project's files",
            "lambda x: f(x, option=value) in its place",
        )  # fmt: skip
    interpreter.act(node, "partial", "")
    return msgspec.structs.replace(
        function, given=(*function.given, *arguments[1:]),
        given_names={**function.given_names, **keywords},
    )  # fmt: skip


def _field(
    interpreter: Interpreter, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST
) -> Obj:
    """`getattr(row, "name")`: a field whose name is known while checking."""
    base, name = arguments if len(arguments) == 2 else (None, None)
    known = getattr(name, "literal", None)
    if (
        keywords or not isinstance(base, TupleValue) or base.is_list
        or not isinstance(known, str) or not known.isidentifier() or known not in base.names
    ):  # fmt: skip
        raise interpreter.stop(
            node, "unsupported-call",
            "`getattr` reads no field of a row or instance whose name is known here",
            "a field by its name", "write the name of the field: row.name",
        )  # fmt: skip
    interpreter.act(node, "field_of", "")
    return base.items[base.names.index(known)]


def _made(
    interpreter: Interpreter,
    cls: RecordClass,
    arguments: list[Obj],
    keywords: dict[str, Obj],
    node: ast.AST,
) -> TupleValue:
    """An instance of a class."""
    interpreter.classes[cls.kind] = cls
    if not cls.fields:
        raise interpreter.stop(
            node, "wrong-arguments", f"`{cls.node.name}` has no fields, and is made",
            "static and class methods, called through the class", f"{cls.node.name}.method(...)",
        )  # fmt: skip
    if cls.made is not None:
        fields = enter(interpreter, cls.made, arguments, keywords, node)
        assert isinstance(fields, TupleValue)
        return TupleValue(fields.items, names=cls.fields, kind=cls.kind)
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
    items = [given[n] if n in given else _default(interpreter, cls, n) for n in cls.fields]
    return TupleValue(tuple(items), names=cls.fields, kind=cls.kind)


def _default(interpreter: Interpreter, cls: RecordClass, name: str) -> Obj:
    """The value of a field that was not given; one that may change is made anew each time."""
    default = cls.defaults[name]
    if not isinstance(default, Factory):
        return constant_value(interpreter, default)
    outer, interpreter.module = interpreter.module, cls.module
    try:
        return interpreter.evaluate(default.node, Frame({}))
    finally:
        interpreter.module = outer
