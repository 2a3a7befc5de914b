"""Audits of outputs that are no plain numbers: taken apart, or refused, but never counted equal."""

from __future__ import annotations

import asyncio
import ctypes
import io
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from depth import depth

import metricdp as dp
from metricdp import audit
from metricdp.apps.cli import main
from metricdp.audit.contents import parts_of
from metricdp.audit.measurements.audited import alike
from metricdp.audit.measurements.outputs import taken_apart
from metricdp.audit.testing import assert_private
from metricdp.errors import ParameterError, ReplayError

S = dp.Records[float]
FEW: dict[str, Any] = {"space": S, "epsilon": 1, "samples": 1000, "seconds": 60, "bits": False}
#: The same on one pair, for what takes long.
PAIR = {**FEW, "pairs": [([], [1.0])], "space": None, "samples": depth(150, 400)}


class Holder:
    """Attributes, and nothing else."""

    def __init__(self, held: Any) -> None:
        self.held = held


class Slotted:
    """One slot."""

    __slots__ = ("held",)

    def __init__(self, held: Any) -> None:
        self.held = held


class Called(Holder):
    """An estimator that may be called."""

    def __call__(self) -> int:
        return 1


class Packed(msgspec.Struct):
    """A struct."""

    held: Any


@dataclass
class Data:
    """A dataclass."""

    held: Any


class Labelled(float):
    """A number with an attribute."""

    held: Any


def labelled(held: Any) -> Labelled:
    found = Labelled(1.0)
    found.held = held
    return found


def masked(held: Any) -> Any:
    return np.ma.MaskedArray([float(held)], mask=[True])


def frame(held: Any) -> Any:
    return pytest.importorskip("pandas").DataFrame({"n": [held]})


def labels(held: Any) -> Any:
    return pytest.importorskip("pandas").DataFrame({"n": [1.0]}, index=[held])


def series(held: Any) -> Any:
    return pytest.importorskip("pandas").Series([1.0], index=[held])


def columns(held: Any) -> Any:
    return pytest.importorskip("pandas").DataFrame([[1.0]], columns=[held])


WRAPPERS: list[Callable[[Any], Any]] = [
    Holder, Slotted, Called, Packed, Data, labelled, masked, frame, labels, series, columns,
    lambda n: iter([n]), lambda n: (each for each in [n]), lambda n: {"a": [Holder((n, 1))]},
    lambda n: {n}, lambda n: {n: 1}, lambda n: Decimal(float(n)), lambda n: complex(0, float(n)),
    lambda n: timedelta(seconds=float(n)), lambda n: datetime(2000, 1, 1) + timedelta(float(n)),
    lambda n: np.array([n, "a"], dtype=object), lambda n: ValueError(n),
    lambda n: np.array([(1, n)], dtype=[("a", int), ("b", float)]), lambda n: map(abs, [n]),
]  # fmt: skip


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_a_count_inside_is_refuted(wrap: Callable[[Any], Any]) -> None:
    def program(rows: list[float]) -> Any:
        return wrap(len(rows))

    assert audit.replay(program, space=S, epsilon=1, most=4, seconds=60).refuted
    assert audit.sampled(program, **PAIR).refuted
    with pytest.raises(AssertionError, match="not private"):
        assert_private(program, **PAIR)


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_noise_inside_is_a_number(wrap: Callable[[Any], Any]) -> None:
    """Noise a tenth of what the claim needs: compared as texts, all values are different."""

    def program(rows: list[float]) -> Any:
        return wrap(len(rows) + np.random.laplace(scale=0.1))

    assert audit.sampled(program, **PAIR).refuted
    assert audit.audited(program, **PAIR)[-1].refuted


@pytest.mark.parametrize("wrap", [Holder, frame, labels, series, lambda n: iter([n])])
def test_noise_that_suffices_survives(wrap: Callable[[Any], Any]) -> None:
    def program(rows: list[float]) -> Any:
        return wrap(len(rows) + np.random.laplace(scale=1))

    assert not audit.sampled(program, **PAIR).refuted
    found = audit.replay(program, space=S, epsilon=1, most=depth(4, 8), seconds=60)
    assert not found.refuted
    assert found.loss == 1


