"""Attacks on the audit itself: programs that leak, and that an audit once said to survive.

Sampled audits here have the confidence of their default, 1 - 1e-6, or the one that is stated; seeds
are fixed.
"""

from __future__ import annotations

import copy
import functools
import json
import logging
import math
import pickle
import random
import struct
import sys
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import metricdp as dp
from metricdp import audit
from metricdp.audit.replaying.decisions import DecidedDraw, Decisions, Endless
from metricdp.audit.replaying.operations import READ, SPECIAL
from metricdp.audit.replaying.plainly import contradiction
from metricdp.errors import ParameterError, ReplayError

PAIRS = [([], [1.0])]
QUICK: dict[str, Any] = {"pairs": PAIRS, "epsilon": 1, "samples": 1500, "seconds": 60}
KEPT: list[float] = []
CACHE: dict[str, float] = {}

Program = Callable[..., Any]


def refuted(program: Program, **options: Any) -> bool:
    return audit.audited(program, **QUICK | options)[-1].refuted


OPERATIONS: list[Callable[[Any], Any]] = [
    np.cos, np.log, np.exp, np.sqrt, np.round, np.sign, np.tanh, np.isnan, np.asarray, np.float64,
    math.log, math.floor, math.isnan, float, complex, str, repr, hash, bool, json.dumps,
    pickle.dumps, copy.deepcopy, round, abs, format, type, lambda u: struct.pack("d", u),
    lambda u: f"{u:.3f}", lambda u: "%d".__mod__(u), lambda u: u == 0.5, lambda u: {u: 1},
    lambda u: isinstance(u, float), lambda u: u.real, lambda u: u.is_integer(), lambda u: u**2,
    lambda u: u // 1, lambda u: divmod(u, 1), lambda u: sorted([u, 0.5, u]), lambda u: [1][u:],
    lambda u: np.array([u, 1.0]).prod(), lambda u: np.where(u < 2, u, 0), lambda u: max(u, u * u),
    lambda u: np.add(1.0, u, out=np.zeros(())), lambda u: np.full(2, u).astype(float),
    lambda u: u.as_integer_ratio(), lambda u: getattr(u, "hex", None), lambda u: iter(u),
]  # fmt: skip


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("caught", [False, True])
def test_an_operation_that_no_stand_in_follows_decides_nothing(
    operation: Any, caught: bool
) -> None:
    """Whether the program catches the error or not: never "exactly"."""

    def program(rows: list[float], rng: Any) -> Any:
        draw = rng.random()
        try:
            operation(draw)
        except:  # noqa: E722
            if not caught:
                raise
        return bool(draw < 0.5) if caught else len(rows)

    try:
        found = audit.replay(program, pairs=PAIRS, epsilon=1)
    except ReplayError:
        return
    # The count is not computed from the draw, so two runs say that it leaks.
    assert found.refuted or found.auditor != "exact" or operation is type


@pytest.mark.parametrize("name", sorted(SPECIAL))
def test_every_special_method_is_answered_or_ends_the_run(name: str) -> None:
    """The method exists on the type, so Python never fails with an error of its own."""
    assert name in dir(DecidedDraw) or hasattr(DecidedDraw, name)
    followed = "add radd mul rmul sub rsub truediv neg pos lt le gt ge array_ufunc".split()
    if name.strip("_") in followed:
        return
    decisions = Decisions()
    held = getattr(DecidedDraw, name)
    with pytest.raises(Endless):
        held.fget(DecidedDraw(decisions)) if name in READ else held(DecidedDraw(decisions), 1)
    assert decisions.endless is not None


def test_two_draws_of_a_box_and_muller_are_refuted_by_samples() -> None:
    def program(rows: list[float], rng: Any) -> Any:
        radius = np.sqrt(-2 * np.log(rng.random()))
        return len(rows) + 0.1 * radius * np.cos(2 * np.pi * rng.random())

    assert refuted(program)


def test_a_program_that_asks_for_the_type_of_its_draw_is_refuted() -> None:
    def of_coin(rows: list[float]) -> Any:
        draw = random.random()
        return len(rows) if type(draw) is float else draw < 0.5

    def of_noise(rows: list[float]) -> Any:
        noise = np.random.laplace(scale=1e-3)
        return len(rows) + noise if type(noise) is float else 0.0

    for program in (of_coin, of_noise):
        with pytest.raises(ReplayError):
            audit.replay(program, pairs=PAIRS, epsilon=1)
        assert refuted(program)


def test_a_source_that_nobody_replaced_is_seen_by_plain_runs() -> None:
    """`np.random.rand` is drawn as it is: one run is followed, and plain runs show others."""

    def program(rows: list[float], rng: Any) -> Any:
        return bool(np.random.rand() < (0.99 if rows else 0.01)), rng.random() < 0.5

    with pytest.raises(ReplayError):
        audit.replay(program, pairs=PAIRS, epsilon=1)
    assert refuted(program)


