"""An iterator that has a name, where it is gone through: `adults = filter(f, rows)`, `sum(adults)`;
and a set that has a name and is counted: `users = {r.user for r in rows}`, `len(users)`.

An iterator computes its items where they are asked for.  So what stands behind a name that is read
once stands in the place of that name, unless something that it reads may be another thing by then:
this is what Python does, but for what `filter`, `map` and the like are given, which is only read
earlier.  It is done to the syntax of a function, before check and run see it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from typing import Final

from metricdp.run.grouped_fixed import may_change

_MAKERS: Final = frozenset({
    "filter", "map", "zip", "enumerate", "reversed", "product", "combinations", "permutations",
    "combinations_with_replacement", "accumulate", "pairwise", "chain",
})  # fmt: skip
#: What is read only, before the iterator begins.
_READING: Final = (ast.Name, ast.Attribute, ast.Constant, ast.Lambda, ast.Load, ast.GeneratorExp)
_SCOPES: Final = (ast.Lambda, ast.FunctionDef, ast.ClassDef, ast.While)


def names_iterators(node: ast.FunctionDef) -> bool:
    """Whether a statement of a function's body may give an iterator a name."""
    return any(_named(each) is not None for each in node.body)


def plain_iterators(node: ast.FunctionDef, body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a function with iterators in the place of their names."""
    for place, each in enumerate(body):
        if _named(each) is not None and (made := _in_place(node, body, place)) is not None:
            return plain_iterators(node, made)
    return body


def _named(node: ast.stmt) -> tuple[str, ast.expr] | None:
    """`name = iterator`."""
    match node:
        case ast.Assign([ast.Name(name)], ast.GeneratorExp() as value):
            return name, value
        case ast.Assign([ast.Name(name)], value) if _is_set(value):
            return name, value
        case ast.Assign([ast.Name(name)], ast.Call(function, given, []) as value):
            made = function.attr if isinstance(function, ast.Attribute) else None
            made = function.id if isinstance(function, ast.Name) else made
            if made in _MAKERS and all(map(_reads, given)):
                return name, value
    return None


def _is_set(node: ast.expr) -> bool:
    match node:
        case ast.SetComp() | ast.Call(ast.Name("set"), [ast.GeneratorExp() | ast.ListComp()], []):
            return True
    return False


def _counts(node: ast.stmt, name: str) -> bool:
    """Whether a statement has `len(name)`."""
    calls = (each for each in ast.walk(node) if isinstance(each, ast.Call))
    return any(
        isinstance(each.func, ast.Name) and each.func.id == "len" and len(each.args) == 1
        and isinstance(each.args[0], ast.Name) and each.args[0].id == name
        for each in calls
    )  # fmt: skip


def _reads(node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute):
        return _reads(node.value)
    if isinstance(node, ast.Call):
        inside = _named(ast.Assign([ast.Name("_", ast.Store())], node))
        return inside is not None
    if isinstance(node, ast.Tuple | ast.List):
        return all(map(_reads, node.elts))
    return isinstance(node, _READING)


def _in_place(node: ast.FunctionDef, body: list[ast.stmt], place: int) -> list[ast.stmt] | None:
    """The statements without one name; None where another thing may be meant."""
    named = _named(body[place])
    assert named is not None
    name, value = named
    nodes = [part for each in body for part in ast.walk(each)]
    arguments = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
    if name in arguments or any(isinstance(n, ast.Global | ast.Nonlocal) for n in nodes):
        return None
    used = [n for n in nodes if isinstance(n, ast.Name) and n.id == name]
    bound = [n.arg for n in nodes if isinstance(n, ast.arg)]
    if len(used) != 2 or name in bound:
        return None
    (at, once) = next(
        ((at, n) for at in range(place + 1, len(body)) for n in _once(body[at]) if n in used),
        (0, None),
    )
    if once is None or (_is_set(value) and not _counts(body[at], name)):
        return None
    names = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
    inner = {n.id for n in ast.walk(value)
             if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}  # fmt: skip
    inner |= {n.arg for n in ast.walk(value) if isinstance(n, ast.arg)}
    stored = Counter(
        n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    )
    before = Counter(_given(body[:place]))
    functions = {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    outer = names - inner
    if any(stored[each] != before[each] or stored[each] > 1 for each in outer) or outer & functions:
        return None
    if may_change(node, body, body[place], outer):
        return None
    # The name is one object: a copy of the statement has the same places for messages.
    made = _Put(name, value).visit(deepcopy(body[at]))
    return [*body[:place], *body[place + 1 : at], made, *body[at + 1 :]]


def _once(node: ast.AST) -> Iterator[ast.AST]:
    """What a statement evaluates once at most."""
    if isinstance(node, ast.For):
        yield from _once(node.iter)
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        yield from _once(node.generators[0].iter)
    elif not isinstance(node, _SCOPES):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from _once(child)


def _given(body: list[ast.stmt]) -> Iterator[str]:
    """Names that plain statements give a value."""
    for each in body:
        for target in each.targets if isinstance(each, ast.Assign) else ():
            for n in ast.walk(target):
                if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load):
                    yield n.id


class _Put(ast.NodeTransformer):
    def __init__(self, name: str, value: ast.expr) -> None:
        self.name, self.value = name, value

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """The name of the iterator."""
        return deepcopy(self.value) if node.id == self.name else node
