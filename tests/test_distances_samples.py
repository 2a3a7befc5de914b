"""Events that are chosen on samples: counted at once, as asking them one by one would count."""

from __future__ import annotations

import random
from typing import Any

import pytest

from metricdp.laws.distances import d_dp_from_samples, hockey_stick_from_samples
from metricdp.laws.distances.samples import CellsIn, OutcomesIn, best_event, candidates

_source = random.Random(41)


def _drawn(draw: Any, count: int = 400) -> list[Any]:
    return [draw() for _ in range(count)]


CASES = [
    (_drawn(_source.random), _drawn(lambda: 1.1 * _source.random(), 500)),
    (_drawn(lambda: _source.randrange(9)), _drawn(lambda: _source.randrange(11))),
    (_drawn(lambda: _source.randrange(200)), _drawn(lambda: _source.randrange(250))),
    (_drawn(lambda: str(_source.randrange(200))), _drawn(lambda: str(_source.randrange(250)))),
    (
        [float("-inf")] * 3 + _drawn(lambda: _source.gauss(0, 1)),
        [float("inf")] * 2 + _drawn(lambda: _source.gauss(1, 1)),
    ),
]


@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_counts_are_those_of_membership(case: int, factor: float) -> None:
    p, q = CASES[case]
    found = list(candidates(p, q, factor))
    assert found
    for event, here, there in found:
        assert here == sum(x in event for x in p)
        assert there == sum(x in event for x in q)
    for ratio in (False, True):
        assert best_event(p, q, factor, ratio) in [event for event, _, _ in found]


@pytest.mark.parametrize("kind", [CellsIn, OutcomesIn])
def test_every_sample_is_asked_a_few_times_only(kind: Any, monkeypatch: Any) -> None:
    asked = 0
    inside = kind.__contains__

    def counting(self: Any, x: Any) -> bool:
        nonlocal asked
        asked += 1
        return bool(inside(self, x))

    monkeypatch.setattr(kind, "__contains__", counting)
    p, q = (CASES[0], CASES[2])[kind is OutcomesIn]
    # Two choices and one bound for d_dp: twice each sample; it was once per candidate event.
    d_dp_from_samples(p, q)
    hockey_stick_from_samples(p, q, 2)
    assert asked <= 3 * (len(p) + len(q))
