"""Features of control and composition: what stands around a release."""

from __future__ import annotations

from attack.writing import Inner, Misfit, Rows, Value, Writer, feature

_PARTS = {
    "float": ("lambda r: r > 1", "(False, True)"), "int": ("lambda r: r", "(1, 2)"),
    "str": ("lambda r: r", "('a', 'b')"), "pair": ("lambda r: r[0]", "(1, 2)"),
    "person": ("lambda r: r.age", "(1, 2)"), "fields": ("lambda r: r['age']", "(1, 2)"),
    "review": ("lambda r: r.stars", "(1, 2)"), "maybe": ("lambda r: r", "(1, 2)"),
    "dated": ("lambda r: r.day.month", "(1, 2)"),
}  # fmt: skip


def held(w: Writer, value: Value) -> str:
    """The value under a name."""
    name = w.fresh("y")
    w.line(f"{name} = {value.text}")
    return name


def put(w: Writer, out: str, value: Value) -> None:
    """Append a release, or add it to what was released."""
    w.line(f"{out}.append({value.text})")


# -- loops ----------------------------------------------------------------------------------------


@feature("for over a range", "context")
def _range(w: Writer, rows: Rows, inner: Inner) -> Value:
    out = w.fresh("out")
    w.line(f"{out} = []")
    w.line(f"for {w.fresh('i')} in range({w.given('n', 'int', w.pick(1, 2, 3))}):")
    with w.block():
        put(w, out, inner(w, rows))
    return Value(out, False)


