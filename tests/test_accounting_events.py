"""Events of accounting: relations that have a theorem, movements, and bad input."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import inf, nan
from typing import Any

import pytest
from grouped import at_each

from metricdp.accounting.losses.atomic import ResponseLoss
from metricdp.accounting.losses.discrete_laplace import DiscreteLaplaceLoss
from metricdp.accounting.losses.gaussian import GaussianLoss
from metricdp.errors import ParameterError
from metricdp.measures import (
    ZCDP,
    Approximate,
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Finite,
    Gaussian,
    Group,
    Laplace,
    NoisyMax,
    PermuteAndFlip,
    Poisson,
    Pure,
    RandomizedResponse,
    Renyi,
    Repeated,
    Selection,
    SparseVector,
    TruncatedPoisson,
    WithoutReplacement,
    WithReplacement,
    account,
)
from metricdp.measures.accounted import UNIT, Case, RelationError, relation
from metricdp.measures.sampled import binomial_above
from metricdp.measures.text import NAMES, parsed, spelled

BOTH = {"add", "remove", "add or remove", "zero out"}
ALL = {*BOTH, "replace"}
HALF = Fraction(1, 2)

#: Every event, and the relations under which it has a theorem.
SUPPORT: list[tuple[Any, set[str]]] = [
    (Gaussian(2), ALL),
    (Laplace(2), ALL),
    (DiscreteGaussian(2), ALL),
    (DiscreteLaplace(2), ALL),
    (Pure(1), ALL),
    (Pure(1, per="replace"), {"replace"}),
    (PermuteAndFlip(1), ALL),
    (NoisyMax(1), ALL),
    (SparseVector(1), ALL),
    (Approximate(1, "1e-9"), ALL),
    (ExponentialMechanism(1), ALL),
    (ZCDP("0.1"), ALL),
    (ZCDP("0.1", per="replace"), {"replace"}),
    (Renyi({2: "0.1", 8: "0.5"}), ALL),
    (RandomizedResponse(1, 3), {"replace"}),
    (Finite(["1/4", "3/4"], ["3/4", "1/4"], "replace"), {"replace"}),
    (Finite(["1/2", "1/2"], ["1/4", "3/4"], "add or remove"), {"add", "remove", "add or remove"}),
    (Finite(["1/2", "1/2"], ["1/4", "3/4"], "zero out"), {"zero out"}),
    (Poisson("0.1", Gaussian(2)), ALL),
    (Poisson("0.1", Pure(1)), ALL),
    (Poisson("0.1", Laplace(2)), ALL),
    (Poisson("0.1", Approximate(1, "1e-9")), BOTH),
    (Poisson("0.1", RandomizedResponse(1)), set()),
    (WithoutReplacement(5, 50, Gaussian(2)), {"replace", "zero out"}),
    (WithoutReplacement(5, 50, RandomizedResponse(1)), {"replace"}),
    (WithReplacement(5, 50, Gaussian(2)), {"replace", "zero out"}),
    (TruncatedPoisson("0.1", 20, 50, Gaussian(2)), ALL),
    (Group(Gaussian(2), 3), ALL),
    (Group(Poisson("0.1", Gaussian(2)), 3), ALL),
    (Group(Poisson("0.1", Approximate(1, "1e-9")), 3), set()),
    (Group(WithoutReplacement(5, 50, Gaussian(2)), 3), {"replace", "zero out"}),
    (Group(WithReplacement(5, 50, Gaussian(2)), 3), {"replace", "zero out"}),
    (Group(WithoutReplacement(5, 50, Pure(2)), 3), set()),
    (Selection(Pure(1), "0.1"), ALL),
    (Repeated(Poisson("0.1", Gaussian(2)), 3), ALL),
    (Composed([Gaussian(2), RandomizedResponse(1)]), {"replace"}),
]


@at_each(product(SUPPORT, sorted(ALL)), lambda case: f"{spelled(case[0][0])} under {case[1]}")
def test_every_event_under_every_relation(case: tuple[tuple[Any, set[str]], str]) -> None:
    (event, known), name = case
    if name in known:
        assert account(event, name).unit == UNIT[relation(name)]
    else:
        with pytest.raises(RelationError, match="no theorem") as refused:
            account(event, name)
        assert refused.value.remedy and refused.value.place


def test_every_named_event_is_in_the_matrix() -> None:
    seen = {type(event) for event, _ in SUPPORT} | {Repeated, Composed}
    assert set(NAMES.values()) <= seen


def test_relations_are_spelled_as_people_do_and_have_no_default() -> None:
    assert relation("Add-or-Remove") == relation("add_or_remove") == "add or remove"
    # The keyword that every help line spells.
    assert account(Gaussian(1), relation="replace") == account(Gaussian(1), "replace")
    for wrong in ("swap", "", None):
        with pytest.raises(ParameterError, match="no neighbouring relation"):
            account(Gaussian(1), wrong)
    with pytest.raises(TypeError):
        account(Gaussian(1))  # type: ignore[call-arg]


def test_a_replaced_row_moves_twice_unless_the_event_says_otherwise() -> None:
    def ratio(event: Gaussian, kind: Any, units: int = 1) -> Fraction:
        (pair,) = event.pieces(Case(kind, True, units)).upper or ()
        assert isinstance(pair[0], GaussianLoss)
        return pair[0].ratio

    for kind in ("add or remove", "zero out"):
        assert ratio(Gaussian(4), kind) == Fraction(1, 4)
    assert ratio(Gaussian(4), "replace") == HALF
    assert ratio(Gaussian(4, replaced=1), "replace") == Fraction(1, 4)
    assert ratio(Gaussian(4), "replace", 3) == Fraction(6, 4)
    assert ratio(Group(Gaussian(4), 3), "add or remove") == Fraction(3, 4)  # type: ignore[arg-type]


def test_whole_numbers_move_by_whole_numbers() -> None:
    assert DiscreteLaplace(2, replaced="1.5").pieces(Case("replace")).upper == (
        (DiscreteLaplaceLoss(Fraction(2), 1), 1),
    )
    assert DiscreteGaussian(2, replaced="0.5").pieces(Case("replace")).upper == ()


def test_a_path_of_pure_steps_is_discrete_laplace() -> None:
    one = Pure(HALF).pieces(Case("add or remove"))
    assert one.upper == one.lower == ((ResponseLoss(HALF), 1),)
    two = Pure(HALF).pieces(Case("replace"))
    assert two.upper == two.lower == ((DiscreteLaplaceLoss(Fraction(2), 2), 1),)


BAD = [
    lambda: Gaussian(0),
    lambda: Gaussian(-1),
    lambda: Gaussian(nan),
    lambda: Gaussian(inf),
    lambda: Gaussian("one"),
    lambda: Gaussian(True),
    lambda: Gaussian(None),
    lambda: Gaussian(1, replaced=3),
    lambda: Gaussian(1, replaced=0),
    lambda: Laplace(-inf),
    lambda: DiscreteLaplace(0),
    lambda: DiscreteGaussian(nan),
    lambda: Pure(-1),
    lambda: Pure(nan),
    lambda: Pure(1, per="person"),
    lambda: Approximate(1, 1),
    lambda: Approximate(1, -0.1),
    lambda: Approximate(1, nan),
    lambda: RandomizedResponse(1, 1),
    lambda: RandomizedResponse(1, 2.5),
    lambda: ZCDP(-1),
    lambda: Renyi({}),
    lambda: Renyi({1: 0.5}),
    lambda: Renyi({2: -0.5}),
    lambda: Renyi([0.5]),
    lambda: Poisson(-0.1, Gaussian(1)),
    lambda: Poisson(1.1, Gaussian(1)),
    lambda: Poisson(nan, Gaussian(1)),
    lambda: Poisson(0.1, "gaussian"),
    lambda: WithoutReplacement(11, 10, Gaussian(1)),
    lambda: WithoutReplacement(1, 0, Gaussian(1)),
    lambda: WithReplacement(-1, 10, Gaussian(1)),
    lambda: TruncatedPoisson(0.1, -1, 10, Gaussian(1)),
    lambda: Repeated(Gaussian(1), inf),
    lambda: Repeated(Gaussian(1), -1),
    lambda: Repeated(Gaussian(1), 1.5),
    lambda: Repeated(Gaussian(1), "many"),
    lambda: Group(Gaussian(1), 0),
    lambda: Selection(Pure(1), 0),
    lambda: Selection(Pure(1), 0.5, shape=-1),
    lambda: Composed(Gaussian(1)),
    lambda: Composed([Gaussian(1), 2]),
    lambda: Finite([], [], "replace"),
    lambda: Finite([0.1, 0.9], [0.5, 0.5], "replace"),
    lambda: Finite(["1.5", "-0.5"], ["0.5", "0.5"], "replace"),
    lambda: Finite(["0.5", "0.5"], ["1"], "replace"),
    lambda: Finite(["0.5", "0.5"], ["0.5", "0.5"], "remove"),
    lambda: account(3, "replace"),
    lambda: account("gaussian(1)", "replace"),
    lambda: account(Approximate(5, 0.3), "replace"),
    lambda: account(Poisson(0.1, WithoutReplacement(1, 9, Gaussian(1))), "replace"),
]  # fmt: skip


@pytest.mark.parametrize("make", BAD)
def test_bad_parameters_are_refused_with_what_is_wrong(make: Any) -> None:
    with pytest.raises(ParameterError) as refused:
        make()
    assert refused.value.fact


@pytest.mark.parametrize("delta", [-1e-5, 1, 2, nan, inf, "x", None, True])
def test_bad_targets_are_refused(delta: Any) -> None:
    guarantee = account(Gaussian(1), "replace")
    with pytest.raises(ParameterError):
        guarantee.epsilon(delta)
    with pytest.raises(ParameterError):
        guarantee.delta(-1)
    with pytest.raises(ParameterError):
        guarantee.true_positive_rate(1.5)


def test_numbers_are_the_ones_that_were_typed() -> None:
    assert Gaussian(0.1).noise_multiplier == Fraction(0.1) != Fraction(1, 10)
    for spelled_out in ("0.1", Decimal("0.1"), Fraction(1, 10)):
        assert Gaussian(spelled_out).noise_multiplier == Fraction(1, 10)
    numpy = pytest.importorskip("numpy")
    assert Gaussian(numpy.float64(0.5)) == Gaussian(0.5) and Gaussian(numpy.int64(2)) == Gaussian(2)


def test_a_finite_pair_may_be_given_by_outcome() -> None:
    named = Finite({"a": "1/2", "b": "1/2"}, {"b": "1/3", "c": "2/3"}, "replace")
    assert named.first == (HALF, HALF, 0)
    assert named.second == (0, Fraction(1, 3), Fraction(2, 3))


def test_the_tail_of_a_binomial_is_bounded_from_above() -> None:
    from math import comb

    for rows, rate, most in product((7, 40), (Fraction(1, 10), Fraction(1, 3)), (0, 3, 6, 20, 39)):
        exact = sum(
            (comb(rows, k) * rate**k * (1 - rate) ** (rows - k) for k in range(most + 1, rows + 1)),
            Fraction(0),
        )
        found = binomial_above(rows, rate, most)
        assert exact <= found
        if most + 1 > rows * rate:
            assert found <= exact * (1 + Fraction(1, 10**18))


@pytest.mark.parametrize(
    "text",
    [
        "poisson(0.01, gaussian(1)) x 10000",
        "gaussian(20) x 30, exponential-mechanism(0.1) x 5",
        "(gaussian(1), laplace(2)) x 3",
        "without-replacement(100, 10000, gaussian(1, replaced=1))",
        "exponential-mechanism(0.1, adaptive=false)",
        "pure(1, per=replace)",
        "group(laplace(1/3), 4)",
    ],
)
def test_events_are_written_and_read(text: str) -> None:
    assert spelled(parsed(text)) == text
    assert parsed(spelled(parsed(text))) == parsed(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "gauss(1)", "gaussian", "gaussian(", "gaussian(1", "gaussian(1))", "gaussian(1) x",
        "gaussian(1) x y", "gaussian()", "gaussian(1, 2, 3)", "gaussian(1; 2)", "x 3", "3 x 3",
        "gaussian(noise)", "gaussian(1,,2)", "poisson(0.1)", "gaussian(replaced=1, 2)",
    ],
)  # fmt: skip
def test_text_that_is_no_event_is_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        parsed(text)
