"""`continue` in a loop over rows: in columns, and as plain Python."""

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
from metricdp.run.emit import Recording

#: Rounds of loops over rows, each also run as it stands here.
ROUNDS = {
    "first": """
        if r["i"] < 0:
            continue
        t += 1
        if r["j"] > 3:
            u += dp.clamp(r["x"], 0, 2)
            continue
        c[r["i"] % 3] += 1
""",
    "nested": """
        if r["i"] > 1:
            if r["j"] > 2:
                t += 1
                continue
            u -= 1
        elif r["j"] == 2:
            continue
        else:
            t += 2
            continue
            t += 9
        c[r["j"] % 3] += 1
        if r["x"] > 0:
            continue
        t += 1
        continue
""",
    "both": """
        if r["i"] > 1:
            t += 1
            continue
        else:
            u += 1
            continue
        t += 7
""",
    "kinds": """
        match r["i"]:
            case 1:
                t += 1
            case _:
                u += 1
        if not 0 <= r["i"] < 3:
            continue
        c[r["i"]] += 1
""",
}
BODY = """
@dp.measurement
def {name}(rows: dp.Records[Row], b: float):
    t, u, c = 0, 0.0, [0] * 3
    for r in rows:{round}    return dp.laplace([t, u, *c], scale=b)
"""
ROW = """
from typing import TypedDict

class Row(TypedDict):
    i: int
    j: int
    x: float
"""
PUBLIC = """
@dp.measurement
def every_other(rows: dp.Records[Row], n: int, b: float):
    out = []
    for k in range(n):
        if k % 2 == 0:
            continue
        out.append(dp.laplace(sum(1 for r in rows if r["i"] == k), scale=b))
    return out
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    rounds = (BODY.format(name=name, round=body) for name, body in ROUNDS.items())
    return load(tmp_path_factory.mktemp("continue"), "".join([ROW, *rounds, PUBLIC]))


def by_hand(name: str, rows: list[dict[str, Any]]) -> list[float]:
    class Plain:
        clamp = staticmethod(lambda x, lo, hi: min(max(x, lo), hi))
        measurement = staticmethod(lambda f: f)
        laplace = staticmethod(lambda values, scale: values)
        Records: Any = {}

    body = BODY.format(name=name, round=ROUNDS[name]).replace(": dp.Records[Row]", "")
    names: dict[str, Any] = {"dp": Plain}
    exec(body, names)
    found: list[float] = names[name](rows, 1.0)
    return found


@pytest.mark.parametrize("name", ROUNDS)
def test_rounds_are_those_of_plain_python(made: ModuleType, name: str) -> None:
    rng = random.Random(7)
    for count in (0, 1, 3, 9):
        rows = [
            {"i": rng.randrange(-1, 4), "j": rng.randrange(5), "x": rng.choice((-1.0, 0.5, 3.0))}
            for _ in range(count)
        ]
        found = []
        for evaluator in ("arrays", "reference"):
            record = Recording(dp.Seeded(7))
            with evaluated_by(evaluator, rows=3), dp.handling(record):
                getattr(made, name)(rows, b=1.0)
            found.append([plain(entry.value) for entry in record.log])
        assert found == [[by_hand(name, rows)]] * 2


def test_rounds_are_read_in_columns(made: ModuleType) -> None:
    by_row = {f.name: f.by_row for f in check_paths([str(made.__file__)]).functions}
    assert not any(by_row.values())


def test_public_rounds_that_are_skipped_cost_nothing(made: ModuleType) -> None:
    assert [made.every_other.at(n=n, b=1.0).map(1) for n in (0, 1, 2, 3, 5)] == [0, 0, 1, 1, 2]
    assert len(made.every_other([], n=5, b=1.0).value) == 2
