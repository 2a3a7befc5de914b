"""Features of objects that store, of loops that return early, and of lists of releases."""

from __future__ import annotations

from attack.contexts import held, put
from attack.writing import Inner, Misfit, Rows, Value, Writer, feature


@feature("store into self", "context")
def _store(w: Writer, rows: Rows, inner: Inner) -> Value:
    """A method that stores what it releases, where its object is made."""
    name = w.fresh("Plan")
    kept, w.lines, depth, w.indent = w.lines, [], w.indent, "        "
    before, given = len(w.parameters), w.given
    # A method sees its own arguments only.
    w.given = lambda stem, kind, value: repr(value)  # type: ignore[method-assign]
    value = inner(w, rows._replace(text="given"))
    w.given = given  # type: ignore[method-assign]
    lines, w.lines, w.indent = w.lines, kept, depth
    if len(w.parameters) > before or (lines and w.chance(0.3)):
        raise Misfit("store into self")
    again = w.pick("self.last = 2", "self.last = self.kind", "self.kind = 3")
    body = "\n".join([*lines, f"        self.last = {value.text}" if not lines else
                      f"        return {value.text}"])  # fmt: skip
    first = "    def __init__(self, kind):\n        self.kind = kind\n        self.last = 0\n"
    if lines:  # a method that stores does nothing but that
        w.above.append(
            f"class {name}:\n{first}\n    def found(self, given):\n{body}\n\n"
            f"    def measure(self, given):\n        self.last = self.found(given)\n"
            "        return self"
        )
    else:
        more = f"        {again}\n" if w.chance(0.3) else ""
        w.above.append(
            f"class {name}:\n{first}\n    def measure(self, given):\n{body}\n{more}"
            "        return self"
        )
    made = f"{name}({w.pick(1, 2)}).measure({rows.text})"
    if w.chance(0.5):
        return Value(f"({made}.last, {made}.kind)", False)
    return Value(f"{made}.last", value.number)


@feature("return in a loop of releases", "context")
def _return(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    name, y, i = w.fresh("until"), w.fresh("y"), w.fresh("i")
    w.line(f"def {name}():")
    with w.block():
        w.line(f"for {i} in range({w.pick(2, 3)}):")
        with w.block():
            value = inner(w, rows)
            if not value.number:
                return None
            w.line(f"{y} = {value.text}")
            w.line(f"if {y} {w.pick('>', '<')} {w.pick(0, 1, i)}:")
            w.line(f"    return {w.pick(y, i, f'({i}, {y})')}")
        w.line(f"return {w.pick('0', 'None', '(1, 2)')}")
    return Value(f"{name}()", False)


@feature("length of released things", "context")
def _length(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    value, out = inner(w, rows), w.fresh("out")
    w.line(f"{out} = [{value.text}, {value.text if w.chance(0.3) else 1}]")
    if w.chance(0.3) and value.number:
        w.line(f"{out} = [v for v in {out} if v > 1]")
    more = f"dp.laplace(len({out}) * {w.number(rows)}, scale=3)"
    return Value(w.pick(f"({out}, {more})", f"[v for v in {out}] + [{more}]"), False)


@feature("zip of releases and what is written", "context")
def _zipped(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    out, y = w.fresh("out"), held(w, inner(w, rows))
    w.line(f"{out} = []")
    w.line(f"for a, b in zip([{y}, 2], ({w.pick(1, 2)}, 3{w.pick('', ', 4')})):")
    with w.block():
        put(w, out, Value("(b, a)", False))
        if w.chance(0.4):
            w.line(f"{out}.append(dp.laplace(b * {w.number(rows)}, scale=4))")
    return Value(out, False)
