"""Ranges of quotients whose parts have something in common, against exact numbers in corners."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

from checked_modules import load

from metricdp.check.domain import quotients
from metricdp.check.domain.state import CheckState
from metricdp.check.values.forms import Form
from metricdp.check.values.objects import Value
from metricdp.expr import INF, Expr, num
from metricdp.run.emit import Recording, Seeded, handling
from metricdp.spaces import NEG_INF, Scalar

SPACES = [(0, None), (0, 3), (1, None), (-2, 5), (None, 4), (None, None), (2, 2), (-3, -1)]


def _end(value: int | None, other: Expr) -> Expr:
    return other if value is None else num(value)


def test_no_quotient_leaves_its_range() -> None:
    rng = random.Random(7)
    known = 0
    for _ in range(800):
        state, ends = CheckState(), []
        for _ in range(rng.randint(1, 3)):
            low, high = rng.choice(SPACES)
            state.atom(Scalar("Real", _end(low, NEG_INF), _end(high, INF)), {})
            ends.append((-(10**6) if low is None else low, 10**6 if high is None else high))
        parts: list[tuple[list[int], int]] = []
        for _ in range(2):
            parts.append(([rng.choice([0, 1, 1, 2, -1]) for _ in ends], rng.choice([0, 0, 1, 3])))
        if rng.random() < 0.7:  # a divisor that holds what is divided
            parts[1] = (
                [a + abs(b) for a, b in zip(*(p[0] for p in parts), strict=True)],
                parts[1][1],
            )
        given: dict[str, Any] = {}
        for name, (factors, constant) in zip("xy", parts, strict=True):
            terms = tuple((i, num(c)) for i, c in enumerate(factors) if c)
            given[name] = Value("private", Scalar("Real"), Form(terms, num(constant)))
        found = quotients.bounds(state, given)
        if found is None:
            continue
        known += 1
        for _ in range(30):
            t = [Fraction(rng.choice([*each, rng.uniform(*each), min(max(0, each[0]), each[1])]))
                 for each in ends]  # fmt: skip
            x, y = (
                sum(c * v for c, v in zip(factors, t, strict=True)) + constant
                for factors, constant in parts
            )
            quotient = x / y if y else Fraction(0)
            assert found[0].as_fraction() <= quotient <= found[1].as_fraction()  # type: ignore
    assert known > 80


PROGRAM = """
import math
from typing import NamedTuple

class Row(NamedTuple):
    a: float
    b: float

@dp.measurement
def share(rows: dp.Records[Row]):
    return dp.laplace(sum(max(r.a, 0) / (max(r.a, 0) + max(r.b, 0)) for r in rows), scale=1)

@dp.measurement
def squashed(rows: dp.Records[Row]):
    return dp.laplace(sum(r.a / (1 + abs(r.a)) for r in rows), scale=1)

@dp.measurement
def logistic(rows: dp.Records[Row]):
    return dp.laplace(sum(math.exp(r.a) / (math.exp(r.a) + 1) for r in rows), scale=1)

@dp.measurement
def odds(rows: dp.Records[Row]):
    total = 0.0
    for r in rows:
        if r.a > 0 and r.b > 0:
            total += (3 * r.a + r.b) / (r.a + r.b)
    return dp.laplace(total, scale=1)
"""


def test_no_row_adds_more_than_its_quotient_may_be(tmp_path: Path) -> None:
    module = load(tmp_path, PROGRAM)
    values = [0.0, -0.0, 1.0, 5e-324, 1e308, -1e308, float("inf"), float("nan"), 800.0, 1e-17]
    for function in (module.share, module.squashed, module.logistic, module.odds):
        most = Fraction(function.map(1))
        assert most == (3 if function is module.odds else 1)
        for a, b in product(values, values):
            recorder = Recording(Seeded(1))
            with handling(recorder):
                function([module.Row(a, b)])
            (entry,) = recorder.log
            assert abs(Fraction(entry.value)) <= most
