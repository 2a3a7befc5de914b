"""Chains and releases of the library that were once wrong: put back, each fails here."""

from __future__ import annotations

import traceback
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import metricdp as front
import metricdp.opendp as dp
from metricdp.errors import BudgetError, InternalError, MetricdpError, ParameterError, SpaceError
from metricdp.expr import num
from metricdp.maps import Allowance, Filter, Measurement, Odometer, Transformation, make
from metricdp.maps.composition import compose
from metricdp.maps.interactive import FullyAdaptive, adaptive
from metricdp.maps.selection import best_of, first_above
from metricdp.opendp.objects import Transformation as Named
from metricdp.spaces import Records, Scalar, Vector
from metricdp.spaces.directions import OneDirection

SECRET = 31337.25
ROWS = Records(Scalar("Data", num(0), num(1), "float"))
#: Sums of these differ by 3.7, and their doubles by 4.
FAR, NEAR = [-3.5, 1e16, 0.0, 1e16, -3.5], [0.1, 1e16, 0.1, 1e16, -3.5]
TOTAL = make("sum", Vector("Real", "L1"))


class Seen(list[Any]):
    """Post-processing stand-in that is no mechanism: it keeps what a query read."""


def kept(found: Seen, enters: bool = True) -> Measurement:
    """A measurement on sums that shows what it is given."""
    noise = make("laplace", Scalar("Real"), scale=1)

    def peek(value: Any) -> tuple[int, int]:
        found.append(value)
        return (1, 1)

    enter = noise.enter if enters else None
    return Measurement(Scalar("Real"), peek, tree=noise.tree, enter=enter)


def moved(run: Any) -> Fraction:
    """How far the sums are apart that a query reads."""
    found = Seen()
    run(kept(found), FAR)
    run(kept(found), NEAR)
    return abs(Fraction(found[0]) - Fraction(found[-1]))


@pytest.mark.parametrize(
    "run",
    [
        lambda m, data: (TOTAL >> m)(data),
        lambda m, data: (TOTAL >> compose([m, m]))(data),
        lambda m, data: (TOTAL >> compose([m, kept(Seen(), enters=False)]))(data),
        lambda m, data: (TOTAL >> best_of(m, 1))(data),
        lambda m, data: (TOTAL >> first_above(m, 1, 0))(data),
        lambda m, data: (TOTAL >> adaptive(Scalar("Real"), "pure", 1, [1]))(data)(m),
        lambda m, data: (TOTAL >> FullyAdaptive(Scalar("Real"), "pure"))(data)(m),
        lambda m, data: (TOTAL >> FullyAdaptive(Scalar("Real"), "pure").filtered(1, 1))(data)(m),
        lambda m, data: (TOTAL >> FullyAdaptive(Scalar("Real"), "pure")).filtered(1, 1)(data)(m),
    ],
)
def test_nothing_is_rounded_between_a_rule_and_a_mechanism(run: Any) -> None:
    """Doubles of sums at distance 3.7 are 4 apart: an interactive release read the doubles."""
    assert moved(run) == sum(abs(Fraction(a) - Fraction(b)) for a, b in zip(FAR, NEAR, strict=True))


def test_rounding_before_a_function_by_hand_is_told() -> None:
    def plain(value: float) -> float:
        return value

    chain = TOTAL >> Transformation(Scalar("Real"), Scalar("Real"), plain, "d_in")
    assert abs(chain(FAR) - chain(NEAR)) > chain.map(Fraction(37, 10))
    assert "real-arithmetic idealisation" in {r.kind for r in chain.rests_on}
    counts = make("count", ROWS)
    whole = counts >> Transformation(Scalar("Int"), Scalar("Int"), plain, "d_in")
    assert {r.kind for r in whole.rests_on} == {"proved rule", "user's assumption"}


def test_functions_given_to_rules_are_assumptions() -> None:
    """`filter` with a function of the user was called proved."""
    kept_rows = make("filter", ROWS, predicate=lambda x: x > 0.5)
    assert kept_rows.trust == "asserted"
    assert make("sum", ROWS).trust == "proved"


def test_none_where_a_function_is_needed_is_refused() -> None:
    """With it a run failed unless the table was empty."""
    with pytest.raises(ParameterError, match="`predicate` is a NoneType, which is no function"):
        make("filter", ROWS, predicate=None)


def test_a_failing_function_shows_no_row() -> None:
    def tells(x: Any) -> bool:
        raise ValueError(f"secret {x}")

    rows = Records(Scalar("Data", kind="float"))
    for chain in (
        make("filter", rows, predicate=tells),
        Measurement(rows, tells, {"pure": "d_in"}),
        Transformation(rows, rows, tells, "d_in"),
    ):
        with pytest.raises(InternalError) as caught:
            chain([SECRET])
        assert "31337" not in shown(caught.value)


@pytest.mark.parametrize("data", [[SECRET, None], [[SECRET]], [str(SECRET)], {SECRET}])
def test_no_frame_of_a_refusal_shows_data(data: Any) -> None:
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
    total = dp.t.make_clamp(*space, (0.0, 1.0)) >> dp.t.then_sum()
    noisy = total >> dp.m.then_laplace(scale=1.0)
    for call in (total, noisy, noisy.core, total.invoke):
        with pytest.raises(MetricdpError) as caught:
            call(data)
        assert "31337" not in shown(caught.value)


