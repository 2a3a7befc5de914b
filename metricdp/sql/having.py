"""HAVING over persons: how many rows those have who are meant by `person IN (SELECT ...)`."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from metricdp.sql.groups import conjuncts
from metricdp.sql.parsed import Query

_EXAMPLE = "HAVING COUNT(*) > 2, >= 3, = 1, < 5, BETWEEN 2 AND 4"
#: A comparison -> the same with its sides exchanged.
_TURNED: dict[type, type] = {exp.GT: exp.LT, exp.LT: exp.GT, exp.GTE: exp.LTE, exp.LTE: exp.GTE,
                             exp.EQ: exp.EQ}  # fmt: skip


def how_often(query: Query, select: Any) -> tuple[int, int | None] | None:
    """The least number of rows of a person, and the most, if any; None where HAVING says nothing.

    Raises:
        SqlError: another condition on groups, or one that nobody meets.
    """
    clause = select.args.get("having") if isinstance(select, exp.Select) else None
    if clause is None:
        return None
    query.only(clause, "this")
    least, most = 1, None
    for part in conjuncts(clause.this):
        low, high = _of_part(query, part)
        least = max(least, low)
        most = high if most is None else most if high is None else min(most, high)
    if most is not None and most < least:
        query.fail(clause, "nobody has so many rows", _EXAMPLE)
    return least, most


def _of_part(query: Query, part: Any) -> tuple[int, int | None]:
    if isinstance(part, exp.Between) and _counts_rows(part.this):
        query.only(part, "this", "low", "high")
        return _whole(query, part.args["low"]), _whole(query, part.args["high"])
    kind = type(part)
    if kind not in _TURNED:
        query.fail(part, "a condition on persons that does not count their rows", _EXAMPLE)
    query.only(part, "this", "expression")
    sides = part.this, part.expression
    if not _counts_rows(sides[0]):
        kind, sides = _TURNED[kind], sides[::-1]
    if not _counts_rows(sides[0]):
        query.fail(part, "a condition on persons that does not count their rows", _EXAMPLE)
    number = _whole(query, sides[1])
    if kind is exp.EQ:
        return number, number
    if kind in (exp.GT, exp.GTE):
        return number + (kind is exp.GT), None
    return 1, number - (kind is exp.LT)


def _counts_rows(node: Any) -> bool:
    """Whether this is COUNT(*)."""
    if not isinstance(node, exp.Count) or not isinstance(node.this, exp.Star):
        return False
    others = [part for name, part in node.args.items() if name not in ("this", "big_int")]
    return not node.this.args.get("except_") and not any(others)


def _whole(query: Query, node: Any) -> int:
    if not isinstance(node, exp.Literal) or node.is_string or not node.this.isdecimal():
        query.fail(node, "a whole number of rows is needed", _EXAMPLE)
    return int(node.this)
