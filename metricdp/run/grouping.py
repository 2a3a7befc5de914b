"""A loop that puts rows into a dictionary by a key of theirs, as the comprehensions that it means.

    groups = defaultdict(list)             where `groups[E]` is read, and after the loop alone:
    for r in rows:                         [r.ms for r in rows if r.ms > 0 and r.name == E]
        if r.ms > 0:
            groups[r.name].append(r.ms)    of `totals[r.name] += r.ms`: sum([...])

    groups = {c: [] for c in KEYS}         groups = {c: [r.ms for r in rows if r.name == c]
    for r in rows:                                   for c in KEYS}
        if r.name in groups:
            groups[r.name].append(r.ms)

This is done to the syntax of a function, once, before anything else reads it: check and run see the
same tree, which is why nothing here is believed.  It is done to loops over private tables alone,
whose rows nothing can change in between; the names that keys, values and tests read are given a
value once, before the loop, or never.  A dictionary that would raise for a key that no row has
stays as it is written, and check refuses it.
"""

from __future__ import annotations

import ast
from collections import Counter
from copy import deepcopy
from typing import Final

from metricdp.run.filling import step_of
from metricdp.run.frame_columns import called, read
from metricdp.run.frame_places import changed
from metricdp.run.grouped import Began, Put, begin_of, called_name, puts_of, step_names
from metricdp.run.grouped_fixed import may_change

#: The attribute of an expression that was made, for messages: its text.
WRITTEN: Final = "_metricdp_written"
#: The attribute of a statement that counts pairs: the loop that does.
_LOOP: Final = "_metricdp_loop"
#: Functions of metricdp that give some rows of the table that they are given first.
_SAME_ROWS: Final = frozenset({"limit_rows", "limit_groups"})
#: What a key may be where a group is read: evaluated once for each row, it is the same each time.
_PLAIN: Final = (ast.Name, ast.Constant, ast.Tuple, ast.Attribute, ast.Subscript, ast.expr_context)


def groups_rows(node: ast.FunctionDef) -> bool:
    """Whether a loop of a function's body may put rows into dictionaries."""
    return any(isinstance(each, ast.For) and puts_of(each) for each in node.body) or any(
        _counting_pairs(each) is not None for each in node.body
    )


