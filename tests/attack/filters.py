"""Features of filters: overlapping regions, keys of rounds, positions, bounds by tests."""

from __future__ import annotations

from attack.contexts import put
from attack.data import row_number
from attack.writing import Inner, Rows, Value, Writer, feature

_NUMBERS = (
    "{} < 1", "{} >= 1", "{} == 1", "{} != 1", "1 <= {} < 2", "{} > 2", "not {} < 2",
    "{} in (1, 2)", "{} == 1 or {} == 3", "{} <= 1", "not ({} != 2)", "1.0 == {}", "{} == True",
)  # fmt: skip
_MAYBE = (
    "{} is None", "{} == None", "{} is not None", "{} == 1", "{} != 1", "{} == 2",
    "{} in (1, None)", "{} not in (1, 2)", "{} not in (2, None)", "not ({} == 1 or {} is None)",
    "1 != {}", "({} is None) == ({} == 3)", "{} == True",
)  # fmt: skip
_BOTH = ("r.stars == r.before", "r.stars != r.before", "r.words == r.stars", "r.stars != r.words")
_TOWNS = ("r.town == 'a'", "r.town != 'a'", "r.town is None", "r.town in ('b', None)")
_SEEN = (
    "r.seen is True", "r.seen is False", "r.seen is None", "r.seen is not True", "r.seen != False",
    "r.seen == 1", "r.seen",
)  # fmt: skip
_DAYS = (
    "{} < MONDAY", "{} >= MONDAY", "{} == MONDAY", "{} != MONDAY", "{} == date(2024, 1, 2)",
    "MONDAY <= {} < MONDAY + timedelta(days=1)", "{}.weekday() == 0", "{}.weekday() == 1",
    "{}.month == 1", "{} in (MONDAY, date(2023, 12, 31))", "({} - MONDAY).days == 1",
)  # fmt: skip
_TIMES = (
    "r.begin.date() == r.day", "r.begin < datetime(2024, 1, 1, 12)", "r.begin.hour == 12",
    "r.begin.hour < 12", "r.begin.date() == MONDAY", "r.begin >= datetime(2024, 1, 1, 12)",
)  # fmt: skip


def _of(key: str, texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text.replace("{}", key) for text in texts)


TESTS = {
    "float": _of("r", _NUMBERS), "int": (*_of("r", _NUMBERS), *_of("r % 2", _NUMBERS[:4])),
    "str": ("r == 'a'", "r == 'b'", "r != 'a'", "r in ('a', 'b')", "r == 'a '", "not r == 'b'"),
    "pair": (*_of("r[0]", _NUMBERS), *_of("r[1]", _NUMBERS)),
    "person": (*_of("r.age", _NUMBERS), *_of("r.paid", _NUMBERS)),
    "fields": (*_of("r['age']", _NUMBERS), *_of("r['paid']", _NUMBERS)),
    "review": (*_of("r.stars", _MAYBE), *_of("r.before", _MAYBE[:5]), *_BOTH, *_TOWNS, *_SEEN),
    "maybe": _of("r", _MAYBE),
    "dated": (*_of("r.day", _DAYS), *_TIMES),
}  # fmt: skip
#: A whole number of a row, or what may be missing.
_KEYS = {
    "int": "r", "float": "r", "pair": "r[0]", "person": "r.age", "fields": "r['age']",
    "review": "r.stars", "maybe": "r", "dated": "r.day.weekday()",
}  # fmt: skip


def some_test(w: Writer, rows: Rows) -> str:
    """One test of a row, or two."""
    one = w.pick(*TESTS[rows.cell])
    if w.chance(0.75):
        return str(one)
    return f"({one}) {w.pick('and', 'or')} ({w.pick(*TESTS[rows.cell])})"


def _counted(w: Writer, rows: Rows, test: str) -> str:
    """A count or a sum of the rows for which a test holds."""
    if w.chance(0.3) and rows.cell not in ("str", "maybe"):
        low, high = w.pick((0, 2), (-1, 1), (0, 1))
        added = f"min(max({row_number(rows)}, {low}), {high})"
    else:
        added = w.pick("1", "1", "2")
    if w.chance(0.15):
        return f"sum([{added} if {test} else {w.pick(0, 0, 1)} for r in {rows.text}])"
    return f"sum({added} for r in {rows.text} if {test})"


