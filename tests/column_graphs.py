"""Columns of extreme values, and random nodes over them, for laws of the columnar language."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from math import inf, nan, nextafter
from random import Random
from struct import pack
from typing import Any

import numpy as np
import pytest

from metricdp.checked.path import columns_path
from metricdp.columns import arrays, keys, language, parted
from metricdp.columns.evaluators import VARIABLE
from metricdp.columns.language import Node, Untraceable
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.columns.texts import Texts
from metricdp.columns.words import TextPieces

LARGEST = sys.float_info.max
SIZES = (
    0.0, 5e-324, 1e-310, 2.0**-1022, 1e-154, 2.0**-60, 0.1, 0.5, 1.0, nextafter(1, 2), 1.5, 2.5,
    3.0, 100.0, 709.5, 2.0**31, 2.0**52 + 0.5, 2.0**53, 2.0**53 + 2, 2.0**62, 2.0**63, 2.0**64,
    1e154, 1.5e300, LARGEST,
)  # fmt: skip
DOUBLES = (*SIZES, *(-x for x in SIZES), 1 / 3, -2 / 3)
#: What a caller's array may hold as well.
RAW = (*DOUBLES, nan, inf, -inf)
INTEGERS = tuple(
    sign * (2**k + d)
    for sign in (1, -1)
    for k in (0, 1, 3, 31, 52, 53, 61, 62, 63)
    for d in (-1, 0, 1)
    if -(2**63) <= sign * (2**k + d) < 2**63
)
#: Integers that no array of 64 bits holds.
HUGE = (*INTEGERS, 2**63, 2**64 - 1, 2**64, -(2**63) - 1, 2**70 + 1, -(2**70), 10**400, -(10**400))
TEXTS = ("", "a", "A", " a ", "ß", "b7", "7", "long text, long text")
#: Width of the vectors.
WIDTH = 3


def tables(random: Random, rows: int) -> Table:
    """Two columns of doubles, integers of 64 bits, Python's and small ones, Booleans, texts and
    vectors."""

    def some(kinds: Sequence[Any], count: int = rows) -> list[Any]:
        return [random.choice(kinds) for _ in range(count)]

    near = [random.uniform(-4, 4) for _ in range(50)]
    columns = (
        Stored("double", np.array(some(RAW), float)),
        Stored("double", np.array(some((*RAW, *near)), float), -50.0, 50.0),
        Stored("integer", np.array(some(INTEGERS), np.int64)),
        Stored("integer", np.array(some(HUGE), object)),
        Stored("integer", np.array(some(range(-3, 4)), np.int8), -3, 3),
        Stored("boolean", np.array(some((False, True)), bool)),
        Stored("text", Texts.of(some(TEXTS))),
        Stored("double", np.array(some((*RAW, *near), rows * WIDTH), float).reshape(rows, WIDTH)),
    )
    return Table(columns, tuple(column.node(at) for at, column in enumerate(columns)))


#: What makes a node of other nodes: number of arguments, function.
PAIRS = (
    language.add, language.sub, language.mul, language.div, language.floordiv, language.mod,
    language.minimum, language.maximum, language.power,
)  # fmt: skip
COMPARED = (
    language.lt, language.le, language.eq, language.gt, language.ge, language.ne, language.both,
    language.either,
)  # fmt: skip
ONES = (
    language.neg, language.absolute, language.floor, language.ceil, language.trunc, language.relu,
    language.nearest_integer, language.as_double, language.exp, language.log, language.sqrt,
    language.sin, language.cos, language.tanh, language.sigmoid, language.softplus,
    language.negated,
)  # fmt: skip
NUMBERS: tuple[Any, ...] = (*DOUBLES, *HUGE, True, False, Fraction(1, 3), 0, 1, 2, 3, 5, -1)


def grown(random: Random, leaves: Sequence[Node], size: int) -> list[Node]:
    """Leaves, and as many nodes that random operations made of them and of each other."""
    found = list(leaves)
    while len(found) < len(leaves) + size:
        try:
            made = _grown(random, found)
        except Untraceable:
            continue
        if isinstance(made, Node):
            found.append(made)
    return found


def _grown(random: Random, found: list[Node]) -> Any:
    def any_of(kind: Callable[[Node], bool] = lambda node: True) -> Any:
        return random.choice([node for node in found[-12:] + found[:8] if kind(node)] or found)

    def operand() -> Any:
        return any_of() if random.random() < 0.7 else random.choice(NUMBERS)

    what = random.randrange(10)
    if what == 9 and random.random() < 0.5:
        return _public(random, any_of(lambda node: node.width is None))
    if what == 9:
        base = random.choice(("double", "integer", "boolean", "text"))
        given = [
            any_of(lambda node: node.width is None) for _ in range(random.choice((1, 1, 2, 3)))
        ]
        return language.by_value(OF_VALUES[base], base, *given)
    if what <= 2:
        x, y = any_of(), operand()
        return random.choice(PAIRS)(*((x, y) if random.random() < 0.6 else (y, x)))
    if what == 3:
        return random.choice(ONES)(any_of())
    if what == 4:
        other = random.choice(TEXTS) if random.random() < 0.2 else operand()
        return random.choice(COMPARED)(any_of(), other)
    if what == 5:
        return language.select(any_of(lambda node: node.base == "boolean"), operand(), operand())
    if what == 6:
        ends = sorted(random.choice(NUMBERS) for _ in range(2))
        low, high = (end if random.random() < 0.9 else None for end in ends)
        return language.clamp(any_of(), low, high)
    if what == 7:
        return _vector(random, any_of(lambda node: node.width is not None), operand)
    text = any_of(lambda node: node.base == "text")
    if random.random() < 0.3:
        return language.contained(any_of(), [random.choice(TEXTS), random.choice(NUMBERS)])
    if random.random() < 0.3:
        pieces = TextPieces(text, random.choice(("split", "rsplit", "partition")), ("a",))
        ask = random.choice((lambda: pieces.at(random.choice((0, 1, -1))), pieces.size,
                             lambda: pieces.holds(random.choice(TEXTS))))  # fmt: skip
        return ask()
    return language.text(text, *random.choice(OF_A_TEXT))


def _public(random: Random, x: Node) -> Any:
    """A position among public keys or edges, or the item of a list there."""
    if x.base in ("double", "integer") and random.random() < 0.3:
        edges = sorted(Fraction(number) for number in random.sample(NUMBERS, 5))
        return keys.bin_of(x, edges)
    place = keys.position(x, random.sample((*NUMBERS, *TEXTS), random.randrange(8)))
    count = int(place.most)
    values = random.choice((TEXTS, INTEGERS, DOUBLES, HUGE, (True, False)))
    return random.choice(
        (place, language.item(place, [random.choice(values) for _ in range(count + 1)]))
    )


#: Methods and functions of a text, and what they are given: what they take, and what they do not.
OF_A_TEXT: tuple[tuple[Any, ...], ...] = (
    *((name,) for name in ("lower", "upper", "title", "strip", "isdigit", "isspace", "len")),
    ("startswith", "a"), ("startswith", ("a", "1")), ("startswith", 5), ("replace", "a", "bc"),
    ("replace", "", "-", 2), ("replace", "", "x" * 10**7), ("count", "a"), ("find", "b", -2),
    ("rfind", "a", None, 3), ("removesuffix", "a"), ("cut", None, None, -1), ("cut", 1, 3, None),
    ("holds", "a"), ("holds", None), ("lies_in", "xa1"), ("lies_in", frozenset(("a", ""))),
)  # fmt: skip
#: Functions of any value, one for each kind of result.
OF_VALUES: dict[str, Callable[..., Any]] = {
    "double": lambda *xs: sum(float(len(str(x))) for x in xs) / 3,
    "integer": lambda *xs: len(str(xs)) ** len(str(xs[0])),
    "boolean": lambda *xs: len(str(xs)) % 2 == 0,
    "text": lambda *xs: " ".join(f"{type(x).__name__} {x}" for x in xs),
}


def _vector(random: Random, x: Node, operand: Callable[[], Any]) -> Any:
    width = x.width
    if not width or random.random() < 0.2:
        return language.stack([operand() for _ in range(random.randrange(1, 4))])
    ends = random.choice(((0, width, 1), (width - 1, -1, -1), (0, width, 2)))
    return random.choice((
        lambda: language.entry(x, random.randrange(-width, width)),
        lambda: language.part(x, *ends),
        lambda: language.total(x),
        lambda: language.dot(x, x),
        lambda: language.largest(x),
        lambda: language.rising(x),
        lambda: language.called(Reversed(width), x),
        lambda: language.outer(language.part(x, 0, min(width, 3))),
        lambda: language.smallest(x),
        lambda: language.concat([x, x]),
        lambda: language.scaled_into(
            x, random.choice(("L1", "L2", "LInf")), random.choice((Fraction(1), Fraction(1, 3), 0))
        ),
    ))()  # fmt: skip


class Reversed:
    """A function from outside: the entries of a vector from the last to the first."""

    def __init__(self, width: int) -> None:
        self.width = width

    def row(self, x: Any) -> Any:
        return x[::-1]

    def rows(self, x: Any) -> Any:
        return x[::-1]


def bits(value: Any) -> Any:
    """A value such that equal ones are the same bit for bit, but for the sign of a zero."""
    if isinstance(value, list):
        return tuple(map(bits, value))
    return pack("<d", value + 0.0) if isinstance(value, float) else (type(value), value)


def cells(x: Any) -> list[Any]:
    """The values of rows as Python has them."""
    made: list[Any] = x.T.tolist() if getattr(x, "ndim", 1) == 2 else x.tolist()
    return made


def values(table: Table, nodes: Sequence[Node]) -> list[list[Any]]:
    """For every node its values in the rows of the table."""
    found: list[list[Any]] = [[] for _ in nodes]
    for count, pieces in table.pieces(*nodes):
        for column, piece in zip(found, pieces, strict=True):
            column.extend(cells(piece))
            assert len(column) % max(count, 1) == 0 or len(piece)
    return found


@contextmanager
def evaluated_by(name: str, rows: int = arrays.CHUNK) -> Iterator[None]:
    """One of the evaluators, on pieces of some rows; "parts": arrays, in parts of very few rows."""
    columns_path()  # what later runs are compared with is written down before a part is replaced
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, "arrays" if name == "parts" else name)
        if name == "parts":
            for constant, few in (("_BLOCK", 7), ("_FEW", 1), ("_MANY", 4), ("_WHOLE", 4)):
                patch.setattr(parted, constant, few)
        patch.setattr(arrays, "CHUNK", rows)
        patch.setattr(arrays, "FEW", 0)
        yield


def differences(table: Table, nodes: Sequence[Node], rows: int = arrays.CHUNK) -> list[str]:
    """Nodes of which the two evaluators have different values, and the first such row: none."""
    with evaluated_by("reference"):
        expected = values(table, nodes)
    with evaluated_by("arrays", rows):
        got = values(table, nodes)
    found = []
    for node, mine, its in zip(nodes, got, expected, strict=True):
        pairs = zip(map(bits, mine), map(bits, its), strict=True)
        wrong = [i for i, (a, b) in enumerate(pairs) if a != b]
        if len(mine) != len(its) or wrong:
            found.append(f"{shown(node)}: {[(mine[i], its[i]) for i in wrong[:2]]}")
    return found


def shown(node: Node, depth: int = 3) -> str:
    """A node as a formula."""
    given = [shown(a, depth - 1) if depth else "..." for a in node.arguments]
    return f"{node.operator}:{node.base}[{node.public}]({', '.join(given)})"
