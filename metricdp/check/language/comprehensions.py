"""Comprehensions and generators.

Over private rows they are `filter` and `map`; over public things, loops that append, or that add
up.
"""

from __future__ import annotations

import ast
from typing import cast

import msgspec

from metricdp.check.domain.by_row import EXACT, containers
from metricdp.check.domain.samples import close_samples, refuse_escapes
from metricdp.check.language import totality
from metricdp.check.language.applying import apply
from metricdp.check.language.assignments import bind
from metricdp.check.language.conditions import condition_of
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.iteration import Iteration
from metricdp.check.language.looping import UNROLLED, fixed_before, for_, round_name
from metricdp.check.language.noisy_rows import adds_noise, noise_per_row
from metricdp.check.language.over_rows import as_list
from metricdp.check.language.zipping import zipped
from metricdp.check.loops.collecting import collected
from metricdp.check.loops.loop_costs import charge
from metricdp.check.loops.positions import ReadPositions
from metricdp.check.source.advice import KEYS_OF_ROWS
from metricdp.check.values import total
from metricdp.check.values.dictionaries import dictionary
from metricdp.check.values.findings import Stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Closure, Obj, Range, TupleValue, Value, Zip
from metricdp.check.values.public import public_count
from metricdp.expr import ZERO
from metricdp.run.over_rows import is_meant
from metricdp.spaces import Keyed, Matrix, Owned, Records, Vector
from metricdp.spaces.products import Parts
from metricdp.spaces.vectors import Entries

Made = ast.ListComp | ast.GeneratorExp | ast.SetComp


def kept_generator(interpreter: Interpreter, node: ast.GeneratorExp, frame: Frame) -> Obj:
    """A generator that is not consumed at once is rejected; `a, b = (...)` consumes it."""
    here = interpreter.here
    unpacked = isinstance(here, ast.Assign) and here.value is node
    if unpacked and all(isinstance(each, ast.Tuple | ast.List) for each in here.targets):  # type: ignore[union-attr]
        return comprehension(interpreter, node, frame)
    raise interpreter.stop(
        node, "unsupported-syntax", "a generator runs later than it is written",
        "a generator only as the argument of a function that consumes it",
        "[...] in place of (...)",
    )  # fmt: skip


def comprehension(interpreter: Interpreter, node: Made, frame: Frame) -> Obj:
    """A list comprehension, or a generator that is consumed at once."""
    made = _comprehension(interpreter, node, frame)
    if isinstance(node, ast.ListComp):  # its parts were read, and are total
        totality.shown(interpreter, node, total.TOTAL)
        return as_list(made) if _is_written(interpreter, node) else made
    return made


def _is_written(interpreter: Interpreter, node: ast.ListComp) -> bool:
    """Whether a comprehension stands in the program, and for nothing else that does."""
    lines = interpreter.module.lines
    line = lines[node.lineno - 1] if node.lineno <= len(lines) else ""
    brackets = line.encode()[node.col_offset : node.col_offset + 1] == b"["
    return brackets and not is_meant(node)


def _comprehension(interpreter: Interpreter, node: Made, frame: Frame) -> Obj:
    if any(generator.is_async for generator in node.generators):
        raise interpreter.stop(
            node, "unsupported-syntax",
            "an asynchronous comprehension is not part of the checked language", "a plain `for`",
            "remove `async`",
        )  # fmt: skip
    generator = node.generators[0]
    if isinstance(generator.iter, ast.GeneratorExp):
        return _of_generator(interpreter, node, generator.iter, frame)
    interpreter.consumed.add(generator.iter)
    return _over(interpreter, node, interpreter.evaluate(generator.iter, frame), frame)


def _of_generator(
    interpreter: Interpreter, node: Made, inner: ast.GeneratorExp, frame: Frame
) -> Obj:
    """`f(y) for y in (g(x) for x in xs)`: all of the inner one is read first, and Python goes from
    the one to the other for each item."""
    lists = dict(interpreter.heap.lists)
    made = _over(interpreter, node, consumed(interpreter, inner, frame), frame)
    interpreter.unchanged(lists, node, "a generator")
    return made


