"""Kullback-Leibler, Renyi and rho against quadrature, and in the order that theory puts them."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, log

import numpy as np
import pytest
from distance_cases import laws
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metricdp.errors import ParameterError
from metricdp.laws import CauchyLaw, DiscreteLaplaceLaw, GaussianLaw, LaplaceLaw, UniformLaw
from metricdp.laws.distances import (
    d_dp_one_sided,
    d_tv,
    kl_divergence,
    renyi_divergence,
    zcdp,
)

F = Fraction
FAMILY = {GaussianLaw: stats.norm, LaplaceLaw: stats.laplace, CauchyLaw: stats.cauchy}
PAIRS = [
    (GaussianLaw(0, 1), GaussianLaw(1, 1)),
    (GaussianLaw(0, 1), GaussianLaw(F(1, 2), 2)),
    (GaussianLaw(0, 2), GaussianLaw(1, F(17, 10))),
    (LaplaceLaw(0, 1), LaplaceLaw(1, 1)),
    (LaplaceLaw(0, 1), LaplaceLaw(3, 2)),
    (CauchyLaw(0, 1), CauchyLaw(1, 1)),
    (CauchyLaw(0, 1), CauchyLaw(2, 3)),
]


def densities(p, q):
    x = np.tan(np.linspace(-np.pi / 2 + 1e-4, np.pi / 2 - 1e-4, 2_000_001))
    x = x[abs(x) < 700] if isinstance(p, LaplaceLaw) else x
    logs = [FAMILY[type(law)](float(law.center), float(law.scale)).logpdf(x) for law in (p, q)]
    return x, *logs


@pytest.mark.parametrize(("p", "q"), PAIRS, ids=repr)
def test_kl_is_the_integral(p, q):
    x, a, b = densities(p, q)
    found = kl_divergence(p, q)
    assert found.high - found.low < F(1, 10**25)
    assert np.trapezoid(np.exp(a) * (a - b), x) == pytest.approx(float(found), abs=1e-3)


@pytest.mark.parametrize(("p", "q"), PAIRS[:4], ids=repr)
@pytest.mark.parametrize("alpha", [F(3, 2), F(2), F(3)])
def test_renyi_is_the_integral(p, q, alpha):
    x, a, b = densities(p, q)
    t = float(alpha)
    moment = np.trapezoid(np.exp(t * a + (1 - t) * b), x)
    assert log(moment) / (t - 1) == pytest.approx(float(renyi_divergence(p, q, alpha)), abs=1e-6)


@pytest.mark.parametrize(("p", "q"), [PAIRS[0], PAIRS[3]], ids=repr)
def test_rho_is_the_supremum(p, q):
    rho = zcdp(p, q)
    orders = [F(1001, 1000), F(11, 10), F(2), F(10), F(100)]
    ratios = [float(renyi_divergence(p, q, a)) / float(a) for a in orders]
    assert max(ratios) <= float(rho) + 1e-15
    assert max(ratios) == pytest.approx(float(rho), rel=1e-2)


@given(laws("abcd"), laws("abcd"), st.fractions(F(11, 10), 9, max_denominator=10))
@settings(deadline=None)
def test_divergences_keep_their_order(p, q, alpha):
    """2 TV**2 <= KL (Pinsker) <= D_alpha <= D_inf, and D_alpha grows with alpha."""
    kl, renyi, top = kl_divergence(p, q), renyi_divergence(p, q, alpha), d_dp_one_sided(p, q)
    tiny = F(1, 10**25)
    assert 2 * d_tv(p, q).exact ** 2 <= kl.high + tiny
    assert kl.low <= renyi.high + tiny
    assert renyi.low <= renyi_divergence(p, q, alpha + 1).high + tiny
    assert renyi.low <= top.high
    assert (kl.low == inf) == (top.ratio == inf) == (renyi.low == inf)
    assert sum(float(m) * log(m / q[x]) for x, m in p.items() if x in q) <= float(kl) + 1e-12


def test_steps_and_other_laws():
    uniform, half = UniformLaw(0, 1), UniformLaw(0, F(1, 2))
    assert float(kl_divergence(half, uniform)) == pytest.approx(log(2), rel=1e-15)
    assert float(kl_divergence(uniform, half)) == inf
    assert float(renyi_divergence(half, uniform, 2)) == pytest.approx(log(2), rel=1e-15)
    # D_alpha is ln 2 for every alpha: the supremum of D_alpha / alpha is its limit at 1.
    assert zcdp(half, uniform).low < log(2) <= float(zcdp(half, uniform)) <= log(2) + 1e-15
    assert float(zcdp(uniform, half)) == inf
    assert float(renyi_divergence(GaussianLaw(0, 2), GaussianLaw(0, 1), 2)) == inf
    p, q = DiscreteLaplaceLaw(0, F(2)), DiscreteLaplaceLaw(1, F(2))
    assert 0 < zcdp(p, q).low <= zcdp(p, q).high <= F(1, 8)
    assert exp(float(renyi_divergence(p, q, 2))) > 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: renyi_divergence({"a": 1}, {"a": 1}, 1),
        lambda: kl_divergence(GaussianLaw(0, 1), LaplaceLaw(0, 1)),
        lambda: renyi_divergence(CauchyLaw(0, 1), CauchyLaw(1, 1), 2),
        lambda: zcdp(GaussianLaw(0, 1), GaussianLaw(0, 2)),
        lambda: zcdp(CauchyLaw(0, 1), CauchyLaw(1, 1)),
    ],
)
def test_what_has_no_formula_is_refused(call):
    with pytest.raises(ParameterError):
        call()
