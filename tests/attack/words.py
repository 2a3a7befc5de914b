"""Features of the words of everyday programs: masks, iterators, counters, sets, caps, weights.

Each stands where a row may be met by several numbers or by none, so that a bound that is charged
once where two are true shows.
"""

from __future__ import annotations

from attack.data import row_number
from attack.filters import _KEYS, some_test
from attack.writing import Rows, Value, Writer, feature

_FIELDS = {"person": ("age", "paid"), "fields": ("age", "paid")}


def _noise(w: Writer) -> tuple[str, str]:
    return w.pick("dp.laplace", "dp.laplace", "dp.gaussian"), f"scale={w.pick(1, 2)}"


def _column(w: Writer, table: str, name: str) -> str:
    return str(w.pick(f"{table}['{name}']", f"{table}.{name}"))


def _mask(w: Writer, table: str, depth: int = 2) -> str:
    column, value = _column(w, table, w.pick("age", "age", "paid")), w.pick(0, 1, 2, 3)
    one = w.pick(
        f"({column} {w.pick('==', '!=', '<', '>=', '>', '<=')} {value})",
        f"{column}.isin({w.pick((0, 1), (1, 2), (2,))})",
        f"{column}.between({w.pick('0, 1', '1, 2', '2, 3')})",
    )
    if depth and w.chance(0.4):
        return f"({one} {w.pick('&', '|')} {_mask(w, table, depth - 1)})"
    return f"~{one}" if w.chance(0.2) else str(one)


def _of_a_mask(w: Writer, table: str) -> str:
    """A number of the rows under a mask."""
    mask, paid = _mask(w, table), _column(w, table, "paid")
    ends = w.pick("0, 2", "-1, 2", "0, 1")
    other, made = w.fresh("kept"), w.fresh("made")
    if w.chance(0.5):
        w.line(f"{other} = {table}[{mask}]")
        mask = _mask(w, other, 0)
        return str(w.pick(
            f"len({other})", f"{other}.count()", f"{_column(w, other, 'paid')}.clip({ends}).sum()",
            f"{other}.count({mask})", f"len({other}[{mask}])",
        ))  # fmt: skip
    if w.chance(0.3):
        w.line(f"{made} = {table}.mutate(v={paid}.clip({ends}), m={mask})")
        return str(w.pick(
            f"{made}.v.sum(where={made}.m)", f"{made}.m.sum()", f"len({made}[{made}.m])",
            f"({made}.v * 2 - 1).sum()", f"{made}.m.ifelse(2, -1).sum()",
        ))  # fmt: skip
    return str(w.pick(
        f"({mask}).sum()", f"{table}.count({mask})", f"{paid}.clip({ends}).sum(where={mask})",
        f"len({table}.filter({mask}))",
    ))  # fmt: skip


@feature("masks of columns", "noise")
def _masks(w: Writer, rows: Rows) -> Value | None:
    if rows.kind != "records" or rows.cell not in _FIELDS:
        return None
    noise, scale = _noise(w)
    numbers = [_of_a_mask(w, rows.text) for _ in range(w.pick(1, 2, 2, 3))]
    if w.chance(0.3):
        sign = w.pick(" + ", " - ")
        return Value(f"{noise}({sign.join(numbers)}, {scale})", True)
    if w.chance(0.3):
        return Value(f"{noise}([{', '.join(numbers)}], {scale})", False)
    return Value(f"({', '.join(f'{noise}({n}, {scale})' for n in numbers)},)", False)


@feature("groups of frames", "noise")
def _groups(w: Writer, rows: Rows) -> Value | None:
    if rows.kind != "records" or rows.cell not in _FIELDS:
        return None
    noise, scale = _noise(w)
    table, t = w.fresh("table"), rows.text
    w.line(f"{table} = {w.pick(t, f'{t}[{_mask(w, t)}]', f'{t}.filter({_mask(w, t)})')}")
    keys = w.pick("(0, 1, 2)", "range(3)", "(1, 2)")
    by = w.pick(f"'age', keys={keys}", f"'age', keys={keys}", "'adult', keys=(False, True)",
                f"'age', 'adult', keys={{'age': {keys}, 'adult': (False, True)}}")  # fmt: skip
    w.line(f"{table} = {table}.mutate(adult={_column(w, table, 'age')} > {w.pick(0, 1, 2)}, "
           f"v={_column(w, table, 'paid')}.clip({w.pick('0, 2', '-1, 1')}))")  # fmt: skip
    numbers = [w.pick(f"{table}.count()", f"{table}.v.sum()", f"{table}.adult.sum()",
                      f"{table}.count({table}.v > 0)") for _ in range(w.pick(1, 2))]  # fmt: skip
    named = ", ".join(f"n{i}={noise}({n}, {scale})" for i, n in enumerate(numbers))
    return Value(f"{table}.group_by({by}).aggregate({named})", False)


