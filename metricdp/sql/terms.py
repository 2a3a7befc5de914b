"""Expressions of one row: what they are in Python, and when SQL says NULL.

A `SqlValue` is code that is evaluated only where all of `present` holds, and is NULL elsewhere.  A
`SqlCondition` is two codes, one for "is true" and one for "is false": where neither holds SQL says
UNKNOWN, and a row is taken where a condition is true.  So NOT exchanges the two, AND is true where
both are and false where one is, and nothing of three-valued logic is left for Python to decide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from fractions import Fraction
from math import isfinite
from typing import Any, Protocol

from metricdp.sql.parsed import Query
from metricdp.sql.tables import SqlColumn, SqlTable

#: The largest whole number of a column.
MOST = 2**63 - 1
_NUMBER = re.compile(r"(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")


@dataclass(frozen=True)
class SqlValue:
    """One value of a row.

    Attributes:
        code: Python, with parentheses where it needs some.
        kind: "int", "float", "bool", "str", "date" or "datetime".
        present: conditions under which it is not NULL, in the order in which they are asked.
        low, high: bounds that hold whatever the row is; None where there is none.
        constant: its value, of a literal.
        choices: all values that it can have, where these are known.
        column: the column that it is, if it is nothing else.
        nonzero: whether it is never 0 where it is present.
    """

    code: str
    kind: str
    present: tuple[str, ...] = ()
    low: Fraction | None = None
    high: Fraction | None = None
    constant: Any = None
    choices: tuple[Any, ...] | None = None
    column: str = ""
    nonzero: bool = False

    @property
    def numeric(self) -> bool:
        return self.kind in ("int", "float")


@dataclass(frozen=True)
class SqlCondition:
    """Two tests of a row; `total`: one of them always holds."""

    true: str
    false: str
    total: bool = field(default=False)


class Reader(Protocol):
    """What a form asks of its parts."""

    query: Query
    table: SqlTable

    def value(self, node: Any) -> SqlValue:
        """The value that an expression is."""

    def condition(self, node: Any) -> SqlCondition:
        """The condition that an expression is."""

    def column(self, node: Any) -> SqlColumn:
        """The column that an expression names."""


def every(tests: Any) -> str:
    """All of these hold."""
    parts = [each for each in dict.fromkeys(tests) if each != "True"]
    if "False" in parts:
        return "False"
    if not parts:
        return "True"
    return parts[0] if len(parts) == 1 else f"({' and '.join(parts)})"


def some(tests: Any) -> str:
    """One of these holds."""
    parts = [each for each in dict.fromkeys(tests) if each != "False"]
    if "True" in parts:
        return "True"
    if not parts:
        return "False"
    return parts[0] if len(parts) == 1 else f"({' or '.join(parts)})"


def opposite(test: str) -> str:
    """This does not hold."""
    return {"True": "False", "False": "True"}.get(test, f"(not {test})")


def constant_condition(holds: bool) -> SqlCondition:
    """A condition that is the same for every row."""
    return SqlCondition(str(holds), str(not holds), True)


def union(*values: SqlValue) -> tuple[str, ...]:
    """What has to hold for all of them to be there."""
    return tuple(dict.fromkeys(test for each in values for test in each.present))


def written(constant: Any) -> str:
    """A constant as Python source, of characters of ASCII alone."""
    if type(constant) is date:
        return f"date({constant.year}, {constant.month}, {constant.day})"
    if type(constant) is datetime:
        parts = list(constant.timetuple()[:6])
        parts += [constant.microsecond] if constant.microsecond else []
        return f"datetime({', '.join(map(str, parts))})"
    if type(constant) is str:
        plain = ascii(constant)
        return plain if set(plain[1:-1]) & {"'", '"'} else f'"{plain[1:-1]}"'
    if type(constant) in (int, float, bool):
        return repr(constant)
    raise AssertionError(type(constant))


def of_constant(constant: Any) -> SqlValue:
    """A literal."""
    kind = type(constant).__name__
    exact = Fraction(constant) if kind in ("int", "float") else None
    code = written(constant)
    return SqlValue(
        f"({code})" if code.startswith("-") else code, kind, (), exact, exact, constant,
        (constant,), nonzero=exact is not None and exact != 0,
    )  # fmt: skip


def number(text: str) -> int | float | None:
    """The number that a literal is: whole within 64 bits, or a finite double; else None."""
    if not _NUMBER.fullmatch(text):
        return None
    if text.isdecimal():
        found = int(text)
        return found if found <= MOST else None
    real = float(text)
    return real if isfinite(real) else None


def numeric(reader: Reader, node: Any) -> SqlValue:
    """The value of a node that has to be a number."""
    found = reader.value(node)
    if not found.numeric:
        reader.query.fail(
            node, f"a {found.kind} where a number is needed", "CASE WHEN x THEN 1 ELSE 0 END"
        )
    return found


def as_float(value: SqlValue) -> SqlValue:
    if value.kind == "float":
        return value
    if value.constant is not None:
        return of_constant(float(value.constant))
    return replace(value, code=f"float({value.code})", kind="float", choices=None)


def plain(value: SqlValue) -> SqlValue:
    """Nothing but kind and presence is kept."""
    return SqlValue(value.code, value.kind, value.present)


def of_condition(found: SqlCondition) -> SqlValue:
    """A condition as a truth value, NULL where it is UNKNOWN."""
    there = () if found.total else (some((found.true, found.false)),)
    return SqlValue(f"({found.true})", "bool", there, choices=(False, True))
