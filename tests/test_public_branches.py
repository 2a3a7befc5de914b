"""Branches that public numbers decide: at these numbers, and in each round of a loop."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from plain_python import checked

import metricdp as dp
from metricdp.check.verdicts.api import check_source
from metricdp.check.verdicts.guarantee import FunctionGuarantee
from metricdp.diagnostics.result import CheckOptions
from metricdp.errors import InternalError
from metricdp.expr import ONE, ZERO, D, Relation, decimal_up, floor, maximum, num, sym
from metricdp.families.laplace import LAPLACE
from metricdp.measures.events import Choice, Event, Repeat, Sequence, Spent, Tree
from metricdp.measures.readings import spent
from metricdp.measures.steps import steps
from metricdp.measures.taken import taken
from metricdp.run.addresses import charged_as

IMPORT = "import metricdp as dp\n"
HEAD = """
@dp.measurement
def f(rows: dp.Records[float], n: int, t: float):
    x, out = dp.sum(dp.clamp(rows, 0, 1)), []
"""
#: Bodies whose every draw is of `x`, in noise of a written scale.
BODIES = {
    "branch": """
    if n > 2:
        return dp.laplace(x, scale=1)
    return dp.laplace(x, scale=4)
""",
    "float": """
    if t >= 0.1:
        return dp.laplace(x, scale=1)
    return dp.laplace(x, scale=4)
""",
    "odd": """
    for i in range(5):
        if i % 2:
            out.append(dp.laplace(x, scale=1))
        else:
            out.append(dp.laplace(x, scale=4))
    return out
""",
    "odd of n": """
    for i in range(n):
        if (i + n) % 2:
            out.append(dp.laplace(x, scale=1))
    return out
""",
    "continue": """
    for i in range(n, 0, -1):
        if not i % 3:
            continue
        out.append(dp.laplace(x, scale=2))
    return out
""",
    "negative": """
    for i in range(n):
        if -i % 3 == 1 or i % -4 == -3:
            out.append(dp.laplace(x, scale=2))
        elif i * t > 0.25:
            out.append(dp.laplace(x, scale=1))
    return out
""",
    "triangle": """
    for i in range(n):
        for j in range(i):
            if (i + j) % 2 == 0:
                out.append(dp.laplace(x, scale=1))
    return out
""",
    "state": """
    k = 0
    for i in range(n):
        i = k - 1
        if i % 3 > 1:
            out.append(dp.laplace(x, scale=1))
        k += 2
    return out
""",
    "either": """
    for i in range(n):
        if i % 2 and i > 2:
            out.append(dp.laplace(x, scale=1))
        elif i == 0 or i == n - 1:
            out.append(dp.laplace(x, scale=2))
    return out
""",
    "rising noise": """
    for i in range(6):
        if i % 2:
            out.append(dp.laplace(x, scale=i))
    return out
""",
    "chosen noise": """
    for i in range(6):
        out.append(dp.laplace(x, scale=2 if i % 3 else 8))
    return out
""",
    "no first round": """
    for i in range(n):
        if i > 0:
            out.append(dp.laplace(x, scale=i))
        for j in range(i - 1):
            out.append(dp.laplace(x, scale=i - 1))
    return out
""",
    "while": """
    i = 0
    while i < n:
        i += 1
        match i % 3:
            case 0:
                out.append(dp.laplace(x, scale=1))
            case 1:
                out.append(dp.laplace(x, scale=2))
    return out
""",
    "comprehension": """
    return [dp.laplace(x, scale=1) for i in range(n) if i % 2 and i > 2]
