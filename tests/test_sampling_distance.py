"""The accountant on samples against exact laws: at distance K, beside the data, in branches.

The laws are those of `test_sampling_attack`: samples enumerated by the definition of the scheme.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest
from foreign_mechanisms import an_event
from test_sampling_attack import Law, divergence, noisy, ones_in_sample

from metricdp.accounting.renyi import GaussianCurve, Grouped, LinearCurve, PureCurve, Through, along
from metricdp.accounting.renyi_sampled import PoissonGaussian
from metricdp.check.source.program import Project
from metricdp.check.verdicts.api import outcomes
from metricdp.check.verdicts.guarantee import FunctionGuarantee
from metricdp.expr import num
from metricdp.measures.implications import zcdp_delta
from metricdp.measures.sampling import PoissonSampling

SOURCE = """
import metricdp as dp
from metricdp import ChangeOne, Records

@dp.measurement
def poisson_laplace(rows: Records[int], q: float, eps: float, b: int):
    return dp.discrete_laplace(dp.count(lambda v: v > 0, dp.sample(rows, q=q)), epsilon=eps)

@dp.measurement
def poisson_gaussian(rows: Records[int], q: float, sigma: float, b: int):
    return dp.discrete_gaussian(dp.count(lambda v: v > 0, dp.sample(rows, q=q)), scale=sigma)

@dp.measurement
def poisson_replaced_gaussian(rows: Records[int, ChangeOne], q: float, sigma: float, b: int):
    return dp.discrete_gaussian(dp.count(lambda v: v > 0, dp.sample(rows, q=q)), scale=sigma)

@dp.measurement
def without_gaussian(rows: Records[int, ChangeOne], b: int, sigma: float, q: float):
    return dp.discrete_gaussian(dp.count(lambda v: v > 0, dp.sample(b, rows)), scale=sigma)

@dp.measurement
def again_gaussian(rows: Records[int, ChangeOne], b: int, sigma: float, q: float):
    batch = dp.sample(b, rows, replace=True)
    return dp.discrete_gaussian(dp.count(lambda v: v > 0, batch), scale=sigma)

@dp.measurement
def again_laplace(rows: Records[int, ChangeOne], b: int, eps: float, q: float):
    batch = dp.sample(b, rows, replace=True)
    return dp.discrete_laplace(dp.count(lambda v: v > 0, batch), epsilon=eps)

@dp.measurement
def together_gaussian(rows: Records[int], q: float, sigma: float, b: int):
    both = dp.count(lambda v: v > 0, rows) + dp.count(lambda v: v > 0, dp.sample(rows, q=q))
    return dp.discrete_gaussian(both, scale=sigma)

@dp.measurement
def together_laplace(rows: Records[int], q: float, scale: float, b: int):
    both = dp.count(lambda v: v > 0, rows) + dp.count(lambda v: v > 0, dp.sample(rows, q=q))
    return dp.discrete_laplace(both, scale=scale)

@dp.measurement
def beside_gaussian(rows: Records[int], q: float, sigma: float, b: int):
    first = dp.discrete_gaussian(dp.count(lambda v: v > 0, dp.sample(rows, q=q)), scale=sigma)
    return first, dp.discrete_gaussian(dp.count(lambda v: v > 0, rows), scale=sigma)

@dp.measurement
def branch_gaussian(
    rows: Records[int, ChangeOne], b: int, sigma: float, q: float, flag: int, k: int
):
    out = 0
    if flag > 0:
        for _ in range(k):
            batch = dp.sample(b, rows, replace=True)
            out = out + dp.discrete_gaussian(dp.count(lambda v: v > 0, batch), scale=sigma)
    else:
        out = dp.discrete_gaussian(dp.count(lambda v: v > 0, rows), scale=100 * sigma)
    return out
