"""Sums on columns as they lie are those of the reference, whatever lies there.

Random nodes over numbers, over what is no number, and over rows of which one is none; and the bound
holds whatever operators give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import inf, nan
from random import Random
from typing import Any

import numpy as np
import pytest
from column_graphs import DOUBLES, LARGEST, RAW, Reversed, evaluated_by, grown, shown
from depth import depth

from metricdp.columns import arrays, language, products, quick
from metricdp.columns import sums as exact_sums
from metricdp.columns.arrays import Plan
from metricdp.columns.elementary import FUNCTIONS
from metricdp.columns.grids import GridRange, range_of
from metricdp.columns.language import Node
from metricdp.columns.quick import QuickPlan, quicker
from metricdp.columns.stored import Stored
from metricdp.columns.sums import looked_at
from metricdp.columns.table import Table

BOUNDS = [
    range_of(Fraction(low), Fraction(high))
    for low, high in ((0, 1), (-50, 3), (-LARGEST, LARGEST), (0, 1e300), (5, 5), (-1e-300, 0))
]


def table(random: Random, rows: int, cells: Sequence[float]) -> Table:
    """Three columns of doubles, one of them in bounds, one of integers and one of Booleans."""
    columns = [Stored("double", np.array([random.choice(cells) for _ in range(rows)], float))
               for _ in range(2)]  # fmt: skip
    columns.append(
        Stored("double", np.array([random.choice(cells) for _ in range(rows)]), -3.0, 9.0)
    )
    columns.append(Stored("integer", np.array([random.randint(-5, 5) for _ in range(rows)])))
    columns.append(Stored("boolean", np.array([random.random() < 0.5 for _ in range(rows)])))
    return Table(tuple(columns), tuple(column.node(i) for i, column in enumerate(columns)))


def numbers(random: Random, leaves: Sequence[Node], size: int) -> list[Node]:
    """Random nodes, each a double of every row."""
    found = grown(random, leaves, size)[len(leaves) :]
    return [node for node in found if node.base == "double" and node.width is None]


def clamped(random: Random, leaves: Sequence[Node]) -> list[Node]:
    """Arithmetic of clamped columns, as programs have it."""
    x, y, z = (language.clamp(leaf, *sorted(random.choice(((0, 1), (-2, 5), (1, 1)))))
               for leaf in leaves[:3])  # fmt: skip
    raw = language.mul(leaves[0], leaves[1])
    return [
        language.mul(x, y), language.add(language.mul(x, x), z), language.sub(x, language.neg(y)),
        language.select(language.lt(x, y), x, z), language.absolute(language.sub(x, z)),
        language.select(language.lt(raw, 1), 1.0, 0.25), language.floor(language.mul(z, 0.25)),
        language.sub(leaves[0], 1e-300), language.mul(leaves[1], 1e-308),
        language.clamp(raw, -1, 1), raw, language.minimum(x, language.maximum(y, z)),
        language.mul(language.clamp(language.add(raw, 1e300), 0, 1e300), 2.0),
    ]  # fmt: skip


def cases(seed: int, cells: Sequence[float]) -> Iterator[tuple[Table, list[Node]]]:
    random = Random(seed)
    made = table(random, 50, cells)
    for nodes in (clamped(random, made.row), numbers(random, made.row, 12)):
        for node in nodes:
            yield made, [node]
        yield made.filtered(language.lt(made.row[0], 1.0)), nodes
        yield made.taken([random.randrange(50) for _ in range(20)]), nodes


def sums(held: Table, nodes: Sequence[Node], bound: GridRange) -> Any:
    asked = [(node, bound) for node in nodes]
    pairs = [(i, i // 2) for i in range(len(nodes))][:4]
    # What is the same in all rows, once as a factor.
    for value in (2.5, -1, 1e307):
        asked.append((language.constant(value), bound))
    pairs.append((0, len(asked) - 1))
    return held.sums(asked, range(len(asked)), pairs), held.size()


CELLS = {
    "numbers": [x for x in DOUBLES if abs(x) < 1e100],
    "large numbers": DOUBLES,
    "all": RAW,
    "one NaN": [*[0.5, 2.0, -0.0] * 40, nan],
    "one infinity": [*[0.5, 2.0, -0.0] * 40, -inf],
}


@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("rows", (4, 1 << 14))
def test_sums_are_those_of_the_reference(cells: str, rows: int) -> None:
    for seed in range(6):
        for at, (held, nodes) in enumerate(cases(seed, CELLS[cells])):
            bound = BOUNDS[at % len(BOUNDS)]
            assert bound is not None
            with evaluated_by("reference"):
                expected = sums(held.with_row(held.row), nodes, bound)
            with evaluated_by("arrays", rows):
                found = sums(Table(held.columns, (), held.where, held.chosen), nodes, bound)
            assert found == expected, [*map(shown, nodes)]


def test_numbers_are_not_cleaned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of columns that hold numbers, no piece is made by the plan that cleans."""
    cleaned: list[Plan] = []
    right = Plan.run
    monkeypatch.setattr(
        Plan, "run", lambda plan, *given: cleaned.append(plan) or right(plan, *given)
    )
    for cells, expected in (("numbers", False), ("one NaN", True)):
        random = Random(1)
        held = table(random, 50, CELLS[cells])
        for node in clamped(random, held.row):
            held.ticks([(node, BOUNDS[0])])  # type: ignore[list-item]
        assert bool(cleaned) is expected


