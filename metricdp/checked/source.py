"""The source text behind a function object, as it was when the function was compiled.

A function of a file is read there.  Of a notebook the front end keeps the cells: IPython, and with
it Jupyter, has the transformed text of every cell that ran, in order; the code of a function names
the cell that it was compiled from.
"""

from __future__ import annotations

import ast
import linecache
import sys
import types
from collections.abc import Callable
from typing import Any

from metricdp.check.source.cells import Notebook, Ran
from metricdp.check.source.program import Module, Project
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
    name, file = code.co_name, code.co_filename
    linecache.checkcache(file)
    source = "".join(linecache.getlines(file, function.__globals__))
    if not source:
        raise SourceError(
            f"the source of `{name}` cannot be found ({file}); "
            "it was typed at a prompt or made by exec",
            place=name,
            remedy=_REMEDY,
        )
    module = _cell(function, file) or Project().parse(file, source)
    if isinstance(module, Diagnostic):
        raise SourceError(f"the source of `{name}` no longer parses", place=name, remedy=_REMEDY)
    for node in module.functions():
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        if node.name == name and first == code.co_firstlineno:
            _same_code(source, file, node, code)
            return module, node
    raise SourceError(
        f"`{name}` is not a top-level function of {file}, "
        "or the file has changed since it was loaded",
        place=name,
        remedy=_REMEDY,
    )


def _cell(function: Callable[..., Any], file: str) -> Module | None:
    notebook = notebook_of(function)
    return notebook.cells.get(file) if notebook is not None else None


def _same_code(source: str, file: str, node: ast.FunctionDef, code: types.CodeType) -> None:
    flags = code.co_flags & 0x1000000  # from __future__ import annotations
    # A file is compiled as a whole, a cell statement by statement: imported names load otherwise.
    alone = ast.Module([node], [])
    compiled = [compile(text, file, "exec", flags, True) for text in (source, alone)]
    for found in (constant for whole in compiled for constant in whole.co_consts):
        if (
            isinstance(found, types.CodeType)
            and found.co_name == node.name
            and found.co_firstlineno == code.co_firstlineno
            and _equal(found, code)
        ):
            return
    raise SourceError(
        f"the file of `{node.name}` has changed since it was loaded, "
        "so what runs is not what it says",
        place=node.name,
        remedy="reload the module",
    )


def _equal(a: types.CodeType, b: types.CodeType) -> bool:
    if a.co_code != b.co_code or a.co_names != b.co_names or len(a.co_consts) != len(b.co_consts):
        return False
    return all(
        _equal(x, y)
        if isinstance(x, types.CodeType) and isinstance(y, types.CodeType)
        else type(x) is type(y) and repr(x) == repr(y)
        for x, y in zip(a.co_consts, b.co_consts, strict=True)
    )


def version(function: Callable[..., Any]) -> int | None:
    """A number that is another one after any cell ran; None for a function of a file."""
    shell = _shell(function)
    return None if shell is None else len(shell.history_manager.input_hist_parsed)


def notebook_of(function: Callable[..., Any]) -> Notebook | None:
    """The cells that ran until now in the notebook of a function; None for one of a file."""
    shell = _shell(function)
    if shell is None:
        return None
    texts = list(shell.history_manager.input_hist_parsed)
    files = _files({text.rstrip("\n") for text in texts})
    own = function.__code__.co_filename
    ran = [
        Ran(number, text, files.get(text.rstrip("\n"), ""))
        for number, text in enumerate(texts)
        if number
    ]
    if all(each.file != own for each in ran):  # run without being kept in the history
        ran.insert(0, Ran(0, "".join(linecache.getlines(own)), own))
    return Notebook(ran, function.__globals__)


def _shell(function: Callable[..., Any]) -> Any:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    names = getattr(function, "__globals__", None)
    return shell if shell is not None and names is shell.user_ns else None


def _files(texts: set[str]) -> dict[str, str]:
    """Text of a cell -> the file that its code objects name."""
    found = {}
    for file in list(linecache.cache):
        entry = linecache.cache.get(file)
        if entry is not None and len(entry) == 4 and entry[1] is None:  # kept for ever: no file
            text = "".join(entry[2]).rstrip("\n")
            if text in texts:
                found[text] = file
    return found
