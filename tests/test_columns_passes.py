"""Passes over a table that are not planned again give what a table gives that is read first."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from column_graphs import LARGEST, evaluated_by

from metricdp.columns import repeated
from metricdp.columns.grids import ball_of
from metricdp.columns.language import (
    Node,
    add,
    called,
    clamp,
    constant,
    div,
    lt,
    mul,
    select,
    stack,
    sub,
    total,
)  # fmt: skip
from metricdp.columns.passes import Passes
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table

ROWS, WIDTH = 12, 3
RANDOM = np.random.default_rng(3)
COLUMNS = (
    Stored("double", 3 * RANDOM.normal(size=(ROWS, WIDTH))),
    Stored("double", RANDOM.normal(size=ROWS)),
)
X = Node("stored", (), "double", WIDTH, 0)
Y = Node("stored", (), "double", None, 1)
BALL = ball_of(Fraction(-4), Fraction(4), [("L2", Fraction(4))])

#: What rounds ask for of one table, from a vector and a number that are public.
ROUNDS: dict[str, Callable[[Any, Any], list[Any]]] = {
    "weights": lambda w, b: [mul(sub(total(mul(X, w)), Y), X)],
    "a number": lambda w, b: [mul(add(total(X), b), X), mul(div(Y, b), X)],
    "no values of a row": lambda w, b: [mul(X, mul(constant(w), constant(b)))],
    "a comparison": lambda w, b: [select(lt(Y, b), X, mul(X, 2.0))],
    "clamped": lambda w, b: [clamp(mul(X, w), -abs(b), abs(b))],
    "as it is": lambda w, b: [add(mul(X, 0.0), w), stack([constant(b), Y, constant(w[0])])],
    "one of them kept": lambda w, b: [mul(mul(X, [1.0, b, 1.0]), total(mul(X, w)))],
    "two alike": lambda w, b: [mul(X, w), mul(X, [*w[:2], b])],
    "once fixed, once free": lambda w, b: [mul(X, w), mul(mul(X, w), Y)],
    "nothing else": lambda w, b: [constant(w)],
    "kept, and read": lambda w, b: kept_and_read(constant(w), b),
    "a box": lambda w, b: [called(Doubled(b), mul(X, w))],
}


def kept_and_read(w: Node, b: float) -> list[Any]:
    """A vector that stays for some rounds: what is computed from it alone is kept."""
    return [mul(X, w), add(mul(X, b), w)]


class Doubled:
    """A function from outside, another one in every round."""

    width = WIDTH

    def __init__(self, number: float) -> None:
        self.number = number

    def row(self, row: Any) -> Any:
        return [x * self.number for x in row]

    def rows(self, rows: Any) -> Any:
        return rows * self.number


def publics(random: Random, alike: bool) -> list[tuple[tuple[float, ...], float]]:
    """Public numbers of rounds: some come back, some are equal for a while, some are extreme."""
    some = (0.0, 1.0, -0.5, 1e-300, 3.0)
    found: list[tuple[tuple[float, ...], float]] = []
    for _ in range(3):
        w, b = tuple(random.choice(some) for _ in range(WIDTH)), random.choice(some)
        found += [(w, b)] * random.choice((1, 1, 3))
        found.append(((*w[:2], b), b))
    return [*opening(random, alike), *found, ((LARGEST, LARGEST, -LARGEST), 1.0), found[0]]


def opening(random: Random, alike: bool) -> list[tuple[tuple[float, ...], float]]:
    """The first rounds, which decide what is remembered: other numbers in each, or the same vector,
    or two alike in the third one."""
    draw = random.random
    first = [((draw(), draw(), draw()), draw()) for _ in range(5)]
    if not alike:
        first[:4] = [(first[0][0], b) for _, b in first[:4]]
    else:
        *start, last = first[2][0]
        first[2:4] = [((*start, last), last), ((*start, draw()), last)]
    return first


@pytest.mark.parametrize("name", ROUNDS)
@pytest.mark.parametrize("held", [1 << 27, 400])
def test_rounds_give_what_the_first_would(
    name: str, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repeated, "_MOST", held)
    assert BALL is not None
    for seed in range(2):
        again, filtered = Table(COLUMNS, (X, Y)), Table(COLUMNS, (X, Y)).filtered(lt(0.1, Y))
        for w, b in publics(Random(seed), bool(seed % 2)):
            pairs = [(node, BALL) for node in ROUNDS[name](w, b)]
            fresh = Table(COLUMNS, (X, Y))
            assert again.ticks(pairs) == fresh.ticks(pairs)
            assert filtered.ticks(pairs) == fresh.filtered(lt(0.1, Y)).ticks(pairs)
        with evaluated_by("reference", rows=7):
            assert Table(COLUMNS, (X, Y)).ticks(pairs) == again.ticks(pairs)


def test_weights_are_not_planned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the fourth round on; nor do they leave anything behind."""
    planned: list[Any] = []
    inner = Passes._planned
    monkeypatch.setattr(Passes, "_planned", lambda *a: planned.append(a) or inner(*a))
    table, random = Table(COLUMNS, (X, Y)), Random(1)
    for _ in range(10):
        (node,) = ROUNDS["weights"]([random.random() for _ in range(WIDTH)], 0.0)
        table.ticks([(node, BALL)])
    assert len(planned) == 3


def test_what_another_pass_displaces_is_planned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeated, "_MOST", 500)
    table, random = Table(COLUMNS, (X, Y)), Random(2)
    for at in range(24):
        w = [random.random() for _ in range(WIDTH)]
        asked = [mul(mul(X, [1.0 + at // 6, 2.0, 3.0]), total(mul(X, w))), mul(X, w)]
        pairs = [(asked[at % 6 > 3], BALL)]
        assert table.ticks(pairs) == Table(COLUMNS, (X, Y)).ticks(pairs)
