"""emit: grids, the payment for rounding, handlers, releases.

Statistical tests use fixed seeds; each fails by chance with probability below 1e-9.
"""

from __future__ import annotations

import threading
from fractions import Fraction
from math import exp, log, sqrt
from typing import Any

import numpy as np
import pytest
from foreign_mechanisms import family
from hypothesis import given
from hypothesis import strategies as st

from metricdp.errors import InternalError, ParameterError, ReplayError
from metricdp.families.family import Draw
from metricdp.noise.grid import choose_grid, power, to_ticks
from metricdp.run.emit import (
    Recording,
    Replay,
    RunLog,
    Seeded,
    collecting,
    current_handler,
    emit,
    handling,
)
from metricdp.run.release import Release, show
from metricdp.values import Exact, ExactMatrix, ExactVector, Numbers

positive = st.fractions(Fraction(1, 10**9), 10**9, max_denominator=10**9)


@given(positive, positive, st.fractions(-100, 100), st.fractions(0, 50))
def test_worst_pairs_of_scores_cost_at_most_the_claim(
    scale: Fraction, least: Fraction, x: Fraction, more: Fraction
) -> None:
    grid = choose_grid(scale, least)
    movement = least + more
    # The proved worst case: D/h ticks plus one.
    assert movement / grid.step + 1 <= grid.tick_scale * movement / scale
    ticks = abs(to_ticks(x + movement, grid.exponent) - to_ticks(x, grid.exponent))
    assert ticks / grid.tick_scale <= movement / scale
    small = least / 1000
    ticks = abs(to_ticks(x + small, grid.exponent) - to_ticks(x, grid.exponent))
    assert ticks / grid.tick_scale <= (small + grid.rounding) / scale
    assert grid.tick_scale >= 2**40
    assert scale / grid.step < 2**52
    assert grid.scale <= scale * (1 + grid.rounding / least)


def test_without_widening_the_claim_would_fail() -> None:
    grid = choose_grid(Fraction(1), Fraction(1, 3))
    x = (Fraction(1, 2) - Fraction(1, 1000)) * grid.step
    ticks = to_ticks(x + Fraction(1, 3), grid.exponent) - to_ticks(x, grid.exponent)
    assert ticks * grid.step > Fraction(1, 3)
    assert ticks / grid.tick_scale <= Fraction(1, 3)


@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
def test_released_numbers_are_rounded_noise_of_the_very_scale(mechanism: str) -> None:
    scale = Fraction(7, 3)
    draw = Draw("s", family(mechanism), scale=scale, bound=Fraction(1))
    with collecting() as drawn:
        released = emit(draw, Exact(10**6, 7), Seeded(3))
    assert drawn[0].noise_scale == scale and drawn[0].rounding == 0
    step = power(drawn[0].exponent)
    assert 2**30 <= scale / step < 2**31
    assert (Fraction(released) / step).denominator == 1


def test_packed_and_listed_numbers_get_the_same_noise() -> None:
    """The forms of a vector differ in how a place on the grid is found, not in where it is."""
    doubles = np.array([0.1, -2.5, 1e9, 3e-17, 0.0, -1.0, 7.25, 1e-300, 12.0])
    ticks = np.array([1, -5, 2**40, 0, 7, -(2**50), 3, 9, 11])
    for mechanism in ("laplace", "gaussian"):
        for exponent in (-90, -31, -30, -3, 0, 20):
            draw = Draw("s", family(mechanism), "L2", Fraction(3), Fraction(1))
            for packed in (
                Numbers(doubles),
                Numbers(ticks, Fraction(2) ** exponent),
            ):
                found = emit(draw, packed, Seeded(5))
                assert (found == emit(draw, ExactVector(packed), Seeded(5))).all()


def test_the_grid_is_public() -> None:
    draw = Draw("s", family("laplace"), scale=Fraction(3), bound=Fraction(1, 7))
    outputs = []
    for value in (Exact(0), Exact(10**9, 3), Exact(-1, 10**6)):
        with collecting() as drawn, handling(Seeded(3)):
            emit(draw, value)
        outputs.append((drawn[0].exponent, drawn[0].noise_scale, drawn[0].rounding))
    assert len(set(outputs)) == 1


def test_to_ticks_rounds_half_up() -> None:
    assert [to_ticks(Fraction(k, 2), 0) for k in (-3, -1, 0, 1, 3)] == [-1, 0, 0, 1, 2]
    assert to_ticks(Fraction(5), 2) == 1
    assert to_ticks(Fraction(6), 2) == 2
    assert to_ticks(Fraction(1, 3), -4) == 5


