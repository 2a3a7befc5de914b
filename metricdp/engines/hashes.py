"""The hash of `columns.row_hash` in an engine's SQL, and the words of what rows hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metricdp.columns.language import Node
from metricdp.columns.owners import parts
from metricdp.columns.row_hash import (
    FACTORS,
    HALF,
    LOW,
    MISSING,
    PRIME,
    ROUNDS,
    SHIFT,
    START,
)
from metricdp.engines.dialect import Dialect
from metricdp.engines.expressions import Expressions

_LOWER, _LOWER_HALF = (1 << LOW) - 1, (1 << HALF) - 1


class Field:
    """One value of every row: what it is put in order by.

    Attributes:
        order: the expressions that rows are sorted by, the first first.
    """

    def __init__(self, sql: Dialect, made: Expressions, field: Any) -> None:
        self._sql, (self._node, there) = sql, parts(field)
        text = made.of(self._node)
        self.order = [text]
        if there is not None:
            mark = made.of(there)
            # Values that are missing are alike, and come last.
            nothing = {"text": "''", "boolean": "false"}.get(self._node.base, "0")
            self.order = [f"NOT {mark}", f"CASE WHEN {mark} THEN {text} ELSE {nothing} END"]

    def word(self, names: Sequence[str]) -> str:
        """Its word in the hash.

        Args:
            names: of the columns that hold what `order` says.
        """
        found = word(self._sql, self._node, names[-1])
        return found if len(names) == 1 else f"CASE WHEN {names[0]} THEN {MISSING} ELSE {found} END"


def word(sql: Dialect, node: Node, text: str) -> str:
    """`primitives.records._keys._word` of values as columns hold them."""
    if node.base == "text":
        return sql.word_of_text(text)
    if node.base == "boolean":
        return f"CASE WHEN {text} THEN 1 ELSE 0 END"
    if node.base == "integer":
        return f"CAST({text} AS BIGINT)"
    low, high = sql.double(-(2.0**63)), sql.double(2.0**63)
    whole = f"{sql.rounded('floor', text)} = {text} AND {text} >= {low} AND {text} < {high}"
    return sql.word_of_double(text, whole)


def with_hash(sql: Dialect, source: str, words: Sequence[str]) -> tuple[str, str]:
    """A query with the hash of some words as a column more, and the name of that column."""
    high, low, first, second = FACTORS
    found, h = source, str(START)
    for at, each in enumerate(words):
        found = f"(SELECT *, {_shifted(sql, h)} AS x{at} FROM {found})"
        text = (
            f"({sql.down(f'x{at}', str(LOW))} * {high} + (x{at} & {_LOWER}) * {low} + "
            f"({sql.down(each, str(HALF))} + {1 << 31}) * {first} + "
            f"({each} & {_LOWER_HALF}) * {second})"
        )
        h = f"h{at}"
        found = f"(SELECT *, {text} % {PRIME} AS {h} FROM {found})"
    for at, (upper, lower) in enumerate(ROUNDS):
        found = f"(SELECT *, {_shifted(sql, h)} AS y{at} FROM {found})"
        h = f"g{at}"
        text = (
            f"({sql.down(f'y{at}', str(LOW))} * {upper} + (y{at} & {_LOWER}) * {lower}) % {PRIME}"
        )
        found = f"(SELECT *, {text} AS {h} FROM {found})"
    return found, h


def _shifted(sql: Dialect, h: str) -> str:
    h = f"CAST({h} AS BIGINT)"
    return sql.exclusive(h, sql.down(h, str(SHIFT)))
