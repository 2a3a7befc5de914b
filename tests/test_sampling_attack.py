"""Sampled programs against their exact output laws on all small inputs, for every scheme.

Samples are enumerated by the definition of the scheme (not by the run-time sampler), the noise by
its closed form, and the hockey-stick divergence of every pair of neighbours is compared with what
the checker charged.  The pure claims under Poisson inclusion and without replacement are met
closely, so a smaller claim would fail here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from foreign_mechanisms import an_event

import metricdp as dp
from metricdp.check.source.program import Project
from metricdp.check.verdicts.api import outcomes
from metricdp.check.verdicts.guarantee import FunctionGuarantee
from metricdp.expr import ONE

SOURCE = """
import metricdp as dp
from metricdp import ChangeOne, Records

@dp.measurement
def poisson(rows: Records[int], q: float, eps: float):
    return dp.discrete_laplace(dp.count(lambda v: v > 0, dp.sample(rows, q=q)), epsilon=eps)

@dp.measurement
def poisson_replaced(rows: Records[int, ChangeOne], q: float, eps: float):
    return dp.discrete_laplace(dp.count(lambda v: v > 0, dp.sample(rows, q=q)), epsilon=eps)

@dp.measurement
def without(rows: Records[int, ChangeOne], b: int, eps: float):
    return dp.discrete_laplace(dp.count(lambda v: v > 0, dp.sample(b, rows)), epsilon=eps)

@dp.measurement
def again(rows: Records[int, ChangeOne], b: int, eps: float):
    batch = dp.sample(b, rows, replace=True)
    return dp.discrete_laplace(dp.count(lambda v: v > 0, batch), epsilon=eps)

@dp.measurement
def twice(rows: Records[int], q: float, eps: float):
    batch = dp.sample(rows, q=q)
    first = dp.discrete_laplace(dp.count(lambda v: v > 0, batch), epsilon=eps)
    return first, dp.discrete_laplace(dp.count(lambda v: v > 0, batch), epsilon=eps)

@dp.measurement
def beside(rows: Records[int], q: float, eps: float):
    batch = dp.sample(rows, q=q)
    first = dp.discrete_laplace(dp.count(lambda v: v > 0, batch), epsilon=eps)
    return first, dp.discrete_laplace(dp.count(lambda v: v > 0, rows), epsilon=eps)

@dp.measurement
def gaussian(rows: Records[int], q: float, sigma: float):
    return dp.discrete_gaussian(dp.count(lambda v: v > 0, dp.sample(rows, q=q)), scale=sigma)

@dp.measurement
def gaussian_replaced(rows: Records[int, ChangeOne], q: float, sigma: float):
    return dp.discrete_gaussian(dp.count(lambda v: v > 0, dp.sample(rows, q=q)), scale=sigma)

@dp.measurement
def gaussian_without(rows: Records[int, ChangeOne], b: int, sigma: float):
    return dp.discrete_gaussian(dp.count(lambda v: v > 0, dp.sample(b, rows)), scale=sigma)

@dp.measurement
def gaussian_again(rows: Records[int, ChangeOne], b: int, sigma: float):
    batch = dp.sample(b, rows, replace=True)
    return dp.discrete_gaussian(dp.count(lambda v: v > 0, batch), scale=sigma)
