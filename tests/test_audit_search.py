"""The attack: wrong maps are refuted by a small exact pair, right ones survive, in time."""

from __future__ import annotations

import time
from fractions import Fraction
from math import sqrt
from typing import Any

import pytest

from metricdp.audit import Refuted, Survived, attack
from metricdp.expr import INF, num
from metricdp.maps import Transformation
from metricdp.spaces import Matrix, Records, Scalar, Space, Vector

REAL = Scalar("Real")
INT = Scalar("Int")
PAY = Records(Scalar("Data", num(-300), num(200), "float"))


def made(space: Space, function: Any, claim: Any, output: Space = REAL) -> Transformation:
    return Transformation(space, output, function, claim, "f")


WRONG = {
    "upper end for the larger end": made(PAY, sum, "200*d_in"),
    "negative factor": made(REAL, lambda x: -3 * x, "2*d_in"),
    "constant": made(REAL, lambda x: 5 * x, "5"),
    "root": made(PAY, sum, "300*sqrt(d_in)"),
    "order of a multiset": made(PAY, lambda x: x[0] if x else 0, "500*d_in"),
    "round half to even": made(REAL, round, "ceiling(d_in)"),
    "jump": made(REAL, lambda x: x > 1, "d_in", Scalar("Bool")),
    "clip_1 in L1": made(
        Vector("Real", "L1", num(2)),
        lambda v: [x / max(1, sum(map(abs, v))) for x in v],
        "d_in",
        Vector("Real", "L1", num(2)),
    ),
    "L2 sum": made(Vector("Real", "L2", num(4)), sum, "d_in"),
    "argmax": made(Vector("Int", "L1", num(3)), lambda v: v.index(max(v)), "d_in", Scalar("Int")),
    "rows": made(Matrix("Real", "LInf", num(2), num(3)), lambda m: sum(map(sum, m)), "2*d_in"),
    "python map": made(PAY, sum, lambda d: 299 * d),
    "mod": made(INT, lambda x: x % 7, "d_in", INT),
}
RIGHT = {
    "sum": made(PAY, sum, "300*d_in"),
    "clamp": made(REAL, lambda x: min(max(x, 0), 1), "Min(d_in, 1)"),
    "round": made(REAL, round, "floor(d_in) + 1"),
    "L2 sum": made(Vector("Real", "L2", num(4)), sum, "2*d_in"),
    "infinite": made(REAL, lambda x: x * x, "oo"),
    "mod": made(INT, lambda x: x % 7, "6*d_in", INT),
    "floats": made(REAL, lambda x: float(x) / 3, "d_in/3"),
    "numpy": made(
        # In bounds, for beyond them the largest doubles overflow.
        Vector("Real", "L1", num(3), num(-(10**9)), num(10**9)),
        lambda v: sqrt(2) * float(sum(v)),
        lambda d: 1.4142135624 * d,
    ),
    "python map": made(PAY, sum, lambda d: 300 * d),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_wrong_maps_are_refuted_by_few_pairs(name: str, seed: int) -> None:
    item = WRONG[name]
    result = attack(item, seed=seed, pairs=5000, seconds=60)
    assert isinstance(result, Refuted)
    assert result.tried <= 2000
    # The pair is what the result says: recomputed here with the space's own exact distances.
    x, y = result.x["x"], result.x2["x"]
    assert item.input_space.contains(x) and item.input_space.contains(y)
    assert item.input_space.distance(x, y) == result.d_in["x"]
    assert item.output_space.distance(item(x), item(y)) == result.moved
    assert result.moved is not None
    assert float(result.moved.lower({})) > float(result.claimed.lower({})) * (1 - 1e-9)


@pytest.mark.parametrize("name", RIGHT)
def test_right_maps_survive(name: str) -> None:
    result = attack(RIGHT[name], pairs=1500, seconds=60)
    assert isinstance(result, Survived), str(result)
    assert result.pairs == 1500


def test_the_smallest_pair_is_shown() -> None:
    result = attack(WRONG["upper end for the larger end"], pairs=5000, seconds=60)
    assert isinstance(result, Refuted)
    assert sorted((len(result.x["x"]), len(result.x2["x"]))) == [0, 1]
    text = str(result)
    assert "error[claim-refuted]: `f` moves further than 200*d_in" in text
    assert "x  = " in text and "x' = " in text and "d(x, x') = 1" in text
    assert "claimed at most 200" in text and "seed 0" in text


def test_the_same_seed_tries_the_same_pairs() -> None:
    item = WRONG["jump"]
    assert attack(item, seed=3, seconds=60) == attack(item, seed=3, seconds=60)


def test_a_function_that_raises_is_refuted() -> None:
    result = attack(made(PAY, lambda x: 1 / len(x), "d_in"))
    assert isinstance(result, Refuted) and "raises ZeroDivisionError" in str(result)
    assert [] in (result.x["x"], result.x2["x"])


def test_a_function_that_leaves_its_space_is_refuted() -> None:
    result = attack(made(REAL, lambda x: 2 * x, "2*d_in", Scalar("Real", num(-1), num(1))))
    assert isinstance(result, Refuted) and "leaves its output space" in str(result)


def test_pairs_of_the_caller_come_first() -> None:
    # Only one hidden pair breaks this claim; random search would hardly meet it.
    secret = Fraction(987654321, 1000)
    item = made(REAL, lambda x: 5 if x == secret else 0, "0")
    assert isinstance(attack(item, pairs=300, seconds=60), Survived)
    found = attack(item, pairs=300, tries=((secret, secret + 1),))
    assert isinstance(found, Refuted) and found.tried == 1


def test_time_is_bounded() -> None:
    def slow(x: Any) -> Any:
        time.sleep(0.01)
        return x

    result = attack(made(REAL, slow, "d_in"), pairs=10**6, seconds=0.5)
    assert isinstance(result, Survived) and 0 < result.pairs < 200


def test_infinite_claims_are_never_beaten() -> None:
    assert isinstance(attack(made(REAL, lambda x: 10**9 * x, INF), pairs=200, seconds=60), Survived)
