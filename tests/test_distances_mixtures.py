"""Total variation and hockey sticks of mixtures of densities: certified, against sums over a fine
grid, closed forms, and the laws that they must agree with."""

from __future__ import annotations

from fractions import Fraction as F
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import cauchy, expon, laplace, norm, uniform

from metricdp.errors import ParameterError
from metricdp.laws import (
    CauchyLaw,
    ExponentialLaw,
    FiniteLaw,
    GaussianLaw,
    LaplaceLaw,
    UniformLaw,
    mixture,
)
from metricdp.laws.distances import d_tv, d_wc, hockey_stick_at
from metricdp.laws.pushed import clamp

N, L, C, E, U = GaussianLaw, LaplaceLaw, CauchyLaw, ExponentialLaw, UniformLaw
FAMILIES: dict[type, Any] = {N: norm, L: laplace, C: cauchy}


def mixed(*parts: Any) -> Any:
    """(law, weight), ..."""
    return mixture([law for law, _ in parts], [F(w) for _, w in parts])


def density(law: Any, x: Any) -> Any:
    """In doubles, by SciPy."""
    if hasattr(law, "parts"):
        pairs = zip(law.parts, law.weights, strict=True)
        return sum(float(w) * density(part, x) for part, w in pairs)
    if isinstance(law, E):
        return expon.pdf(x, loc=float(law.start), scale=float(law.scale))
    if isinstance(law, U):
        return uniform.pdf(x, loc=float(law.low), scale=float(law.high - law.low))
    return FAMILIES[type(law)].pdf(x, loc=float(law.center), scale=float(law.scale))


CASES = [
    (mixed((N(0, 1), "1/2"), (N(3, 1), "1/2")), N(1, 1)),
    (mixed((N(0, 1), "1/4"), (L(3, 2), "3/4")), C(1, 1)),
    (mixed((N(0, 1), "1/2"), (U(0, 1), "1/2")), mixed((N(1, 2), "1/2"), (E(1, 0), "1/2"))),
    (mixed((L(0, 1), "1/2"), (E(2, 1), "1/2")), mixed((L(0, 1), "1/2"), (U(0, 1), "1/2"))),
    (mixed((L(0, 1), "1/3"), (L(1, 1), "2/3")), mixed((L(0, 1), "1/2"), (L(2, 1), "1/2"))),
]


#: Points of the grid in 1: the middles of its cells lie 1/2000 from their ends.
FINE = 1000


@cache
def on_grid(law: Any) -> Any:
    """The density in the middle of each cell between -60 and 60."""
    return density(law, (np.arange(-60 * FINE, 60 * FINE) + 0.5) / FINE)


@pytest.mark.parametrize(("p", "q"), CASES)
@pytest.mark.parametrize("t", [F(1), F(2), F(1, 2)])
def test_enclosures_hold_the_integral_and_are_narrow(p: Any, q: Any, t: F) -> None:
    found = hockey_stick_at(p, q, t)
    assert 0 <= found.high - found.low < F(1, 10**9)
    gain = np.maximum(0, on_grid(p) - float(t) * on_grid(q)).sum() / FINE
    # The grid leaves out the tails of a Cauchy law, 1/190 in all.
    tail = 0.006 if C in (type(p), type(q)) and t < 1 else 1e-5
    assert abs(float(found.low) - gain) < tail


def test_what_both_share_does_not_count() -> None:
    same, other = N(0, 1), N(1, 1)
    p, q = mixed((same, "3/4"), (other, "1/4")), same
    quarter = d_tv(other, same)
    assert d_tv(p, q).low == quarter.low / 4 and d_tv(p, q).high == quarter.high / 4
    exact = d_tv(mixed((same, "1/2"), (U(0, 1), "1/2")), mixed((same, "1/2"), (U(0, 2), "1/2")))
    assert exact.exact == F(1, 4)
    assert hockey_stick_at(same, mixed((same, "1/2"), (other, "1/2")), 2).exact == 0
    assert d_tv(p, mixed((p, "1/2"), (same, "1/2"))).high == pytest.approx(float(quarter.high) / 8)


def test_total_variation_is_a_distance_of_mixtures() -> None:
    laws = [case[0] for case in CASES[:3]]
    for p in laws:
        assert d_tv(p, p).exact == 0
    there, back = d_tv(laws[0], laws[1]), d_tv(laws[1], laws[0])
    assert abs(there.low - back.low) < F(1, 10**9)
    assert there.low <= d_tv(laws[0], laws[2]).high + d_tv(laws[2], laws[1]).high
    # A mixture lies between its parts.
    assert d_tv(laws[0], N(0, 1)).high <= F(1, 2)


def test_far_apart_is_one_and_atoms_are_singular() -> None:
    p = mixed((N(0, 1), "1/2"), (N(5, 1), "1/2"))
    assert d_tv(p, mixed((N(1000, 1), "1/2"), (N(2000, 1), "1/2"))).low > 1 - F(1, 10**12)
    assert d_tv(p, FiniteLaw({0: 1})).exact == 1


def test_what_has_atoms_and_density_is_refused() -> None:
    atoms = mixture([clamp(N(0, 1), -1, 1), N(0, 1)], [F(1, 2), F(1, 2)])
    with pytest.raises(ParameterError, match="no exact formula"):
        d_tv(atoms, N(1, 1))
    with pytest.raises(ParameterError, match="no exact formula"):
        d_wc(CASES[0][0], N(1, 1))