"""
Law = dict[Any, float]
WIDE = range(-70, 76)


@cache
def guarantees() -> dict[str, FunctionGuarantee]:
    module = Project().parse("sampled.py", SOURCE)
    found = {o.declared.name: o.guarantee for o in outcomes(module)}
    assert all(found.values())
    return found  # type: ignore[return-value]


def ones_in_sample(rows: tuple[int, ...], scheme: str, public: dict[str, Fraction]) -> Law:
    """Law of the number of ones in the sample."""
    law: Counter[int] = Counter()
    n = len(rows)
    if scheme == "poisson":
        q = float(public["q"])
        for taken in product((0, 1), repeat=n):
            law[sum(r * t for r, t in zip(rows, taken, strict=True))] += math.prod(
                q if t else 1 - q for t in taken
            )
        return dict(law)
    b = int(public["b"])
    every = list(combinations(range(n), b) if scheme == "without" else product(range(n), repeat=b))
    for chosen in every:
        law[sum(rows[i] for i in chosen)] += 1 / len(every)
    return dict(law)


def noisy(center: int, kind: str, public: dict[str, Fraction]) -> Law:
    """Law of the released integer; not to be changed."""
    return _noisy(center, kind, public["eps" if kind == "laplace" else "sigma"])


@cache
def _noisy(center: int, kind: str, stated: Fraction) -> Law:
    if kind == "laplace":
        a = math.exp(-float(stated))
        return {z: (1 - a) / (1 + a) * a ** abs(z - center) for z in WIDE}
    sigma = float(stated)
    weights = {z: math.exp(-((z - center) ** 2) / (2 * sigma**2)) for z in WIDE}
    total = sum(weights.values())
    return {z: w / total for z, w in weights.items()}


def output(name: str, rows: tuple[int, ...], scheme: str, public: dict[str, Fraction]) -> Law:
    kind = "gaussian" if name.startswith("gaussian") else "laplace"
    law: Counter[Any] = Counter()
    for ones, weight in ones_in_sample(rows, scheme, public).items():
        first = noisy(ones, kind, public)
        if name not in ("twice", "beside"):
            for z, p in first.items():
                law[z] += weight * p
            continue
        second = noisy(ones if name == "twice" else sum(rows), kind, public)
        near = range(-12, 16)
        for y, z in product(near, near):
            law[y, z] += weight * first[y] * second[z]
    return dict(law)


def neighbours(name: str) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All pairs of small tables at distance 1, both ways round."""
    guarantee = guarantees()[name]
    (rows,) = guarantee.private()
    for n in (2, 3):
        for x in product((0, 1), repeat=n):
            if getattr(rows.space, "metric", "") == "Symmetric":
                yield x, (*x, 1)
                yield (*x, 1), x
            else:
                yield from ((x, (*x[:-1], 1 - x[-1])),)


def divergence(p: Law, q: Law, epsilon: float) -> float:
    factor = math.exp(epsilon)
    return sum(max(0.0, a - factor * q[z]) for z, a in p.items())


PURE = [
    ("poisson", "poisson", True), ("poisson_replaced", "poisson", True),
    ("without", "without", True), ("again", "again", False),
    ("twice", "poisson", True), ("beside", "poisson", False),
]  # fmt: skip


@pytest.mark.parametrize(("name", "scheme", "close"), PURE)
@pytest.mark.parametrize("eps", [Fraction(1, 4), Fraction(3, 2)])
def test_pure_claims_hold_for_the_exact_laws(
    name: str, scheme: str, close: bool, eps: Fraction
) -> None:
    guarantee = guarantees()[name]
    worst, least_claim = 0.0, math.inf
    for q in (Fraction(1, 5), Fraction(2, 3)):
        worst, least_claim = 0.0, math.inf
        for x, y in neighbours(name):
            n = max(len(x), len(y))
            public = {"q": q, "b": Fraction(1 if q < Fraction(1, 2) else 2), "eps": eps}
            values = {**public, "len_rows": Fraction(n)}
            cost = guarantee.cost("rows", ONE, "pure")["epsilon"]
            claim = float(cost.upper(values))
            p = output(name, x, scheme, public)
            other = output(name, y, scheme, public)
            assert divergence(p, other, claim) <= 1e-9, (x, y, claim)
            seen = max(math.log(p[z] / other[z]) for z in p if min(p[z], other[z]) > 1e-14)
            if seen / claim > worst / least_claim:
                worst, least_claim = seen, claim
        if close:
            # Symmetric pairs attain ln(1 + q(e^eps - 1)); replaced ones come near both terms.
            assert worst > 0.5 * least_claim
    assert worst <= least_claim + 1e-9


GAUSSIAN = [
    ("gaussian", "poisson"), ("gaussian_replaced", "poisson"),
    ("gaussian_without", "without"), ("gaussian_again", "again"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "scheme"), GAUSSIAN)
@pytest.mark.parametrize("delta", [Fraction(1, 100), Fraction(1, 10**5)])
def test_the_accountants_epsilon_holds_for_the_exact_laws(
    name: str, scheme: str, delta: Fraction
) -> None:
    for sigma in (Fraction(1), Fraction(3)):
        for x, y in neighbours(name):
            public = {"q": Fraction(1, 4), "b": Fraction(2), "sigma": sigma}
            values = {**public, "len_rows": Fraction(max(len(x), len(y)))}
            found = guarantees()[name].certified("rows", delta, values)
            p, other = output(name, x, scheme, public), output(name, y, scheme, public)
            assert divergence(p, other, float(found.epsilon)) <= float(delta) + 1e-9
            # And the number is no empty one: the unsampled mechanism costs more.
            if name == "gaussian":
                assert divergence(p, other, 0.0) > 0 or sum(x) == sum(y)


