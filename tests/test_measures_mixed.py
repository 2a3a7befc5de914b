"""Steps in rho beside pure and (epsilon, delta) steps: formulas and numbers against exact laws."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from foreign_mechanisms import an_event

from metricdp.expr import ZERO, D, num, tanh
from metricdp.measures.accountant import certified
from metricdp.measures.events import (
    Choice,
    Event,
    Parallel,
    Repeat,
    Sampled,
    Sequence,
    Spent,
    Tree,
)
from metricdp.measures.mixed import given_up, mixed, mixes
from metricdp.measures.readings import MOVED
from metricdp.measures.sampling import PoissonSampling
from metricdp.measures.steps import steps

F = Fraction
Law = dict[Any, float]
E, LOST, SIGMA, PURE = F(1, 2), F(1, 50), F(1), F(3, 4)


def event(kind: str) -> Event:
    from metricdp.expr import sym

    moved = sym(MOVED, nonneg=True)
    if kind == "rho":
        return an_event(
            "discrete_gaussian",
            "",
            {},
            {"zcdp": (moved**2 / (2 * SIGMA**2),)},
        )
    if kind == "pure":
        cost = moved * PURE
        return an_event("coin", "", {}, {"pure": (cost,), "zcdp": (cost * tanh(cost / 2),)})
    return an_event("leaky", "", {}, {"approx": (num(E), num(LOST))})


def law(kind: str, x: int) -> Law:
    """Output law on x in {0, 1}; each uses all of its cost."""
    if kind == "rho":
        weights = {z: math.exp(-((z - x) ** 2) / (2 * float(SIGMA) ** 2)) for z in range(-8, 10)}
        total = sum(weights.values())
        return {z: w / total for z, w in weights.items()}
    e = float(PURE if kind == "pure" else E)
    keep, lost = math.exp(e) / (1 + math.exp(e)), float(LOST) if kind == "approx" else 0.0
    return {("open", x): lost, x: (1 - lost) * keep, 1 - x: (1 - lost) * (1 - keep)}


def joint(kinds: tuple[str, ...], x: int) -> Law:
    found: Law = {(): 1.0}
    for kind in kinds:
        found = {(*a, b): p * r for (a, p), (b, r) in product(found.items(), law(kind, x).items())}
    return found


def divergence(p: Law, q: Law, epsilon: float) -> float:
    return sum(max(0.0, a - math.exp(epsilon) * q.get(z, 0.0)) for z, a in p.items())


def tree_of(kinds: tuple[str, ...]) -> Tree:
    return Sequence(tuple(Spent(event(kind), {"x": D}) for kind in kinds))


MIXTURES = [
    ("rho", "approx"),
    ("approx", "rho", "rho"),
    ("pure", "rho", "approx"),
    ("pure", "pure", "pure", "rho", "approx"),
]


@pytest.mark.parametrize("kinds", MIXTURES)
@pytest.mark.parametrize("slack", [F(1, 100), F(1, 10**4)])
def test_the_formula_holds_for_exact_laws(kinds: tuple[str, ...], slack: Fraction) -> None:
    tree = tree_of(kinds)
    assert mixes(tree) and given_up(tree, ["x"]) == num(LOST)
    found = mixed(tree, "x", num(1), num(slack))
    epsilon, delta = float(found.epsilon.upper({})), float(found.delta.upper({}))
    assert delta == pytest.approx(float(LOST + slack))
    p, q = joint(kinds, 0), joint(kinds, 1)
    for a, b in ((p, q), (q, p)):
        assert divergence(a, b, epsilon) <= delta
        # Neither part is free: without it the same laws break the claim.
        assert divergence(a, b, epsilon) > delta - float(slack) - 1e-9
        assert divergence(a, b, epsilon / 3) > delta


@pytest.mark.parametrize("kinds", MIXTURES)
@pytest.mark.parametrize("delta", [F(1, 10), F(1, 40)])
def test_the_accountants_number_holds_and_is_below_the_formula(
    kinds: tuple[str, ...], delta: Fraction
) -> None:
    tree = tree_of(kinds)
    best = certified(steps(tree, "x", 1, {}), delta)
    formula = mixed(tree, "x", num(1), num(delta - LOST))
    assert best.epsilon <= formula.epsilon.upper({})
    p, q = joint(kinds, 0), joint(kinds, 1)
    for a, b in ((p, q), (q, p)):
        for epsilon in best.tried.values():
            assert divergence(a, b, float(epsilon)) <= float(delta) + 1e-12


def test_structure_is_read_part_by_part() -> None:
    rho, approx, pure = (Spent(event(kind), {"x": D}) for kind in ("rho", "approx", "pure"))
    slack = num(F(1, 1000))

    def cost(tree: Tree) -> tuple[float, float]:
        found = mixed(tree, "x", num(1), slack)
        return float(found.epsilon.upper({})), float(found.delta.upper({}))

    both = cost(Sequence((rho, approx)))
    assert cost(Repeat(num(3), Sequence((rho, approx)))) == cost(Sequence((rho, approx) * 3))
    # A branch by public values: at most the dearer of each part.
    assert cost(Sequence((Choice((rho, approx)), Choice((approx, rho))))) == cost(
        Sequence((rho, rho, approx, approx))
    )
    assert cost(Choice((Sequence((rho, approx)), Sequence(())))) == both
    # Many pure steps beside noise in rho are better as rho.
    many = cost(Sequence((Repeat(num(400), pure), rho, approx)))
    assert many[0] < 400 * float(PURE)
    untouched = Sequence((rho, approx, Spent(event("approx"), {"y": D})))
    assert mixed(untouched, "y", num(1), slack).delta == num(LOST)
    rows = Parallel(Sequence((Spent(event("rho"), {"r": D}), Spent(event("approx"), {"r": D}))),
                    "r", "x", True)  # fmt: skip
    assert cost(rows) == both
    assert mixed(rows, "x", ZERO, slack).epsilon.upper({}) == 0


def test_a_sample_read_by_a_mixture_is_charged_in_full() -> None:
    body = Sequence((Spent(event("rho"), {"s": D}), Spent(event("approx"), {"s": D})))
    sample = Sampled(body, "s", "x", PoissonSampling(num(F(1, 4))), "add or remove")
    slack = num(F(1, 1000))
    whole = mixed(tree_of(("rho", "approx")), "x", num(1), slack)
    found = mixed(sample, "x", num(1), slack)
    assert (found.epsilon, found.delta) == (whole.epsilon, whole.delta)
    both = Spent(event("rho"), {"s": D, "x": D})
    together = Sampled(Sequence((both, Spent(event("approx"), {"s": D}))), "s", "x",
                       PoissonSampling(num(F(1, 4))), "add or remove")  # fmt: skip
    assert mixed(together, "x", num(1), slack).epsilon.is_infinite
    # In numbers it is amplified.
    best = certified(steps(sample, "x", 1, {}), F(1, 40))
    assert best.epsilon < whole.epsilon.upper({}) / 2
