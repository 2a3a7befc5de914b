"""The noise that a checked program really draws has the scale that its guarantee states.

Every mechanism is drawn 10,000 times or more through the compiled program.  Statistics with a
known law decide: for Laplace noise the sum of |noise| / scale is Gamma(n, 1), for Gaussian noise
the sum of squares is chi-square(n), for counts of answers it is binomial.  A correct program fails
one check with probability below 1e-9; the seeds are fixed.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from checked_modules import HEAD, load
from noise_checks import fits
from scipy.stats import binom, chi2, gamma

import metricdp as dp
from metricdp.accounting.gaussian import analytic_sigma, classical_sigma
from metricdp.expr import num
from metricdp.laws import DiscreteGaussianLaw, DiscreteLaplaceLaw
from metricdp.run.emit import RunLog

FALSE_ALARM = 1e-9
DRAWS, ROUNDS = 10_000, 1000
ROWS = [3.0, 50.0, 7.5]  # clamped to [0, 20]: 30.5
TOTAL = 30.5

SCALARS = """
@dp.measurement
def laplace_scale(x: dp.Records[float], b: float):
    total = dp.sum(dp.clamp(x, 0, 20))
    return [dp.laplace(total, scale=b) for _ in range(1000)]


@dp.measurement
def laplace_epsilon(x: dp.Records[float], eps: float):
    total = dp.sum(dp.clamp(x, 0, 20))
    return [dp.laplace(total, epsilon=eps) for _ in range(1000)]


@dp.measurement
def laplacian(x: dp.Records[float], eps: float):
    total = dp.sum(dp.clamp(x, 0, 20))
    return [dp.laplacian_mechanism(20, eps, total) for _ in range(1000)]


@dp.measurement
def gaussian_scale(x: dp.Records[float], sigma: float):
    total = dp.sum(dp.clamp(x, 0, 20))
    return [dp.gaussian(total, scale=sigma) for _ in range(1000)]


@dp.measurement
def gaussian_rho(x: dp.Records[float], rho: float):
    total = dp.sum(dp.clamp(x, 0, 20))
    return [dp.gaussian(total, rho=rho) for _ in range(1000)]


@dp.measurement
def gaussian_approx(x: dp.Records[float], eps: float, delta: float):
    total = dp.sum(dp.clamp(x, 0, 20))
    return [dp.gaussian(total, epsilon=eps, delta=delta) for _ in range(1000)]


@dp.measurement
def gaussian_classical(x: dp.Records[float], eps: float, delta: float):
    total = dp.sum(dp.clamp(x, 0, 20))
    return [dp.gaussian_mechanism(20, eps, delta, total) for _ in range(1000)]


@dp.measurement
def discrete_laplace(x: dp.Records[int], eps: float):
    total = dp.sum(dp.clamp(x, 0, 20))
    return [dp.discrete_laplace(total, epsilon=eps) for _ in range(1000)]


@dp.measurement
def discrete_gaussian(x: dp.Records[int], rho: float):
    total = dp.sum(dp.clamp(x, 0, 20))
    return [dp.discrete_gaussian(total, rho=rho) for _ in range(1000)]


@dp.measurement
def answer(flag: bool_space, eps: float):
    return [dp.randomized_response(flag, epsilon=eps) for _ in range(1000)]


@dp.measurement
def category(x: dp.Data, eps: float):
    return [dp.randomized_response(x, epsilon=eps, choices=(1, 2, 3)) for _ in range(1000)]
