"""Attacks on what an audit tries: noise that hides nothing, malformed and unusual inputs, sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest

import metricdp as dp
from metricdp import L1, Data, LInf, Real, Size, audit
from metricdp.apps.cli import main
from metricdp.audit import Sampler
from metricdp.errors import ParameterError

PAIRS = [([], [1.0])]


@dp.measurement
def how_many(rows: dp.Records[dp.Vector[Data, LInf]], eps: float) -> Any:
    return dp.laplace(dp.count(rows), epsilon=eps)


@dp.measurement
def total(x: dp.Records[float], eps: float) -> Any:
    return dp.laplace(dp.sum(dp.clamp(x, 0, 1)), epsilon=eps)


def laplace_of_scale_0(rows: Any, rng: Any) -> Any:
    return len(rows) + rng.laplace(scale=0)


def gaussian_of_scale_0(rows: Any, rng: Any) -> Any:
    return len(rows) + rng.normal(scale=0)


def noise_times_0(rows: Any, rng: Any) -> Any:
    return len(rows) + 0 * rng.laplace(scale=1)


def array_of_scale_0(rows: Any, rng: Any) -> Any:
    return np.array([len(rows), 1.0]) + rng.laplace(scale=[0.0, 1.0])


def located_at_scale_0(rows: Any, rng: Any) -> Any:
    return rng.laplace(len(rows), 0)


def nan(rows: Any, rng: Any) -> Any:
    return (float("nan") if rows else 0.0) + rng.laplace(scale=1)


def infinity(rows: Any, rng: Any) -> Any:
    return rng.normal(float("-inf") if rows else 0.0, 1)


def nan_in_an_array(rows: Any, rng: Any) -> Any:
    return np.array([0.0, np.nan if rows else 1.0]) + rng.normal(scale=5, size=2)


BARE = [
    laplace_of_scale_0, gaussian_of_scale_0, noise_times_0, array_of_scale_0, located_at_scale_0,
    nan, infinity, nan_in_an_array,
]  # fmt: skip


@pytest.mark.parametrize("program", BARE)
@pytest.mark.parametrize("claim", [{"epsilon": 9}, {"epsilon": 9, "delta": 0.1}, {"rho": 9}, {}])
def test_noise_that_hides_nothing_is_refuted(program: Any, claim: Any) -> None:
    """No noise, or a sum that is NaN or infinite whatever the noise is: an infinite loss."""
    assert audit.replay(program, pairs=PAIRS, seconds=60, **claim).refuted


def test_a_traced_mechanism_of_nan_is_refuted() -> None:
    def mechanism(value: float, b: float) -> float:
        return value + np.random.laplace(scale=b)

    marked = audit.traced("laplace", value="value", scale="b")(mechanism)
    for value, b in ((float("nan"), 1), (1.0, 0)):
        program = lambda rows, v=value, b=b: marked(v if rows else 0.0, b)  # noqa: E731
        assert audit.replay(program, pairs=PAIRS, epsilon=9).refuted
    assert not audit.replay(lambda rows: marked(len(rows), 1), pairs=PAIRS, epsilon=1).refuted
    assert Sampler("laplace", "value")


def test_nan_that_nobody_sees_is_no_leak() -> None:
    def program(rows: Any, rng: Any) -> Any:
        nan(rows, rng)
        laplace_of_scale_0(rows, rng)
        return len(rows) + rng.laplace(scale=1)

    assert not audit.replay(program, pairs=PAIRS, epsilon=1).refuted


@pytest.mark.parametrize("target", [how_many, how_many.at(eps=1.0)])
def test_rows_in_lists_do_not_refute_a_proved_function(target: Any) -> None:
    options: dict[str, Any] = {"public": {"eps": 1.0}} if target is how_many else {}
    for pair in (([[1.0, 2.0]], []), ([], [[1.0]]), ([[1.0], [2.0]], [[1.0]]), ([], [[]])):
        assert not audit.replay(target, pairs=[pair], **options).refuted


@pytest.mark.parametrize(
    "pair",
    [
        (["a"], ["a", "b"]), ([[1.0]], [[1.0], [2.0]]), (1.0, 2.0), (None, [1.0]), ("a", "b"),
        ([1.0], {"a": 1.0}), ([1.0], [1.0, None]), ([], np.array([["x"]])), ([], lambda: 0),
    ],
)  # fmt: skip
def test_malformed_inputs_are_refused(pair: Any) -> None:
    with pytest.raises(ParameterError):
        audit.replay(total, pairs=[pair], public={"eps": 1.0})
    with pytest.raises(ParameterError):
        audit.measurement(total.at(eps=1.0), pairs=[pair], samples=400)


def test_ragged_rows_are_refused() -> None:
    with pytest.raises(ParameterError, match="equally long"):
        audit.replay(how_many, pairs=[([[1.0]], [[1.0], [1.0, 2.0]])], public={"eps": 1.0})


SIZED = """
from typing import Annotated
import metricdp as dp
from metricdp import Data, L1, LInf, Real, Size

@dp.transformation
def total(x: Annotated[dp.Vector[Real, L1], Size("n")]):
    return sum(x)

@dp.transformation
def mean(x: Annotated[dp.Vector[Real, L1], Size("n")], n: int):
    return sum(x) / n

@dp.transformation
def scaled(x: Annotated[dp.Vector[Real, L1], Size("n")], c: float):
    return sum(x) * c

@dp.transformation
def same(x: Annotated[dp.Matrix[Data, LInf], Size("n", "m")]):
    return x

@dp.transformation
def share(x: Annotated[dp.Records[float, dp.Hamming], Size("n")]):
    return dp.sum(dp.clamp(x, 0, 1)) / len(x)
"""


def test_sizes_with_names_of_their_own_are_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sized.py"
    path.write_text(SIZED)
    assert main(["audit", str(path), "--pairs", "60"]) == 0
    printed = capsys.readouterr()
    assert printed.out.count("survived: ") == 6 and not printed.err
    assert Annotated[dp.Vector[Real, L1], Size("n")]