def test_a_smaller_claim_is_noticed() -> None:
    """The attack itself: q e^eps in place of ln(1 + q(e^eps - 1)) halves fails."""
    public = {"q": Fraction(2, 3), "eps": Fraction(3, 2)}
    p = output("poisson", (1, 1, 1), "poisson", public)
    q = output("poisson", (1, 1), "poisson", public)
    claim = math.log(1 + float(public["q"]) * (math.exp(1.5) - 1))
    assert max(divergence(p, q, claim), divergence(q, p, claim)) <= 1e-9
    assert max(divergence(p, q, 0.9 * claim), divergence(q, p, 0.9 * claim)) > 1e-4


def test_programs_run_with_the_scheme_that_was_charged(tmp_path: Path) -> None:
    import importlib.util

    path = tmp_path / "sampled_program.py"
    path.write_text(SOURCE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("sampled_program", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rows = [1, 0, 1, 1, 0, 1, 1, 0]
    with dp.handling(dp.Seeded(3)):
        released = [int(module.without(rows, b=4, eps=50.0)) for _ in range(60)]
        assert set(released) <= {1, 2, 3, 4} and 2 < sum(released) / 60 < 3
        released = [int(module.poisson(rows, q=0.5, eps=50.0)) for _ in range(60)]
        assert 1.8 < sum(released) / 60 < 3.2  # mean 2.5, standard error 0.15
        assert int(module.again([1], b=5, eps=50.0)) == 5
    with pytest.raises(dp.errors.ParameterError):
        module.without(rows, b=9, eps=1.0)
    with pytest.raises(dp.errors.ParameterError):
        module.poisson(rows, q=1.5, eps=1.0)


def leaky(center: int, e: float, d: float) -> Law:
    """An (e, d) mechanism that uses all of both: openly the truth, or randomized response."""
    keep = math.exp(e) / (1 + math.exp(e))
    bit = int(center > 0)
    return {("open", center): d, bit: (1 - d) * keep, 1 - bit: (1 - d) * (1 - keep)}


@pytest.mark.parametrize("adjacency", ["add or remove", "replace"])
@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("units", [1, 2])
def test_readings_with_delta_hold_for_the_exact_laws(
    adjacency: str, direct: bool, units: int
) -> None:
    """(epsilon, delta) on a sample, beside the unsampled data, at distance 1 and 2."""
    from metricdp.expr import D, num
    from metricdp.measures.events import Sampled, Sequence, Spent
    from metricdp.measures.readings import spent
    from metricdp.measures.sampling import PoissonSampling, SamplingWithoutReplacement

    e, d = Fraction(4, 5), Fraction(1, 10)
    event = an_event("leaky", "", {}, {"approx": (num(e), num(d))})
    reads = (Spent(event, {"row": D}), *((Spent(event, {"rows": D}),) if direct else ()))
    n, added = 3, adjacency == "add or remove"
    scheme = (
        PoissonSampling(num(Fraction(1, 3)))
        if added
        else SamplingWithoutReplacement(num(1), num(n))
    )
    tree = Sampled(Sequence(reads), "row", "rows", scheme, adjacency)
    if direct and units == 2:
        # The direct event states its cost at any distance; group privacy is not its business here.
        two = (num(2 * e), num(d) + num(d) * num(Fraction(math.exp(e))))
        second = Spent(an_event("leaky", "", {}, {"approx": two}), {"rows": D})
        tree = Sampled(Sequence((reads[0], second)), "row", "rows", scheme, adjacency)
    cost = spent(tree, "approx", "rows", num(units))
    epsilon, delta = (float(part.upper({})) for part in cost)

    def law(rows: tuple[int, ...]) -> Law:
        name = "poisson" if added else "without"
        public = {"q": Fraction(1, 3), "b": Fraction(1)}
        found: Counter[Any] = Counter()
        for ones, weight in ones_in_sample(rows, name, public).items():
            for y, p in leaky(ones, float(e), float(d)).items():
                if not direct:
                    found[y] += weight * p
                    continue
                for z, r in leaky(sum(rows), float(e), float(d)).items():
                    found[y, z] += weight * p * r
        return dict(found)

    worst = 0.0
    for x in product((0, 1), repeat=n):
        others = [(*x, *(1,) * units)] if added else [(*(1 - v for v in x[:units]), *x[units:])]
        for y in others:
            p, q = law(x), law(y)
            for a, b in ((p, q), (q, p)):
                full = {z: b.get(z, 0.0) for z in a}
                assert divergence(a, full, epsilon) <= delta + 1e-12
                worst = max(worst, divergence(a, full, epsilon))
    assert worst > 0.1 * delta
