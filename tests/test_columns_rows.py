"""The law of row independence, through tables: what one row gives depends on no other row.

Rows are shuffled, inserted, removed, padded, strided and cut into pieces elsewhere; every operator,
and what a row adds to a sum, gives the same bits.  The sign of a zero is no value (see
`test_no_operator_tells_zeros_apart`).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from column_graphs import DOUBLES, RAW, bits, evaluated_by, grown, tables, values
from depth import depth
from row_independence import STRANGE, dependence

from metricdp.columns import arrays, keys, language, nullable
from metricdp.columns.grids import GridRange, ball_of, range_of, whole_range
from metricdp.columns.language import Node, as_double, entry, stack
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.columns.texts import Texts
from metricdp.columns.totals import ball_ticks
from metricdp.values import listed

RNG = np.random.default_rng(11)
EDGES = [*map(Fraction, DOUBLES[:30]), Fraction(1, 3)]
#: Two columns of rows that take all branches, beside plain ones.
COLUMNS = tuple(
    RNG.permutation(np.concatenate([RAW, STRANGE, RNG.normal(size=40) * 10 ** RNG.uniform(-3, 4)]))
    for _ in range(2)
)


def over(*columns: np.ndarray) -> tuple[Table, Node, Node]:
    held = tuple(Stored("double", column) for column in columns)
    nodes = [column.node(at) for at, column in enumerate(held)]
    return Table(held, tuple(nodes)), nodes[0], nodes[1]


def one(node: Node) -> Callable[..., Any]:
    """The first number of a vector, or the number, as a double without the sign of a zero."""
    return lambda table: table.array(as_double(_number(node))) + 0.0


def _number(node: Node) -> Node:
    if node.width is not None:
        node = entry(node, 0)
    return language.select(node, 1.0, 0.0) if node.base in ("boolean", "text") else node


def formulas(x: Node, y: Node) -> dict[str, Node]:
    """Nodes of two columns of doubles, in which every operator is met."""
    whole = language.floor(x)
    both = stack([x, y, language.add(x, y)])
    named = language.select(language.lt(x, y), "One", "two")
    return {
        "add": language.add(x, y), "sub": language.sub(x, y), "mul": language.mul(x, y),
        "div": language.div(x, y), "floordiv": language.floordiv(x, y), "mod": language.mod(x, y),
        "neg": language.neg(x), "abs": language.absolute(x), "power": language.power(x, y),
        "min": language.minimum(x, y), "max": language.maximum(x, y),
        "clamp": language.clamp(x, -1, 1), "sqrt": language.sqrt(x),
        "ceil": language.ceil(x), "trunc": language.trunc(x), "round": language.nearest_integer(x),
        "whole sum": language.add(whole, language.floor(y)),
        "whole product": language.mul(whole, language.floor(y)),
        "whole quotient": language.floordiv(whole, language.floor(y)),
        "whole rest": language.mod(whole, 7), "whole clamp": language.clamp(whole, -(2**70), 5),
        "whole max": language.maximum(whole, 2**64), "cube": language.power(whole, 3),
        "lt": language.lt(x, y), "le": language.le(whole, y), "eq": language.eq(x, whole),
        "and": language.both(language.lt(x, 1), language.lt(y, 1)),
        "or": language.either(x, language.lt(y, 1)), "not": language.negated(x),
        "select": language.select(language.lt(x, y), x, whole),
        "text": language.eq(language.text(named, "lower"), "one"),
        "by value": language.by_value(lambda value: len(repr(value)) / 3, "double", x),
        "by value of texts": language.by_value(len, "integer", named),
        "by three values": language.by_value(lambda *xs: len(repr(xs)), "integer", x, named, y),
        "text order": language.lt(named, language.add(named, named)),
        "position": keys.position(x, [*DOUBLES, "a"]), "bin": keys.bin_of(x, sorted(EDGES)),
        "item": language.item(keys.position(whole, range(3)), [0.5, 1, 2**70, -7]),
        "missing": nullable.filled(nullable.Nullable(x, language.lt(x, y)), 0.5),
        "sum": language.total(both), "dot": language.dot(both, both),
        "largest": language.largest(both), "smallest": language.smallest(both),
        "sorted": language.rising(both), "outer": language.outer(both),
        "slice": language.part(both, 2, -1, -1), "concat": language.concat([both, [1.0], both]),
        **{f"scaled {norm}": language.scaled_into(both, norm, Fraction(3, 2))
           for norm in ("L1", "L2", "LInf")},
        **{name: language.function(name, x) for name in language._FUNCTIONS},
        **{f"{name} of a product": language.function(name, language.mul(x, y))
           for name in ("exp", "sigmoid")},
    }  # fmt: skip


NAMES = sorted(formulas(*over(*COLUMNS)[1:]))


def test_every_operator_is_among_them() -> None:
    met: set[str] = set()
    waiting = list(formulas(*over(*COLUMNS)[1:]).values())
    while waiting:
        node = waiting.pop()
        met.add(node.operator)
        waiting.extend(node.arguments)
    # A black box is no operation of the language.
    assert met | {"entry", "double", "called"} == language.OPERATORS


@pytest.mark.parametrize("name", NAMES)
def test_operators(name: str) -> None:
    def found(*columns: np.ndarray) -> np.ndarray:
        table, x, y = over(*columns)
        return one(formulas(x, y)[name])(table)

    with evaluated_by("arrays", rows=37):
        assert dependence(found, *COLUMNS) == []
    assert np.array_equal(found(*COLUMNS), _by_pieces(found))


def _by_pieces(found: Callable[..., np.ndarray]) -> np.ndarray:
    with evaluated_by("arrays", rows=5):
        return found(*COLUMNS)


BOUNDS = {
    "unit": range_of(Fraction(0), Fraction(1)),
    "odd": range_of(Fraction(-1, 3), Fraction(22, 7)),
    "wide": range_of(Fraction(-(2**60)), Fraction(2**61)),
    "narrow": range_of(Fraction(1), 1 + Fraction(1, 2**50)),
    "whole": whole_range(Fraction(-5), Fraction(1000)),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_ticks_of_a_range(name: str) -> None:
    bound = BOUNDS[name]
    assert bound is not None

    def found(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        table, a, b = over(x, y)
        ticks = arrays.range_ticks(table.array(language.mul(a, b)), bound)
        return ticks.astype(np.float64)

    assert dependence(found, *COLUMNS) == []


@pytest.mark.parametrize("norm", ["L1", "L2", "LInf"])
def test_ticks_of_a_ball(norm: str) -> None:
    ball = ball_of(None, None, [(norm, Fraction(2, 3))])
    assert ball is not None
    for at in range(2):

        def found(x: np.ndarray, y: np.ndarray, at: int = at) -> np.ndarray:
            table, a, b = over(x, y)
            return ball_ticks(table.array(stack([a, b])), ball)[at].astype(np.float64)

        assert dependence(found, *COLUMNS) == []


def test_totals_are_sums_of_what_every_row_adds() -> None:
    for seed in range(depth(12, 25)):
        random = Random(seed)
        table = tables(random, 9)
        nodes = [n for n in grown(random, list(table.row), 15) if n.base in ("double", "integer")]
        asked = [(n, _bound(random, n)) for n in nodes]
        asked = [(as_double(n) if n.width else n, bound) for n, bound in asked]
        with evaluated_by("arrays", rows=random.choice((1, 4, 100))):
            whole = totals(table, asked)
            order = random.sample(range(9), 9)
            assert totals(table.taken(order), asked) == whole
            singles = [totals(table.taken([at]), asked) for at in range(9)]
        with evaluated_by("reference"):
            assert totals(table, asked) == whole
        assert [_sum(parts) for parts in zip(*singles, strict=True)] == whole


def totals(table: Table, asked: Any) -> list[Any]:
    """Sums as rationals, or lists of them."""
    return [listed(total) for total in table.totals(asked)]


def _bound(random: Random, node: Node) -> Any:
    if node.width:
        norm = random.choice(("L1", "L2", "LInf"))
        return ball_of(None, None, [(norm, Fraction(random.choice((1, 7)), 3))])
    low, high = sorted(Fraction(random.choice(DOUBLES)) for _ in range(2))
    if node.base == "integer":
        return whole_range(low - 1, high + 1)
    return range_of(low, high) or GridRange(0, 0, 1)


def _sum(parts: tuple[Any, ...]) -> Any:
    if isinstance(parts[0], list):
        return [sum(entries) for entries in zip(*parts, strict=True)]
    return sum(parts)


def test_rows_of_tables_of_any_kind() -> None:
    """Graphs over texts, integers of any size and vectors: chosen rows give what they gave."""
    for seed in range(depth(20, 40)):
        random = Random(seed)
        table = tables(random, 11)
        nodes = grown(random, list(table.row), 20)
        order = [random.randrange(11) for _ in range(17)]
        with evaluated_by("arrays", rows=random.choice((1, 4, 100))):
            first = values(table, nodes)
            chosen = values(table.taken(order), nodes)
        for before, after in zip(first, chosen, strict=True):
            assert [bits(before[at]) for at in order] == list(map(bits, after))


def test_another_list_of_texts_gives_the_same() -> None:
    """Codes of texts depend on the other rows; what is made of them does not."""
    for cells in (["b", "a", "b"], ["a", "b"], ["x", "b", "a", "a"]):
        held = Stored("text", Texts.of(cells))
        node = held.node(0)
        flags = Table((held,), node).array(language.contained(node, ["a", "q"]))
        assert flags.tolist() == [cell == "a" for cell in cells]


def _by_place(node: Node, x: Any, y: Any) -> Any:
    # As a vector loop with another remainder: the last rows lose their last bit.
    found = np.asarray(x + y)
    tail = found.shape[-1] // 8 * 8
    found[..., tail:] = np.nextafter(found[..., tail:], 0)
    return arrays.finite(node, found)


DEFECTS: dict[str, tuple[tuple[str, str], Any]] = {
    "the last rows": (("add", "double"), _by_place),
    "the mean": (("sub", "double"), lambda node, x, y: arrays.finite(node, x - y - x.mean())),
    "a norm of all rows": (
        ("scaled_into", ""),
        lambda node, x: x / max(1.0, float(np.abs(x).max())),
    ),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_a_planted_dependence_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place, work = DEFECTS[name]
    monkeypatch.setitem(arrays._MEANINGS, place, work)
    which = {"add": "add", "sub": "sub", "scaled_into": "scaled L2"}[place[0]]

    def found(*columns: np.ndarray) -> np.ndarray:
        table, x, y = over(*columns)
        return one(formulas(x, y)[which])(table)

    x = np.random.default_rng(5).uniform(-9, 9, 4000)
    assert dependence(found, x, x[::-1]) != []