""".replace("bool_space", "dp.Bool")


@pytest.fixture(scope="module")
def scalars(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("noise"), SCALARS)


def drawn(function: Callable[..., Any], *args: Any, draws: int = DRAWS, **public: Any) -> list[Any]:
    """Released values, with a seed."""
    values: list[Any] = []
    with dp.handling(dp.Seeded(function.__name__)):
        while len(values) < draws:
            release = function(*args, **public)
            assert release.test_only
            values.extend(release.value)
    return values


def proved_scale(function: Any, **public: float) -> Fraction:
    """The scale in the guarantee of the only site."""
    (site,) = function.guarantee.data.sites.values()
    noise = site.noise.get("scale", site.noise.get("sigma"))
    return Fraction(noise.upper({n: Fraction(repr(v)) for n, v in public.items()}))


def is_laplace(noise: Any, scale: float) -> None:
    """|noise| / scale are exponential: their sum is Gamma(n); as many are positive as negative."""
    noise = np.asarray(noise, float)
    total, n = float(np.abs(noise).sum() / scale), len(noise)
    assert gamma.ppf(FALSE_ALARM / 4, n) < total < gamma.isf(FALSE_ALARM / 4, n), total / n
    positive = int((noise > 0).sum())
    assert binom.ppf(FALSE_ALARM / 4, n, 0.5) <= positive <= binom.isf(FALSE_ALARM / 4, n, 0.5)


def is_gaussian(noise: Any, sigma: float) -> None:
    """(noise / sigma)**2 are chi-square: their sum is chi-square(n)."""
    noise = np.asarray(noise, float)
    total, n = float(((noise / sigma) ** 2).sum()), len(noise)
    assert chi2.ppf(FALSE_ALARM / 4, n) < total < chi2.isf(FALSE_ALARM / 4, n), (total / n) ** 0.5
    positive = int((noise > 0).sum())
    assert binom.ppf(FALSE_ALARM / 4, n, 0.5) <= positive <= binom.isf(FALSE_ALARM / 4, n, 0.5)


LAPLACE = [
    ("laplace_scale", {"b": 7.0}, 7.0),
    ("laplace_epsilon", {"eps": 0.5}, 40.0),
    ("laplacian", {"eps": 0.4}, 50.0),
]


@pytest.mark.parametrize(("name", "public", "scale"), LAPLACE)
def test_laplace(scalars: Any, name: str, public: dict[str, float], scale: float) -> None:
    function = getattr(scalars, name)
    assert proved_scale(function, **public) == scale
    is_laplace(np.subtract(drawn(function, ROWS, **public), TOTAL), scale)


GAUSSIAN = [
    ("gaussian_scale", {"sigma": 7.0}, 7.0),
    ("gaussian_rho", {"rho": 0.5}, 20.0),
    ("gaussian_approx", {"eps": 1.0, "delta": 1e-6}, 20 * float(analytic_sigma(1, 1e-6))),
    ("gaussian_classical", {"eps": 0.5, "delta": 1e-5}, 20 * float(classical_sigma(0.5, 1e-5))),
]


@pytest.mark.parametrize(("name", "public", "sigma"), GAUSSIAN)
def test_gaussian(scalars: Any, name: str, public: dict[str, float], sigma: float) -> None:
    is_gaussian(np.subtract(drawn(getattr(scalars, name), ROWS, **public), TOTAL), sigma)


def test_a_wrong_scale_would_be_seen(scalars: Any) -> None:
    noise = np.subtract(drawn(scalars.laplace_scale, ROWS, b=7.0), TOTAL)
    for wrong in (6.5, 7.5):
        with pytest.raises(AssertionError):
            is_laplace(noise, wrong)


def test_discrete_laplace(scalars: Any) -> None:
    found = drawn(scalars.discrete_laplace, [3, 50, 7], eps=5.0)
    scale = proved_scale(scalars.discrete_laplace, eps=5.0)
    assert scale == 4 and {type(x) for x in found} == {int}
    fits([x - 30 for x in found], DiscreteLaplaceLaw(0, scale), scale)


def test_discrete_gaussian(scalars: Any) -> None:
    found = drawn(scalars.discrete_gaussian, [3, 50, 7], rho=8.0)
    assert {type(x) for x in found} == {int}  # sigma = 20 / sqrt(2 * 8) = 5
    fits([x - 30 for x in found], DiscreteGaussianLaw(0, Fraction(25)), Fraction(5))


def test_randomized_response(scalars: Any) -> None:
    for flag in (True, False):
        found = drawn(scalars.answer, flag, eps=1.0)
        assert {type(x) for x in found} == {bool}
        truth = 1 / (1 + np.exp(-1.0))
        _binomial(found.count(flag), len(found), truth)
    for value in (1, 2, 3):
        found = drawn(scalars.category, value, eps=1.0)
        for answer in (1, 2, 3):
            p = (np.e if answer == value else 1) / (np.e + 2)
            _binomial(found.count(answer), len(found), p)
    assert set(drawn(scalars.category, 99, eps=1.0)) == {1, 2, 3}


def _binomial(count: int, n: int, p: float) -> None:
    tail = FALSE_ALARM / 4
    assert binom.ppf(tail, n, p) <= count <= binom.isf(tail, n, p), (count / n, p)


VECTORS = """
@dp.measurement
def laplace_l1(x: dp.Vector[Real, L1], eps: float):
    return dp.laplace(x * 3, epsilon=eps)


