"""Tables of which one unit brings several rows: no person, and no row that is joined, pays more."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from checked_modules import load
from test_one_by_one import vector

from metricdp.check.domain import row_shares, several_rows

PROGRAMS = """
from typing import NamedTuple

NAMES = ["a", "b", "c"]
REGIONS = (("a", "a", "b"), ("a", "b", "b"), ("b", "c", "a"))

class Row(NamedTuple):
    p: int
    x: str
    y: str

def points(rows):
    s = {{name: 0 for name in NAMES}}
    for r in rows:
        for who, points in [(r.x, 3), (r.y, 2)]:
            if who in s:
                s[who] += points
    return s

@dp.measurement
def each(rows: {table}):
    return [dp.{noise}(v, scale=1) for v in points({rows}).values()]

@dp.measurement
def at_once(rows: {table}):
    return dp.{noise}(list(points({rows}).values()), scale=1)

@dp.measurement
def differences(rows: {table}):
    kept = {rows}
    a, b = sum(1 for r in kept if r.x == "a"), sum(1 for r in kept if r.y == "b")
    found = dp.{noise}(2 * len(kept) - a, scale=1), dp.{noise}(a - b, scale=1)
    return found, dp.{noise}(b, scale=1)

@dp.measurement
def either(rows: {table}):
    kept = {rows}
    return [dp.{noise}(sum(1 for r in kept if r.x == k or r.y == k), scale=1) for k in NAMES]

@dp.measurement
def either_at_once(rows: {table}):
    kept = {rows}
    return dp.{noise}([sum(1 for r in kept if r.x == k or r.y == k) for k in NAMES], scale=1)

@dp.measurement
def rounds(rows: {table}, names: list[str]):
    kept, out = {rows}, []
    for k in names:
        out.append(dp.{noise}(sum(1 for r in kept if r.x == k or r.y == k), scale=1))
    return out

@dp.measurement
def signed(rows: {table}):
    kept = {rows}
    p, q = sum(2 if r.x == "a" else -1 for r in kept), sum(1 for r in kept if r.x != "a")
    return dp.{noise}(p, scale=1), dp.{noise}(q, scale=1), dp.{noise}(p + q, scale=1)

@dp.measurement
def in_parts(rows: {table}):
    kept, out = {rows}, []
    for part in dp.partition(kept, key=lambda r: r.y, keys=("a", "b")):
        out.append(dp.{noise}(sum(1 for r in part if r.x == "a"), scale=1))
        out.append(dp.{noise}(sum(1 for r in part if r.x == "b"), scale=1))
    return out

@dp.measurement
def two_tables(rows: {table}):
    kept, all = {rows}, {again}
    a, b = sum(1 for r in kept if r.x == "a"), sum(1 for r in all if r.x == "b")
    return dp.{noise}(a, scale=1), dp.{noise}(b, scale=1), dp.{noise}([a - b, a + b], scale=1)

@dp.measurement
def of_two_tables(rows: {table}):
    kept, all = {rows}, {again}
    return dp.{noise}(2 * len(all) - len(kept), scale=1)

@dp.measurement
def drop_offs(rows: {table}):
    kept = {rows}
    all, a = len(kept), sum(1 for r in kept if r.x == "a")
    both = sum(1 for r in kept if r.x == "a" and r.y == "a")
    return [dp.{noise}(n, scale=1) for n in (all - a, a - both, both)]
