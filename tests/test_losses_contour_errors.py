"""The contour's error terms: the identity they come from, each of them needed, and precision."""

from __future__ import annotations

import sys
import threading
from fractions import Fraction
from typing import Any

import pytest

from metricdp.accounting.contour import engine as contour
from metricdp.accounting.contour.finite_sums import ExpansionSum
from metricdp.accounting.contour.plan import ContourPlan, plan
from metricdp.accounting.contour.saddle import saddle_for_epsilon
from metricdp.accounting.contour.sums import ContourSum, LatticeSum, common_lattice
from metricdp.accounting.gaussian import profile_bounds
from metricdp.accounting.losses import balls
from metricdp.accounting.losses.atomic import ResponseLoss
from metricdp.accounting.losses.balls import ball, ends, precision
from metricdp.accounting.losses.gaussian import GaussianLoss
from metricdp.accounting.losses.laplace import LaplaceLoss
from metricdp.accounting.losses.poisson_gaussian import PoissonGaussianLoss
from metricdp.errors import MissingExtraError

F = Fraction
NORMAL: Any = [(GaussianLoss(F(1)), 4)]
FAIR: Any = [(ResponseLoss(F(1, 2)), 40)]


def made(parts: Any, c: float, period: float, last: int, c2: float, bits: int = 128) -> Any:
    """A sum by a plan that nobody would choose."""
    chosen = ContourPlan(c, c2, period, last, bits, tuple(parts), False)
    lattice = common_lattice(parts)
    return ContourSum(parts, chosen) if lattice is None else LatticeSum(parts, chosen, lattice)


def bracket(total: Any, e: Fraction) -> tuple[Fraction, Fraction]:
    below, above = total.enclose(e)
    return ends(below)[0], ends(above)[1]


def truth(parts: Any, e: Fraction) -> tuple[Fraction, Fraction]:
    """delta by formulas that share nothing with the contour."""
    if parts is NORMAL:
        return profile_bounds(e, F(2))
    with precision(300):
        return ends(ExpansionSum(parts).enclose(e)[0])


def within(inner: tuple[Fraction, Fraction], outer: tuple[Fraction, Fraction]) -> bool:
    return outer[0] <= inner[1] and inner[0] <= outer[1]


@pytest.mark.parametrize("parts", [NORMAL, FAIR])
@pytest.mark.parametrize("c,period", [(0.5, 6.0), (1.5, 9.0), (3.0, 4.0)])
def test_the_aliasing_identity(parts: Any, c: float, period: float) -> None:
    """S = sum over n of delta(e + n T) e^(n c T), with both sides computed by themselves."""
    e = F(3, 2)
    with precision(160):
        total = made(parts, c, period, 400, c + 1)
        # On a lattice the period is a multiple of the step.
        exact = getattr(total, "nodes", None)
        length = F(period) if exact is None else exact * total.lattice.step
        sampled = ends(total.enclose(e)[1])
        low = high = F(0)
        for n in range(-30, 12):
            value = truth(parts, e + n * length)
            weight = ends((ball(c) * ball(n * length)).exp())
            low, high = low + value[0] * weight[0], high + value[1] * weight[1]
    assert sampled[1] > truth(parts, e)[1] * (1 + F(1, 1000))
    assert within((low * (1 - F(1, 10**9)), high * (1 + F(1, 10**9))), sampled)


# Deliberately coarse: (c, T, K, c2).  In the first the terms n < 0 are large, in the second those
# n > 0, in the third too few nodes are summed.
COARSE = [(0.3, 12.0, 80, 2.0, "below"), (3.0, 1.5, 60, 6.0, "above"), (1.0, 20.0, 4, 3.0, "rest")]


