"""Releases of unknown keys: exact laws, the published mistakes, order, real values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from noise_checks import chi_square, middle

from metricdp.audit import attack_mechanism
from metricdp.expr import Expr, num
from metricdp.laws.thresholded import MORE, ThresholdedLaw
from metricdp.maps import make
from metricdp.noise.source import SeededSource
from metricdp.primitives import load
from metricdp.primitives.mechanisms._thresholds import kept_numbers
from metricdp.record import REGISTRY
from metricdp.spaces import Keyed, Records, Scalar

load()
WORDS = Scalar("Data", kind="str")
DRAWS = 4000


@pytest.mark.parametrize(
    ("name", "value"),
    [("stable_histogram", ["a"] * 4 + ["b"]), ("laplace_threshold", {"a": 4, "b": 1, "c": 0})],
)
@pytest.mark.parametrize("threshold", [3, Fraction(5, 2)])
def test_sampler_has_its_exact_law(name: str, value: Any, threshold: Any) -> None:
    source, scale = SeededSource(5), Fraction(3, 2)
    law = ThresholdedLaw({"a": 4, "b": 1}, scale, 3)

    def lumped(found: dict[str, int]) -> Any:
        return frozenset((k, v if v == 3 else MORE) for k, v in found.items())

    run = REGISTRY[name].run
    found = Counter(
        lumped(run(value, scale=scale, threshold=threshold, source=source)) for _ in range(DRAWS)
    )
    support = law.support()
    assert set(found) <= set(support)
    chi_square([found[k] for k in support], [middle(law.pmf(k)) for k in support])


@pytest.mark.parametrize("name", ["stable_histogram", "laplace_threshold"])
@pytest.mark.parametrize("wrong", [lambda g, b: g / b, lambda g, b: g * Fraction(2, 3)])
def test_a_threshold_that_forgets_the_value_is_refuted(
    name: str, wrong: Callable[[Expr, Expr], Expr]
) -> None:
    """T in place of T - linf, and > in place of >=: each makes delta too small by e^(1/b)."""
    from metricdp.expr import exp

    record = REGISTRY[name]
    for instance in record.instances():
        if "scale" not in instance.public or instance.tight == "unknown":
            continue
        factor = exp(1 / num(instance.public["scale"]))

        def change(g: Expr, factor: Expr = factor) -> Expr:
            return wrong(g, factor)

        assert attack_mechanism(record, instance, change).refuted
        assert not attack_mechanism(record, instance).refuted


@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(1, 10**6)])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(5)])
def test_the_threshold_of_a_target_is_the_least(delta: Fraction, epsilon: Fraction) -> None:
    from metricdp.primitives.mechanisms.stable_histogram import least_threshold

    scale = 1 / epsilon
    least = least_threshold(num(scale), num(delta), num(1)).upper({})
    assert Fraction(least).denominator == 1

    def seen(threshold: int) -> tuple[Fraction, Fraction]:
        from metricdp.laws import DiscreteLaplaceLaw

        return DiscreteLaplaceLaw(1, scale).tail(threshold)

    assert seen(int(least))[1] <= delta
    assert int(least) == 1 or seen(int(least) - 1)[0] > delta


def test_the_threshold_of_a_large_target_is_a_number() -> None:
    """The exponential of epsilon is beyond all doubles here; a run stopped with OverflowError."""
    from metricdp.primitives.mechanisms.stable_histogram import least_threshold

    assert least_threshold(num(Fraction(1, 1000)), num(Fraction(1, 10**6)), num(10)).upper({}) == 11


def test_keys_come_in_an_order_that_the_data_do_not_set() -> None:
    run = REGISTRY["stable_histogram"].run
    for rows in (["b", "a", "c"] * 9, ["c", "b", "a"] * 9):
        assert list(run(rows, scale=Fraction(1, 100), threshold=1)) == ["a", "b", "c"]
    mixed = [("b", 2), ("b", 1), ("a", True)] * 9
    assert next(iter(run(mixed, scale=Fraction(1, 100), threshold=1))) == ("a", True)


def test_a_rounded_value_is_kept_only_if_it_was_large_enough() -> None:
    """Half a step below the threshold may round up to it: that would be a release too many."""
    exponent, threshold = -2, Fraction(10)
    for ticks, kept in ((39, False), (40, False), (41, True)):

        def drawn(values: list[Fraction], ticks: int = ticks) -> list[int]:
            return [ticks for _ in values]

        found = kept_numbers({"a": Fraction(1)}, threshold, exponent, drawn)
        assert bool(found) is kept


def test_real_values_are_seen_no_more_often_than_stated() -> None:
    """200 000 draws of probability 0.0677: chi-square of seen and unseen, 1e-9 false alarms."""
    space = Keyed(WORDS, Scalar("Real"), "L01Inf")
    made = make("laplace_threshold", space, scale=1, threshold=3)
    (_, delta) = made.map(1)
    source, run = SeededSource(3), REGISTRY["laplace_threshold"].run
    rows = {str(i): Fraction(1) for i in range(20_000)}
    seen = len(run(rows, scale=Fraction(1), threshold=3, whole=0, source=source))
    chi_square([seen, len(rows) - seen], [float(delta), 1 - float(delta)])


def test_more_keys_cost_more_delta_and_more_values_more_epsilon() -> None:
    def cost(*per: int) -> tuple[float, float]:
        space = Keyed(WORDS, Scalar("Int"), "L01Inf", (num(per[0]), num(per[1]), num(per[2])))
        epsilon, delta = make("laplace_threshold", space, scale=1, threshold=20).map(1)
        return float(epsilon), float(delta)

    assert cost(1, 1, 1) < cost(1, 2, 2) < cost(2, 3, 2)
    # Two keys of at most 2 each: 1 - (1 - P(noise >= T - 2))^2.
    one = cost(1, 2, 2)[1]
    assert cost(2, 4, 2)[1] == pytest.approx(1 - (1 - one) ** 2, rel=1e-9)


def test_replaced_rows_pay_twice() -> None:
    added = make("stable_histogram", Records(WORDS), scale=2, threshold=30)
    replaced = make("stable_histogram", Records(WORDS, "ChangeOne"), scale=2, threshold=30)
    assert replaced.map(1)[0] == 2 * added.map(1)[0]
    assert replaced.map(1)[1] == added.map(1)[1]
