"""Nothing uncharged, before a run: a parameter is charged for every source of a tree."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest
from foreign_mechanisms import an_event

from metricdp.check.domain import samples
from metricdp.check.source.program import Project
from metricdp.check.verdicts.api import outcomes
from metricdp.errors import InternalError
from metricdp.expr import ONE, D, num
from metricdp.measures import events
from metricdp.measures.events import (
    Choice,
    Parallel,
    Repeat,
    Sampled,
    Selected,
    Sequence,
    Spent,
    Tree,
    consumed,
    made,
    mentioned,
    nodes,
    parts,
    traced,
    with_parts,
)
from metricdp.measures.mixed import parts as mixed_parts
from metricdp.measures.mixed import with_slack
from metricdp.measures.readings import available, leaves, spent
from metricdp.measures.sampling import PoissonSampling
from metricdp.measures.steps import steps
from metricdp.measures.taken import taken

LAPLACE = an_event("laplace", "", {"scale": ONE}, {"pure": (num(1),)})


def leaf(*sources: str) -> Spent:
    return Spent(LAPLACE, dict.fromkeys(sources, D))


EXAMPLES: dict[type, Any] = {
    Spent: leaf("x"),
    Sequence: Sequence((leaf("x"), leaf("y"))),
    Repeat: Repeat(num(3), leaf("x")),
    Choice: Choice((leaf("x"), leaf("y"))),
    Parallel: Parallel(leaf("row", "z"), "row", "x"),
    Sampled: Sampled(leaf("row", "z"), "row", "x", PoissonSampling(num("1/2")), "add or remove"),
    Selected: Selected(leaf("x"), num("1/2"), ONE),
}
CONSUMED = {
    Spent: {"x"}, Sequence: {"x", "y"}, Repeat: {"x"}, Choice: {"x", "y"},
    Parallel: {"x", "z"}, Sampled: {"x", "z"}, Selected: {"x"},
}  # fmt: skip


class Stranger(msgspec.Struct, frozen=True):
    """A node that nobody was told of."""

    body: Any
    row: str = "row"
    parent: str = "x"


def test_every_kind_of_node_answers() -> None:
    kinds = set(get_args(Tree))
    assert kinds == EXAMPLES.keys() == CONSUMED.keys()
    # All classes of the module that hold trees are in the union.
    holding = {
        kind
        for kind in vars(events).values()
        if isinstance(kind, type)
        and {"body", "items"} & set(getattr(kind, "__struct_fields__", ()))
    }
    assert holding <= kinds
    for kind, tree in EXAMPLES.items():
        assert consumed(tree) == CONSUMED[kind]
        assert with_parts(tree, lambda part: part) == tree
        assert mentioned(tree) == consumed(tree) | made(tree).keys()
        found = {outside for _, sources in traced(tree) for outside in sources.values()}
        assert found == consumed(tree)
        assert len(leaves(tree)) == sum(isinstance(node, Spent) for node in nodes(tree))


@pytest.mark.parametrize(
    "read",
    [
        consumed, mentioned, leaves, available,
        lambda tree: [(parts(t), made(t), with_parts(t, lambda u: u)) for t in nodes(tree)],
        lambda tree: list(traced(tree)),
        lambda tree: spent(tree, "pure", "x", ONE),
        lambda tree: steps(tree, "x", 1, {}),
        lambda tree: taken(tree, {}),
        lambda tree: mixed_parts(tree, "x", ONE, False),
        lambda tree: with_slack(tree, "x", ONE, num("1/10")),
    ],
)  # fmt: skip
def test_a_node_that_does_not_answer_is_an_error(read: Any) -> None:
    for tree in (Stranger(leaf("row")), Sequence((leaf("x"), Stranger(leaf("row"))))):
        with pytest.raises(InternalError, match="no node of a composition tree"):
            read(tree)
    for alone in (parts, made, lambda tree: with_parts(tree, lambda part: part)):
        with pytest.raises(InternalError, match="no node of a composition tree"):
            alone(Stranger(leaf("row")))  # type: ignore[arg-type]


def test_rows_of_rows_are_traced_to_the_parameter() -> None:
    scheme = PoissonSampling(num("1/2"))
    inner = Parallel(Sequence((leaf("row", "y"), leaf("all"))), "row", "taken")
    tree = Sampled(inner, "taken", "x", scheme, "add or remove")
    assert consumed(tree) == {"x", "y", "all"}
    assert [dict(s) for _, s in traced(tree)] == [{"row": "x", "y": "y"}, {"all": "all"}]
    # The same name outside of the node that makes it is another source.
    assert consumed(Sequence((tree, leaf("row")))) == {"x", "y", "all", "row"}


SOURCE = """
import metricdp as dp
from metricdp import Data, L1, Matrix, Real, Records, Vector