"""
F = Fraction
PUBLIC = {"q": F(1, 3), "b": F(2), "sigma": F(3, 2), "eps": F(3, 4), "scale": F(2), "flag": F(1)}
PUBLIC["k"] = F(1)


@cache
def guarantees() -> dict[str, FunctionGuarantee]:
    module = Project().parse("far.py", SOURCE)
    found = {o.declared.name: o.guarantee for o in outcomes(module)}
    assert all(found.values())
    return found  # type: ignore[return-value]


@cache
def epsilon(name: str, rows: int, delta: Fraction, units: int) -> float:
    values = {**PUBLIC, "len_rows": F(rows)}
    return float(guarantees()[name].certified("rows", delta, values, F(units)).epsilon)


@cache
def output(name: str, rows: tuple[int, ...]) -> Law:
    scheme, kind = name.split("_")[0], name.split("_")[-1]
    public = dict(PUBLIC)
    if scheme == "together" and kind == "laplace":
        public["eps"] = 1 / PUBLIC["scale"]
    drawn = {"branch": "again", "together": "poisson", "beside": "poisson"}.get(scheme, scheme)
    law: Counter[Any] = Counter()
    for ones, weight in ones_in_sample(rows, drawn, public).items():
        center = ones + sum(rows) if scheme == "together" else ones
        for y, p in noisy(center, kind, public).items():
            if scheme != "beside":
                law[y] += weight * p
                continue
            for z, r in noisy(sum(rows), kind, public).items():
                if -14 <= y <= 18 and -14 <= z <= 18:
                    law[y, z] += weight * p * r
    return dict(law)


def pairs(name: str, units: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    (rows,) = guarantees()[name].private()
    added = getattr(rows.space, "metric", "") == "Symmetric"
    for n in (2, 3):
        for x in product((0, 1), repeat=n):
            if added:
                yield x, (*x, *(1,) * units)
                yield (*x, *(1,) * units), x
                if units > 1:
                    # Some rows are removed and others added.
                    yield (*x, *(0,) * (units - 1)), (*x, 1)
            elif units <= n:
                y = (*(1 - v for v in x[:units]), *x[units:])
                yield x, y


NAMES = [
    "poisson_laplace", "poisson_gaussian", "poisson_replaced_gaussian", "without_gaussian",
    "again_gaussian", "again_laplace", "together_gaussian", "together_laplace", "beside_gaussian",
    "branch_gaussian",
]  # fmt: skip


@pytest.mark.parametrize("units", [1, 2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_the_accountant_holds_for_the_exact_laws(name: str, units: int) -> None:
    worst = third = 0.0
    # What is counted does not know the order of the rows.
    unlike = {(tuple(sorted(x)), tuple(sorted(y))) for x, y in pairs(name, units)}
    for delta in (F(1, 20), F(1, 1000)):
        for x, y in sorted(unlike):
            e = epsilon(name, max(len(x), len(y)), delta, units)
            p, other = output(name, x), output(name, y)
            seen = divergence(p, other, e)
            assert seen <= float(delta) + 1e-9, (x, y, e)
            worst = max(worst, seen / float(delta))
            third = max(third, divergence(p, other, e / 3) / float(delta))
    # The number is no empty one: at a third of the epsilon some pair breaks it.
    assert third > 1, worst


def test_a_sample_in_a_branch_is_charged_for_repeated_draws() -> None:
    """Draws with replacement hit one row several times; a branch around them forgives nothing."""
    found = guarantees()["branch_gaussian"].certified(
        "rows", F(1, 1000), {**PUBLIC, "b": F(3), "len_rows": F(1), "sigma": F(3)}
    )
    # One row drawn three times moves the count by 3 = sigma.
    public = {"sigma": F(3)}
    p, q = noisy(3, "gaussian", public), noisy(0, "gaussian", public)
    assert 0.9e-3 < divergence(p, q, float(found.epsilon)) <= 1e-3 + 1e-9


@pytest.mark.parametrize("units", [1, 2, 3])
@pytest.mark.parametrize("direct", [False, True])
def test_open_failures_on_samples_grow_along_paths(units: int, direct: bool) -> None:
    """An (e, d) mechanism that uses all of both, on a Poisson sample; perhaps beside the rows."""
    from test_sampling_attack import leaky

    from metricdp.expr import D
    from metricdp.measures.accountant import certified
    from metricdp.measures.events import Sampled, Sequence, Spent
    from metricdp.measures.steps import steps

    e, d = F(3, 2), F(1, 200)
    event = an_event("leaky", "", {}, {"approx": (num(e), num(d))})
    pure = an_event("coin", "", {}, {"pure": (num(e) * D / D,)})
    body = Sequence(
        (Spent(event, {"row": D}), *((Spent(pure, {"rows": D / D}),) if direct else ()))
    )
    tree = Sampled(body, "row", "rows", PoissonSampling(num(PUBLIC["q"])), "add or remove")
    found = steps(tree, "rows", units, {})
    assert len(found) == 1 + direct

    def law(rows: tuple[int, ...]) -> Law:
        made: Counter[Any] = Counter()
        for ones, weight in ones_in_sample(rows, "poisson", PUBLIC).items():
            for y, p in leaky(ones, float(e), float(d)).items():
                for z, r in leaky(sum(rows), float(e), 0.0).items() if direct else ((0, 1.0),):
                    made[y, z] += weight * p * r
        return dict(made)

    close = 0.0
    p, q = law((0,)), law((0, *(1,) * units))
    for delta in (F(1, 20), F(1, 50)):
        answer = certified(found, delta)
        for a, b in ((p, q), (q, p)):
            full = {z: b.get(z, 0.0) for z in a}
            for epsilon in answer.tried.values():
                assert divergence(a, full, float(epsilon)) <= float(delta) + 1e-12
            close = max(close, divergence(a, full, float(answer.epsilon) / 3) / float(delta))
    assert close > 1
    # A path of k steps costs delta (1 + e^x + ...), not delta, nor k delta.
    from metricdp.accounting.costs import group_approx
    from metricdp.measures.paid import amplified_step

    scheme = PoissonSampling(num(PUBLIC["q"]))
    one = scheme.amplified("add or remove", e, d)
    grown = group_approx(one.epsilon, one.delta, units)[1].upper({})
    curve, leak = amplified_step(PureCurve(e), d, scheme, "add or remove", F(0), units)
    assert float(leak) == pytest.approx(float(grown)) and isinstance(curve, PureCurve)
    assert float(curve.epsilon) == pytest.approx(units * float(one.epsilon.upper({})))
    # The same along the search for an x, where the base has a curve and no epsilon.
    curve, leak = amplified_step(
        LinearCurve(F(1, 8)), d, scheme, "add or remove", F(1, 1000), units
    )
    assert isinstance(curve, PureCurve)
    x = math.log1p((math.exp(float(curve.epsilon) / units) - 1) / float(PUBLIC["q"]))
    lost = sum(math.exp(float(curve.epsilon) / units * j) for j in range(units)) / 3
    assert (
        lost * float(d)
        < float(leak)
        <= lost * (float(d) + float(zcdp_delta(F(1, 8), F(x)).value)) * 1.001
    )


@pytest.mark.parametrize("units", [1, 2])
def test_replaced_rows_are_paid_on_the_way_out_and_in(units: int) -> None:
    """All replaced rows move the sum from one end to the other: mixtures to both sides of 0."""
    from metricdp.measures.paid import amplified_step

    q, sigma = 0.25, 2.0
    curve, leak = amplified_step(
        GaussianCurve(F(1, 8)), F(0), PoissonSampling(num("0.25")), "replace", F(0), units
    )
    assert not leak

    def law(sign: int) -> dict[int, float]:
        made: Counter[int] = Counter()
        for taken in range(units + 1):
            weight = math.comb(units, taken) * q**taken * (1 - q) ** (units - taken)
            for z in range(-40, 41):
                x = (z - sign * taken) / sigma
                made[z] += weight * math.exp(-x * x / 2) / (sigma * math.sqrt(2 * math.pi))
        return dict(made)

    p, other = law(1), law(-1)
    for alpha in (2, 4):
        seen = math.log(sum(a**alpha * other[z] ** (1 - alpha) for z, a in p.items())) / (alpha - 1)
        assert seen <= float(curve.divergence(F(alpha))[1])
        # One way alone is too little.
        one_way = Grouped(PoissonGaussian(F(1, 4), F(1, 2)), units)
        assert seen > float(one_way.divergence(F(alpha))[1])


def test_no_number_where_rows_would_differ_by_a_part_of_one() -> None:
    from metricdp.errors import ParameterError

    with pytest.raises(ParameterError, match="differ"):
        guarantees()["poisson_gaussian"].certified("rows", F(1, 100), PUBLIC, F(3, 2))


@pytest.mark.parametrize("alpha", [F(3, 2), F(2), F(7)])
def test_paths_of_gaussian_steps_are_exact_and_those_of_pure_steps_add(alpha: Fraction) -> None:
    for k in (1, 2, 5):
        assert Grouped(LinearCurve(F(1, 8)), k).divergence(alpha)[1] == k * k * alpha / 8
        assert Grouped(PureCurve(F(1, 4)), k).divergence(F(400))[1] <= F(k, 4) * F(101, 100)
    same = Through(GaussianCurve(F(1, 8)), GaussianCurve(F(1, 8))).divergence(alpha)[1]
    assert same == 4 * alpha / 8
    # Movements 1 and 4 make 5.
    assert (
        Through(GaussianCurve(F(1, 8)), GaussianCurve(F(16, 8))).divergence(alpha)[1]
        == 25 * alpha / 8
    )


def test_paths_hold_for_exact_divergences() -> None:
    """Response with odds e^a, then with odds e^b, on three answers."""
    laws = [(0.7, 0.2, 0.1), (0.5, 0.3, 0.2), (0.2, 0.5, 0.3), (0.15, 0.25, 0.6)]

    def renyi(p: tuple[float, ...], q: tuple[float, ...], a: float) -> float:
        return math.log(sum(x**a * y ** (1 - a) for x, y in zip(p, q, strict=True))) / (a - 1)

    class Both:
        largest = None

        def __init__(self, p: tuple[float, ...], q: tuple[float, ...]) -> None:
            self.p, self.q = p, q

        def divergence(self, alpha: Fraction) -> tuple[Fraction, Fraction]:
            a = float(alpha)
            value = F(max(renyi(self.p, self.q, a), renyi(self.q, self.p, a)))
            return value, value

    for p, m, q in [(a, b, c) for a in laws for b in laws for c in laws]:
        for alpha in (F(5, 4), F(2), F(6)):
            seen = renyi(p, q, float(alpha))
            through = along(Both(p, m), Both(m, q), alpha)
            assert seen <= float(through) + 1e-12


def test_amplification_at_a_distance_beats_no_amplification() -> None:
    far = Grouped(PoissonGaussian(F(1, 100), F(1)), 3)
    assert far.divergence(F(2))[1] < LinearCurve(F(9, 2)).divergence(F(2))[1] / 50