@dp.measurement
def gaussian_l2(x: dp.Vector[Real, L2], rho: float):
    return dp.gaussian(x * 3, rho=rho)


@dp.measurement
def gaussian_rows(rows: dp.Matrix[Data, LInf], eps: float, delta: float):
    clipped = dp.map_rows(lambda r: dp.undisc(dp.clip(r, L2)), rows)
    return dp.gaussian_mechanism(2, eps, delta, dp.sum_rows(clipped))
"""


def test_vectors(tmp_path: Path) -> None:
    """One draw per entry, in the norm of the mechanism."""
    module: Any = load(tmp_path, VECTORS)
    values = np.linspace(-5, 5, DRAWS)
    with dp.handling(dp.Seeded("vectors")):
        release = module.laplace_l1(values, eps=0.5)
        is_laplace(release.value - 3 * values, 6.0)
        release = module.gaussian_l2(values, rho=0.5)
        is_gaussian(release.value - 3 * values, 3.0)
        rows = np.zeros((3, DRAWS))
        release = module.gaussian_rows(rows, eps=0.5, delta=1e-5)
        is_gaussian(release.value, 2 * float(classical_sigma(0.5, 1e-5)))
        low, high = release.interval(0.9)
        inside = int(((low <= 0) & (high >= 0)).sum())
        # Each interval misses with probability at most 0.1, slightly less on the grid.
        assert binom.ppf(FALSE_ALARM, DRAWS, 0.9) <= inside
        assert inside <= binom.isf(FALSE_ALARM, DRAWS, 0.901)


SITES = """
import noisy_helpers


def noisy(value, eps):
    return dp.laplace(value, epsilon=eps)


@dp.measurement
def helpers(x: dp.Records[float], eps: float):
    small = dp.sum(dp.clamp(x, 0, 1))
    large = dp.sum(dp.clamp(x, 0, 50))
    return [(noisy(small, eps), noisy(large, eps), noisy_helpers.noisy(dp.count(x), eps),
             noisy_helpers.noisy(large, 2 * eps)) for _ in range(1000)]


@dp.measurement
def loops(x: dp.Records[float], eps: float):
    found = []
    for i in range(1000):
        found.append(noisy(dp.sum(dp.clamp(x, 0, 20)), eps))
        found.append(dp.laplace(dp.count(x), scale=3))
    return found


@dp.measurement
def rounds(x: dp.Records[float], eps: float):
    return [dp.laplace(dp.sum(dp.clamp(x, 0, c)), epsilon=eps) for c in (50, 1)]


@dp.measurement
def displays(x: dp.Records[float], eps: float):
    found = []
    for c in (1, 50):
        for k in (1, 2):
            found.append(noisy(dp.sum(dp.clamp(x, 0, c)) * k, eps))
    return found


@dp.measurement
def early(x: dp.Records[float], eps: float, wide: bool, stop: bool):
    if wide:
        y = dp.clamp(x, 0, 100)
        if stop:
            return 0.0
    else:
        y = dp.clamp(x, 0, 2)
    return dp.laplace(dp.sum(y), epsilon=eps)


