"""Composition of many maps: exact sums, one common space, maps that are sums and nothing else."""

from __future__ import annotations

import pickle
from fractions import Fraction
from math import inf
from random import Random

import pytest

from metricdp.errors import ParameterError, SpaceError
from metricdp.expr import num, parse
from metricdp.laws.discrete import DiscreteLaplaceLaw
from metricdp.laws.divergence import max_divergence
from metricdp.laws.mixture import ProductLaw
from metricdp.maps import DistanceMap, Measurement, Transformation, make
from metricdp.maps.composition import compose
from metricdp.maps.sums import ExactSum, ExprSum, SumMap
from metricdp.spaces import Scalar

REAL, INT = Scalar("Real"), Scalar("Int")


def test_sums_are_exact_while_denominators_fit_and_above_beyond() -> None:
    random = Random(5)
    few, many = ExactSum(), ExactSum()
    some = [Fraction(i, 500500) for i in range(1, 1001)]
    wild = [Fraction(random.random()) / Fraction(random.random()) for _ in range(300)]
    for value in some:
        few.add(value)
    assert few.value == sum(some) == 1
    for value in wild:
        many.add(value)
        assert many.value >= 0
    excess = many.value - sum(wild)
    assert 0 <= excess <= Fraction(300, 1 << 256) and excess > 0
    many.add(inf)
    assert many.value == inf


def test_coefficients_of_what_may_be_negative_are_never_rounded() -> None:
    total, parts = ExprSum(), []
    for i in range(200):
        parts.append(parse("log(d_in + 1/2)") * num(Fraction(1, 2**53 + 2 * i + 1)))
        total.add(parts[-1])
    exact = sum((Fraction(1, 2**53 + 2 * i + 1) for i in range(200)), Fraction(0))
    assert total.expr() == parse("log(d_in + 1/2)") * num(exact)


def test_a_sum_of_maps_is_the_sum_at_every_distance() -> None:
    parts = [DistanceMap(t) for t in ("d_in/3", "d_in**2/7", "tanh(d_in)", "Min(d_in, 2)")]
    parts.append(DistanceMap(lambda d: 2 * d if d < 5 else inf))
    whole = SumMap(parts)
    for d in (0, Fraction(1, 3), 1, 4):
        assert 0 <= whole(d) - sum(part(d) for part in parts) < Fraction(1, 1 << 40)
    assert whole(6) == inf and whole.expr is None and SumMap(parts[:4]).expr is not None
    assert SumMap(parts[:2]) == DistanceMap("d_in/3 + d_in**2/7")
    assert SumMap(parts[:2]).inverse(Fraction(10, 21)) > Fraction(99, 100)


def test_composition_is_tight_for_the_product_of_the_laws() -> None:
    parts = [make("discrete_laplace", INT, scale=s) for s in (2, 3, 7)]
    whole = compose(parts)

    def law(x: int) -> ProductLaw:
        return ProductLaw(tuple(DiscreteLaplaceLaw(x, Fraction(s)) for s in (2, 3, 7)))

    attained = max_divergence(law(0), law(1))
    assert not isinstance(attained, float)
    assert attained[0] == attained[1] == whole.map(1) == Fraction(41, 42)
    assert len(whole(5)) == 3 and whole.epsilon(Fraction(1, 100)).epsilon < Fraction(41, 42)


def test_ten_tenths_are_one() -> None:
    tenth = make("laplace", REAL, scale=10)
    whole = compose([tenth] * 10)
    assert whole.map(1) == 1 and whole.check(1, 1) and not whole.check(1, 0.9999999)
    assert whole.map(1, "approx") == (1, 0) and str(whole.privacy["pure"][0]) == "d_in"
    again = pickle.loads(pickle.dumps(whole))
    assert again.map(3) == 3 and all(again.map(2, m) == whole.map(2, m) for m in whole.privacy)


def test_measures_of_a_composition_are_those_that_all_parts_have_or_imply() -> None:
    pure = Measurement(REAL, str, {"pure": "d_in"})
    rho = make("gaussian", REAL, scale=1)
    both = compose([pure, rho])
    # tanh(1/2) = 0.4621...
    assert list(both.privacy) == ["zcdp"] and 0.962 < both.map(1) < 0.963  # type: ignore[operator]
    pair = Measurement(REAL, str, {"approx": ("d_in", "d_in/1000")})
    assert compose([pure, pair]).map(1) == (2, Fraction(1, 1000))
    with pytest.raises(ParameterError, match="fix_delta"):
        compose([rho, pair])


def test_refusals() -> None:
    one = make("laplace", REAL, scale=1)
    with pytest.raises(ParameterError, match="nothing to compose"):
        compose([])
    with pytest.raises(ParameterError, match="int is no measurement"):
        compose([one, 3])  # type: ignore[list-item]
    with pytest.raises(SpaceError, match="one domain and metric"):
        compose([one, make("discrete_laplace", INT, scale=1)])


def test_a_stable_map_before_a_composition_moves_every_part() -> None:
    two = compose([make("laplace", REAL, scale=1), make("laplace", REAL, scale=2)])
    chain = Transformation(REAL, REAL, lambda x: 3 * x, 3) >> two
    assert chain.map(1) == Fraction(9, 2) and len(chain(1.0)) == 2