@pytest.mark.parametrize(
    "mechanism", ["laplace", "gaussian", "discrete_laplace", "discrete_gaussian"]
)
def test_noise_has_the_scale_that_was_asked_for(mechanism: str) -> None:
    n, scale = 20_000, 7.5
    draw = Draw("s", family(mechanism), "L1", Fraction(scale), Fraction(1))
    noise = emit(draw, ExactVector([3] * n), Seeded(11)) - 3
    if "laplace" in mechanism:
        a = exp(-1 / scale)
        mean, spread = (scale, scale) if mechanism == "laplace" else (2 * a / (1 - a * a), scale)
    else:
        mean, spread = scale * sqrt(2 / np.pi), scale * 0.61
    # Mean of |noise|, within 6.5 standard errors.
    assert abs(np.abs(noise).mean() - mean) < 6.5 * spread / sqrt(n)
    assert abs(noise.mean()) < 6.5 * scale * sqrt(2) / sqrt(n)
    inside = (np.abs(noise) <= _width(draw, n)).mean()
    assert inside > 0.95 - 6.5 * sqrt(0.05 * 0.95 / n)
    if not mechanism.startswith("discrete"):
        assert inside < 0.95 + 6.5 * sqrt(0.05 * 0.95 / n)


def _width(draw: Draw, n: int) -> float:
    with collecting() as drawn:
        emit(draw, ExactVector([0] * n), Seeded(1))
    width = drawn[0].half_width()
    assert width is not None
    return width


def test_randomized_response_keeps_with_the_right_probability() -> None:
    draw = Draw("s", family("randomized_response"), extra={"k": 3, "epsilon": Fraction(1)})
    answers = emit(draw, ExactVector([2] * 6000), Seeded(5))
    keep = exp(1) / (exp(1) + 2)
    assert abs((answers == 2).mean() - keep) < 6.5 * sqrt(keep * (1 - keep) / 6000)
    assert set(answers.tolist()) == {0, 1, 2}
    coin = Draw("s", family("randomized_response"), extra={"k": 2, "epsilon": Fraction(50)})
    assert emit(coin, True, Seeded(1)) is True
    assert emit(coin, Exact(99), Seeded(1)) == 1


def test_outputs_have_the_shape_of_the_input() -> None:
    draw = Draw("s", family("gaussian"), "L2", Fraction(1), Fraction(1))
    with handling(Seeded(2)):
        assert type(emit(draw, Exact(1))) is float
        vector = emit(draw, ExactVector([1, 2, 3]))
        assert vector.shape == (3,) and vector.dtype == np.float64
        assert emit(draw, ExactMatrix([[1, 2], [3, 4]])).shape == (2, 2)
        assert emit(draw, Numbers(np.zeros(4))).shape == (4,)
        scalar, pair = emit(draw, (Exact(1), ExactVector([1, 2])))
        assert type(scalar) is float and pair.shape == (2,)
        assert emit(draw, ExactVector()).shape == (0,)
        integer = Draw("s", family("discrete_laplace"), "L1", Fraction(1), Fraction(1))
        assert type(emit(integer, Exact(1))) is int
        assert emit(integer, ExactVector([1, 2])).dtype == np.int64
        wide = emit(integer, ExactVector([10**30, 1]))
        assert wide.dtype == object and abs(wide[0] - 10**30) < 100


def test_scale_zero_adds_no_noise() -> None:
    for mechanism in ("laplace", "gaussian"):
        assert emit(Draw("s", family(mechanism)), Exact(1, 3)) == 1 / 3
    assert emit(Draw("s", family("discrete_laplace")), Exact(7)) == 7
    assert emit(Draw("s", family("laplace")), Exact(10**400)) > 1e308


