"""A condition that check decided is the same in the run, or nothing after it is released.

Code on the side that check did not take was never read: a run that takes it leaks what it likes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from checked_modules import load

from metricdp.errors import InternalError
from metricdp.run.rewrite import settled

PROGRAM = """
@dp.measurement
def guarded(x: dp.Records[float], eps: float):
    names = [1, 2]
    if len(names) == 2:
        out = dp.laplace(dp.count(x), epsilon=eps)
    else:
        out = dp.laplace(dp.count(x), epsilon=eps) + 0
    return out if len(names) < 3 else 0 * out


@dp.measurement
def both_ways(x: dp.Records[float], eps: float):
    kept = [dp.laplace(dp.count(x), epsilon=eps) if i > 0 else 0.0 for i in (0, 1, 2)]
    return tuple(kept)


@dp.transformation
def total(x: dp.Records[float]):
    scale = 2 if 3 > 2 else 1000
    return scale * dp.sum(dp.clamp(x, 0, 1))
"""


def test_decided_conditions_are_asserted_where_they_are_always_the_same(tmp_path: Path) -> None:
    module: Any = load(tmp_path, PROGRAM)
    for name, expected in (("guarded", [True, True]), ("both_ways", []), ("total", [True])):
        outcome = getattr(module, name).outcome
        assert list(settled(outcome.program.decided).values()) == expected, name
    assert module.guarded([1.0, 2.0], eps=1.0).cost == "ε = 1"
    assert len(module.both_ways([1.0], eps=1.0).value) == 3
    assert module.total([1.0, 5.0]) == 4


@pytest.mark.parametrize(("name", "keywords"), [("guarded", {"eps": 1.0}), ("total", {})])
def test_a_run_that_takes_the_other_side_stops(
    tmp_path: Path, name: str, keywords: dict[str, Any]
) -> None:
    """A check that misjudged a condition: planted, by turning what it noted."""
    function: Any = getattr(load(tmp_path, PROGRAM), name)
    program = function._checked[1]
    for node, value in program.decided.items():
        program.decided[node] = not value
    with pytest.raises(InternalError, match="decided by the check"):
        function([1.0, 2.0], **keywords)
