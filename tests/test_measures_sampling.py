"""Amplification by sampling against exact laws of sampled mechanisms; and what is refused."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import exp, log

import pytest

from metricdp.errors import ParameterError, SpaceError
from metricdp.expr import Expr, num, sym
from metricdp.laws import FiniteLaw, hockey_stick
from metricdp.measures.accounted import Scheme
from metricdp.measures.sampling import (
    PoissonSampling,
    SamplingWithoutReplacement,
    SamplingWithReplacement,
    with_replacement_profile,
)
from metricdp.noise.enclose import exp_bounds
from metricdp.spaces.metrics import metric_of

F = Fraction
Law = dict[object, Fraction]
EPSILONS = [F(1, 4), F(1), F(3), F(10)]
ADD, REPLACE = "add or remove", "replace"


def top(expression: Expr) -> Fraction:
    value = expression.upper({})
    assert isinstance(value, Fraction)
    return value


def odds(epsilon: Fraction) -> Fraction:
    """A little below e^epsilon."""
    return F(int(exp_bounds(epsilon)[0] * 2**90), 2**90)


def mixed(parts: Iterable[tuple[Fraction, Law]]) -> FiniteLaw:
    total: Law = {}
    for weight, law in parts:
        for outcome, mass in law.items():
            total[outcome] = total.get(outcome, F(0)) + weight * mass
    return FiniteLaw(total)


def leaking(law: Law, delta: Fraction, sample: object) -> Law:
    """With probability delta the sample itself."""
    return {**{k: (1 - delta) * p for k, p in law.items()}, ("seen", sample): delta}


def answer(sample: tuple[str, ...], epsilon: Fraction, delta: Fraction) -> Law:
    """Is there an x?  Among three answers: x present, y present, neither; e^epsilon to 1.

    One row added, removed or replaced changes the answer once: epsilon-DP, and with the open
    failure (epsilon, delta)-DP, under both adjacencies.
    """
    truth = "x" if "x" in sample else "y" if "y" in sample else "-"
    e = odds(epsilon)
    law: Law = {k: (e if k == truth else F(1)) / (e + 2) for k in "xy-"}
    return leaking(law, delta, tuple(sorted(sample))) if delta else law


def poisson(data: tuple[str, ...], q: Fraction, epsilon: Fraction, delta: Fraction) -> FiniteLaw:
    parts = []
    for taken in product((False, True), repeat=len(data)):
        weight = F(1)
        for yes in taken:
            weight *= q if yes else 1 - q
        sample = tuple(row for row, yes in zip(data, taken, strict=True) if yes)
        parts.append((weight, answer(sample, epsilon, delta)))
    return mixed(parts)


def fixed(data: tuple[str, ...], m: int, epsilon: Fraction, delta: Fraction) -> FiniteLaw:
    samples = list(combinations(data, m))
    return mixed((F(1, len(samples)), answer(sample, epsilon, delta)) for sample in samples)


def drawn(data: tuple[str, ...], m: int, epsilon: Fraction, delta: Fraction) -> FiniteLaw:
    """Counts the draws of x in m draws: k copies are k steps of the base, the worst case."""
    parts = []
    for sample in product(data, repeat=m):
        parts.append((F(1, len(data) ** m), ladder(sample, epsilon, delta)))
    return mixed(parts)


def ladder(sample: tuple[str, ...], epsilon: Fraction, delta: Fraction) -> Law:
    """Geometric on the number of rows that are x, clamped to 0 .. m: epsilon per replaced row."""
    centre, a = sample.count("x"), 1 / odds(epsilon)
    law: Law = {}
    for k in range(len(sample) + 1):
        mass = (1 - a) / (1 + a) * a ** abs(k - centre)
        if k in (0, len(sample)):
            mass = a ** abs(k - centre) / (1 + a)
        law[k] = mass
    return leaking(law, delta, tuple(sorted(sample))) if delta else law


def check(scheme: Scheme, adjacency: str, e: Fraction, d: Fraction, pair: list[FiniteLaw]) -> float:
    """The claim holds for the pair of laws, both ways; returns the share of delta that is used."""
    found = scheme.amplified(adjacency, e, d)  # type: ignore[arg-type]
    epsilon, delta = top(found.epsilon), top(found.delta)
    tiny = F(1, 10**15)
    used = max(hockey_stick(*pair, epsilon)[1], hockey_stick(*pair[::-1], epsilon)[1])
    assert used <= delta + tiny
    return float(used / delta) if delta else 1.0


@pytest.mark.parametrize("delta", [F(0), F(1, 20)])
@pytest.mark.parametrize("q", [F(1, 100), F(1, 3), F(1)])
@pytest.mark.parametrize("e", EPSILONS)
def test_poisson_holds_for_add_or_remove_and_for_replacement(
    e: Fraction, q: Fraction, delta: Fraction
) -> None:
    with_x, with_y, without = (
        poisson(data, q, e, delta) for data in (("x", "z"), ("y", "z"), ("z",))
    )
    check(PoissonSampling(num(q)), ADD, e, delta, [with_x, without])
    check(PoissonSampling(num(q)), REPLACE, e, delta, [with_x, with_y])


@pytest.mark.parametrize("q", [F(1, 100), F(1, 3), F(9, 10)])
@pytest.mark.parametrize("e", EPSILONS)
def test_poisson_is_attained(e: Fraction, q: Fraction) -> None:
    """The witness of the rules: masses b, b e^e, b e^-e; replacement needs the sum of both ways."""
    small = F(1, 10**7)
    up = odds(e)
    base: Law = {"s": small, "r": 1 - small}
    x: Law = {"s": small * up, "r": 1 - small * up}
    y: Law = {"s": small / up, "r": 1 - small / up}
    p, m, r = (mixed([(1 - q, base), (q, law)]) for law in (x, base, y))
    one = float(top(PoissonSampling(num(q)).amplified(ADD, e, 0).epsilon))
    two = float(top(PoissonSampling(num(q)).amplified(REPLACE, e, 0).epsilon))
    mass = [float(law.probability["s"]) for law in (p, m, r)]
    assert log(mass[0] / mass[1]) == pytest.approx(one, rel=1e-9)
    assert log(mass[0] / mass[2]) == pytest.approx(two, rel=1e-9)
    assert two > one


@pytest.mark.parametrize("delta", [F(0), F(1, 20)])
@pytest.mark.parametrize("m", [0, 1, 2, 4])
@pytest.mark.parametrize("e", EPSILONS)
def test_without_replacement_holds(e: Fraction, m: int, delta: Fraction) -> None:
    pair = [fixed(data, m, e, delta) for data in (("x", "z", "z", "z"), ("y", "z", "z", "z"))]
    check(SamplingWithoutReplacement(num(m), num(4)), REPLACE, e, delta, pair)


@pytest.mark.parametrize("delta", [F(0), F(1, 20)])
@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("e", EPSILONS)
def test_with_replacement_holds(e: Fraction, m: int, delta: Fraction) -> None:
    pair = [drawn(data, m, e, delta) for data in (("x", "z", "z"), ("y", "z", "z"))]
    check(SamplingWithReplacement(num(m), num(3)), REPLACE, e, delta, pair)


def test_with_replacement_a_record_may_come_twice() -> None:
    """(m / n) delta, right without replacement, is exceeded by a sample that shows every draw."""
    m, n, delta = 3, 4, F(1, 100)

    def shown(data: tuple[str, ...]) -> FiniteLaw:
        parts = []
        for sample in product(data, repeat=m):
            k = sample.count("x")
            parts.append((F(1, n**m), {k: k * delta, "-": 1 - k * delta} if k else {"-": F(1)}))
        return mixed(parts)

    epsilon = F(0)
    truth = hockey_stick(shown(("x", "z", "z", "z")), shown(("y", "z", "z", "z")), epsilon)[0]
    claim = top(SamplingWithReplacement(num(m), num(n)).amplified(REPLACE, epsilon, delta).delta)
    assert truth == claim == F(m, n) * delta
    # With a base that is not additive, e^epsilon > 1, the group profile passes (m / n) delta.
    e = F(2)
    found = SamplingWithReplacement(num(m), num(n)).amplified(REPLACE, e, delta)
    assert top(found.delta) > F(m, n) * delta
    without = SamplingWithoutReplacement(num(m), num(n)).amplified(REPLACE, e, 0)
    many = mixed_pair(m, n, e)
    assert hockey_stick(*many, top(without.epsilon))[0] > 0
    assert hockey_stick(*many, top(found.epsilon))[0] == 0


def mixed_pair(m: int, n: int, e: Fraction) -> list[FiniteLaw]:
    """Draws of x counted by a ladder: k copies move it by k steps."""
    rest = ("z",) * (n - 1)
    return [drawn((first, *rest), m, e, F(0)) for first in ("x", "y")]


def test_twice_q_epsilon_is_false() -> None:
    """epsilon = 10, q = 0.01: 2 q epsilon is 0.2, the truth is 5.40."""
    found = top(PoissonSampling(num("0.01")).amplified(ADD, 10, 0).epsilon)
    assert float(found) == pytest.approx(5.40, abs=0.005)
    pair = [poisson(data, F(1, 100), F(10), F(0)) for data in (("x",), ())]
    assert hockey_stick(*pair, F(1, 5))[0] > F(1, 1000)


def test_profile_with_replacement_is_below_the_group_bound_and_holds() -> None:
    """The base's own delta at k copies; here the ladder's, by exact sums."""
    m, n, e = 3, 3, F(1)
    x = F(3, 2)

    def profile(k: int) -> Fraction:
        pairs = [("x",) * (j + k) + ("z",) * (m - j - k) for j in range(m - k + 1)]
        worst = F(0)
        for sample in pairs:
            other = ("x",) * (sample.count("x") - k) + ("z",) * (m - sample.count("x") + k)
            p, q = (FiniteLaw(ladder(s, e, F(0))) for s in (sample, other))
            worst = max(worst, hockey_stick(p, q, x)[1], hockey_stick(q, p, x)[1])
        return worst

    epsilon, delta = with_replacement_profile(x, profile, m, n)
    pair = mixed_pair(m, n, e)
    assert hockey_stick(*pair, epsilon)[1] <= delta + F(1, 10**15)
    assert 0 < delta < 1
    with pytest.raises(ParameterError):
        with_replacement_profile(F(1), profile, 2, 0)


@pytest.mark.parametrize("e", EPSILONS)
def test_rate_one_is_the_base_and_rate_zero_is_free(e: Fraction) -> None:
    d = F(1, 100)
    one = PoissonSampling(num(1)).amplified(ADD, e, d)
    assert (one.epsilon, one.delta) == (num(e), num(d))
    both = PoissonSampling(num(1)).amplified(REPLACE, e, d)
    assert both.epsilon == num(2 * e) and top(both.delta) == pytest.approx(d * (1 + F(exp(e))))
    whole = SamplingWithoutReplacement(num(7), num(7)).amplified(REPLACE, e, d)
    assert (whole.epsilon, whole.delta) == (num(e), num(d))
    for scheme in (
        PoissonSampling(num(0)),
        SamplingWithoutReplacement(num(0), num(7)),
        SamplingWithReplacement(num(0), num(7)),
    ):
        free = scheme.amplified(REPLACE, e, d)
        assert free.epsilon.is_zero and free.delta.is_zero
    single = SamplingWithReplacement(num(1), num(1)).amplified(REPLACE, e, d)
    assert (single.epsilon, single.delta) == (num(e), num(d))


@pytest.mark.parametrize("adjacency", [ADD, REPLACE])
def test_more_rows_cost_more(adjacency: str) -> None:
    rates = [F(1, 1000), F(1, 10), F(1, 2), F(1)]
    tops = [top(PoissonSampling(num(q)).amplified(adjacency, 2, 0).epsilon) for q in rates]  # type: ignore[arg-type]
    assert all(left < right for left, right in pairwise(tops))


@pytest.mark.parametrize("make", [SamplingWithoutReplacement, SamplingWithReplacement])
def test_fixed_sizes_are_refused_where_rows_come_and_go(
    make: type[SamplingWithoutReplacement] | type[SamplingWithReplacement],
) -> None:
    with pytest.raises(SpaceError) as caught:
        make(num(5), num(10)).amplified(ADD, 1, 0)
    assert "Poisson" in caught.value.remedy and "ChangeOne" in caught.value.remedy


def test_adjacencies_of_metrics_and_bases() -> None:
    expected = {"Symmetric": ADD, "InsertDelete": ADD, "ChangeOne": REPLACE, "Hamming": REPLACE}
    assert {name: metric_of(name).adjacency() for name in expected} == expected
    assert PoissonSampling(num(1)).base == ADD
    assert SamplingWithReplacement(num(1), num(2)).base == REPLACE


def test_symbolic_results_read_well_and_state_what_they_need() -> None:
    eps, delta = sym("eps", positive=True), sym("delta", nonneg=True)
    m, n = (sym(name, integer=True, positive=True) for name in "mn")
    found = SamplingWithoutReplacement(m, n).amplified(REPLACE, eps, delta)
    assert str(found.delta) == "delta*m/n" and "log" in str(found.epsilon)
    assert [str(need) for need in found.requires] == ["m <= n"]
    poisson_rate = PoissonSampling(sym("q")).amplified(ADD, eps, delta)
    assert [str(need) for need in poisson_rate.requires] == ["q >= 0", "q <= 1"]
    env = {"eps": F(1), "m": 10, "n": 100, "delta": F(1, 10**6)}
    number = SamplingWithReplacement(num(10), num(100)).amplified(REPLACE, 1, F(1, 10**6))
    symbolic = SamplingWithReplacement(m, n).amplified(REPLACE, eps, delta)
    assert symbolic.delta.upper(env) == pytest.approx(float(top(number.delta)))
    assert symbolic.epsilon.upper(env) == pytest.approx(float(top(number.epsilon)))
