"""One question is paid for once, a paid answer is not lost, and no failure tells about the data."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import metricdp as dp
from metricdp import Real
from metricdp.errors import MetricdpError, ParameterError, PostProcessingError
from metricdp.maps import Measurement, make
from metricdp.sessions.asking import canonical
from metricdp.spaces import Scalar

SECRET = 31337.25


@dp.measurement
def noisy(x: Real, eps: float):
    return dp.laplace(x, epsilon=eps)


@dp.measurement
def weighted(x: Real, weights: tuple[float, ...]):
    return dp.laplace(x, scale=10) + weights[0]


def opened(**unit: Any) -> dp.Session:
    return dp.Session({"x": (Real, SECRET)}, budget=dp.Budget(epsilon=100))


def laplace(scale: Any) -> Any:
    return make("laplace", Scalar("Real"), scale=scale)


SAME: dict[str, Callable[[dp.Session, Any], Any]] = {
    "function": lambda s, one: s.run(noisy, eps=one),
    "sequence": lambda s, one: s.run(weighted, weights=(one, 2)),
    "library": lambda s, one: s.release(laplace(one)),
    "mechanism": lambda s, one: dp.laplace(s["x"], epsilon=one),
    "constant": lambda s, one: dp.laplace(s["x"] * one, epsilon=1),
    "bounds": lambda s, one: dp.laplace(dp.clamp(s["x"], 0, one), epsilon=1),
}


@pytest.mark.parametrize("ask", SAME)
def test_equal_numbers_are_one_question(ask: str) -> None:
    session = opened()
    first = SAME[ask](session, 1)
    left = session.left()
    for one in (1.0, np.float64(1), np.int64(1)):
        again = SAME[ask](session, one)
        assert again.value == first.value
    assert session.left() == left
    SAME[ask](session, 2)
    assert session.left() != left


def test_different_values_have_different_keys() -> None:
    values: list[Any] = [
        True, False, 1, 2, F(1, 2), "1", "True", "None", None, (1,), [1], (1, 2), ((1,), 2),
        ("1",), "number 1", float("inf"), float("-inf"), float("nan"), 0, (), [], "",
    ]  # fmt: skip
    assert len({canonical(v) for v in values}) == len(values)
    assert canonical(1) == canonical(1.0) == canonical(F(1))
    assert canonical(0.0) == canonical(-0.0) == canonical(0)


def test_threads_that_ask_the_same_pay_once() -> None:
    """Eight threads at a barrier; two of them used to pay, with two answers."""
    for _ in range(5):
        session, barrier = opened(), threading.Barrier(8)
        answers: list[float] = []

        def ask(session: Any = session, barrier: Any = barrier, answers: Any = answers) -> None:
            barrier.wait()
            answers.append(session.run(noisy, eps=0.5).value)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(answers) == 8 and len(set(answers)) == 1
        assert session.left() == {"epsilon": F(199, 2)}


def test_sessions_on_one_file_pay_once(tmp_path: Any) -> None:
    barrier, answers = threading.Barrier(4), []

    def session() -> dp.Session:
        return dp.Session(
            {"x": (Real, SECRET)}, budget=dp.Budget(epsilon=100), dataset="d",
            ledger=tmp_path / "ledger.db",
        )  # fmt: skip

    session()

    def ask() -> None:
        own = session()
        barrier.wait()
        answers.append(own.run(noisy, eps=0.5).value)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 4 and len(set(answers)) == 1
    assert session().left() == {"epsilon": F(199, 2)}


def test_fresh_answers_are_paid_each_time() -> None:
    session = opened()
    values = {session.run(noisy, eps=0.5, fresh=True).value for _ in range(3)}
    assert len(values) == 3 and session.left() == {"epsilon": F(197, 2)}


def test_a_step_that_fails_after_the_noise_hands_out_what_was_paid() -> None:
    session = opened()
    with pytest.raises(PostProcessingError, match="after the noise") as failed:
        session.release(laplace(2) >> (lambda released: released / 0))
    (drawn,) = failed.value.releases
    assert float(drawn.value) != SECRET  # type: ignore[attr-defined]
    assert session.left() == {"epsilon": F(199, 2)}


# -- nothing of the data in a failure ------------------------------------------------------------


def tells(x: Any) -> Any:
    raise ParameterError(f"the value is {float(x)}", place=str(float(x)), remedy=str(float(x)))


def names(x: Any) -> Any:
    raise type(f"Error{float(x)}", (Exception,), {})()


def named(x: Any) -> Any:
    raise type(f"Error{float(x)}", (ParameterError,), {})("")


def by_hand(function: Any) -> Measurement:
    return Measurement(Scalar("Real"), function, {"pure": "d_in"})


FAILING: dict[str, Callable[[], Any]] = {
    **{
        f"{kind}, {function.__name__}": (lambda ask=ask, function=function: ask(function))
        for function in (tells, names, named)
        for kind, ask in {
            "call": lambda f: by_hand(f)(SECRET),
            "exactly": lambda f: by_hand(f).exactly(SECRET),
            "chain": lambda f: (make("abs", Scalar("Real")) >> by_hand(f))(SECRET),
            "session": lambda f: opened().release(by_hand(f)),
        }.items()
    },
    "wrong type": lambda: laplace(1)([SECRET]),
    "wrong type, checked": lambda: noisy([SECRET], eps=1.0),
    "bad parameter": lambda: noisy(SECRET, eps=-1.0),
    "no parameter": lambda: noisy(SECRET),
    "unknown parameter": lambda: noisy(SECRET, eps=1.0, delta=2),
    "session data": lambda: dp.Session({"x": (Real, [SECRET])}, budget=dp.Budget(epsilon=1)),
    "session data, twice": lambda: dp.Session({"x": SECRET}, budget=dp.Budget(epsilon=1)),
    "session ledger": lambda: dp.Session(
        {"x": (Real, SECRET)}, budget=dp.Budget(epsilon=1), ledger="x.db"
    ),
    "session budget": lambda: dp.Session({"x": (Real, SECRET)}, budget=1),  # type: ignore[arg-type]
    "session unit": lambda: dp.Session(
        {"x": (Real, SECRET)}, budget=dp.Budget(epsilon=1), unit=dp.Unit(y=1)
    ),
    "at": lambda: noisy.at(eps=1.0)([SECRET]),
    "at, map": lambda: (make("abs", Scalar("Real")) >> noisy.at(eps=1.0))([SECRET]),
    "run with data": lambda: opened().run(noisy, SECRET, eps=1.0),
}


@pytest.mark.parametrize("name", FAILING)
def test_no_failure_tells_about_the_data(name: str) -> None:
    with pytest.raises(MetricdpError) as failed:
        FAILING[name]()
    error = failed.value
    told = "".join(traceback.format_exception(error)) + repr(vars(error)) + type(error).__name__
    assert "31337" not in told.replace("SECRET", "")
    assert error.__context__ is None and error.__cause__ is None
    frame = error.__traceback__
    while frame is not None:
        if "/metricdp/" in frame.tb_frame.f_code.co_filename:
            for local, value in frame.tb_frame.f_locals.items():
                assert not _holds(value), (frame.tb_frame.f_code.co_name, local)
        frame = frame.tb_next


def _holds(value: Any, depth: int = 0) -> bool:
    """Whether a value is the secret, or a plain container of it."""
    if isinstance(value, dict):
        return depth < 4 and any(_holds(v, depth + 1) for v in value.values())
    if isinstance(value, list | tuple | set):
        return depth < 4 and any(_holds(v, depth + 1) for v in value)
    return isinstance(value, int | float | F) and value == SECRET