@pytest.mark.parametrize("c,period,last,c2,term", COARSE)
def test_every_error_term_is_needed(
    c: float, period: float, last: int, c2: float, term: str
) -> None:
    e = F(1, 2)
    with precision(128):
        total = made(NORMAL, c, period, last, c2)
        found = bracket(total, e)
        assert found[1] - found[0] > F(1, 10**4)
        assert found[0] <= truth(NORMAL, e)[0] and truth(NORMAL, e)[1] <= found[1]
        holder = total if term == "rest" else total.aliasing
        setattr(holder, term, ball(0))
        wrong = bracket(total, e)
        assert not (wrong[0] <= truth(NORMAL, e)[1] and truth(NORMAL, e)[0] <= wrong[1])


@pytest.mark.parametrize(
    "c,period,last,c2,term",
    [(0.3, 24.0, 50, 1.5, "below"), (3.0, 5.0, 50, 6.0, "above"), (0.8, 60.0, 6, 2.0, "rest")],
)
def test_every_error_term_is_needed_on_a_lattice(
    c: float, period: float, last: int, c2: float, term: str
) -> None:
    e = F(13, 10)
    with precision(128):
        total = made(FAIR, c, period, last, c2)
        found, known = bracket(total, e), truth(FAIR, e)
        assert found[1] - found[0] > F(1, 10**5)
        assert found[0] <= known[0] and known[1] <= found[1]
        setattr(total if term == "rest" else total.aliasing, term, ball(0))
        wrong = bracket(total, e)
        assert not (wrong[0] <= known[1] and known[0] <= wrong[1])


@pytest.mark.parametrize("bits", [24, 40, 64, 128])
@pytest.mark.parametrize(
    "loss,rounds",
    [(LaplaceLoss(F(1, 4)), 60), (ResponseLoss(F(1, 4)), 60), (GaussianLoss(F(1, 4)), 60)],
)
def test_lost_precision_widens_the_bracket(loss: Any, rounds: int, bits: int) -> None:
    """Balls carry their own rounding: 24 bits give a poor answer, never a wrong one."""
    parts, e = [(loss, rounds)], F(6)
    saddle = saddle_for_epsilon(parts, 6.0)
    if isinstance(loss, GaussianLoss):
        with precision(200):
            known = profile_bounds(e, ends(ball(F(60, 16)).sqrt())[0])
    else:
        known = truth(parts, e)
    chosen = plan(parts, saddle, 6.0, saddle.log_delta - 25, common_lattice(parts))
    with precision(bits):
        lattice = common_lattice(parts)
        total = ContourSum(parts, chosen) if lattice is None else LatticeSum(parts, chosen, lattice)
        found = bracket(total, e)
    slack = F(1, 10**40)
    assert found[0] <= known[1] + slack and known[0] - slack <= found[1]
    assert found[1] - found[0] >= known[1] * F(1, 2 ** (bits + 8))


def test_precision_is_restored_whatever_happens() -> None:
    module = balls.flint()
    before = module.ctx.prec
    with pytest.raises(ZeroDivisionError), precision(777):
        assert module.ctx.prec == 777
        with precision(99):
            assert module.ctx.prec == 99
        assert module.ctx.prec == 777
        raise ZeroDivisionError
    assert module.ctx.prec == before


def test_threads_do_not_disturb_each_other() -> None:
    """The precision of python-flint is global: queries in threads take turns."""
    parts: Any = [(PoissonGaussianLoss(F(1), F(1, 50)), 500)]
    alone = [contour.epsilon(parts, F(1, 10**k)) for k in (3, 5, 9, 30)]
    found: dict[int, Any] = {}

    def ask(place: int, k: int) -> None:
        found[place] = contour.epsilon(parts, F(1, 10**k))

    threads = [threading.Thread(target=ask, args=item) for item in enumerate((3, 5, 9, 30))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[i] for i in range(4)] == alone


def test_without_python_flint(monkeypatch: pytest.MonkeyPatch) -> None:
    balls.flint.cache_clear()
    monkeypatch.setitem(sys.modules, "flint", None)
    try:
        with pytest.raises(MissingExtraError, match="pip install") as caught:
            contour.delta([(GaussianLoss(F(1)), 1)], F(1))
        assert "metricdp[accounting]" in caught.value.remedy
    finally:
        balls.flint.cache_clear()
