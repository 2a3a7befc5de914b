"""One state at every address: a call that is reached in several ways draws what its way proved."""

from __future__ import annotations

from fractions import Fraction as F
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from checked_modules import load
from foreign_mechanisms import an_event

import metricdp as dp
from metricdp.check.verdicts.sites import noise_by_site
from metricdp.errors import InternalError
from metricdp.expr import ONE, D, num
from metricdp.measures.events import Choice, Sequence, Spent
from metricdp.run.addresses import by_sides, taken, without_rounds, without_sides

PROGRAMS = """
from metricdp import Records

def total(x, high, eps):
    return dp.laplace(dp.sum(dp.clamp(x, 0, high)), epsilon=eps)

@dp.measurement
def after_a_branch(x: Records[float], narrow: bool, eps: float):
    high = 10.0
    if narrow:
        high = 1.0
        if eps > 5:
            return 0.0
    return total(x, high, eps)

@dp.measurement
def after_two(x: Records[float], k: int, eps: float):
    high = 1.0
    if k > 1:
        high = 2.0
        if k > 8:
            return 0.0
    if k > 2:
        high = high + 3
        if k > 7:
            return 0.0
    return total(x, high, eps)

@dp.measurement
def in_rounds(x: Records[float], k: int, eps: float):
    out = []
    for high in (1.0, 10.0):
        if high > k:
            high = 5.0
            if eps > 5:
                continue
        out.append(total(x, high, eps))
    return out

@dp.measurement
def unrolled_in_one_way(x: Records[float], wide: bool, eps: float):
    highs = (1.0, 2.0)
    out = []
    if wide:
        highs = (4.0, 5.0, 6.0)
        if eps > 5:
            return out
    for high in highs:
        out.append(total(x, high, eps))
    return out

@dp.measurement
def called_twice(x: Records[float], eps: float):
    return total(x, 1.0, eps), total(x, 10.0, eps)

@dp.measurement
def sampled(x: Records[float], rare: bool, eps: float):
    q = 0.5
    if rare:
        q = 0.125
        if eps > 5:
            return 0.0
    return dp.laplace(dp.count(dp.sample(x, q=q)), epsilon=eps)

@dp.measurement
def candidates(x: Records[float], eps: float):
    def run(high):
        return total(x, high, eps), high
    return dp.private_selection(run, (1.0, 10.0), stop=0.25)

@dp.measurement
def sampled_candidates(x: Records[float], eps: float):
    def run(q):
        return dp.laplace(dp.count(dp.sample(x, q=q)), epsilon=eps), q
    return dp.private_selection(run, (0.125, 0.5), stop=0.25)

@dp.measurement
def selected_in_two_ways(x: Records[float], rare: bool, eps: float):
    def run():
        return dp.laplace(dp.count(x), epsilon=eps), 1
    stop = 0.5
    if rare:
        stop = 0.25
        if eps > 5:
            return 0.0, 0
    return dp.private_selection(run, stop=stop)

@dp.measurement
def alike(x: Records[float], k: int, eps: float):
    shown = 1
    if k > 1:
        shown = 2
        if k > 5:
            return 0.0
    return total(x, 1.0, eps) + shown
"""
ROWS = [0.5, 3.0, 20.0]


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("programs"), PROGRAMS)


def scales(function: Any, **public: Any) -> list[F]:
    return [draw.scale for draw in function(ROWS, eps=1.0, **public).draws]


def test_the_noise_of_a_call_is_that_of_the_way_that_led_there(module: ModuleType) -> None:
    assert scales(module.after_a_branch, narrow=True) == [1]
    assert scales(module.after_a_branch, narrow=False) == [10]
    assert [scales(module.after_two, k=k) for k in (0, 2, 3, 9)] == [[1], [2], [5], []]
    assert scales(module.in_rounds, k=0) == [5, 5]
    assert scales(module.in_rounds, k=5) == [1, 5]
    assert scales(module.in_rounds, k=20) == [1, 10]
    assert scales(module.unrolled_in_one_way, wide=False) == [1, 2]
    assert scales(module.unrolled_in_one_way, wide=True) == [4, 5, 6]
    assert scales(module.called_twice) == [1, 10]


