"""Facts about statements: what they bind, whether they return; and the states of a loop by kind."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache

from metricdp.check.values.objects import ListRef, Numbered, Obj, View, Zip


def list_numbers(iterable: Obj) -> list[int]:
    """Lists that a loop runs over."""
    if isinstance(iterable, ListRef):
        return [iterable.number]
    if isinstance(iterable, View):
        return [iterable.of.number]
    if isinstance(iterable, Zip):
        return [n for part in iterable.parts for n in list_numbers(part)]
    return list_numbers(iterable.inner) if isinstance(iterable, Numbered) else []


def names_of(states: dict[str, Obj]) -> dict[str, Obj]:
    """The states of a loop that are names."""
    return {name: value for name, value in states.items() if not name.startswith("@")}


def lists_of(states: dict[str, Obj]) -> dict[int, Obj]:
    """The states of a loop that are contents of lists."""
    return {int(name[1:]): value for name, value in states.items() if name.startswith("@")}


class Jump(Enum):
    """How a round of a loop ends before its last statement."""

    BREAK = "break"
    CONTINUE = "continue"
    #: An exception: nothing comes after it, on any way.
    RAISE = "raise"


@lru_cache(maxsize=1024)
def jumps(node: ast.AST, raising: bool = True) -> bool:
    """Whether a branch can end the function, or the present round of the loop around it.

    Args:
        raising: whether an exception counts as an end.
    """
    ends = (ast.Return, ast.Raise) if raising else (ast.Return,)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (*ends, ast.Break, ast.Continue)):
            return True
        if isinstance(child, ast.For | ast.While):
            # What ends a round of an inner loop stays inside of it.
            if any(isinstance(inner, ends) for inner in own_statements(child)):
                return True
        elif isinstance(child, ast.FunctionDef | ast.Lambda | ast.expr):
            continue
        elif jumps(child, raising):
            return True
    return False


@lru_cache(maxsize=1024)
def own_statements(node: ast.AST) -> tuple[ast.AST, ...]:
    """Statements below a node, not looking into nested functions."""
    found: list[ast.AST] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.Lambda | ast.expr):
            continue
        found.append(child)
        found += own_statements(child)
    return tuple(found)


@lru_cache(maxsize=1024)
def local_names(node: ast.FunctionDef) -> frozenset[str]:
    """Names that a function binds itself, besides its parameters."""
    return bound_by(node.body)


def bound_by(body: Sequence[ast.AST]) -> frozenset[str]:
    """Names that statements bind, not looking into nested functions and comprehensions."""
    found: set[str] = set()
    outside: set[str] = set()
    pending: list[ast.AST] = list(body)
    while pending:
        inner = pending.pop()
        if isinstance(inner, ast.Name):
            if not isinstance(inner.ctx, ast.Load):
                found.add(inner.id)
        elif isinstance(inner, _DEFINITIONS):
            found.add(inner.name)
        elif isinstance(inner, _OUTER):
            outside |= set(inner.names)
        elif isinstance(inner, ast.MatchAs) and inner.name is not None:
            found.add(inner.name)
        elif isinstance(inner, ast.alias):
            found.add((inner.asname or inner.name).partition(".")[0])
        elif not isinstance(inner, SCOPES):
            pending += children(inner)
    return frozenset(found - outside)


def children(node: ast.AST) -> list[ast.AST]:
    """`ast.iter_child_nodes` without what has no names in it: whole bodies are gone through."""
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [each for each in value if isinstance(each, ast.AST)]
        elif isinstance(value, ast.AST) and not isinstance(value, _NAMELESS):
            found.append(value)
    return found


#: Expressions with names of their own.
SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_OUTER = (ast.Global, ast.Nonlocal)
_NAMELESS = (ast.Constant, ast.expr_context, ast.operator, ast.unaryop, ast.boolop)


@lru_cache(maxsize=1024)
def written_names(node: ast.For | ast.While) -> frozenset[str]:
    """Names that a loop assigns."""
    found = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            if isinstance(inner.ctx, ast.Store):
                found.add(inner.id)
        elif isinstance(inner, ast.FunctionDef):
            found.add(inner.name)
        elif isinstance(inner, ast.AugAssign) and isinstance(inner.target, ast.Subscript):
            base = inner.target.value  # an array becomes another one, or a row of a list
            base = base.value if isinstance(base, ast.Subscript) else base
            found |= {base.id} if isinstance(base, ast.Name) else set()
    return frozenset(found)


#: Methods that change nothing.
_READING = frozenset("get keys values items copy index count".split())


@lru_cache(maxsize=1024)
def changed_names(node: ast.For | ast.While) -> frozenset[str]:
    """Names of what a loop may change in place: those whose entries it stores into, at any depth,
    and those of which it calls methods that may change something."""
    found = set()
    for inner in ast.walk(node):
        base: ast.expr | None = None
        if isinstance(inner, ast.Subscript) and isinstance(inner.ctx, ast.Store):
            base = inner.value
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
            base = None if inner.func.attr in _READING else inner.func.value
        while isinstance(base, ast.Subscript | ast.Attribute):
            base = base.value
        if isinstance(base, ast.Name):
            found.add(base.id)
    return frozenset(found)


@lru_cache(maxsize=1024)
def parameter_names(node: ast.AST) -> frozenset[str]:
    """Parameters of a function and of the functions inside it."""
    found: set[str] = set()
    pending = [node]
    while pending:
        inner = pending.pop()
        if isinstance(inner, ast.arg):
            found.add(inner.arg)
        pending += children(inner)
    return frozenset(found)
