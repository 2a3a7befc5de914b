"""One function of a program without the others, whose checks say nothing of it."""

from __future__ import annotations

import ast
from functools import lru_cache


def unnamed(tree: ast.Module) -> list[ast.FunctionDef]:
    """Decorated functions that nothing else in their file names."""
    named = {
        n.id if isinstance(n, ast.Name) else n.attr
        for n in ast.walk(tree)
        if isinstance(n, ast.Name | ast.Attribute)
    }
    return [
        f for f in tree.body
        if isinstance(f, ast.FunctionDef) and f.decorator_list and f.name not in named
    ]  # fmt: skip


def lines_of(function: ast.FunctionDef) -> range:
    """Lines of a function with its decorators, counted from 1."""
    assert function.end_lineno is not None
    return range(min(d.lineno for d in function.decorator_list), function.end_lineno + 1)


def without(source: str, others: list[ast.FunctionDef]) -> str:
    """The file with empty lines in place of some of its functions."""
    lines = source.splitlines(keepends=True)
    for function in others:
        span = lines_of(function)
        lines[span.start - 1 : span.stop - 1] = ["\n"] * len(span)
    return "".join(lines)


def beside(source: str, made: str, line: int) -> tuple[list[ast.FunctionDef], str] | None:
    """What may be left out where the function on a line was edited, and the rest was not.

    Returns:
        functions of the source that neither name the edited one nor are named, and the edited
        program without them; None where an edit may concern more than one function.
    """
    try:
        (before, free), (after, still) = _read(source), _read(made)
    except SyntaxError:
        return None
    edited = next((f for f in free if line in lines_of(f)), None)
    if edited is None or len(before.body) != len(after.body):
        return None
    mended = after.body[before.body.index(edited)]
    if not isinstance(mended, ast.FunctionDef) or not mended.decorator_list:
        return None
    if _around(source, edited) != _around(made, mended):
        return None
    names = {f.name for f in still}
    others = [f for f in free if f is not edited and f.name in names]
    leaving = [after.body[before.body.index(f)] for f in others]
    return others, without(made, [f for f in leaving if isinstance(f, ast.FunctionDef)])


@lru_cache(maxsize=16)
def _read(source: str) -> tuple[ast.Module, list[ast.FunctionDef]]:
    tree = ast.parse(source)
    return tree, unnamed(tree)


def _around(source: str, function: ast.FunctionDef) -> tuple[list[str], list[str]]:
    """The lines before a function and those after it."""
    lines, span = source.splitlines(), lines_of(function)
    return lines[: span.start - 1], lines[span.stop - 1 :]
