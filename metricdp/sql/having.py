"""HAVING over persons: how many rows those have who are meant, and what these add up to."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, inf, nextafter
from typing import Any

from sqlglot import exp

from metricdp.sql.groups import conjuncts
from metricdp.sql.parsed import Query
from metricdp.sql.rows import RowReader
from metricdp.sql.terms import number

_EXAMPLE = "HAVING COUNT(*) > 2, SUM(x) >= 3, BETWEEN 2 AND 4, joined by AND"
#: A comparison -> the same with its sides exchanged.
_TURNED: dict[type, type] = {exp.GT: exp.LT, exp.LT: exp.GT, exp.GTE: exp.LTE, exp.LTE: exp.GTE,
                             exp.EQ: exp.EQ}  # fmt: skip


@dataclass(frozen=True)
class OfPerson:
    """One number of a person.

    Attributes:
        code: what a row adds to it; "" where rows are counted.
        kind: "int" or "float".
    """

    code: str
    kind: str


def of_person(query: Query, reader: RowReader, node: Any) -> OfPerson | None:
    """The number that COUNT(*), COUNT(x) or SUM(x) is, of the rows of one person; None of others.

    Raises:
        SqlError: a part of it that is not understood, or a sum that may be NULL.
    """
    if not isinstance(node, exp.Count | exp.Sum):
        return None
    query.only(node, "this", "big_int")
    if isinstance(node.this, exp.Distinct):
        query.fail(node, "different values of one person are not counted", _EXAMPLE)
    if isinstance(node, exp.Count):
        if node.this is None or isinstance(node.this, exp.Star):
            if isinstance(node.this, exp.Star):
                query.only(node.this)
            return OfPerson("", "int")
        there = reader.value(node.this).present
        return OfPerson(" and ".join(there), "int")
    found = reader.value(node.this)
    if not found.numeric:
        query.fail(node, f"a {found.kind} where a number is needed",
                   "CASE WHEN x THEN 1 ELSE 0 END")  # fmt: skip
    if found.present:
        query.fail(node, "the sum of a person who has no value is NULL", "SUM(COALESCE(x, 0))")
    return OfPerson(found.code, found.kind)


Ends = tuple[Fraction | None, Fraction | None]


def how_much(
    query: Query, reader: RowReader, clause: Any, named: dict[str, Any]
) -> dict[OfPerson, Ends]:
    """The least and the most of every number of a person that HAVING asks, either of which may be
    None.

    Args:
        named: aliases, in small letters -> what they stand for.

    Raises:
        SqlError: another condition on groups, or one that nobody meets.
    """
    if clause is None:
        return {}
    query.only(clause, "this")
    found: dict[OfPerson, Ends] = {}
    for part in conjuncts(clause.this):
        of, low, high = _of_part(query, reader, part, named)
        least, most = found.get(of, (None, None))
        least = low if least is None else least if low is None else max(least, low)
        most = high if most is None else most if high is None else min(most, high)
        found[of] = least, most
    for of, (least, most) in found.items():
        rows = not of.code and most is not None and most < 1
        if rows or (least is not None and most is not None and most < least):
            what = "rows" if not of.code else "in all"
            query.fail(clause, f"nobody has so many {what}" if not of.code
                       else "nobody has so much in all", _EXAMPLE)  # fmt: skip
    return found


def _of_part(
    query: Query, reader: RowReader, part: Any, named: dict[str, Any]
) -> tuple[OfPerson, Fraction | None, Fraction | None]:
    def asked(node: Any) -> OfPerson | None:
        if isinstance(node, exp.Column) and node.args.get("table") is None:
            node = named.get(node.name.lower(), node)
        return of_person(query, reader, node)

    if isinstance(part, exp.Between) and (of := asked(part.this)) is not None:
        query.only(part, "this", "low", "high")
        low, high = (_number(query, of, part.args[name]) for name in ("low", "high"))
        return of, _end(of, low, exp.GTE), _end(of, high, exp.LTE)
    kind = type(part)
    if kind not in _TURNED:
        query.fail(part, "a condition on persons that neither counts their rows nor adds them up",
                   _EXAMPLE)  # fmt: skip
    query.only(part, "this", "expression")
    sides = part.this, part.expression
    of = asked(sides[0])
    if of is None:
        kind, sides = _TURNED[kind], sides[::-1]
        of = asked(sides[0])
    if of is None:
        query.fail(part, "a condition on persons that neither counts their rows nor adds them up",
                   _EXAMPLE)  # fmt: skip
    end = _number(query, of, sides[1])
    if kind is exp.EQ:
        return of, _end(of, end, exp.GTE), _end(of, end, exp.LTE)
    if kind in (exp.GT, exp.GTE):
        return of, _end(of, end, kind), None
    return of, None, _end(of, end, kind)


def _end(of: OfPerson, end: Fraction, kind: type) -> Fraction:
    """The number next to an end that still meets a comparison: whole, or the nearest double."""
    if of.kind == "int":
        if kind in (exp.GT, exp.GTE):
            return Fraction(floor(end) + 1 if kind is exp.GT else ceil(end))
        return Fraction(ceil(end) - 1 if kind is exp.LT else floor(end))
    double = float(end)
    if kind in (exp.GT, exp.LT):
        double = nextafter(double, inf if kind is exp.GT else -inf)
    return Fraction(double)


def _number(query: Query, of: OfPerson, node: Any) -> Fraction:
    negative = isinstance(node, exp.Neg)
    inside = node.this if negative else node
    found = None
    if isinstance(inside, exp.Literal) and not inside.is_string:
        found = number(str(inside.this))
    if found is None:
        query.fail(node, "a number is needed", _EXAMPLE)
    if not of.code and (negative or found != int(found)):
        query.fail(node, "a whole number of rows is needed", _EXAMPLE)
    return Fraction(-found if negative else found)


def written_end(of: OfPerson, end: Fraction | None) -> str:
    """The end of a number of a person, as a program has it; every person has a row."""
    if not of.code:
        return str(int(max(end or 1, 1)))
    if end is None:
        return "None"
    return str(int(end)) if of.kind == "int" else repr(float(end))
