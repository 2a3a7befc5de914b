"""The training program of the seed documents, in `docs/training.md`: checked and run."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from checked_modules import load
from mdtest import Program, check, mismatches, programs

from metricdp.errors import ParameterError
from metricdp.run.emit import Seeded, handling

PAGE = Path(__file__).resolve().parent.parent / "docs" / "training.md"
(PROGRAM,) = (p for p in programs(PAGE) if "def train_dp" in p.source.text)
ROWS = np.random.default_rng(0).normal(size=(40, 2))
LABELS = (ROWS @ [1.0, -1.0])[:, None]
MORE = """

@dp.transformation
def batch(people: dp.Aligned[dp.Matrix[Data, LInf], dp.Matrix[Data, LInf]], eta: float):
    model = init_model()
    D, L = people
    G = dp.zero_gradient(model)
    for j in range(len(D)):
        gs = dp.undisc_container(dp.clip(L2, unbounded_gradient(model, D[j, :], L[j, :])))
        G = dp.sum_gradients(gs, G)
    return dp.subtract_gradient(model, dp.scale_gradient(eta, G))

@dp.measurement
def builtins(g: Annotated[dp.Gradient[Real, L2], Size(6)], model: np.ndarray, ints: np.ndarray,
             eps: float):
    noisy = dp.laplace(g, epsilon=eps)
    step = dp.scale_gradient(0.5, noisy)
    zero = dp.zero_gradient(model)
    return noisy, step, zero, dp.sum_gradients(step, noisy, 1), dp.subtract_gradient(model, step), \
        dp.sum_gradients(ints, noisy)
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("seeds"), PROGRAM.source.text + MORE, head="")


def test_the_page_is_checked(tmp_path: Path) -> None:
    assert not mismatches(PROGRAM, check(PROGRAM, tmp_path))
    stated = _with("gaussian_mechanism(2")
    assert not mismatches(stated, check(stated, tmp_path))


def _with(call: str) -> Program:
    text = PROGRAM.source.text.replace("gaussian_mechanism(2 / b", call)
    return PROGRAM._replace(source=PROGRAM.source._replace(text=text))


def test_half_the_noise_is_rejected(tmp_path: Path) -> None:
    report = check(_with("gaussian_mechanism(1 / b"), tmp_path)
    assert [d.code for d in report.diagnostics if d.severity == "error"] == ["requirement-fails"]


def test_a_batch_is_summed_as_numpy_does(module: ModuleType) -> None:
    x = np.column_stack([ROWS, np.ones(40)])
    gradients = -LABELS * x  # of the model 0
    clipped = gradients / np.maximum(1, np.linalg.norm(gradients, axis=1))[:, None]
    found = module.batch((ROWS, LABELS), eta=0.25)
    assert [float(v) for v in found] == pytest.approx(list(-0.25 * clipped.sum(axis=0)))


def test_it_runs_and_learns(module: ModuleType) -> None:
    found = module.train_dp((ROWS, LABELS), eps=0.99, delta=0.01, eta=0.0, k=2, b=20)
    assert isinstance(found.value, np.ndarray) and list(found.value) == [0, 0, 0]
    rows = np.tile(ROWS, (20, 1))
    labels = np.tile(LABELS, (20, 1))
    with handling(Seeded(3)):
        found = module.train_dp((rows, labels), eps=0.99, delta=0.01, eta=1.0, k=6, b=150)
    assert found.value == pytest.approx([1, -1, 0], abs=0.4)


def test_a_delta_of_one_or_more_is_refused(module: ModuleType) -> None:
    with pytest.raises(ParameterError):
        module.train_dp((ROWS, LABELS), eps=0.2, delta=0.2, eta=0.2, k=1000, b=20)


def test_released_gradients_are_arrays(module: ModuleType) -> None:
    model, ints = np.arange(6.0).reshape(2, 3), np.arange(6)
    found = module.builtins([1, 2, 3, 4, 5, 6], model, ints, eps=1).value
    noisy, step, zero, total, moved, whole = found
    assert all(isinstance(each, np.ndarray) and each.dtype == float for each in found)
    assert (step == 0.5 * noisy).all() and (total == step + noisy + 1).all()
    assert zero.shape == moved.shape == (2, 3) and not zero.any()
    assert (moved == model - step.reshape(2, 3)).all() and (whole == ints + noisy).all()
