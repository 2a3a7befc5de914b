"""Holes that only a run can have, attacked on ours: what is drawn, what is raised, what is kept."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt, tanh
from typing import Annotated, Any

import pytest

import metricdp as dp
from metricdp import L1, L2, ChangeOne, Data, LInf, Size

np = pytest.importorskip("numpy")
#: A change in place that no reader of the source sees.
PUT = np.put


@dp.measurement
def claimed(x: dp.Real, eps: float, delta: float):
    return dp.gaussian_mechanism(2, eps, delta, 2 * x)


@dp.measurement
def classical(x: dp.Real, s: float, eps: float):
    return dp.laplacian_mechanism(s, eps, x)


@dp.measurement
def sampled(rows: dp.Records[float, ChangeOne], b: int):
    return dp.laplace(dp.sum(dp.clamp(dp.sample(b, rows), 0, 512)), scale=0.01)


@dp.measurement
def matrix(m: Annotated[dp.Matrix[dp.Real, L2], Size(2, 3)], sigma: float):
    return dp.gaussian(dp.flatten(m), scale=sigma)


@dp.transformation
def clipped(v: Annotated[dp.Vector[dp.Real, L2], Size(3)]):
    return dp.clip(v, L2)


@dp.measurement
def total(v: dp.Records[float], scale: float):
    return dp.laplace(dp.sum(dp.clamp(v, 0, 1)), scale=scale)


@dp.transformation
def tenth(x: dp.Real):
    return 3 * (0.1 * x)


@dp.black_box(returns=Annotated[dp.Vector[Data, LInf], Size(2)])
def fragile(row):
    return [1 / row[0]] * int(row[1])


@dp.measurement
def boxed(rows: Annotated[dp.Matrix[Data, LInf], Size("n", 2)]):
    out = 0.0
    for row in rows:
        out += dp.undisc(dp.clip(fragile(row), L1))
    return dp.laplace(out, scale=1e-3)


@dp.black_box(returns=Annotated[dp.Vector[Data, LInf], Size(2)])
def writing(row):
    PUT(row, 0, 1e9)
    return row


@dp.measurement
def overwritten(rows: Annotated[dp.Matrix[Data, LInf], Size("n", 2)]):
    out = 0.0
    for row in rows:
        ignored = dp.undisc(dp.clip(writing(row), L1))
        out += 0 * ignored + dp.undisc(dp.clip(row, L1))
    return dp.laplace(out, scale=1e-3)


@dp.measurement
def answered(x: dp.Bool):
    return dp.randomized_response(x, epsilon=1)


def seeded(run: Any, count: int) -> list[Any]:
    """Values of runs with the seeds 0, 1, ...."""
    found = []
    for seed in range(count):
        with dp.handling(dp.Seeded(seed)):
            found.append(run().value)
    return found


@pytest.mark.parametrize(("eps", "delta"), [(0.5, 1e-5), (0.25, 1e-5), (0.5, 1e-9)])
def test_noise_follows_its_parameters(eps: float, delta: float) -> None:
    sigma = 2 * sqrt(2 * np.log(1.25 / delta)) / eps
    values = np.array(seeded(lambda: claimed(0.0, eps=eps, delta=delta), 400), dtype=float)
    # Under the right scale, sum of squares / sigma^2 is chi-squared with 400 degrees of freedom,
    # 400 +- 28: outside of [280, 540] with chance below 1e-4 (seeds are fixed).
    assert 280 < (values**2).sum() / sigma**2 < 540


def test_laplace_follows_sensitivity_and_epsilon() -> None:
    for s, eps in ((1.0, 1.0), (8.0, 1.0), (1.0, 0.125)):
        values = np.array(seeded(lambda s=s, eps=eps: classical(0.0, s=s, eps=eps), 300), float)
        # The mean of |noise| is scale with standard deviation scale / sqrt(300): 5 of them.
        assert abs(np.abs(values).mean() * eps / s - 1) < 0.29


def test_no_row_is_drawn_twice() -> None:
    # Powers of two: equal rows drawn twice, or rows left out, show in the binary digits.
    rows = [float(2**i) for i in range(10)]
    assert {round(v) for v in seeded(lambda: sampled(rows, b=10), 20)} == {1023}
    sizes = {bin(round(v)).count("1") for v in seeded(lambda: sampled(rows, b=4), 60)}
    assert sizes == {4}


def test_noise_for_a_matrix_runs() -> None:
    values = np.array(seeded(lambda: matrix([[5.0] * 3] * 2, sigma=2.0), 200), dtype=float)
    assert values.shape == (200, 6)
    # Six independent columns: 1200 squares, 1200 +- 49, and no correlation above 5 / sqrt(200).
    noise = (values - 5) / 2
    assert 950 < (noise**2).sum() < 1450
    correlations = np.corrcoef(noise.T) - np.eye(6)
    assert np.abs(correlations).max() < 0.36


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf"), 1e308, -0.0, 5e-324])
def test_no_number_passes_the_clip(bad: float) -> None:
    for v in ([bad] * 3, [bad, 1.0, -1.0], [0.0, bad, 0.0]):
        result = [Fraction(x) for x in clipped(v)]
        assert sum(x * x for x in result) <= 1


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1e300, 0.5])
def test_no_record_moves_a_sum_by_more_than_its_range(bad: float) -> None:
    rows = [0.25] * 10
    with_it, without = total([*rows, bad], scale=1e-6).value, total(rows, scale=1e-6).value
    assert abs(float(with_it) - float(without)) <= 1 + 1e-4


@pytest.mark.filterwarnings("ignore::metricdp.errors.BoxWarning")
def test_no_data_raise_or_change_the_shape() -> None:
    lengths = set()
    for row in ([1.0, 2.0], [0.0, 2.0], [1.0, 0.0], [1.0, 5.0], [float("nan"), 2.0], [1e308, -3]):
        lengths.add(len(boxed([row, [1.0, 2.0]]).value))
    assert lengths == {2}


@pytest.mark.filterwarnings("ignore::metricdp.errors.BoxWarning")
def test_a_black_box_gets_a_copy() -> None:
    rows = [[0.25, 0.5], [0.5, 0.25]]
    released = overwritten(rows)
    np.testing.assert_allclose(np.array(released.value, dtype=float), [0.75, 0.75], atol=0.05)
    assert rows == [[0.25, 0.5], [0.5, 0.25]]


def test_noise_and_answers_lie_on_one_public_grid() -> None:
    # Were noise added in doubles, the low bits of a release would tell 0.1 + 0.2 from 0.3.
    for scale in (1.0, 0.3, 100.0):
        near = [Fraction(v) for v in seeded(lambda s=scale: total([0.1, 0.2], scale=s), 60)]
        far = [Fraction(v) for v in seeded(lambda s=scale: total([1.0] * 5, scale=s), 60)]
        grid = max(v.denominator for v in [*near, *far])
        assert grid & (grid - 1) == 0
        # Each set alone reaches the finest step: neither is on a coarser lattice of its own.
        assert max(v.denominator for v in near) == max(v.denominator for v in far) == grid
        assert grid <= 2**60


def test_a_bound_is_not_rounded_down() -> None:
    moved = abs(Fraction(tenth(1.0)) - Fraction(tenth(0.0)))
    bound = tenth.at().map(1)
    assert moved > Fraction(3, 10) and Fraction(bound) >= moved


def test_total_variation_of_a_private_mechanism() -> None:
    # Privacy is finer than total variation: TV <= tanh(eps / 2), attained by randomised response,
    # and a law can be TV-close with no finite epsilon.
    values = np.array(seeded(lambda: answered(True), 3000), dtype=float)
    other = np.array(seeded(lambda: answered(False), 3000), dtype=float)
    # Standard deviation of the difference: 0.0115; five of them.
    assert abs((values.mean() - other.mean()) - tanh(0.5)) < 0.058