"""
NAMES = (
    "each", "at_once", "differences", "either", "either_at_once", "rounds", "signed", "in_parts",
    "two_tables", "of_two_tables", "drop_offs",
)  # fmt: skip
PAIRS = [("a", "a"), ("a", "b"), ("b", "a"), ("d", "b"), ("d", "d")]
IDS, GROUPS = 'dp.limit_rows(rows, "p", 2)', 'dp.limit_groups(rows, "p", by="y", groups=2, rows=1)'
JOINED = 'dp.join_public(rows, "x", REGIONS, ("area", "zone"))'
AGAIN = 'dp.join_public([r for r in rows if r.x != "b"], "y", REGIONS, ("area", "zone"))'
#: How the table is written, what is made of it, and that of another table of the same rows.
KINDS = {
    "persons": ('dp.Records[Row, dp.Ids("p")]', IDS, 'dp.limit_rows(rows, "p", 1)'),
    "changed": ('dp.Records[Row, dp.Ids("p", dp.ChangeOne)]', IDS, 'dp.limit_rows(rows, "p", 1)'),
    "groups": ('dp.Records[Row, dp.Ids("p")]', GROUPS, IDS),
    "joined": ("dp.Records[Row]", JOINED, AGAIN),
}
#: What the worst unit pays is charged, and not more.
ATTAINED = {"each", "at_once", "either", "either_at_once", "rounds", "differences", "in_parts",
            "drop_offs"}  # fmt: skip


def programs(kind: str, noise: str, folder: Path) -> Any:
    table, rows, again = KINDS[kind]
    text = PROGRAMS.format(table=table, rows=rows, again=again, noise=noise)
    if kind == "joined":  # other columns, of which a row has several
        head, body = text.split("def points")
        body = body.replace("r.y", "r.zone").replace("r.x", "r.area")
        text = head + "def points" + body.replace('r.area != "b"]', 'r.x != "b"]')
    return load(folder, text)


def units(module: Any, kind: str) -> list[list[Any]]:
    """What one unit may bring."""
    if kind == "joined":
        return [[module.Row(0, *pair)] for pair in itertools.product("abd", repeat=2)]
    most = itertools.combinations_with_replacement(PAIRS, 2)
    return [[]] + [[module.Row(7, *pair) for pair in pairs] for pairs in most]


def largest(function: Any, brought: list[list[Any]], changed: bool, noise: str, d: int,
            given: dict[str, Any]) -> Fraction:  # fmt: skip
    """The most that d units cost, who are alike; beside a row of somebody else."""
    row = type(brought[-1][0])
    other = [row(1, "a", "b")]

    def added(rows: list[Any]) -> list[Fraction]:
        copies = [row(r.p + i, r.x, r.y) for i in range(d) for r in rows]
        return vector(function, other + copies, given)

    nothing = vector(function, other, given)
    found = [added(rows) for rows in brought]
    before = found if changed else [nothing]
    moves = ([x - y for x, y in zip(a, b, strict=True)] for a in found for b in before)
    if noise == "laplace":
        return max(sum(map(abs, each), Fraction(0)) for each in moves)
    return max(sum((x * x for x in each), Fraction(0)) / 2 for each in moves)


@pytest.mark.parametrize(
    ("kind", "noise"),
    [("persons", "laplace"), ("persons", "gaussian"), ("changed", "gaussian"),
     ("groups", "laplace"), ("joined", "laplace"), ("joined", "gaussian")],
)  # fmt: skip
def test_no_unit_pays_more_than_what_is_charged(kind: str, noise: str, tmp_path: Path) -> None:
    module = programs(kind, noise, tmp_path)
    for name in NAMES:
        function = getattr(module, name)
        given = {"names": [*"abc"]} if name == "rounds" else {}
        charged = (function.at(**given) if given else function).map
        for d in (1, 2, 3) if name in ("each", "differences", "in_parts") else (1,):
            bound = charged(d)
            bound = Fraction(bound[0] if isinstance(bound, tuple) else bound)
            found = largest(function, units(module, kind), kind == "changed", noise, d, given)
            assert found <= bound, (name, d, found, bound)
            if kind == "persons" and name in ATTAINED:
                assert found == bound, (name, d, found, bound)


@pytest.mark.parametrize("broken", ["rows", "ways", "tables"])
def test_wrong_rules_are_found(broken: str, tmp_path: Path, monkeypatch: Any) -> None:
    kind, name, noise = "persons", "at_once", "laplace"
    if broken == "rows":  # a unit pays for one of its rows
        monkeypatch.setattr(several_rows, "of_unit", lambda state, table, of_row: of_row)
    elif broken == "tables":  # what a unit brings to one table it brings to any other
        kind, name = "joined", "of_two_tables"
        monkeypatch.setattr(several_rows, "both", lambda own, region: region)
    elif broken == "ways":  # a row that is "a" here is taken to be "b" nowhere
        name, right = "either", row_shares._told_apart
        monkeypatch.setattr(row_shares, "_told_apart", lambda share: right(share)[:1])
    module = programs(kind, noise, tmp_path)
    function = getattr(module, name)
    charged = function.map(1)
    found = largest(function, units(module, kind), kind == "changed", noise, 1, {})
    assert found > Fraction(charged[0] if isinstance(charged, tuple) else charged)
