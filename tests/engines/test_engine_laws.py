"""DuckDB gives what the reference gives, bit for bit, or the operation is refused by its name.

Rows are extreme: the ends of doubles and of integers, what is no number, texts of every kind.
Graphs of operations are random with fixed seeds.
"""

from __future__ import annotations

from collections import Counter
from datetime import date
from fractions import Fraction
from math import pi
from random import Random
from typing import Any

import pytest

duckdb = pytest.importorskip("duckdb")

from column_graphs import (  # noqa: E402
    COMPARED,
    INTEGERS,
    LARGEST,
    NUMBERS,
    ONES,
    PAIRS,
    RAW,
    evaluated_by,
    grown,
    shown,
)
from engine_tables import TEXTS, Both, random_rows  # noqa: E402

from metricdp.columns import language  # noqa: E402
from metricdp.columns.days import PARTS, day_part  # noqa: E402
from metricdp.columns.graphs import in_order  # noqa: E402
from metricdp.columns.grids import (  # noqa: E402
    Bound,
    GridRange,
    Squares,
    ball_of,
    range_of,
    whole_range,
)
from metricdp.columns.language import Node, Untraceable, constant  # noqa: E402
from metricdp.engines import elementary, forms  # noqa: E402
from metricdp.errors import EngineError  # noqa: E402

#: What has no form, and never gets one without being met here.
REFUSED = (
    "a function from outside", "more than 16 entries in order",
    "a function of doubles that Python computes",
    "a function of whole numbers that have no bound", "whole numbers that have no bound",
    "whole numbers that may have more than 124 bits", "whole numbers beyond 126 bits",
    "a comparison of a double with a whole number beyond 53 bits",
)  # fmt: skip
#: Of random nodes few have these forms; others are met below.
RARE = {"ceil", "floor", "trunc", "round", "lt", "le", "plain_add", "made_finite"}


def test_random_graphs() -> None:
    met: Counter[str] = Counter()
    for seed in range(14):
        random = Random(seed)
        table = random_rows(random, random.choice((1, 2, 12, 12)))
        few = random.choices(table.leaves[:5], k=3)
        nodes = [
            each
            for node in grown(random, [*table.leaves, language.stack(few)], 25)
            for each in single(node)
            if not elementary.NAMES & {inner.operator for inner in in_order([node])[0]}
        ]
        refused = {table.refusal(node) for node in nodes} - {""}
        assert refused <= set(REFUSED), refused
        formed = table.formed(nodes)
        assert table.differences(formed) == []
        met.update(node.operator for node in formed)
    assert met.keys() >= forms.FORMS.keys() - RARE | {"by_value", "entry", "sum"}


def single(node: Node) -> list[Node]:
    """A number, or the entries of a vector."""
    return [node] if node.width is None else [language.entry(node, i) for i in range(node.width)]


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
    nodes = [node for node in nodes if node.operator not in elementary.NAMES]
    formed = table.formed(nodes)
    assert len(formed) >= {"double": 18, "integer": 18, "text": 7}[base]
    assert table.differences(formed) == []


def test_elementary_functions() -> None:
    """Of doubles of every size, also where the definitions go another way."""
    random = Random(9)
    some = [random.uniform(-1, 1) * 10 ** random.uniform(-320, 308) for _ in range(100)]
    some += [random.uniform(-800, 800) for _ in range(100)]
    some += [random.uniform(-20, 20) for _ in range(100)]
    some += [k * pi / 2 * (1 + d * 2**-52) for k in range(-9, 10) for d in (-1, 0, 1)]
    values = [*RAW, *some]
    table = Both({"x": ("double", values, None), "y": ("double", values[::-1], None)})
    x, y = table.leaves
    nodes = [language.function(name, x) for name in sorted(elementary.QUICK)]
    assert table.differences(nodes) == []
    assert table.refusal(language.power(x, y)) == "the function power"


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


