"""Refusals name what works, and what they name does work; laws say the unit they print."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import metricdp as dp
from metricdp.errors import ParameterError
from metricdp.laws import (
    DiscreteLaplaceLaw,
    GaussianLaw,
    GridLaw,
    LaplaceLaw,
    RoundedTulapLaw,
    UniformLaw,
    best_event,
    clamp,
    hockey_stick,
    max_divergence,
    renyi,
    rounded,
    total_variation,
    zcdp_rho,
)
from metricdp.laws.distances import (
    d_dp_one_sided,
    d_em,
    d_wc,
    hockey_stick_at,
    privacy_profile,
    renyi_divergence,
    zcdp,
)
from metricdp.maps import make

F = Fraction
P, Q = GaussianLaw(0, 1), GaussianLaw(1, 1)


def remedy(call: Any) -> str:
    with pytest.raises(ParameterError) as caught:
        call()
    return caught.value.remedy


@pytest.mark.parametrize(
    ("call", "named", "works"),
    [
        (lambda: hockey_stick(P, Q, F(1)), "hockey_stick_at", lambda: hockey_stick_at(P, Q, 3)),
        (lambda: total_variation(P, Q), "hockey_stick_at", lambda: hockey_stick_at(P, Q, 1)),
        (lambda: best_event(P, Q, F(1)), "hockey_stick_at", lambda: hockey_stick_at(P, Q, 3)),
        (lambda: privacy_profile(P, Q), "hockey_stick_at", lambda: hockey_stick_at(P, Q, 3)),
        (lambda: max_divergence(P, Q), "d_dp_one_sided", lambda: d_dp_one_sided(P, Q)),
        (lambda: renyi(P, Q, F(2)), "renyi_divergence", lambda: renyi_divergence(P, Q, 2)),
        (lambda: zcdp_rho(P, Q), "zcdp", lambda: zcdp(P, Q)),
    ],
)
def test_laws_with_densities_are_sent_to_the_distances(call: Any, named: str, works: Any) -> None:
    assert f"distances.{named}(" in remedy(call)
    assert works()
    assert zcdp_rho(P, P) == max_divergence(P, P) == (0, 0)


def test_prokhorov_of_two_families_by_finite_laws() -> None:
    pair = GaussianLaw(0, 1), LaplaceLaw(0, 1)
    assert "clamp(rounded(law, step), lower, upper)" in remedy(lambda: d_wc(*pair))
    found = []
    for step in (F(1, 2), F(1, 4)):
        grids = [rounded(law, step) for law in pair]
        # The first half of the remedy alone is sent on to the second.
        for distance in (d_wc, d_em):
            assert "clamp(law, lower, upper)" in remedy(lambda d=distance, g=grids: d(*g))
        found.append(d_wc(*(clamp(law, -12, 12) for law in grids)))
        assert 0 < found[-1].low <= found[-1].high < F(1, 5)
    # Both are within half a step for each law of one number.
    assert abs(found[0].high - found[1].high) <= F(1, 2) + F(1, 4) + F(1, 10**4)


def test_a_law_on_a_grid_prints_values_and_not_steps() -> None:
    clamped = make("clamp", dp.Records[float], lower=0, upper=20)
    total = make("sum", clamped.output_space)
    law = (clamped >> total >> make("laplace", total.output_space, scale=8)).law([1.5, 30.0])
    assert repr(law).startswith("GridLaw(LaplaceLaw(center=43/2, scale=8) rounded, step=")
    assert repr(rounded(GaussianLaw(3, 2), F(1, 8))) == (
        "GridLaw(GaussianLaw(center=3, scale=2) rounded, step=1/8)"
    )
    assert repr(rounded(UniformLaw(0, 1), F(1, 8))) == (
        "GridLaw(UniformLaw(low=0, high=1) rounded, step=1/8)"
    )
    # Where no continuous law is known, it says that it is multiplied.
    for inner in (DiscreteLaplaceLaw(800, 8), RoundedTulapLaw(800, 8, 1, 0)):
        assert repr(GridLaw(inner, F(1, 8))) == f"GridLaw(step * {inner!r}, step=1/8)"
