"""DuckDB gives what the reference gives, bit for bit, or the operation is refused by its name.

Rows are extreme: the ends of doubles and of integers, what is no number, texts of every kind.
Graphs of operations are random with fixed seeds.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

duckdb = pytest.importorskip("duckdb")

from column_graphs import COMPARED, INTEGERS, NUMBERS, ONES, PAIRS, RAW, grown, shown  # noqa: E402
from engine_tables import TEXTS, Both, random_rows  # noqa: E402

from metricdp.columns import language  # noqa: E402
from metricdp.columns.language import Node, Untraceable, constant  # noqa: E402
from metricdp.engines import forms  # noqa: E402

#: What has no form, and never gets one without being met here.
REFUSED = (
    "the function exp", "the function log", "the function sin", "the function cos",
    "the function tanh", "the function sigmoid", "the function softplus", "the function power",
    "a function from outside", "vectors of a row", "a function of doubles that Python computes",
    "a function of whole numbers that have no bound", "whole numbers that have no bound",
    "whole numbers that may have more than 124 bits", "whole numbers beyond 126 bits",
    "doubles of whole numbers beyond 64 bits",
    "a comparison of a double with a whole number beyond 53 bits",
)  # fmt: skip


def test_random_graphs() -> None:
    met: Counter[str] = Counter()
    for seed in range(14):
        random = Random(seed)
        table = random_rows(random, random.choice((1, 2, 12, 12)))
        nodes = [node for node in grown(random, table.leaves, 25) if node.width is None]
        refused = {table.refusal(node) for node in nodes} - {""}
        assert refused <= set(REFUSED), refused
        formed = table.formed(nodes)
        assert table.differences(formed) == []
        met.update(node.operator for node in formed)
    assert met.keys() >= forms.FORMS.keys() - {"ceil", "floor", "trunc", "round"} | {"by_value"}


def pairs(first: tuple[object, ...], base: str, second: tuple[object, ...], other: str) -> Both:
    """Every value beside every other."""
    return Both(
        {
            "x": (base, [a for a in first for _ in second], None),
            "y": (other, [b for _ in first for b in second], None),
        }
    )


def made(function: object, *given: object) -> list[Node]:
    try:
        found = function(*given)  # type: ignore[operator]
    except Untraceable:
        return []
    return [found]


@pytest.mark.parametrize("base", ["double", "integer", "text"])
def test_every_operator_of_every_pair(base: str) -> None:
    values: tuple[object, ...] = {"double": RAW, "integer": INTEGERS, "text": TEXTS}[base]
    table = pairs(values, base, values, base)
    x, y = table.leaves
    nodes = [node for f in (*PAIRS, *COMPARED) for node in made(f, x, y)]
    nodes += [node for f in ONES for node in made(f, x)]
    if base == "text":
        nodes += made(language.text, x, "len") + made(language.text, x, "title")
    formed = table.formed(nodes)
    assert len(formed) >= {"double": 18, "integer": 18, "text": 7}[base]
    assert table.differences(formed) == []


def test_numbers_of_two_kinds() -> None:
    table = pairs(RAW, "double", INTEGERS[::3], "integer")
    x, y = table.leaves
    small = language.clamp(y, -(2**53), 2**53)
    nodes = [node for f in PAIRS[:-1] for node in made(f, x, y)]
    nodes += [node for f in COMPARED for node in made(f, x, small)]
    assert table.differences(table.formed(nodes)) == []
    # A double and a whole number that is none are compared by no engine as exact numbers.
    refusal = "a comparison of a double with a whole number beyond 53 bits"
    assert table.refusal(language.lt(x, y)) == refusal


def test_public_numbers() -> None:
    """Beside every public number: the literals of a query are the numbers that they stand for."""
    table = pairs(RAW[::7], "double", INTEGERS[::5], "integer")
    x, y = table.leaves
    nodes = [
        node
        for number in NUMBERS[::4]
        for f in (*PAIRS[:-1], *COMPARED[:4], _at_least)
        for node in (*made(f, x, number), *made(f, y, number))
    ]
    formed = table.formed(nodes)
    assert len(formed) > 150
    for start in range(0, len(formed), 100):
        assert table.differences(formed[start : start + 100]) == []


def _at_least(x: Node, number: object) -> Node:
    return language.clamp(x, number, None)


def test_whole_numbers_that_saturate_reach_no_result() -> None:
    table = Both({"x": ("double", RAW, None)})
    whole = language.floor(table.leaves[0])
    for node in (whole, language.add(whole, 1), language.select(True, whole, whole),
                 language.eq(whole, 2**62), language.clamp(whole, 0, 2**62)):  # fmt: skip
        assert table.refusal(node) == "whole numbers that have no bound", shown(node)
    kept = [language.clamp(whole, -5, 2**61), language.lt(whole, 2**62 - 1)]
    assert table.differences(kept) == []


def test_no_rows() -> None:
    table = random_rows(Random(0), 0)
    nodes = table.formed(grown(Random(0), table.leaves, 60))
    assert len(nodes) > 30 and table.values(nodes) == []


def test_a_form_that_is_wrong_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pairs(RAW, "double", (1.0, 2.5, -3.0), "double")
    x, y = table.leaves
    node = language.mod(x, y)
    assert table.differences([node, constant(1)]) == []
    monkeypatch.setitem(forms.FORMS, "mod", lambda node, x, y: f"({x} % {y})")
    assert table.differences([node]) != []