def test_doubles_of_whole_numbers_of_every_size() -> None:
    table = pairs(INTEGERS, "integer", (2**60 - 1, -(2**53) - 1, 3, 1), "integer")
    x, y = table.leaves
    y = language.clamp(y, -(2**60), 2**60)
    products = [language.mul(x, y), language.mul(language.add(x, 1), y), language.add(x, x)]
    nodes = [
        language.as_double(language.add(product, k)) for product in products for k in (-1, 0, 1)
    ]
    assert len(table.formed(nodes)) == len(nodes)
    assert table.differences(nodes) == []


def test_the_calendar() -> None:
    """Every part of every day of 400 years, after which it comes again, and of both ends."""
    first, last = (end.toordinal() - date(1970, 1, 1).toordinal() for end in (date.min, date.max))
    days = [*range(first, first + 1000), *range(-400, 2 * 365), *range(last - 1000, last + 1)]
    days += list(range(first, last, 997))
    table = Both({"day": ("integer", days, (first, last))})
    nodes = [day_part(table.leaves[0], name) for name in PARTS]
    assert table.differences(nodes) == []


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


def test_vectors() -> None:
    """Sums of entries that become infinite on the way, order, and what a ball scales down."""
    random = Random(5)
    parts = [("double", [random.choice(RAW) for _ in range(400)], None) for _ in range(4)]
    table = Both(dict(zip("abcd", parts, strict=True)))
    x, near = language.stack(table.leaves), [language.clamp(a, -3, 3) for a in table.leaves]
    y = language.stack(near)
    balls = [
        language.scaled_into(v, norm, radius)
        for v in (x, y)
        for norm in ("L1", "L2", "LInf")
        for radius in (0, 1, Fraction(1, 3), 1e300)
    ]
    nodes = [language.total(x), language.dot(x, y), language.dot(y, y), language.rising(x),
             language.outer(y), language.largest(x), language.smallest(y), *balls,
             language.length_in(x, "L2"), language.at(x, language.floor(near[0]))]  # fmt: skip
    assert table.differences([each for node in nodes for each in single(node)]) == []


def test_no_rows() -> None:
    table = random_rows(Random(0), 0)
    nodes = table.formed(grown(Random(0), table.leaves, 60))
    assert len(nodes) > 30 and table.values(nodes) == []


def _bounds(random: Random) -> list[Bound]:
    """Ranges and balls with ends of every size."""
    ends = [Fraction(x) for x in (0, 1, -1, 5, 20.5, -1e300, 2**40, -(2**62) + 1, 5e-324, 1e-300)]
    ends += [Fraction(1, 3), Fraction(-22, 7), Fraction(2**62 - 1)]
    found: list[Any] = []
    for _ in range(12):
        low, high = sorted(random.choices(ends, k=2))
        found.append(range_of(low, high))
        whole = whole_range(low, high)
        found += [] if whole is None or whole.first < -(2**62) else [whole]
    return [bound for bound in found if bound is not None]


def test_sums_at_every_width() -> None:
    """Numbers at the ends of their ranges, many times over, and products of 43 bits each."""
    random = Random(3)
    rows = [random.choice(RAW) for _ in range(100)]
    wholes = [random.choice(INTEGERS) for _ in range(100)]
    table = Both({"x": ("double", rows, None), "n": ("integer", wholes, None)})
    x, n = table.leaves
    formed = 0
    for _ in range(6):
        for node in (x, n, language.lt(x, n), language.floor(x)):
            asked = [(node, bound) for bound in _bounds(random)]
            formed += table.sums_agree(asked)
    assert formed > 150
    assert table.sums_agree([(n, GridRange(0, -(2**62) + 1, 2**62 - 1))])
    assert not table.sums_agree([(n, GridRange(0, 0, 2**62))])  # refused
    wide = [
        (x, range_of(Fraction(-(2**43)), Fraction(2**43))),
        (n, GridRange(0, 1 - 2**43, 2**43 - 1)),
    ]
    mine, its = table.tables()
    with evaluated_by("reference"):
        expected = its.sums(wide, [0, 1], [(0, 1), (0, 0), (1, 1)])
    assert mine.sums(wide, [0, 1], [(0, 1), (0, 0), (1, 1)]) == expected


