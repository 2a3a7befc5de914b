"""Dictionaries with private keys: what enters, how far apart they are, what fits what."""

from __future__ import annotations

import pytest

from metricdp.errors import MetricdpError, SchemaError
from metricdp.expr import ONE, num, root
from metricdp.maps import make
from metricdp.run.guards import admit
from metricdp.spaces import Keyed, Records, Scalar
from metricdp.spaces.joining import fits

WORD, COUNT = Scalar("Data", kind="str"), Scalar("Int", num(0))
PER = (num(2), num(2), ONE)


def test_data_that_enter_are_sorted_and_without_zeros() -> None:
    space = Keyed(WORD, COUNT)
    entered = admit("x", space, {"b": 2, "a": 3, "c": 0, "d": -4})
    assert list(entered.items()) == [("a", 3), ("b", 2)]
    assert space.contains(entered) and not space.contains({"c": 0})
    for wrong in ([("secret", 1)], {1: "secret"}, {"secret": "secret"}, None):
        with pytest.raises(SchemaError) as caught:
            admit("x", space, wrong)
        assert "secret" not in str(caught.value)


def test_a_triple_is_the_largest_of_three_shares() -> None:
    x, y = {"a": 3, "b": 1}, {"a": 1, "c": 1}
    for norm, expected in (("L0", num(3)), ("L1", num(4)), ("L2", root(num(6))), ("LInf", num(2))):
        assert Keyed(WORD, COUNT, norm).distance(x, y) == expected
    assert Keyed(WORD, COUNT, "L01Inf").distance(x, y) == num(4)
    assert Keyed(WORD, COUNT, "L02Inf").distance(x, y) == num(3)
    assert Keyed(WORD, COUNT, "L01Inf", PER).distance(x, y) == num(2)
    assert Keyed(WORD, COUNT, "L02Inf").distance({"a": 3}, {"b": 3}) == root(num(18))


def test_what_a_distance_says_about_other_norms() -> None:
    triple = Keyed(WORD, COUNT, "L01Inf", PER)
    shares = {norm: triple.share(norm) for norm in ("L0", "L1", "L2", "LInf")}
    assert shares == {"L0": num(2), "L1": num(2), "L2": root(num(2)), "LInf": ONE}
    assert Keyed(WORD, COUNT, "L1").share("L0") == ONE
    assert Keyed(WORD, Scalar("Real"), "L1").share("L0") is None
    assert Keyed(WORD, COUNT, "LInf").share("L1") is None
    assert Keyed(WORD, COUNT, "L02Inf").share("L1") is None


def test_only_dictionaries_of_one_kind_and_share_fit() -> None:
    triple = Keyed(WORD, COUNT, "L01Inf", PER)
    assert fits(triple, Keyed(WORD, Scalar("Int"), "L01Inf", PER))
    assert not fits(triple, Keyed(WORD, COUNT, "L01Inf"))
    assert not fits(triple, Keyed(WORD, COUNT, "L02Inf", PER))
    assert not fits(triple, Keyed(Scalar("Data", kind="int"), COUNT, "L01Inf", PER))
    assert not fits(Keyed(WORD, Scalar("Int"), "L1"), Keyed(WORD, COUNT, "L1"))


def test_the_map_of_counts_into_each_norm() -> None:
    from metricdp.maps import apply
    from metricdp.record import REGISTRY

    table = Records(WORD, "ChangeOne", num(5))
    assert make("count_by", table).map(2) == 2
    expected = {"L0": 4, "L1": 4, "LInf": 2}
    for norm, moved in expected.items():
        assert apply(REGISTRY["count_by"], table, {}, norm=norm).map(2) == moved
    with pytest.raises(MetricdpError):
        make("count_by", Scalar("Real"))


def test_counts_do_not_show_the_order_of_the_rows() -> None:
    counts = make("count_by", Records(Scalar("Data", kind="float")))
    assert list(counts([3.0, 1.5, 3.0]).items()) == [(1.5, 1), (3.0, 2)]
    assert repr(counts([1.5, 3.0, 3.0])) == repr(counts([3.0, 3.0, 1.5]))
