"""Parts, each one draw, and outputs that are made of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from metricdp.sql.terms import SqlValue


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