def test_sums_of_vectors() -> None:
    random = Random(4)
    parts = [("double", [random.choice(RAW) for _ in range(150)], None) for _ in range(2)]
    near = ("double", [random.uniform(-2, 2) for _ in range(150)], None)
    table = Both({"a": parts[0], "b": parts[1], "c": near, "d": near})
    a, b, c, d = table.leaves
    vectors = [language.stack([a, b, c]), language.stack([c, d]), language.stack([a]),
               language.mul(language.stack([c, d]), a)]  # fmt: skip
    radii = [Fraction(1), Fraction(3, 2), Fraction(1, 3), Fraction(10**6), Fraction(1e-300)]
    formed, both = 0, [("L1", Fraction(1)), ("L2", Fraction(1, 2))]
    for vector in vectors:
        balls = [
            ball_of(None, None, [(norm, radius)])
            for norm in ("L1", "L2", "LInf")
            for radius in radii
        ]
        balls.append(ball_of(Fraction(-1), Fraction(1, 3), both))
        balls.append(ball_of(Fraction(0), Fraction(0.1), []))
        asked: list[Any] = [(vector, ball) for ball in balls]
        asked += [(vector, Squares(ball)) for ball in balls[::4] if ball is not None]
        formed += table.sums_agree([*asked, (a, GridRange(0, 0, 5))])
    assert formed > 60


def test_ranks() -> None:
    """How many rows lie beside public numbers, and those of some ranks."""
    random = Random(6)
    near = [random.choice((*RAW, *(random.uniform(-4, 4) for _ in range(40)))) for _ in range(400)]
    wholes = [random.choice(INTEGERS) for _ in near]
    table = Both({"x": ("double", near, None), "n": ("integer", wholes, None)})
    x, n = table.leaves
    numbers = [0, -0.0, Fraction(1, 3), 2**53 + 1, LARGEST, -LARGEST, 5e-324, Fraction(10) ** 400,
               2.5, 1.0, -(10**400), 2**63]  # fmt: skip
    ends = [(-5, 5), (0, LARGEST), (1 / 3, 1), (-1, 5e-324), (3, Fraction(3) + Fraction(1, 2**60))]
    spans = [(Fraction(low), Fraction(high)) for low, high in ends]
    mine, its = table.tables()
    small = language.clamp(n, -(2**40), 2**53)
    for node in (x, language.clamp(x, -3, 3), n, small, language.lt(x, 1)):
        on_engine, here = mine.with_row(node), its.with_row(node)
        assert on_engine.sides(numbers) == here.sides(numbers)
        for low, high in spans if node is not n else ():
            a, b = on_engine.between(low, high), here.between(low, high)
            assert a is not None and b is not None
            assert a[:2] == b[:2] and len(a.rows) == len(b.rows)
            assert [r + 0.0 for r in b.rows.tolist()] == a.rows.tolist()
            for start, stop in ((0, 3), (20, 70), (len(b.rows) - 2, len(b.rows))):
                assert a.rows[start:stop].tolist() == [r + 0.0 for r in b.rows[start:stop].tolist()]
            assert not len(b.rows) or a.rows[-1] == b.rows[-1]
    with pytest.raises(EngineError, match="whole numbers beyond 53 bits in order"):
        mine.with_row(n).between(Fraction(0), Fraction(1))


def test_a_form_that_is_wrong_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pairs(RAW, "double", (1.0, 2.5, -3.0), "double")
    x, y = table.leaves
    node = language.mod(x, y)
    assert table.differences([node, constant(1)]) == []
    monkeypatch.setitem(forms.FORMS, "mod", lambda sql, node, x, y: f"({x} % {y})")
    assert table.differences([node]) != []
