"""Measures of the user: maps are believed as they are, and everything that needs a rule refuses."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

import metricdp.opendp as dp
from metricdp.errors import MetricdpError

ROWS = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
OWN = dp.user_divergence("tCDP", descriptor=4)


def losses(d_in: int) -> tuple[float, float]:
    return d_in / 2, 4.0


def halves(d_in: int) -> float:
    return d_in / 2


def length(rows: Any) -> int:
    return len(rows)


def made(privacy_map: Any = losses, space: Any = ROWS) -> Any:
    return dp.m.make_user_measurement(*space, OWN, length, privacy_map)


def test_the_map_is_the_users() -> None:
    item = made()
    assert item.map(2) == (1.0, 4.0) and item.check(2, (1.0, 4.0)) and not item.check(3, (1.0, 9.0))
    assert item([1.0, 2.0]) == 2 and item.output_measure == OWN
    assert made(halves).map(3) == 1.5 and made(halves).check(3, 1.5)
    assert "tCDP" in repr(item) and item.rests_on[0].kind == "user's assumption"
    assert dp.ExtrinsicDivergence is type(OWN) and dp.user_divergence("tCDP") != OWN


def test_chains_before_and_after() -> None:
    item = made()
    doubled = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=9)
    chain = ROWS >> dp.t.then_clamp((0.0, 1.0)) >> dp.t.then_resize(size=9, constant=0.0)
    last = dp.m.make_user_measurement(doubled, dp.symmetric_distance(), OWN, length, losses)
    found = chain >> last >> str
    assert chain.map(3) == 6 and found.map(3) == (3.0, 4.0) and found([0.5]) == "9"
    assert isinstance(found, type(item)) and found.output_measure == OWN
    once = ROWS >> dp.t.then_clamp((0.0, 1.0)) >> dp.t.then_cast_default(int)
    whole = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    assert (once >> made(halves, whole)).map(3) == 1.5


def test_two_maps_are_two_measurements() -> None:
    assert made() == made() and made() != made(halves)
    assert pickle.loads(pickle.dumps(made())) == made()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: dp.c.make_composition([made(), made()]),
        lambda: dp.c.make_basic_composition(made(), made()),
        lambda: dp.c.make_pureDP_to_zCDP(made()),
        lambda: dp.c.make_approximate(made()),
        lambda: dp.c.make_zCDP_to_approxDP(made()),
        lambda: dp.c.make_fix_delta(made(), 1e-6),
        lambda: dp.c.make_select_private_candidate(made(), 0.1, 0.0),
        lambda: dp.c.make_adaptive_composition(*ROWS, OWN, 1, [1.0]),
        lambda: dp.c.make_fully_adaptive_composition(*ROWS, OWN),
        lambda: dp.c.make_fully_adaptive_composition(*ROWS, dp.max_divergence())([1.0])(made()),
        lambda: dp.m.make_laplace(*ROWS, scale=1.0, MO=OWN),
        lambda: dp.approximate(OWN),
        lambda: dp.user_divergence(""),
        lambda: dp.user_divergence(3),
        lambda: made().check(1, "a"),
        lambda: made().inverse((1.0, 4.0)),
        lambda: dp.m.make_user_measurement(*ROWS, OWN, length, 3),
        lambda: dp.serialize(made()),
        lambda: made().map(0.5),
    ],
)
def test_what_needs_a_rule_is_refused(wrong: Callable[[], Any]) -> None:
    with pytest.raises(MetricdpError) as caught:
        wrong()
    assert caught.value.remedy or caught.value.fact


def test_for_every_other_reader_the_epsilon_is_infinite() -> None:
    """A composition of cores, behind the names of OpenDP, cannot turn the map into an epsilon."""
    from metricdp.maps import compose

    assert compose([made().core, made().core]).map(1) == float("inf")
