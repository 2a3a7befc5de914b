"""Features of vectors to which one row adds several times, and of entries that are noised in turn.

Ballots, signed points, entries of histograms, parts at positions, joined rows: with rows that come
and go, that are replaced, and of persons.
"""

from __future__ import annotations

from attack.contexts import _PARTS
from attack.data import row_number, row_test
from attack.places import _WHOLE
from attack.writing import Rows, Value, Writer, feature

_NOISES = ("laplace", "laplace", "gaussian", "gaussian", "discrete_laplace")


@feature("records of tuples, one replaced", "source")
def _replaced(w: Writer) -> Rows:
    metric = w.pick("ChangeOne", "ChangeOne", "Hamming")
    name = w.parameter("rows", f"Records[tuple[int, float], {metric}]")
    return Rows(name, "records", "pair", True, metric == "Hamming")


def _places(w: Writer, rows: Rows) -> tuple[str, str, str] | None:
    """Two whole numbers of a row, and a third."""
    if rows.kind != "records" or rows.cell not in _WHOLE:
        return None
    first, second = _WHOLE[rows.cell]
    if rows.cell in ("pair", "person", "fields"):
        paid = {"pair": "r[1]", "person": "r.paid", "fields": "r['paid']"}[rows.cell]
        second = w.pick(second, f"int(min(max({paid}, 0), 3))")
    return first, second, w.pick(first, second, f"{first} + {second}")


def _noise(w: Writer) -> tuple[str, str]:
    name = w.pick(*_NOISES)
    return f"dp.{name}", f"scale={w.pick(1, 2)}"


def _of_entries(w: Writer, counts: str, keys: str, values: str) -> Value:
    """Noise on the entries: at once, one by one, or on numbers that are made of them.

    Args:
        keys: their keys as an expression; `values`: the expression of all of them.
    """
    noise, scale = _noise(w)
    k = w.fresh("k")
    other = w.pick(scale, scale, f"scale=1 + {k} % 2")
    return Value(w.pick(
        f"{noise}({values}, {scale})",
        f"[{noise}({counts}[{k}], {other}) for {k} in {keys}]",
        f"[{noise}(v, {scale}) for v in {values}]",
        f"({noise}({counts}[0], {scale}), {noise}({counts}[1], {scale}))",
        f"({noise}({counts}[0] - {counts}[1], {scale}), "
        f"{noise}({counts}[0] + {counts}[2], {scale}))",
        f"({noise}({counts}[1], {scale}), {noise}([{counts}[0], {counts}[2]], {scale}))",
        f"{{{k}: {noise}({w.pick(1, -1, 2)} * {counts}[{k}], {scale}) for {k} in {keys}}}",
    ), False)  # fmt: skip


@feature("ballots", "noise")
def _ballots(w: Writer, rows: Rows) -> Value | None:
    """Places that a row gives points to, of one sign or of both."""
    found = _places(w, rows)
    if found is None:
        return None
    counts, many = w.fresh("points"), w.pick(3, 3, 4)
    listed = w.chance(0.4)
    start = f"[0] * {many}" if listed else f"{{k: 0 for k in range({many})}}"
    w.line(f"{counts} = {start}")
    w.line(f"for r in {rows.text}:")
    with w.block():
        for place in w.rng.sample(found, w.pick(1, 1, 2, 3)):
            given = w.pick("+= 3", "+= 2", "-= 1", "-= 2", "+= 1")
            kind = w.rng.random()
            if kind < 0.4:
                w.line(f"{counts}[min(max({place}, 0), {many - 1})] {given}")
            elif kind < 0.7:
                inside = f"0 <= {place} < {many}" if listed else f"{place} in {counts}"
                w.line(f"if {inside}:")
                w.line(f"    {counts}[{place}] {given}")
            else:
                entry = w.pick(0, 1, 2)
                w.line(f"if {place} == {w.pick(0, 1, 2, 3)}:")
                w.line(f"    {counts}[{entry}] {given}")
                if w.chance(0.6):
                    w.line(f"elif {place} == {w.pick(0, 1, 2, 3)}:")
                    w.line(
                        f"    {counts}[{w.pick(entry, 0, 1, 2)}] {w.pick('-= 3', '+= 2', '-= 1')}"
                    )
    values = f"list({counts}.values())" if not listed else counts
    return _of_entries(w, counts, f"range({many})", values)


