"""`parallel_private_fold_rows`: the loop over two aligned containers that it stands for."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, cast

import msgspec

from metricdp.check.language.binding import as_closure
from metricdp.check.language.iteration import Iteration, row_count
from metricdp.check.loops.loops import run_loop
from metricdp.check.values.findings import stop
from metricdp.check.values.objects import Closure, Obj, Tuple, Value, Zip
from metricdp.record import REGISTRY, Requirement

if TYPE_CHECKING:
    from metricdp.check.language.calls import Calls

FOLD_ROWS = "parallel_private_fold_rows"


def fold_rows(calls: Calls, given: dict[str, Obj], node: ast.AST) -> Obj:
    """acc = f(acc, row_m, row_n) over the rows; `given` are the arguments of the record."""
    if isinstance(node, ast.Call):
        calls.act(node, "mechanism", FOLD_ROWS)
    function = given["f"]
    if not isinstance(function, Closure):
        function = as_closure(calls, function, node, REGISTRY[FOLD_ROWS], "f")
    containers = tuple(calls.seen(given[name]) for name in ("m", "n"))
    if not all(getattr(part, "private", False) for part in containers):
        raise stop(
            calls.module, node, "private-argument",
            f"`{FOLD_ROWS}` goes through private rows, and one of its containers is public",
            "two private containers of one public length", "a for loop over zip(m, n)",
        )  # fmt: skip
    containers = (containers[0], _as_long_as(calls, containers, node))
    iteration = Iteration(calls, Zip(containers), cast(ast.expr, node))
    plan = iteration.plan()

    def body(states: dict[str, Any]) -> dict[str, Any]:
        rows = iteration.element()
        assert isinstance(rows, Tuple) and isinstance(function, Closure)
        arguments = (states["acc"], *rows.items)
        return {"acc": calls.call_object(function, arguments, calls.module, node)}

    return run_loop(calls.domain, plan, {"acc": given["init"]}, body, calls.module, node)["acc"]


def _as_long_as(calls: Calls, containers: tuple[Obj, ...], node: ast.AST) -> Obj:
    """The second container, required to have as many rows as the first."""
    m, n = containers
    assert isinstance(m, Value) and isinstance(n, Value)
    counts = row_count(m), row_count(n)
    if None in counts or counts[0] == counts[1]:
        return n
    left, right = counts
    assert left is not None and right is not None and n.space is not None
    same = Requirement(left, "==", right, "size-mismatch", "give both as many rows")
    calls.domain.require((same,), calls.module, node)
    field = "rows" if hasattr(n.space, "rows") else "size"
    space: Any = n.space
    return msgspec.structs.replace(n, space=msgspec.structs.replace(space, **{field: left}))
