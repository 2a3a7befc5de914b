"""Evidence of convergence, and bounds from samples: verdicts, refusals, false-alarm rates."""

from __future__ import annotations

import random
from fractions import Fraction
from math import inf, log

import pytest

from metricdp.errors import ParameterError
from metricdp.laws import EmpiricalLaw, FiniteLaw, GaussianLaw, LaplaceLaw, UniformLaw
from metricdp.laws.distances import (
    FiniteSpace,
    compare_topologies,
    converges,
    d_dp,
    d_dp_from_samples,
    d_em,
    d_tv,
    d_wc,
    em_from_samples,
    hockey_stick_at,
    hockey_stick_from_samples,
    tv_from_samples,
)

F = Fraction
LIMIT = FiniteLaw({0: F(1, 2), 1: F(1, 2)})


def leaning(n):
    return FiniteLaw({0: F(1, 2) + F(1, 4 * n), 1: F(1, 2) - F(1, 4 * n)})


def test_evidence_holds_the_distances():
    found = converges(leaning, LIMIT, "TV", at=(1, 2, 4, 8))
    assert found.at == (1, 2, 4, 8)
    assert [d.exact for d in found.distances] == [F(1, 4), F(1, 8), F(1, 16), F(1, 32)]
    assert found.values == (0.25, 0.125, 0.0625, 0.03125)
    assert found.converging is None and found.rate is None, "two points make no rate"
    longer = converges(leaning, LIMIT, "TV")
    assert longer.rate == pytest.approx(-1)
    assert longer.converging is True
    assert "evidence" in longer.verdict and "proof" in longer.verdict
    assert "1/256" in longer.table()


def test_rates_are_those_of_the_sequence():
    for power in (1, 2, 3):

        def law(n, a=power):
            return {0: F(1, 2) + F(1, 4 * n**a), 1: F(1, 2) - F(1, 4 * n**a)}

        found = converges(law, LIMIT, "DP")
        assert found.rate == pytest.approx(-power, abs=0.05)
        assert found.converging is True


@pytest.mark.parametrize(
    ("sequence", "converging", "said"),
    [
        (lambda n: LIMIT, True, "is 0"),
        (lambda n: {0: 1}, False, "infinite"),
        (lambda n: {0: F(1, 4 * n), 1: 1 - F(1, 4 * n)}, False, "grows"),
        (lambda n: {0: F(1, 4), 1: F(3, 4)}, False, "stays"),
        (lambda n: LIMIT if n.bit_length() % 2 else {0: 1}, None, "either way"),
    ],
)
def test_verdicts(sequence, converging, said):
    found = converges(sequence, LIMIT, "DP")
    assert found.converging is converging
    assert said in found.verdict


def test_topologies_are_compared_with_reasons_for_what_is_missing():
    named = compare_topologies(
        lambda n: {"a": F(1, 2) + F(1, 4 * n), "b": F(1, 2) - F(1, 4 * n)},
        {"a": F(1, 2), "b": F(1, 2)},
    )
    assert set(named.evidence) == {"DP", "TV"} and set(named.refused) == {"EM", "WC"}
    assert "EM not available: the outcomes are no numbers" in named.table()
    space = FiniteSpace.discrete("ab")
    whole = compare_topologies(
        lambda n: {"a": F(1, 2) + F(1, 4 * n), "b": F(1, 2) - F(1, 4 * n)},
        {"a": F(1, 2), "b": F(1, 2)},
        space=space,
    )
    assert set(whole.evidence) == {"DP", "TV", "EM", "WC"}
    # Under the discrete metric, both distances that move mass are the total variation.
    for name in ("EM", "WC"):
        assert [d.exact for d in whole[name].distances] == [d.exact for d in whole["TV"].distances]


def test_finer_topologies_have_larger_distances():
    """Along a sequence: WC <= TV <= tanh(DP / 2)."""
    found = compare_topologies(lambda n: LaplaceLaw(F(1, n), 1), LaplaceLaw(0, 1), at=(1, 3, 9, 27))
    for dp, tv, wc in zip(*(found[k].distances for k in ("DP", "TV", "WC")), strict=True):
        assert wc.high <= tv.high + F(1, 10**20)
        assert tv.low <= dp.high / 2, "tanh x <= x"


def normal(seed, mean, size=2000):
    source = random.Random(seed)
    return [source.gauss(mean, 1) for _ in range(size)]