def test_a_fitted_model_is_its_attributes() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    tree = pytest.importorskip("sklearn.tree")

    def fit(rows: list[float], model: Any = linear.LinearRegression) -> Any:
        a = np.asarray([*rows, 0.0, 1.0, 2.0]).clip(-5, 5)
        return model().fit(a[:, None], a * a)

    for model in (linear.LinearRegression, tree.DecisionTreeRegressor):
        with pytest.raises(AssertionError, match="not private"):
            assert_private(lambda rows, model=model: fit(rows, model), **PAIR)


async def awaited(rows: list[float]) -> int:
    return len(rows)


async def several(rows: list[float]) -> Any:
    yield len(rows)


def endless(rows: list[float]) -> Iterator[int]:
    while True:
        yield len(rows)


@pytest.mark.parametrize(
    "program",
    [
        lambda rows: lambda: len(rows), lambda rows: [lambda: len(rows)],
        lambda rows: Holder(lambda: len(rows)), lambda rows: Holder(rows).__init__, awaited,
        several, endless, lambda rows: object(), lambda rows: type("Made", (), {"n": len(rows)}),
        lambda rows: io.StringIO(str(rows)), lambda rows: pytest,
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(program: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        with pytest.raises(ReplayError, match="no audit can look into"):
            audit.replay(program, space=S, epsilon=1, seconds=60)
        for auditor in (audit.sampled, assert_private):
            with pytest.raises(ParameterError, match="no audit can look into"):
                auditor(program, **FEW | {"samples": 200})


def test_what_is_awaited_inside_is_audited() -> None:
    assert audit.replay(
        lambda rows: asyncio.run(awaited(rows)), space=S, epsilon=1, seconds=60
    ).refuted


def test_a_leak_that_samples_do_not_show_stands() -> None:
    """So few samples show no epsilon of 9; the two results are always the same."""

    def program(rows: list[float]) -> int:
        return 7 if len(rows) > 6 else 3

    assert not audit.sampled(program, **FEW | {"epsilon": 9}).refuted
    found = audit.audited(program, **FEW | {"epsilon": 9})[-1]
    assert found.refuted
    assert "more runs on each" in str(found)


def test_randomness_that_a_replay_does_not_see_is_left_to_samples() -> None:
    library = ctypes.CDLL(None)
    library.srand(7)

    def response(rows: list[float]) -> bool:
        # Nearly always the same, and within epsilon 5: P = 0.99.
        return bool(rows) ^ (library.rand() % 100 == 0)

    assert not audit.audited(response, **PAIR | {"epsilon": 5})[-1].refuted


def test_runs_that_are_alike_are_counted() -> None:
    """1 in 20 runs differs: 0.95**40 = 0.13 that the fewest runs on both inputs are all alike, and
    the seed is fixed."""
    inputs = ([], [1.0])
    assert alike(len, inputs, 60, 0) == 1000
    assert alike(lambda rows: 3, inputs, 60, 0) == 0
    assert alike(lambda rows: (len(rows), np.random.random() < 0.05), inputs, 60, 0) == 0


def typo(rows: list[float]) -> float:
    return len(rows) + np.random.laplce(scale=1)


def of_two(rows: list[float], other: float) -> float:
    return len(rows) + other


@pytest.mark.parametrize(("program", "kind"), [(typo, "AttributeError"), (of_two, "TypeError")])
def test_a_program_that_always_fails_does_not_survive(program: Any, kind: str) -> None:
    with pytest.raises(ParameterError, match=kind):
        audit.sampled(program, **FEW)
    with pytest.raises(ParameterError, match=r"every run fails|has no value"):
        assert_private(program, **FEW)


def test_an_exception_on_data_of_the_user_is_only_named() -> None:
    def fails(rows: list[float]) -> float:
        raise ValueError("rows")

    with pytest.raises(ParameterError) as error:
        audit.sampled(fails, epsilon=1, pairs=[([], [1.0])], samples=200, seconds=60)
    assert str(error.value).splitlines()[0] == "fails: every run fails, with ValueError"


def test_some_failures_are_told_and_a_telling_one_refutes() -> None:
    def some(rows: list[float]) -> float:
        if np.random.random() < 0.5:
            raise ValueError
        return 0.0

    assert "runs failed, the last with ValueError" in str(audit.sampled(some, **FEW))

    def telling(rows: list[float]) -> float:
        raise ValueError(len(rows))

    assert audit.sampled(telling, **FEW).refuted


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("return len(rows) + np.random.laplce(scale=1)", "AttributeError"),
        ("return lambda: len(rows)", "no audit can look into: function"),
    ],
)
def test_the_command_line_says_nothing_of_them(
    text: str, word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        "import numpy as np\nimport metricdp as dp\n\n"
        f"def f(rows: dp.Records[float]):\n    {text}\n"
    )
    assert main(["audit", f"{path}::f", "--epsilon", "1", "--samples", "500"]) == 2
    assert word in capsys.readouterr().err


@pytest.mark.parametrize("seed", ["x", 1.5, None, -1, True])
@pytest.mark.parametrize("auditor", [audit.sampled, audit.replay])
def test_seeds_are_whole(auditor: Any, seed: Any) -> None:
    with pytest.raises(ParameterError, match="is no seed"):
        auditor(len, epsilon=1, space=S, seed=seed)


def test_a_confidence_that_is_no_number() -> None:
    with pytest.raises(ParameterError, match="no confidence"):
        audit.sampled(len, **FEW, confidence="x")


def test_replay_of_a_claim_in_rho() -> None:
    def program(rows: list[float], rng: Any) -> float:
        return len(rows) + rng.normal(scale=1)

    assert audit.replay(program, space=S, rho=0.49, seconds=60).refuted
    assert not audit.replay(program, space=S, rho=0.5, seconds=60).refuted
    for wrong in ({"rho": 1, "epsilon": 1}, {"rho": "x"}):
        with pytest.raises(ParameterError):
            audit.replay(program, space=S, **wrong)


@pytest.mark.parametrize("make", [list, np.array, tuple])
@pytest.mark.parametrize("scale", [0, 0.1])
def test_what_is_far_behind_is_seen(make: Any, scale: float) -> None:
    """The count is the 31st number, and has a 32nd that keeps the sum of all as it is."""

    def program(rows: list[float]) -> Any:
        count = len(rows) + (np.random.laplace(scale=scale) if scale else 0)
        return make([0.0] * 30 + [count] + [-count] * (not scale))

    assert audit.sampled(program, **PAIR).refuted


def test_what_is_far_behind_in_a_batch_is_seen() -> None:
    def batch(rows: list[float], count: int) -> Any:
        found = np.zeros((count, 40))
        found[:, 30:] = len(rows) * np.array([1, -1] * 5)
        return found

    assert audit.sampled(lambda rows: batch(rows, 1)[0], **PAIR, batch=batch).refuted


def test_orders_of_keys_are_seen() -> None:
    def program(rows: list[float]) -> Any:
        return dict.fromkeys(("a", "b") if rows else ("b", "a"), 0)

    assert audit.sampled(program, **FEW).refuted


def test_parts() -> None:
    assert parts_of(lambda: 0) is None
    assert parts_of(object()) is None
    assert parts_of(Slotted(2)) == ("Slotted", [("held", 2)])
    # State in C that pickle writes; a state that it does not write is refused.
    rng = np.random.PCG64(1)
    assert parts_of(rng) is not None
    assert taken_apart({"a": {1.5, 0.5}}) == ("{'a': set of list(float, float)}", (0.5, 1.5))


def test_numbers_that_are_printed_are_seen() -> None:
    noise = np.random.default_rng(5)

    def printed(rows: Any) -> str:
        return f"there are {len(rows) + noise.laplace(scale=0.1):.3f} rows"

    verdict = audit.sampled(printed, epsilon=1, pairs=[([], [1.0])], samples=4000, seconds=60)
    assert verdict.refuted
    kept = audit.sampled(printed, epsilon=11, pairs=[([], [1.0])], samples=4000, seconds=60)
    assert not kept.refuted
