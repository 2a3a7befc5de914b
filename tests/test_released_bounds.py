"""Bounds that were released: noise follows what was drawn, rows are moved into it, replays hold."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checked_modules import load

import metricdp as dp
from metricdp.audit import replay
from metricdp.check.domain import drawn
from metricdp.checked.charged import Released
from metricdp.errors import InternalError, PostProcessingError
from metricdp.run.emit import Recording, Seeded, handling


@dp.measurement
def both_ends(pay: dp.Records[float], eps: float) -> Any:
    lo = -dp.laplace(dp.count(pay), epsilon=eps)
    hi = max(dp.laplace(dp.count(pay), epsilon=eps), 1)
    return dp.laplace(dp.sum(dp.clamp(pay, lo, hi)), epsilon=eps)


@dp.measurement
def by_rows(pay: dp.Records[float], eps: float) -> Any:
    hi = dp.interval_quantile(pay, 0, 1000, 0.9, epsilon=eps)
    return dp.laplace(sum(min(max(v, 0), hi) for v in pay), scale=hi / eps)


@dp.measurement
def choice(pay: dp.Records[float, dp.ChangeOne], eps: float) -> Any:
    hi = dp.laplace(dp.sum(dp.clamp(pay, 0, 9)), epsilon=eps)
    lo = dp.laplace(dp.sum(dp.clamp(pay, 0, 9)), epsilon=eps)
    return dp.laplace(dp.sum(dp.clamp(pay, min(lo, hi), max(lo, hi))), epsilon=eps), hi, lo


@dp.measurement
def among(pay: dp.Records[float], eps: float) -> Any:
    hi = dp.private_quantile(pay, (0,), 0.9, epsilon=eps)
    return dp.laplace(dp.sum(dp.clamp(pay, 0, hi)), epsilon=eps)


HOSTILE = [float("nan"), float("inf"), float("-inf"), -0.0, 1e308, -5.0, 3.25]


@pytest.mark.parametrize("program", [both_ends, by_rows])
@pytest.mark.parametrize("pay", [[], [3.0], HOSTILE, [0.1 * i for i in range(999)]])
def test_what_is_hidden_is_what_python_computes(program: Any, pay: list[float]) -> None:
    for kind in (list, np.array):
        record = Recording(Seeded(5))
        with handling(record):
            program(kind(pay), eps=1)
        *earlier, last = record.log
        hi = earlier[-1].output if program is by_rows else max(earlier[-1].output, 1)
        lo = 0.0 if program is by_rows else -earlier[0].output
        cleaned = [0.0 if v != v else v for v in pay]
        exact = sum(max(Fraction(lo), min(Fraction(min(max(v, -1e308), 1e308)), Fraction(hi)))
                    for v in cleaned)  # fmt: skip
        assert abs(Fraction(last.value) - exact) <= len(pay) * Fraction(hi) / 2**40
        most = max(abs(Fraction(lo)), abs(max(Fraction(lo), Fraction(hi))))
        assert last.draw.bound == most == last.draw.scale


@dp.measurement
def reversed_ends(pay: dp.Records[float], eps: float) -> Any:
    lo = dp.private_quantile(pay, (70,), 0.1, epsilon=eps)
    hi = dp.private_quantile(pay, (30,), 0.9, epsilon=eps)
    inside = [min(max(v, lo), hi) for v in pay]  # the upper end last: it wins
    return dp.laplace(dp.sum(dp.clamp(pay, lo, hi)), epsilon=eps), dp.laplace(
        dp.sum(inside), epsilon=eps
    )


def test_reversed_ends_have_a_value() -> None:
    for kind in (list, np.array):
        record = Recording(Seeded(5))
        with handling(record):
            reversed_ends(kind([0.0, 50.0, 100.0]), eps=1)
        assert [entry.value for entry in record.log[-2:]] == [210, 90]
        assert [entry.draw.bound for entry in record.log[-2:]] == [70, 30]


def test_a_bound_of_zero_hides_nothing_and_shows_nothing() -> None:
    found = among([5.0, 7.0], eps=1)
    assert found.value == 0 and found.draws[-1].scale == 0


@pytest.mark.parametrize("program", [both_ends, choice])
def test_replays_attain_the_charge(program: Any) -> None:
    public = {"eps": 1.0} if program is both_ends else {"eps": 1.0, "len_pay": 3}
    verdict = replay(program, public=public, most=12)
    assert not verdict.refuted and verdict.closest == 1


def test_half_of_the_unit_is_refuted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    unit = drawn.DrawnNumbers.unit

    def halved(self: Any, *given: Any) -> Any:
        found = unit(self, *given)
        if found is None:
            return None
        return drawn.MovementUnit(found.size / 2, found.drawn, found.moves, found.scale)

    monkeypatch.setattr(drawn.DrawnNumbers, "unit", halved)

    text = """
    @dp.measurement
    def wrong(pay: dp.Records[float], eps: float):
        hi = max(dp.laplace(dp.count(pay), epsilon=eps), 1)
        return dp.laplace(dp.sum(dp.clamp(pay, 0, hi)), epsilon=eps)
    """
    wrong = load(tmp_path, text).wrong  # read after the unit was halved
    assert replay(wrong, public={"eps": 1.0}, most=40).refuted


def test_a_number_that_is_released_twice_is_none() -> None:
    released = Released()
    with pytest.raises(InternalError, match="no single number"):
        released.number("here")
    released.note("here", 2.5)
    assert released.number("here") == Fraction(5, 2)
    released.note("here", 2.5)
    released.note("there", float("inf"))
    released.note("huge", 10**400)  # no double, and a number
    assert released.number("huge") == 10**400
    for site in ("here", "there"):
        with pytest.raises(InternalError, match="no single number"):
            released.number(site)
    assert released.known({"a": "here", "b": "there", "c": "huge"}) == {"c": 10**400}


@dp.measurement
def of_halves(pay: dp.Records[float], eps: float) -> Any:
    hi = dp.private_quantile(pay, (0.5, 2.5), 0.9, epsilon=eps)
    return dp.laplace(dp.sum(dp.clamp(pay, 0, hi)), epsilon=eps)


def test_candidates_that_are_no_whole_numbers_are_bounds() -> None:
    record = Recording(Seeded(5))
    with handling(record):
        of_halves([4.0] * 100, eps=1)
    first, last = record.log
    assert float(first.output) == 2.5 and last.draw.scale == Fraction(5, 2)


# -- bounds that Python computes of what was released ---------------------------------------------


@dp.measurement
def computed(pay: dp.Records[float], eps: float) -> Any:
    counts = dp.laplace(dp.histogram(pay, edges=(0, 1, 2, 4)), epsilon=eps)
    best = int(np.argmax(counts))
    low, high = -best / 3, (1.7 * counts).max() if best > 1 else np.int64(best + 1)
    return dp.laplace(dp.sum(dp.clamp(pay, low, high)), epsilon=eps), low, high


@dp.measurement
def by_hand(pay: dp.Records[float], eps: float) -> Any:
    n = dp.laplace(dp.count(pay), epsilon=eps)
    if n > 2:
        cap = round(n)
    else:
        cap = 1
    top = cap + 0.1
    return dp.laplace(sum(min(max(v, 0), top) for v in pay), epsilon=eps)


@pytest.mark.parametrize("pay", [[], [0.5, 3.0], HOSTILE, [0.1 * i for i in range(40)]])
def test_noise_follows_the_number_that_a_name_was_given(pay: list[float]) -> None:
    for kind in (list, np.array):
        record = Recording(Seeded(7))
        with handling(record):
            _, low, high = computed(kind(pay), eps=1).value
        last = record.log[-1]
        ends = Fraction(float(low)), Fraction(float(high))
        most = max(abs(ends[0]), abs(max(ends)))
        assert last.draw.bound == last.draw.scale == most
        cleaned = [Fraction(min(max(v, -1e308), 1e308)) if v == v else Fraction(0) for v in pay]
        exact = sum(max(ends[0], min(v, ends[1])) for v in cleaned)
        assert abs(Fraction(last.value) - exact) <= (len(pay) + 1) * most / 2**40


@pytest.mark.parametrize("program", [computed, by_hand])
def test_replays_of_computed_bounds_attain_the_charge(program: Any) -> None:
    verdict = replay(program, public={"eps": 1.0}, most=12)
    assert not verdict.refuted and verdict.closest > Fraction(99, 100)


def test_noise_for_a_smaller_number_than_was_noted_is_refuted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    number = Released.number
    monkeypatch.setattr(Released, "number", lambda self, at: number(self, at) * 7 / 10)
    assert replay(by_hand, public={"eps": 1.0}, most=40).refuted


@dp.measurement
def without_end(pay: dp.Records[float], eps: float) -> Any:
    cap = float("inf") + dp.laplace(dp.count(pay), epsilon=eps)
    return dp.laplace(dp.sum(dp.clamp(pay, 0, cap)), epsilon=eps)


def test_a_bound_that_is_no_number_ends_the_run() -> None:
    with pytest.raises(PostProcessingError, match="after 1 release") as stopped:
        without_end([1.0], eps=1)
    assert len(stopped.value.releases) == 1
    released = Released()
    for at, value in (("array", np.array([1.0])), ("text", "1"), ("long", np.longdouble(1) / 3)):
        released.note(at, value)
        with pytest.raises(InternalError):
            released.number(at)
    released.note("whole", np.int64(3))
    assert released.number("whole") == 3
