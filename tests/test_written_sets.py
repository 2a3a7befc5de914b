"""Loops over sets that are written: what one row meets, counted out for every order of the sets."""

from __future__ import annotations

import random
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest
from checked_modules import load
from depth import depth

from metricdp.check.language import iteration
from metricdp.check.values import sequences

LETTERS = "abcd"
TESTS = (
    "r == k", "r == j", "r == k or r == j", "r == k and s == j", "r == k or s == j", "r != k",
    "r == k and s != j", "r != k and r == j", "r == k and r == j",
)  # fmt: skip


def programs(folder: Path, count: int) -> list[tuple[Any, set[str], set[str], bool, str]]:
    """Random loops over two sets, side by side or one in the other."""
    rng, text, made = random.Random(3), "", []
    for n in range(count):
        first = rng.sample(LETTERS, rng.randint(1, 4))
        second = rng.sample(LETTERS if rng.random() < 0.7 else first, len(first))
        zipped, test = rng.random() < 0.5, rng.choice(TESTS)
        one = "{" + ", ".join(map(repr, first)) + "}"
        other = f"frozenset({tuple(second)!r})"
        loops = f"    for k, j in zip({one}, {other}):\n        "
        if not zipped:
            loops = f"    for k in {one}:\n        for j in {other}:\n            "
        text += (
            f"@dp.measurement\ndef p{n}(rows: dp.Records[tuple[str, str]], eps: float):\n"
            f"    out = {{}}\n{loops}out[k, j] = dp.laplace("
            f"sum(1 for r, s in rows if {test}), epsilon=eps)\n    return out\n\n\n"
        )
        made.append((set(first), set(second), zipped, test))
    module = load(folder, text)
    return [(getattr(module, f"p{n}"), *each) for n, each in enumerate(made)]


def met(pairs: Any, test: str) -> int:
    """The largest number of rounds that count one row."""
    rows = product(LETTERS + "z", repeat=2)
    return max(sum(eval(test, {"r": r, "s": s, "k": k, "j": j}) for k, j in pairs) for r, s in rows)


def below(folder: Path, count: int) -> tuple[list[str], int]:
    """Programs that cost less than one row can meet, and how many cost just that."""
    wrong, tight = [], 0
    for function, first, second, zipped, test in programs(folder, count):
        assert function.outcome.verdict == "proved"
        ways = [[*zip(first, way, strict=True)] for way in permutations(second)]
        most = max(met(way, test) for way in (ways if zipped else [[*product(first, second)]]))
        for distance in (1, 2, 3):
            cost = function.map(distance, eps=1.0)
            cost = cost[0] if isinstance(cost, tuple) else cost
            if cost < distance * most:
                wrong.append(f"{function.__name__}: {test}")
            tight += cost == distance * most
    return wrong, tight


def test_no_loop_costs_less_than_a_row_meets(tmp_path: Path) -> None:
    count = depth(30, 300)
    wrong, tight = below(tmp_path, count)
    assert not wrong and tight >= 2 * count


def test_sets_of_one_name_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where two sets were known to give their items in one order."""
    found = sequences.of_a_set
    monkeypatch.setattr(iteration.sequences, "of_a_set", lambda items, _: found(items, "one"))
    assert below(tmp_path, 30)[0]
