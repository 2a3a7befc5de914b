"""The source text behind a function object, as it was when the function was compiled.

A function of a file is read there; one that was typed, where its notebook or console keeps it.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable
from typing import Any

from metricdp.check.source.cells import Notebook, Ran
from metricdp.check.source.codes import compiled_from, first_line
from metricdp.check.source.program import Module, Project
from metricdp.checked.consoles import typed
from metricdp.diagnostics import Diagnostic
from metricdp.errors import SourceError

_REMEDY = "define the function in a file or a notebook cell, at the top level, with one decorator"


def module_of(function: Callable[..., Any]) -> tuple[Module, ast.FunctionDef]:
    """The module and syntax tree of a function.

    Raises:
        SourceError: no text is found, the function is not at the top level, or the text has
            changed since the function was compiled.
    """
    code = getattr(function, "__code__", None)
    if code is None:
        raise SourceError(
            "this object is no plain Python function, so its source cannot be read", remedy=_REMEDY
        )
    ran = typed(function)
    if ran is not None:
        cells = [Ran(f"{ran.word} {n}", text) for n, text in enumerate(ran.texts)]
        found = Notebook(cells, function.__globals__).home(code)
        if found is not None:
            return found
    return _in_file(function)


def _in_file(function: Callable[..., Any]) -> tuple[Module, ast.FunctionDef]:
    code = function.__code__
    name, file = code.co_name, code.co_filename
    linecache.checkcache(file)
    source = "" if file.startswith("<") else "".join(linecache.getlines(file))
    if not source:
        raise SourceError(
            f"the source of `{name}` cannot be found ({file}); it was piped to Python, or made by "
            "exec from a text",
            place=name,
            remedy=_REMEDY,
        )
    module = Project().parse(file, source)
    if isinstance(module, Diagnostic):
        raise SourceError(f"the source of `{name}` no longer parses", place=name, remedy=_REMEDY)
    for node in module.functions():
        if node.name == name and first_line(node) == code.co_firstlineno:
            if compiled_from(node, source, file, code):
                return module, node
            raise SourceError(
                f"the file of `{name}` has changed since it was loaded, "
                "so what runs is not what it says",
                place=name,
                remedy="reload the module",
            )
    raise SourceError(
        f"`{name}` is not a top-level function of {file}, "
        "or the file has changed since it was loaded",
        place=name,
        remedy=_REMEDY,
    )


def version(function: Callable[..., Any]) -> int | None:
    """A number that is another one after any cell ran; None for a function of a file."""
    ran = typed(function)
    return None if ran is None else hash(ran)