@feature("sums over overlapping filters", "number")
def _overlapping(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "records":
        return None
    found = [_counted(w, rows, some_test(w, rows)) for _ in range(w.pick(2, 3, 4))]
    return "(" + w.pick(" + ", " - ").join(found) + ")"


@feature("overlapping parts", "context")
def _parts(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    if rows.kind != "records":
        return None
    out = w.fresh("out")
    w.line(f"{out} = []")
    for _ in range(w.pick(2, 2, 3)):
        part = w.fresh("part")
        w.line(f"{part} = [r for r in {rows.text} if {some_test(w, rows)}]")
        put(w, out, inner(w, rows._replace(text=part, replaced=False, ordered=False)))
    return Value(out, False)


@feature("counts by keys of rounds", "noise")
def _rounds(w: Writer, rows: Rows) -> Value | None:
    """One vector, of which a row moves one entry where the rounds share no row."""
    if rows.kind != "records" or rows.cell not in _KEYS:
        return None
    key, other = _KEYS[rows.cell], w.pick(*TESTS[rows.cell])
    ordered = rows.cell not in ("review", "maybe")
    test = w.pick(
        f"{key} == k", f"{key} == k", f"k - 1 == {key}", f"{key} == 2 * k", f"{key} == 2 - k",
        f"{key} == 0 * k", f"{key} == k and ({other})", f"{key} == k or ({other})",
        f"{key} != k", f"not {key} != k", f"{key} in (k, k + 1)", f"{key} in (2 * k, 2 * k + 1)",
        *((f"k <= {key} < k + 1", f"k <= {key} < k + 2", f"k <= {key} <= k + 1", f"{key} >= k",
           f"1 - k >= {key} > -k", f"{key} % 2 == k", f"k / 2 <= {key} < k / 2 + 0.5",
           f"2 * k <= {key} + k < 2 * k + 1") if ordered else ()),
    )  # fmt: skip
    added = w.pick("1", "1", "1", "1", "k", f"min(max({row_number(rows)}, 0), 2)")
    if rows.cell == "str":
        added = "1"
    count = w.pick(
        f"sum({added} for r in {rows.text} if {test})",
        f"sum({added} for r in {rows.text} if {test})",
        f"dp.count(lambda r: {test}, {rows.text})",
        f"{w.pick(2, -1, 'k')} * sum({added} for r in {rows.text} if {test})",
        f"sum([{added} if {test} else 0 for r in {rows.text}])",
        f"min(sum({added} for r in {rows.text} if {test}), 2)",
    )
    if ordered and w.chance(0.15):  # a table that every round makes
        more = w.pick(f"{key} + k", f"{key} + 1", f"k - {key}")
        count = f"sum(1 for v in [{more} for r in {rows.text}] if v {w.pick('==', '==', '!=')} k)"
    # What is written is read round by round.
    rounds = w.pick("range(3)", "(0, 1, 2)", "range(0, 5, 2)")
    if w.chance(0.8):
        n = w.fresh("n")
        w.parameters.append((n, "int"))
        w.public[n] = 3
        rounds = w.pick(f"range({n})", f"range({n})", f"range(0, {n}, 2)", f"range(1, {n})")
    counts = f"[{count} for k in {rounds}]"
    if w.chance(0.3):
        name = w.fresh("counts")
        w.line(f"{name} = {counts}")
        counts = w.pick(name, f"sorted({name})", f"[v + v for v in {name}]", f"max({name})",
                        f"sum({name})", f"np.array({name})", f"({name}[0], {name}[1])")  # fmt: skip
    return Value(f"dp.{w.pick('laplace', 'laplace', 'gaussian')}({counts}, scale=2)", False)


@feature("choice among filters", "noise")
def _choice(w: Writer, rows: Rows) -> Value | None:
    if rows.kind != "records":
        return None
    scores = [_counted(w, rows, some_test(w, rows)) for _ in range(w.pick(2, 3))]
    if rows.cell in _KEYS and w.chance(0.4):
        test = f"{_KEYS[rows.cell]} {w.pick('==', '==', '!=')} c"
        return Value(
            f"dp.exponential_mechanism(candidates={w.pick('(0, 1)', '(1, 2)', 'range(3)')}, "
            f"score=lambda c: sum(1 for r in {rows.text} if {test}), epsilon=0.5)", False,
        )  # fmt: skip
    noise = w.pick("epsilon=0.5", "epsilon=1", "scale=2")
    return Value(f"dp.report_noisy_max([{', '.join(scores)}], {noise})", False)


@feature("bounds by min and max", "number")
def _bounds(w: Writer, rows: Rows) -> str | None:
    if rows.kind == "number" and rows.cell in ("real", "whole"):
        free = w.pick(f"{rows.text} * {rows.text}", f"1 / ({rows.text} - 1)", f"3 * {rows.text}")
    elif rows.kind == "records" and rows.cell not in ("str", "maybe"):
        free = f"sum([{row_number(rows)} for r in {rows.text}])"
    elif rows.kind == "vector" and rows.cell in ("real", "whole"):
        free = w.pick(f"sum([r * r for r in {rows.text}])", f"{rows.text}[0] * {rows.text}[1]")
    else:
        return None
    return str(w.pick(
        f"min(max({free}, -1), 2)", f"max(min(2, {free}), 0)", f"max(-1, min({free}, 1, 3))",
        f"min(max({free}, 0), {w.given('top', 'float', 2.0)})", f"dp.clamp({free}, -1, 1)",
    ))  # fmt: skip


@feature("a test that bounds a row", "number")
def _bounded(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "records" or rows.cell in ("str", "maybe"):
        return None
    value = row_number(rows)
    test = w.pick(f"0 <= {value} <= 2", f"not ({value} < 0 or {value} > 2)",
                  f"{value} >= -1 and {value} < 2", f"abs({value}) <= 2",
                  f"0 <= {value} <= 2 or {some_test(w, rows)}")  # fmt: skip
    return f"sum({value} for r in {rows.text} if {test})"


_SLICES = ("[:1]", "[1:]", "[:2]", "[2:]", "[-1:]", "[:-1]", "[::2]", "[1::2]", "[1:2]", "[-2:-1]")


@feature("part by position", "change")
def _part(w: Writer, rows: Rows) -> Rows | None:
    if rows.kind != "records" or not rows.ordered:
        return None
    name = w.fresh("part")
    w.line(f"{name} = {rows.text}{w.pick(*_SLICES)}")
    return rows._replace(text=name)


@feature("parts by position", "context")
def _by_position(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    if rows.kind != "records" or not rows.ordered:
        return None
    out = w.fresh("out")
    w.line(f"{out} = []")
    if w.chance(0.3):
        i, part = w.fresh("i"), w.fresh("part")
        w.line(f"for {i} in range(2):")
        with w.block():
            ends = w.pick("{i}:{i} + 1", "2 * {i}:2 * {i} + 2", "{i}:{i} + 2").format(i=i)
            w.line(f"{part} = {rows.text}[{ends}]")
            put(w, out, inner(w, rows._replace(text=part)))
        return Value(out, False)
    for cut in w.rng.sample(_SLICES, 2):
        part = w.fresh("part")
        w.line(f"{part} = {rows.text}{cut}")
        put(w, out, inner(w, rows._replace(text=part)))
    return Value(out, False)


@feature("rows joined by a key", "number")
def _joined(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "records" or rows.cell not in ("int", "pair", "str"):
        return None
    key = {"pair": "r[0]"}.get(rows.cell, "r")
    pairs, most = w.fresh("pairs"), w.pick(1, 2)
    other = rows.text
    if w.chance(0.5):
        other = w.parameter("others", {"int": "Records[int]", "str": "Records[str]"}.get(
            rows.cell, "Records[tuple[int, float]]"))  # fmt: skip
    w.line(
        f"{pairs} = dp.join({rows.text}, {other}, lambda r: {key}, lambda r: {key}, "
        f"multiplicity={most})"
    )
    return w.pick(f"dp.count({pairs})", f"sum(1 for r in {pairs} if r[0] != r[1])")


@feature("box of a row", "number")
def _box(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "records" or rows.cell == "dated":
        return None
    name = w.fresh("box")
    body = "len(repr(row)) % 4" if rows.cell != "str" else "len(row)"
    w.above.append(
        f"@dp.black_box(returns=Annotated[Int, Bounds(0, {w.pick(1, 3)})])\n"
        f"def {name}(row):\n    return {body}"
    )
    given = w.pick("r", row_number(rows))
    return f"sum({name}({given}) for r in {rows.text})"


@feature("table made in every round", "context")
def _made(w: Writer, rows: Rows, inner: Inner) -> Value | None:
    key = _KEYS.get(rows.cell)
    if rows.kind != "records" or key is None or rows.cell in ("review", "maybe"):
        return None
    out, table, part, i = w.fresh("out"), w.fresh("table"), w.fresh("part"), w.fresh("i")
    w.line(f"{out} = []")
    w.line(f"for {i} in range({w.given('n', 'int', 3)}):")
    with w.block():
        w.line(f"{table} = [{key} {w.pick(f'+ {i}', '+ 1', f'* {i}')} for r in {rows.text}]")
        w.line(f"{part} = [v for v in {table} if v == {i}]")
        made = Rows(part, "records", "float" if rows.cell == "float" else "int")
        put(w, out, inner(w, made))
    return Value(out, False)
