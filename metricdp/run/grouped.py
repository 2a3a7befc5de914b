"""What a loop puts into dictionaries by a key of each row, and how these dictionaries begin."""

from __future__ import annotations

import ast
from copy import deepcopy
from typing import Final, Literal, NamedTuple

from metricdp.run.filling import Inlined, sides_of, step_of

_MISSING: Final = {"list": "list", "int": "sum", "float": "sum"}

Kind = Literal["list", "sum"]


class Put(NamedTuple):
    """One statement of a round: what it puts under which key, and the tests before."""

    name: str
    key: ast.expr
    value: ast.expr
    kind: Kind
    one: bool
    tests: list[ast.expr]
    bare: bool  # whether it raises for a key that the dictionary lacks


class Began(NamedTuple):
    """How a dictionary begins.

    Attributes:
        known: the comprehension of its keys, where each of them has an empty list; None of one
            that has a value for every key.
        lacks: whether it has no value for keys that no row has, but for `.get`.
    """

    place: int
    kind: Kind | None
    known: ast.DictComp | None
    lacks: bool


def puts_of(loop: ast.For) -> list[Put]:
    """What the rounds of a loop put into dictionaries; [] of a loop that does anything else."""
    if loop.orelse or any(isinstance(n, ast.Lambda | ast.NamedExpr) for n in ast.walk(loop)):
        return []
    return _leaves(loop.body, [], {}) or []


def _leaves(
    body: list[ast.stmt], tests: list[ast.expr], steps: dict[str, ast.expr]
) -> list[Put] | None:
    """The same of the statements of a block; None of one that does anything else.

    Args:
        steps: names that stand for expressions; a block of a condition has its own.
    """
    steps = dict(steps)

    def inlined(part: ast.expr) -> ast.expr:
        return Inlined(steps).visit(deepcopy(part))  # type: ignore[no-any-return]

    found: list[Put] = []
    for node in body:
        if not found and (step := step_of(node)) is not None:
            steps[step[0]] = inlined(step[1])
            continue
        if isinstance(node, ast.If):
            for side, test in sides_of(node):
                inside = _leaves(side, [*tests, inlined(test)], steps)
                if inside is None:
                    return None
                found += inside
            continue
        put = _put(node)
        if put is None:
            return None
        name, key, value, kind = put
        one = isinstance(value, ast.Constant) and type(value.value) is int and value.value == 1
        bare = isinstance(node, ast.AugAssign) or _appends_to_item(node)
        found.append(Put(name, inlined(key), inlined(value), kind, one, tests, bare))
    return found


def _put(node: ast.stmt) -> tuple[str, ast.expr, ast.expr, Kind] | None:
    """`d[key].append(v)`, `d.setdefault(key, []).append(v)`, `d[key] += v`, or
    `d[key] = d.get(key, 0) + v`."""
    match node:
        case ast.Expr(ast.Call(ast.Attribute(into, "append"), [value], [])):
            match into:
                case ast.Subscript(ast.Name(name), key) if not isinstance(key, ast.Slice):
                    return name, key, value, "list"
                case ast.Call(ast.Attribute(ast.Name(name), "setdefault"), [key, ast.List([])], []):
                    return name, key, value, "list"
        case ast.AugAssign(ast.Subscript(ast.Name(name), key), ast.Add(), value):
            return None if isinstance(key, ast.Slice) else (name, key, value, "sum")
        case ast.Assign(
            [ast.Subscript(ast.Name(name), key)],
            ast.BinOp(
                ast.Call(ast.Attribute(ast.Name(other), "get"), [same, ast.Constant(0)], []),
                ast.Add(),
                value,
            ),
        ) if name == other and ast.dump(key) == ast.dump(same):
            return name, key, value, "sum"
    return None


def _appends_to_item(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(ast.Call(ast.Attribute(ast.Subscript()))):
            return True
    return False


def step_names(loop: ast.For) -> set[str]:
    """Names that stand for expressions in the rounds of a loop, at any depth."""
    steps = (step_of(each) for each in ast.walk(loop) if isinstance(each, ast.stmt))
    return {step[0] for step in steps if step is not None}


def begin_of(body: list[ast.stmt], name: str) -> Began | None:
    """How a dictionary begins that nothing reads before the loop."""
    found: Began | None = None
    for place, node in enumerate(body):
        names = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name]
        if not names:
            continue
        if found is not None or len(names) > 1 or not isinstance(node, ast.Assign):
            return None
        match node.value:
            case ast.Call(func, [ast.Name(kind)], []) if called_name(func) == "defaultdict":
                held = _MISSING.get(kind)
                found = Began(place, held, None, False) if held else None  # type: ignore[arg-type]
            case ast.Call(func, [], []) if called_name(func) == "Counter":
                found = Began(place, "sum", None, False)
            case ast.Dict([], []):
                found = Began(place, None, None, True)
            case ast.DictComp(ast.Name(), ast.List([]), [ast.comprehension(ast.Name(), _, [])]):
                comprehension = node.value
                assert isinstance(comprehension, ast.DictComp)
                same = ast.unparse(comprehension.key) == ast.unparse(
                    comprehension.generators[0].target
                )
                found = Began(place, "list", comprehension, False) if same else None
        if found is None:
            return None
    return found


def called_name(node: ast.expr) -> str:
    """The name of a function, with or without its module."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
