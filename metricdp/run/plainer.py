"""`match`, `return` in a loop, and `yield`, as the plainer statements that they stand for.

Check reads what is made here and a run executes it: it is made once for each statement, so that
both see the very same tree.  Names that begin with a dot are names that no program can write.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

Loop = ast.For | ast.While
#: The attribute of a statement that keeps what was made of it.
_KEPT, _RETURNS = "_metricdp_plainer", "_metricdp_returns"
_YIELDED = ".yielded"


def returns(node: Loop) -> bool:
    """Whether a loop returns from its function."""
    known: bool | None = getattr(node, _RETURNS, None)
    if known is None:
        known = _returning(node)
        setattr(node, _RETURNS, known)
    return known


def _returning(node: ast.AST) -> bool:
    if isinstance(node, ast.Return):
        return True
    if isinstance(node, ast.FunctionDef | ast.Lambda | ast.expr):
        return False
    return any(map(_returning, ast.iter_child_nodes(node)))


def without_return(node: Loop) -> list[ast.stmt]:
    """A loop that keeps its result and stops, and returns after it."""
    return _once(node, lambda: _kept_result(node))


def as_branches(node: ast.Match) -> list[ast.stmt] | None:
    """`match` as `if`, `elif` and `else`; None where a pattern takes values apart."""
    made = _once(node, lambda: _branches(node))
    return made or None


def plain_form(node: ast.AST) -> list[ast.stmt] | None:
    """The plainer statements of a statement; None where it is read as it is written."""
    if isinstance(node, ast.For | ast.While) and not node.orelse and returns(node):
        return without_return(node)
    return as_branches(node) if isinstance(node, ast.Match) else None


def yields(node: ast.AST) -> bool:
    """Whether a function is a generator function, or a statement of it yields."""
    if isinstance(node, ast.Yield | ast.YieldFrom):
        return True
    return any(
        yields(child) for child in ast.iter_child_nodes(node)
        if not isinstance(child, ast.FunctionDef | ast.Lambda)
    )  # fmt: skip


def body_of(node: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function; of a generator function, those that make the list of what it
    yields: check lets it be called only where all of it is consumed at once."""
    known: bool | None = getattr(node, _RETURNS, None)
    if known is None:
        known = yields(node)
        setattr(node, _RETURNS, known)
    return _once(node, lambda: _listed(node)) if known else node.body


# -- yield ------------------------------------------------------------------------------------


def _listed(node: ast.FunctionDef) -> list[ast.stmt]:
    end = ast.Return(_read(_YIELDED))
    return [_set(_YIELDED, ast.List([], ast.Load())), *_appending(node.body), end]