@dp.measurement
def branches(x: dp.Records[float], eps: float, wide: bool):
    if wide:
        return [dp.laplace(dp.sum(dp.clamp(x, 0, 100)), epsilon=eps) for _ in range(1000)]
    return [dp.laplace(dp.sum(dp.clamp(x, 0, 2)), epsilon=eps) for _ in range(1000)]
"""


def test_every_site_draws_its_own_noise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A helper called twice, a helper of another file, loops and branches: 2,000 draws each."""
    (tmp_path / "noisy_helpers.py").write_text(
        f"{HEAD}def noisy(value, eps):\n    return dp.laplace(value, epsilon=eps)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    module: Any = load(tmp_path, SITES)
    x = [0.5, 60.0]
    columns = np.array(drawn(module.helpers, x, draws=2000, eps=0.5))
    for column, true, scale in zip(columns.T, (1.5, 50.5, 2, 50.5), (2, 100, 2, 50), strict=True):
        is_laplace(column - true, scale)
    found = np.array(drawn(module.loops, x, draws=4000, eps=0.5))
    is_laplace(found[0::2] - 20.5, 40)
    is_laplace(found[1::2] - 2, 3)
    is_laplace(np.subtract(drawn(module.branches, x, draws=2000, eps=0.5, wide=True), 60.5), 200)
    is_laplace(np.subtract(drawn(module.branches, x, draws=2000, eps=0.5, wide=False), 2.5), 4)


def test_a_site_that_is_reached_in_several_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rounds of an unrolled loop draw their own noise, and so do the ways through a branch."""
    (tmp_path / "noisy_helpers.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    module: Any = load(tmp_path, SITES)
    x = [0.5, 60.0]
    assert [d.scale for d in module.rounds(x, eps=0.5).draws] == [100, 2]
    assert [d.scale for d in module.displays(x, eps=0.5).draws] == [2, 4, 100, 200]
    found = np.array([module.rounds(x, eps=0.5).value for _ in range(1000)])
    for column, true, scale in zip(found.T, (50.5, 1.5), (100, 2), strict=True):
        is_laplace(column - true, scale)
    for wide, scale in ((True, 200), (False, 4)):
        (draw,) = module.early(x, eps=0.5, wide=wide, stop=False).draws
        assert draw.scale == scale


def test_the_system_source(scalars: Any) -> None:
    """Not seeded: this one may fail by chance, once in 1e9 runs."""
    values: list[float] = []
    with dp.handling(RunLog()):
        while len(values) < DRAWS:
            release = scalars.laplace_epsilon(ROWS, eps=0.5)
            assert not release.test_only
            values.extend(release.value)
    is_laplace(np.subtract(values, TOTAL), 40.0)
    assert len(set(values)) > DRAWS - 3


def test_the_noise_follows_the_largest_private_input(tmp_path: Path) -> None:
    """Two private inputs: the larger bound sets the noise, each is charged its own."""
    module: Any = load(
        tmp_path,
        """
        @dp.measurement
        def both(x: dp.Records[float], y: dp.Records[float], eps: float):
            total = dp.sum(dp.clamp(x, 0, 2)) + dp.sum(dp.clamp(y, 0, 10))
            return [dp.laplace(total, epsilon=eps) for _ in range(1000)]
        """,
    )
    noise = np.subtract(drawn(module.both, [1.0], [20.0], eps=1.0), 11.0)
    is_laplace(noise, 10.0)
    cost = module.both.guarantee.data.cost("x")["epsilon"]
    assert cost.subs({"eps": num(1)}) == num(200)


def test_rounded_noise_is_on_a_grid_that_depends_on_public_numbers(scalars: Any) -> None:
    """The last bits of a release do not tell the last bits of the data."""
    with dp.handling(dp.Seeded(5)):
        for data in ([3.0], [np.pi], [1e-300]):
            release = scalars.laplace_epsilon(data, eps=0.5)
            exponents = {draw.exponent for draw in release.draws}
            assert len(exponents) == 1
            (exponent,) = exponents
            steps = [Fraction(v) / Fraction(2) ** exponent for v in release.value]
            assert all(step.denominator == 1 for step in steps)
