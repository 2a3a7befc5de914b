"""Concrete maps: numbers out of stability maps, chains, and the errors when spaces differ."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import pytest

from metricdp.errors import ParameterError, SpaceError
from metricdp.expr import D, num, root
from metricdp.maps import Measurement, Transformation, make
from metricdp.spaces import Records, Scalar, Vector

REAL = Scalar("Real")
ROWS = Records(Scalar("Data", num(0), num(20), "float"))
THREE = Vector("Real", "L2", num(3))


def total(given: object = "20*d_in") -> Transformation:
    return Transformation(ROWS, REAL, sum, given, "total")  # type: ignore[arg-type]


@pytest.mark.parametrize("given", ["20*d_in", 20, Fraction(20), 20.0, 20 * D, lambda d: 20 * d])
def test_every_way_to_write_a_map(given: object) -> None:
    item = total(given)
    assert [item.map(d) for d in (0, 1, 2.5, Fraction(1, 3))] == [0, 20, 50, Fraction(20, 3)]
    assert item.check(2, 40) and not item.check(2, Fraction(399, 10))


def test_a_map_is_rounded_up_and_zero_at_zero() -> None:
    value = total(root(2) * D).map(1)
    assert isinstance(value, Fraction) and value**2 > 2 and value < Fraction("1.41421357")
    assert total(num(1)).map(0) == 0 and total(num(1)).map(7) == 1
    assert total("oo").map(0) == 0 and total("oo").map(1) == inf
    assert total().map(inf) == inf
    assert not total("oo").check(1, 10**9)


@pytest.mark.parametrize("bad", ["n*d_in", object(), None])
def test_what_is_no_map(bad: object) -> None:
    with pytest.raises(ParameterError):
        total(bad)


@pytest.mark.parametrize("d", [-1, float("nan"), "1", True])
def test_what_is_no_distance(d: object) -> None:
    with pytest.raises(ParameterError):
        total().map(d)  # type: ignore[arg-type]


def test_a_map_that_returns_no_distance() -> None:
    with pytest.raises(ParameterError, match="-1"):
        total(lambda d: -1).map(1)


def test_a_chain_composes_functions_and_maps() -> None:
    halved = Transformation(REAL, REAL, lambda x: x / 2, "d_in/2", "halved")
    chain = total() >> halved
    assert chain([1, 5]) == chain.invoke([1, 5]) == 3
    assert chain.map(3) == 30 and str(chain.stability) == "10*d_in"
    assert chain.name == "total >> halved" and chain.trust == "asserted"
    by_function = total() >> Transformation(REAL, REAL, abs, lambda d: d + 1, "loose")
    assert by_function.map(1) == 21


def test_trust_survives_only_if_both_are_proved() -> None:
    proved = make("abs", REAL)
    assert (proved >> proved).trust == "proved"
    assert (total() >> proved).trust == "asserted"


def test_tighter_bounds_fit_and_wider_ones_do_not() -> None:
    narrow = Scalar("Real", num(0), num(1))
    inside = Transformation(REAL, narrow, lambda x: min(max(x, 0), 1), 1, "inside")
    outside = Transformation(REAL, REAL, abs, 1, "outside")
    assert (inside >> outside).map(1) == 1
    with pytest.raises(SpaceError, match=r"dp\.clamp\(x, 0, 1\)"):
        outside >> Transformation(narrow, REAL, abs, 1)


@pytest.mark.parametrize(
    ("left", "right", "remedy"),
    [
        (THREE, Vector("Real", "L1", num(3)), "dp.norm_convert(x, L1)"),
        (Vector("Data", "L1", num(3)), Vector("Real", "L1", num(3)), "dp.undisc"),
        (THREE, Vector("Data", "L2", num(3)), "dp.discrete"),
        (THREE, REAL, "no conversion"),
        (THREE, Vector("Real", "L2", num(4)), "sizes"),
        (ROWS, Records(ROWS.row, "Hamming"), "Hamming"),
        (THREE, Vector("Real", "L2", num(3), radius=(("L2", num(1)),)), "dp.clip(x, L2, radius=1)"),
        (Records(Scalar("Data", kind="float")), ROWS, "dp.clamp(x, 0, 20)"),
    ],
)
def test_spaces_that_do_not_match_name_the_conversion(
    left: object, right: object, remedy: str
) -> None:
    first = Transformation(left, left, lambda x: x, 1, "f")  # type: ignore[arg-type]
    second = Transformation(right, REAL, lambda x: 0, 0, "g")  # type: ignore[arg-type]
    with pytest.raises(SpaceError) as raised:
        first >> second
    assert remedy in raised.value.remedy
    assert str(left) in str(raised.value) and str(right) in str(raised.value)


def test_a_plain_function_cannot_follow_a_transformation() -> None:
    with pytest.raises(SpaceError, match="no stability map"):
        total() >> abs
    with pytest.raises(TypeError):
        total() >> 3


def test_a_side_that_is_no_space() -> None:
    with pytest.raises(SpaceError, match="float is no metric space"):
        Transformation(float, REAL, abs, 1)  # type: ignore[arg-type]


def test_measurements_chain_and_post_process() -> None:
    noisy = Measurement(REAL, lambda x: x + 3, {"pure": "d_in/10"}, "noisy")
    chain = total() >> noisy
    assert isinstance(chain, Measurement)
    assert chain.map(1) == 2 and chain.check(2, 4) and not chain.check(2, 3)
    after = chain >> str
    assert after([1, 2]) == "6" and after.map(1) == 2 and after.name == "total >> noisy >> str"


def test_measures_are_read_one_at_a_time() -> None:
    both = Measurement(REAL, abs, {"approx": ("d_in", "d_in/100"), "zcdp": "d_in**2/2"})
    assert both.map(2) == (2, Fraction(1, 50)) and both.map(2, "zcdp") == 2
    assert both.check(1, (1, 0.01)) and not both.check(1, (1, 0.001))
    with pytest.raises(ParameterError, match="no pure map"):
        both.map(1, "pure")
    with pytest.raises(ParameterError, match="pair"):
        both.check(1, 1)
    for wrong in ({}, {"approx": "d_in"}, {"renyi": 1}):
        with pytest.raises(ParameterError):
            Measurement(REAL, abs, wrong)


def test_text_and_html() -> None:
    assert (
        repr(total()) == "Transformation total: Records[float] -> Real, d_out = 20*d_in (asserted)"
    )
    noisy = Measurement(REAL, abs, {"pure": "d_in"}, "<noisy>")
    assert repr(noisy) == "Measurement <noisy>: Real -> release, pure: d_in (asserted)"
    assert "&lt;noisy&gt;" in noisy._repr_html_() and "one record added" in total()._repr_html_()
