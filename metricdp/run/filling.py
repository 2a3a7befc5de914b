"""A loop that puts every row into one of several lists, or counts it under a key, as the
comprehensions that it means, one for each list:

    for v in xs:                    low = [v for v in xs if v < 3]
        if v < 3:                   high = [v for v in xs if not v < 3]
            low.append(v)           counts = Counter([v for v in xs])
        else:
            high.append(v)
        counts[v] += 1

Check reads what is made here where every name is an empty list, or an empty counter, that nothing
else knows (`check.language.filling`), and a run executes it: both see the very same tree.
"""

from __future__ import annotations

import ast
from copy import deepcopy

import msgspec

_KEPT = "_metricdp_filled"


class Filled(msgspec.Struct, frozen=True):
    """One name that a loop fills.

    Attributes:
        made: the statement that gives it what the loop puts there.
        rows: the comprehension in it.
        counts: whether rows are counted by a key, and not listed.
    """

    name: str
    made: ast.Assign
    rows: ast.ListComp
    counts: bool


def filled(node: ast.For) -> list[Filled] | None:
    """What a loop fills, each name once; None of a loop that does anything else, and of one that
    only appends every row to one list."""
    kept: list[Filled] | None = getattr(node, _KEPT, None)
    if kept is None:
        kept = vars(node).setdefault(_KEPT, _filled(node))  # one tree, whoever reads it
    return kept or None


def _filled(node: ast.For) -> list[Filled]:
    if node.orelse or not isinstance(node.iter, ast.Name) or not isinstance(node.target, ast.Name):
        return []
    if any(isinstance(each, ast.Lambda | ast.NamedExpr) for each in ast.walk(node)):
        return []  # which have names of their own
    steps: dict[str, ast.expr] = {}
    body = list(node.body)
    while body and (step := step_of(body[0])) is not None:
        name, value = step
        steps[name] = Inlined(steps).visit(deepcopy(value))
        body.pop(0)
    found = _leaves(body, [])
    if found is None or {node.target.id, node.iter.id} & steps.keys():
        return []
    made = [_made(node, *leaf, steps) for leaf in found]
    names = {each.name for each in made}
    used = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in names]
    once = len(used) == len(names) == len(made) and not names & {node.target.id, node.iter.id}
    stored = [
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]
    one_list = len(made) == 1 and not (made[0].counts or made[0].rows.generators[0].ifs)
    if one_list:
        return []
    return made if once and sorted(stored) == sorted({node.target.id, *steps}) else []


def step_of(node: ast.stmt) -> tuple[str, ast.expr] | None:
    """`name = expression`."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return None
    (target,) = node.targets
    return (target.id, node.value) if isinstance(target, ast.Name) else None


def sides_of(node: ast.If) -> tuple[tuple[list[ast.stmt], ast.expr], ...]:
    """Both bodies of a condition, each with the test under which it runs."""
    other = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
    return (node.body, node.test), (node.orelse, other)


#: What a row is put into and as what, whether it is counted there, the tests before, and the place.
_Leaf = tuple[str, ast.expr, bool, list[ast.expr], ast.stmt]


def _leaves(body: list[ast.stmt], tests: list[ast.expr]) -> list[_Leaf] | None:
    """What the statements of a round fill, under these tests; None where they do anything else."""
    found: list[_Leaf] = []
    for node in body:
        if isinstance(node, ast.Pass):
            continue
        if isinstance(node, ast.If):
            for side, test in sides_of(node):
                inside = _leaves(side, [*tests, test])
                if inside is None:
                    return None
                found += inside
            continue
        put = _put(node)
        if put is None:
            return None
        found.append((*put, tests, node))
    return found


def _put(node: ast.stmt) -> tuple[str, ast.expr, bool] | None:
    """`out.append(value)` or `counts[key] += 1`."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        target, one = node.target, node.value
        if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
            return None
        is_one = isinstance(one, ast.Constant) and type(one.value) is int and one.value == 1
        sliced = isinstance(target.slice, ast.Slice)
        return (target.value.id, target.slice, True) if is_one and not sliced else None
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    plain = len(call.args) == 1 and not call.keywords and not isinstance(call.args[0], ast.Starred)
    if call.func.attr != "append" or not isinstance(call.func.value, ast.Name) or not plain:
        return None
    return call.func.value.id, call.args[0], False


def _made(
    node: ast.For, name: str, value: ast.expr, counts: bool, tests: list[ast.expr],
    place: ast.stmt, steps: dict[str, ast.expr],
) -> Filled:  # fmt: skip
    def copied(part: ast.expr) -> ast.expr:
        # Every comprehension has nodes of its own: what is said of a node is said once.
        return Inlined(steps).visit(deepcopy(part))  # type: ignore[no-any-return]

    assert isinstance(node.iter, ast.Name) and isinstance(node.target, ast.Name)
    target, rows = ast.Name(node.target.id, ast.Store()), ast.Name(node.iter.id, ast.Load())
    generator = ast.comprehension(target, rows, [copied(test) for test in tests], 0)
    listed = ast.ListComp(copied(value), [generator])
    whole: ast.expr = listed
    if counts:
        whole = ast.Call(ast.Name(".counted", ast.Load()), [listed], [])
    made = ast.Assign([ast.Name(name, ast.Store())], whole)
    for part in ast.walk(made):
        if isinstance(part, ast.stmt | ast.expr) and not hasattr(part, "lineno"):
            ast.copy_location(part, place)
    return Filled(name, made, listed, counts)


class Inlined(ast.NodeTransformer):
    """Names of a round as the expressions that they stand for."""

    def __init__(self, steps: dict[str, ast.expr]) -> None:
        self.steps = steps

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A name that a round gives a value before it puts anything anywhere."""
        read = isinstance(node.ctx, ast.Load) and node.id in self.steps
        return deepcopy(self.steps[node.id]) if read else node
