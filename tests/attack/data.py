"""Features of data: where they come from, how they are changed, and numbers of them."""

from __future__ import annotations

from attack.writing import Rows, Writer, feature

RECORDS = {
    "records of floats": ("Records[float]", "float", False),
    "records of ints": ("Records[int]", "int", False),
    "records of texts": ("Records[str]", "str", False),
    "records of tuples": ("Records[tuple[int, float]]", "pair", False),
    "records, one replaced": ("Records[int, ChangeOne]", "int", True),
    "records, one replaced in order": ("Records[float, Hamming]", "float", True),
    "records, inserted or deleted": ("Records[float, InsertDelete]", "float", False),
}
ENTRIES = {
    "vector in L1": ("Vector[Real, L1]", "vector", "real"),
    "vector in L2": ("Vector[Real, L2]", "vector", "real"),
    "vector in LInf": ("Annotated[Vector[Real, LInf], Size(3)]", "vector", "real"),
    "vector of integers": ("Vector[Int, L1]", "vector", "whole"),
    "vector of data": ("Vector[Data, L1]", "vector", "datum"),
    "vector of bits": ("Vector[Bool, L1]", "vector", "bit"),
    "matrix of data": ("Matrix[Data, LInf]", "matrix", "datum"),
    "matrix of reals": ("Matrix[Real, L1]", "matrix", "real"),
    "gradient": ("Gradient[Real, L2]", "gradient", "real"),
    "real number": ("Real", "number", "real"),
    "whole number": ("Int", "number", "whole"),
    "truth value": ("Bool", "number", "bit"),
    "datum": ("Data", "number", "datum"),
    "bounded number": ("Annotated[Real, Bounds(0, 4)]", "number", "real"),
}


def _records(annotation: str, cell: str, replaced: bool) -> object:
    ordered = "Hamming" in annotation
    return lambda w: Rows(w.parameter("rows", annotation), "records", cell, replaced, ordered)


def _entries(annotation: str, kind: str, cell: str) -> object:
    replaced = (kind == "matrix" and cell == "datum") or annotation == "Vector[Data, L1]"
    return lambda w: Rows(w.parameter("x", annotation), kind, cell, replaced)


for _name, _stated in RECORDS.items():
    feature(_name, "source")(_records(*_stated))
for _name, _text in ENTRIES.items():
    feature(_name, "source")(_entries(*_text))


@feature("records of a dataclass", "source")
def _dataclass(w: Writer) -> Rows:
    w.above.append("@dataclass\nclass Person:\n    age: int\n    paid: float")
    return Rows(w.parameter("people", "Records[Person]"), "records", "person")


@feature("records of dictionaries", "source")
def _dictionaries(w: Writer) -> Rows:
    w.above.append("class Fields(TypedDict):\n    age: int\n    paid: float")
    return Rows(w.parameter("people", "Records[Fields]"), "records", "fields")


@feature("aligned containers", "source")
def _aligned(w: Writer) -> Rows:
    name = w.parameter("both", "Aligned[Matrix[Data, LInf], Vector[Data, L1]]")
    m, v = w.fresh("m"), w.fresh("v")
    w.line(f"{m}, {v} = {name}")
    kept = w.chance(0.5)
    return Rows(m, "matrix", "datum", True) if kept else Rows(v, "vector", "datum", True)


# -- changes --------------------------------------------------------------------------------------


def _named(w: Writer, rows: Rows, text: str, stem: str = "s") -> Rows:
    name = w.fresh(stem)
    w.line(f"{name} = {text}")
    return rows._replace(text=name)


@feature("Poisson sample", "change")
def _poisson(w: Writer, rows: Rows) -> Rows | None:
    if rows.kind == "number" or rows.cell in ("real", "whole", "bit"):
        return None
    if rows.replaced and rows.kind == "matrix":
        return None
    rate = w.given("q", "float", w.pick(0.1, 0.5, 0.9))
    found = _named(w, rows, f"dp.sample({rows.text}, q={rate})")
    return found._replace(replaced=False, ordered=False)


@feature("sample without replacement", "change")
def _without(w: Writer, rows: Rows) -> Rows | None:
    if not rows.replaced:
        return None
    return _named(w, rows, f"dp.sample({w.given('b', 'int', 1)}, {rows.text})")


@feature("sample with replacement", "change")
def _with(w: Writer, rows: Rows) -> Rows | None:
    if not rows.replaced:
        return None
    return _named(w, rows, f"dp.sample({w.pick(1, 2)}, {rows.text}, replace=True)")