@pytest.mark.parametrize("scale", [-1, float("nan"), float("inf"), Fraction(-1, 9)])
@pytest.mark.parametrize("field", ["scale", "bound", "least"])
def test_bad_noise_is_refused_before_data_are_read(scale: Any, field: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Draw("f:3", family("laplace"), **{field: scale})
    assert caught.value.place == "f:3"


def test_bad_requests_are_refused() -> None:
    with pytest.raises(InternalError):
        Draw("s", family("cauchy"), scale=Fraction(1))
    for extra in ({}, {"k": 2}, {"k": 2, "epsilon": -1}, {"k": 0, "epsilon": 1}, {"epsilon": 1}):
        with pytest.raises(ParameterError):
            Draw("s", family("randomized_response"), extra=extra)


def test_handlers_nest_and_belong_to_their_thread() -> None:
    assert type(current_handler()) is RunLog
    outer, inner = Seeded(1), Seeded(2)
    seen: list[Any] = []
    with handling(outer):
        with handling(inner):
            assert current_handler() is inner
            thread = threading.Thread(target=lambda: seen.append(type(current_handler())))
            thread.start()
            thread.join()
        assert current_handler() is outer
    assert seen == [RunLog]
    assert Seeded(1).test_only and Recording(Seeded(1)).test_only and not Recording().test_only


def test_system_noise_differs_and_seeded_noise_repeats() -> None:
    draw = Draw("s", family("laplace"), scale=Fraction(1), bound=Fraction(1))
    assert emit(draw, Exact(0)) != emit(draw, Exact(0))
    assert emit(draw, Exact(0), Seeded(4)) == emit(draw, Exact(0), Seeded(4))


def test_record_and_replay() -> None:
    first = Draw("f:1", family("laplace"), scale=Fraction(1), bound=Fraction(1))
    second = Draw("f:2", family("laplace"), scale=Fraction(1), bound=Fraction(1))
    recorder = Recording(Seeded(9))
    with handling(recorder):
        outputs = [emit(first, Exact(5)), emit(second, Exact(6))]
    assert [(e.draw.site, e.value, e.output) for e in recorder.log] == [
        ("f:1", 5, outputs[0]),
        ("f:2", 6, outputs[1]),
    ]
    replay = Replay(recorder.log)
    with handling(replay):
        assert emit(first, Exact(50)) == outputs[0]
        assert not replay.finished
        assert emit(second, Exact(60)) == outputs[1]
        assert replay.finished
        assert [e.value for e in replay.seen] == [50, 60]
        with pytest.raises(ReplayError, match="one more"):
            emit(first, Exact(1))
    with pytest.raises(ReplayError, match="draw 0 was laplace at f:1"):
        emit(second, Exact(1), Replay(recorder.log))


def _release(scale: Any = 200, **fields: Any) -> Release:
    draw = Draw("f:1", family("laplace"), scale=Fraction(scale), bound=Fraction(scale))
    with collecting() as drawn, handling(Seeded(1)):
        value = emit(draw, Exact(5_203_114))
    privacy = {"epsilon": "1", "delta": "0"}
    return Release(value, "total_pay", privacy=privacy, draws=tuple(drawn), **fields)


def test_release_shows_value_interval_and_cost() -> None:
    release = _release()
    thin = show(1234)[1]
    value = f"{release.value:,.0f}".replace(",", thin)
    assert repr(release) == f"Release {value} ± 599 (95%)   cost ε = 1"
    low, high = release.interval()
    assert high - low == pytest.approx(2 * 200 * log(20), rel=1e-9)
    low, high = release.interval(0.5)
    assert high - low == pytest.approx(2 * 200 * log(2), rel=1e-9)
    assert float(release) == release.value
    assert "<div" in release._repr_html_() and "ε = 1" in release._repr_html_()
    with pytest.raises(ParameterError):
        release.interval(1.0)


def test_release_never_holds_the_true_value() -> None:
    release = _release()
    assert "5203114" not in repr(release.draws).replace(repr(release.value), "")
    fields = [getattr(draw, f) for draw in release.draws for f in draw.__struct_fields__]
    assert fields
    assert 5_203_114 not in fields


def test_release_of_several_outputs() -> None:
    one = _release()
    release = Release(
        (one.value, one.value / 2, 3, np.array([1.0, 2.0])),
        "f",
        privacy={"rho": "0.5"},
        draws=one.draws,
        test_only=True,
    )
    lines = repr(release).splitlines()
    assert len(lines) == 5
    assert "cost ρ = 0.5" in lines[0] and "test only" in lines[0]
    assert "±" in lines[1] and not any("±" in line for line in lines[2:])
    assert [x is None for x in release.interval()] == [False, True, True, True]
    chosen = Release((3.0, 4.0), "f", draws=one.draws, outputs=(None, 0))
    assert [x is None for x in chosen.interval()] == [True, False]


def test_numbers_are_shown_to_the_digits_that_the_error_leaves() -> None:
    assert show(0.0123464, 0.0012) == "0.01235"
    assert show(5.0, 0.25) == "5.000"
    assert show(1234567.8, 2000.0) == "1 234 568".replace(" ", show(1234)[1])
    assert show(3.14159265) == "3.14159"
    assert show(True) == "True"
    assert show(float("inf")) == "inf"
    assert show(np.arange(10.0), 100.0) == "[0, 1, 2, 3, 4, 5, 6, 7, ...]"
