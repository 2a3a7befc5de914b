"""Plans that are kept give what plans give that were made for the occasion, bit for bit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from checked_modules import load
from column_graphs import DOUBLES, RAW, Reversed, values
from test_columns_programs import CALLS, RUNS, entered
from test_columns_quick import BOUNDS, clamped, numbers, table

import metricdp as dp
from metricdp.checked import execution
from metricdp.checked.path import columns_path, the_path
from metricdp.columns import language, planned
from metricdp.columns.language import Node, add, clamp, constant, lt, mul, select
from metricdp.columns.planned import keeping
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.run.emit import current_handler


def asked(random: Random, made: Table) -> tuple[Table, list[Any], list[Node]]:
    """A table that may be filtered, numbers of it with bounds, and nodes."""
    nodes = [*clamped(random, made.row), *numbers(random, made.row, 12)]
    if random.random() < 0.5:
        made = made.filtered(lt(random.choice(nodes), random.choice((0, 0.0, 1, 2.5))))
    chosen = random.sample(nodes, 3)
    return made, [(node, random.choice(BOUNDS)) for node in chosen], chosen


def answers(made: Table, sums: Sequence[Any], nodes: Sequence[Node]) -> Any:
    fresh = Table(made.columns, made.row, made.where)
    return fresh.sums(sums, [0, 1, 2], [(0, 1), (2, 2)]), values(fresh, nodes)


def test_random_sums_and_values_of_tables_that_share_plans() -> None:
    """The same questions about two tables each, which hold other values and kinds of arrays."""
    plans: dict[Any, Any] = {}
    again = 0
    for seed in range(40):
        for cells in (DOUBLES, RAW):
            made, sums, nodes = asked(Random(seed), table(Random(seed), 20, cells))
            expected = answers(made, sums, nodes)
            before = len(plans)
            with keeping(plans):
                assert repr(answers(made, sums, nodes)) == repr(expected)
            again += len(plans) == before
    assert again > 30


def test_sums_of_one_number_under_filters_share_plans() -> None:
    """Many of one form, which differ in public values and bounds alone."""
    plans: dict[Any, Any] = {}
    for seed in range(40):
        random = Random(seed)
        made = table(random, 20, DOUBLES)
        moved = [clamp(made.row[0], -50, 3), clamp(made.row[1], 0, 1), clamp(made.row[2], 0, 5)]
        if seed % 2:
            made = made.filtered(lt(made.row[0], random.choice((1, 2.5, -1.0))))
        for node in [*clamped(random, made.row), *moved]:
            asked = [(node, random.choice(BOUNDS[:3]))]
            expected = made.sums(asked, [0], [(0, 0)])
            with keeping(plans):
                assert made.sums(asked, [0], [(0, 0)]) == expected


X, Y = Stored("double", np.zeros(3)).node(0), Stored("integer", np.zeros(3, int)).node(1)
BOUNDED = Stored("double", np.zeros(3), 0.0, 1.0).node(0)

#: Nodes of which no two have one plan.
APART = [
    X, Y, BOUNDED, add(X, 1.0), add(Y, 1), add(Y, 1.0), add(X, 2.0), mul(X, 1.5),
    lt(X, 1), lt(X, 1.0), lt(1, X),
    select(lt(X, 0), True, False), select(lt(X, 0), 1, 0), select(lt(X, 0), 1.0, 0.0),
    clamp(X, 0, 1), clamp(X, 0, None), clamp(X, None, 1), clamp(Y, 0, 1),
    clamp(X, 0, Fraction(1, 3)),
    Node("clamp", (X,), "double", None, (0.0, 1.0), 2.0),
    Node("clamp", (X,), "double", None, (-0.0, 1.0), 2.0),
    Node("clamp", (X,), "double", None, (0.0, 1.0)),
    Node("clamp", (X,), "double", None, (0, 1)),
    Node("clamp", (X,), "double", None, (False, True)),
    mul(X, X), mul(X, BOUNDED), mul(BOUNDED, X), add(add(X, X), X), add(X, add(X, X)),
    constant("1"), constant(1), constant(1.0), constant(True), constant([]),
    constant([1.0, 2.0]), constant([2, 1]),
]  # fmt: skip


def test_what_differs_has_no_plan_in_common() -> None:
    told = [planned.told([node]) for node in APART]
    assert None not in told and len({*told}) == len(APART)
    assert len({*map(repr, told)}) == len(APART)
    assert planned.told([X, X]) != planned.told([X]) != planned.told([X, BOUNDED])
    assert planned.told([add(X, X)]) != planned.told([add(X, Node("stored", (), "double"))])
    assert planned.told([add(X, 1.0)]) == planned.told([add(X, 1.0)])


@pytest.mark.parametrize(
    "node",
    [
        language.called(Reversed(1), X), add(1.0, language.called(Reversed(1), X)),
        language.by_value(float, "double", X), constant([0.0] * 1000),
        Node("constant", (), "double", None, np.float64(1)),
    ],
)  # fmt: skip
def test_what_holds_more_than_plain_values_is_planned_each_time(node: Node) -> None:
    assert planned.told([node]) is None
    with keeping({}) as _:
        assert planned.planned(lambda nodes: object(), [node]) is not planned.planned(
            lambda nodes: object(), [node]
        )


@pytest.fixture
def as_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans are kept, though noise has a seed."""
    the_path(), columns_path()  # written down before a part is replaced
    monkeypatch.setattr(execution, "pinned_handler", lambda rows: (current_handler(), False))


