"""Features of loops over rows: entries that rows choose, rows side by side, ends, helpers."""

from __future__ import annotations

import re

from attack.contexts import put
from attack.data import row_number, row_test
from attack.writing import Inner, Rows, Value, Writer, feature

_PLACES = {
    "float": "int(min(max(r, 0), 2))", "int": "min(max(r, 0), 2)", "pair": "min(max(r[0], 0), 2)",
    "person": "min(max(r.age, 0), 2)", "fields": "min(max(r['age'], 0), 2)",
    "review": "min(max(r.words, 0), 2)", "dated": "min(r.day.weekday(), 2)",
}  # fmt: skip
#: A number of a row, to which a helper is given the row.
_WHOLE = {"int": "r", "pair": "r[0]", "person": "r.age", "fields": "r['age']",
          "review": "r.words", "dated": "r.day.weekday()"}  # fmt: skip


def _clamped(rows: Rows) -> str:
    return f"min(max({row_number(rows)}, 0), 2)"


@feature("entries that rows choose", "number")
def _placed(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "records" or rows.cell not in _PLACES:
        return None
    counts, place = w.fresh("counts"), _PLACES[rows.cell]
    start = w.pick("[0, 0, 0]", "[0.0] * 3", "{0: 0, 1: 0, 2: 0}", "np.zeros(3)")
    array, dictionary = start[:2] == "np", start[0] == "{"
    other = counts if array else w.fresh("same")
    w.line(f"{counts} = {start}")
    if not array:
        w.line(f"{other} = {counts}")
    w.line(f"for r in {rows.text}:")
    with w.block():
        if w.chance(0.3):
            w.line(f"if {row_test(w, rows)}:")
            w.line("    continue")
        if dictionary:
            w.line(f"if {place} not in {counts}:")
            w.line("    continue")
        added = w.pick("1", _clamped(rows), "1 if " + row_test(w, rows) + " else 0")
        if not array and w.chance(0.3):
            name = w.fresh("more")
            w.above.append(f"def {name}(entries, value):\n    entries[1] += value\n    return 1")
            added = f"{name}({w.pick(counts, other)}, {added})"
        w.line(f"{w.pick(counts, other)}[{place}] {w.pick('+=', '+=', '-=')} {added}")
        if w.chance(0.3):
            w.line(f"{counts}[{w.pick('0', '1', place)}] += 1")
    return w.pick(f"{other}[1]", f"{counts}[0] + {counts}[1]", f"{other}[2] - {counts}[0]")


@feature("counter", "number")
def _counter(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "records" or rows.cell not in ("int", "str", "float"):
        return None
    counts, key = w.fresh("counter"), "'a'" if rows.cell == "str" else "1"
    w.line(f"{counts} = Counter({w.pick(rows.text, f'[r for r in {rows.text}]')})")
    return w.pick(f"{counts}[{key}]", f"{counts}.get({key}, 0)", f"{counts}.total()",
                  f"{counts}[{key}] + {counts}[{key}]")  # fmt: skip


@feature("different rows", "number")
def _different(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "records" or rows.cell not in ("int", "str", "float"):
        return None
    return w.pick(f"len(set({rows.text}))", f"len({{r for r in {rows.text}}})",
                  f"len({{r for r in {rows.text} if {row_test(w, rows)}}})")  # fmt: skip


@feature("rows side by side", "number")
def _side_by_side(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "records" or rows.cell == "str":
        return None
    a, b = w.fresh("a"), w.fresh("b")
    test = f" if {row_test(w, rows)}" if w.chance(0.3) else ""
    w.line(f"{a} = [{row_number(rows)} for r in {rows.text}]")
    w.line(f"{b} = [{w.pick(_clamped(rows), '1', row_number(rows))} for r in {rows.text}{test}]")
    value = w.pick("dp.clamp(p * q, -1, 2)", "dp.clamp(p, 0, 1) + dp.clamp(q, 0, 1)")
    return f"dp.sum([{value} for p, q in zip({a}, {b})])"


@feature("edges of a histogram", "number")
def _edges(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "records" or rows.cell not in ("int", "float"):
        return None
    counts, edges = w.fresh("counts"), w.fresh("edges")
    bins = w.pick("bins=3, range=(0, 3)", "bins=[0, 1, 2, 3]", "bins=3, range=(-1, 0.5)")
    w.line(f"{counts}, {edges} = np.histogram({rows.text}, {bins})")
    return w.pick(f"{counts}[1]", f"{counts}[0] + {counts}[2]")


@feature("a round that ends early", "number")
def _ends(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "records" or rows.cell not in _WHOLE:
        return None
    total, name, whole = w.fresh("sum"), w.fresh("steps"), _WHOLE[rows.cell]
    ends = w.pick("break", "return i", "return k - i if k < 4 else 1")
    after = w.pick("found += 1", "found = found + i", "k = k - 1")
    tail = w.pick("found", "0", "min(max(k, 0), 3)")
    w.above.append(
        f"def {name}(k):\n    found = 0\n    for i in range(3):\n        if k {w.pick('<', '>')} i:"
        f"\n            {ends}\n        {after}\n    return {tail}"
    )
    w.line(f"{total} = 0")
    w.line(f"for r in {rows.text}:")
    with w.block():
        w.line(f"{total} += min(max({name}({whole}), -3), 3)")
    return total


@feature("cases of a match", "number")
def _match(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "records" or rows.cell not in _WHOLE:
        return None
    total, whole = w.fresh("sum"), _WHOLE[rows.cell]
    w.line(f"{total} = 0")
    w.line(f"for r in {rows.text}:")
    with w.block():
        w.line(f"match {w.pick(whole, f'({whole}, 1)')}:")
        pair = w.lines[-1].endswith("1):")
        w.line(f"    case {'(0 | 1, 1)' if pair else '0 | 1'}:")
        w.line(f"        {total} += {w.pick(1, 2)}")
        w.line(f"    case {'(k, j)' if pair else 'k'} if k > 2:")
        w.line(f"        {total} -= 1")
        if w.chance(0.5):
            w.line("    case _:")
            w.line(f"        {total} += min(max({whole}, 0), 2)")
    return total


@feature("generator of rows", "number")
def _generator(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "records" or rows.cell == "str":
        return None
    name = w.fresh("each")
    w.above.append(f"def {name}(given):\n    for r in given:\n        yield {_clamped(rows)}")
    return f"dp.sum([dp.clamp(v, 0, 2) for v in {name}({rows.text})])"


@feature("appended under a condition", "change")
def _appended(w: Writer, rows: Rows) -> Rows | None:
    if rows.kind != "records":
        return None
    name, r = w.fresh("kept"), w.fresh("r")
    test = re.sub(r"\br\b", r, row_test(w, rows))
    w.line(f"{name} = []")
    w.line(f"for {r} in {rows.text}:")
    with w.block():
        if w.chance(0.5):
            w.line(f"if {test}:")
            w.line(f"    {name}.append({r})")
        else:
            w.line(f"if not {test}:")
            w.line("    continue")
            w.line(f"{name}.append({r})")
    return rows._replace(text=name, replaced=False, ordered=False)


@feature("parts by a helper", "context")
def _by_helper(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    """Parts by what two calls of a helper give, which are alike, or only look so."""
    if rows.kind != "records" or rows.cell not in _WHOLE:
        return None
    whole, name = _WHOLE[rows.cell], w.fresh("level")
    listed, told = w.chance(0.4), w.chance(0.4)
    lines = ["k = given[0]", "given[0] = 0"] if listed else ["k = given"]
    if told:
        lines += [w.pick("if more is True:", "if str(more) == 'True':"), "    k = k + 1"]
    lines += ["found = 0", "for i in range(2):", "    found = found + abs(k - i) * abs(k)",
              "return found"]  # fmt: skip
    w.above.append(f"def {name}(given, more):\n" + "\n".join(f"    {line}" for line in lines))
    w.above.append(f"def {name}_of(k, more):\n    held = [k]\n    return {name}(held, more)")
    call = f"{name}_of" if listed else name
    one, two = (w.pick(0, 1, 2, 6) for _ in range(2))
    first, second = w.pick(("1", "True"), ("1", "1"), ("1", "1.0"))
    shift = w.pick("", "", " + 1")
    a, b, out = w.fresh("a"), w.fresh("b"), w.fresh("out")
    w.line(f"{a} = [r for r in {rows.text} if {call}({whole}, {first}) == {one}]")
    w.line(f"{b} = [r for r in {rows.text} if {call}({whole}{shift}, {second}) == {two}]")
    w.line(f"{out} = []")
    for part in (a, b):
        put(w, out, inner(w, rows._replace(text=part, replaced=False, ordered=False)))
    return Value(out, False)


@feature("parts by a release", "context")
def _by_release(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    if rows.kind != "records" or rows.cell == "str":
        return None
    first = inner(w, rows)
    if not first.number:
        return None
    t, u, out, a, b = (w.fresh(stem) for stem in ("t", "u", "out", "a", "b"))
    w.line(f"{t} = {first.text}")
    w.line(f"{u} = {w.pick(t, t, f'{t} - 1', f'{t} / 2')}")
    w.line(f"{out} = []")
    looped = w.chance(0.4)
    if looped:
        w.line(f"for {w.fresh('i')} in range(2):")
        w.indent += "    "
    value = row_number(rows)
    w.line(f"{a} = [r for r in {rows.text} if {value} {w.pick('<', '<=')} {t}]")
    put(w, out, inner(w, rows._replace(text=a, replaced=False, ordered=False)))
    if w.chance(0.4):
        w.line(w.pick(f"{t} = {t} - 1", f"{u} = {t} - 1", f"{t} = {u}"))
    w.line(f"{b} = [r for r in {rows.text} if {value} {w.pick('>=', '>')} {w.pick(t, u)}]")
    put(w, out, inner(w, rows._replace(text=b, replaced=False, ordered=False)))
    if looped:
        w.indent = w.indent[:-4]
    return Value(out, False)


@feature("filled round by round", "context")
def _filled(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    out, xs, i = w.fresh("out"), w.fresh("xs"), w.fresh("i")
    w.line(f"{out}, {xs} = [], [0, 1]")
    w.line(f"for {i} in range({w.pick(1, 2, 3)}):")
    with w.block():
        value = inner(w, rows)
        w.line(f"{xs} = [x + 1 for x in {xs}]")
        put(w, out, value)
        if w.chance(0.4):
            w.line(f"if {i} == 1:")
            w.line(f"    {w.pick('break', 'continue')}")
    return Value(w.pick(out, f"({out}, {xs})"), False)
