"""All mistakes of a function that was rejected: the same interpreter, going on after each.

A rejected function has its verdict already, and what is read here never becomes a guarantee.  A
statement that fails is undone; the names that it binds and the lists that it may have changed are
poisoned, and a statement that reads poison fails in silence and poisons further.

Mistakes are told apart where Python would meet them: in the body of the function, its branches,
and one round of its loops.  In a helper the first one counts, at every call.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any, TypeGuard

from metricdp.check.language.attempts import Checkpoint
from metricdp.check.language.branches import branched
from metricdp.check.language.conditions import truth
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.looping import result_kept
from metricdp.check.language.python import PYTHON
from metricdp.check.loops.plans import Ending
from metricdp.check.source.statements import SCOPES, Jump, bound_by, jumps
from metricdp.check.values.findings import FollowUp, Stop, private_return, report
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Obj, Poison, SourceFile, TupleValue, Value
from metricdp.diagnostics import Diagnostic
from metricdp.run.plainer import in_branches

#: Statements that hold statements.
_HOLDING = (ast.If, ast.For, ast.While, ast.FunctionDef)
#: Expressions that mean the same alone; a method of a list means nothing without its call.
_READABLE = (ast.Name, ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Subscript)
_LOAD = ast.Load()
POISON = Poison("", "an earlier statement was rejected")


class Recovering(Interpreter):
    """Reads a rejected function to its end; `found` are its mistakes."""

    def __init__(self, module: SourceFile) -> None:
        super().__init__(module, PYTHON)
        self.found: list[Diagnostic] = []
        #: Loops around that are read as a whole: there, the first mistake counts.
        self._whole = 0
        #: Body of a loop -> what held at the start of the last round that was read.
        self._rounds: dict[int, Checkpoint] = {}

    def attempt(self, action: Callable[[], Obj]) -> Obj:
        """What `action` gives; poison if it is rejected, which is noted."""
        try:
            return action()
        except Stop as stopped:
            self._note(stopped)
            return POISON

    def resolve(self, name: str, frame: Frame | None) -> Obj | None:
        found = super().resolve(name, frame)
        if isinstance(found, Poison):
            raise self._silence(self.active[-1])
        return found

    def block(self, body: list[ast.stmt], frame: Frame) -> Obj | Jump | None:
        if self._whole and len(self.active) == 1:
            self._rounds[id(body)] = Checkpoint(self, frame)
        if self._whole or len(self.active) > 1:
            return super().block(body, frame)
        for position, statement in enumerate(body):
            mark = Checkpoint(self, frame)
            try:
                if isinstance(statement, ast.If):
                    test = self._condition(statement, frame)
                    rest = body[position + 1 :]
                    done, returned = branched(self, test, statement, rest, frame)
                    if done:
                        return returned
                elif isinstance(statement, ast.Return | ast.Break | ast.Continue):
                    ended = super().block([statement], frame)
                    if not isinstance(statement, ast.Return) or isinstance(ended, Jump | None):
                        return ended
                    return self._unreleased(statement, ended)
                elif isinstance(statement, ast.For | ast.While):
                    self._loop(statement, frame)
                else:
                    self._not_poisoned(statement, frame)
                    self.statement(statement, frame)
            except Stop as stopped:
                self._note(stopped)
                changed = self._changed(mark)
                if isinstance(stopped, FollowUp) and not isinstance(statement, _HOLDING):
                    self._parts(statement, frame)
                    # A call for its effect may change what is not known: any list.
                    changed |= set(mark.lists) if isinstance(statement, ast.Expr) else set()
                mark.restore()
                if isinstance(statement, ast.Return):
                    return self._returned(statement, frame)
                if _jumps(statement):
                    return POISON
                self._poison(statement, changed, frame)
        return None

    def _condition(self, node: ast.If, frame: Frame) -> Value:
        """The condition of an `if`; one of which nothing is known if it is rejected."""
        mark = Checkpoint(self, frame)
        try:
            return truth(self, node.test, frame)
        except Stop as stopped:
            self._note(stopped)
            mark.restore()
            return Value("public", source="computed")

    def _parts(self, node: ast.AST, frame: Frame) -> None:
        """The parts of a statement that reads poison are read one by one, where they can be."""
        for child in ast.iter_child_nodes(node):
            if _readable(child) and not self._reads_poison(child, frame):
                self.attempt(partial(self.evaluate, child, frame))
            elif isinstance(child, ast.expr | ast.keyword) and not isinstance(child, SCOPES):
                self._parts(child, frame)

    def _returned(self, node: ast.Return, frame: Frame) -> Obj:
        """What a failed `return` gives: of a tuple, the items that can be read."""
        if not isinstance(node.value, ast.Tuple):
            return POISON
        known = len(self.found)
        items = [self.attempt(partial(self.evaluate, item, frame)) for item in node.value.elts]
        del self.found[known:]
        self._unreleased(node, TupleValue(tuple(items)))
        return POISON

    def _unreleased(self, node: ast.Return, value: Obj) -> Obj:
        """The returned value; poison, which is noted, if a mechanism had to release it before."""
        parts = _leaves(self.seen(value))
        private = any(isinstance(part, Value) and part.private for part in parts)
        if not (self.domain.noise_allowed and private) or not all(
            isinstance(part, Value | Poison) for part in parts
        ):
            return value
        name = getattr(self.active[0], "name", "")
        counts = self.domain.counts_in([part for part in parts if isinstance(part, Value)])
        seen = self.seen(value)
        items = seen.items if isinstance(seen, TupleValue) else ()
        which = [self.has_private(item) for item in items]
        self.found.append(private_return(self.module, node, name, counts, which))
        return POISON

    # -- loops ------------------------------------------------------------------------------

    def _loop(self, node: ast.For | ast.While, frame: Frame) -> None:
        """The loop as a whole; if it fails, one round of it, statement by statement."""
        if isinstance(node, ast.While) and self._reads_poison(node.test, frame):
            raise self._silence(node)
        node = in_branches(node)
        mark = Checkpoint(self, frame)
        self._whole += 1
        self._rounds.pop(id(node.body), None)
        try:
            if not result_kept(self, node, frame):  # what follows is read as if none is returned
                self.statement(node, frame)
            return
        except Stop as stopped:
            first = stopped
        finally:
            self._whole -= 1
        start = self._rounds.pop(id(node.body), None)
        mark.restore(steps=start is None)
        self._note(first)
        if start is not None:
            start.restore_names()
            known = {d.span.line for d in self.found}
            before = len(self.found)
            self.block(node.body, frame)
            self.found[before:] = [d for d in self.found[before:] if d.span.line not in known]
        raise self._silence(node)

    def before_rounds(
        self, node: ast.For | ast.While, enter: Callable[[], None], frame: Frame
    ) -> None:
        """No recurrence of a state that is not known; its first round can still be read."""
        if any(isinstance(frame.names.get(name), Poison) for name in bound_by([node])):
            self.endings.append(Ending(self.domain.private_tests))
            enter()
            self._rounds[id(node.body)] = Checkpoint(self, frame)
            raise self._silence(node)

    # -- poison -----------------------------------------------------------------------------

    def _note(self, stopped: Stop) -> None:
        if not isinstance(stopped, FollowUp):
            self.found.append(stopped.diagnostic)

    def _silence(self, node: ast.AST) -> FollowUp:
        return FollowUp(report(self.module, node, "unknown-name", POISON.reason))

    def _not_poisoned(self, node: ast.stmt, frame: Frame) -> None:
        """Raises:
        FollowUp: the statement changes something that is poisoned; its value was read first.
        """
        if isinstance(node, ast.AugAssign):
            old: list[ast.expr] = [node.target]
        elif isinstance(node, ast.Assign):
            # In a tuple of targets, names are bound anew; only what is stored into is read.
            old = [part for t in node.targets for part in ast.walk(t) if _stored_into(part)]
        else:
            return
        if any(self._reads_poison(target, frame) for target in old):
            self.evaluate(node.value, frame)
            raise self._silence(node)

    def _reads_poison(self, node: ast.AST, frame: Frame) -> bool:
        return any(
            isinstance(name, ast.Name) and isinstance(frame.lookup(name.id), Poison)
            for name in ast.walk(node)
        )

    def _changed(self, mark: Checkpoint) -> set[int]:
        """Lists whose contents the failed statement has changed."""
        return {n for n, held in mark.lists.items() if self.heap.lists.get(n, held) is not held}

    def _poison(self, node: ast.stmt, changed: set[int], frame: Frame) -> None:
        """Poison what the statement binds, and every name that reaches a list it may change."""
        for name in bound_by([node]) | _stored(node, frame):
            frame.names[name] = POISON
        numbers = changed.union(
            *(self.heap.numbers(frame.names.get(name, POISON)) for name in _touched(node))
        )
        for name, value in [*frame.names.items()]:
            if numbers.intersection(self.heap.numbers(value)):
                frame.names[name] = POISON


def _stored(node: ast.stmt, frame: Frame) -> set[str]:
    """Names of public arrays that a statement may have filled from private data."""
    return {name for name in _touched(node) if _array(frame.names.get(name))}


def _array(value: Obj | None) -> bool:
    """Whether a value is public and computed: an array is no list of the heap."""
    return isinstance(value, Value) and not value.private and value.source == "computed"


def _touched(node: ast.stmt) -> set[str]:
    """Names whose lists a statement may change: stored into, methods of them, arguments."""
    found: set[str] = set()
    for part in ast.walk(node):
        inner: list[Any] = []
        if isinstance(part, ast.Subscript | ast.Attribute) and not isinstance(part.ctx, ast.Load):
            inner = [part.value]
        elif isinstance(part, ast.Call):
            inner = [*part.args, *(k.value for k in part.keywords)]
            inner += [part.func.value] if isinstance(part.func, ast.Attribute) else []
        found |= {each.id for each in inner if isinstance(each, ast.Name)}
    return found


def _leaves(value: Obj) -> list[Obj]:
    if isinstance(value, TupleValue):
        return [leaf for item in value.items for leaf in _leaves(item)]
    return [value]


def _readable(node: ast.AST) -> TypeGuard[ast.expr]:
    return isinstance(node, _READABLE) and isinstance(getattr(node, "ctx", _LOAD), ast.Load)


def _stored_into(node: ast.AST) -> TypeGuard[ast.expr]:
    if isinstance(node, ast.Subscript | ast.Attribute):
        return not isinstance(node.ctx, ast.Load)
    return False


def _jumps(node: ast.stmt) -> bool:
    """Whether what follows a failed statement was read in its branches."""
    return isinstance(node, ast.If) and jumps(node)