""",
}
#: Where any part of a condition may hold, or a number of one round comes from another: the worst.
LARGER = {"either", "negative", "state"}


def plainly(body: str, n: int, t: float) -> Fraction:
    """What the program releases, by Python itself: the sum of 1 / scale."""
    spent: list[Fraction] = []

    def laplace(x: Any, scale: int) -> float:
        spent.append(Fraction(1, scale))
        return 0.0

    def same(x: Any) -> Any:
        return x

    text = HEAD.split("@dp.measurement\n")[1].replace(": dp.Records[float]", "") + body
    names = {"dp": SimpleNamespace(laplace=laplace, sum=same, clamp=lambda x, a, b: x)}
    exec(text, names)
    names["f"](0, n, t)  # type: ignore[operator]
    return sum(spent, Fraction(0))


@pytest.mark.parametrize("name", BODIES)
def test_a_run_is_charged_for_the_branches_that_it_takes(name: str, tmp_path: Path) -> None:
    """Costs of the map, of a run and of a check at numbers: what Python itself releases there."""
    source = HEAD + BODIES[name]
    f = checked(tmp_path, source)
    for n, t in ((0, 0.1), (3, 0.05), (7, 0.1)):
        true = plainly(BODIES[name], n, t)
        told = f([0.5, 2.0], n=n, t=t)
        claimed = f.at(n=n, t=t).map(1)
        assert told.privacy["epsilon"] == decimal_up(claimed)
        assert sum(Fraction(each.bound) / Fraction(each.scale) for each in told.draws) == true
        assert claimed >= true if name in LARGER else claimed == true
        at = f.at(n=n, t=t)
        assert [at.map(d) for d in (1, 2, 3)] == [claimed, 2 * claimed, 3 * claimed]
        options = CheckOptions(set={"n": str(n), "t": str(Fraction(t))})
        (value,) = (
            i.value for i in check_source(IMPORT + source, options=options).functions[0].inputs[:1]
        )
        assert isinstance(value, Mapping) and value["epsilon"] == claimed


def test_a_decimal_may_be_meant_as_the_double_next_to_it() -> None:
    """0.1 on the command line is less than the double that a run compares with itself."""
    for text, cost, branches in (("0.1", 1, ""), ("0.05", Fraction(1, 4), "t = 0.05")):
        options = CheckOptions(set={"t": text})
        found = (
            check_source(IMPORT + HEAD + BODIES["float"], options=options).functions[0].inputs[0]
        )
        assert isinstance(found.value, Mapping)
        assert (found.value["epsilon"], found.branches) == (cost, branches)


def test_a_branch_that_was_not_charged_does_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run is held to the branches of its own numbers, whatever takes it elsewhere."""
    f = checked(tmp_path, HEAD + BODIES["odd of n"])
    true = FunctionGuarantee.at_numbers
    monkeypatch.setattr(
        FunctionGuarantee, "at_numbers", lambda self, at: true(self, {**at, "n": Fraction(2)})
    )
    with pytest.raises(InternalError):
        f([0.5, 2.0], n=6, t=0.1)


def test_a_session_pays_what_the_run_says(tmp_path: Path) -> None:
    """The row of the ledger is read in the same branches; another number is another cost."""
    f = checked(tmp_path, HEAD + BODIES["odd of n"])
    rows = {"rows": (dp.Records[float], [0.5, 2.0])}
    session = dp.Session(rows, budget=dp.Budget(epsilon=6))
    for n, paid, in_all in ((4, 2, 2), (7, 4, 6)):
        assert session.run(f, n=n, t=0.1).privacy["epsilon"] == str(paid)
        assert session.left()["epsilon"] == 6 - in_all


CHOSEN = """
def s(rows, high):
    return dp.sum(dp.clamp(rows, 0, high))

@dp.measurement
def f(rows: dp.Records[float], n: int):
    x = s(rows, 1) if n > 2 else s(rows, 5)
    return dp.laplace(x, {noise})

@dp.measurement
def statement(rows: dp.Records[float], n: int):
    x = 0.0
    if n > 2:
        x = s(rows, 1)
    return dp.laplace(3 + x, {noise})

@dp.measurement
def in_rounds(rows: dp.Records[float], n: int):
    x = y = s(rows, 1)
    z, out = s(rows, 5), []
    for i in range(4):
        x = y if i + n > 3 else z
    for i in range(2):
        out.append(dp.laplace(x, {noise}))
    return out
"""


@pytest.mark.parametrize(
    ("name", "noise", "costs"),
    [
        ("f", "scale=1", (5, 1)),
        ("f", "epsilon=1", (1, Fraction(1, 5))),  # noise of scale 5, whatever is chosen
        ("statement", "scale=1", (0, 1)),
        ("statement", "epsilon=2", (0, 2)),
        # What another round has chosen is the worst.
        ("in_rounds", "scale=1", (10, 10)),
    ],
)
def test_a_value_that_a_public_number_chose(
    name: str, noise: str, costs: tuple[Any, Any], tmp_path: Path
) -> None:
    f = checked(tmp_path, CHOSEN.format(noise=noise), name)
    for n, cost in zip((2, 3), costs, strict=True):
        assert [f.at(n=n).map(d) for d in (1, 2, 3)] == [cost, 2 * cost, 3 * cost]
        assert f([0.5, 2.0], n=n).privacy["epsilon"] == decimal_up(cost)
    whole = f.guarantee.data.cost("rows")["epsilon"]
    assert whole == num(max(costs)) and f.guarantee.data.requires == ()