def _appending(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements that append to a list what they yielded."""
    return [ast.copy_location(_appends(each), each) for each in body]


def _appends(node: ast.stmt) -> ast.stmt:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.YieldFrom):
        found = node.value
        method = "append" if isinstance(found, ast.Yield) else "extend"
        into = ast.Attribute(_read(_YIELDED), method, ast.Load())
        return ast.Expr(ast.Call(into, [found.value or ast.Constant(None)], []))
    if isinstance(node, ast.Return) and node.value is None:
        return ast.Return(_read(_YIELDED))
    if isinstance(node, ast.For | ast.While):
        made = _with_body(node, _appending(node.body))
        made.orelse = _appending(node.orelse)
        return made
    if isinstance(node, ast.If):
        return ast.If(node.test, _appending(node.body), _appending(node.orelse))
    if isinstance(node, ast.Match):
        cases = [ast.match_case(c.pattern, c.guard, _appending(c.body)) for c in node.cases]
        return ast.Match(node.subject, cases)
    return node


def _once(node: ast.stmt, make: Callable[[], list[ast.stmt]]) -> list[ast.stmt]:
    kept: list[ast.stmt] | None = getattr(node, _KEPT, None)
    if kept is None:
        kept = make()
        for statement in kept:
            for part in ast.walk(statement):
                if isinstance(part, ast.stmt | ast.expr) and not hasattr(part, "lineno"):
                    ast.copy_location(part, node)
        setattr(node, _KEPT, kept)
    return kept


# -- return in a loop -------------------------------------------------------------------------


def result_name(node: Loop) -> str:
    """The name under which a loop that returns keeps its result."""
    return f".result_{node.lineno}"


def _kept_result(node: Loop) -> list[ast.stmt]:
    done, value = f".done_{node.lineno}", result_name(node)
    loop = _with_body(node, _stopping(node.body, done, value))
    result = ast.Return(_read(value))
    return [
        _set(done, ast.Constant(False)), _set(value, ast.Constant(None)), loop,
        ast.If(_read(done), [result], []),
    ]  # fmt: skip


def _stopping(body: list[ast.stmt], done: str, value: str) -> list[ast.stmt]:
    """Statements of a loop, with every `return` as the end of the loop."""
    made: list[ast.stmt] = []
    for node in body:
        if isinstance(node, ast.Return):
            result = node.value or ast.Constant(None)
            stops: list[ast.stmt] = [_set(value, result), _set(done, ast.Constant(True))]
            made += [ast.copy_location(each, node) for each in (*stops, ast.Break())]
        elif isinstance(node, ast.If):
            sides = (_stopping(side, done, value) for side in (node.body, node.orelse))
            made.append(ast.copy_location(ast.If(node.test, *sides), node))
        elif isinstance(node, ast.For | ast.While) and returns(node):
            made.append(_with_body(node, _stopping(node.body, done, value)))
            made.append(ast.copy_location(ast.If(_read(done), [ast.Break()], []), node))
        elif isinstance(node, ast.Match):
            branches = as_branches(node)
            made += [node] if branches is None else _stopping(branches, done, value)
        else:
            made.append(node)
    return made


def _with_body(node: Loop, body: list[ast.stmt]) -> Loop:
    made: Loop
    if isinstance(node, ast.For):
        made = ast.For(node.target, node.iter, body, node.orelse, None)
    else:
        made = ast.While(node.test, body, node.orelse)
    return ast.copy_location(made, node)


# -- match ------------------------------------------------------------------------------------


def _branches(node: ast.Match) -> list[ast.stmt]:
    plain = isinstance(node.subject, ast.Name)
    name = f".subject_{node.lineno}_{node.col_offset}"
    subject = node.subject.id if isinstance(node.subject, ast.Name) else name
    made = _cases(node.cases, subject)
    if made is None:
        return []
    return made if plain else [_set(subject, node.subject), *made]


def _cases(cases: list[ast.match_case], subject: str) -> list[ast.stmt] | None:
    if not cases:
        return []
    (case, *more) = cases
    rest = _cases(more, subject)
    pattern, before = case.pattern, []
    if isinstance(pattern, ast.MatchAs) and pattern.name is not None:
        before = [ast.copy_location(_set(pattern.name, _read(subject)), pattern)]
        pattern = pattern.pattern or ast.MatchAs(None, None)
        if before and not _always(pattern):
            return None  # a name that is bound only where a pattern fits
    test = None if _always(pattern) else _test(pattern, subject)
    if rest is None or (test is None and not _always(pattern)):
        return None
    tests = [each for each in (test, case.guard) if each is not None]
    if not tests:
        return [*before, *case.body]
    whole = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
    return [*before, ast.copy_location(ast.If(whole, case.body, rest), case.pattern)]


def _always(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def _test(pattern: ast.pattern, subject: str) -> ast.expr | None:
    """The condition that a value fits a pattern; None for a pattern that takes it apart."""
    made: ast.expr
    if isinstance(pattern, ast.MatchValue):
        made = ast.Compare(_read(subject), [ast.Eq()], [pattern.value])
    elif isinstance(pattern, ast.MatchSingleton):
        made = ast.Compare(_read(subject), [ast.Is()], [ast.Constant(pattern.value)])
    elif isinstance(pattern, ast.MatchOr):
        parts = [_test(each, subject) for each in pattern.patterns]
        known = [each for each in parts if each is not None]
        if len(known) < len(parts):
            return None
        made = ast.BoolOp(ast.Or(), known)
    else:
        return None
    for part in ast.walk(made):
        if isinstance(part, ast.expr) and not hasattr(part, "lineno"):
            ast.copy_location(part, pattern)
    return made


def _set(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _read(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())
