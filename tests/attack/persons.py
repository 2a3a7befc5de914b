"""Features of tables with ids: rows of persons that are limited, added up, counted, and parted."""

from __future__ import annotations

from attack.contexts import put
from attack.data import row_number, row_test
from attack.writing import Inner, Rows, Value, Writer, feature


def _table(w: Writer) -> tuple[Rows, str]:
    """A table in which persons have any number of rows, and its column of ids."""
    change = w.pick("", ", ChangeOne")
    if w.chance(0.5):
        name = w.parameter("trips", f"Records[tuple[int, float], Ids('0'{change})]")
        return Rows(name, "persons", "pair"), "0"
    if not any("class Owner" in text for text in w.above):
        w.above.append("@dataclass\nclass Owner:\n    age: int\n    paid: float")
    name = w.parameter("trips", f"Records[Owner, Ids('age'{change})]")
    return Rows(name, "persons", "person"), "age"


def _some(w: Writer, rows: Rows, column: str) -> str:
    """All rows, or those that a filter leaves, perhaps of those persons who have so many."""
    test = row_test(w, rows)
    some = f"[r for r in {rows.text} if {test}]" if w.chance(0.5) else rows.text
    if not w.chance(0.2):
        return some
    return f"dp.keep_ids({some}, '{column}', {w.pick(1, 2, 3)}{w.pick('', ', 3')})"


def _kept(w: Writer, rows: Rows, column: str) -> Rows:
    kept = w.fresh("kept")
    w.line(f"{kept} = dp.limit_rows({_some(w, rows, column)}, '{column}', {w.pick(1, 2, 2, 3)})")
    return Rows(kept, "records", rows.cell)


@feature("records of persons, limited", "source")
def _limited(w: Writer) -> Rows:
    return _kept(w, *_table(w))


@feature("records of numbers of persons", "source")
def _numbers(w: Writer) -> Rows:
    rows, column = _table(w)
    test = f"2 if {row_test(w, rows)} else 0"
    value, cell = w.pick((row_number(rows), "float"), ("1", "int"), (test, "int"))
    each = w.fresh("each")
    w.line(f"{each} = dp.sum_per_id({_some(w, rows, column)}, '{column}', lambda r: {value})")
    return Rows(each, "records", cell)


@feature("several tables of the same persons", "context")
def _several(w: Writer, rows: Rows, inner: Inner) -> Value:
    """Tables that are made one after the other, or in rounds: each has rows of its own."""
    table, column = _table(w)
    out = w.fresh("out")
    w.line(f"{out} = []")
    looped = w.chance(0.5)
    if looped:
        w.line(f"for {w.fresh('i')} in range({w.given('n', 'int', 2)}):")
        w.indent += "    "
    for _ in range(w.pick(1, 2)):
        put(w, out, inner(w, _kept(w, table, column)))
    if w.chance(0.3):
        noise = w.pick("dp.laplace", "dp.gaussian")
        w.line(
            f"{out}.append({noise}(dp.count_ids({_some(w, table, column)}, '{column}'), scale=2))"
        )
    if looped:
        w.indent = w.indent[:-4]
    return Value(out, False)


@feature("groups of persons in rounds", "context")
def _in_rounds(w: Writer, rows: Rows, inner: Inner) -> Value:
    """Rows with the key of a round, of a table that the round makes or of one that all share."""
    table, column = _table(w)
    out, i, value = w.fresh("out"), w.fresh("i"), row_number(table)
    key = w.pick(f"int({value})", f"int({value} > 1)", f"min(max(int({value}), 0), 1)")
    w.line(f"{out} = []")
    some = w.pick(table.text, f"[r for r in {table.text} if {key} == {i}]")
    fresh, most = w.chance(0.6), w.pick(1, 2)
    if not fresh:
        kept = _kept(w, table, column)
    rounds = "3"  # what is written is read round by round
    if w.chance(0.8):
        rounds = w.fresh("n")
        w.parameters.append((rounds, "int"))
        w.public[rounds] = 3
    w.line(f"for {i} in range({rounds}):")
    with w.block():
        if fresh:
            kept = Rows(w.fresh("kept"), "records", table.cell)
            w.line(f"{kept.text} = dp.limit_rows({some}, '{column}', {most})")
        group = w.fresh("group")
        w.line(f"{group} = [r for r in {kept.text} if {key} == {i}]")
        if w.chance(0.4):
            test = w.pick(f"len({group}) > 0", f"sum(1 for r in {group}) >= 1")
            w.line(f"{out}.append(dp.randomized_response({test}, epsilon={w.pick(0.5, 1)}))")
        else:
            put(w, out, inner(w, kept._replace(text=group)))
    return Value(out, False)
