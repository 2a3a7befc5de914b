"""Nothing uncharged, while a program runs: planted draws without an event stop the run."""

from __future__ import annotations

from fractions import Fraction as F
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from checked_modules import load
from foreign_mechanisms import an_event
from spies import plant

import metricdp as dp
from metricdp.checked import charged, execution, private_selection
from metricdp.checked.charged import Scope
from metricdp.errors import InternalError
from metricdp.expr import ONE, D, num, sym
from metricdp.families.laplace import LAPLACE
from metricdp.measures.counts import counts
from metricdp.measures.events import (
    Choice,
    Parallel,
    Repeat,
    Sampled,
    Selected,
    Sequence,
    Spent,
    nodes,
    with_parts,
)
from metricdp.measures.sampling import PoissonSampling
from metricdp.run.draws import perform
from metricdp.run.machine import Machine

PROGRAMS = """
from metricdp import Records, Vector

@dp.measurement
def two(x: Records[int], eps: float):
    first = dp.discrete_laplace(dp.count(x), epsilon=eps)
    return first, dp.gaussian(dp.count(x), rho=eps)

@dp.measurement
def rounds(x: Records[int], n: int, eps: float):
    out = []
    for _ in range(n):
        out.append(dp.laplace(dp.count(x), epsilon=eps))
    return out

@dp.measurement
def triangle(x: Records[int], n: int, eps: float):
    out = []
    for i in range(n):
        for _ in range(i):
            out.append(dp.laplace(dp.count(x), epsilon=eps))
    return out

@dp.measurement
def unrolled(x: Records[int], eps: float):
    return [dp.laplace(dp.count(x), scale=1) for _ in (1, 2, 3)]

@dp.measurement
def one_side(x: Records[int], flag: bool, eps: float):
    if flag:
        out = dp.laplace(dp.count(x), epsilon=eps)
    else:
        out = dp.gaussian(dp.count(x), epsilon=eps, delta=0.01)
    return out

@dp.measurement
def sampled(x: Records[int], n: int, eps: float):
    out = []
    for _ in range(n):
        out.append(dp.laplace(dp.count(dp.sample(x, q=0.5)), epsilon=eps))
    return out

@dp.measurement
def unread(x: Records[int], eps: float):
    part = dp.sample(x, q=0.5)
    for _ in range(3):
        again = dp.sample(x, q=0.25)
    return dp.laplace(dp.count(x), epsilon=eps)

@dp.measurement
def parts(x: Records[int], eps: float):
    return [dp.laplace(dp.count(p), epsilon=eps)
            for p in dp.partition(x, key=lambda r: r, keys=(1, 2, 3))]

@dp.measurement
def rows(x: Vector[Data, L1], eps: float):
    out = []
    for r in x:
        out.append(dp.randomized_response(r > 0, epsilon=eps))
    return out

@dp.measurement
def chosen(x: Records[int], eps: float):
    def score(c):
        return dp.count(lambda r: r == c, x)
    best = dp.exponential_mechanism(candidates=(1, 2), score=score, epsilon=eps)
    found = dp.above_threshold([lambda d: dp.count(d)], eps, x, 1)
    return best, found, dp.report_noisy_max([dp.count(x), 2 * dp.count(x)], scale=1)

@dp.measurement
def best(x: Records[int], eps: float):
    def run(c):
        n = dp.laplace(dp.count(x), epsilon=eps)
        return n, c
    return dp.private_selection(run, (1, 2, 3), stop=0.25)

@dp.measurement
def best_of_rounds(x: Records[int], n: int, eps: float):
    def run():
        total = 0.0
        for _ in range(n):
            total = total + dp.laplace(dp.count(dp.sample(x, q=0.5)), epsilon=eps)
        return total, 1
    return dp.private_selection(run, stop=0.25), dp.private_selection(run, stop=0.5)
"""
ROWS = [1, 2, 3, 3]
PUBLIC: dict[str, dict[str, Any]] = {
    "two": {}, "rounds": {"n": 4}, "triangle": {"n": 4}, "unrolled": {}, "sampled": {"n": 3},
    "unread": {}, "parts": {}, "rows": {}, "chosen": {}, "best": {}, "best_of_rounds": {"n": 2},
}  # fmt: skip


