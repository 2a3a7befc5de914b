"""Features of what is done with a release: alone, in a list, beside private values."""

from __future__ import annotations

from attack.contexts import held, put
from attack.writing import Inner, Rows, Value, Writer, feature

# -- uses of what is released ---------------------------------------------------------------------


@feature("post-processing", "context")
def _post(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    value = inner(w, rows)
    if not value.number:
        return None
    return Value(w.pick(
        f"max({value.text}, 0)", f"round({value.text})", f"abs({value.text})",
        f"(2 * {value.text} + 1)", f"min(max({value.text}, 0), 3)",
    ), True)  # fmt: skip


@feature("text of a release", "context")
def _text(w: Writer, rows: Rows, inner: Inner) -> Value:
    y = held(w, inner(w, rows))
    return Value(f"f'{{{y}}}'", False)


@feature("tuple and unpacking", "context")
def _tuple(w: Writer, rows: Rows, inner: Inner) -> Value:
    a, b = w.fresh("a"), w.fresh("b")
    w.line(f"{a}, {b} = {inner(w, rows).text}, 1")
    w.line(f"{a}, {b} = {b}, {a}")
    return Value(f"({a}, {b})", False)


@feature("list that is changed", "context")
def _list(w: Writer, rows: Rows, inner: Inner) -> Value:
    box, other = w.fresh("box"), w.fresh("box")
    w.line(f"{box} = [0, {inner(w, rows).text}]")
    w.line(f"{other} = {box}")
    w.line(f"{other}[0] = {w.pick(f'{box}[1]', '7')}")
    return Value(w.pick(box, f"{box}[::-1]", f"{other}[0]"), False)


@feature("bound by a release", "context")
def _bound(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    value = inner(w, rows)
    if not value.number or rows.kind != "records" or rows.cell not in ("int", "float"):
        return None
    y = held(w, value)
    w.line(f"{y} = min(max({y}, 1), 3)")
    found = f"dp.laplace(dp.sum(dp.clamp({rows.text}, 0, {y})), epsilon=0.5)"
    return Value(f"({y}, {found})", False)


@feature("steered by a release", "context")
def _steered(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    value = inner(w, rows)
    if not value.number:
        return None
    y = held(w, value)
    return Value(f"({y}, dp.laplace({w.number(rows)} + {y}, scale=2))", False)


@feature("several at once", "context")
def _several(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    numbers = ", ".join(w.number(rows) for _ in range(2))
    name = w.fresh("y")
    noise = w.pick("dp.laplace", "dp.gaussian")
    w.line(f"{name} = {noise}(({numbers}), scale={w.pick(1, 2)})")
    return Value(f"({name}, {inner(w, rows).text})", False)


@feature("sample in a loop", "context")
def _sample_loop(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    if rows.kind != "records":
        return None
    out, s = w.fresh("out"), w.fresh("s")
    w.line(f"{out} = []")
    w.line(f"for {w.fresh('i')} in range(2):")
    with w.block():
        w.line(f"{s} = dp.sample({rows.text}, q=0.5)")
        put(w, out, inner(w, rows._replace(text=s, replaced=False, ordered=False)))
    return Value(out, False)


@feature("transformation called", "context")
def _transformation(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    if rows.kind != "records" or rows.cell not in ("int", "float"):
        return None
    annotation = {"int": "Records[int]", "float": "Records[float]"}[rows.cell]
    name = w.fresh("twice")
    w.above.append(
        f"@dp.transformation\ndef {name}(given: {annotation}):\n    return 2 * dp.count(given)"
    )
    value = inner(w, rows)
    return Value(f"({value.text}, dp.laplace({name}({rows.text}), scale=3))", False)


# -- releases among private values ----------------------------------------------------------------


def _answered(w: Writer, test: str) -> Value:
    """A private truth value, released."""
    name = w.fresh("inside")
    w.line(f"{name} = {test}")
    epsilon = w.pick(0.5, 1)
    return Value(w.pick(
        f"dp.randomized_response({name}, epsilon={epsilon})",
        f"dp.laplace(int({name}), epsilon={epsilon})",
    ), False)  # fmt: skip


@feature("chained comparison with a private number", "context")
def _private_chain(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    value = inner(w, rows)
    if not value.number:
        return None
    number, (a, b) = w.number(rows), (w.pick("<", "<=", ">"), w.pick("<", ">", ">="))
    return _answered(w, w.pick(
        f"{number} {a} {value.text} {b} 3", f"0 {a} {value.text} {b} {number}",
        f"{number} {a} {value.text} {b} {number}",
    ))  # fmt: skip


@feature("private test of a release", "context")
def _private_test(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    value = inner(w, rows)
    if not value.number:
        return None
    number = w.number(rows)
    return _answered(w, w.pick(
        f"{number} > {value.text}", f"not {number} <= {value.text}",
        f"({number} > 1 and {value.text} < {number})", f"({value.text} > 1 or {number} > 2)",
    ))  # fmt: skip


@feature("membership of a release", "context")
def _membership(w: Writer, rows: Rows, inner: Inner) -> Value:
    value = inner(w, rows)
    return Value(f"({value.text} {w.pick('in', 'not in')} (0, 1, 2))", False)


@feature("generator over releases", "context")
def _generator(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    value = w.expression(inner, rows)
    if not value.number:
        return None
    name = w.fresh("k")
    form = w.pick("any({v} > k for k in (1, 2))", "sum({v} + k for k in (1, 2))",
                  "all(k < {v} for k in (0, 1))", "max({v} for k in (1, 2))")  # fmt: skip
    return Value(
        form.format(v=value.text).replace(" k", f" {name}").replace("(k", f"({name}"), False
    )


@feature("function out of a list", "context")
def _callee(w: Writer, rows: Rows, inner: Inner) -> Value:
    value, name = w.expression(inner, rows), w.fresh("functions")
    w.line(f"{name} = [lambda: 0, lambda: {value.text}]")
    return Value(w.pick(f"{name}[1]()", f"({name}[1](), {name}[0]())", f"{name}[-1]()"), False)


@feature("function made by a function", "context")
def _made(w: Writer, rows: Rows, inner: Inner) -> Value:
    value, name, calls = w.expression(inner, rows), w.fresh("pick"), w.fresh("calls")
    w.line(f"{calls} = []")
    w.line(f"def {name}():")
    with w.block():
        w.line(f"{calls}.append(1)")
        w.line(f"return lambda: {value.text}")
    return Value(f"({name}()(), len({calls}))", False)