def test_samples_bound_from_below():
    """Seeds are fixed; over seeds each bound would fail with probability at most 1e-6."""
    p, q = normal(1, 0.0), normal(2, 1.0)
    truth = d_tv(GaussianLaw(0, 1), GaussianLaw(1, 1))
    found = tv_from_samples(p, q, "0.999999")
    assert 0.2 < found.low <= truth.high
    assert found.p - found.q == found.low
    stick = hockey_stick_from_samples(p, q, 2, "0.999999")
    assert 0 < stick.low <= hockey_stick_at(GaussianLaw(0, 1), GaussianLaw(1, 1), 2).high
    ratio = d_dp_from_samples(p, q, "0.999999")
    assert ratio.low > log(2), "d_DP is infinite: any bound is right, and this one says something"


def test_samples_of_one_law_show_nothing():
    """False alarms: 100 tests at confidence 0.99 on equal laws, at most 8 by chance.

    P(Bin(100, 0.01) > 8) < 1e-5; the intervals are conservative, and the seeds are fixed.
    """
    alarms = 0
    for seed in range(100):
        p, q = normal(seed, 0.0, 80), normal(1000 + seed, 0.0, 80)
        alarms += tv_from_samples(p, q, "0.99").low > 0
    assert alarms <= 8


def test_choosing_the_event_on_the_same_samples_would_be_wrong():
    """The mutant that the split prevents: it raises the alarm on equal laws far too often."""
    from metricdp.laws.distances.samples import best_event

    alarms = 0
    for seed in range(30):
        p, q = normal(seed, 0.0, 400), normal(1000 + seed, 0.0, 400)
        event = best_event(p, q, 1.0, False)
        low = EmpiricalLaw(p).interval(event.__contains__, "0.9")[0]
        high = EmpiricalLaw(q).interval(event.__contains__, "0.9")[1]
        alarms += low > high
    assert alarms > 9, "a tenth of 30 is 3"


def test_randomized_response_from_samples():
    source = random.Random(7)
    p = ["yes" if source.random() < 0.75 else "no" for _ in range(4000)]
    q = ["yes" if source.random() < 0.25 else "no" for _ in range(4000)]
    for one, other in ((p, q), (q, p)):
        found = d_dp_from_samples(one, other)
        assert 0.8 < found.low <= log(3)
        assert float(found.low) == pytest.approx(log(found.p / found.q), rel=1e-12)
    assert repr(d_dp_from_samples(p, q).event) in {"output = 'yes'", "output = 'no'"}


def test_the_earth_mover_has_both_bounds():
    source = random.Random(11)
    p = [source.random() for _ in range(2000)]
    q = [source.random() ** 2 for _ in range(2000)]
    found = em_from_samples(p, q, 0, 1)
    # E U - E U**2, as the laws are ordered.
    assert 0 < found.low <= F(1, 6) <= found.high < F(1, 3)
    with pytest.raises(ParameterError, match="outside"):
        em_from_samples(p, q, 0, F(1, 2))


@pytest.mark.parametrize("distance", [d_dp, d_tv, d_em, d_wc])
def test_no_distance_of_samples_pretends_to_be_one_of_laws(distance):
    with pytest.raises(ParameterError, match="no upper bound"):
        distance(EmpiricalLaw([0, 1, 1, 0]), EmpiricalLaw([0, 1, 1, 1]))


@pytest.mark.parametrize(
    "call",
    [
        lambda: converges(leaning, LIMIT, "weak"),
        lambda: converges(leaning, LIMIT, "TV", at=(1,)),
        lambda: converges(leaning, LIMIT, "TV", at=(2, 1)),
        lambda: converges(leaning, LIMIT, "TV", at=(0, 1)),
        lambda: converges(leaning, LIMIT, "TV", at=(1.5, 2)),
        lambda: compare_topologies(leaning, LIMIT, topologies=("TV", "KL")),
        lambda: tv_from_samples([1, 2, 3], [1, 2, 3, 4]),
        lambda: tv_from_samples([1, 2, 3, float("nan")], [1, 2, 3, 4]),
        lambda: tv_from_samples([1, 2, 3, 4], [1, 2, 3, 4], 1),
        lambda: hockey_stick_from_samples([1, 2, 3, 4], [1, 2, 3, 4], -1),
    ],
)
def test_bad_input(call):
    with pytest.raises(ParameterError):
        call()


def test_values_of_infinite_distances():
    found = converges(lambda n: GaussianLaw(F(1, n), 1), GaussianLaw(0, 1), "DP", at=(1, 2, 4))
    assert found.values == (inf, inf, inf)
    assert converges(lambda n: UniformLaw(0, 1), UniformLaw(0, 1), "WC", at=(1, 2)).converging
