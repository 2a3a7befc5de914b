"""`reduce_cols` of a function that adds noise: the loop over the columns that it stands for."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from metricdp.check.loops.lengths import filled
from metricdp.check.loops.loops import run_loop
from metricdp.check.loops.plans import Plan
from metricdp.check.source.advice import as_called
from metricdp.check.values.findings import stop
from metricdp.check.values.objects import Closure, Obj, Tuple, Value
from metricdp.primitives.matrices.reduce_cols import one_column
from metricdp.spaces import Matrix

if TYPE_CHECKING:
    from metricdp.check.language.calls import Calls

REDUCE_COLS = "reduce_cols"

_RELEASED = "dp.reduce_cols(lambda column: dp.laplace(dp.sum_rows(column)[0], scale=1), ...)"


def over_columns(calls: Calls, given: dict[str, Obj], node: ast.AST) -> Obj | None:
    """[f(column) for each column]; None if f adds no noise, and the record's rule is meant."""
    function, matrix = given["f"], given["m"]
    if not isinstance(function, Closure) or not isinstance(matrix, Value) or not matrix.private:
        return None
    space = matrix.space
    if not isinstance(space, Matrix):
        return None
    state, lists = calls.domain.state, dict(calls.heap.lists)
    mark, seen = state.checkpoint(), len(state.trace)
    plan = Plan(state.loop_number(), space.cols)
    results: list[Obj] = []
    noisy: list[bool] = []

    def body(states: dict[str, Any]) -> dict[str, Any]:
        assert isinstance(function, Closure)
        # Each round sees another column: none of them is the same value as in the round before.
        form = state.atom(one_column(space), calls.domain.movement(matrix))
        column = calls.domain.private(one_column(space), form, matrix.step, matrix.why)
        results.append(calls.call_object(function, (column,), calls.module, node))
        noisy.append(len(state.trace) > seen or len(state.samples) > mark[6])
        return states

    run_loop(calls.domain, plan, {}, body, calls.module, node)
    if not noisy[-1]:
        state.rollback(mark)
        calls.heap.lists = lists
        return None
    result = results[-1]
    if calls.has_private(result) or not isinstance(result, Value):
        raise stop(
            calls.module, node, "private-return",
            f"the function given to `{REDUCE_COLS}` adds noise, and returns more than what is "
            "released",
            "one released value per column",
            as_called(_RELEASED, node),
        )  # fmt: skip
    calls.act(node, "mechanism", REDUCE_COLS)
    return filled(result.origin, (Tuple((result,)),), space.cols)
