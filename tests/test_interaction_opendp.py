"""Combinators by the names of OpenDP: composition, queryables, odometers, conversions, search."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

import metricdp.opendp as dp
from metricdp.errors import BudgetError, MetricdpError, ParameterError, SpaceError
from metricdp.opendp import combinators
from metricdp.opendp.domains import WrongElementError
from metricdp.opendp.mod import binary_search, binary_search_param

NUMBER = (dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float))
ROWS = (
    dp.vector_domain(dp.atom_domain(bounds=(0.0, 1.0), nan=False)),
    dp.symmetric_distance(),
)


def c(name: str, *args: Any, **keywords: Any) -> Any:
    return getattr(combinators, f"make_{name}")(*args, **keywords)


def laplace(scale: float = 10.0) -> Any:
    return dp.m.make_laplace(*NUMBER, scale=scale)


def gaussian(scale: float = 10.0) -> Any:
    return dp.m.make_gaussian(*NUMBER, scale=scale)


def total() -> Any:
    return ROWS >> dp.t.then_sum()


def test_fixed_composition() -> None:
    ten = c("composition", [laplace()] * 10)
    assert ten.map(1.0) == 1.0 and ten.check(1.0, 1.0) and len(ten(0.0)) == 10
    both = c("composition", [laplace(), gaussian()])
    assert both.output_measure == dp.zero_concentrated_divergence()
    assert both.map(1.0) <= 0.005 + 0.01 * 0.49959
    assert c("basic_composition", laplace(), laplace()).map(1.0) == 0.2
    pairs = c("composition", [c("fix_delta", gaussian(), 1e-6), laplace()])
    assert pairs.output_measure == dp.approximate(dp.max_divergence())
    assert pairs.map(1.0)[1] == 1e-6
    curve = c("zCDP_to_approxDP", gaussian())
    with pytest.raises(ParameterError, match="fix a delta"):
        c("composition", [curve, curve])
    with pytest.raises(WrongElementError):
        c("composition", [laplace(), 3])


def test_adaptive_composition_as_in_opendp() -> None:
    item = c(
        "sequential_composition", *NUMBER, output_measure=dp.max_divergence(), d_in=1.0,
        d_mids=[0.1, 0.2],
    )  # fmt: skip
    assert item.map(1.0) == 0.3 and item.map(2.0) == inf
    queryable = item(5.0)
    with pytest.raises(BudgetError, match="query 1 may cost epsilon 1/10"):
        queryable(laplace(5.0))
    assert isinstance(queryable(laplace()), float) and isinstance(
        queryable.eval(laplace(5.0)), float
    )
    with pytest.raises(BudgetError, match="all 2 queries"):
        queryable(laplace())
    with pytest.raises(SpaceError, match="AtomDomain"):
        queryable(total() >> dp.m.then_laplace(1.0))
    chained = total() >> dp.c.then_adaptive_composition(dp.max_divergence(), 1.0, [0.5])
    inside = chained([0.5, 1.0])
    assert chained.map(1) == 0.5 and isinstance(inside(laplace(2.0)), float)


def test_odometers_and_filters_as_in_opendp() -> None:
    odometer = c("fully_adaptive_composition", *NUMBER, dp.max_divergence())
    queryable = odometer.invoke(3.0)
    for _ in range(10):
        queryable(laplace())
    assert queryable.privacy_loss(1.0) == 1.0 and queryable.privacy_loss(2.0) == 2.0
    limited = c("privacy_filter", total() >> odometer, d_in=1, d_out=0.2)
    assert limited.map(1) == 0.2 and limited.map(2) == inf
    asked = limited([0.5] * 3)
    asked(laplace()), asked(laplace())
    with pytest.raises(BudgetError, match="epsilon 0 is left"):
        asked(laplace())
    assert asked.privacy_loss(1) == 0.2 and "3" not in repr(asked)
    with pytest.raises(ParameterError, match="do not add up"):
        c("fully_adaptive_composition", *NUMBER, dp.smoothed_max_divergence())


def test_sized_tables_count_two_for_a_replaced_row() -> None:
    sized = (dp.vector_domain(ROWS[0].element_domain, size=4), dp.symmetric_distance())
    odometer = c("fully_adaptive_composition", *sized, dp.max_divergence())
    queryable = odometer([0.0, 1.0, 1.0, 0.5])
    item = sized >> dp.t.then_sum()
    queryable(item >> dp.m.then_laplace(1.0))
    assert queryable.privacy_loss(2) == (item >> dp.m.then_laplace(1.0)).map(2) == 1.0
    assert queryable.privacy_loss(1) == 0.0


def test_conversions() -> None:
    assert c("approximate", laplace()).map(1.0) == (0.1, 0.0)
    assert c("pureDP_to_zCDP", laplace()).map(1.0) <= 0.005
    curve = c("zCDP_to_approxDP", gaussian())
    # OpenDP 0.16 answers 0.42994 by the conversion of rho; the Gaussian's own profile is 0.39686.
    assert 0.39685737 <= curve.map(1.0).epsilon(1e-6) < 0.396859
    assert curve.check(1.0, (0.4, 1e-6)) and not curve.check(1.0, (0.39, 1e-6))
    fixed = c("fix_delta", curve, 1e-6)
    two = c("composition", [fixed, fixed])
    # OpenDP 0.16 adds the epsilons.
    assert two.map(1.0)[0] < 0.5526 and two.map(1.0)[1] == 2e-6
    assert fixed.check(1.0, (0.396859, 1e-6)) and not fixed.check(1.0, (0.396856, 1e-6))
    assert not fixed.check(1.0, (0.5, 1e-7)) and fixed.check(0.0, (0.0, 0.0))
    assert dp.new_privacy_profile(lambda e: 0.25).delta(3.0) == 0.25


def test_population_amplification_draws_the_sample_itself() -> None:
    sized = (dp.vector_domain(ROWS[0].element_domain, size=10), dp.symmetric_distance())
    item = sized >> dp.t.then_sum() >> dp.m.then_laplace(1.0)
    amplified = c("population_amplification", item, 100)
    assert amplified.input_domain.size == 100 and amplified.map(2) == pytest.approx(0.158565)
    assert isinstance(amplified([1.0] * 100), float)
    with pytest.raises(MetricdpError):
        amplified([1.0] * 10)
    with pytest.raises(ParameterError, match="no public size"):
        c("population_amplification", total() >> dp.m.then_laplace(1.0), 100)


def test_private_candidates_and_measurements_of_the_user() -> None:
    candidate = dp.m.make_user_measurement(
        *ROWS, dp.max_divergence(), lambda rows: (len(rows), "n"), lambda d: 0.5 * d
    )
    assert candidate([1.0]) == (1, "n") and candidate.map(2) == 1.0
    assert candidate.core.trust == "asserted"
    chosen = c("select_private_candidate", candidate, 0.5, 0.0)
    assert 0.6636 < chosen.map(1) < 0.6637 and chosen([1.0]) == (1, "n")
    pair = dp.m.make_user_measurement(
        *ROWS, dp.approximate(dp.max_divergence()), len, lambda d: (d, 1e-6)
    )
    assert pair.map(1) == (1.0, 1e-6)
    for bad in ({"stop_probability": 0.0}, {"stop_probability": 2.0}):
        with pytest.raises(ParameterError, match="stop"):
            c("select_private_candidate", candidate, threshold=0.0, **bad)


def test_chains_by_name() -> None:
    item = total()
    noisy = c("chain_mt", laplace(), item)
    assert noisy.map(1) == 0.1 and c("chain_pm", round, noisy).map(1) == 0.1
    with pytest.raises(WrongElementError):
        c("chain_tt", laplace(), item)
    assert not hasattr(dp.c, "then_fix_delta")


@pytest.mark.parametrize(("d_in", "d_out"), [(1, 1.0), (3, 0.1), (7, 1e-3), (2, 40.0)])
def test_searches_by_formula_and_by_bisection_agree(d_in: int, d_out: float) -> None:
    def chain(scale: float) -> Any:
        return total() >> dp.m.then_laplace(scale)

    formula = binary_search_param(chain, d_in, d_out)
    searched = binary_search(lambda s: chain(s).check(d_in, d_out), (1e-9, 1e9))
    assert formula == searched and chain(formula).check(d_in, d_out)
    assert formula == binary_search_param(chain, d_in, d_out, bounds=(1e-9, 1e9))
    wide = dp.binary_search_chain(chain, d_in, d_out)
    assert wide.check(d_in, d_out)


def test_search_for_gaussian_noise_at_a_delta() -> None:
    def chain(scale: float) -> Any:
        return c("fix_delta", c("zCDP_to_approxDP", gaussian(scale)), 1e-6)

    # Balle and Wang's sigma for (1, 1e-6); OpenDP 0.16 finds 4.53.
    found = binary_search_param(chain, 1.0, (1.0, 1e-6), T=float)
    assert found == pytest.approx(4.2246788, abs=1e-5) and chain(found).check(1.0, (1.0, 1e-6))
    assert not chain(found * (1 - 1e-9)).check(1.0, (1.0, 1e-6))


def test_searches_over_integers_and_their_refusals() -> None:
    def copies(k: int) -> Any:
        return c("composition", [laplace()] * max(k, 1))

    assert binary_search_param(copies, 1.0, 1.0, bounds=(1, 100)) == 10
    assert binary_search(lambda k: k <= 10, T=int, return_sign=True) == (10, -1)
    assert dp.exponential_bounds_search(lambda x: x > 3, T=int) is not None
    with pytest.raises(ParameterError, match="widen the bounds"):
        binary_search_param(copies, 1.0, 1.0, bounds=(20, 30))
    with pytest.raises(ParameterError, match="one answer everywhere"):
        binary_search(lambda x: False)
    with pytest.raises(ParameterError, match="function of the parameter"):
        waiting: Any = dp.m.then_laplace(1.0)
        binary_search_param(waiting, 1.0, 1.0)
