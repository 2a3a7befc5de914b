"""Noise once per row: `[dp.randomized_response(a, epsilon=eps) for a in answers]`.

Every round reads its own row and what is public, so the releases are independent given the rows,
and one replaced row changes the law of one of them: the rounds compose in parallel over rows.  The
list that is released has one entry per row, so the number of rows has to be public.

Where the metric does not see the order of the rows, no release may see it either: two tables that
differ in their order are equal.  There the rows are gone through in a uniformly random order that
is not released.  Tables that differ in k rows can be put in orders in which they differ in k
places, and a uniform order after such a one is uniform again; so the law of the list is a mixture,
over the same orders for both, of laws that differ in k entries, and every measure is quasi-convex.
Source: Warner (1965); parallel composition of McSherry (2009), for rows in fixed places.
"""

from __future__ import annotations

import ast
from typing import Any

from metricdp.check.domain.samples import close_samples, refuse_escapes
from metricdp.check.language.assignments import bind
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.iteration import Iteration
from metricdp.check.language.looping import round_name
from metricdp.check.loops.lengths import filled
from metricdp.check.loops.loop_costs import charge
from metricdp.check.source.names import qualified
from metricdp.check.values.findings import Stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Closure, Obj, TupleValue, Value
from metricdp.measures.readings import leaves
from metricdp.record import REGISTRY
from metricdp.spaces import Records

NOISE = "noise that every row draws"


def noise_per_row(
    interpreter: Interpreter, node: ast.ListComp | ast.GeneratorExp, rows: Obj, frame: Frame
) -> Value | None:
    """What a comprehension over a table releases; None where its rounds add no noise.

    Args:
        rows: what its tests let through.
    """
    space = rows.space if isinstance(rows, Value) else None
    if not isinstance(space, Records) or not adds_noise(interpreter, node.elt):
        return None
    (generator,), state = node.generators, interpreter.domain.state
    mark, lists, seen = state.checkpoint(), dict(interpreter.heap.lists), len(state.trace)
    iteration = Iteration(interpreter, rows, generator.iter)
    plan = iteration.plan()
    plan.index = iteration.index = round_name(interpreter, plan)
    inner = Frame({}, frame)
    interpreter.heap.rounds += 1
    try:
        bind(interpreter, generator.target, iteration.element(), inner)
        entry = interpreter.evaluate(node.elt, inner)
    finally:
        interpreter.heap.rounds -= 1
    if len(state.trace) == seen and len(state.samples) == mark[6]:
        state.rollback(mark)
        interpreter.heap.lists = lists
        return None
    interpreter.unchanged(lists, node, "a round of a comprehension")
    own = {each.source for each in plan.rows}
    read = {s for tree in state.trace[seen:] for leaf in leaves(tree) for s in leaf.moved}
    if not read <= own or len(state.samples) > mark[6]:
        raise interpreter.stop(
            node.elt, "mechanism-in-loop",
            "this comprehension over private rows adds noise in every round to more than its own "
            "row", "rounds that read only their own row and released values",
            "add the noise once, before the comprehension or to its result",
        )  # fmt: skip
    if generator.ifs or space.size is None or space.row_metric.adds:
        raise _private_number(interpreter, node, bool(generator.ifs))
    if interpreter.has_private(entry):
        raise interpreter.stop(
            node.elt, "private-return",
            "a round of this comprehension adds noise, and gives something private besides",
            "what is released, and nothing else", "one comprehension for what is released",
        )  # fmt: skip
    refuse_escapes(interpreter.domain, mark, [entry], interpreter.module, node)
    plan.count, plan.in_places = space.size, True
    close_samples(state, mark)
    charge(interpreter.domain, plan, {}, {}, mark, interpreter.module, node)
    interpreter.act(node, "per_row", "in order" if space.row_metric.ordered else "shuffled")
    interpreter.of_rows.add(generator.target)
    key = interpreter.site(node), "rows"
    interpreter.domain.by_row.note(key, interpreter.module, generator.target, NOISE)
    return filled("released", (TupleValue((entry,)),), space.size)


def adds_noise(interpreter: Interpreter, node: ast.AST) -> bool:
    """Whether an expression of the present file may draw."""
    return _may_add(interpreter.module, node, set())


def _may_add(module: Any, node: ast.AST, seen: set[ast.AST]) -> bool:
    """Whether an expression names a mechanism, or a function of the program that does."""
    for each in ast.walk(node):
        if not isinstance(each, ast.Call):
            continue
        dotted = qualified(module, each.func) or ""
        record = REGISTRY.get(dotted.rpartition(".")[2]) if dotted.startswith("metricdp.") else None
        if record is not None and record.kind == "mechanism":
            return True
        found = module.lookup(each.func.id) if isinstance(each.func, ast.Name) else None
        if isinstance(found, Closure) and found.node not in seen:
            seen.add(found.node)
            if _may_add(found.module, found.node, seen):
                return True
    return False


def _private_number(interpreter: Interpreter, node: ast.AST, filtered: bool) -> Stop:
    """The rejection of a list of releases whose length would be a release, too."""
    why = "how many rows a test lets through" if filtered else "how many rows there are"
    need = "every row" if filtered else "a table whose number of rows is public"
    return interpreter.stop(
        node, "private-length",
        f"this list has one entry per row, so its length shows {why}, and one person more or less "
        "is seen for certain",
        need,
        "the condition inside: f(row) if test else 0, in place of `if`" if filtered
        else "declare it as dp.Records[bool, dp.ChangeOne]",
    )  # fmt: skip
