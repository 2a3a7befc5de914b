"""Groups, parts of which each is one draw, and outputs that are made of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date, datetime
from fractions import Fraction
from typing import Any, NamedTuple

from metricdp.sql.terms import SqlValue

#: Groups of one query.
MOST_GROUPS = 100_000
#: Kind of a key -> its class.
KEY_CLASSES = {"int": int, "str": str, "bool": bool, "date": date, "datetime": datetime}


@dataclass(frozen=True)
class GroupNumber:
    """One number that is drawn for each group.

    Attributes:
        kind: "count", "sum", "distinct", "quantile", "persons" or "person sum".
        code: what is counted or added up, of one row.
        tests: conditions under which a row counts.
        rows: rows of a person in a group; None where they are not bounded row by row.
        low, high: bounds, of a quantile and of what a person adds up to.
        share: which quantile.
        node: where it was asked for.
    """

    kind: str
    code: str = ""
    tests: tuple[str, ...] = ()
    rows: int | None = None
    low: Any = None
    high: Any = None
    share: Fraction | None = None
    node: Any = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GroupNumber) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def key(self) -> tuple[Any, ...]:
        return (self.kind, self.code, self.tests, self.rows, self.low, self.high, self.share)


@dataclass(frozen=True)
class GroupKey:
    """One expression of GROUP BY.

    Attributes:
        name: of its column in the answer.
        keys: public ones, all different; None where they are private.
        at: position in the list of SELECT; None where it is not selected.
    """

    name: str
    value: SqlValue
    keys: tuple[Any, ...] | None
    node: Any


class Mean(NamedTuple):
    """Where a mean lies: about its middle, and between its bounds."""

    middle: float
    low: float
    high: float


@dataclass(frozen=True)
class Output:
    """One column of the answer.

    Attributes:
        form: Python in which `{0}`, `{1}`, ... stand for the parts.
        parts: what it is made of.
        mean: of a mean, its middle and its bounds: the answer is middle + parts[0] /
            max(parts[1], 1), moved into the bounds.
    """

    name: str
    form: str
    parts: tuple[GroupNumber, ...]
    mean: Mean | None = None


def all_tests(tests: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*tests, *more)))


def centred(value: SqlValue, part: GroupNumber) -> tuple[Fraction, GroupNumber]:
    """The middle of the bounds, and the sum of what lies apart from it."""
    assert value.low is not None and value.high is not None
    middle = (value.low + value.high) / 2
    if not middle or middle.denominator & (middle.denominator - 1):
        return Fraction(0), part  # a middle that is no double would not be the same in both places
    sign, size = ("-", middle) if middle > 0 else ("+", -middle)
    return middle, replace(part, code=f"{value.code} {sign} {decimal(size)}")


def decimal(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else repr(float(number))


def mean_of(
    value: SqlValue, tests: tuple[str, ...], rows: int | None, node: Any,
    known: Collection[tuple[Any, ...]],
) -> tuple[list[GroupNumber], str, Mean]:  # fmt: skip
    """The parts of a mean of a value between bounds, and its formula.

    Args:
        known: sums that are drawn anyway, which are then used as they are.
    """
    number = GroupNumber("count", tests=tests, rows=rows, node=node)
    total = GroupNumber("sum", value.code, tests, rows, node=node)
    middle = Fraction(0)
    if total.key not in known:
        middle, total = centred(value, total)
    start = f"{decimal(middle)} + " if middle else ""
    low, high = value.low or Fraction(0), value.high or Fraction(0)
    inside = f"{start}{{0}} / max({{1}}, 1)"
    form = f"min(max({inside}, {decimal(low)}), {decimal(high)})"
    return [total, number], form, Mean(float(middle), float(low), float(high))


def spread_of(
    value: SqlValue, tests: tuple[str, ...], rows: int | None, node: Any, freedom: int, root: bool
) -> tuple[list[GroupNumber], str]:
    """A variance from a count, a sum and a sum of squares, all about the middle.

    Args:
        freedom: what is taken off the number of rows.
        root: whether its root is asked for.
    """
    number = GroupNumber("count", tests=tests, rows=rows, node=node)
    _, total = centred(value, GroupNumber("sum", value.code, tests, rows, node=node))
    squares = replace(total, code=f"({total.code}) ** 2")
    size = "max({1}, 1)" if not freedom else "max({1} - 1, 1)"
    form = f"max(({{2}} - {{0}} * {{0}} / max({{1}}, 1)) / {size}, 0)"
    return [total, number, squares], f"({form} ** 0.5)" if root else f"({form})"
