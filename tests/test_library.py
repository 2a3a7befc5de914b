"""Constructors: a record at a space as a map; chains, explanations, inverses, pickles, refusals."""

from __future__ import annotations

import pickle
from decimal import Decimal
from fractions import Fraction
from math import inf
from typing import Any

import pytest

from metricdp.errors import MetricdpError, ParameterError, SpaceError
from metricdp.expr import num
from metricdp.maps import Measurement, Transformation, make
from metricdp.maps.search import binary_search, closed_form, exponential_bounds
from metricdp.run.emit import Seeded, handling
from metricdp.spaces import Records, Scalar, Vector

ROWS = Records(Scalar("Data", kind="float"))


def total() -> Transformation:
    clamped = make("clamp", ROWS, lower=0, upper=20)
    chain: Transformation = clamped >> make("sum", clamped.output_space)
    return chain


def noisy(scale: float = 40) -> Measurement:
    chain = total()
    item: Measurement = chain >> make("laplace", chain.output_space, scale=scale)
    return item


def test_a_chain_has_the_map_of_its_records_and_their_values() -> None:
    chain = total()
    assert str(chain.stability) == "20*d_in" and chain.map(3) == 60
    assert chain([1, 2.5, 30, float("nan"), -4]) == 23.5
    assert chain.trust == "proved" and len(chain.steps) == 2


def test_a_measurement_keeps_its_tree_and_reads_every_measure() -> None:
    item = noisy()
    assert item.map(1) == Fraction(1, 2) and set(item.privacy) == {"pure", "zcdp", "approx"}
    rho = item.map(2, "zcdp")
    assert not isinstance(rho, tuple) and rho <= Fraction(1, 2)
    best = item.epsilon(Fraction(1, 10**6), d_in=2)
    assert best.epsilon <= 1
    with handling(Seeded(7)):
        first = item([1.0, 2.0])
    with handling(Seeded(7)):
        assert item([1.0, 2.0]) == first


def test_every_step_explains_itself() -> None:
    shown = str(noisy().explain(2))
    assert shown.splitlines()[0].split()[:4] == ["clamp(lower=0,", "upper=20)", "2", "->"]
    assert "20*d_in" in shown and "40 -> pure 1" in shown
    assert ">clamp(lower=0, upper=20)</td>" in noisy().explain(1)._repr_html_()


def test_inverses_are_exact_where_the_map_is_linear() -> None:
    assert total().inverse(50) == Fraction(5, 2)
    assert noisy().inverse(1) == 2
    sized = make("mean", Records(Scalar("Data", num(0), num(1), "float"), "ChangeOne", num(3)))
    assert sized.inverse(Fraction(1)) == 3
    capped = Transformation(Scalar("Real"), Scalar("Real"), abs, "Min(d_in, 5)")
    assert capped.inverse(5) == inf and capped.inverse(4) == 4
    stepped = Transformation(Scalar("Real"), Scalar("Real"), round, "floor(d_in) + 1")
    assert 2 - Fraction(1, 2**50) < stepped.inverse(2) < 2


def test_maps_pickle_and_compare() -> None:
    for item in (total(), noisy(), noisy() >> abs):
        again = pickle.loads(pickle.dumps(item))
        assert again == item and again.map(3) == item.map(3) and again.name == item.name
    assert noisy() != noisy(41) and total() != noisy()


def test_rules_and_maps_by_hand_meet_in_one_chain() -> None:
    def doubled(x: float) -> float:
        assert type(x) is float
        return 2 * x

    chain = total() >> Transformation(Scalar("Real"), Scalar("Real"), doubled, 2)
    assert chain([1.0, 2.0]) == 6 and chain.map(1) == 40 and chain.trust == "asserted"
    assert any("written by hand" in str(r) for r in chain.rests_on)
    back = chain >> make("floor", chain.output_space)
    assert back([1.0, 2.25]) == 6


def test_a_mechanism_pays_for_the_norm_it_needs() -> None:
    three = Vector("Real", "LInf", num(3))
    assert make("laplace", three, scale=2).map(1) == Fraction(3, 2)
    gauss = make("gaussian", three, scale=1)
    assert gauss.map(1) == Fraction(3, 2)
    with pytest.raises(SpaceError, match="L1"):
        make("laplace", Vector("Real", "LInf"), scale=2)


@pytest.mark.parametrize(
    ("name", "space", "public", "error", "words"),
    [
        ("clampp", ROWS, {}, ParameterError, "did you mean `clamp`"),
        ("clamp", ROWS, {"lower": 0}, ParameterError, "needs `upper`"),
        ("clamp", ROWS, {"lower": 3, "upper": 1}, ParameterError, "swap them"),
        ("clamp", ROWS, {"lower": 0, "upper": inf}, ParameterError, "finite"),
        ("clamp", ROWS, {"lower": 0, "upper": 1, "by": 2}, ParameterError, "`by`"),
        ("sum", ROWS, {}, SpaceError, "any amount"),
        ("laplace", Scalar("Real"), {"scale": 0}, ParameterError, "scale"),
        ("laplace", Scalar("Real"), {"scale": -1.0}, ParameterError, "scale"),
        ("laplace", ROWS, {"scale": 1.0}, SpaceError, "real"),
        ("laplace", Scalar("Real"), {"epsilon": 1}, ParameterError, "give `scale`"),
    ],
)
def test_refusals_name_the_fact_and_the_edit(
    name: str, space: object, public: dict[str, object], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        make(name, space, **public)  # type: ignore[arg-type]


def test_searches_find_the_last_double() -> None:
    assert binary_search(lambda x: x >= 3.3) == (3.3, 1)
    assert binary_search(lambda x: x <= -3.3) == (-3.3, -1)
    assert binary_search(lambda x: x >= 7, (0, 100)) == (7, 1)
    assert binary_search(lambda x: x > 0, (0.0, 1.0)) == (5e-324, 1)
    with pytest.raises(ParameterError, match="everywhere"):
        binary_search(lambda x: True)
    assert exponential_bounds(lambda x: x > 10**30, int) is None
    assert closed_form(lambda s: Fraction(6) / Fraction(s), Fraction(3)) == 2.0
    assert closed_form(lambda s: Fraction(6) / (1 + Fraction(s)), Fraction(3)) is None


@pytest.mark.parametrize("value", [None, 1j, b"x", object(), {1}, Decimal("NaN")])
def test_what_is_no_number_is_refused_by_name(value: Any) -> None:
    """When the map is made, not when data are met."""
    rows = Records(Scalar("Data", kind="float"))
    with pytest.raises(ParameterError, match="`lower` is") as caught:
        make("clamp", rows, lower=value, upper=20)
    assert caught.value.remedy
    with pytest.raises(MetricdpError):
        make("clip", Vector("Data", "LInf", num(3)), norm=value, radius=1)


def test_decimals_are_exact() -> None:
    rows = Records(Scalar("Data", kind="float"))
    clamped = make("clamp", rows, lower=0, upper=Decimal("0.1"))
    assert make("sum", clamped.output_space).map(1) == Fraction(1, 10)
