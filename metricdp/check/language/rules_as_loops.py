"""Rules that stand for a loop which check reads as one.

`parallel_private_fold_rows` goes through the rows of two containers; `reduce_cols` of a function
that adds noise goes through the columns.
"""

from __future__ import annotations

import ast
from typing import Any, cast

import msgspec

from metricdp.check.language.binding import FOLD_ROWS, REDUCE_COLS, as_closure
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.iteration import Iteration, row_count
from metricdp.check.loops.lengths import filled
from metricdp.check.loops.loops import run_loop
from metricdp.check.loops.plans import LoopPlan
from metricdp.check.source.advice import as_called
from metricdp.check.values.objects import Closure, Obj, TupleValue, Value, Zip
from metricdp.primitives.matrices.reduce_cols import one_column
from metricdp.record import REGISTRY, Requirement
from metricdp.spaces import Matrix

_RELEASED = "dp.reduce_cols(lambda column: dp.laplace(dp.sum_rows(column)[0], scale=1), ...)"


def fold_rows(interpreter: Interpreter, given: dict[str, Obj], node: ast.AST) -> Obj:
    """acc = f(acc, row_m, row_n) over the rows; `given` are the arguments of the record."""
    if isinstance(node, ast.Call):
        interpreter.act(node, "mechanism", FOLD_ROWS)
    function = given["f"]
    if not isinstance(function, Closure):
        function = as_closure(interpreter, function, node, REGISTRY[FOLD_ROWS], "f")
    containers = tuple(interpreter.seen(given[name]) for name in ("m", "n"))
    if not all(getattr(part, "private", False) for part in containers):
        raise interpreter.stop(
            node, "private-argument",
            f"`{FOLD_ROWS}` goes through private rows, and one of its containers is public",
            "two private containers of one public length", "a for loop over zip(m, n)",
        )  # fmt: skip
    containers = (containers[0], _as_long_as(interpreter, containers, node))
    iteration = Iteration(interpreter, Zip(containers), cast(ast.expr, node))
    plan = iteration.plan()

    def body(states: dict[str, Any]) -> dict[str, Any]:
        rows = iteration.element()
        assert isinstance(rows, TupleValue) and isinstance(function, Closure)
        arguments = (states["acc"], *rows.items)
        return {"acc": interpreter.call(function, arguments, interpreter.module, node)}

    return run_loop(
        interpreter.domain, plan, {"acc": given["init"]}, body, interpreter.module, node
    )["acc"]


def _as_long_as(interpreter: Interpreter, containers: tuple[Obj, ...], node: ast.AST) -> Obj:
    """The second container, required to have as many rows as the first."""
    m, n = containers
    assert isinstance(m, Value) and isinstance(n, Value)
    counts = row_count(m), row_count(n)
    if None in counts or counts[0] == counts[1]:
        return n
    left, right = counts
    assert left is not None and right is not None and n.space is not None
    same = Requirement(left, "==", right, "size-mismatch", "give both as many rows")
    interpreter.domain.require((same,), interpreter.module, node)
    field = "rows" if hasattr(n.space, "rows") else "size"
    space: Any = n.space
    return msgspec.structs.replace(n, space=msgspec.structs.replace(space, **{field: left}))


def over_columns(interpreter: Interpreter, given: dict[str, Obj], node: ast.AST) -> Obj | None:
    """[f(column) for each column]; None if f adds no noise, and the record's rule is meant."""
    function, matrix = given["f"], given["m"]
    if not isinstance(function, Closure) or not isinstance(matrix, Value) or not matrix.private:
        return None
    space = matrix.space
    if not isinstance(space, Matrix):
        return None
    state, lists = interpreter.domain.state, dict(interpreter.heap.lists)
    mark, seen = state.checkpoint(), len(state.trace)
    plan = LoopPlan(state.loop_number(), space.cols)
    results: list[Obj] = []
    noisy: list[bool] = []

    def body(states: dict[str, Any]) -> dict[str, Any]:
        assert isinstance(function, Closure)
        # Each round sees another column: none of them is the same value as in the round before.
        form = state.atom(one_column(space), interpreter.domain.movement(matrix))
        column = interpreter.domain.private(one_column(space), form, matrix.step, matrix.why)
        results.append(interpreter.call(function, (column,), interpreter.module, node))
        noisy.append(len(state.trace) > seen or len(state.samples) > mark[6])
        return states

    run_loop(interpreter.domain, plan, {}, body, interpreter.module, node)
    if not noisy[-1]:
        state.rollback(mark)
        interpreter.heap.lists = lists
        return None
    result = results[-1]
    if interpreter.has_private(result) or not isinstance(result, Value):
        raise interpreter.stop(
            node, "private-return",
            f"the function given to `{REDUCE_COLS}` adds noise, and returns more than what is "
            "released",
            "one released value per column",
            as_called(_RELEASED, node),
        )  # fmt: skip
    interpreter.act(node, "mechanism", REDUCE_COLS)
    return filled(result.origin, (TupleValue((result,)),), space.cols)