def plain_groups(node: ast.FunctionDef, body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a function with comprehensions in place of dictionaries of rows."""
    for place, loop in enumerate(body):
        if isinstance(loop, ast.For) and (made := _without(node, body, place, loop)) is not None:
            return plain_groups(node, made)
        if (counting := _counting_pairs(loop)) is not None:
            written = [*body[:place], *counting, *body[place + 1 :]]
            made = _without(node, written, place + 1, counting[1])
            if made is not None:
                return plain_groups(node, made)
    return body


def _counting_pairs(node: ast.stmt) -> tuple[ast.Assign, ast.For] | None:
    """`counts = Counter((r.a, r.b) for r in rows if p(r))` as the loop that counts so."""
    match node:
        case ast.Assign(
            [ast.Name(name)],
            ast.Call(
                func,
                [
                    ast.GeneratorExp(ast.Tuple() as key, [rows])
                    | ast.ListComp(ast.Tuple() as key, [rows])
                ],
                [],
            ),
        ) if called_name(func) == "Counter" and not rows.is_async:
            kept: tuple[ast.Assign, ast.For] | None = getattr(node, _LOOP, None)
            if kept is None:
                kept = _loop(node, name, func, key, rows)
                setattr(node, _LOOP, kept)  # one tree, whoever reads it
            return kept
    return None


def _loop(
    node: ast.Assign, name: str, func: ast.expr, key: ast.Tuple, rows: ast.comprehension
) -> tuple[ast.Assign, ast.For]:
    count: ast.stmt = ast.AugAssign(
        ast.Subscript(ast.Name(name, ast.Load()), deepcopy(key), ast.Store()), ast.Add(),
        ast.Constant(1),
    )  # fmt: skip
    for test in reversed(rows.ifs):
        count = ast.If(deepcopy(test), [count], [])
    begin = ast.Assign([ast.Name(name, ast.Store())], ast.Call(deepcopy(func), [], []))
    loop = ast.For(deepcopy(rows.target), deepcopy(rows.iter), [count], [])
    for part in (*ast.walk(begin), *ast.walk(loop)):
        if isinstance(part, ast.stmt | ast.expr) and not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return begin, loop


def _without(
    node: ast.FunctionDef, body: list[ast.stmt], place: int, loop: ast.For
) -> list[ast.stmt] | None:
    """The statements without one loop; None where it does anything else."""
    puts = puts_of(loop)
    if not puts or not isinstance(loop.iter, ast.Name) or not isinstance(loop.target, ast.Name):
        return None
    stored, row = _stored(node, body), loop.target.id
    if loop.iter.id not in _tables(node, body[:place], stored):
        return None
    arguments = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
    if {row, "sum"} & arguments or stored["sum"]:
        return None
    if not all(_bound_anew(each, loop, row, False) for each in body):
        return None
    names = {put.name for put in puts}
    found = {name: begin_of(body[:place], name) for name in names}
    if len(names) < len(puts) or any(stored[name] != 1 for name in names):
        return None
    begins = {name: begin for name, begin in found.items() if begin is not None}
    if len(begins) < len(found):
        return None
    if all(_counts_values(put) and not begins[put.name].lacks for put in puts):
        return None  # counters, which are read as they are
    parts = {loop.iter.id} | {
        n.id for put in puts for part in (put.key, put.value, *put.tests) for n in ast.walk(part)
        if isinstance(n, ast.Name)
    } - {row}  # fmt: skip
    before = Counter(_top(body[:place]))
    if any(stored[name] > 1 or stored[name] != before[name] for name in parts - names):
        return None
    if (parts | names) & set().union(*map(changed, body[place + 1 :]), set()):
        return None
    others = [each for each in body if each is not loop]
    if not all(_own_value(each, loop, name) for name in step_names(loop) for each in others):
        return None  # something reads that of the last row
    known = [each.known.generators[0].iter for each in begins.values() if each.known is not None]
    keys = {n.id for each in known for n in ast.walk(each) if isinstance(n, ast.Name)}
    if may_change(node, body, loop, (parts | keys) - names - {loop.iter.id}):
        return None
    if not all(_fits(put, begins[put.name], body, place) for put in puts):
        return None
    rest: list[ast.stmt] = body
    for put in puts:
        begin = begins[put.name]
        if begin.known is not None:
            rest = _with_lists(rest, loop, put, begin)
            continue
        reads = _Reads(loop, put, begin)
        rest = [*rest[: place + 1], *map(reads.visit, deepcopy(rest[place + 1 :]))]
        if reads.other:
            return None
    return [each for each in rest if each is not loop]


def _counts_values(put: Put) -> bool:
    return put.one and put.kind == "sum" and not isinstance(put.key, ast.Tuple)


def _bound_anew(node: ast.AST, loop: ast.For, name: str, bound: bool) -> bool:
    """Whether a name is read and given values by comprehensions and loops of its own alone, besides
    the loop itself: nothing reads the last row."""
    if node is loop:
        return True
    if isinstance(node, ast.Name):
        return bound or node.id != name
    if isinstance(node, ast.For) and _binds(node.target, name):
        first, inside = node.iter, [*node.body, *node.orelse]
        return _bound_anew(first, loop, name, bound) and all(
            _bound_anew(each, loop, name, True) for each in inside
        )
    generators = getattr(node, "generators", [])
    if any(_binds(each.target, name) for each in generators):
        return _bound_anew(generators[0].iter, loop, name, bound)
    return all(_bound_anew(each, loop, name, bound) for each in ast.iter_child_nodes(node))


def _own_value(node: ast.stmt, loop: ast.For, name: str) -> bool:
    """Whether a statement reads a name only where it gave it a value itself, first of all."""
    if isinstance(node, ast.Assign) and not any(
        isinstance(n, ast.Name) and n.id == name for n in ast.walk(node.value)
    ):
        return all(_is_name(t, name) or _bound_anew(t, loop, name, False) for t in node.targets)
    step = step_of(node.body[0]) if isinstance(node, ast.For) else None
    if isinstance(node, ast.For) and step is not None and step[0] == name:
        first = (node.iter, step[1], *node.orelse)
        return all(_bound_anew(each, loop, name, False) for each in first)
    return _bound_anew(node, loop, name, False)


def _fits(put: Put, begin: Began, body: list[ast.stmt], place: int) -> bool:
    """Whether a loop may put this into a dictionary that begins so."""
    if begin.kind not in (None, put.kind) or (begin.lacks and put.bare):
        return False
    tests = [each for each in put.tests if not _is_key_of(each, put)]
    parts = (put.key, put.value, *tests)
    if any(isinstance(n, ast.Name) and n.id == put.name for p in parts for n in ast.walk(p)):
        return False
    if begin.known is None:
        return len(tests) == len(put.tests)
    generator = begin.known.generators[0]
    read_ = {n.id for n in ast.walk(generator) if isinstance(n, ast.Name)}
    inside = {n.id for p in parts for n in ast.walk(p) if isinstance(n, ast.Name)}
    keys = {n.id for n in ast.walk(generator.iter) if isinstance(n, ast.Name)}
    between = [n for each in body[begin.place + 1 : place] for n in ast.walk(each)]
    rebound = any(isinstance(n, ast.Name) and n.id in keys and not isinstance(n.ctx, ast.Load)
                  for n in between)  # fmt: skip
    moved = set().union(*map(changed, body[begin.place + 1 : place]), set())
    known = len(tests) < len(put.tests) and isinstance(generator.iter, ast.Name | ast.Tuple)
    return known and not rebound and not (keys & moved) and not (read_ - keys) & inside


def _is_key_of(test: ast.expr, put: Put) -> bool:
    """`key in d`, which the key is compared with itself to know."""
    match test:
        case ast.Compare(key, [ast.In()], [ast.Name(name)]):
            return name == put.name and ast.dump(key) == ast.dump(put.key)
    return False


def _listed(loop: ast.For, put: Put, key: ast.expr, at: ast.AST, shift: int = 0) -> ast.ListComp:
    """The rows under one key."""
    assert isinstance(loop.iter, ast.Name) and isinstance(loop.target, ast.Name)
    tests = [deepcopy(each) for each in put.tests if not _is_key_of(each, put)]
    tests.append(_same(deepcopy(put.key), key))
    target = ast.Name(loop.target.id, ast.Store())
    generator = ast.comprehension(target, read(loop.iter.id), tests, 0)
    made = ast.ListComp(deepcopy(put.value), [generator])
    for part in ast.walk(made):
        if isinstance(part, ast.expr):
            if not hasattr(part, "lineno"):
                ast.copy_location(part, at)
            if part is made:
                part.col_offset += shift
    if shift:  # what stands at its place is something else
        setattr(made, WRITTEN, ast.unparse(made))
    return made


def _same(one: ast.expr, other: ast.expr) -> ast.expr:
    tuples = isinstance(one, ast.Tuple) and isinstance(other, ast.Tuple)
    if tuples and one.elts and len(one.elts) == len(other.elts):  # type: ignore[attr-defined]
        pairs = zip(one.elts, other.elts, strict=True)  # type: ignore[attr-defined]
        return ast.BoolOp(ast.And(), [_same(*pair) for pair in pairs])
    return ast.Compare(one, [ast.Eq()], [other])


def _with_lists(body: list[ast.stmt], loop: ast.For, put: Put, begin: Began) -> list[ast.stmt]:
    """The dictionary of the rows under each of its keys, where the loop was."""
    assert begin.known is not None
    known = deepcopy(begin.known)
    assert isinstance(known.key, ast.Name)
    known.value = _listed(loop, put, read(known.key.id), known.value)
    ast.copy_location(known, begin.known)
    made = ast.Assign([ast.Name(put.name, ast.Store())], known)
    first = body[begin.place]
    for part in ast.walk(made):
        if isinstance(part, ast.stmt | ast.expr) and not hasattr(part, "lineno"):
            ast.copy_location(part, first)
    found: list[ast.stmt] = []
    for each in body:
        if each is not first:
            found += [made, each] if each is loop else [each]
        else:
            found.append(ast.copy_location(ast.Pass(), first))
    return found


class _Reads(ast.NodeTransformer):
    """Comprehensions in place of the groups that are read.

    Attributes:
        other: whether the dictionary is used in any other way.
    """

    def __init__(self, loop: ast.For, put: Put, begin: Began) -> None:
        self.loop, self.put, self.begin = loop, put, begin
        self.other = False

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """`d[key]`."""
        if not _is_name(node.value, self.put.name):
            return self.generic_visit(node)
        if self.begin.lacks or not isinstance(node.ctx, ast.Load):
            self.other = True
        return self._group(node.slice, node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`d.get(key, 0)`."""
        match node:
            case ast.Call(ast.Attribute(of, "get"), [key, default], []) if _is_name(
                of, self.put.name
            ):
                empty = isinstance(default, ast.List) and not default.elts
                zero = isinstance(default, ast.Constant) and default.value == 0
                if not (empty if self.put.kind == "list" else zero):
                    self.other = True
                return self._group(key, node)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """The dictionary itself."""
        self.other |= node.id == self.put.name
        return node

    def _group(self, key: ast.expr, at: ast.expr) -> ast.AST:
        names = {n.id for n in ast.walk(key) if isinstance(n, ast.Name)}
        plain = all(isinstance(each, _PLAIN) for each in ast.walk(key))
        assert isinstance(self.loop.target, ast.Name)
        if not plain or names & {self.put.name, self.loop.target.id}:
            self.other = True
            return at
        if self.put.kind == "list":
            return _listed(self.loop, self.put, key, at)
        whole = called("sum", _listed(self.loop, self.put, key, at, 1))
        for part in ast.walk(whole):
            if isinstance(part, ast.expr) and not hasattr(part, "lineno"):
                ast.copy_location(part, at)
        return whole


def _binds(target: ast.expr, name: str) -> bool:
    if isinstance(target, ast.Tuple):
        return any(_binds(each, name) for each in target.elts)
    return _is_name(target, name)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _tables(node: ast.FunctionDef, body: list[ast.stmt], stored: Counter[str]) -> set[str]:
    """Names that are private tables from before a statement to the end."""
    arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    found = {
        each.arg for each in arguments
        if each.annotation and "Records[" in ast.unparse(each.annotation) and not stored[each.arg]
    }  # fmt: skip
    for each in body:
        if not isinstance(each, ast.Assign) or len(each.targets) != 1:
            continue
        (target,) = each.targets
        if not isinstance(target, ast.Name) or stored[target.id] != 1:
            continue
        match each.value:
            case ast.ListComp(_, [ast.comprehension(_, ast.Name(name))]) if name in found:
                found.add(target.id)
            case ast.Call(ast.Attribute(_, method), [ast.Name(name), *_]) if (
                name in found and method in _SAME_ROWS
            ):
                found.add(target.id)
    return found


def _stored(node: ast.FunctionDef, body: list[ast.stmt]) -> Counter[str]:
    """How often each name is given a value, at any depth, but for the parameters."""
    nodes = [part for each in body for part in ast.walk(each)]
    names = [n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    names += [each.arg for each in nodes if isinstance(each, ast.arg)]
    names += [n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    return Counter(names)


def _top(body: list[ast.stmt]) -> list[str]:
    """Names that plain statements of a body give a value."""
    targets = [target for each in body if isinstance(each, ast.Assign) for target in each.targets]
    return [n.id for target in targets for n in ast.walk(target)
            if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]  # fmt: skip