#: Those that take long, and plan nothing that others do not.
SLOW = "minibatch choose_model noise 1,000 k-means items many".split()


def quick(names: Iterable[str]) -> list[str]:
    return [name for name in names if not any(part in name for part in SLOW)]


@pytest.mark.parametrize("name", quick(RUNS))
def test_algorithms_that_run_again(name: str, as_releases: None) -> None:
    expected = entered(RUNS[name], "reference")
    assert all(entered(RUNS[name], "arrays") == expected for _ in range(2))


@pytest.mark.parametrize("name", quick(CALLS))
def test_programs_that_run_again_on_other_data_with_other_public_numbers(
    name: str, as_releases: None
) -> None:
    for rows, budget in ((10, 1.0), (17, 0.5)):
        data = CALLS[name].data(rows)
        found = [
            entered(lambda: CALLS[name].ours(data, budget), by)  # noqa: B023
            for by in ("arrays", "reference")
        ]
        assert found[0] == found[1]


PROGRAM = """
@dp.measurement
def high(pay: dp.Records[float], least: float, eps: float):
    return dp.laplace(dp.count(lambda x: x > least, pay), epsilon=eps)

@dp.black_box(returns=dp.Data)
def boxed(row):
    return row

@dp.measurement
def seen(pay: dp.Records[float], eps: float):
    kept = [dp.clamp(dp.undisc(boxed(x)), 0, 1) for x in pay if x > 1]
    return dp.laplace(dp.sum(kept), epsilon=eps)
"""


def test_only_a_release_without_boxes_keeps_plans(tmp_path: Path) -> None:
    module = load(tmp_path, PROGRAM)
    data = np.linspace(0, 4, 9)
    for _ in range(2):
        with dp.handling(dp.Seeded(1)):
            module.high(data, 2, eps=1000)
    plans = module.high._checked[1].plans
    assert not plans
    found = [round(module.high(data, least, eps=1e6).value) for least in (2, 3, 2, 2.5)]
    assert found == [4, 2, 4, 3] and len(plans) == 4  # and the rows
    assert [round(module.high(data[:3], 0, eps=1e6).value) for _ in range(2)] == [2, 2]
    assert len(plans) == 5
    module.seen(data, eps=1)
    assert not module.seen._checked[1].plans
