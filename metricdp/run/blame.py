"""The line of the program at which a run failed, where the error depends on released values alone.

Proof.  An error is made by one operation from what it is given.  The statement that failed is known
by the code object and the line of the innermost frame of the program.  It is shown if every reading
of the check found in it public and released values alone and no private condition around it
(`check.language.told`), and if the tree that runs has no operation on private values in it: of the
nodes that mean something else than Python says, only calls of functions of the program
(`_AS_IN_PYTHON`), whose statements are judged themselves.  So what failed was given public and
released values, and which statement it was is a function of those, too: no frame between here and
there is of code that private data decide, of a selection whose rounds stay hidden, or of anything
of the package but the operations on public values.  Text and line are post-processing of what was
released.  Whatever is left over shows nothing.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping
from types import CodeType, TracebackType
from typing import Any, NamedTuple

from metricdp.errors import MetricdpError
from metricdp.run import machine as operations
from metricdp.run.machine import Machine

#: Actions of nodes at which nothing private is computed; "unrolled" numbers rounds.
_AS_IN_PYTHON = frozenset({"call", "plain", "field", "member", "static", "of_class", "unrolled"})
#: Kinds of errors whose text says something of operands; memory and depth depend on all data.
_OF_OPERANDS = (ArithmeticError, LookupError, TypeError, ValueError)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return, ast.Assert, ast.Raise)
#: The longest text that is shown, in characters.
_MOST = 200
#: What the run calls released integers and exact numbers, as texts of errors say it.
_KINDS = {"'_Whole'": "'int'", '"_Whole"': '"int"', "'Exact'": "'float'", '"Exact"': '"float"'}
_INSIDE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _code(*functions: Any) -> frozenset[CodeType]:
    return frozenset(each.__code__ for each in functions)


#: Goes from one function of the program to another.
_CALLING = _code(Machine.call, Machine.call_public)
#: Computes with what is public, and with nothing else.
_PUBLIC = _code(
    Machine.divide, Machine._quotient, Machine.arithmetic, Machine.pure, Machine.shown,
    operations._as_public, operations._no_longer, operations.plain, operations.natural,
    operations._mapped,
)  # fmt: skip


class FailedPlace(NamedTuple):
    """A statement that failed.

    Attributes:
        line: its first line, from 1.
        code: the statement, on one line.
        text: what the error says; "" if that is told elsewhere, or not told.
    """

    line: int
    code: str
    text: str

    def __str__(self) -> str:
        said = f": {self.text}" if self.text else ""
        return f"{said}, at line {self.line}: `{self.code}`"


def place_of(
    error: BaseException,
    compiled: Mapping[CodeType, ast.AST],
    actions: Mapping[ast.AST, tuple[Any, ...]],
    told: Any,
) -> FailedPlace | None:
    """The statement of the program that failed; None where private data may have a part in it.

    Args:
        error: as it was caught; the frame that caught it comes first.
        compiled: code of the program -> the function of a file that it is part of.
        actions: what the compiled program does at a node.
        told: what the readings of check found; see `check.language.told`.
    """
    frames = list(_frames(error.__traceback__))[1:]
    own = [at for at, (code, _) in enumerate(frames) if code in compiled]
    if told is None or not own or not frames or own[0] != 0:
        return None
    files = {code.co_filename for code in compiled}
    for at, (code, line) in enumerate(frames):
        if code in compiled:
            statement = _statement(compiled[code], line)
            if statement is None or not _undecided(statement, actions, told):
                return None
        elif code not in _PUBLIC and (at > own[-1] or code not in _CALLING):
            outside = not _of_package(code) and code.co_filename not in files
            if not outside or not any(c in _PUBLIC for c, _ in frames[:at]):
                return None
    code, line = frames[own[-1]]
    statement = _statement(compiled[code], line)
    if statement is None or not _public(statement, told):
        return None
    return FailedPlace(statement.lineno, _short(ast.unparse(statement)), _said(error))


def _frames(found: TracebackType | None) -> Iterator[tuple[CodeType, int]]:
    while found is not None:
        yield found.tb_frame.f_code, found.tb_lineno
        found = found.tb_next


def _of_package(code: CodeType) -> bool:
    return os.path.abspath(code.co_filename).startswith(_INSIDE)


def _statement(function: ast.AST, line: int) -> ast.stmt | None:
    """The one statement that the line belongs to; None for the head of a loop or a branch, and
    where statements share the line."""
    found: list[ast.stmt] = []
    for node in ast.walk(function):
        if not isinstance(node, ast.stmt) or node is function:
            continue
        last = node.end_lineno or node.lineno
        body = getattr(node, "body", None)
        if body:  # its head, and whatever of its body begins there
            last = max(node.lineno, body[0].lineno - 1)
        if node.lineno <= line <= last:
            found.append(node)
    return found[0] if len(found) == 1 and isinstance(found[0], _SIMPLE) else None


def _undecided(statement: ast.stmt, actions: Mapping[ast.AST, tuple[Any, ...]], told: Any) -> bool:
    """Whether private data never decide if the statement runs, and it computes nothing private."""
    if statement not in told.public:
        return False
    return not any(
        node in told.decided or (node in actions and actions[node][0] not in _AS_IN_PYTHON)
        for node in ast.walk(statement)
    )


def _public(statement: ast.stmt, told: Any) -> bool:
    """Whether every name and value in the statement was public whenever it was read."""
    unread = {id(node.func) for node in ast.walk(statement) if isinstance(node, ast.Call)}
    if isinstance(statement, ast.AnnAssign):  # an annotation is not evaluated
        unread |= set(map(id, ast.walk(statement.annotation)))
    for node in ast.walk(statement):
        if node in told.private:
            return False
        read = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        if read and node not in told.public and id(node) not in unread:
            return False
    return True


def _said(error: BaseException) -> str:
    if isinstance(error, MetricdpError) or not isinstance(error, _OF_OPERANDS):
        return ""
    try:
        text = str(error)
    except Exception:
        return ""
    for made, plain in _KINDS.items():
        text = text.replace(made, plain)
    return _short(text)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MOST else f"{text[:_MOST]}..."
