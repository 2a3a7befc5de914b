"""Poisson samples of tables in which rows are replaced: claims against exact laws on small tables.

Each program releases a number that a row moves by some amounts and no others; the laws are
enumerated over all samples (`test_sampling_attack`), for tables with one, two and three rows
replaced.  Bounds are attained, so a smaller one would fail, and one that is wrong does.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from depth import depth
from test_sampling_attack import Law

from metricdp.accounting.renyi import Curve, GaussianCurve, LaplaceCurve
from metricdp.check.domain import privacy
from metricdp.check.domain.apart import ends
from metricdp.check.source.program import Project
from metricdp.check.verdicts.api import outcomes
from metricdp.check.verdicts.guarantee import FunctionGuarantee
from metricdp.expr import ONE, ZERO, num
from metricdp.measures.paid import amplified_step
from metricdp.measures.sampling import PoissonSampling

F = Fraction
Q, SCALE = F(1, 3), 2
HEAD = """
import metricdp as dp
from metricdp import ChangeOne, Records

@dp.measurement
def program(rows: Records[int, ChangeOne], q: float):
    s = dp.sample(rows, q=q)
    return dp.{noise}({text}, scale=2)
"""
#: Text of a statistic -> what one row of the sample, and one of all rows, contribute to it.
Parts = tuple[str, Callable[[int], int], Callable[[int], int]]


def _none(v: int) -> int:
    return 0


STATISTICS: dict[str, Parts] = {
    "unit": ("dp.sum(dp.clamp(s, 0, 1))", lambda v: min(max(v, 0), 1), _none),
    "both ends": ("dp.sum(dp.clamp(s, -1, 1))", lambda v: min(max(v, -1), 1), _none),
    "far from 0": ("dp.sum(dp.clamp(s, 2, 3))", lambda v: min(max(v, 2), 3), _none),
    "against": ("dp.count(s, lambda v: v > 0) - dp.count(s, lambda v: v < 0)",
                lambda v: (v > 0) - (v < 0), _none),
    "uneven": ("2 * dp.count(s, lambda v: v > 0) - dp.count(s, lambda v: v < 0)",
               lambda v: 2 * (v > 0) - (v < 0), _none),
    "a part twice": ("dp.sum(dp.clamp(s, 0, 2)) + dp.sum(dp.clamp(s, -1, 0))",
                     lambda v: min(max(v, 0), 2) + min(max(v, -1), 0), _none),
    "beside the rows": ("dp.sum(dp.clamp(s, 0, 1)) + dp.sum(dp.clamp(rows, 0, 1))",
                        lambda v: min(max(v, 0), 1), lambda v: min(max(v, 0), 1)),
    "by hand": ("sum([1 if v > 0 else 0 for v in s])", lambda v: int(v > 0), _none),
}  # fmt: skip
#: Those whose bound is attained by some tables.
CLOSE = ("unit", "both ends", "beside the rows", "by hand")


@cache
def guarantee(text: str, noise: str = "discrete_laplace") -> FunctionGuarantee:
    (found,) = outcomes(Project().parse("one.py", HEAD.format(noise=noise, text=text)))
    assert found.guarantee is not None
    return found.guarantee


def law(
    rows: Sequence[int],
    of_sample: Callable[[int], int],
    of_all: Callable[[int], int],
    rate: float = float(Q),
) -> Law:
    """The law of the release: of the sum, then of the noise around it."""
    sums: Counter[int] = Counter()
    for taken in product((0, 1), repeat=len(rows)):
        total = sum(of_all(v) + t * of_sample(v) for v, t in zip(rows, taken, strict=True))
        sums[total] += math.prod(rate if t else 1 - rate for t in taken)
    a = math.exp(-1 / SCALE)
    return {
        z: sum(w * (1 - a) / (1 + a) * a ** abs(z - s) for s, w in sums.items())
        for z in range(-15, 19)
    }


def pairs(units: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    values = (-1, 0, 3)
    for x in product(values, repeat=units):
        for y in product(values, repeat=units):
            for rest in ((), (3,)):
                yield (*x, *rest), (*y, *rest)


def worst(parts: Parts, units: int) -> float:
    """The largest log-ratio over all tables with so many rows replaced."""
    known: dict[tuple[int, ...], Law] = {}
    found = 1.0
    for x, y in pairs(units):
        for rows in {x, y} - known.keys():
            known[rows] = law(rows, *parts[1:])
        p, q = known[x], known[y]
        found = max(found, *(p[z] / q[z] for z in p))
    return math.log(found)


@pytest.mark.parametrize("name", STATISTICS)
def test_claims_hold_for_rows_that_are_replaced(name: str) -> None:
    claims = [
        float(
            guarantee(STATISTICS[name][0]).cost("rows", num(d), "pure")["epsilon"].upper({"q": Q})
        )
        for d in (1, 2, 3)
    ]
    seen = [worst(STATISTICS[name], units) for units in (1, 2)]
    assert all(s <= c + 1e-12 for s, c in zip(seen, claims, strict=False))
    assert worst((*STATISTICS[name][:2], _none), 3) <= claims[2] + 1e-12
    if name in CLOSE:
        assert seen[0] > 0.999 * claims[0] and seen[1] > 0.999 * claims[1]


def test_a_statistic_in_the_unit_interval_costs_what_a_row_added_or_removed_does() -> None:
    cost = guarantee(STATISTICS["unit"][0]).cost("rows", ONE, "pure")["epsilon"]
    assert float(cost.upper({"q": Q})) == pytest.approx(math.log1p(float(Q) * math.expm1(0.5)))


def test_a_sample_of_a_sample_is_a_sample() -> None:
    text = "dp.count(dp.sample(s, q=q), lambda v: v > 0)"
    claim = float(guarantee(text).cost("rows", ONE, "pure")["epsilon"].upper({"q": Q}))
    p, q = (law((v, 3), lambda v: int(v > 0), _none, float(Q) ** 2) for v in (3, 0))
    assert 0.999 * claim < max(math.log(p[z] / q[z]) for z in p) <= claim + 1e-12


def test_deltas_hold_for_any_three_laws() -> None:
    """The theorem itself, with the least deltas that random laws on three outcomes have."""
    rng, close = random.Random(5), 0.0
    for _ in range(depth(60, 120)):
        laws = [[rng.random() ** 3 for _ in range(3)] for _ in range(3)]
        with_row, without, other = ([v / sum(each) for v in each] for each in laws)
        e, r, q = rng.uniform(0, 1.5), rng.uniform(0, 2), F(rng.randrange(1, 10), 10)

        def lost(a: Sequence[float], b: Sequence[float], x: float) -> float:
            return sum(max(0.0, u - math.exp(x) * v) for u, v in zip(a, b, strict=True))

        d, f = F(lost(with_row, without, e)), F(lost(with_row, other, r))
        paid = PoissonSampling(num(q)).amplified("replace", F(e), d, (F(r), f))
        p, mixed = (
            [(1 - float(q)) * m + float(q) * v for m, v in zip(without, each, strict=True)]
            for each in (with_row, other)
        )
        claim = float(paid.delta.upper({}))
        seen = lost(p, mixed, float(paid.epsilon.upper({})))
        assert seen <= claim + 1e-12
        close = max(close, seen / claim if claim > 1e-3 else 0)
    assert close > 0.999


def test_a_wrong_movement_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the movement down, what a row lowers is charged as if it only left."""
    monkeypatch.setattr(privacy, "ends", lambda *given: (ends(*given)[0], ZERO))
    text = STATISTICS["against"][0]
    source = HEAD.format(noise="discrete_laplace", text=text)
    (found,) = outcomes(Project().parse("wrong.py", source))
    assert found.guarantee is not None
    claim = found.guarantee.cost("rows", ONE, "pure")["epsilon"].upper({"q": Q})
    assert float(claim) < 0.8 * worst(STATISTICS["against"], 1)