def test_plain_runs_contradict_another_law() -> None:
    """False alarm at most 1e-9 for a true law; 500 outcomes of a fair coin at 0.7 are not one."""
    law = {"a": Fraction(1, 2), "b": Fraction(1, 2)}
    assert contradiction(law, ["a"] * 250 + ["b"] * 250) == ""
    assert contradiction(law, ["a"] * 290 + ["b"] * 210) == ""
    assert contradiction(law, ["a"] * 350 + ["b"] * 150) != ""
    assert contradiction(law, ["a"] * 499 + ["c"]) != ""
    assert contradiction({"a": Fraction(1)}, ["a"] * 500) == ""


def test_errors_in_every_run_say_nothing() -> None:
    def fails(rows: list[float], rng: Any) -> Any:
        return bool(rng.random() < 0.5) / 0

    with pytest.raises(ReplayError, match="every run fails"):
        audit.replay(fails, pairs=PAIRS, epsilon=1)
    with pytest.raises(ParameterError, match="every run fails"):
        audit.audited(fails, **QUICK)


class Telling(Exception):
    """An error with something in it."""

    held: Any


def _long(count: int) -> None:
    raise ValueError("x" * 100 + str(count))


def _noted(count: int) -> None:
    error = ValueError("rows")
    error.add_note(str(count))
    raise error


def _held(count: int) -> None:
    error = Telling()
    error.held = count
    raise error


def _caused(count: int) -> None:
    try:
        raise KeyError(count)
    except KeyError as error:
        raise ValueError("rows") from error


def _hidden(count: int) -> None:
    try:
        raise KeyError(count)
    except KeyError:
        raise ValueError("rows") from None


def _at_another_line(count: int) -> None:
    if count:
        raise ValueError("rows")
    raise ValueError("rows")


@pytest.mark.parametrize("fail", [_long, _noted, _held, _caused, _hidden, _at_another_line])
def test_errors_that_tell_are_refuted(fail: Any) -> None:
    """Text, notes, attributes, causes and lines of an error are read by whoever gets it."""

    def program(rows: list[float], rng: Any) -> float:
        if np.sqrt(rng.random()) < 0.9:
            fail(len(rows))
        return 0.0

    assert refuted(program)
    assert audit.replay(lambda rows: fail(len(rows)), pairs=PAIRS, epsilon=1).refuted


def _prints(count: int) -> None:
    print(count)


def _prints_an_error(count: int) -> None:
    print(count, file=sys.stderr)


def _warns(count: int) -> None:
    warnings.warn(f"{count} rows", stacklevel=1)


def _logs(count: int) -> None:
    logging.getLogger("rows").warning("%d rows", count)


def _keeps(count: int) -> None:
    KEPT.append(count)


def _makes(count: int) -> None:
    globals()["made"] = count


@pytest.mark.parametrize("tell", [_prints, _prints_an_error, _warns, _logs, _keeps, _makes])
def test_what_is_told_beside_noise_that_no_replay_follows_is_refuted(tell: Any) -> None:
    def program(rows: list[float], rng: Any) -> Any:
        tell(len(rows))
        return np.log(rng.random())

    assert refuted(program)
    assert not KEPT and "made" not in globals()


def test_a_program_that_empties_its_input_is_refuted() -> None:
    def program(rows: list[float], rng: Any) -> Any:
        count = len(rows)
        rows.clear()
        return count + 0.01 * np.log(rng.random())

    assert refuted(program)


def test_an_answer_that_is_kept_from_the_first_run_is_refuted() -> None:
    def kept(rows: list[float], rng: Any) -> Any:
        CACHE.setdefault("count", len(rows))
        return CACHE["count"] + 0.01 * np.log(rng.random())

    @functools.lru_cache
    def once(*_: Any) -> float:
        return 1 + 0.01 * np.log(random.random())

    def cached(rows: list[float]) -> Any:
        return len(rows) * once()

    assert refuted(kept)
    assert refuted(cached)
    assert not CACHE


def test_a_program_that_remembers_its_noise_survives() -> None:
    """One answer per data set, drawn once: the cache is emptied, so each run draws its own."""

    @functools.lru_cache
    def answer(count: int) -> float:
        noise = math.log(random.random()) * random.choice((-1, 1))
        return round(count + noise, 1)

    assert not refuted(lambda rows: answer(len(rows)), samples=4000)


def test_a_space_of_rows_is_refuted_too() -> None:
    def program(rows: list[float], rng: Any) -> Any:
        return len(rows) + 1e-9 * np.cos(rng.random())

    options = QUICK | {"pairs": None, "space": dp.Records[float], "samples": 1000}
    assert audit.audited(program, **options)[-1].refuted
