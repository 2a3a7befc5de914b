"""Nodes that are left out, laws that are joined: shortcuts that stay sound."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from depth import depth
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from metricdp.accounting.contour import engine as contour
from metricdp.accounting.contour import engine as contour_profile
from metricdp.accounting.contour import plan as contour_nodes
from metricdp.accounting.contour.closed import joined
from metricdp.accounting.contour.finite_sums import ExpansionSum
from metricdp.accounting.contour.plan import ContourPlan, plan
from metricdp.accounting.contour.saddle import LogMoments, saddle_for_epsilon
from metricdp.accounting.contour.sums import ContourSum
from metricdp.accounting.lattice import engine as discretised
from metricdp.accounting.losses.balls import ball, ends, flint, powers_at, precision
from metricdp.accounting.losses.gaussian import GaussianLoss, ManyGaussiansLoss
from metricdp.accounting.losses.laplace import LaplaceLoss
from metricdp.accounting.losses.poisson_gaussian import PoissonGaussianLoss

F = Fraction
LAPLACE: Any = [(LaplaceLoss(F(1, 10)), 500)]


def exact_moduli(loss: Any, c: float, heights: Any) -> Any:
    """ln |M(c + iy) / M(c)| in 60 digits, from the definition of the moment function."""
    with mpmath.workdps(60):
        if isinstance(loss, LaplaceLoss):
            m = mpmath.mpf(loss.ratio.numerator) / loss.ratio.denominator

            def moment(z: Any) -> Any:
                ends = ((z + 1) * mpmath.exp(z * m), z * mpmath.exp(-(z + 1) * m))
                return sum(ends) / (2 * z + 1)
        else:
            v = mpmath.mpf(loss.squared.numerator) / loss.squared.denominator

            def moment(z: Any) -> Any:
                return mpmath.exp(z * (z + 1) * v / 2)

        whole = abs(moment(mpmath.mpf(c)))
        return [mpmath.log(abs(moment(mpmath.mpc(c, y))) / whole) for y in heights]


@given(
    st.one_of(
        st.fractions(F(1, 100), 3, max_denominator=100).map(LaplaceLoss),
        st.sampled_from([F(1, 10**9), F(1, 10**5), F(30), F(700)]).map(LaplaceLoss),
        st.fractions(F(1, 100), 3, max_denominator=100).map(GaussianLoss),
        st.fractions(F(1, 100), 3, max_denominator=100).map(ManyGaussiansLoss),
    ),
    st.floats(1e-9, 1e4),
    st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=6),
)
@settings(max_examples=depth(75, 150), deadline=None)
def test_moduli_are_bounded(loss: Any, c: float, heights: list[float]) -> None:
    bounds = loss.log_moduli(c, np.array(heights))
    for bound, exact, y in zip(bounds, exact_moduli(loss, c, heights), heights, strict=True):
        assert exact <= bound <= 0
        # And nothing much is given away where the modulus is not small.
        if exact > -5 and isinstance(loss, LaplaceLoss) and y * float(loss.ratio) < 1e4:
            assert bound <= exact + 1e-5


@pytest.mark.parametrize("m", [F(1, 10), F(1), F(5, 2)])
def test_moduli_where_the_atoms_cancel(m: Fraction) -> None:
    """At y m = pi / 2 (mod pi) the difference of two near numbers is all rounding."""
    loss = LaplaceLoss(m)
    for c in (1e-9, 1e-6, 1e-3):
        heights = (np.arange(1, 400, 2) + 1e-9) * np.pi / 2 / float(m)
        bounds = loss.log_moduli(c, heights)
        assert all(
            exact <= bound
            for exact, bound in zip(exact_moduli(loss, c, heights), bounds, strict=True)
        )


def drawn(parts: Any, e: float, room: float) -> ContourPlan:
    saddle = saddle_for_epsilon(parts, e)
    return replace(plan(parts, saddle, e, saddle.log_delta - 18), room=room)


@pytest.mark.parametrize(
    "parts,e",
    [
        (LAPLACE, 12.0),
        ([(LaplaceLoss(F(1, 10)), 300), (LaplaceLoss(F(1, 7)), 80)], 9.0),
        ([(LaplaceLoss(F(1, 5)), 90), (GaussianLoss(F(1, 10)), 3)], 3.0),
    ],
)
@pytest.mark.parametrize("room", [-60.0, -30.0, -12.0])
def test_what_is_left_out_is_bounded(parts: Any, e: float, room: float) -> None:
    """The sum of |M(z)| / (M(c) |z|^2) over the nodes that are left out, term by term in balls."""
    chosen = drawn(parts, e, room)
    kept, bound = contour_nodes.worthwhile(parts, chosen)
    left = sorted(set(range(chosen.last + 1)) - set(kept))
    assert 0 in kept and len(left) > 0.2 * chosen.last
    # h / pi times the bound is at most e^room.
    assert 2 / chosen.period * bound <= np.exp(room)
    with precision(160):
        step = 2 * flint().arb.pi() / ball(chosen.period)
        total, whole = ball(0), ball(1)
        for loss, n in parts:
            whole *= loss.on_nodes(chosen.c, step, [0])[0].real ** n
        lines = [(loss.on_nodes(chosen.c, step, left), n) for loss, n in parts]
        for at, k in enumerate(left):
            size = ball(1)
            for line, n in lines:
                size *= abs(line[at]) ** n
            total += size / whole / (ball(chosen.c) ** 2 + (step * k) ** 2)
        assert total.upper() <= bound
        # Not by much: the bound is what is left, up to its own slack.
        assert total * 1.01 + ball(2) ** -900 >= bound


@pytest.mark.parametrize("room", [-7.0, -5.0])
def test_the_term_of_what_is_left_out_is_needed(room: float) -> None:
    """Nodes that matter are left out: the bracket is wide and right, and wrong without the term."""
    parts: Any = [(LaplaceLoss(F(1, 4)), 60)]
    missed = 0
    for e in (F(1), F(3), F(6)):
        with precision(300):
            known = ends(ExpansionSum(parts).enclose(e)[0])
        chosen = drawn(parts, float(e), room)
        with precision(160):
            total = ContourSum(parts, chosen)
            below, above = total.enclose(e)
            found = ends(below)[0], ends(above)[1]
            assert found[0] <= known[0] and known[1] <= found[1]
            total.faint = ball(0)
            below, above = total.enclose(e)
            wrong = ends(below)[0], ends(above)[1]
            missed += not (wrong[0] <= known[1] and known[0] <= wrong[1])
    assert missed >= 2


@given(
    st.lists(
        st.tuples(
            st.one_of(
                st.fractions(F(1, 30), 2, max_denominator=30).map(LaplaceLoss),
                st.fractions(F(1, 30), F(1, 5), max_denominator=30).map(GaussianLoss),
            ),
            st.integers(1, 400),
        ),
        min_size=1,
        max_size=3,
    ),
    st.fractions(0, 12, max_denominator=20),
    st.floats(-80.0, -8.0),
)
@settings(max_examples=depth(15, 30), deadline=None)
def test_pruned_and_whole_sums_meet(parts: Any, e: Fraction, room: float) -> None:
    parts = [*parts, (GaussianLoss(F(1, 10)), 1)]
    chosen = drawn(parts, float(e), room)
    with precision(chosen.bits + 64):
        few = ContourSum(parts, chosen)
        whole = ContourSum(parts, replace(chosen, room=float("-inf")))
        assert len(whole.kept) == chosen.last + 1
        (low, high), (below, above) = few.enclose(e), whole.enclose(e)
        assert low.lower() <= above.upper() and below.lower() <= high.upper()
        # Closer than what both leave open: the sums differ by the faint nodes only.
        size = (-ball(chosen.c) * ball(e)).exp()
        gap = (high - few.rest * size) - (above - whole.rest * size)
        assert gap.upper() >= 0 and gap.lower() <= (2 * few.faint * size).upper()


def test_powers_at_some_places() -> None:
    with precision(128):
        x = flint().acb(0, ball(F(1, 7))).exp()
        for places in ([0], [0, 1, 2, 3], [0, 5, 77, 78, 1000], [3], [0, *range(40, 99, 3)], []):
            found = powers_at(x, places)
            assert len(found) == len(places)
            for k, value in zip(places, found, strict=True):
                exact = flint().acb(0, ball(F(k, 7))).exp()
                assert (value - exact).contains(0)
                assert float(abs(value - exact).upper()) < 1e-30


MANY: Any = [(GaussianLoss(F(1, 20 + k)), k + 1) for k in range(12)]


def test_joined_gaussians() -> None:
    total = sum(F(k + 1, (20 + k) ** 2) for k in range(12))
    assert joined(MANY) == ((ManyGaussiansLoss(total), 1),)
    one: Any = ((GaussianLoss(F(1, 2)), 3), (LaplaceLoss(F(1, 3)), 2))
    assert joined(one) == one


@pytest.mark.parametrize("others", [[], [(LaplaceLoss(F(1, 10)), 20)]])
def test_both_engines_join_gaussians(others: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [*MANY, *others]
    near = contour.epsilon(parts, F(1, 10**5))
    far = discretised.epsilon(parts, F(1, 10**5), width=1e-4)
    assert near.width < F(1, 10**8) and far.width < F(1, 10**3)
    assert far.lower <= near.lower and near.upper <= far.upper
    monkeypatch.setattr(contour_profile, "joined", lambda parts: tuple(parts))
    monkeypatch.setattr(discretised, "_joined", lambda parts: parts)
    apart = contour.epsilon(parts, F(1, 10**5))
    assert apart.lower <= near.upper and near.lower <= apart.upper
    coarse = discretised.epsilon(parts, F(1, 10**5), width=1e-4)
    assert coarse.lower <= near.upper and near.lower <= coarse.upper


def test_gaussians_of_little_noise_stay_apart_in_doubles() -> None:
    """Joined, losses near 1200 would have Q-masses of e^-1200."""
    parts: Any = [(GaussianLoss(F(6)), 68), (GaussianLoss(F(1, 1000)), 4)]
    near = contour.epsilon(parts, F(1, 10**7))
    found = discretised.epsilon(parts, F(1, 10**7), width=0.01)
    assert found.lower <= near.lower and near.upper <= found.upper
    assert found.width < F(1, 10)


def test_cells_of_joined_gaussians() -> None:
    """The same law as one Gaussian with this u, where the root is rational, and near it."""
    edges = np.linspace(-2, 2, 101)
    one = GaussianLoss(F(3, 7)).cells(edges)
    same = ManyGaussiansLoss(F(9, 49)).cells(edges)
    assert (one.p == same.p).all() and (one.q == same.q).all()
    other = ManyGaussiansLoss(F(9, 49) + F(1, 10**4)).cells(edges)
    assert not np.allclose(one.p, other.p, rtol=1e-6)


@pytest.mark.parametrize("added", [False, True])
@pytest.mark.parametrize("cut", [float("inf"), 5.0])
def test_moments_of_many_laws_at_once(added: bool, cut: float) -> None:
    parts: Any = tuple(
        (PoissonGaussianLoss(F(1, 1 + k), F(1, 10 + k), added, cut), k + 1) for k in range(5)
    )
    psi = LogMoments((*parts, (LaplaceLoss(F(1, 3)), 4)))
    for c in (1e-6, 0.01, 1.0, 7.0, 60.0):
        known = 4 * LaplaceLoss(F(1, 3)).log_moment(c)
        known += sum(n * loss.log_moment(c) for loss, n in parts)
        assert psi(c) == pytest.approx(known, rel=1e-7, abs=1e-12)