def test_what_is_met_once_is_cleaned_from_there_on() -> None:
    """Rows that are no number at the first, a middle and the last place of a piece, and in all."""
    for rows in (1, 5, 8, 50):
        for places in ([0], [rows // 2], [rows - 1], range(rows)):
            for what in (nan, inf, -inf):
                data = np.full(rows, 0.25)
                data[list(places)] = what
                column = Stored("double", data)
                node = language.mul(language.clamp(column.node(0), -1, 1), 3.0)
                bound = BOUNDS[1]
                assert bound is not None
                found = []
                for name in ("reference", "arrays"):
                    with evaluated_by(name, 4):
                        found.append(Table((column,), node).ticks([(node, bound)]))
                assert found[0] == found[1]


def test_no_number_of_one_sum_is_none_of_the_others() -> None:
    """Several sums in one pass, NaN in some of them: what was added of the others is theirs."""
    columns = tuple(Stored("double", np.full(40, 0.25 * (i + 1))) for i in range(3))
    for column in columns[1:]:
        column.data[[7, 39]] = nan
    x, y, z = (language.clamp(column.node(i), 0, 1) for i, column in enumerate(columns))
    bound = range_of(Fraction(0), Fraction(10))
    assert bound is not None
    each = [language.mul(x, x), language.mul(y, z), language.add(x, 1.0), z, x]
    for nodes in (each[i:] + each[:i] for i in range(5)):
        for where in (None, language.le(columns[1].node(1), 0.5)):
            found = []
            for name in ("reference", "arrays"):
                with evaluated_by(name, 32):
                    held = Table(columns, (), where)
                    asked = [(node, bound) for node in nodes]
                    found.append((held.totals(asked), held.sums(asked, range(5), [(0, 1)])))
            assert found[0] == found[1]


def test_what_is_written_on_is_nothing_that_is_needed() -> None:
    """Nodes that share what they need, several times over, on arrays of many kinds: sums, products
    and a second run are those of the reference, and the caller's arrays are as they were."""
    kinds: list[Callable[[Any], Any]] = [
        lambda x: x, lambda x: x[::-1], lambda x: np.repeat(x, 2)[::2], lambda x: x.astype(">f8"),
        lambda x: x.astype(np.float32), lambda x: np.broadcast_to(x[:1], x.shape),
    ]  # fmt: skip
    operators = [language.add, language.sub, language.mul, language.minimum, language.maximum]
    for seed in range(depth(30, 60)):
        random = Random(seed)
        with np.errstate(all="ignore"):
            columns = tuple(
                Stored("double", random.choice(kinds)(np.array(random.choices(cells, k=20), float)))
                for cells in random.sample([*CELLS.values()], 3)
            )
        before = [column.data.tobytes() for column in columns]
        raw = [column.node(i) for i, column in enumerate(columns)]
        found = [language.clamp(x, *random.choice([(0, 1), (-2, 5), (1, 1)])) for x in raw]
        for _ in range(random.randrange(2, 9)):
            x, y = random.choice([*found, *raw]), random.choice([*found, 2.0])
            found.append(random.choice(operators)(x, y))
            if random.random() < 0.4:
                first, second = random.sample(found, 2)
                chosen = language.select(language.lt(first, second), second, found[-1])
                found.append(language.neg(first) if random.random() < 0.5 else chosen)
        nodes = random.choices(found, k=4)
        asked = [(node, random.choice(BOUNDS)) for node in nodes]
        pairs = [(0, 1), (1, 1)][: random.randrange(3)]
        answers = []
        for name in ("reference", "arrays", "arrays"):
            with evaluated_by(name, random.choice((3, 16, 1 << 14))):
                held = Table(columns, ())
                answers.append((held.sums(asked, range(4), pairs), held.totals(asked)))  # type: ignore[arg-type]
        assert answers[0] == answers[1] == answers[2], [*map(shown, nodes)]
        # Columns that are read once, as they lie.
        for node in (language.mul(*raw[:2]), language.neg(raw[2]), language.sub(raw[0], 2.0)):
            Table(columns, ()).totals([(node, BOUNDS[0])])  # type: ignore[list-item]
        assert before == [column.data.tobytes() for column in columns]


def test_functions_from_outside_see_clean_numbers() -> None:
    column = Stored("double", np.array([[-0.0, nan], [1.0, inf]]))
    node = language.entry(language.called(Reversed(2), column.node(0)), 0)
    assert quicker(Plan([node])) is None
    assert isinstance(quicker(Plan([language.entry(column.node(0), 1)])), QuickPlan)


def written_on(*given: Any) -> Any:
    """Numbers that are added up before all were looked at."""
    found = looked_at(*given)
    if found is None:
        return None
    total = found()
    return lambda: total


def placed_too_early(
    factor: products.Factor, other: products.Factor, near: Any = products.Factor.near
) -> Any:
    """Factors that are put beside their shift before all products asked how large they are."""
    found = near(factor, other)
    if found is not None and factor._small is not None and factor._numbers is not None:
        exact_sums.places(factor._numbers, factor._small, factor._free)
    return found


DEFECTS: dict[str, tuple[Any, str, Any]] = {
    "nothing is looked at": (quick, "finite", lambda x: True),
    "NaN is hidden": (quick, "_after", lambda node, given, states: (0, [])),
    "written on too early": (products, "looked_at", written_on),
    "placed too early": (products.Factor, "near", placed_too_early),
    "an end left out": (
        Stored, "clipped", lambda column, rows, ends: column.data[rows].clip(None, ends[1])
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DEFECTS)
def test_planted_defects_are_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place, what, wrong = DEFECTS[name]
    monkeypatch.setattr(place, what, wrong)
    with pytest.raises(AssertionError):
        test_sums_are_those_of_the_reference("all", 1 << 14)
        test_no_number_of_one_sum_is_none_of_the_others()


def test_no_row_adds_more_than_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Operators that give anything, on every way to a sum."""
    bound = BOUNDS[0]
    assert bound is not None
    random = Random(5)
    for garbage in (nan, inf, -inf, 1e308, -7.0):
        for operator in ("add", "sub", "mul"):
            monkeypatch.setitem(
                arrays._MEANINGS, (operator, "double"),
                lambda node, x, y, g=garbage: np.full(np.shape(np.add(x, y)), g),
            )  # fmt: skip
        held = table(random, 30, CELLS["all"])
        for node in clamped(random, held.row):
            with evaluated_by("arrays"):
                ticks, ones = held.ticks([(node, bound), (language.constant(1), bound)])
            assert ones == 30 * bound.last
            assert 30 * bound.first <= ticks <= 30 * bound.last


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_function_tells_the_zeros_apart(name: str) -> None:
    function = FUNCTIONS[name]
    if name != "power":
        assert function(0.0) == function(-0.0)
        return
    for x in DOUBLES:
        assert function(0.0, x) == function(-0.0, x)
        assert function(x, 0.0) == function(x, -0.0)
