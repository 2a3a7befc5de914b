"""What a name at the top of a file stands for: library names, decorators, boxes."""

from __future__ import annotations

import ast

from metricdp.check.source.advice import free_names
from metricdp.check.values.findings import Stop, stop
from metricdp.check.values.objects import (
    BlackBox,
    Closure,
    Library,
    ModuleRef,
    SourceFile,
)

#: Decorators of metricdp.
KINDS = ("measurement", "transformation", "black_box")
#: Builtins of the checked language.
BUILTINS = frozenset(
    "abs all any bool dict divmod enumerate filter float frozenset int len list map max min pow "
    "range reversed round set sorted str sum tuple zip print repr format isinstance".split()
)
#: Every name that Python itself knows, to tell an unsupported builtin from a misspelt name.
ALL_BUILTINS = BUILTINS | frozenset(
    "aiter anext ascii bin breakpoint bytearray bytes callable chr classmethod compile complex "
    "delattr dir eval exec getattr globals hasattr hash help hex id input issubclass "
    "iter locals memoryview next object oct open ord property setattr slice staticmethod super "
    "type vars __import__ ValueError TypeError KeyError IndexError RuntimeError Exception "
    "ArithmeticError ZeroDivisionError AssertionError StopIteration BaseException OSError".split()
)
#: What `ast.literal_eval` raises where there is no literal.
NO_LITERAL = (ValueError, TypeError, SyntaxError, MemoryError, RecursionError)


def qualified(module: SourceFile, node: ast.expr | str) -> str | None:
    """The library name behind a name or dotted name of a module, or None."""
    if isinstance(node, str):
        head, _, rest = node.partition(".")
        found = module.lookup(head)
        if isinstance(found, Library):
            return f"{found.dotted}.{rest}" if rest else found.dotted
        if isinstance(found, ModuleRef) and rest:
            return qualified(found.module, rest)
        return None
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return qualified(module, ".".join([node.id, *parts[::-1]]))


def kind_of(module: SourceFile, node: ast.expr) -> str | None:
    """The metricdp decorator that an expression names, or None."""
    dotted = qualified(module, node)
    if dotted is not None and dotted.startswith("metricdp."):
        name = dotted.rsplit(".", 1)[-1]
        return name if name in KINDS else None
    return None


def defined(module: SourceFile, node: ast.FunctionDef, decorator: ast.expr) -> BlackBox:
    """`@dp.black_box(returns=...)` above a function."""
    keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
    options = {k.arg: k.value for k in keywords if k.arg}
    return BlackBox(node.name, module, options, node, node, module)


def assigned(module: SourceFile, name: str, value: ast.Call) -> BlackBox | None:
    """`name = dp.black_box(returns=...)(function)`; None where the call is none of these.

    The function may be anything that can be called: a function of this project (whose source is
    read), a lambda, a method, an object of a library.
    """
    made = value.func if isinstance(value.func, ast.Call) else value
    if kind_of(module, made.func) != "black_box" or len(value.args) != 1:
        return None
    if made is not value and (made.args or value.keywords):
        return None
    options = {k.arg: k.value for k in made.keywords if k.arg}
    function = value.args[0]
    if isinstance(function, ast.Lambda):
        return BlackBox(name, module, options, value, function, module)
    found = module.lookup(function.id) if isinstance(function, ast.Name) else None
    if isinstance(found, Closure):
        return BlackBox(name, module, options, value, found.node, found.module)
    return BlackBox(name, module, options, value, None, module)


def star_import(module: SourceFile, node: ast.ImportFrom) -> Stop:
    """The rejection of a star import."""
    return stop(
        module, node, "star-import", f"`from {node.module} import *` hides what names mean",
        "imports by name", f"from {node.module} import {free_names(module.tree)}",
    )  # fmt: skip