@feature("containers sampled together", "change")
def _together(w: Writer, rows: Rows) -> Rows | None:
    if not (rows.replaced and rows.kind == "vector"):
        return None
    a, b = w.fresh("s"), w.fresh("s")
    w.line(f"{a}, {b} = dp.sample(1, {rows.text}, {rows.text})")
    return rows._replace(text=w.pick(a, b))


def row_test(w: Writer, rows: Rows) -> str:
    """A test of one row."""
    return {
        "float": "r > 1", "int": "r >= 1", "str": "r == 'a'", "pair": "r[0] > 1",
        "person": "r.age > 1", "fields": "r['age'] > 1", "review": "r.stars != 1",
        "maybe": "r is None", "dated": "r.day < MONDAY",
    }.get(rows.cell, "r > 1")  # fmt: skip


def row_number(rows: Rows) -> str:
    """A number of one row, as an expression in `r`."""
    return {
        "pair": "r[1]", "person": "r.paid", "fields": "r['paid']", "review": "r.paid",
        "dated": "r.paid", "maybe": "(2 if r == 1 else 1)",
    }.get(rows.cell, "r")  # fmt: skip


@feature("filter", "change")
def _filter(w: Writer, rows: Rows) -> Rows | None:
    if rows.kind != "records":
        return None
    text = w.pick(
        f"[r for r in {rows.text} if {row_test(w, rows)}]",
        f"dp.filter(lambda r: {row_test(w, rows)}, {rows.text})",
    )
    return _named(w, rows, text)._replace(replaced=False, ordered=False)


@feature("map over rows", "change")
def _map(w: Writer, rows: Rows) -> Rows | None:
    if rows.kind == "records" and rows.cell not in ("str",):
        cell = "float" if rows.cell != "int" else "int"
        text = w.pick(
            f"[{row_number(rows)} for r in {rows.text}]",
            f"dp.map(lambda r: {row_number(rows)}, {rows.text})",
        )
        return _named(w, rows, text)._replace(cell=cell)
    if rows.kind == "vector" and rows.cell in ("real", "whole"):
        return _named(
            w, rows, w.pick(f"[2 * r for r in {rows.text}]", f"[-r for r in {rows.text}]")
        )
    return None


@feature("rows clipped and made real", "change")
def _clipped(w: Writer, rows: Rows) -> Rows | None:
    if rows.cell != "datum" or rows.kind not in ("matrix", "vector"):
        return None
    norm = w.pick("L1", "L2")
    if rows.kind == "vector":
        return _named(w, rows, f"[dp.undisc(dp.clamp(r, 0, 1)) for r in {rows.text}]")._replace(
            cell="real", replaced=False, ordered=False
        )
    text = f"dp.flatten(dp.map_rows(lambda r: dp.undisc(dp.clip(r, {norm})), {rows.text}))"
    return _named(w, rows, text)._replace(kind="vector", cell="real", replaced=False)


@feature("alias", "change")
def _alias(w: Writer, rows: Rows) -> Rows:
    return _named(w, rows, rows.text, "alias")


@feature("helper on rows", "change")
def _helper_rows(w: Writer, rows: Rows) -> Rows:
    name = w.fresh("same")
    w.above.append(f"def {name}(given):\n    return given")
    return _named(w, rows, f"{name}({rows.text})")


@feature("slice", "change")
def _slice(w: Writer, rows: Rows) -> Rows | None:
    if rows.kind != "vector":
        return None
    return _named(w, rows, f"{rows.text}{w.pick('[1:]', '[:2]', '[::-1]')}")._replace(
        replaced=False
    )


@feature("black box on rows", "change")
def _box(w: Writer, rows: Rows) -> Rows | None:
    if rows.cell != "datum" or rows.kind != "vector":
        return None
    name = w.fresh("box")
    w.above.append(
        f"@dp.black_box(returns=Annotated[Vector[Data, LInf], Size(3)])\n"
        f"def {name}(given):\n    return [sum(map(hash, given)) % 5, len(given), 1]"
    )
    found = _named(w, rows, f"{name}({rows.text})")
    return _clipped(w, found)


# -- numbers --------------------------------------------------------------------------------------


@feature("count", "number")
def _count(w: Writer, rows: Rows) -> str | None:
    return f"dp.count({rows.text})" if rows.kind == "records" else None


@feature("len", "number")
def _len(w: Writer, rows: Rows) -> str | None:
    return f"len({rows.text})" if rows.kind == "records" else None