@feature("accumulating loop", "context")
def _accumulating(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    total = w.fresh("sum")
    w.line(f"{total} = 0.0")
    w.line(f"for {w.fresh('i')} in range({w.pick(1, 2, 3)}):")
    with w.block():
        value = inner(w, rows)
        if not value.number:
            return None
        w.line(w.pick(f"{total} = {total} / 2 + {value.text}", f"{total} += {value.text}"))
    return Value(total, True)


@feature("while with a cap", "context")
def _while(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    i, last = w.fresh("i"), w.fresh("last")
    w.line(f"{i}, {last} = 0, 0.0")
    w.line(f"while {i} < {w.given('cap', 'int', 2)}{w.pick('', f' and {last} < 1')}:")
    with w.block():
        value = inner(w, rows)
        if not value.number:
            return None
        w.line(f"{last} = {value.text}")
        w.line(f"{i} += 1")
    return Value(last, True)


@feature("break on a release", "context")
def _break(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    last = w.fresh("last")
    w.line(f"{last} = 0.0")
    w.line(f"for {w.fresh('i')} in range(2):")
    with w.block():
        value = inner(w, rows)
        if not value.number:
            return None
        w.line(f"{last} = {value.text}")
        w.line(f"if {last} > 1:")
        with w.block():
            w.line(w.pick("break", "continue"))
    return Value(last, True)


@feature("comprehension", "context")
def _comprehension(w: Writer, rows: Rows, inner: Inner) -> Value:
    value = w.expression(inner, rows)
    return Value(f"[{value.text} for {w.fresh('i')} in range(2)]", False)


@feature("dictionary with public keys", "context")
def _dictionary(w: Writer, rows: Rows, inner: Inner) -> Value:
    value = w.expression(inner, rows)
    return Value(f"{{'a': {value.text}, 'b': {value.text}}}", False)


@feature("two containers in a loop", "context")
def _zip(w: Writer, rows: Rows, inner: Inner) -> Value:
    out, a, b = w.fresh("out"), w.fresh("a"), w.fresh("b")
    w.line(f"{out} = []")
    w.line(f"for {a}, {b} in {w.pick('zip((1, 2), (3, 4))', 'enumerate((5, 6))')}:")
    with w.block():
        put(w, out, inner(w, rows))
    return Value(out, False)


# -- parallel -------------------------------------------------------------------------------------


@feature("partition in a loop", "context")
def _partition(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    if rows.kind != "records":
        return None
    key, keys = _PARTS[rows.cell]
    out, part = w.fresh("out"), w.fresh("part")
    w.line(f"{out} = []")
    w.line(f"for {part} in dp.partition({rows.text}, key={key}, keys={keys}):")
    with w.block():
        put(w, out, inner(w, rows._replace(text=part)))
    return Value(out, False)


@feature("partition in a comprehension", "context")
def _partition_list(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    if rows.kind != "records":
        return None
    key, keys = _PARTS[rows.cell]
    part = w.fresh("part")
    kept, w.lines = w.lines, []
    value = inner(w, rows._replace(text=part))
    lines, w.lines = w.lines, kept
    if lines:
        return None
    parts = f"dp.partition({rows.text}, key={key}, keys={keys})"
    return Value(f"[{value.text} for {part} in {parts}]", False)


@feature("partition with its keys", "context")
def _partition_zip(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    if rows.kind != "records":
        return None
    key, keys = _PARTS[rows.cell]
    out, part, k = w.fresh("out"), w.fresh("part"), w.fresh("k")
    w.line(f"{out} = []")
    w.line(f"for {k}, {part} in zip({keys}, dp.partition({rows.text}, key={key}, keys={keys})):")
    with w.block():
        w.line(f"if {k} == {keys[1:-1].split(', ')[0]}:")
        with w.block():
            put(w, out, inner(w, rows._replace(text=part)))
    return Value(out, False)


def _entry(w: Writer, rows: Rows, name: str) -> Rows | None:
    if rows.kind == "matrix":
        number = w.fresh("e")
        first = f"dp.undisc(dp.clamp({name}[0], 0, 1))" if rows.cell == "datum" else f"{name}[0]"
        w.line(f"{number} = {first}")
        return Rows(number, "number", "real")
    if rows.kind == "vector":
        return Rows(name, "number", rows.cell)
    return None


@feature("noise for every row", "context")
def _every_row(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    if rows.kind not in ("vector", "matrix"):
        return None
    out, row = w.fresh("out"), w.fresh("row")
    w.line(f"{out} = []")
    w.line(f"for {row} in {rows.text}:")
    with w.block():
        entry = _entry(w, rows, row)
        assert entry is not None
        put(w, out, inner(w, entry))
    return Value(out, False)


@feature("noise in a comprehension of rows", "context")
def _row_list(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    if rows.kind != "vector":
        return None
    row = w.fresh("row")
    kept, w.lines = w.lines, []
    value = inner(w, Rows(row, "number", rows.cell))
    lines, w.lines = w.lines, kept
    return None if lines else Value(f"[{value.text} for {row} in {rows.text}]", False)


@feature("parallel fold of rows", "context")
def _parallel_fold(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    if rows.kind not in ("vector", "matrix"):
        return None
    step, other = w.fresh("step"), w.parameter("w", "Vector[Real, L1]")
    matrix = rows.kind == "matrix"
    if matrix:
        other = rows.text if w.chance(0.2) else w.parameter("m", "Matrix[Data, LInf]")
    w.line(f"def {step}(acc, row, label):")
    with w.block():
        entry = _entry(w, rows, "row")
        assert entry is not None
        value = inner(w, entry)
        if not value.number:
            return None
        w.line(f"return acc + {value.text}")
    return Value(f"dp.parallel_private_fold_rows({step}, 0, {rows.text}, {other})", True)


# -- branches -------------------------------------------------------------------------------------


@feature("branch on a release", "context")
def _branch(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    first = inner(w, rows)
    if not first.number:
        return None
    test, found = held(w, first), w.fresh("found")
    w.line(f"{found} = 0.0")
    w.line(f"if {test} {w.pick('>', '<', '>=', '!=')} 1:")
    with w.block():
        w.line(f"{found} = {w.noise(rows).text}")
    if w.chance(0.5):
        w.line("else:")
        with w.block():
            w.line(f"{found} = {w.noise(rows).text}")
    return Value(f"({test}, {found})", False)


@feature("conditional expression", "context")
def _conditional(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    test = inner(w, rows)
    if not test.number:
        return None
    value = w.noise(rows)
    return Value(f"({value.text} if {test.text} > 1 else {w.pick('0.0', test.text)})", False)


@feature("public branch", "context")
def _public_branch(w: Writer, rows: Rows, inner: Inner) -> Value:
    found = w.fresh("found")
    w.line(f"{found} = 0.0")
    w.line(f"if {w.given('n', 'int', w.pick(1, 2))} > 1:")
    with w.block():
        w.line(f"{found} = {inner(w, rows).text}")
    return Value(found, False)


@feature("chained comparison", "context")
def _chained(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    value = inner(w, rows)
    if not value.number:
        return None
    a, b = (w.given("t", "float", 0.5) for _ in range(2))
    first, second = w.pick("<", "<=", ">", "!="), w.pick("<", ">", ">=", "==")
    return Value(w.pick(
        f"({a} {first} {value.text} {second} {b})",
        f"({value.text} {first} {a} {second} {b})",
        f"(0 {first} {value.text} {second} {value.text})",
        f"(1 < 2 {first} {value.text} {second} {b})",
    ), False)  # fmt: skip


@feature("boolean operators", "context")
def _boolean(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    value = inner(w, rows)
    if not value.number:
        return None
    other = w.noise(rows)
    op = w.pick("and", "or")
    return Value(f"({w.pick('', 'not ')}{value.text} > 1 {op} {other.text} < 2)", False)


# -- functions ------------------------------------------------------------------------------------


@feature("helper with noise", "context")
def _helper(w: Writer, rows: Rows, inner: Inner) -> Value:
    name = w.fresh("helper")
    kept, w.lines, depth, w.indent = w.lines, [], w.indent, "    "
    public, chance = w.given, w.chance
    # A helper sees its own arguments only.
    before = len(w.parameters)
    w.given = lambda stem, kind, value: repr(value)  # type: ignore[method-assign]
    value = inner(w, rows._replace(text="given"))
    w.given = public  # type: ignore[method-assign]
    if len(w.parameters) > before:
        raise Misfit("helper with noise")
    lines, w.lines, w.indent = w.lines, kept, depth
    body = "\n".join([*lines, f"    return {value.text}"])
    more, argument = ("", "") if chance(0.7) else (", twice=2", f", twice={w.pick(1, 2)}")
    w.above.append(f"def {name}(given{more}):\n{body}")
    return Value(f"{name}({rows.text}{argument})", value.number)


@feature("helper with a state", "context")
def _state(w: Writer, rows: Rows, inner: Inner) -> Value:
    name, state = w.fresh("put"), w.fresh("state")
    w.above.append(f"def {name}(state, value):\n    state.append(value)\n    return len(state)")
    w.line(f"{state} = []")
    w.line(f"for {w.fresh('i')} in range(2):")
    with w.block():
        w.line(f"{name}({state}, {inner(w, rows).text})")
    return Value(state, False)


@feature("nested function", "context")
def _nested(w: Writer, rows: Rows, inner: Inner) -> Value:
    name = w.fresh("nested")
    w.line(f"def {name}():")
    with w.block():
        w.line(f"return {inner(w, rows).text}")
    return Value(w.pick(f"{name}()", f"({name}(), {name}())"), False)


@feature("lambda", "context")
def _lambda(w: Writer, rows: Rows, inner: Inner) -> Value:
    value = w.expression(inner, rows)
    name = w.fresh("f")
    w.line(f"{name} = lambda: {value.text}")
    return Value(w.pick(f"{name}()", f"[{name}(), {name}()]"), False)


@feature("mechanism as an argument", "context")
def _argument(w: Writer, rows: Rows, inner: Inner) -> Value:
    name = w.fresh("apply")
    w.above.append(f"def {name}(function, times):\n    return [function() for _ in range(times)]")
    value = w.expression(inner, rows)
    return Value(f"{name}(lambda: {value.text}, {w.pick(1, 2)})", False)


@feature("map over public values", "context")
def _mapped(w: Writer, rows: Rows, inner: Inner) -> Value:
    value = w.expression(inner, rows)
    return Value(f"list(map(lambda {w.fresh('k')}: {value.text}, (1, 2)))", False)


@feature("private selection", "context")
def _selection(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    name = w.fresh("run")
    candidates = w.chance(0.5)
    w.line(f"def {name}({'limit' if candidates else ''}):")
    with w.block():
        value = inner(w, rows)
        if not value.number:
            return None
        y = held(w, value)
        w.line(f"return {y}, {'limit' if candidates else y}")
    given = ", (1, 2)" if candidates else ""
    # With a threshold the rounds end by a coin: here after one.
    more = w.pick("stop=0.5", "stop=0.5, shape=0", "stop=1, threshold=1")
    return Value(f"dp.private_selection({name}{given}, {more})", False)