def _points(w: Writer, places: tuple[str, str, str], k: str) -> str:
    """What a row is worth for a key: whole numbers that branches choose."""
    a, b = w.rng.sample(places, 2)
    one, two = w.pick(1, 2, 3), w.pick(1, 2, -1, -2, -3)
    ka, kb = w.pick(k, k, f"{k} + 1"), w.pick(k, k, f"{k} + 1", f"{k} + 2")
    return str(w.pick(
        f"sum(({one} if {a} == {ka} else {two} if {b} == {kb} else 0) for r in ROWS)",
        f"sum(({one} if {a} == {ka} else {two} if {a} == {kb} else 0) for r in ROWS)",
        f"sum(1 for r in ROWS if {a} == {ka} or {b} == {kb})",
        f"sum({one} for r in ROWS if {a} == {ka}) + {two} * sum(1 for r in ROWS if {b} == {kb})",
        f"sum({one} for r in ROWS if {ka} <= {a} < {k} + 2) - sum(1 for r in ROWS if {b} == {kb})",
        f"sum(1 for r in ROWS if {a} == {ka}) - sum(1 for r in ROWS if {a} == {kb})",
    ))  # fmt: skip


@feature("points by keys", "noise")
def _by_keys(w: Writer, rows: Rows) -> Value | None:
    found = _places(w, rows)
    if found is None:
        return None
    k = w.fresh("k")
    text = _points(w, found, k).replace("ROWS", rows.text)
    noise, scale = _noise(w)
    if w.chance(0.3):
        counts = w.fresh("worth")
        w.line(f"{counts} = [{text} for {k} in range(3)]")
        return _of_entries(w, counts, "range(3)", counts)
    out, keys = w.fresh("out"), "range(3)"
    kind = w.rng.random()
    if kind < 0.3:
        keys = w.fresh("n")
        w.parameters.append((keys, "int"))
        w.public[keys] = 3
        keys = f"range({keys})"
    elif kind < 0.6:
        keys = w.fresh("keys")
        w.parameters.append((keys, "list[int]"))
        w.public[keys] = [0, 1, 2]
    if w.chance(0.4):
        return Value(f"[{noise}({text}, {scale}) for {k} in {keys}]", False)
    w.line(f"{out} = []")
    w.line(f"for {k} in {keys}:")
    with w.block():
        w.line(f"{out}.append({noise}({text}, {scale}))")
        if w.chance(0.3):
            more = _points(w, found, k).replace("ROWS", rows.text)
            w.line(f"{out}.append({noise}({more}, {scale}))")
    return Value(out, False)


@feature("entries of a histogram", "noise")
def _histogram(w: Writer, rows: Rows) -> Value | None:
    """Entries at written positions, of edges that are written, given or released."""
    if rows.kind != "records" or rows.cell not in ("int", "float", "pair", "person"):
        return None
    value = {"pair": "r[1]", "person": "r.paid"}.get(rows.cell, "r")
    given = rows.text if value == "r" else f"[{value} for r in {rows.text}]"
    counts, noise, scale = w.fresh("bins"), *_noise(w)
    kind = w.rng.random()
    bins = w.pick("bins=3, range=(0, 3)", "bins=[0, 1, 2, 3]", "bins=[-1, 0.5, 1.5, 3]")
    if kind < 0.25:
        top = w.given("top", "float", w.pick(1.5, 3.0))
        bins = f"bins=3, range=(0, {top})"
    elif kind < 0.5:
        t = w.fresh("t")
        w.line(f"{t} = min(max({noise}(dp.count({rows.text}), {scale}), 1), 2)")
        w.owed.append(t)
        bins = w.pick(
            f"bins=[0, {t}, 3, 4]", f"bins=3, range=(0, {t})", f"bins=[-1, 0, {t}, {t} + 1]"
        )
    if w.chance(0.6):
        edges = w.pick("edges=[0, 1, 2, 3]", "edges=[-1, 0.5, 1.5, 3]")
        if rows.cell == "int":
            edges = w.pick(edges, "categories=(0, 1, 2)", "categories=(2, 1, 1)")
        w.line(f"{counts} = dp.histogram({given}, {edges})")
    else:
        w.line(f"{counts}, _ = np.histogram({given}, {bins})")
    i, j = w.pick(0, 1, 2), w.pick(0, 1, 2, -1, -2, -3)
    if w.chance(0.4):
        keys = w.pick(
            "range(3)", "(0, 1, 2)", "(2, 0)", "(0, -3)", "(2, -1)", "(0, 1, 1)", "(-1, -3)"
        )
        k = w.fresh("k")
        return Value(f"[{noise}({counts}[{k}], {scale}) for {k} in {keys}]", False)
    first = w.pick(f"{counts}[{i}]", f"2 * {counts}[{i}]", f"{counts}[{i}] + {counts}[{j}]")
    second = w.pick(f"{counts}[{j}]", f"{counts}[{j}]", f"sum({counts})", f"{counts}[{i}]")
    other = w.pick(noise, noise, "dp.gaussian")
    return Value(f"({noise}({first}, {scale}), {other}({second}, {scale}))", False)


