"""Private folds over rows run as the loop that was checked, and keep their exact joint law."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from checked_modules import load

from metricdp.errors import NotProvedError, ParameterError
from metricdp.laws import DiscreteLaplaceLaw, ProductLaw, RandomizedResponseLaw, max_divergence
from metricdp.run.emit import Recording, Seeded, handling

PROGRAMS = """
@dp.measurement
def answers(m: dp.Vector[dp.Bool, L1], n: dp.Vector[Real, L1], eps: float):
    return dp.parallel_private_fold_rows(
        lambda said, x, y: 2 * said + dp.randomized_response(x, epsilon=eps), 0, m, n
    )


@dp.measurement
def descent(m: dp.Matrix[Data, LInf], n: dp.Matrix[Data, LInf], b: float):
    def step(acc, row, label):
        near = dp.undisc(dp.clamp(row[0], -1, 1)) + dp.undisc(dp.clamp(label[0], 0, 2))
        return acc / 2 + dp.laplace(near, scale=b)

    return dp.parallel_private_fold_rows(step, 5.0, m, n)


@dp.measurement
def regions(rows: dp.Records[str], names: tuple[str, ...], eps: float):
    return [
        dp.laplace(dp.count(part), epsilon=eps)
        for part in dp.partition(rows, key=lambda r: r, keys=names)
    ]


@dp.measurement
def replaced(rows: dp.Records[float, dp.ChangeOne], eps: float):
    parts = dp.partition(rows, key=lambda r: r >= 3, keys=(False, True))
    return [dp.laplace(dp.sum(dp.clamp(part, 0, 10)), epsilon=eps) for part in parts]


@dp.transformation
def plain(m: dp.Vector[Real, L1], n: dp.Vector[Real, L1]):
    return dp.parallel_private_fold_rows(lambda acc, x, y: acc + 2 * x - y, 0, m, n)
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("parallel"), PROGRAMS)


def test_one_changed_row_costs_one_round(programs: ModuleType) -> None:
    """Exact joint laws of all answers: d changed rows cost d eps, and no more."""
    eps = Fraction(3, 4)
    with handling(Seeded(1)):
        release = programs.answers([True, False, True], [0.0] * 3, eps=float(eps))
    assert Fraction(release.privacy["epsilon"]) == eps
    for x, y in product(product((0, 1), repeat=3), repeat=2):
        laws = [ProductLaw(tuple(RandomizedResponseLaw(b, 2, eps) for b in v)) for v in (x, y)]
        moved = sum(a != b for a, b in zip(x, y, strict=True))
        low, high = max_divergence(*laws)  # type: ignore[misc]
        assert low <= moved * eps <= high


def test_every_round_draws_around_its_own_rows(programs: ModuleType) -> None:
    rows, labels = [[0.5, 9.0], [7.0, 0.0], [-3.0, 1.0]], [[1.0], [5.0], [0.25]]
    recorder = Recording(Seeded(4))
    with handling(recorder):
        release = programs.descent(np.array(rows), np.array(labels), b=2.0)
    assert [entry.value for entry in recorder.log] == [Fraction(3, 2), 3, Fraction(-3, 4)]
    assert {entry.draw.scale for entry in recorder.log} == {2}
    assert len({entry.draw.site for entry in recorder.log}) == 1
    outputs = [entry.output for entry in recorder.log]
    expected = ((5.0 / 2 + outputs[0]) / 2 + outputs[1]) / 2 + outputs[2]
    assert release.value == pytest.approx(expected, rel=1e-12)
    # The row moves by 2 at most when it is replaced, and so does the label.
    assert release.privacy["epsilon"] == "1"


def test_answers_in_order(programs: ModuleType) -> None:
    with handling(Seeded(1)):
        release = programs.answers([True, False, True], [0.0] * 3, eps=60.0)
    assert release.value == 0b101


def test_without_noise_it_is_a_transformation(programs: ModuleType) -> None:
    assert programs.plain([1.0, 2.0], [3.0, 4.0]) == -1


def test_lengths_must_agree(programs: ModuleType) -> None:
    with pytest.raises(ParameterError, match="len_m"), handling(Seeded(1)):
        programs.answers([True, False], [0.0], eps=1.0)


def test_every_part_gets_its_own_noise(programs: ModuleType) -> None:
    recorder = Recording(Seeded(4))
    with handling(recorder):
        release = programs.regions(["b", "a", "b", "zz"], names=("a", "b", "c", "d"), eps=0.5)
    # A row is in the part of its key only, and rows of no key are nowhere.
    assert [entry.value for entry in recorder.log] == [1, 2, 0, 0]
    assert {entry.draw.scale for entry in recorder.log} == {2}
    assert release.privacy["epsilon"] == "0.5"
    assert release.value == [entry.output for entry in recorder.log]


def test_a_replaced_row_costs_two_parts(programs: ModuleType) -> None:
    recorder = Recording(Seeded(4))
    with handling(recorder):
        release = programs.replaced([1.0, 2.0, 30.0, 4.0], eps=0.5)
    assert [entry.value for entry in recorder.log] == [3, 14]
    assert [entry.draw.scale for entry in recorder.log] == [20, 20]
    assert release.privacy["epsilon"] == "1"
    # Exact laws of the pair that moves a row of 10 from one part to the other: e^(2 eps).
    scale = Fraction(20)
    there = ProductLaw((DiscreteLaplaceLaw(0, scale), DiscreteLaplaceLaw(10, scale)))
    back = ProductLaw((DiscreteLaplaceLaw(10, scale), DiscreteLaplaceLaw(0, scale)))
    assert max_divergence(there, back) == (1, 1)


def test_amplified_rows_do_not_run(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        """
@dp.measurement
def amplified(m: dp.Vector[Real, L1], n: dp.Vector[Real, L1], b: float):
    step = lambda acc, x, y: acc + dp.laplace(x, scale=b)
    return dp.parallel_private_fold_rows(step, 0, 1000 * m, n)
""",
    )
    with pytest.raises(NotProvedError, match="mechanism-in-loop"):
        module.amplified([1.0], [1.0], b=1.0)