def _over(interpreter: Interpreter, node: Made, evaluated: Obj, frame: Frame) -> Obj:
    """The same over what its first loop goes through."""
    generator = node.generators[0]
    if isinstance(evaluated, Zip):
        evaluated = zipped(interpreter, evaluated, generator.iter) or evaluated
    source = interpreter.seen(evaluated)
    if not isinstance(source, Value) or not source.private or isinstance(source.space, Parts):
        return _public(interpreter, node, evaluated, frame)
    if isinstance(source.space, Keyed):
        raise interpreter.stop(generator.iter, "private-length", *KEYS_OF_ROWS)
    if isinstance(source.space, Vector) and adds_noise(interpreter, node.elt):
        return _public(interpreter, node, evaluated, frame)  # a loop over the entries
    if len(node.generators) > 1:
        raise interpreter.stop(
            node, "unsupported-syntax",
            "a comprehension over private rows has one loop", "one `for`",
            "a function of one row that sums over the inner loop",
        )  # fmt: skip
    values, read = cast(Obj, source), len(interpreter.domain.state.enforced)
    for test in generator.ifs:
        record = interpreter.named("filter", node)
        predicate = _closure(interpreter, generator.target, condition_of(test), frame)
        values = apply(
            interpreter, record, [predicate, values], {}, node, [test, generator.iter], {}
        )
    if generator.ifs:  # what all tests let through, and not what the first ones do
        del interpreter.domain.state.enforced[read:-1]
    if (
        isinstance(node.elt, ast.Name)
        and isinstance(generator.target, ast.Name)
        and (node.elt.id == generator.target.id)
    ):
        if not generator.ifs and isinstance(source.space, Records | Owned | Matrix):
            interpreter.act(node, "copied", "")
        return values
    del interpreter.domain.state.enforced[read:]  # of what the tests let through
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        noisy = noise_per_row(interpreter, node, values, frame)
        if noisy is not None:
            return noisy
    name = "map_rows" if isinstance(source.space, Matrix) else "map"
    function = _closure(interpreter, generator.target, node.elt, frame)
    return apply(
        interpreter,
        interpreter.named(name, node),
        [function, values],
        {},
        node,
        [node.elt, generator.iter],
        {},
    )


def consumed(interpreter: Interpreter, node: ast.GeneratorExp, frame: Frame) -> Obj:
    """A generator that a call consumes at once."""
    lists = dict(interpreter.heap.lists)
    made = comprehension(interpreter, node, frame)
    # Python may stop a generator early, or run it between other statements.
    interpreter.unchanged(lists, node, "a generator")
    return made


def of_dictionary(interpreter: Interpreter, node: ast.DictComp, frame: Frame) -> Obj:
    """`{k: v for k in keys}`, as the loop that stores."""
    interpreter.consumed.add(node.generators[0].iter)
    evaluated = interpreter.evaluate(node.generators[0].iter, frame)
    source = interpreter.seen(evaluated)
    if isinstance(source, Value) and source.private and not isinstance(source.space, Parts):
        raise interpreter.stop(
            node, "unsupported-syntax",
            "private rows would decide which keys this dictionary has",
            "public keys", "{key: len([row for row in rows if row.field == key]) for key in KEYS}",
        )  # fmt: skip
    made = interpreter.heap.hold(dictionary({}))
    inner = Frame({"@out": made, "@in": evaluated}, frame)
    target = ast.Subscript(ast.Name("@out", ast.Load()), node.key, ast.Store())
    looped(interpreter, node, ast.Assign([target], node.value), inner)
    totality.shown(interpreter, node, total.TOTAL)  # its parts were read
    interpreter.heap.stored.discard(made.number)
    return made


