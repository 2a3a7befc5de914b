"""`match`, `return` or `continue` in a loop, `yield`, and loops over the parts of a text, as the
plainer statements that they mean.

Check reads what is made here and a run executes it: it is made once for each statement, so that
both see the very same tree.  Names that begin with a dot are names that no program can write.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from copy import deepcopy

from metricdp.run.frames import plain_body, uses_frames
from metricdp.run.grouping import groups_rows, plain_groups
from metricdp.run.named_iterators import names_iterators, plain_iterators

Loop = ast.For | ast.While
#: The attribute of a statement that keeps what was made of it.
_KEPT, _RETURNS = "_metricdp_plainer", "_metricdp_returns"
_FRAMES = "_metricdp_frames"
_YIELDED = ".yielded"
_YIELDS = frozenset({ast.Yield, ast.YieldFrom})
#: Expressions that read, and do no more.
_READING = ast.Name | ast.Attribute | ast.Subscript | ast.Constant | ast.expr_context
#: Functions inside, which yield for themselves, and what nothing stands in: most of a tree.
_NOT_INSIDE = frozenset({ast.FunctionDef, ast.Lambda, ast.Name, ast.Constant, ast.Load, ast.Store})


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
    if isinstance(node, ast.For):
        return without_continue(node)
    return as_branches(node) if isinstance(node, ast.Match) else None


def yields(node: ast.FunctionDef) -> bool:
    """Whether a function is a generator function."""
    known: bool | None = getattr(node, _RETURNS, None)
    if known is None:
        known = _yielding(node)
        setattr(node, _RETURNS, known)
    return known


def _yielding(node: ast.FunctionDef) -> bool:
    pending: list[ast.AST] = [node]
    while pending:
        for child in ast.iter_child_nodes(pending.pop()):
            kind = type(child)
            if kind in _YIELDS:
                return True
            if kind not in _NOT_INSIDE:
                pending.append(child)
    return False


def body_of(node: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function; of a generator function, those that make the list of what it
    yields: check lets it be called only where all of it is consumed at once."""
    if yields(node):
        return _once(node, lambda: _listed(node))
    known: bool | None = getattr(node, _FRAMES, None)
    if known is None:
        known = uses_frames(node) or groups_rows(node) or names_iterators(node)
        setattr(node, _FRAMES, known)
    return _once(node, lambda: _without_tables(node)) if known else node.body


