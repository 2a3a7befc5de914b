"""Filters by released numbers, charged as parts of a table: attacked by exact losses of real runs.

Random programs release numbers, change them, carry them through loops, and count the rows that they
cut off.  Laplace noise has all of |v - w| / scale as its loss, so the loss of a run along its own
releases is exact, and nothing here has false alarms.
"""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from checked_modules import load
from test_filters import loss

from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.values import public
from metricdp.errors import NotProvedError

HEAD = """
import metricdp as dp

def part(v, limit):
    return 0 if v < limit else (1 if v < limit + 2 else 2)

def above(v, limit):
    return v >= limit

"""
#: Pairs of tests that exclude each other where they are about one number.
TESTS = (
    ("part(v, {t}) == 0", "part(v, {t}) == 1"), ("part(v, {t}) == 2", "part(v, {t}) == 0"),
    ("v < {t}", "v >= {t}"), ("above(v, {t})", "not above(v, {t})"),
    ("v < {t} * 2", "v >= {t} * 2"),
    ("min((0, 1), key=lambda j: abs(v - j * {t})) == 1",
     "min((0, 1), key=lambda j: abs(v - j * {t})) == 0"),
)  # fmt: skip
CHANGES = ("t = t - 2", "t = t + a", "t = a", "t = s", "held[0] = held[0] + 1", "held[0] = t",
           "pass", "s = t if t < s else s")  # fmt: skip
PROGRAMS = 24


def program(rng: random.Random) -> str:
    """Two counts of what a number cuts off, and a change of numbers between them or before."""
    limits = [rng.choice(("t", "t", "t", "s", "held[0]"))] * 2
    limits[1] = rng.choice((limits[0], limits[0], "t", "s"))
    pair = zip(rng.choice(TESTS), limits, strict=True)
    tests = [test.format(t=limit) for test, limit in pair]
    counts = [f"{name} = dp.laplace(len([v for v in xs if {test}]), scale=1 / eps)"
              for name, test in zip("ab", tests, strict=True)]  # fmt: skip
    round_ = [*counts, rng.choice(CHANGES)]
    if rng.random() < 0.6:
        rng.shuffle(round_)
    head = rng.choice(("for i in range(n):", "for i in (0, 1):", "if True:"))
    lines = ["t, s, held, a, b = 2.0, 4.0, [3.0], 0.0, 0.0"]
    if rng.random() < 0.5:
        lines.append("t = dp.laplace(len(xs), scale=1 / eps)")
    lines += [head, *("    " + each for each in round_), "return a, b"]
    body = "".join(f"    {line}\n" for line in lines)
    return "@dp.measurement\ndef f(xs: dp.Records[float], n: int, eps: float):\n" + body


def attacked(seeds: range, folder: Path) -> tuple[list[int], int, int]:
    """Programs whose loss is larger than what was proved; how many were, and at less than the sum
    of all noises."""
    wrong, held, parts = [], 0, 0
    for seed in seeds:
        rng = random.Random(seed)
        text = program(rng)
        function: Any = load(folder, text, HEAD).f
        try:
            claimed = Fraction(function.map(1, n=2, eps=1.0))
        except NotProvedError:
            continue
        held += 1
        table = [float(rng.randint(-2, 6)) for _ in range(2)]
        losses = [
            loss(_At(function), table, [*table, float(row)], seed) for row in (-2, 0, 1, 3, 4, 6)
        ]
        if max(losses) > claimed:
            wrong.append(seed)
        rounds = 1 if "if True" in text else 2
        parts += claimed < 2 * rounds + text.count("len(xs)")
    return wrong, held, parts


class _At:
    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, table: list[float], eps: float) -> Any:
        return self.function(table, n=2, eps=eps)


def test_no_history_costs_more_than_was_proved(tmp_path: Path) -> None:
    wrong, held, parts = attacked(range(PROGRAMS), tmp_path)
    assert not wrong
    assert held > PROGRAMS / 2 and parts > 4, (held, parts)


def test_the_attack_sees_a_name_that_forgets_its_rounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fix(domain: PrivacyDomain, value: Any) -> Any:
        return ("fixed", 0) if public.kind(value) else None

    monkeypatch.setattr(PrivacyDomain, "fix", fix)
    assert any(attacked(range(seed, seed + 1), tmp_path)[0] for seed in range(PROGRAMS))