def _closure(interpreter: Interpreter, target: ast.expr, body: ast.expr, frame: Frame) -> Closure:
    """The function of one row that a clause of a comprehension is."""
    name = target.id if isinstance(target, ast.Name) else "@row"
    arguments = ast.arguments([], [ast.arg(name)], None, [], [], None, [])
    node: ast.Lambda | ast.FunctionDef
    if isinstance(target, ast.Name):
        node = ast.copy_location(ast.Lambda(arguments, body), body)
    else:
        row = ast.copy_location(ast.Name(name, ast.Load()), target)
        taken = ast.copy_location(ast.Assign([target], row), target)
        result = ast.copy_location(ast.Return(body), body)
        made = ast.FunctionDef("the comprehension", arguments, [taken, result], [])
        node = ast.copy_location(made, body)
    return Closure(node, interpreter.module, frame, "the comprehension")


def _public(interpreter: Interpreter, node: Made, source: Obj, frame: Frame) -> Obj:
    """A comprehension over public things, as the loop that appends to a new list."""
    vector = _vector(interpreter, node, source, frame)
    if vector is not None:
        return vector
    inner = Frame({"@out": interpreter.heap.new(()), "@in": source}, frame)
    out = ast.Attribute(ast.Name("@out", ast.Load()), "append", ast.Load())
    looped(interpreter, node, ast.Expr(ast.Call(out, [node.elt], [])), inner)
    return interpreter.heap.opened(inner.names["@out"])


def summed(interpreter: Interpreter, node: ast.Call, frame: Frame) -> Obj | None:
    """`sum(f(i) for i in range(n))`, or over a public list, from which a private test chooses: the
    loop that adds up; None for anything else."""
    if len(node.args) != 1 or node.keywords:
        return None
    (made,) = node.args
    if not isinstance(made, Made):
        return None
    if (added := summed_rows(interpreter, node, made, frame)) is not None:
        return added
    source = made.generators[0].iter
    called = isinstance(source, ast.Call) and isinstance(source.func, ast.Name)
    listed = isinstance(source, ast.Name | ast.Tuple | ast.List)
    if not called and not (listed and made.generators[0].ifs):
        return None
    mark, lists = interpreter.domain.state.checkpoint(), dict(interpreter.heap.lists)
    interpreter.consumed.add(source)
    iterated = interpreter.evaluate(source, frame)
    held = interpreter.heap.opened(iterated)
    known = isinstance(held, TupleValue) and not held.names
    known = known or (isinstance(held, Value) and not held.private)
    if not (isinstance(iterated, Range) or (listed and known)):
        # It is read once more, as what it is.
        interpreter.domain.state.rollback(mark)
        interpreter.heap.lists = lists
        return None
    inner = Frame({".sum": public_count(ZERO), "@in": iterated}, frame)
    add = ast.AugAssign(ast.Name(".sum", ast.Store()), ast.Add(), made.elt)
    looped(interpreter, made, add, inner)
    if isinstance(made, ast.GeneratorExp):
        interpreter.unchanged(lists, made, "a generator")
    totality.shown(interpreter, node, total.TOTAL)  # its parts were read
    return inner.names[".sum"]


def summed_rows(interpreter: Interpreter, node: ast.Call, made: Made, frame: Frame) -> Obj | None:
    """`sum(f(row) for row in rows)` where a row gives a vector or an array: the loop that adds
    them up; None for anything else, which is read once more, as what it is."""
    (generator, *more) = made.generators
    if more or generator.ifs or generator.is_async or isinstance(generator.iter, ast.GeneratorExp):
        return None
    state, lists = interpreter.domain.state, dict(interpreter.heap.lists)
    interpreter.consumed.add(generator.iter)
    mark, seen = state.checkpoint(), len(state.trace)
    source = interpreter.seen(interpreter.evaluate(generator.iter, frame))
    if not isinstance(source, Value) or not source.private or not isinstance(source.space, Records):
        state.rollback(mark)
        interpreter.heap.lists = lists
        return None
    iteration = Iteration(interpreter, source, generator.iter)
    iteration.plan()
    function = _closure(interpreter, generator.target, made.elt, frame)
    try:
        entry = interpreter.call(function, (iteration.element(),), interpreter.module, node)
    except Stop:
        entry = None
    noisy = len(state.trace) > seen or len(state.samples) > mark[6]
    vector = isinstance(entry, Value) and entry.private and isinstance(entry.space, Entries)
    state.rollback(mark)
    interpreter.heap.lists = lists
    if noisy or not vector:
        return None
    again = interpreter.seen(interpreter.evaluate(generator.iter, frame))
    inner = Frame({".sum": public_count(ZERO), "@in": again}, frame)
    looped(
        interpreter, made,
        ast.AugAssign(ast.Name(".sum", ast.Store()), ast.Add(), made.elt), inner,
    )  # fmt: skip
    interpreter.unchanged(lists, made, "a generator")
    interpreter.act(node, "summed", "")
    loops, site = interpreter.domain.by_row.loops, interpreter.site(made)
    if site in loops:  # a run adds up, too
        loops[site] = msgspec.structs.replace(loops[site], written=True)
    return inner.names[".sum"]


