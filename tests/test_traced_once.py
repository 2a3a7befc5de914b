"""Rounds that differ in public vectors alone: what is asked once gives what each would ask."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest
from column_graphs import evaluated_by

import metricdp as dp
from metricdp import L1, L2, Data, LInf
from metricdp.run import rowwise
from metricdp.run.emit import Seeded, handling
from metricdp.run.straight import read_from_outside

ROWS = np.vstack([np.random.default_rng(2).normal(0, 0.5, (8, 2)), [[3.0, 3.0]]])
LABELS = np.random.default_rng(3).normal(0, 0.5, 9)
Pairs = dp.Aligned[dp.Matrix[Data, LInf], dp.Vector[Data, L1]]


@dp.measurement(rho="rounds")
def descent(data: Pairs, start: tuple[float, ...], rounds: int):
    rows, labels = data
    weights = np.array(start)
    for _ in range(rounds):
        total = 0.0
        for row, label in zip(rows, labels, strict=True):
            x = dp.undisc(dp.clip(row, L2))
            off = dp.dot(x, weights) - dp.undisc(dp.clamp(label, -1, 1))
            total += dp.clamp(off, -1, 1) * x
        weights = weights - dp.gaussian(total, scale=5.0) / 2
    return weights


@dp.measurement(rho="rounds")
def growing(data: Pairs, start: tuple[float, ...], rounds: int):
    """Weights that leave every room, become none, and lose the sign of a zero."""
    rows, _ = data
    weights, found = np.array(start), np.zeros(len(start))
    for k in range(rounds):
        total = 0.0
        for row in rows:
            x = dp.undisc(dp.clip(row, L2))
            total += dp.clamp(dp.dot(x, weights), -1, 1) * x
        found = found * 3 + dp.gaussian(total, scale=5.0)
        weights = weights * -1e20
        weights = weights * 0.0 if k % 5 == 4 else weights
        weights = weights + found if k == 6 else weights
    return found


@dp.measurement(rho="rounds")
def two_in_turn(data: Pairs, start: tuple[float, ...], rounds: int):
    """Two vectors that change their places, beside a number that changes."""
    rows, _ = data
    first, second, found = np.array(start), np.array(start) * 2, np.zeros(len(start))
    size = 1.0
    for k in range(rounds):
        total = 0.0
        for row in rows:
            x = dp.undisc(dp.clip(row, L2))
            near = dp.dot(x, first) + dp.dot(second, x) * size
            total += dp.clamp(near, -1, 1) * x
        found = found * 3 + dp.gaussian(total, scale=5.0)
        first, second = second, first + found / 10**5 if k > 3 else first
        size = size / 2 if k == 8 else size
    return found


@dp.measurement(rho="rounds")
def endless(data: Pairs, start: tuple[float, ...], rounds: int):
    """Products that are no doubles from the fourth round on."""
    rows, labels = data
    weights, found = np.array((150.0, -150.0)), np.zeros(len(start))
    for k in range(rounds):
        total = 0.0
        for row, label in zip(rows, labels, strict=True):
            x = dp.undisc(dp.clamp(row, -2, 2))
            off = dp.dot(x, weights) - dp.undisc(dp.clamp(label, -1, 1))
            total += dp.clamp(off, -1, 1) * dp.undisc(dp.clip(row, L2))
        found = found * 3 + dp.gaussian(total, scale=5.0)
        weights = weights * 1e102 if k < 3 else weights
    return found


@dp.measurement(rho="rounds")
def in_a_helper(data: Pairs, start: tuple[float, ...], rounds: int):
    """One loop for several vectors, from one place."""
    rows, _ = data
    weights, found = np.array(start), np.zeros(len(start))
    for k in range(rounds):
        found = found * 3 + noisy(rows, weights if k % 2 else found)
        weights = weights - found / 10
    return found


def noisy(rows, weights):
    total = 0.0
    for row in rows:
        x = dp.undisc(dp.clip(row, L2))
        total += dp.clamp(dp.dot(x, weights), -1, 1) * x
    return dp.gaussian(total, scale=5.0)


PROGRAMS = {each.__name__: each for each in (descent, growing, two_in_turn, endless, in_a_helper)}


#: Rounds of twelve that are traced; a vector that outgrows its room is traced anew.
MOST_TRACES = {"descent": 4, "growing": 12, "two_in_turn": 9, "endless": 5, "in_a_helper": 6}


def released(program: Any, start: tuple[float, ...]) -> Any:
    with handling(Seeded(5)):
        return np.array(program((ROWS, LABELS), start, rounds=12).value).tolist()


@pytest.mark.parametrize("name", PROGRAMS)
def test_rounds_release_what_the_reference_does(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[int] = []
    trace = rowwise.asked
    monkeypatch.setattr(
        rowwise, "asked", lambda *args, **named: (times.append(1), trace(*args, **named))[1]
    )
    for start in ((0.5, -2.0), (0.0, -0.0), (1e200, 3.0)):
        times.clear()
        found = released(PROGRAMS[name], start)
        traces = len(times)
        with evaluated_by("reference"):
            assert found == released(PROGRAMS[name], start)
        assert len(times) - traces >= 12
        assert traces <= MOST_TRACES[name]


#: A round -> the vectors that inner products alone read, and what else is read from outside.
ROUNDS = {
    "total = m('add', None, total, m('dot', None, row, w))": (("w",), ()),
    "total = m('add', None, total, m('dot', None, w, row))": (("w",), ()),
    "x = m('clip', None, row, L2); total = m('dot', None, x, w)": (("w",), ("L2",)),
    "x, y = row; total = m('dot', None, m('mul', None, x, r), w)": (("w",), ("r",)),
    "total = m('clamp', None, m('dot', None, row, w), -1, _Exact(1, 2))": (("w",), ()),
    "total = m('add', None, m('dot', None, row, w), m('neg', None, w))": ((), ("w",)),
    # Products of what is public are public, and exact.
    "total = m('dot', None, v, w)": ((), ("v", "w")),
    "z = m('neg', None, v); total = m('dot', None, z, w)": ((), ("v", "w")),
    "z = (1, 2); total = m('dot', None, z, w)": None,
    "w = m('neg', None, w); total = m('dot', None, row, w)": ((), ("w",)),
    "total = m('dot', None, row, w[0])": None,
    "total = m('len', None, row)": None,
    "total = m('sin', None, row)": None,
    "total = f(row)": None,
    "total = _machine.box('f', row, w)": None,
    "total = _machine.arithmetic('add', v, w)": None,
    "total = m('dot', None, *row)": None,
    "total = _Exact(k, 1)": None,
    "if row: total = 1": None,
    "total[0] = row": None,
    "total = row if w else w": None,
    "total += row": None,
}


@pytest.mark.parametrize("body", ROUNDS)
def test_what_a_round_reads_is_known_or_it_is_another_round(body: str) -> None:
    text = body.replace("m('", "_machine.primitive('")
    lines = "".join(f"\n    {line.strip()}" for line in text.split(";"))
    (round_,) = ast.parse(f"def f(row, total):{lines}\n    return (total,)").body
    assert isinstance(round_, ast.FunctionDef)
    assert read_from_outside(round_) == ROUNDS[body]