@pytest.fixture(autouse=True)
def _planted(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    return load(tmp_path, PROGRAMS)


def run(function: Any, **public: Any) -> Any:
    return function(ROWS, eps=1.0, **PUBLIC.get(function.__name__, {}), **public)


def test_what_was_charged_runs(module: ModuleType) -> None:
    for name in PUBLIC:
        for _ in range(3):
            run(getattr(module, name))
    assert run(module.rounds).value.__len__() == 4
    assert len(run(module.triangle).value) == 6
    for flag in (True, False):
        assert len(run(module.one_side, flag=flag).draws) == 1


def planted(function: Any, change: Any) -> None:
    """The function with another composition tree in its guarantee."""
    concluded = function._checked[0]  # a caller is handed copies
    guarantee = concluded.guarantee
    concluded.guarantee = msgspec.structs.replace(guarantee, tree=change(guarantee.tree))


def without(address: str) -> Any:
    def change(tree: Any) -> Any:
        if isinstance(tree, Sequence):
            kept = [i for i in tree.items if getattr(getattr(i, "event", i), "site", "") != address]
            tree = Sequence(tuple(kept))
        return with_parts(tree, change)

    return change


def test_a_draw_whose_event_was_dropped_stops_the_run(module: ModuleType) -> None:
    first, second = module.two.outcome.guarantee.sites
    planted(module.two, without(second))
    with pytest.raises(InternalError, match="nothing was charged") as stopped:
        run(module.two)
    (drawn,) = stopped.value.releases
    assert drawn.site == first and drawn.mechanism == "discrete_laplace"
    planted(module.two, without(first))
    with pytest.raises(InternalError, match="nothing was charged") as stopped:
        run(module.two)
    assert stopped.value.releases == ()


@pytest.mark.parametrize("name", ["rounds", "triangle", "sampled", "parts", "rows"])
def test_a_round_more_than_were_charged_stops_the_run(module: ModuleType, name: str) -> None:
    function = getattr(module, name)
    before = len(run(function).draws)

    def fewer(tree: Any) -> Any:
        tree = with_parts(tree, fewer)
        # A triangular loop has 6 rounds in all; 2 of the outer one have 1.
        if isinstance(tree, Repeat) and not tree.count.symbols & {"i1"}:
            return msgspec.structs.replace(tree, count=tree.count - 1)
        if isinstance(tree, Parallel):
            return msgspec.structs.replace(tree, count=tree.count - 1)
        return tree

    planted(function, fewer)
    with pytest.raises(InternalError, match="more often than it was charged") as stopped:
        run(function)
    assert 0 < len(stopped.value.releases) < before


def test_a_sample_more_than_were_charged_stops_the_run(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = Machine.sample

    def twice(self: Any, *args: Any, **keywords: Any) -> Any:
        honest(self, *args, **keywords)
        return honest(self, *args, **keywords)

    monkeypatch.setattr(Machine, "sample", twice)
    for name, drawn in (("sampled", 1), ("unread", 0), ("best_of_rounds", 0)):
        with pytest.raises(InternalError, match="more often than it was charged") as stopped:
            run(getattr(module, name))
        assert len(stopped.value.releases) <= drawn


@pytest.mark.parametrize("name", sorted(set(PUBLIC) - {"rounds", "triangle", "sampled"}))
def test_a_machine_that_draws_twice_is_stopped(
    module: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def twice(honest: Any) -> Any:
        def work(self: Any, *args: Any, **keywords: Any) -> Any:
            honest(self, *args, **keywords)
            return honest(self, *args, **keywords)

        return work

    for method in ("noise", "_together"):  # of one call, and of those of all parts
        monkeypatch.setattr(Machine, method, twice(getattr(Machine, method)))
    with pytest.raises(InternalError, match="more often than it was charged"):
        run(getattr(module, name))


def test_a_draw_that_is_made_twice_is_stopped(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def twice(honest: Any) -> Any:
        def work(*args: Any) -> Any:
            honest(*args)
            return honest(*args)

        return work

    monkeypatch.setattr(execution, "emit", twice(execution.emit))
    monkeypatch.setattr(execution, "emit_each", twice(execution.emit_each))
    for name, honest in (("two", 1), ("rows", 1), ("parts", 3)):
        with pytest.raises(InternalError, match="not the one that was charged") as stopped:
            run(getattr(module, name))
        assert len(stopped.value.releases) == honest


CHANGES: list[Any] = [
    {"scale": F(1, 1000)}, {"family": LAPLACE}, {"bound": F(0)}, {"site": "1:1"},
    {"norm": "L2"},
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda c: next(iter(c)))
def test_a_draw_with_other_parameters_is_stopped(
    module: ModuleType, change: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest, performed = execution.emit, []

    def other(draw: Any, *args: Any) -> Any:
        return honest(msgspec.structs.replace(draw, **change), *args)

    monkeypatch.setattr(execution, "emit", other)
    monkeypatch.setattr(
        "metricdp.run.emit.perform", lambda *args: performed.append(args) or perform(*args)
    )
    with pytest.raises(InternalError, match="not the one that was charged"):
        run(module.two)
    assert not performed


def test_an_answer_with_another_epsilon_is_stopped(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = execution.emit

    def other(draw: Any, *args: Any) -> Any:
        return honest(msgspec.structs.replace(draw, extra={**draw.extra, "epsilon": F(9)}), *args)

    monkeypatch.setattr(execution, "emit", other)
    with pytest.raises(InternalError, match="not the one that was charged"):
        run(module.rows)


def test_noise_that_differs_from_the_tree_is_not_drawn(module: ModuleType) -> None:
    """The tree alone says what is drawn: a guarantee whose sites say otherwise changes nothing."""
    guarantee = module.two.outcome.guarantee
    sites = {
        site: msgspec.structs.replace(noise, noise={k: num("1/1000") for k in noise.noise})
        for site, noise in guarantee.sites.items()
    }
    scales = [draw.scale for draw in run(module.two).draws]
    module.two.outcome.guarantee = msgspec.structs.replace(guarantee, sites=sites)
    assert [draw.scale for draw in run(module.two).draws] == scales


def test_the_other_side_of_a_choice_as_well_is_stopped(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: a machine that also makes the call of the side that was not taken."""
    honest = Machine.noise
    mechanisms = {n.mechanism: s for s, n in module.one_side.outcome.guarantee.sites.items()}

    def both(self: Any, place: str, name: str, *args: Any, **keywords: Any) -> Any:
        for mechanism, site in mechanisms.items():
            if mechanism != name:
                honest(self, site, mechanism, *args, **keywords)
        return honest(self, place, name, *args, **keywords)

    monkeypatch.setattr(Machine, "noise", both)
    with pytest.raises(InternalError, match="more often than it was charged") as stopped:
        run(module.one_side, flag=True)
    assert len(stopped.value.releases) == 1


def test_a_selection_more_than_were_charged_is_stopped(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = Machine.private_selection

    def twice(self: Any, *args: Any, **keywords: Any) -> Any:
        honest(self, *args, **keywords)
        return honest(self, *args, **keywords)

    monkeypatch.setattr(Machine, "private_selection", twice)
    with pytest.raises(InternalError, match="more often than it was charged"):
        run(module.best)


def test_rounds_of_a_selection_that_nobody_counts_apart_are_stopped(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: the counts go on over the rounds, so the second one has nothing left."""
    monkeypatch.setattr(private_selection.Charged, "begin_round", lambda self: None)
    with (
        pytest.raises(InternalError, match="more often than it was charged"),
        dp.handling(dp.Seeded(1)),
    ):
        for _ in range(50):  # with fewer than two rounds each time with chance 1e-30
            run(module.best)


def test_a_tracked_value_draws_what_was_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    from metricdp.sessions import mechanisms

    def session() -> Any:
        return dp.Session({"x": (dp.Records[int], ROWS)}, budget=dp.Budget(epsilon=10))

    assert len(dp.laplace(dp.count(session()["x"]), epsilon=1).draws) == 1
    honest = mechanisms.emit

    def less(draw: Any, *args: Any) -> Any:
        return honest(msgspec.structs.replace(draw, scale=F(1, 1000)), *args)

    monkeypatch.setattr(mechanisms, "emit", less)
    opened = session()
    with pytest.raises(InternalError, match="not the one that was charged"):
        dp.laplace(dp.count(opened["x"]), epsilon=1)


# -- the counts themselves -----------------------------------------------------------------


def at(site: str) -> Spent:
    return Spent(an_event("laplace", "", {"scale": ONE}, {"pure": (ONE,)}, site), {"x": D})


def scope(tree: Any, **numbers: int) -> Scope:
    return Scope(counts(tree), {name: F(value) for name, value in numbers.items()})


def taken(found: Scope, addresses: str) -> int:
    """How many of these calls may be made, one after the other."""
    for position, address in enumerate(addresses):
        if not found.take(address):
            return position
    return len(addresses)


def test_counts_multiply_along_loops_and_add_along_sequences() -> None:
    inner = Repeat(sym("n"), Sequence((at("a"), at("b"), at("a"))))
    tree = Repeat(num(2), inner)
    assert taken(scope(tree, n=3), "a" * 20) == 12
    assert taken(scope(tree, n=3), "b" * 20) == 6
    assert taken(scope(tree, n=0), "a") == 0
    triangle = Repeat(sym("n"), Repeat(sym("i"), at("a")), "i")
    assert taken(scope(triangle, n=5), "a" * 20) == 10
    rows = Parallel(Parallel(at("a"), "r", "x", count=num(3)), "s", "y")
    assert taken(scope(rows), "aaaa") == 3
    assert taken(scope(rows), "b") == 0
    # A count that only the run knows is no limit; that the call was charged is.
    assert taken(scope(Repeat(sym("later"), at("a"))), "a" * 9) == 9


def test_sides_of_a_choice_exclude_each_other() -> None:
    either = Choice((at("a"), Sequence((at("b"), at("b"), at("c")))))
    for addresses, most in (("a", 1), ("bbc", 3), ("cbb", 3), ("ab", 1), ("bba", 2), ("bbb", 2)):
        assert taken(scope(either), addresses) == most
    looped = Repeat(num(2), either)
    for addresses, most in (("abbc", 4), ("bbbbcc", 6), ("aabc", 2), ("bbba", 3), ("abbb", 3)):
        assert taken(scope(looped), addresses) == most
    nested = Choice((at("a"), Choice((at("b"), at("c")))))
    for addresses in ("ab", "ac", "bc", "ba"):
        assert taken(scope(nested), addresses) == 1
    shared = Choice((at("a"), Sequence((at("a"), at("b")))))
    assert taken(scope(shared), "ab") == taken(scope(shared), "ba") == 2


def test_samples_and_selections_are_calls_as_well() -> None:
    scheme = PoissonSampling(num("1/2"))
    body = Sampled(
        Sampled(at("a"), "r", "x", scheme, "replace", "s"), "t", "y", scheme, "replace", "s"
    )
    assert taken(scope(body), "ss") == 1
    assert taken(scope(Repeat(num(2), body)), "sss") == 2
    selected = Repeat(num(2), Selected(Sequence((at("a"), body)), ONE, ONE, "p"))
    found = scope(selected)
    assert taken(found, "ppp") == 2 and taken(found, "a") == 0
    inside = found.rounds["p"]
    assert taken(inside, "aasa") == 3
    inside.start()
    assert taken(inside, "asa") == 3


def test_every_call_of_a_guarantee_is_counted(module: ModuleType) -> None:
    for name in PUBLIC:
        tree = getattr(module, name).outcome.guarantee.tree
        found = counts(tree)
        known = set(found.most).union(*(inner.most for inner in found.rounds.values()))
        for node in nodes(tree):
            site = node.event.site if isinstance(node, Spent) else getattr(node, "site", None)
            assert site is None or site in known


def test_trees_are_read_once(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    run(module.two)

    def never(tree: Any) -> Any:
        raise AssertionError("the tree was read again")

    monkeypatch.setattr(charged, "counts", never)
    run(module.two)