@feature("parts at positions", "noise")
def _at_positions(w: Writer, rows: Rows) -> Value | None:
    if rows.kind != "records":
        return None
    key, keys = _PARTS[rows.cell]
    parts, noise, scale = w.fresh("parts"), *_noise(w)
    w.line(f"{parts} = dp.partition({rows.text}, key={key}, keys={keys})")
    i, j = w.pick(0, 1), w.pick(0, 1, 1, -1, -2)
    second = f"{parts}[{j}]"
    if w.chance(0.3):
        second = w.fresh("other")
        other = keys if w.chance(0.5) else f"({', '.join(reversed(keys[1:-1].split(', ')))})"
        w.line(f"{second} = dp.partition({rows.text}, key={key}, keys={other})")
        second = f"{second}[{j}]"
    if w.chance(0.3):
        k = w.fresh("k")
        keys = w.pick("(0, 1)", "(0, 0)", "(1, -1)")
        return Value(f"[{noise}(dp.count({parts}[{k}]), {scale}) for {k} in {keys}]", False)
    return Value(
        f"({noise}(dp.count({parts}[{i}]), {scale}), {noise}(dp.count({second}), {scale}))", False
    )


@feature("joined to public rows", "change")
def _joined(w: Writer, rows: Rows) -> Rows | None:
    column = {"pair": "'0'", "person": "'age'"}.get(rows.cell)
    if rows.kind != "records" or column is None:
        return None
    name = w.fresh("joined")
    table = w.pick("((0, 1), (1, 2), (1, 3), (2, 0))", "((0, 1), (1, 2), (2, 2))",
                   "((0, 1), (0, 2), (0, 3), (1, 1))")  # fmt: skip
    w.line(f"{name} = dp.join_public({rows.text}, {column}, {table}, ('area',))")
    if rows.cell == "pair":
        name, joined = w.fresh("made"), name
        w.line(f"{name} = [({w.pick('r[2]', 'r[0]')}, r[1]) for r in {joined}]")
        return rows._replace(text=name, replaced=False, ordered=False)
    return rows._replace(text=name, replaced=False, ordered=False)


@feature("best few", "noise")
def _best(w: Writer, rows: Rows) -> Value | None:
    """The best keys of counts, among all or a part."""
    found = _places(w, rows)
    if found is None:
        return None
    a, b, _ = found
    test = w.pick(f"{a} == k", f"{a} == k or {b} == k", f"{a} >= k")
    counts = w.fresh("counts")
    w.line(f"{counts} = [sum(1 for r in {rows.text} if {test}) for k in range(3)]")
    return Value(f"dp.top_k({counts}, {w.pick(1, 2, 3)}, {w.pick('epsilon=1', 'scale=2')})", False)


@feature("a sample beside its rows", "noise")
def _beside(w: Writer, rows: Rows) -> Value | None:
    """One noise over rows and a secret sample of them, or of a sample of them."""
    if rows.kind != "records" or rows.cell == "str":
        return None
    some, noise, scale = w.fresh("some"), *_noise(w)
    size = w.pick("q=0.5", "q=0.25", "q=0.9")
    drawn = f"dp.sample({rows.text}, {size})"
    if rows.replaced and w.chance(0.5):
        drawn = w.pick(f"dp.sample(1, {rows.text})", f"dp.sample(2, {rows.text}, replace=True)")
    w.line(f"{some} = {drawn}")
    other = rows.text
    if w.chance(0.3):
        other = w.fresh("fewer")
        w.line(f"{other} = dp.sample({w.pick(some, rows.text)}, q=0.5)")
    added = f"min(max({row_number(rows)}, {w.pick(0, -1)}), {w.pick(1, 2)})"
    test = row_test(w, rows)
    one = w.pick(f"dp.count({some})", f"sum({added} for r in {some})",
                 f"sum(1 for r in {some} if {test})")  # fmt: skip
    two = w.pick(f"dp.count({other})", f"sum({added} for r in {other})",
                 f"sum(1 for r in {other} if {test})")  # fmt: skip
    sign = w.pick("+", "-", "+ 2 *", "- 2 *")
    return Value(w.pick(
        f"{noise}({one} {sign} {two}, {scale})", f"{noise}(({one}, {two}), {scale})",
        f"({noise}({one}, {scale}), {noise}({two}, {scale}))",
        f"({noise}({one} {sign} {two}, {scale}), {noise}({two}, {scale}))",
    ), False)  # fmt: skip