def _relation(draw: random.Random, inside: list[str]) -> Relation:
    a, b = (sym(draw.choice([*inside, "n"]), integer=True) for _ in range(2))
    left = draw.choice([a - draw.randrange(3), a + b - 3, a - 2 * floor(a / 2), a - b])
    return Relation(left, draw.choice(["<", ">=", "==", "!="]), ZERO)


def _tree(draw: random.Random, depth: int, inside: list[str]) -> Tree:
    kind = draw.choice(["spent", "choice", "repeat", "sequence"]) if depth else "spent"
    if kind == "choice":
        items = tuple(_tree(draw, depth - 1, inside) for _ in range(2))
        known = tuple(
            tuple(_relation(draw, inside) for _ in range(draw.randrange(3))) for _ in "ab"
        )
        return Choice(items, known)
    if kind == "repeat" and len(inside) < 2:
        index = f"i{len(inside) + 1}"
        count = draw.choice(
            [num(3), sym("n", integer=True), *(sym(i, integer=True) for i in inside)]
        )
        return Repeat(maximum(ZERO, count), _tree(draw, depth - 1, [*inside, index]), index)
    if kind == "sequence":
        return Sequence(tuple(_tree(draw, depth - 1, inside) for _ in range(2)))
    epsilon = num(draw.randrange(1, 9))
    if inside and not draw.randrange(4):
        epsilon = epsilon + sym(draw.choice(inside), nonneg=True, integer=True)
    noise = {"scale": 1 / epsilon}
    event = Event("laplace", LAPLACE, "", noise, {"pure": (sym("_moved") * epsilon,)}, str(epsilon))
    return Spent(event, {"x": D})


def _cost(tree: Tree, at: dict[str, Fraction]) -> Fraction:
    """The largest cost of a way through a tree, round by round."""
    if isinstance(tree, Choice):
        happen = zip(tree.items, tree.conditions, strict=True)
        return max(
            (_cost(t, at) for t, known in happen if all(r.holds(at) for r in known)),
            default=Fraction(0),
        )
    if isinstance(tree, Repeat):
        rounds = range(int(tree.count.upper(at)))
        return sum((_cost(tree.body, {**at, tree.index: Fraction(i)}) for i in rounds), Fraction(0))
    if isinstance(tree, Sequence):
        return sum((_cost(each, at) for each in tree.items), Fraction(0))
    assert isinstance(tree, Spent)
    return Fraction(spent(tree, "pure", "x", ONE)[0].upper(at))


def test_rounds_are_decided_as_if_they_were_written_out() -> None:
    """Random trees: at numbers exactly the worst way, unless noise depends on a round; a reading
    without numbers is never below."""
    draw, exact = random.Random(14), 0
    for _ in range(150):
        tree = Sequence((_tree(draw, 4, []),))
        for n in (0, 1, 4):
            at = {"n": Fraction(n)}
            true = _cost(tree, at)
            costs = [
                Fraction(spent(found, "pure", "x", ONE)[0].upper(at))
                for found in (taken(tree, at), taken(tree), tree)
            ]
            assert true <= costs[0] <= costs[1] <= costs[2]
            exact += true == costs[0]
            steps_ = steps(taken(tree, at), "x", 1, at)
            assert sum(step.count * step.curve.pure_epsilon for step in steps_) >= true
    assert exact > 400


@dp.measurement
def rounds_of_both_kinds(rows: dp.Records[float]) -> Any:
    x = dp.sum(dp.clamp(rows, 0, 1))
    out = []
    for i in (1, 2, 3):
        for _ in range(1, i):  # none at first
            out.append(dp.laplace(x, scale=4))
        for k in range(3):
            if i == 1:
                if k % 2:  # with this noise its rounds are read one by one
                    out.append(dp.laplace(x, scale=k + 1))
                else:
                    out.append(dp.laplace(x, scale=1))
            else:  # and here one round is read for all
                out.append(dp.laplace(x, scale=2))
    return out


def test_a_loop_in_a_loop_is_read_in_two_ways() -> None:
    scales = [draw.scale for draw in rounds_of_both_kinds([0.5]).draws]
    assert scales == [1, 2, 1, 4, 2, 2, 2, 4, 4, 2, 2, 2]
    assert charged_as("a#1/b#0/c", ["a#1/c", "a#0/c"]) == "a#1/c"
    assert charged_as("a#1/b#0/c", ["a#1/c", "b#0/c"]) == "a#1/b#0/c"  # either: none is drawn
    assert charged_as("a#1/b#0/c", ["a#2/c", "a#1/d", "a#1"]) == "a#1/b#0/c"
