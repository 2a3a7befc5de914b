"""Features of places that rows choose: arrays with two axes, public dictionaries, what goes on."""

from __future__ import annotations

from attack.data import row_number, row_test
from attack.filters import some_test
from attack.writing import Rows, Value, Writer, feature

#: A whole number of a row, and another one.
_WHOLE = {
    "int": ("r", "r % 2"), "float": ("int(r)", "int(r > 1)"), "pair": ("r[0]", "int(r[1] > 1)"),
    "person": ("r.age", "int(r.paid > 1)"), "fields": ("r['age']", "int(r['paid'] > 1)"),
    "review": ("r.words", "int(r.stars == 1)"), "dated": ("r.day.weekday()", "r.day.month - 1"),
}  # fmt: skip
#: What a public dictionary is asked for.
_KEYS = {
    "int": "r", "pair": "r[0]", "person": "r.age", "fields": "r['age']", "review": "r.words",
    "dated": "r.day.weekday()",
}  # fmt: skip


def _goes_on(w: Writer, rows: Rows, total: str) -> None:
    """Tests after which a round goes on, which may have counted something before."""
    for _ in range(w.pick(0, 1, 1, 2)):
        w.line(f"if {some_test(w, rows)}:")
        with w.block():
            if w.chance(0.3):
                w.line(f"{total} {w.pick('+=', '-=')} 1")
            if w.chance(0.3):
                w.line(f"if {row_test(w, rows)}:")
                w.line("    continue")
                w.line(f"{total} += 1")
                if w.chance(0.5):
                    continue
            w.line("continue")


@feature("rounds that go on", "number")
def _rounds(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "records" or rows.cell in ("str", "maybe"):
        return None
    total = w.fresh("sum")
    w.line(f"{total} = 0")
    w.line(f"for r in {rows.text}:")
    with w.block():
        _goes_on(w, rows, total)
        added = w.pick("1", f"min(max({row_number(rows)}, -1), 1)")
        w.line(f"{total} {w.pick('+=', '-=')} {added}")
    return total


@feature("two axes", "noise")
def _two_axes(w: Writer, rows: Rows) -> Value | None:
    if rows.kind != "records" or rows.cell not in _WHOLE:
        return None
    table, (first, second) = w.fresh("table"), _WHOLE[rows.cell]
    last, final = w.pick((1, 2), (2, 1), (1, 1))
    w.line(f"{table} = np.zeros(({last + 1}, {final + 1}))")
    for _ in range(w.pick(1, 1, 1, 2)):
        w.line(f"for r in {rows.text}:")
        with w.block():
            _goes_on(w, rows, f"{table}[0, {final}]")
            i = w.pick(f"min(max({first}, 0), {last})", f"min(max({second}, 0), 1)", "0")
            j = w.pick(f"min(max({second}, 0), 1)", f"min(max({first}, 0), {final})")
            added = w.pick("1", "1", f"min(max({row_number(rows)}, -1), 1)")
            w.line(f"{table}[{i}, {j}] {w.pick('+=', '+=', '-=')} {added}")
    return Value(f"dp.{w.pick('laplace', 'gaussian')}({table}, scale=2)", False)


@feature("entry of a public dictionary", "number")
def _entry(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "records" or rows.cell not in _KEYS:
        return None
    entries, key, default = w.fresh("entries"), _KEYS[rows.cell], w.pick(0, 0, 1, -1)
    w.line(f"{entries} = {{0: {w.pick(1, -1)}, 1: {w.pick(1, 2)}, 2: {w.pick(0, 2)}}}")
    asked = f"{entries}.get({key}, {default})"
    if w.chance(0.4):  # the same question before and after an entry changes
        before = w.fresh("before")
        w.line(f"{before} = sum(1 for r in {rows.text} if {asked} == 1)")
        w.line(f"{entries}[{w.pick(0, 1, 3)}] = {w.pick(1, 2)}")
        return f"({before} {w.pick('+', '-')} sum(1 for r in {rows.text} if {asked} == 2))"
    return w.pick(f"sum({asked} for r in {rows.text})",
                  f"sum({asked} for r in {rows.text} if {row_test(w, rows)})",
                  f"sum(1 for r in {rows.text} if {asked} == {w.pick(1, 2)})")  # fmt: skip
