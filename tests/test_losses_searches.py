"""Searches that choose where to look: they find what they look for, at the ends too."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, log, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metricdp.accounting.engines import at_most
from metricdp.accounting.lattice.atoms import atoms
from metricdp.accounting.lattice.sketch import crossing, sketch
from metricdp.accounting.losses.gaussian import GaussianLoss
from metricdp.accounting.losses.laplace import LaplaceLoss
from metricdp.accounting.losses.poisson_gaussian import PoissonGaussianLoss
from metricdp.measures import Gaussian, Laplace, Poisson, Repeated, account

F = Fraction


@given(st.floats(-12, 12), st.sampled_from(["line", "steep", "flat", "power", "step"]))
def test_crossings_are_found(root: float, kind: str) -> None:
    place, asked = exp(root), 0

    def f(x: float) -> float:
        nonlocal asked
        asked += 1
        gap = root - log(x)
        return {
            "line": gap,
            "steep": gap * 1e200,
            "flat": gap**3,
            "power": place / x - x / place,
            "step": 1.0 if gap > 0 else -inf,
        }[kind]

    found = crossing(f, 1e-6, 1e6)
    assert found == pytest.approx(place, rel=1e-2 if kind == "flat" else 1e-5)
    assert asked < 62


def test_crossings_beyond_the_ends() -> None:
    assert crossing(lambda x: 1.0, 1e-3, 1e3) == 1e3
    assert crossing(lambda x: -1.0, 1e-3, 1e3) == 1e-3
    assert crossing(lambda x: nan, 1e-3, 1e3) == 1e-3


@pytest.mark.parametrize(
    "loss",
    [
        LaplaceLoss(F(1, 10)),
        LaplaceLoss(F(3)),
        GaussianLoss(F(1, 3)),
        PoissonGaussianLoss(F(1), F(1, 100)),
        PoissonGaussianLoss(F(1), F(1, 100), True),
    ],
)
@pytest.mark.parametrize("tilt", [0.0, 1.0, 8.0])
def test_known_atoms_are_those_that_a_search_finds(
    loss: Any, tilt: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = sketch(loss)
    known = atoms(loss, picture, tilt)
    monkeypatch.setattr(type(loss), "places", None)
    found = atoms(loss, picture, tilt)
    assert [x.loss for x in known] == pytest.approx([x.loss for x in found], rel=1e-9)
    assert [x.share for x in known] == [x.share for x in found]


EVENTS: Any = [
    Repeated(Poisson("0.01", Gaussian(1)), 500),
    Repeated(Poisson("0.5", Gaussian(3)), 40),
    [Repeated(Poisson("0.1", Gaussian(2)), 30), Repeated(Laplace(9), 20)],
]


@pytest.mark.parametrize("events", EVENTS)
@pytest.mark.parametrize("delta", ["1e-6", "0.05"])
def test_the_direction_that_is_only_looked_at_is_the_smaller_one(events: Any, delta: str) -> None:
    both, add, remove = (
        account(events, name, checked=False).epsilon(delta)
        for name in ("add or remove", "add", "remove")
    )
    assert both.lower == max(add.lower, remove.lower)
    assert both.upper == max(add.upper, remove.upper)


def test_looks_prove_what_they_say() -> None:
    parts: Any = ((GaussianLoss(F(1, 5)), 30),)
    exact = F(account(Repeated(Gaussian(5), 30), "add").delta(2).upper)
    for share in (F(1, 2), F(99, 100), 1 - F(1, 10**7)):
        assert not at_most(parts, F(2), exact * share)
        assert at_most(parts, F(2), exact / share)
    mixed: Any = ((LaplaceLoss(F(1, 9)), 30), (PoissonGaussianLoss(F(1), F(1, 9)), 5))
    edge = account([Repeated(Laplace(9), 30), Repeated(Poisson("1/9", Gaussian(1)), 5)], "remove")
    close = edge.delta(1)
    for share in (F(1, 2), F(99, 100), 1 - F(1, 10**7)):
        assert not at_most(mixed, F(1), close.lower * share)
        assert at_most(mixed, F(1), close.upper / share)
    # Between what is proved below and above, nothing is proved.
    assert not at_most(mixed, F(1), (close.lower + close.upper) / 2)
    assert at_most((), F(0), F(0))