def _vector(interpreter: Interpreter, node: Made, source: Obj, frame: Frame) -> Value | None:
    """Private entries over a number of rounds that is not written out: one vector; or None."""
    (generator, *more), state = node.generators, interpreter.domain.state
    if more or generator.ifs:
        return None
    mark, lists = state.checkpoint(), dict(interpreter.heap.lists)
    iteration = Iteration(interpreter, source, generator.iter)
    if iteration.items(UNROLLED) is not None:
        state.rollback(mark)
        return None
    plan = iteration.plan()
    if plan.unordered or plan.count is None:
        state.rollback(mark)
        return None
    plan.index = iteration.index = round_name(interpreter, plan)
    inner, reading = Frame({}, frame), ReadPositions(interpreter.domain, plan)
    fixed_before(interpreter, frame)
    interpreter.domain.rounds.append(plan.index)
    interpreter.readings.append(reading)
    interpreter.heap.rounds += 1
    try:
        bind(interpreter, generator.target, iteration.element(), inner)
        entry = interpreter.evaluate(node.elt, inner)
    finally:
        interpreter.readings.pop()
        interpreter.domain.rounds.pop()
        interpreter.heap.rounds -= 1
    if not isinstance(entry, Value) or not entry.private:
        state.rollback(mark)
        interpreter.heap.lists = lists
        return None
    interpreter.unchanged(lists, node, "an entry of a comprehension")
    refuse_escapes(interpreter.domain, mark, [entry], interpreter.module, node)
    if iteration.of_a_set:
        iteration.refuse_order()
    vector = collected(interpreter.domain, plan, entry, interpreter.module, node)
    close_samples(state, mark)
    charge(interpreter.domain, plan, {}, {}, mark, interpreter.module, node)
    interpreter.act(node, "rows", "")
    if containers({str(i): each.value for i, each in enumerate(plan.rows)}):
        interpreter.of_rows.add(generator.target)
        key = interpreter.site(node), "rows"
        interpreter.domain.by_row.note(key, interpreter.module, generator.target, EXACT)
    return vector


def looped(
    interpreter: Interpreter, node: Made | ast.DictComp, innermost: ast.stmt, frame: Frame
) -> None:
    """The loops of a comprehension around a statement, in a frame that has `@in` and `@out`."""
    loop, source = _nested(node, innermost), node.generators[0].iter
    interpreter.written_as[loop.iter] = source
    for_(interpreter, loop, frame)


def _nested(node: Made | ast.DictComp, innermost: ast.stmt) -> ast.For:
    """The loops of a comprehension around a statement; the first one runs over `@in`."""
    body: ast.stmt = innermost
    for generator in reversed(node.generators):
        if generator.ifs:
            tests = generator.ifs
            test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
            body = ast.If(test, [body], [])
        first = generator is node.generators[0]
        source = ast.Name("@in", ast.Load()) if first else generator.iter
        source = ast.copy_location(source, generator.iter)
        body = ast.For(generator.target, source, [body], [])
    for part in ast.walk(body):
        if isinstance(part, ast.stmt | ast.expr) and not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    assert isinstance(body, ast.For)
    return body