def shown(error: BaseException) -> str:
    """The message, and the locals of every frame of metricdp."""
    lines = traceback.TracebackException.from_exception(error, capture_locals=True).format()
    own, keep = [], False
    for line in lines:
        keep = "/metricdp/" in line
        own += [line] if keep else []
    return f"{error} {error!r} {''.join(own)}"


class Text(str):
    """A text that tells of itself."""

    def __str__(self) -> str:
        return self

    def __hash__(self) -> int:
        raise ValueError("secret")

    def __eq__(self, other: object) -> bool:
        raise ValueError("secret")

    def __lt__(self, other: object) -> bool:
        raise ValueError("secret")


class Number(float):
    """A number that tells of itself."""

    def __float__(self) -> float:
        raise ValueError("secret")


def test_rows_do_not_run_code_of_their_own() -> None:
    texts = Records(Scalar("Data", kind="str"))
    assert make("count_distinct", texts)([Text("a"), Text("a"), "b"]) == 2
    assert make("count_by", texts)([Text("a"), "b"]) == {"a": 1, "b": 1}
    assert make("is_equal", texts, value="a")([Text("a")]) == [True]
    assert make("sum", ROWS)([Number(0.5), 0.25]) == 0.75


def test_a_cost_for_scores_that_move_together_needs_a_space_that_says_so() -> None:
    """`monotone=True` halved the cost on plain vectors."""
    scores = Vector("Int", "LInf", num(2))
    for name, more in (("permute_and_flip", {}), ("top_k", {"k": 1})):
        chosen = make(name, scores, scale=1, monotone=True, **more)
        assert isinstance(chosen.input_space, OneDirection)
        with pytest.raises(SpaceError):
            make("neg", scores) >> chosen
        assert make(name, scores, scale=1, **more).map(1) == 2


def test_statements_are_no_maps() -> None:
    """`loop` without a body was an identity that was called proved."""
    with pytest.raises(ParameterError):
        make("loop", Scalar("Real"), captured=0, count=3, growth=1)


def test_a_result_must_lie_in_the_domain_that_is_named() -> None:
    core = make("sum", ROWS)
    rows = dp.vector_domain(dp.atom_domain((0.0, 1.0), nan=False)), dp.symmetric_distance()
    wrong = dp.atom_domain(bounds=(0.0, 1.0), nan=False)
    with pytest.raises(InternalError):
        Named(*rows, wrong, dp.absolute_distance(float), core)
    with pytest.raises(SpaceError):
        dp.t.make_lipschitz_float_mul(
            dp.atom_domain(T=bool), dp.discrete_distance(), 2.0, (0.0, 1.0)
        )


def test_distances_beyond_the_doubles() -> None:
    total = dp.t.make_sum(
        dp.vector_domain(dp.atom_domain((0.0, 1e308), nan=False)), dp.symmetric_distance()
    )
    assert total.map(2) == float("inf")


def test_a_budget_in_epsilon_is_no_budget_in_rho() -> None:
    with pytest.raises(ParameterError):
        Filter(Odometer(ROWS, "zcdp"), 1, Allowance.of("pure", 1))


def session(**more: Any) -> Any:
    data = {"x": (front.Records[float], [SECRET, 2.0, 3.0])}
    return front.Session(data, **{"budget": front.Budget(epsilon=1), **more})


@pytest.mark.parametrize("unit", [0, {"x": 0}, 0.5, {"x": Fraction(3, 2)}])
def test_a_unit_that_moves_nothing_is_refused(unit: Any) -> None:
    """With `unit=0` every release was free, and with half a row it cost half."""
    with pytest.raises(ParameterError):
        session(unit=unit)


def test_budgets_are_numbers() -> None:
    assert front.Budget(epsilon=np.float64(0.1)).epsilon == Fraction(1, 10)
    with pytest.raises(ParameterError):
        front.Budget(epsilon=True)
    opened = session()
    clamped = front.clamp(opened["x"], 0, 1)
    front.laplace(front.sum(clamped), epsilon=np.float64(0.1))
    assert opened.left() == {"epsilon": Fraction(9, 10)}
    with pytest.raises(BudgetError):
        front.laplace(front.sum(clamped), epsilon=np.float64(0.95))


def test_queries_are_about_the_data_that_were_given() -> None:
    """Columns read the caller's array late: it could be changed between two queries."""
    data = np.array([0.5, 0.5])
    total = make("sum", ROWS)
    noisy = total >> make("laplace", total.output_space, scale=Fraction(1, 10**9))
    answers = (
        FullyAdaptive(ROWS, "pure")(data),
        adaptive(ROWS, "pure", 1, [10**9])(data),
        FullyAdaptive(ROWS, "pure").filtered(1, 10**9)(data),
    )
    data[:] = 1.0
    for queries in answers:
        assert abs(queries(noisy) - 1) < 1e-6
