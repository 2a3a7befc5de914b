"""What a public dictionary has under a private key: as Python finds it, charged by its range."""

from __future__ import annotations

import random
from types import ModuleType
from typing import Any

import pytest
from checked_modules import load
from column_graphs import evaluated_by

import metricdp as dp
from metricdp.audit.values import plain
from metricdp.check import check_paths
from metricdp.errors import NotProvedError
from metricdp.run.emit import Recording

HEAD = """
from typing import TypedDict

class Row(TypedDict):
    city: str
    code: int
    x: float

W = {"a": 1.5, "": -2, "c": 0.25}
C = {1: 3, -2: 0, 10**15: 1}
place = {"a": 0, "b": 2}
L = {"a": (0, 2), "b": (-1, 3)}
"""
PROGRAM = """
@dp.measurement
def {name}(rows: dp.Records[Row], b: float):
{body}    return dp.laplace(t, scale=b)
"""
#: Body, and what one row costs at b = 1.
CASES = {
    "weights": ("    t = sum(W.get(r['city'], 0.5) for r in rows)\n", 2),
    "codes": ("""
    t = 0
    for r in rows:
        if r['x'] > 0:
            t += C.get(r['code'], -1)
""", 3),
    "limits": ("""
    t = 0
    for r in rows:
        lo, hi = L.get(r['city'], (0, 1))
        t += max(lo, min(hi, r['x']))
""", 3),
    "made_here": ("""
    d = {k: 2 for k in ("a", "bb")}
    t = sum(d.get(r['city'], 0) for r in rows if r['code'] > 0)
""", 2),
    "placed": ("""
    t = [0] * 3
    for r in rows:
        t[place.get(r['city'], 1)] += 1
""", 1),
}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    programs = (PROGRAM.format(name=name, body=body) for name, (body, _) in CASES.items())
    return load(tmp_path_factory.mktemp("lookups"), "".join([HEAD, *programs]))


def by_hand(name: str, rows: list[dict[str, Any]]) -> list[float]:
    body = "\n".join(line[4:] for line in CASES[name][0].strip("\n").splitlines())
    names: dict[str, Any] = {"rows": rows}
    exec(HEAD + body, names)
    found = names["t"]
    return [float(each) for each in (found if isinstance(found, list) else [found])]


@pytest.mark.parametrize("name", CASES)
def test_entries_are_those_of_python(made: ModuleType, name: str) -> None:
    program, rng = getattr(made, name), random.Random(3)
    assert program.at(b=1.0).map(1) == CASES[name][1]
    for count in (0, 1, 2, 8):
        rows = [
            {"city": rng.choice(("a", "b", "bb", "", "c", "A", "a ")),
             "code": rng.choice((1, -2, 0, 10**15, 2)), "x": rng.choice((-4.0, 0.5, 9.0))}
            for _ in range(count)
        ]  # fmt: skip
        for evaluator in ("arrays", "reference"):
            record = Recording(dp.Seeded(7))
            with evaluated_by(evaluator, rows=3), dp.handling(record):
                program(rows, b=1.0)
            (value,) = [plain(entry.value) for entry in record.log]
            assert (value if isinstance(value, list) else [value]) == by_hand(name, rows)


def test_they_are_read_in_columns(made: ModuleType) -> None:
    assert not any(f.by_row for f in check_paths([str(made.__file__)]).functions)


REJECTED = {
    "no default": "t = sum(W.get(r['city']) for r in rows)",
    "a default that is no number": "t = sum(W.get(r['city'], None) for r in rows)",
    "a text as the default": "t = sum(W.get(r['city'], '') for r in rows)",
    "a subscript": "t = sum(W[r['city']] for r in rows)",
    "a number among texts": "t = sum(W.get(r['code'], 0) for r in rows)",
    "a double among numbers": "t = sum(C.get(r['x'], 0) for r in rows)",
    "stored under it": "d = {'a': 1}; t = sum(d.setdefault(r['city'], 0) for r in rows)",
    "taken out": "d = {'a': 1}; t = sum(d.pop(r['city'], 0) for r in rows)",
    "a private default": "t = sum(W.get(r['city'], r['x']) for r in rows)",
    "tuples of two lengths": "t = sum(L.get(r['city'], (0,))[0] for r in rows)",
    "a tuple or a number": "t = sum(L.get(r['city'], 0) for r in rows)",
    "no sum": "t = [W.get(r['city'], 0) for r in rows]",
    "keys of two kinds": "d = {'a': 1, 2: 3}; t = sum(d.get(r['city'], 0) for r in rows)",
    "infinite": "d = {'a': float('inf')}; t = sum(d.get(r['city'], 0) for r in rows)",
    "no number": "d = {'a': float('nan')}; t = sum(d.get(r['city'], 0) for r in rows)",
}


@pytest.mark.parametrize("name", REJECTED)
def test_other_questions_are_rejected(name: str, tmp_path: Any) -> None:
    text = PROGRAM.format(name="f", body=f"    {REJECTED[name]}\n")
    with pytest.raises(NotProvedError):
        load(tmp_path, HEAD + text).f.at(b=1.0)