@cache
def sampled(noise: str, at: int) -> list[float]:
    """Densities of noise of scale 2 on a fine grid, around 0 and, if a row is sampled, around
    another number."""

    def density(x: float) -> float:
        return math.exp(-x * x / 8) if noise == "gaussian" else math.exp(-abs(x) / 2)

    grid = [i / 50 for i in range(-1500, 1501)]
    total = sum(map(density, grid))
    return [((1 - float(Q)) * density(x) + float(Q) * density(x - at)) / total for x in grid]


@pytest.mark.parametrize("alpha", [F(3, 2), F(2), F(5, 2), F(7)])
@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_curves_hold_for_rows_that_are_replaced(noise: str, alpha: Fraction) -> None:
    """By summing densities on a fine grid: 0 and 1 sampled against 0, and 1 against -1."""
    for back in (0, -1):
        r = 1 - back
        one: Curve = GaussianCurve(F(1, 8)) if noise == "gaussian" else LaplaceCurve(F(1, 2))
        far: Curve = GaussianCurve(F(r * r, 8)) if noise == "gaussian" else LaplaceCurve(F(r, 2))
        scheme = PoissonSampling(num(Q))
        curve, leak = amplified_step(one, F(0), scheme, "replace", F(0), 1, (far, F(0)))
        assert not leak
        p, q = (sampled(noise, at) for at in (1, back))
        a = float(alpha)
        logs = ((math.log(u), math.log(v)) for u, v in zip(p, q, strict=True))
        seen = math.log(sum(math.exp(a * u + (1 - a) * v) for u, v in logs)) / (a - 1)
        assert seen <= float(curve.divergence(alpha)[1]) + 1e-6


@pytest.mark.parametrize(("noise", "width"), [("gaussian", 1), ("laplace", 1), ("gaussian", 2)])
def test_certified_numbers_hold_for_rows_that_are_replaced(noise: str, width: int) -> None:
    found = guarantee(f"dp.sum(dp.clamp(s, {1 - width}, 1))", noise)
    p, q = (sampled(noise, at) for at in (1, 1 - width))
    for delta in (F(1, 10), F(1, 100)):
        epsilon = float(found.certified("rows", delta, {"q": Q}).epsilon)
        lost = sum(max(0.0, u - math.exp(epsilon) * v) for u, v in zip(p, q, strict=True))
        assert lost <= float(delta) * 1.001
        # Attained: nothing smaller is true of these laws.
        assert lost > 0.98 * float(delta) or not epsilon, (epsilon, lost)