def _without_tables(node: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function without methods of data frames, dictionaries of rows, and names
    of iterators."""
    body = plain_body(node) if uses_frames(node) else node.body
    return plain_groups(node, plain_iterators(node, body) if names_iterators(node) else body)


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


def _once(node: ast.AST, make: Callable[[], list[ast.stmt]]) -> list[ast.stmt]:
    kept: list[ast.stmt] | None = getattr(node, _KEPT, None)
    if kept is None:
        kept = make()
        for statement in kept:
            for part in ast.walk(statement):
                if isinstance(part, ast.stmt | ast.expr) and not hasattr(part, "lineno"):
                    ast.copy_location(part, node)
        # The first one stays: another thread may read the same tree, and keys are its nodes.
        kept = vars(node).setdefault(_KEPT, kept)
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


# -- parts of a text --------------------------------------------------------------------------


def otherwise(node: ast.BoolOp) -> ast.IfExp | None:
    """`a or b`, of values that are no truth values, as `a if a else b`, and `a and b` as
    `b if a else a`; None where `a` does more than to read."""
    first, *more = node.values
    if not all(isinstance(part, _READING) for part in ast.walk(first)):
        return None
    (made,) = _once(node, lambda: [ast.Expr(_either(node, first, more))])
    assert isinstance(made, ast.Expr) and isinstance(made.value, ast.IfExp)
    return made.value


def _either(node: ast.BoolOp, first: ast.expr, more: list[ast.expr]) -> ast.IfExp:
    rest = more[0] if len(more) == 1 else ast.copy_location(ast.BoolOp(node.op, more), more[0])
    sides = [deepcopy(first), rest] if isinstance(node.op, ast.Or) else [rest, deepcopy(first)]
    return ast.copy_location(ast.IfExp(deepcopy(first), *sides), node)


def over_parts(node: ast.For, most: int, numbered: bool) -> list[ast.stmt]:
    """A loop over the parts of a text, of which there are at most so many: one branch for each.

    Args:
        numbered: whether the loop goes through `enumerate(parts)`.
    """
    return _once(node, lambda: _by_part(node, most, numbered))


def _by_part(node: ast.For, most: int, numbered: bool) -> list[ast.stmt]:
    name = f".parts_{node.lineno}_{node.col_offset}"
    parts = node.iter.args[0] if numbered and isinstance(node.iter, ast.Call) else node.iter
    made: list[ast.stmt] = [_set(name, parts)]
    for at in range(most):
        count = ast.Call(ast.Name("len", ast.Load()), [_read(name)], [])
        there = ast.Compare(count, [ast.Gt()], [ast.Constant(at)])
        part: ast.expr = ast.Subscript(_read(name), ast.Constant(at), ast.Load())
        if numbered:
            part = ast.Tuple([ast.Constant(at), part], ast.Load())
        taken = ast.Assign([node.target], part)
        made.append(ast.If(there, [taken, *node.body], []))
    return made


# -- continue ---------------------------------------------------------------------------------


def in_branches(node: Loop) -> Loop:
    """The loop that is read and run in place of one with `continue`; any other loop as it is."""
    kept = plain_form(node) or []
    return kept[0] if len(kept) == 1 and isinstance(kept[0], ast.For) else node


def without_continue(node: ast.For) -> list[ast.stmt] | None:
    """A loop whose `continue` is the other side of its branch: `if c: continue`, and what follows,
    as `if c: pass`, with what follows under `else`; None where that is no shorter way to say it,
    because the loop has no such branch or what follows would stand there twice."""
    if node.orelse or not any(map(_continues, node.body)):
        return None
    made = _once(node, lambda: _nested(node))
    return made or None


def _nested(node: ast.For) -> list[ast.stmt]:
    body = _under_branches(node.body)
    return [] if body is None else [_with_body(node, body)]


def _under_branches(body: list[ast.stmt]) -> list[ast.stmt] | None:
    """The statements of a round without `continue`; None where one stands in no branch, or where
    both sides of its branch go on."""
    made: list[ast.stmt] = []
    for at, node in enumerate(body):
        if isinstance(node, ast.Continue):
            return made or [ast.copy_location(ast.Pass(), node)]
        if not _continues(node):
            made.append(node)
            continue
        if not isinstance(node, ast.If):
            return None
        then, other, rest = _goes_on(node.body), _goes_on(node.orelse), body[at + 1 :]
        if rest and then and other:
            return None
        sides = [
            _under_branches([*side, *(rest if goes_on else [])])
            for side, goes_on in ((node.body, then), (node.orelse, other))
        ]
        if sides[0] is None or sides[1] is None:
            return None
        branch = ast.If(node.test, sides[0] or [ast.Pass()], sides[1])
        return [*made, ast.copy_location(branch, node)]
    return made


def _continues(node: ast.AST) -> bool:
    """Whether a statement ends the present round by `continue`."""
    if isinstance(node, ast.Continue):
        return True
    inner = (ast.For, ast.While, ast.FunctionDef, ast.ClassDef, ast.expr)
    return not isinstance(node, inner) and any(map(_continues, ast.iter_child_nodes(node)))


def _goes_on(body: list[ast.stmt]) -> bool:
    """Whether what stands behind some statements may be reached from them."""
    for node in body:
        if isinstance(node, ast.Continue):
            return False
        if isinstance(node, ast.If) and not (_goes_on(node.body) or _goes_on(node.orelse)):
            return False
    return True


# -- match ------------------------------------------------------------------------------------


#: The name of the subject, or the names of the parts of a tuple that is written as the subject.
Subject = str | tuple[str, ...]
#: The condition that a value fits a pattern, None where it always does; and what is bound then.
Fit = tuple[ast.expr | None, list[ast.stmt]]


def _branches(node: ast.Match) -> list[ast.stmt]:
    name = f".subject_{node.lineno}_{node.col_offset}"
    subject: Subject = node.subject.id if isinstance(node.subject, ast.Name) else name
    kept: list[ast.stmt] = [] if subject != name else [_set(name, node.subject)]
    if isinstance(node.subject, ast.Tuple) and not any(
        isinstance(part, ast.Starred) for part in node.subject.elts
    ):
        subject = tuple(f"{name}_{at}" for at in range(len(node.subject.elts)))
        kept = [_set(one, part) for one, part in zip(subject, node.subject.elts, strict=True)]
    made = _cases(node.cases, subject)
    return [] if made is None else [*kept, *made]


def _cases(cases: list[ast.match_case], subject: Subject) -> list[ast.stmt] | None:
    if not cases:
        return []
    (case, *more) = cases
    rest, fit = _cases(more, subject), _fit(case.pattern, subject)
    if rest is None or fit is None:
        return None
    test, bound = fit
    for each in bound:
        ast.copy_location(each, case.pattern)
    if case.guard is None:
        body = [*bound, *case.body]
    elif not bound:
        test = case.guard if test is None else ast.BoolOp(ast.And(), [test, case.guard])
        body = case.body
    elif test is None or not rest:
        body = [*bound, ast.copy_location(ast.If(case.guard, case.body, rest), case.pattern)]
    else:
        return None  # a guard that fails leaves the names bound, and the next cases are tried
    if test is None:
        return body
    return [ast.copy_location(ast.If(test, body, rest), case.pattern)]


def _fit(pattern: ast.pattern, subject: Subject) -> Fit | None:
    """When a value fits a pattern, and what is bound then; None for a pattern that takes a value
    apart which is not written as a tuple."""
    if isinstance(pattern, ast.MatchAs):
        inner: Fit | None = (None, [])
        if pattern.pattern is not None:
            inner = _fit(pattern.pattern, subject)
        if inner is None or pattern.name is None:
            return inner
        return inner[0], [*inner[1], _set(pattern.name, _subject(subject))]
    if isinstance(pattern, ast.MatchSequence) and isinstance(subject, tuple):
        parts = pattern.patterns
        if len(parts) != len(subject) or any(isinstance(p, ast.MatchStar) for p in parts):
            return None
        fits = [_fit(part, one) for part, one in zip(parts, subject, strict=True)]
        known = [fit for fit in fits if fit is not None]
        if len(known) < len(fits):
            return None
        tests = [test for test, _ in known if test is not None]
        return _all_of(tests, pattern), [each for _, bound in known for each in bound]
    if isinstance(pattern, ast.MatchOr):
        fits = [_fit(part, subject) for part in pattern.patterns]
        known = [fit for fit in fits if fit is not None and not fit[1]]
        if len(known) < len(fits):
            return None
        alternatives = [test for test, _ in known if test is not None]
        if len(alternatives) < len(known):
            return None, []
        return _placed(ast.BoolOp(ast.Or(), alternatives), pattern), []
    if isinstance(subject, tuple):
        return None
    if isinstance(pattern, ast.MatchValue):
        test = ast.Compare(_read(subject), [ast.Eq()], [pattern.value])
        return _placed(test, pattern), []
    if isinstance(pattern, ast.MatchSingleton):
        test = ast.Compare(_read(subject), [ast.Is()], [ast.Constant(pattern.value)])
        return _placed(test, pattern), []
    return None


def _all_of(tests: list[ast.expr], pattern: ast.pattern) -> ast.expr | None:
    if len(tests) < 2:
        return tests[0] if tests else None
    return _placed(ast.BoolOp(ast.And(), tests), pattern)


def _placed(made: ast.expr, pattern: ast.pattern) -> ast.expr:
    for part in ast.walk(made):
        if isinstance(part, ast.expr) and not hasattr(part, "lineno"):
            ast.copy_location(part, pattern)
    return made


def _subject(subject: Subject) -> ast.expr:
    if isinstance(subject, str):
        return _read(subject)
    return ast.Tuple([_read(one) for one in subject], ast.Load())


def _set(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _read(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())