@feature("named iterators", "number")
def _iterators(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "records" or rows.cell == "maybe":
        return None
    some, value, out = w.fresh("some"), row_number(rows), w.fresh("found")
    ends = w.pick((0, 2), (-1, 1), (0, 1))
    number = "1" if rows.cell == "str" else f"min(max({value}, {ends[0]}), {ends[1]})"
    test, more = some_test(w, rows), some_test(w, rows)
    kind = w.rng.randrange(6)
    if kind == 0:
        w.line(f"{some} = (r for r in {rows.text} if {test})")
        return str(w.pick(f"sum({number} for r in {some})", f"sum(1 for r in {some} if {more})"))
    if kind == 1:
        w.line(f"{some} = filter(lambda r: {test}, {rows.text})")
        w.line(f"{out} = map(lambda r: {number}, {some})")
        return f"sum({out})"
    if kind == 2:
        w.line(f"{some} = ({number} for r in {rows.text})")
        return f"sum({some})"
    if kind == 3:
        w.line(f"{some} = map(lambda r: ({number}, {w.pick(1, 2)}), {rows.text})")
        return f"sum(a {w.pick('+', '-', '*')} b for a, b in {some})"
    if kind == 4:
        w.line(f"{some} = [{number} for r in {rows.text}]")
        w.line(f"{out} = [{w.pick(1, 2)} if {test} else {w.pick(0, -1)} for r in {rows.text}]")
        return f"sum(a {w.pick('+', '-', '*')} b for a, b in zip({some}, {out}))"
    w.line(f"{out} = 0")
    w.line(f"for r in filter(lambda r: {test}, {rows.text}):")
    with w.block():
        if w.chance(0.5):
            w.line(f"if {more}:")
            w.line(f"    {w.pick('continue', f'{out} -= 1', f'{out} += 2')}")
        w.line(f"{out} += {number}")
    return out


@feature("counters of rows", "noise")
def _counters(w: Writer, rows: Rows) -> Value | None:
    if rows.kind != "records" or rows.cell not in (*_KEYS, "str"):
        return None
    noise, scale = _noise(w)
    key, counts, test = _KEYS.get(rows.cell, "r"), w.fresh("tally"), some_test(w, rows)
    keys = ("'a'", "'b'") if rows.cell == "str" else ("1", "2", "0")
    kind = w.rng.random()
    if kind < 0.35:
        w.line(f"{counts} = Counter({key} for r in {rows.text}{w.pick('', f' if {test}')})")
    elif kind < 0.6:
        w.line(f"{counts} = {w.pick('Counter()', 'Counter()', 'dict.fromkeys((0, 1, 2), 0)')}")
        w.line(f"for r in {rows.text}:")
        if w.chance(0.4):
            w.line(f"    if {test}:")
            w.line("        continue")
        w.line(f"    {counts}[{key}] += {w.pick(1, 1, 2, -1)}")
        if w.chance(0.4):
            other = "r" if rows.cell == "str" else f"{key} + {w.pick(0, 1)}"
            w.line(f"    {counts}[{other}] += {w.pick(1, 2, -1)}")
    else:
        w.line(f"{counts} = {{k: sum(1 for r in {rows.text} if {key} == k)"
               f" for k in ({', '.join(keys)})}}")  # fmt: skip
    one, two = w.pick(*keys), w.pick(*keys)
    read = [w.pick(f"{counts}[{k}]", f"{counts}.get({k}, 0)") for k in (one, two)]
    weight = w.pick("", "2 * ", "0.5 * ", "-1 * ")
    every = w.pick(f"{counts}.total()", f"sum({counts}.values())")
    return Value(w.pick(
        f"({noise}({read[0]}, {scale}), {noise}({weight}{read[1]}, {scale}))",
        f"{noise}([{weight}{read[0]}, {read[1]}], {scale})",
        f"{noise}({weight}{read[0]} {w.pick('+', '-')} {read[1]}, {scale})",
        f"[{noise}({counts}[k], {scale}) for k in ({', '.join(keys)})]",
        f"{{k: {noise}({weight}{counts}[k], {scale}) for k in {{{', '.join(keys)}}}}}",
        f"({noise}({every}, {scale}), {noise}({read[0]}, {scale}))",
    ), False)  # fmt: skip


@feature("loops over sets", "noise")
def _sets(w: Writer, rows: Rows) -> Value | None:
    if rows.kind != "records" or rows.cell not in _KEYS:
        return None
    noise, scale, key, out = *_noise(w), _KEYS[rows.cell], w.fresh("found")
    keys = w.pick("{0, 1, 2}", "{1, 2}", "{0, 1} | {2}", "frozenset((0, 1, 2))", "set((1, 2, 2))",
                  "sorted({2, 1, 0})", "sorted({1, 2} & {2, 1})")  # fmt: skip
    test = w.pick(f"{key} == k", f"{key} == k", f"{key} == k + 1", f"{key} != k", f"{key} == 2 - k",
                  f"{key} == k // 2", f"{key} in {{k, k + 1}}", f"{key} == k * k", f"{key} >= k",
                  f"({some_test(w, rows)}) and {key} == k")  # fmt: skip
    count = f"{w.pick('', 'k * ', '2 * ')}sum(1 for r in {rows.text} if {test})"
    other = f"sum(1 for r in {rows.text} if {key} == j)"
    kind = w.rng.random()
    if kind < 0.3:
        return Value(f"{{k: {noise}({count}, {scale}) for k in {keys}}}", False)
    if kind < 0.5:
        name = w.fresh("keys")
        w.line(f"{name} = {keys}")
        again = w.pick(name, "{0, 1, 2}", "(0, 1)")
        return Value(
            f"({{k: {noise}({count}, {scale}) for k in {name}}}, "
            f"{{k: {noise}({count}, {scale}) for k in {again}}})", False,
        )  # fmt: skip
    if kind < 0.7:
        return Value(
            f"[({noise}({count}, {scale}), {noise}({other}, {scale})) "
            f"for k, j in zip({keys}, {w.pick('(0, 1, 2)', '{2, 1, 0}', 'sorted({0, 1})')})]",
            False,
        )
    w.line(f"{out} = {{}}")
    w.line(f"for k in {keys}:")
    with w.block():
        w.line(f"{out}[k{w.pick('', '', ' // 2', ' * 0')}] = {noise}({count}, {scale})")
    return Value(out, False)


@feature("rows within a set", "number")
def _within(w: Writer, rows: Rows) -> str | None:
    """How many different values there are, and how many rows have one of some."""
    if rows.kind != "records" or rows.cell not in _KEYS:
        return None
    key, name, test = _KEYS[rows.cell], w.fresh("seen"), some_test(w, rows)
    kind = w.rng.random()
    if kind < 0.5:
        made = f"{{{key} for r in {rows.text}{w.pick('', f' if {test}')}}}"
        if w.chance(0.5):
            w.line(f"{name} = {made}")
            made = name
        return f"len({made})"
    wanted = w.pick("{1, 2}", "{0} | {1}", "frozenset([2])")
    return f"sum({w.pick(1, 2)} for r in {rows.text} if {key} {w.pick('in', 'not in')} {wanted})"


@feature("caps written as branches", "number")
def _caps(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "records" or rows.cell in ("str", "maybe"):
        return None
    total, v, value = w.fresh("total"), w.fresh("v"), row_number(rows)
    high, low = w.pick(1, 2), w.pick(0, -1, -2)
    w.line(f"{total} = 0")
    w.line(f"for r in {rows.text}:")
    with w.block():
        w.line(f"{v} = {value}")
        w.line(f"if {v} {w.pick('>', '>=')} {high}:")
        w.line(f"    {v} = {w.pick(high, high, high + 1, 0)}")
        w.line(f"{w.pick('if', 'if', 'elif')} {v} < {low}:")
        w.line(f"    {v} = {w.pick(low, low, low - 1, 0)}")
        w.line(f"{total} += {w.pick(v, v, f'2 * {v}', f'-{v}', f'{v} - 1')}")
    return total


@feature("distances compared", "noise")
def _distances(w: Writer, rows: Rows) -> Value | None:
    if rows.kind != "records" or rows.cell in ("str", "maybe"):
        return None
    noise, scale, v = *_noise(w), row_number(rows)
    a, b, c = w.rng.sample((0, 1, 2, 3), 3)
    one = w.pick(f"abs({v} - {a}) <= abs({v} - {b})", f"({v} - {a}) ** 2 < ({v} - {b}) ** 2",
                 f"abs({v} - {a}) < abs({v} - {b})")  # fmt: skip
    two = w.pick(
        f"abs({v} - {a}) > abs({v} - {b})", f"abs({v} - {b}) < abs({v} - {a})",
        f"abs({v} - {b}) <= abs({v} - {a})", f"abs({v} - {c}) < abs({v} - {a})", f"not ({one})",
        f"({v} - {a}) ** 2 >= ({v} - {b}) ** 2",
    )  # fmt: skip
    counts = [f"sum(1 for r in {rows.text} if {test})" for test in (one, two)]
    return Value(w.pick(
        f"({noise}({counts[0]}, {scale}), {noise}({counts[1]}, {scale}))",
        f"{noise}([{counts[0]}, {counts[1]}], {scale})",
        f"{noise}({counts[0]} {w.pick('+', '-')} {counts[1]}, {scale})",
    ), False)  # fmt: skip


@feature("clamped rows as a table", "number")
def _clamped(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "records" or rows.cell not in ("float", "int"):
        return None
    name = w.fresh("clamped")
    w.line(f"{name} = dp.clamp({rows.text}, {w.pick('0, 2', '-1, 1', '1, 3', '0.5, 1.5')})")
    made = rows._replace(text=name)
    kept = [f"sum({w.pick('r', 1)} for r in {name} if {some_test(w, made)})" for _ in range(2)]
    copy = f"sum({w.pick(f'r for r in {name}', f'[r for r in {name}]')})"
    return str(w.pick(f"{kept[0]} + {kept[1]}", f"{kept[0]} - {kept[1]}", f"sum({name}) - {copy}"))


@feature("written weights", "noise")
def _weights(w: Writer, rows: Rows) -> Value | None:
    if rows.kind != "records" or rows.cell not in _KEYS:
        return None
    noise, scale, key, counts = *_noise(w), _KEYS[rows.cell], w.fresh("counts")
    weights = w.pick("(1, 2, 3)", "(3, -1, 0.5)", "[1, 1, 2]")
    w.line(f"{counts} = [sum(1 for r in {rows.text} if {key} == k) for k in range(3)]")
    name = w.fresh("weights")
    w.line(f"{name} = {weights}")
    each = f"{name}[i] * {counts}[{w.pick('i', 'i', '2 - i', '0')}]"
    return Value(w.pick(
        f"[{noise}({each}, {scale}) for i in range(3)]",
        f"{noise}([{each} for i in range(3)], {scale})",
        f"{noise}(sum({each} for i in range(3)), {scale})",
        f"{noise}(sum(a * b for a, b in zip({name}, {counts})), {scale})",
        f"{noise}(sum(a * b for a, b in zip({name}, {counts})) - sum({counts}), {scale})",
    ), False)  # fmt: skip


@feature("keys by weight", "noise")
def _by_weight(w: Writer, rows: Rows) -> Value | None:
    change, most = w.pick("", ", ChangeOne"), w.pick(1, 2, 3)
    if not any("class Stay" in text for text in w.above):
        w.above.append("@dataclass\nclass Stay:\n    who: int\n    where: int")
    stays = w.parameter("stays", f"Records[Stay, Ids('who'{change})]")
    table = w.pick(
        stays, f"[s for s in {stays} if s.where != 1]", f"dp.keep_ids({stays}, 'who', 2)"
    )
    name = w.fresh("sums")
    w.line(f"{name} = dp.weighted_count_by({table}, 'who', by='where', groups={most})")
    return Value(f"dp.gaussian_threshold({name}, scale=1, threshold={w.pick(2, 4)})", False)