@feature("count of a test", "number")
def _count_test(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "records":
        return None
    return f"dp.count(lambda r: {row_test(w, rows)}, {rows.text})"


@feature("sum of clamped rows", "number")
def _sum_clamped(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "records" or rows.cell == "str":
        return None
    inside = (
        rows.text if rows.cell in ("float", "int") else f"[{row_number(rows)} for r in {rows.text}]"
    )
    return f"dp.sum(dp.clamp({inside}, 0, {w.pick(1, 2)}))"


@feature("sum of a comprehension", "number")
def _sum_comprehension(w: Writer, rows: Rows) -> str | None:
    if rows.kind == "number" or rows.cell == "str":
        return None
    if rows.kind == "matrix":
        inner = "dp.undisc(dp.clamp(r[0], 0, 1))" if rows.cell == "datum" else "r[0]"
    elif rows.cell == "datum":
        inner = "dp.undisc(dp.clamp(r, 0, 1))"
    elif rows.kind == "records":
        inner = f"min(max({row_number(rows)}, 0), 2)"
    else:
        inner = w.pick("2 * r", "abs(r)")
    return f"sum([{inner} for r in {rows.text}])"


@feature("rows in a loop", "number")
def _loop(w: Writer, rows: Rows) -> str | None:
    if rows.kind == "number" or rows.cell == "str" or rows.kind == "gradient":
        return None
    total = w.fresh("total")
    one = row_number(rows)
    if rows.kind == "matrix":
        one = "r[0]"
    add = {"datum": f"dp.undisc(dp.clamp({one}, 0, 1))", "real": one, "whole": one, "bit": "int(r)"}
    w.line(f"{total} = 0")
    w.line(f"for r in {rows.text}:")
    with w.block():
        if rows.kind == "records" and w.chance(0.5):
            w.line(f"if {row_test(w, rows)}:")
            with w.block():
                w.line(f"{total} += dp.clamp({one}, 0, 2)")
        else:
            w.line(f"{total} += {add.get(rows.cell, f'dp.clamp({one}, 0, 2)')}")
    return total


@feature("fold", "number")
def _fold(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "vector":
        return None
    inner = "dp.undisc(dp.clamp(r, 0, 1))" if rows.cell == "datum" else "r"
    return f"dp.fold(lambda acc, r: acc + {inner}, 0, {rows.text})"


@feature("sum of entries", "number")
def _sum_entries(w: Writer, rows: Rows) -> str | None:
    if rows.kind not in ("vector", "gradient") or rows.cell == "datum":
        return None
    return w.pick(f"sum({rows.text})", f"dp.sum({rows.text})")


@feature("one entry", "number")
def _entry(w: Writer, rows: Rows) -> str | None:
    return f"{rows.text}[0]" if rows.kind == "vector" and rows.cell in ("real", "whole") else None


@feature("largest entry", "number")
def _largest(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "vector" or rows.cell not in ("real", "whole"):
        return None
    return w.pick(f"max({rows.text})", f"min({rows.text})")


@feature("the number itself", "number")
def _itself(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "number":
        return None
    if rows.cell == "datum":
        return f"dp.undisc(dp.clamp({rows.text}, 0, 2))"
    return w.pick(rows.text, f"2 * {rows.text}", f"-{rows.text}", f"abs({rows.text})")


@feature("private branch", "number")
def _private_branch(w: Writer, rows: Rows) -> str | None:
    if rows.kind != "number" or rows.cell not in ("real", "whole"):
        return None
    name = w.fresh("c")
    w.line(f"{name} = dp.clamp({rows.text}, 0, 3)")
    w.line(f"if {name} > 1:")
    with w.block():
        w.line(f"{name} = 2 * {name} - 1")
    return name


@feature("difference of numbers", "number")
def _difference(w: Writer, rows: Rows) -> str | None:
    if rows.kind == "records":
        return f"(2 * dp.count({rows.text}) - dp.count(lambda r: {row_test(w, rows)}, {rows.text}))"
    if rows.kind == "number" and rows.cell != "datum":
        return f"({rows.text} + {rows.text} * 2)"
    return None


@feature("mean with a public size", "number")
def _mean(w: Writer, rows: Rows) -> str | None:
    if rows.kind == "records" and rows.replaced and rows.cell in ("int", "float"):
        return f"dp.sum(dp.clamp({rows.text}, 0, 2)) / len({rows.text})"
    return None