@dp.measurement
def parts(x: Records[int]):
    part = dp.sample(x, q=0.5)
    split = dp.partition(part, key=lambda r: r, keys=(1, 2))
    return [dp.laplace(dp.count(p), scale=1) for p in split]

@dp.measurement
def again(x: Records[int]):
    part = dp.sample(dp.sample(x, q=0.5), q=0.5)
    return dp.laplace(dp.count(part), scale=1)

@dp.measurement
def kept(x: Records[int], n: int):
    out, table = [], x
    for _ in range(n):
        for p in dp.partition(table, key=lambda r: r, keys=(1, 2)):
            out.append(dp.laplace(dp.count(p), scale=1))
        table = dp.filter(lambda r: r > 3, table)
    return out

@dp.measurement
def entries(m: Matrix[Real, L1], n: int):
    out = []
    for i in range(n):
        for x in m[i]:
            out.append(dp.laplace(x, scale=1))
    return out

@dp.measurement
def entries_of_a_sample(m: Matrix[Data, L1], n: int):
    out = []
    for i in range(n):
        out.append(dp.laplace(dp.count(lambda v: v > 1, dp.sample(1, m[i])), scale=1))
    return out
"""


def verdicts() -> dict[str, tuple[str, list[str]]]:
    module = Project().parse("charged.py", SOURCE)
    return {o.declared.name: (o.verdict, [d.code for d in o.diagnostics]) for o in outcomes(module)}


def test_rows_of_states_positions_and_samples_are_charged() -> None:
    module = Project().parse("charged.py", SOURCE)
    found = {}
    for outcome in outcomes(module):
        assert outcome.verdict == "proved" and outcome.guarantee is not None
        (entry,) = outcome.guarantee.private()
        found[outcome.declared.name] = str(outcome.guarantee.cost(entry.name)["epsilon"])
    assert found == {
        "parts": "log(exp(1)/2 + 1/2)",
        "again": "log(exp(1)/4 + 3/4)",
        "kept": "Max(0, n)",
        "entries": "Max(0, n)",
        "entries_of_a_sample": "Max(0, n)*log(exp(1)/cols_m + 1 - 1/cols_m)",
    }


FORGOTTEN = [("parts", Parallel), ("again", Sampled)]


@pytest.mark.parametrize(("name", "kind"), FORGOTTEN)
def test_a_sample_that_forgets_a_kind_of_node_is_caught(
    name: str, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgetful(tree: Any) -> frozenset[Any]:
        if isinstance(tree, kind):
            return frozenset()
        own = frozenset(tree.moved) if isinstance(tree, Spent) else frozenset()
        return own.union(*(forgetful(part) for part in parts(tree)))

    monkeypatch.setattr(samples, "consumed", forgetful)
    assert verdicts()[name] == ("rejected", ["uncharged-source"])


def test_a_loop_that_forgets_whose_rows_they_are_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    from metricdp.check.loops import loop_costs

    def leaves_alone(tree: Any, resolve: Any, module: Any, node: Any) -> Any:
        if isinstance(tree, Spent):
            return Spent(tree.event, resolve(tree.moved))
        return with_parts(tree, lambda part: leaves_alone(part, resolve, module, node))

    monkeypatch.setattr(loop_costs, "from_outside", leaves_alone)
    found = verdicts()
    for name in ("kept", "entries", "entries_of_a_sample"):
        assert found[name] == ("rejected", ["uncharged-source"])
    assert found["parts"][0] == found["again"][0] == "proved"


def test_a_sample_that_nobody_closes_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    from metricdp.check.verdicts import verify

    monkeypatch.setattr(verify, "close_samples", lambda state, mark: None)
    found = verdicts()
    assert found["parts"] == found["again"] == ("rejected", ["uncharged-source"])


def test_library_measurements_and_sessions_read_their_own_sources_only() -> None:
    import metricdp as dp
    from metricdp.maps import Measurement
    from metricdp.sessions.costs import Asked, cost
    from metricdp.spaces import Records, Scalar

    space = Records(Scalar("Data", kind="float"))
    with pytest.raises(InternalError, match="nobody is charged for what is read of y"):
        Measurement(space, len, name="free", tree=Sequence((leaf("x"), leaf("y"))))
    parallel = Parallel(leaf("row"), "row", "x", whole=True)
    assert Measurement(space, len, name="parts", tree=parallel).map(1) == 1
    with pytest.raises(InternalError, match="nobody is charged for what is read of row"):
        Measurement(space, len, name="free", tree=parallel.body)
    asked = Asked(Sequence((leaf("t"), leaf("u"))), {"t": num(1).as_fraction()}, {"t": space})
    with pytest.raises(InternalError, match="nobody is charged for what is read of u"):
        cost(asked, dp.Budget(epsilon=1), {}, "step")
