"""`for x in xs: out.append(f(x))` over private rows, as the comprehension that it is.

The list starts empty, is known under no other name, and every round appends to it once, at its end:
then it has one entry per row, as `[f(x) for x in xs]`, with the stability of `map`.  Where a round
appends only if conditions hold, it is `[f(x) for x in xs if p(x)]`: `filter`, then `map`.
"""

from __future__ import annotations

import ast

from metricdp.check.domain.by_row import APPENDING
from metricdp.check.language.applying import apply
from metricdp.check.language.attempts import perhaps
from metricdp.check.language.interpreter import Interpreter, place
from metricdp.check.language.iteration import Iteration
from metricdp.check.language.over_rows import as_list
from metricdp.check.source.statements import own_statements, written_names
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Closure, Library, ListRef, TupleValue, Value
from metricdp.spaces import Matrix, Records, Vector

#: Statements, and the condition behind them under which a round goes on.
_Test = tuple[list[ast.stmt], ast.expr]


def starts_empty(interpreter: Interpreter, node: ast.Assign, value: object, frame: Frame) -> None:
    """Note a list that `out = []` makes, or an empty counter: until the name is read, nothing else
    refers to it."""
    (target, *more), made = node.targets, node.value
    if more:
        return
    pairs: list[tuple[ast.expr, ast.expr, object]] = [(target, made, value)]
    if isinstance(target, ast.Tuple) and isinstance(made, ast.Tuple):
        items = value.items if isinstance(value, TupleValue) else ()
        pairs = [*zip(target.elts, made.elts, items, strict=False)]
    for name, display, held in pairs:
        new = isinstance(held, ListRef) and _is_empty(interpreter, display, frame)
        if new and isinstance(held, ListRef) and isinstance(name, ast.Name):
            interpreter.heap.unread.add(held.number)


def _is_empty(interpreter: Interpreter, display: ast.expr, frame: Frame) -> bool:
    """Whether an expression makes a new list, or a new counter, that holds nothing."""
    if isinstance(display, ast.List):
        return not display.elts
    if not isinstance(display, ast.Call) or display.keywords:
        return False
    if ast.unparse(display.func).rpartition(".")[2] not in ("Counter", "defaultdict"):
        return False
    counter = interpreter.evaluate(display.func, frame)
    dotted = counter.dotted if isinstance(counter, Library) else ""
    given = [ast.unparse(each) for each in display.args]
    return (dotted, given) in (
        ("collections.Counter", []), ("collections.defaultdict", ["int"]),
    )  # fmt: skip


def appended(interpreter: Interpreter, node: ast.For, frame: Frame) -> bool:
    """Read the loop as a comprehension, if it is one over private rows; whether it was."""
    found = _last_append(node)
    if found is None or not isinstance(node.target, ast.Name):
        return False
    if not found[2]:
        return _appended(interpreter, node, frame, *found)
    # Where the conditions are none of rows, the loop is read as the branches that it has.
    return perhaps(interpreter, frame, lambda: _appended(interpreter, node, frame, *found))


def _appended(
    interpreter: Interpreter, node: ast.For, frame: Frame, call: ast.Call, steps: list[ast.stmt],
    tests: list[_Test],
) -> bool:  # fmt: skip
    assert isinstance(node.target, ast.Name)
    assert isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
    name = call.func.value.id
    held = frame.names.get(name)
    if not isinstance(held, ListRef) or held.number not in interpreter.heap.unread:
        return False
    if (
        interpreter.heap.lists[held.number] != TupleValue((), True)
        or written_names(node) & frame.names.keys()
    ):
        return False
    state, lists = interpreter.domain.state, dict(interpreter.heap.lists)
    mark, seen = state.checkpoint(), len(state.trace)
    rows = interpreter.seen(interpreter.evaluate(node.iter, frame))
    private = isinstance(rows, Value) and isinstance(rows.space, Vector | Matrix | Records)
    if not private or not interpreter.has_private(rows):
        state.rollback(mark)
        interpreter.heap.lists = lists
        return False
    iteration = Iteration(interpreter, rows, node.iter)
    iteration.plan()
    for before_test, test in tests:
        predicate = _of_one_row(interpreter, node, before_test, test, frame)
        kept = interpreter.named("filter", node)
        rows = apply(interpreter, kept, [predicate, rows], {}, node, [test, None], {})
    function = _of_one_row(interpreter, node, steps, call.args[0], frame)
    before = state.checkpoint()
    entry = interpreter.call(function, (iteration.element(),), interpreter.module, node)
    noisy = len(state.trace) > seen or len(state.samples) > before[6]
    state.rollback(mark if noisy or not interpreter.has_private(entry) else before)
    if noisy or not interpreter.has_private(entry):
        interpreter.heap.lists = lists
        return False
    assert isinstance(rows, Value)
    record = interpreter.named("map_rows" if isinstance(rows.space, Matrix) else "map", node)
    given = [call.args[0], None]
    made = apply(interpreter, record, [function, rows], {}, node, given, {})
    frame.names[name] = as_list(made)
    interpreter.act(call, "call", place(call))
    interpreter.act(node, "appended", name)
    interpreter.over_rows(node, APPENDING, True)
    return True


def _last_append(node: ast.For) -> tuple[ast.Call, list[ast.stmt], list[_Test]] | None:
    """`out.append(value)` where it is the last statement of every round, and all about `out`; the
    statements before it, and the conditions under which a round gets there."""
    steps: list[ast.stmt] = []
    tests: list[_Test] = []
    left = list(node.body)
    while left:
        statement = left.pop(0)
        if isinstance(statement, ast.If) and not left:  # the rest of the round stands under it
            if not statement.orelse:
                tests.append(([*steps], statement.test))
                left = list(statement.body)
                continue
            if len(statement.body) == 1 and isinstance(statement.body[0], ast.Pass):
                goes_on = ast.UnaryOp(ast.Not(), statement.test)
                tests.append(([*steps], ast.copy_location(goes_on, statement.test)))
                left = list(statement.orelse)
                continue
        steps.append(statement)
    last = steps.pop() if steps else None
    call = last.value if isinstance(last, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    base = call.func.value
    if call.func.attr != "append" or not isinstance(base, ast.Name):
        return None
    if call.keywords or len(call.args) != 1 or isinstance(call.args[0], ast.Starred):
        return None
    inside = [each for step in steps for each in (step, *own_statements(step))]
    if any(isinstance(s, ast.Break | ast.Continue | ast.Return) for s in inside):
        return None
    uses = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == base.id]
    return (call, steps, tests) if len(uses) == 1 else None


def _of_one_row(
    interpreter: Interpreter, node: ast.For, steps: list[ast.stmt], value: ast.expr, frame: Frame
) -> Closure:
    """The function of one row that gives a value after some statements of a round."""
    assert isinstance(node.target, ast.Name)
    arguments = ast.arguments([], [ast.arg(node.target.id)], None, [], [], None, [])
    made: ast.Lambda | ast.FunctionDef
    if not steps:
        made = ast.Lambda(arguments, value)
    else:
        result = ast.copy_location(ast.Return(value), value)
        made = ast.FunctionDef("the loop", arguments, [*steps, result], [])
    return Closure(ast.copy_location(made, node), interpreter.module, frame, "the loop")