def test_a_sample_is_that_of_the_way_that_led_there(module: ModuleType) -> None:
    for rare in (True, False):
        assert scales(module.sampled, rare=rare) == [1]
        assert scales(module.selected_in_two_ways, rare=rare) == [1]
    for _ in range(5):
        released = module.sampled_candidates(ROWS, eps=1.0)
        assert [draw.scale for draw in released.draws] == [1]


def test_every_candidate_has_its_own_noise(module: ModuleType) -> None:
    with dp.handling(dp.Seeded(5)):
        found = [module.candidates(ROWS, eps=1.0) for _ in range(20)]
    # Of 20 choices between two candidates all are the same with chance 2e-6; the seed is fixed.
    assert {(r.value[1], r.draws[0].scale) for r in found} == {(1.0, F(1)), (10.0, F(10))}


def test_addresses_tell_sides_only_where_they_differ(module: ModuleType) -> None:
    assert not any("?" in site for site in module.alike.outcome.guarantee.sites)
    assert sum("?" in site for site in module.after_a_branch.outcome.guarantee.sites) == 2


def test_which_address_a_run_stands_at() -> None:
    known = ["1:4?1/2:8?0/3:0#1/5:0", "1:4?1/2:8?0/3:0#0/5:0", "1:4?0/5:0"]
    assert by_sides([*known, "9:9"]) == {"5:0": known}
    assert without_rounds(known[0]) == "5:0" and without_sides(known[0]) == "3:0#1/5:0"
    sides = {"1:4": True, "2:8": False}
    assert taken("3:0#1/5:0", known, sides) == known[0]
    assert taken("3:0#0/5:0", known, sides) == known[1]
    # On the other side the loop was read without its rounds.
    assert taken("3:0#0/5:0", known, {"1:4": False}) == known[2]
    # A way that was never checked keeps its own address, at which nothing is proved.
    assert taken("3:0#7/5:0", known, sides) == "3:0#7/5:0"
    assert taken("3:0#0/5:0", known, {"1:4": True, "2:8": True}) == "3:0#0/5:0"
    assert by_sides(["8:0/1:4?1/5:0"]) == {"8:0/5:0": ["8:0/1:4?1/5:0"]}
    assert taken("8:0/5:0", ["8:0/1:4?1/5:0"], {"8:0/1:4": True}) == "8:0/1:4?1/5:0"


def test_two_noises_for_one_address_are_refused() -> None:
    def at(scale: int) -> Spent:
        noise = {"scale": num(scale)}
        return Spent(an_event("laplace", "", noise, {"pure": (ONE,)}, "3:4"), {"x": D})

    assert len(noise_by_site(Choice((at(1), at(1))))) == 1
    for tree in (Choice((at(1), at(2))), Sequence((at(1), at(2)))):
        with pytest.raises(InternalError, match="two noises"):
            noise_by_site(tree)


def test_sides_that_are_left_out_are_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: addresses that do not say on which side of a branch they stand."""
    from metricdp.check.language import branches
    from metricdp.errors import NotProvedError

    def untold(self: Any, node: Any, body: Any, rest: Any, frame: Any) -> Any:
        return self.block([*body, *rest], frame)

    monkeypatch.setattr(branches, "on_side", untold)
    planted = load(tmp_path, PROGRAMS)
    for name in ("after_a_branch", "sampled", "selected_in_two_ways"):
        function = getattr(planted, name)
        codes = [d.code for d in function.outcome.diagnostics]
        assert function.outcome.verdict == "rejected" and codes == ["unsupported-call"]
        with pytest.raises(NotProvedError):
            function(ROWS, True, eps=1.0)
