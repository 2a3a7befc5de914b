"""The training loop: what runs (noise, samples, denominators) is what its guarantee says."""

from __future__ import annotations

import importlib.util
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import metricdp as dp

HERE = Path(__file__).parent
PROBE = '''
from typing import Annotated
import numpy as np
import metricdp as dp
from metricdp import L2, ChangeOne, Data, LInf

@dp.black_box(returns=Annotated[dp.Vector[Data, LInf], dp.Size(20)])
def mark(record, weights):
    """Long beyond the ball, at the position that the record names."""
    found = np.zeros(20)
    found[int(record[0])] = 5.0
    return found

@dp.measurement
def train(records: dp.Records[dp.Vector[Data, LInf]], weights: np.ndarray, q: float, rounds: int,
          sigma: float, rate: float, expected: float):
    for _ in range(rounds):
        batch = dp.sample(records, q=q)
        total = 0.0
        for record in batch:
            total = total + dp.undisc(dp.clip(mark(record, weights), L2))
        weights = weights - rate * dp.gaussian(total, scale=sigma) / expected
    return weights

@dp.measurement
def train_replaced(records: dp.Records[dp.Vector[Data, LInf], ChangeOne], weights: np.ndarray,
                   b: int, rounds: int, sigma: float, rate: float):
    for _ in range(rounds):
        batch = dp.sample(b, records)
        total = 0.0
        for record in batch:
            total = total + dp.undisc(dp.clip(mark(record, weights), L2))
        weights = weights - rate * dp.gaussian(total, scale=sigma) / b
    return weights
'''


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    path = tmp_path_factory.mktemp("training") / "training_probe.py"
    path.write_text(PROBE, encoding="utf-8")
    return load(path)


@pytest.fixture(scope="module")
def example() -> ModuleType:
    return load(HERE.parent / "examples" / "train_digits.py")


RECORDS = np.arange(20.0)[:, None]
ROUNDS, SIGMA, RATE = 60, 3.0, 0.5


def logged(function: Any, **public: Any) -> tuple[np.ndarray, np.ndarray, Any]:
    """Private sums and released sums of all rounds, and the release."""
    recorder = dp.Recording(dp.Seeded(11))
    with dp.handling(recorder):
        release = function(RECORDS, np.zeros(20), rounds=ROUNDS, sigma=SIGMA, rate=RATE, **public)
    sums = np.array([[float(v) for v in entry.value] for entry in recorder.log])
    return sums, np.array([entry.output for entry in recorder.log]), release


@pytest.mark.parametrize("scheme", ["poisson", "without"])
def test_noise_samples_and_denominators_are_those_of_the_guarantee(
    probe: ModuleType, scheme: str
) -> None:
    if scheme == "poisson":
        sums, outputs, release = logged(probe.train, q=0.25, expected=5.0)
    else:
        sums, outputs, release = logged(probe.train_replaced, b=5)
    assert sums.shape == outputs.shape == (ROUNDS, 20)
    # Every record is clipped to length 1, to within one step of the grid, and counts at most once.
    once = 1 - 2.0**-20
    assert set(np.unique(sums)) == {0.0, sums.max()} and once < sums.max() <= 1
    taken = sums > 0
    if scheme == "without":
        assert (taken.sum(axis=1) == 5).all()
    else:
        assert len(set(taken.sum(axis=1).tolist())) > 3
    # 1,200 (nearly) independent coins of 1/4: five standard deviations; chance 6e-7.
    assert abs(taken.mean() - 0.25) < 5 * np.sqrt(0.25 * 0.75 / taken.size)
    # 1,200 Gaussian draws: variance within five standard deviations of sigma^2; chance 6e-7.
    noise = outputs - sums
    assert abs(noise.var() / SIGMA**2 - 1) < 5 * np.sqrt(2 / noise.size)
    assert {float(draw.scale) for draw in release.draws} == {SIGMA}
    expected = -RATE * outputs.sum(axis=0) / 5
    assert np.allclose(np.asarray(release.value), expected, rtol=1e-12)


def test_the_accountant_knows_what_one_run_costs(probe: ModuleType) -> None:
    from metricdp.accounting.renyi import GaussianCurve
    from metricdp.expr import num
    from metricdp.measures.accountant import certified
    from metricdp.measures.accounted import AccountedStep
    from metricdp.measures.sampling import PoissonSampling, SamplingWithoutReplacement

    delta = Fraction(1, 10**5)
    found = probe.train.spent(1e-5, q=0.25, rounds=60, sigma=3.0)
    # Added or removed: the clipped sum moves by 1, so rho = 1 / (2 sigma^2) on the sample.
    step = AccountedStep(
        GaussianCurve(Fraction(1, 18)), 60, Fraction(0), PoissonSampling(num(Fraction(1, 4)))
    )
    assert found.epsilon == certified([step], delta, "add or remove").epsilon
    found = probe.train_replaced.spent(1e-5, b=5, rounds=60, sigma=30.0, len_records=20)
    # Replaced: by 2.
    scheme = SamplingWithoutReplacement(num(5), num(20))
    step = AccountedStep(GaussianCurve(Fraction(4, 1800)), 60, Fraction(0), scheme)
    sampled = certified([step], delta, "replace")
    assert found.epsilon == sampled.epsilon
    # Sampling a quarter of the rows divides the cost of the noise alone by more than 4.
    whole = certified([AccountedStep(GaussianCurve(Fraction(4, 1800)), 60)], delta, "replace")
    assert 4 * sampled.epsilon < whole.epsilon
    with pytest.raises(dp.errors.ExpressionError):
        probe.train.spent(1e-5, q=0.25, sigma=3.0)
    with pytest.raises(dp.errors.ParameterError):
        probe.train.spent(1e-5, q=0.25, rounds=60, sigma=3.0, b=3)


def test_no_record_in_the_sample_releases_noise_all_the_same(probe: ModuleType) -> None:
    for records in (RECORDS, np.zeros((0, 1))):
        with dp.handling(dp.Seeded(2)):
            release = probe.train(
                records, np.zeros(20), q=0.0, rounds=2, sigma=1.0, rate=1.0, expected=1.0
            )
        assert np.asarray(release.value).shape == (20,)
        assert [len(draw.value) for draw in release.draws] == [20, 20]


def test_the_digits_program_learns(example: ModuleType) -> None:
    pytest.importorskip("sklearn")
    records, test = example.digits()
    assert example.train.outcome.verdict == example.train_replaced.outcome.verdict == "proved"
    few, start = records[:200], example.start()
    with dp.handling(dp.Seeded(4)):
        release = example.train(
            few, start, q=0.5, rounds=8, sigma=0.5, rate=2.0, expected=0.5 * len(few)
        )
    assert example.accuracy(release.value, test) > example.accuracy(start, test) + 0.3


def test_gradients_of_the_example_are_right(example: ModuleType) -> None:
    """The black box against central differences of the cross-entropy."""
    rng = np.random.default_rng(1)
    record = [*rng.integers(0, 17, 64).astype(float), 7.0]
    weights = example.start(3)

    def loss(w: np.ndarray) -> float:
        first, bias, second, last = example.layers(w)
        scores = np.tanh(np.array(record[:-1]) / 16 @ first + bias) @ second + last
        return float(np.log(np.exp(scores - scores[7]).sum()))

    gradient = example.gradient(record, weights)
    for i in rng.integers(0, 3010, 40):
        step = np.zeros(3010)
        step[i] = 1e-5
        slope = (loss(weights + step) - loss(weights - step)) / 2e-5
        assert abs(slope - gradient[i]) < 1e-7
