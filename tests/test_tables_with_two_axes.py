"""Entries of an array with two axes, whose positions rows choose: as NumPy adds, and charged so."""

from __future__ import annotations

import random
from types import ModuleType
from typing import Any

import numpy as np
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
import numpy as np

class Row(TypedDict):
    i: int
    j: int
    x: float
"""
PROGRAM = """
@dp.measurement
def {name}(rows: {rows}, n: int, b: float):
    {start}
{loops}
    return dp.laplace(table, scale=b)
"""
START = "table = np.zeros((3, 2))"
ONE = "    for r in rows:\n        table[min(max(r['i'], 0), 2), r['j'] % 2] += 1"
#: Start, loops, and what one row costs where it is added or removed, at b = 1 and n = 3.
CASES = {
    "counts": (START, ONE, 1),
    "ones": ("table = np.ones((n, 2))", """
    for r in rows:
        if 0 <= r['i'] < n and 0 <= r['j'] < 2:
            table[r['i'], r['j']] += 1
        elif r['j'] == 5:
            table[0, r['i'] % 2] -= dp.clamp(r['x'], 0, 2)
        else:
            table[0, 1] += 1""", 2),
    "sums": (START, """
    for r in rows:
        if r['j'] < 0:
            continue
        table[r['i'] % 3, r['j'] % 2] += dp.clamp(r['x'], -3, 2)""", 3),
    "twice": (START, ONE + "\n    for r in rows:\n        table[0, r['j'] % 2] += 2", 3),
    "in_one_round": (START, ONE + "\n        table[2, r['i'] % 2] -= 1", 2),
    "by_row": (START, """
    for r in rows:
        if r['j'] > 0:
            if r['i'] > 1:
                table[0, 1] += 1
                continue
            table[1, r['j'] % 2] += 1
        table[r['i'] % 3, r['j'] % 2] += dp.clamp(r['x'], -1, 2)""", 3),
}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    kinds = {"": "dp.Records[Row]", "_replaced": "dp.Records[Row, dp.ChangeOne]"}
    texts = [
        PROGRAM.format(name=name + end, rows=rows, start=start, loops=loops)
        for name, (start, loops, _) in CASES.items() for end, rows in kinds.items()
    ]  # fmt: skip
    return load(tmp_path_factory.mktemp("tables"), HEAD + "".join(texts))


def by_hand(name: str, rows: list[dict[str, Any]], n: int) -> list[float]:
    """The same statements in plain NumPy."""
    start, loops, _ = CASES[name]
    lines = f"{start}\n" + "\n".join(line[4:] for line in loops.strip("\n").splitlines())
    names: dict[str, Any] = {"np": np, "rows": rows, "n": n, "dp": _Plain}
    exec(lines, names)
    found: list[float] = names["table"].ravel().tolist()
    return found


class _Plain:
    @staticmethod
    def clamp(x: float, low: float, high: float) -> float:
        return min(max(x, low), high)


def entered(program: Any, rows: list[dict[str, Any]]) -> list[float]:
    found = []
    for evaluator in ("arrays", "reference"):
        record = Recording(dp.Seeded(7))
        with evaluated_by(evaluator, rows=3), dp.handling(record):
            assert program(rows, n=3, b=1.0).value.shape == (3, 2)
        (entry,) = record.log
        found.append(np.array(plain(entry.value), float).ravel().tolist())
    assert found[0] == found[1]
    return found[0]


def some_row(rng: random.Random) -> dict[str, Any]:
    x = rng.choice((-9.0, -0.0, 0.25, 8.0))
    return {"i": rng.randrange(-1, 5), "j": rng.randrange(-1, 7), "x": x}


@pytest.mark.parametrize("name", CASES)
def test_entries_are_those_of_numpy_and_move_as_charged(made: ModuleType, name: str) -> None:
    program, replaced = getattr(made, name), getattr(made, f"{name}_replaced")
    assert program.at(n=3, b=1.0).map(1) == CASES[name][2]
    assert replaced.at(n=3, b=1.0).map(1) == 2 * CASES[name][2]
    rng = random.Random(5)
    for count in (0, 1, 2, 7):
        rows = [some_row(rng) for _ in range(count)]
        here = entered(program, rows)
        assert here == by_hand(name, rows, 3) == entered(replaced, rows)
        more = by_hand(name, [*rows, some_row(rng)], 3)
        assert sum(abs(x - y) for x, y in zip(here, more, strict=True)) <= CASES[name][2]


def test_they_are_read_in_columns(made: ModuleType) -> None:
    by_row = {f.name: bool(f.by_row) for f in check_paths([str(made.__file__)]).functions}
    assert by_row == {name: name.startswith("by_row") for name in by_row}


REJECTED = {
    "a position that may lie outside": (START, "table[r['i'], 0] += 1"),
    "a column that may lie outside": (START, "table[0, r['i'] % 3] += 1"),
    "a position from the end": (START, "table[-1, r['i'] % 2] += 1"),
    "a position that is no whole number": (START, "table[dp.clamp(r['x'], 0, 2), 0] += 1"),
    "a truth value": (START, "table[r['i'] > 2, 0] += 1"),
    "a truth value in a list of counts": ("table = np.zeros(3)", "table[r['i'] > 2] += 1"),
    "a literal truth value": (START, "table[True, r['i'] % 2] += 1"),
    "a whole row": (START, "table[r['i'] % 3] += 1"),
    "a slice": (START, "table[r['i'] % 3, :] += 1"),
    "a row of it": (START, "table[r['i'] % 3][0] += 1"),
    "three positions": (START, "table[0, 0, r['i'] % 2] += 1"),
    "a product": (START, "table[r['i'] % 3, 0] *= 2"),
    "a store": (START, "table[r['i'] % 3, 0] = 1"),
    "no bound": (START, "table[r['i'] % 3, 0] += r['x']"),
    "itself": (START, "table[r['i'] % 3, 0] += table[0, 0]"),
    "another name": (START + "; same = table", "table[r['i'] % 3, 0] += 1; same[0, 0] += 1"),
    "a view": (START + "; view = table[0]", "table[r['i'] % 3, 0] += 1; view[0] += 1"),
    "transposed": (START + "; view = table.T", "table[r['i'] % 3, 0] += 1"),
    "reshaped": (START + "; view = table.reshape(6)", "table[r['i'] % 3, 0] += 1"),
    "in a list": (START + "; kept = [table]", "table[r['i'] % 3, 0] += 1"),
    "unknown columns": ("table = np.zeros((3, n))", "table[r['i'] % 3, 0] += 1"),
    "one list in all rows": ("table = [[0] * 2] * 3", "table[r['i'] % 3][0] += 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", REJECTED)
def test_what_numpy_would_do_otherwise_is_rejected(name: str, tmp_path: Any) -> None:
    start, line = REJECTED[name]
    loops = f"    for r in rows:\n        {line}"
    text = PROGRAM.format(name="f", rows="dp.Records[Row]", start=start, loops=loops)
    with pytest.raises(NotProvedError):
        load(tmp_path, HEAD + text).f.at(n=3, b=1.0)


def test_a_second_loop_adds_to_the_counts_of_the_first(tmp_path: Any) -> None:
    """A vector of small numbers is held as a list of rationals between the loops."""
    loops = "".join(f"\n    for v in rows:\n        table[v % {n}] += 1" for n in (3, 2))
    text = PROGRAM.format(
        name="f", rows="dp.Records[int]", start="table = np.zeros(3)", loops=loops
    )
    program = load(tmp_path, HEAD + text).f
    for rows, counts in (([], [0, 0, 0]), ([1, 5], [0, 3, 1])):
        record = Recording(dp.Seeded(7))
        with dp.handling(record):
            program(rows, n=3, b=1.0)
        assert [plain(entry.value) for entry in record.log] == [counts]
