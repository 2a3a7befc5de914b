"""Normal noise for unknown keys, and approximate zCDP: laws, conversions, composition, refusals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from math import erfc, sqrt
from pathlib import Path
from typing import Any

import pytest
from foreign_mechanisms import an_event
from noise_checks import chi_square, middle
from scipy.stats import norm

from metricdp.audit import attack_mechanism
from metricdp.audit.measurements.exact import loss_between
from metricdp.audit.measurements.verdicts import PrivacyClaim
from metricdp.errors import MetricdpError, ParameterError
from metricdp.expr import ONE, D, Expr, num, sym
from metricdp.laws.thresholded import MORE, ThresholdedLaw
from metricdp.maps import (
    FullyAdaptive,
    Measurement,
    adaptive,
    best_of,
    compose,
    fix_delta,
    make,
    sampled,
)
from metricdp.measures.events import Choice, Parallel, Repeat, Sampled, Selected, Sequence
from metricdp.measures.events import Spent as Leaf
from metricdp.measures.readings import available, spent
from metricdp.measures.sampling import PoissonSampling
from metricdp.noise.source import SeededSource
from metricdp.primitives import load
from metricdp.record import MOVED, REGISTRY
from metricdp.spaces import Keyed, Records, Scalar

load()
WORDS = Scalar("Data", kind="str")
ROWS = Records(WORDS)
SIGMA = sym("sigma", positive=True)
#: Two more events, with a pure cost and with an (epsilon, delta).
LAPLACE = Leaf(an_event("user", "", {}, {"pure": (MOVED / 10,)}), {"x": D})
CLAIMED = Leaf(an_event("user", "", {}, {"approx": (MOVED / 2, num("1/1000"))}), {"x": D})


def counted(scale: Any = 4, threshold: Any = 30) -> Measurement:
    return make("count_by", ROWS) >> make(
        "gaussian_threshold", make("count_by", ROWS).output_space, scale=scale, threshold=threshold
    )


def leaf(moved: Expr = D, source: str = "x") -> Leaf:
    conclusion = REGISTRY["gaussian_threshold"].rule
    from metricdp.record import Arg

    space = Keyed(WORDS, Scalar("Int"), "L02Inf")
    x = Arg(space=space, private=True, text="x")
    scale, threshold = Arg(value=SIGMA, text="sigma"), Arg(value=num(30), text="30")
    (event,) = conclusion(x, scale=scale, threshold=threshold).events
    return Leaf(event, {source: moved})


@pytest.mark.parametrize("threshold", [3, Fraction(5, 2)])
def test_the_sampler_has_its_exact_law(threshold: Any) -> None:
    """Chi-square with 1e-9 false alarms."""
    source, scale, draws = SeededSource(5), Fraction(3, 2), 4000
    law = ThresholdedLaw({"a": 4, "b": 1}, scale, 3, normal=True, apart=1)
    run = REGISTRY["gaussian_threshold"].run
    found: Counter[Any] = Counter()
    for _ in range(draws):
        out = run({"a": 4, "b": 1, "c": 0}, scale=scale, threshold=threshold, source=source)
        found[frozenset((k, v if v <= 4 else MORE) for k, v in out.items())] += 1
    support = law.support()
    assert set(found) <= set(support)
    chi_square([found[k] for k in support], [middle(law.pmf(k)) for k in support])


def test_real_values_are_seen_no_more_often_than_stated() -> None:
    """20 000 draws of probability 0.0668; chi-square of seen and unseen, 1e-9 false alarms."""
    space = Keyed(WORDS, Scalar("Real"), "L02Inf")
    made = make("gaussian_threshold", space, scale=2, threshold=4)
    (_, delta) = made.map(1, "approx_zcdp")
    assert float(delta) == pytest.approx(norm.sf(1.5), rel=1e-12)
    run, source = REGISTRY["gaussian_threshold"].run, SeededSource(3)
    rows = {str(i): Fraction(1) for i in range(20_000)}
    seen = len(run(rows, scale=Fraction(2), threshold=4, whole=0, source=source))
    chi_square([seen, len(rows) - seen], [float(delta), 1 - float(delta)])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda scale, level: norm.sf((level - 0.5) / scale),  # T in place of T - linf, or > T
        lambda scale, level: norm.sf((level - 1) / scale),  # the rounding is forgotten
    ],
)
def test_a_delta_that_is_too_small_is_refuted(wrong: Callable[[float, float], float]) -> None:
    record = REGISTRY["gaussian_threshold"]
    for instance in record.instances():
        if instance.tight == "unknown":
            continue
        public = instance.public
        level = -(-Fraction(public["threshold"]) // 1)
        delta = num(Fraction(wrong(float(public["scale"]), float(level))))
        assert attack_mechanism(record, instance, lambda g, d=delta: d).refuted
        assert not attack_mechanism(record, instance).refuted


@pytest.mark.parametrize("moved", [1, 2, 3])
def test_the_rho_of_a_common_key_is_attacked(moved: int) -> None:
    """Counts that both inputs have: half of rho would be refuted by events of every size."""
    scale, level = Fraction(2), 9
    here, there = (
        ThresholdedLaw({"a": 14 + extra}, scale, level, normal=True, apart=16)
        for extra in (0, moved)
    )
    rho = Fraction(moved * moved) / (2 * scale**2)
    right = loss_between(here, there, PrivacyClaim("approx_zcdp", (rho, Fraction(0))))
    wrong = loss_between(here, there, PrivacyClaim("approx_zcdp", (rho / 4, Fraction(0))))
    assert right.low <= 0 < wrong.low


def test_numbers_are_those_of_the_normal_law() -> None:
    rho, delta = counted().map(1)
    assert rho == Fraction(1, 32)
    assert float(delta) == pytest.approx(erfc((30 - 1.5) / 4 / sqrt(2)) / 2, rel=1e-12)
    # Any number of rows: d keys of up to d each.
    assert float(counted().map(2)[1]) == pytest.approx(2 * norm.sf(27.5 / 4), rel=1e-6)
    assert counted().map(2)[0] == Fraction(4, 32)


@pytest.mark.parametrize("delta", [1e-6, 1e-4])
def test_epsilon_is_that_of_normal_noise_at_the_delta_that_is_left(delta: float) -> None:
    made = counted(scale=4, threshold=22)
    leak = made.map(1)[1]
    assert 0 < leak < Fraction(delta)
    found = made.epsilon(delta=delta)
    mu = 0.25

    def profile(epsilon: float) -> float:
        return norm.cdf(mu / 2 - epsilon / mu) - 2.718281828459045**epsilon * norm.cdf(
            -mu / 2 - epsilon / mu
        )

    assert profile(float(found.epsilon)) + float(leak) <= delta * (1 + 1e-9)
    assert profile(float(found.epsilon) * 0.999) + float(leak) > delta
    fixed = fix_delta(made, delta)
    assert fixed.map(1, "approx") == (found.epsilon, Fraction(str(delta)))
    with pytest.raises(ParameterError):
        made.epsilon(delta=leak / 2)


def test_it_is_the_measure_of_last_resort() -> None:
    own = leaf()
    assert available(own) == ["approx_zcdp"]
    assert available(Sequence((own, LAPLACE, CLAIMED))) == ["approx_zcdp"]
    assert available(Sequence((LAPLACE, CLAIMED))) == ["approx"]
    rho = Leaf(an_event("user", "", {}, {"zcdp": (MOVED,)}), {"x": D})
    assert available(Sequence((rho, CLAIMED))) == [], "converted at a slack, as before"
    assert available(Selected(CLAIMED, num("1/4"), ONE)) == ["approx"]
    assert available(Selected(own, num("1/4"), ONE)) == []


def test_both_parts_add_and_every_other_cost_has_a_rho() -> None:
    own = leaf()
    rho, delta = spent(own, "approx_zcdp", "x", ONE)
    tree = Sequence((Repeat(num(3), own), LAPLACE, CLAIMED))
    both = spent(tree, "approx_zcdp", "x", ONE)
    from metricdp.accounting.costs import pure_to_zcdp

    assert both[0] == 3 * rho + pure_to_zcdp(num("1/10")) + pure_to_zcdp(num("1/2"))
    assert both[1] == 3 * delta + num("1/1000")
    assert spent(Choice((own, LAPLACE)), "approx_zcdp", "x", ONE)[1] == delta


def test_a_loop_with_symbolic_noise_stays_one_term() -> None:
    """The text of three hundred rounds is as long as that of one."""
    rho, delta = spent(Repeat(num(300), leaf()), "approx_zcdp", "x", ONE)
    assert len(delta.terms) == 1 and len(str(delta)) < 60
    assert len(str(rho)) < 30
    assert str(delta) == "150*erfc(57*sqrt(2)/(4*sigma))"


def test_parts_and_samples() -> None:
    own = leaf(source="r")
    parts = Parallel(own, "r", "x", whole=True)
    rho, delta = spent(leaf(), "approx_zcdp", "x", num(2))
    assert spent(parts, "approx_zcdp", "x", ONE) == spent(leaf(), "approx_zcdp", "x", ONE)
    assert spent(parts, "approx_zcdp", "x", num(2)) == (rho, 2 * delta)
    drawn = Sampled(own, "r", "x", PoissonSampling(num("1/10")), "add or remove")
    assert spent(drawn, "approx_zcdp", "x", ONE) == spent(leaf(), "approx_zcdp", "x", ONE)
    twice = Leaf(own.event, {"r": D, "x": D})
    together = Sampled(twice, "r", "x", PoissonSampling(num("1/10")), "add or remove")
    assert all(not part.is_infinite for part in spent(drawn, "approx_zcdp", "x", ONE))
    assert spent(together, "approx_zcdp", "x", ONE)[0].is_infinite
    small = sampled(counted(scale=4, threshold=30), rate=Fraction(1, 100))
    assert small.epsilon(delta=1e-6).epsilon < counted().epsilon(delta=1e-6).epsilon


def test_compositions_and_queries() -> None:
    made, other = (
        counted(),
        make("count", ROWS) >> make("laplace", make("count", ROWS).output_space, scale=10),
    )
    both = compose([made, other])
    rho, delta = made.map(1)
    assert both.map(1) == (rho + other.map(1, "zcdp"), delta)
    assert both.epsilon(delta=1e-6).epsilon <= made.epsilon(delta=5e-7).epsilon + Fraction(1, 10)
    shares = [(rho, delta), (Fraction(1, 10), 0)]
    fixed = adaptive(ROWS, "approx_zcdp", 1, shares)
    assert fixed.map(1) == (rho + Fraction(1, 10), delta)
    odometer = FullyAdaptive(ROWS, "approx_zcdp")
    queries = odometer(["a"] * 50)
    queries(made), queries(other)
    assert queries.privacy_loss(1) == both.map(1)
    limited = odometer.filtered(1, (Fraction(1, 10), Fraction(1, 10**6)))
    assert limited.map(1) == (Fraction(1, 10), Fraction(1, 10**6))


def test_queries_that_could_be_asked_in_turns_are_refused() -> None:
    inner = adaptive(ROWS, "pure", 1, [1])
    filtered = FullyAdaptive(ROWS, "approx_zcdp").filtered(1, (1, Fraction(1, 10**6)))
    for nested in (inner, inner >> list, filtered, compose([inner, inner])):
        queries = FullyAdaptive(ROWS, "approx_zcdp")(["a"])
        with pytest.raises(ParameterError, match="in turns"):
            queries(nested)
        assert queries.privacy_loss(1) == (0, 0)
    with pytest.raises(ParameterError, match="no measure"):
        compose([filtered, counted()])
    FullyAdaptive(ROWS, "pure")(["a"])(inner)  # a theorem there


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: make("gaussian_threshold", ROWS, scale=4, threshold=30),
        lambda: counted(scale=0),
        lambda: counted(threshold=0),
        lambda: make(
            "gaussian_threshold", Keyed(WORDS, Scalar("Real"), "L1"), scale=1, threshold=9
        ),
        lambda: best_of(counted(), Fraction(1, 4)),
        lambda: counted().map(1, "zcdp"),
        lambda: counted().check(1, 1),
        lambda: counted().inverse(1),
        lambda: FullyAdaptive(ROWS, "approx_zcdp").filtered(1, 1),
    ],
)
def test_refusals_are_typed(wrong: Callable[[], Any]) -> None:
    with pytest.raises(MetricdpError):
        wrong()


def test_a_release_states_the_delta_that_comes_on_top(tmp_path: Path) -> None:
    from metricdp.run.filing import conversions, measure

    privacy = {"rho": "0.03125", "delta": "0.000001"}
    assert measure(privacy) == "approximate zero-concentrated differential privacy"
    (line,) = conversions(privacy)
    assert line.endswith("at delta = 0.000002"), line
    assert conversions({"rho": "0.03125"})[0].endswith("at delta = 0.000001")
