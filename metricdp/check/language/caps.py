"""The public cap of a `while` loop: a counter that every round moves towards a public bound."""

from __future__ import annotations

import ast

import msgspec

from metricdp.check.language.interpreter import Interpreter
from metricdp.check.source.statements import own_statements
from metricdp.check.values.findings import Stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Builtin, ListRef, Value
from metricdp.check.values.public import public_number
from metricdp.expr import ONE, ZERO, Expr, ceil, floor, maximum, num, sym

_MIRRORED: dict[type, type] = {
    ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE,
}  # fmt: skip


#: What the bound of a counter may be made of: it is read again before every round.
_FIXED = (
    ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context,
)  # fmt: skip


class Cap(msgspec.Struct, frozen=True):
    """`while name < bound and rest`: the loop has at most `count` rounds.

    Attributes:
        name: the counter.
        start, step: its value before the loop, and what a round adds; integers, step not 0.
        rest: the other conditions, in order.
        first: whether the counter's condition is read before them.
        test: the whole condition.
    """

    name: str
    start: Expr
    step: Expr
    count: Expr
    rest: tuple[ast.expr, ...]
    first: bool
    test: ast.expr

    def value(self, index: str) -> Value:
        """The counter at the start of round `index`."""
        rounds = sym(index, nonneg=True, integer=True)
        return public_number(self.start + rounds * self.step)

    def last(self) -> Expr:
        """The counter after the last round."""
        return self.start + self.count * self.step


def cap_of(interpreter: Interpreter, node: ast.While, frame: Frame) -> Cap:
    """The cap of a `while` loop.

    Raises:
        Stop: no counter with a public bound is evident.
    """
    conditions = _conjuncts(node.test)
    for position, condition in enumerate(conditions):
        found = _counted(interpreter, condition, node, frame)
        if found is not None:
            name, start, step, count = found
            rest = (*conditions[:position], *conditions[position + 1 :])
            return Cap(name, start, step, count, rest, position == 0, node.test)
    raise interpreter.stop(
        node, "private-loop-bound",
        "no public cap on the number of rounds of this `while` is evident",
        "a counter that every round moves by a literal, compared with a public bound that the loop "
        "leaves alone",
        "while i < cap and ...:   with i += 1 in the body, or for i in range(cap): ...",
    )  # fmt: skip


def _conjuncts(test: ast.expr) -> list[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return list(test.values)
    return [test]


def _counted(
    interpreter: Interpreter, test: ast.expr, node: ast.While, frame: Frame
) -> tuple[str, Expr, Expr, Expr] | None:
    """Counter, start, step and number of rounds, if `test` compares a counter with a bound."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    sides = (test.left, test.ops[0], test.comparators[0])
    for left, kind, right in (
        (sides[0], type(sides[1]), sides[2]),
        (sides[2], _MIRRORED.get(type(sides[1]), ast.Eq), sides[0]),
    ):
        if not isinstance(left, ast.Name) or kind not in _MIRRORED:
            continue
        step = _step(node, left.id)
        start = _whole(frame.names.get(left.id))
        bound = _bound(interpreter, right, node, frame)
        if step is None or start is None or bound is None:
            continue
        upwards = kind in (ast.Lt, ast.LtE)
        if upwards != (step > 0):
            continue
        rounds = (bound - start) / num(step)
        count = ceil(rounds) if kind in (ast.Lt, ast.Gt) else floor(rounds) + ONE
        if abs(step) == 1 and kind in (ast.Lt, ast.Gt):
            count = rounds
        return left.id, start, num(step), maximum(ZERO, count)
    return None


def _step(node: ast.While, name: str) -> int | None:
    """What every round certainly adds to the counter; None if that is not evident."""
    steps = [(i, s) for i, s in enumerate(node.body) if (_adds(s, name)) is not None]
    stores = [
        n for part in node.body for n in ast.walk(part)
        if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
    ]  # fmt: skip
    if len(steps) != 1 or len(stores) != 1 or _named_otherwise(node, name):
        return None
    position, statement = steps[0]
    for earlier in node.body[:position]:
        if any(isinstance(n, ast.Continue) for n in (earlier, *own_statements(earlier))):
            return None
    return _adds(statement, name)


def _named_otherwise(node: ast.While, name: str) -> bool:
    return any(
        (isinstance(n, ast.FunctionDef | ast.ClassDef) and n.name == name)
        or (isinstance(n, ast.Global | ast.Nonlocal) and name in n.names)
        for n in ast.walk(node)
    )


def _adds(statement: ast.stmt, name: str) -> int | None:
    """c, for `name += c`, `name -= -c` or `name = name + c` with a literal c that is not 0."""
    target: ast.expr
    if isinstance(statement, ast.AugAssign):
        target, op, value = statement.target, statement.op, statement.value
    elif isinstance(statement, ast.Assign) and isinstance(statement.value, ast.BinOp):
        sum_ = statement.value
        if len(statement.targets) != 1 or not isinstance(sum_.left, ast.Name):
            return None
        if sum_.left.id != name:
            return None
        target, op, value = statement.targets[0], sum_.op, sum_.right
    else:
        return None
    if not isinstance(target, ast.Name) or target.id != name:
        return None
    if not isinstance(value, ast.Constant) or type(value.value) is not int or not value.value:
        return None
    if isinstance(op, ast.Add):
        return value.value
    return -value.value if isinstance(op, ast.Sub) else None


def _whole(found: object) -> Expr | None:
    """A public integer as an expression."""
    if not isinstance(found, Value) or found.origin != "public" or found.expr is None:
        return None
    exact = found.source != "irrational" and found.expr.is_integer()
    return found.expr if exact and not found.expr.is_infinite else None


def _bound(interpreter: Interpreter, node: ast.expr, loop: ast.While, frame: Frame) -> Expr | None:
    """The bound, if nothing in the loop can change it."""
    stored = {
        n.id for part in loop.body for n in ast.walk(part)
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    }  # fmt: skip
    length = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    if length and isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        assert isinstance(node.func, ast.Name)
        found = interpreter.resolve(node.func.id, frame)
        builtin = isinstance(found, Builtin) and found.name == "len"
        if not builtin or not isinstance(node.args[0], ast.Name):
            return None
    elif not all(isinstance(n, _FIXED) for n in ast.walk(node)):
        return None
    for n in ast.walk(node):
        if isinstance(n, ast.Name) and (
            n.id in stored or isinstance(interpreter.resolve(n.id, frame), ListRef)
        ):
            return None
    try:
        return _whole(interpreter.evaluate(node, frame))
    except Stop:
        return None
