"""Features of fields that may be missing, of dates, and of tuples that share a distance."""

from __future__ import annotations

from attack.writing import Rows, Writer, feature

REVIEW = """class Review(NamedTuple):
    stars: int | None
    before: int | None
    town: str | None
    seen: bool | None
    words: int
    paid: float"""
DATED = "@dataclass\nclass Dated:\n    day: date\n    begin: datetime\n    paid: float"


@feature("records of fields that may be missing", "source")
def _review(w: Writer) -> Rows:
    w.above.append(REVIEW)
    metric = w.pick("", "", ", ChangeOne", ", Hamming")
    name = w.parameter("rows", f"Records[Review{metric}]")
    return Rows(name, "records", "review", bool(metric), metric == ", Hamming")


@feature("records that may be missing", "source")
def _maybe(w: Writer) -> Rows:
    metric = w.pick("", "", ", ChangeOne")
    name = w.parameter("rows", f"Records[int | None{metric}]")
    return Rows(name, "records", "maybe", bool(metric))


@feature("records of dates", "source")
def _dated(w: Writer) -> Rows:
    w.above.append(DATED)
    metric = w.pick("", ", ChangeOne")
    return Rows(w.parameter("rows", f"Records[Dated{metric}]"), "records", "dated", bool(metric))


@feature("private tuple", "source")
def _tuple(w: Writer) -> Rows:
    """One component is read on; of the other one, a number is released beside it."""
    table, cell, metric = w.pick(
        ("Records[int]", "int", ""), ("Records[float]", "float", ""),
        ("Records[int, ChangeOne]", "int", "c"), ("Records[float, Hamming]", "float", "h"),
    )  # fmt: skip
    p, a, b = w.parameter("p", f"tuple[{table}, Real]"), w.fresh("a"), w.fresh("b")
    w.line(w.pick(f"{a}, {b} = {p}", f"{a}, {b} = {p}[0], {p}[1]"))
    if w.chance(0.5):
        other = w.fresh("other")
        w.line(f"{other} = dp.laplace({w.pick(b, f'2 * {b}', f'abs({b})')}, scale={w.pick(1, 2)})")
        w.owed.append(other)
    if w.chance(0.2):
        return Rows(b, "number", "real")
    return Rows(a, "records", cell, bool(metric), metric == "h")


@feature("missing values dropped or filled in", "change")
def _present(w: Writer, rows: Rows) -> Rows | None:
    values = {"maybe": rows.text, "review": f"[r.stars for r in {rows.text}]"}.get(rows.cell)
    if values is None:
        return None
    name, dropped = w.fresh("s"), w.chance(0.5)
    w.line(f"{name} = {f'dp.drop_null({values})' if dropped else f'dp.impute({values}, 1)'}")
    kept = rows.replaced and not dropped
    return Rows(name, "records", "int", kept, rows.ordered and kept)


@feature("kinds of a missing value", "number")
def _kinds(w: Writer, rows: Rows) -> str | None:
    """What a helper makes of it, or a round that ends early."""
    value = {"maybe": "r", "review": "r.stars"}.get(rows.cell)
    if value is None:
        return None
    name, total = w.fresh("kind"), w.fresh("total")
    first = w.pick("v is None", "v == None", "v != 1", "v not in (1, None)", "v in (2, None)")
    w.above.append(
        f"def {name}(v):\n    if {first}:\n        return {w.pick(1, 2)}\n"
        f"    if v == {w.pick(1, 2)}:\n        return {w.pick(0, 3)}\n    return {w.pick(0, 1)}"
    )
    if w.chance(0.5):
        return f"sum({name}({value}) for r in {rows.text})"
    w.line(f"{total} = 0")
    w.line(f"for r in {rows.text}:")
    with w.block():
        w.line(f"if {value} {w.pick('is None', 'is not None', '== 1', '!= 1')}:")
        w.line(f"    {w.pick('continue', f'{total} += 1', f'{total} -= 1')}")
        w.line(f"{total} += {name}({value})")
    return total
